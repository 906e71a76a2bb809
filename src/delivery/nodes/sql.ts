// The queries of processes: their liveness, and the binds of each.

import { type Keyed, pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";
import type { Node } from "./shapes.ts";

/** A process is alive if its last heartbeat is at most 10 s old: it sends one every 3 s. */
const IS_ALIVE = "seen_at > now() - interval '10 seconds'";
/** The reported state of a bind counts as long as in `operators.listShown`. */
const STATE = "CASE WHEN owned_until > now() + interval '8 seconds' THEN state ELSE 'DISCONNECTED' END";

export const listNodes = {
  ...pagedQuery<Node & Keyed>(
    "nodes.listNodes",
    [["started_at", "timestamptz"], "node"],
    ({ seek, page, rowKey }) =>
      `SELECT ${rowKey}, node AS id, host, pid, version, roles, started_at AS "startedAt", seen_at AS "seenAt", ${IS_ALIVE} AS "isAlive",
            turned_at AS "lastTurnAt", ahead_ms AS "aheadMs", coalesce(owned.binds, '[]') AS binds
     FROM nodes LEFT JOIN LATERAL (
       SELECT jsonb_agg(jsonb_build_object('operatorId', operator_id, 'operator', operators.name, 'bind', number, 'state', ${STATE})
                        ORDER BY operators.name, number) AS binds
       FROM operator_binds JOIN operators ON operators.id = operator_id
       WHERE operator_binds.node = nodes.node AND owned_until > now()
     ) owned ON true
     WHERE ${seek} ${page}`,
  ),
  count: query<Counted, object>("nodes.countNodes", "SELECT count(*) FROM nodes"),
};

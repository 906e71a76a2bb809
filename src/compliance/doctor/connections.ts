// The number of PostgreSQL connections that the processes may open, and whether the server allows them.

import { CONNECTIONS_AT_MOST } from "../../platform/database/database.ts";
import type { Statements } from "../../platform/database/query.ts";
import { type Finding, ok, warn, wrong } from "./doctor.ts";
import * as sql from "./sql.ts";

/** The connections that one process may have: its pool, a gateway's listener, and two of the owner at the start. */
export const CONNECTIONS_OF_A_PROCESS = CONNECTIONS_AT_MOST + 1 + 2;
const SHARE_AT_MOST = 0.8;

/** Returns how many connections the service may have open at once. */
export function limitOf({ ofServer, reserved, ofDatabase, ofLogin }: sql.Limits): number {
  return Math.min(ofServer - reserved, ofDatabase ?? ofServer, ofLogin ?? ofServer);
}

/** Checks whether PostgreSQL allows the connections that the live processes may open. */
export async function examineBudget(db: Statements, nodes: readonly sql.NodeRow[]): Promise<Finding> {
  const about = "connections";
  const [limits] = await db.run(sql.findLimits);
  const limit = limitOf(limits!);
  const processes = Math.max(1, nodes.filter(({ isAlive }) => isAlive).length);
  const needed = processes * CONNECTIONS_OF_A_PROCESS;
  const said = `${processes} processes may take ${needed} of ${limit} (${CONNECTIONS_OF_A_PROCESS} each)`;
  if (needed > limit)
    return wrong(
      about,
      said,
      "Raise max_connections or the limit of the database or the login, or run fewer processes",
    );
  if (needed > limit * SHARE_AT_MOST)
    return warn(about, said, "Raise max_connections: an upgrade needs room for one more process");
  return ok(about, said);
}

// The doctor's check of a pooler between the service and PostgreSQL: whether its pool has room for all processes.

import type { ServerClient } from "../../platform/database/client.ts";
import { closeClient, openClient } from "../../platform/database/connection.ts";
import { Hosts } from "../../platform/database/hosts.ts";
import { isPooled } from "../../platform/database/pooler.ts";
import type { Statements } from "../../platform/database/query.ts";
import { CONNECTIONS_OF_A_PROCESS, limitOf } from "./connections.ts";
import { type Finding, ok, saidBy, warn, wrong } from "./doctor.ts";
import * as sql from "./sql.ts";

const ABOUT = "pooler";
/** Less than the 3 s that a process waits for a new connection, so that this check makes no request fail. */
const WAIT_MS = 2_000;
const OPENED_AT_MOST = 500;
/** PostgreSQL connections that are left to others. */
const LEFT_TO_OTHERS = 5;

/**
 * Opens the connections that all processes may still need, one after another, stops at the first one that has to wait,
 * and closes all of them. Returns undefined without a pooler, or if all of them are open already.
 */
export async function examinePool(db: Statements, url: string): Promise<Finding | undefined> {
  const nodes = await db.run(sql.listNodes);
  const [{ ofService, ofServer }] = (await db.run(sql.countConnections)) as [sql.Connections];
  const [limits] = (await db.run(sql.findLimits)) as [sql.Limits];
  const processes = Math.max(1, nodes.filter(({ isAlive }) => isAlive).length);
  const needed = processes * CONNECTIONS_OF_A_PROCESS;
  const missing = needed - ofService;
  if (missing <= 0) return undefined;
  const limit = limitOf(limits);
  const opened: ServerClient[] = [];
  try {
    const first = await openMore(1, url, opened);
    if (opened[0] && !(await isPooled(opened[0]))) return undefined;
    if (missing > Math.min(limit - ofServer - LEFT_TO_OTHERS, OPENED_AT_MOST))
      return warn(
        ABOUT,
        `room for ${needed} connections was not tested: PostgreSQL has ${ofServer} of ${limit} open`,
        "Raise max_connections, and run the doctor again",
      );
    const refusal = first ?? (await openMore(missing - 1, url, opened));
    if (refusal === undefined)
      return ok(ABOUT, `it has room for the ${needed} connections that ${processes} processes may take`);
    return wrong(
      ABOUT,
      `it allows only ${ofService + opened.length} of the ${needed} connections that ${processes} processes may take (${refusal})`,
      `Set its default_pool_size to ${needed} or more, and max_client_conn above it`,
    );
  } finally {
    await Promise.all(opened.map(closeClient));
  }
}

/** Adds this many connections to `opened`. Resolves to the error of the first one that was not available in time. */
async function openMore(count: number, url: string, opened: ServerClient[]): Promise<string | undefined> {
  const hosts = new Hosts(url);
  for (let i = 0; i < count; i++) {
    const limits = { answerMs: WAIT_MS, connectMs: WAIT_MS };
    const client = await openClient(hosts, "atumpan-doctor", limits).catch(saidBy);
    if (typeof client === "string") return client;
    opened.push(client);
  }
  return undefined;
}

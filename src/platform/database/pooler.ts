// Checks the pooler between the service and PostgreSQL, such as PgBouncer: each of our connections must have one server
// connection for its whole life, because settings, LISTEN, prepared statements and locks belong to a session.

import { BadConfiguration } from "../config.ts";
import type { ServerClient } from "./client.ts";
import { closeClient, openClient } from "./connection.ts";
import { Hosts } from "./hosts.ts";

// It may also just be starting, with the machine.
const CONNECT_MS = 30_000;
const ANSWER_MS = 10_000;
// Each round detects it, unless other clients take exactly the connections that would show it. Without other clients
// one round is enough, whether the pooler uses its free connections in turn or the last one first.
const ROUNDS = 20;
// The pool, the job runner and the listener of each process.
const ENOUGH = "set its default_pool_size to at least 23 for each process";

/**
 * Refuses a URL whose pooler gives each transaction another server connection. Throws `BadConfiguration`, which names
 * the variable `name`. Without a pooler it costs one connection.
 */
export async function requireSessions(name: string, url: string): Promise<void> {
  const hosts = new Hosts(url);
  const open = () => openClient(hosts, "atumpan-sessions", { answerMs: ANSWER_MS, connectMs: CONNECT_MS });
  const first = await open().catch((cause: Error) => {
    throw new BadConfiguration(`${name}: ${cause.message}`, { cause });
  });
  const clients = [first];
  try {
    if (!(await isPooled(first))) return;
    const second = await open().catch((cause: Error) => {
      throw new BadConfiguration(
        `${name}: a pooler allows only one connection (${cause.message}): ${ENOUGH}`,
        {
          cause,
        },
      );
    });
    clients.push(second);
    for (let round = 1; round <= ROUNDS; round++) {
      if (await areSessions(first, second)) continue;
      throw new BadConfiguration(
        `${name}: a pooler gives each transaction another PostgreSQL connection: set pool_mode = session for this database`,
      );
    }
  } finally {
    await Promise.all(clients.map(closeClient));
  }
}

/** Whether there is a pooler: its cancel keys are its own, while PostgreSQL's contain the session's process. */
export async function isPooled(client: ServerClient): Promise<boolean> {
  return (await findProcess(client)) !== keyOf(client);
}

/** True unless one of two connections is seen to change its server process. */
async function areSessions(first: ServerClient, second: ServerClient): Promise<boolean> {
  const own = await findProcess(first);
  // If the pooler has several free connections, it may use another one each time.
  if ((await findProcess(first)) !== own) return false;
  try {
    await second.query("BEGIN");
  } catch (error) {
    // PgBouncer closes the connection this way if it gives each statement another server connection.
    if ((error as { severity?: unknown }).severity === "FATAL") return false;
    throw error;
  }
  if ((await findProcess(second)) === own) return false;
  if ((await findProcess(first)) !== own) return false;
  await second.query("ROLLBACK");
  return true;
}

async function findProcess(client: ServerClient): Promise<number> {
  return (await client.query("SELECT pg_backend_pid() AS pid")).rows[0].pid;
}

/** Returns the process number from the cancel key that the session received at its start. */
function keyOf(client: ServerClient): number {
  return (client as unknown as { processID: number }).processID;
}

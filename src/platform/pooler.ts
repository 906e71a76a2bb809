// A pooler between the service and PostgreSQL, such as PgBouncer, must give each of our connections one of the server
// for as long as it lives: settings, LISTEN, prepared statements and locks belong to a session.
import type { ServerClient } from "./client.ts";
import { BadConfiguration } from "./config.ts";
import { Hosts } from "./hosts.ts";
import { closeClient, openClient } from "./line.ts";

// It may also just be starting, with the machine.
const CONNECT_MS = 30_000;
const ANSWER_MS = 10_000;
// Each round finds out unless other clients take exactly the connections that would show it. Without other clients one
// round is enough, whether the pooler takes its free connections in turn or the last one first.
const ROUNDS = 20;
// The pool, the job runner and the listener of each process.
const ENOUGH = "set its default_pool_size to at least 23 for each process";

/**
 * Refuses an address behind which a pooler gives each transaction another connection of the server. Throws
 * `BadConfiguration`, which names the variable `name`. Without a pooler it costs one connection.
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

/** Whether a pooler stands between: it has keys of its own for cancelling, and PostgreSQL's name the process of the session. */
export async function isPooled(client: ServerClient): Promise<boolean> {
  return (await findProcess(client)) !== keyOf(client);
}

/** True unless one of two connections is seen to lose the process that serves it. */
async function areSessions(first: ServerClient, second: ServerClient): Promise<boolean> {
  const own = await findProcess(first);
  // Of several free connections the pooler may take another one each time.
  if ((await findProcess(first)) !== own) return false;
  try {
    await second.query("BEGIN");
  } catch (error) {
    // PgBouncer ends the connection so where it gives each statement another one of the server's.
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

/** The number of the process, by the key for cancelling that came when the session began. */
function keyOf(client: ServerClient): number {
  return (client as unknown as { processID: number }).processID;
}

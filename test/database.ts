// Each test file has its own database: a clone of the migrated template that `test/run.ts` made.
import { randomBytes } from "node:crypto";
import pg from "pg";

/** Whether the test server is the coordinator of a Citus cluster. */
export const onCitus = process.env.TEST_WORKERS !== undefined;

const IN_USE = "55006";
const DROPS_AT_MOST = 5;

let owner: pg.Pool | undefined;
let workers: pg.Pool[] | undefined;

export type TestDatabase = {
  /** The address of the owner, a superuser. */
  url: string;
  /** The address that the service has: its login owns nothing, where the test server is ours. */
  serviceUrl: string;
  /** Removes the database, together with its remaining connections. */
  drop(): Promise<void>;
};

/** Clones the migrated, empty database, in some 40 ms. Call it in `before`, and `drop` in `after`. */
export async function cloneDatabase(template = process.env.TEST_TEMPLATE): Promise<TestDatabase> {
  if (template === undefined) throw new Error("run the tests with `npm test -- path/of/file.test.ts`");
  if (template === "") throw new Error("there is no database to clone: the migrations failed, see above");
  const name = `test_${randomBytes(6).toString("hex")}`;
  await runOnNodes(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  return {
    url: databaseUrl(name),
    serviceUrl: databaseUrl(name, process.env.TEST_SERVICE_URL ?? process.env.TEST_DATABASE_URL),
    drop: () => dropDatabase(name),
  };
}

/** Removes a database and ends its connections, on each node. */
async function dropDatabase(name: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await runOnNodes(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      return;
    } catch (error) {
      // Citus has a process in each database, which may come back while PostgreSQL waits for the end of the others.
      if (!onCitus || tries === DROPS_AT_MOST || (error as pg.DatabaseError).code !== IN_USE) throw error;
    }
  }
}

/** Runs one statement on the test server's own database (`TEST_DATABASE_URL`). */
export async function runAsAdmin(sql: string): Promise<void> {
  owner ??= openOwner(process.env.TEST_DATABASE_URL);
  await owner.query(sql);
}

/** Runs one statement on the test server and, in a cluster (`TEST_WORKERS`), on each worker: a database has a part on each. */
export async function runOnNodes(sql: string): Promise<void> {
  workers ??= (process.env.TEST_WORKERS ?? "")
    .split(" ")
    .filter((url) => url !== "")
    .map(openOwner);
  await Promise.all([runAsAdmin(sql), ...workers.map((worker) => worker.query(sql))]);
}

/** Runs statements as the owner of a database. Returns the rows of the last one. */
export async function askOwner(
  url: string,
  statements: readonly string[],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** A pool that keeps no process alive. A connection costs 8 ms of CPU (2026-11-23), and each test service needs one twice. */
function openOwner(url: string | undefined): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    idleTimeoutMillis: 5_000,
    allowExitOnIdle: true,
  });
  return pool.on("error", () => {}); // a broken connection also rejects the query
}

/** Makes the database refuse every connection. The returned function lets connections in again. */
export async function cutDatabase(url: string): Promise<() => Promise<void>> {
  const name = new URL(url).pathname.slice(1);
  await closeDatabase(name);
  return () => runOnNodes(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
}

/** Lets nobody in any more, and ends the connections that are there. */
export async function closeDatabase(name: string): Promise<void> {
  await runOnNodes(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await runOnNodes(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
}

/** Copies a database as it is now, as a backup does. The returned function puts the copy in its place. */
export async function copyDatabase(url: string): Promise<() => Promise<void>> {
  const name = new URL(url).pathname.slice(1);
  const copy = `${name}_copy`;
  const reopen = await cutDatabase(url);
  await runOnNodes(`CREATE DATABASE ${copy} TEMPLATE ${name}`);
  await reopen();
  return async () => {
    await cutDatabase(url);
    await runOnNodes(`DROP DATABASE ${name} WITH (FORCE)`);
    await runOnNodes(`ALTER DATABASE ${copy} RENAME TO ${name}`);
  };
}

/**
 * Ends every connection to the database, and resolves once this process knows it. `pg_terminate_backend` alone only asks
 * for an end: the next statement may still take a connection that is about to fall.
 */
export async function endConnections(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await runAsAdmin(`SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = '${name}'`);
  // The ends of the connections arrived before this answer did. The event loop hears of them all in the same turn.
  await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Makes the database look as if another server had taken it over, with what these statements change. Until all
 * connections have ended, a heartbeat waits for its row, and a new connection for the table: a heartbeat in between
 * would be one that the new server has lost.
 */
export async function changeServer(url: string, changes = ""): Promise<void> {
  await askOwner(url, [
    "BEGIN; LOCK TABLE incarnations IN ACCESS EXCLUSIVE MODE",
    `UPDATE incarnations SET timeline = 'another'; ${changes}`,
    "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    "COMMIT",
  ]);
}

/** The test server's address, with another database. */
export function databaseUrl(name: string, server = process.env.TEST_DATABASE_URL): string {
  const url = new URL(server ?? "");
  url.pathname = `/${name}`;
  return url.href;
}

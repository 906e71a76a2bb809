// PgBouncer of Debian before a PostgreSQL, for tests.
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { findFreePorts } from "../../src/platform/embedded/ports.ts";
import type { Scope } from "../sending.ts";
import { until } from "../testservice.ts";
import { folderOfPostgres, needsPostgres, startAsPostgres } from "./postgres.ts";

const PROGRAM = "/usr/sbin/pgbouncer";

/** For the options of a test: it is skipped, and says why, where PgBouncer or PostgreSQL is not installed. */
export const needsPgBouncer = {
  skip: existsSync(PROGRAM) ? needsPostgres.skip : "pgbouncer of Debian is not installed",
};

export type PgBouncer = {
  readonly port: number;
  /** The address of a database through it. */
  url(database: string, login: string): string;
};

type Options = {
  /** The port of the PostgreSQL on loopback that it stands before. */
  before: number;
  mode: "session" | "transaction" | "statement";
  /** Beside the superuser. */
  logins?: readonly string[];
  /** Lines of its section `pgbouncer`, on top of Debian's defaults. */
  settings?: Readonly<Record<string, string | number>>;
};

/** Starts PgBouncer, which ends with `scope`. */
export async function startPgBouncer(
  scope: Scope,
  { before, mode, logins = [], settings = {} }: Options,
): Promise<PgBouncer> {
  const folder = await folderOfPostgres(scope);
  const [port] = await findFreePorts(1);
  const lines = Object.entries({
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "trust",
    auth_file: join(folder, "logins"),
    pool_mode: mode,
    max_client_conn: 200,
    ...settings,
  }).map(([name, value]) => `${name} = ${value}`);
  const databases = `* = host=127.0.0.1 port=${before}`;
  await writeFile(join(folder, "logins"), ["postgres", ...logins].map((login) => `"${login}" ""\n`).join(""));
  await writeFile(join(folder, "ini"), `[databases]\n${databases}\n[pgbouncer]\n${lines.join("\n")}\n`);
  const logFile = join(folder, "log");
  const child = await startAsPostgres(PROGRAM, [join(folder, "ini")], logFile);
  scope.after(async () => {
    child.kill("SIGKILL");
    await until(() => child.signalCode !== null || child.exitCode !== null);
  });
  const url = (database: string, login: string) => `postgres://${login}@127.0.0.1:${port}/${database}`;
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended:\n${readFileSync(logFile, "utf8")}`);
    const client = new pg.Client({ connectionString: url("postgres", "postgres") });
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  });
  return { port: port!, url };
}

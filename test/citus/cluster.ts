// A Citus cluster on loopback for tests and benches: one coordinator, and workers, by Debian's PostgreSQL 15.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { findFreePorts } from "../../src/platform/embedded/ports.ts";
import { askOwner, databaseUrl } from "../database.ts";

const run = promisify(execFile);

const PROGRAMS = "/usr/lib/postgresql/15/bin";
const EXTENSION = "/usr/share/postgresql/15/extension/citus.control";
/** PostgreSQL does not run as root. */
const USER = "postgres";
/** Nobody asks for it, but an address has one. */
const PASSWORD = "nobody-asks-for-it";

export type Cluster = {
  /** The addresses of a superuser, the coordinator's first. */
  urls: string[];
  /** The processes that run the nodes, in that order. */
  pids: number[];
  stop(): Promise<void>;
};

/** Why no cluster can be started here, for people; undefined if one can. */
export function whyNoCitus(): string | undefined {
  if (!existsSync(join(PROGRAMS, "postgres")))
    return `${PROGRAMS} has no PostgreSQL (apt-get install postgresql-15)`;
  return existsSync(EXTENSION) ? undefined : `PostgreSQL 15 has no Citus: ${EXTENSION} is missing`;
}

/** Starts a cluster in a folder, with some settings of PostgreSQL. Every local connection is trusted. */
export async function startCluster(
  folder: string,
  workers: number,
  settings: Readonly<Record<string, string>>,
): Promise<Cluster> {
  const ports = await findFreePorts(workers + 1);
  const { uid, gid } = await idsOf(USER);
  await chmod(folder, 0o711);
  const home = join(folder, "cluster");
  await mkdir(home);
  await chown(home, uid, gid);
  const start = async (port: number) => {
    const data = join(home, `node-${port}`);
    await as(uid, gid, "initdb", [
      "-D",
      data,
      "-U",
      USER,
      "--auth=trust",
      "-E",
      "UTF8",
      "--locale=C",
      "--no-sync",
    ]);
    const lines = Object.entries({
      ...SETTINGS,
      unix_socket_directories: home,
      port: `${port}`,
      ...settings,
    });
    await writeFile(
      join(data, "postgresql.auto.conf"),
      lines.map(([name, value]) => `${name} = '${value}'\n`).join(""),
    );
    await as(uid, gid, "pg_ctl", ["-D", data, "-l", join(home, `${port}.log`), "-w", "start"]);
    return data;
  };
  const nodes = await Promise.all(ports.map(start));
  const pidOf = async (data: string) =>
    Number.parseInt(await readFile(join(data, "postmaster.pid"), "utf8"), 10);
  return {
    pids: await Promise.all(nodes.map(pidOf)),
    urls: ports.map((port) => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`),
    stop: async () => {
      await Promise.all(nodes.map((data) => as(uid, gid, "pg_ctl", ["-D", data, "-m", "immediate", "stop"])));
    },
  };
}

const SETTINGS = {
  shared_preload_libraries: "citus",
  listen_addresses: "127.0.0.1",
  max_connections: "500",
  max_prepared_transactions: "500",
  // Citus keeps a process for each database.
  max_worker_processes: "100",
  "citus.node_conninfo": "sslmode=prefer",
};

/** Makes an empty database with Citus on each node, and tells the coordinator of its workers. */
export async function makeClusterDatabase(urls: readonly string[], name: string): Promise<void> {
  for (const url of urls) {
    await askOwner(url, [`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`]);
    await askOwner(databaseUrl(name, url), ["CREATE EXTENSION citus"]);
  }
  const [coordinator, ...workers] = urls.map((url) => ({ url, port: new URL(url).port }));
  const at = databaseUrl(name, coordinator!.url);
  await askOwner(at, [
    `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator!.port})`,
    ...workers.map(({ port }) => `SELECT citus_add_node('127.0.0.1', ${port})`),
  ]);
}

async function idsOf(user: string): Promise<{ uid: number; gid: number }> {
  const [uid, gid] = await Promise.all(
    ["-u", "-g"].map(async (what) => Number((await run("id", [what, user])).stdout)),
  );
  return { uid: uid!, gid: gid! };
}

async function as(uid: number, gid: number, program: string, words: string[]): Promise<void> {
  const owner = process.getuid?.() === 0 ? { uid, gid } : {};
  await run(join(PROGRAMS, program), words, { ...owner, cwd: "/" });
}

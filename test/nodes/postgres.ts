// PostgreSQL 15 of Debian for tests of several nodes: a primary and its standbys, which a test kills and promotes.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chown, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { findFreePorts } from "../../src/platform/embedded/ports.ts";
import { numbered, type Scope } from "../sending.ts";
import { until } from "../testservice.ts";

const PROGRAMS = "/usr/lib/postgresql/15/bin";

/** For the options of a test: it is skipped, and says why, where PostgreSQL of Debian is not installed. */
export const needsPostgres = {
  skip: existsSync(join(PROGRAMS, "postgres")) ? false : "postgresql-15 of Debian is not installed",
};

// The folder of a test run is root's alone, and PostgreSQL does not run as root.
const FOLDER = "/tmp/atumpan-node-";
const USER = process.getuid?.() === 0 ? "postgres" : undefined;
const SUPERUSER = "postgres";

// A process that is killed loses nothing that it gave to the system.
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  fsync: "off",
  wal_keep_size: "256MB",
  wal_retrieve_retry_interval: "100ms",
};

const run = promisify(execFile);

/** The words of a command that runs as PostgreSQL's user, and ends when this process does. */
function asPostgres(program: string, words: readonly string[]): [command: string, words: string[]] {
  const user = USER ? [`--reuid=${USER}`, `--regid=${USER}`, "--init-groups"] : [];
  const path = program.includes("/") ? program : join(PROGRAMS, program);
  return ["setpriv", [...user, "--pdeathsig=QUIT", path, ...words]];
}

/** Starts a program as PostgreSQL's user, with what it prints in a file. Resolves to its process once it has one. */
export async function startAsPostgres(
  program: string,
  words: readonly string[],
  logFile: string,
  more: Settings = {},
) {
  const log = await open(logFile, "a");
  const env = { ...process.env, ...more };
  const child = spawn(...asPostgres(program, words), { env, stdio: ["ignore", log.fd, log.fd] });
  await once(child, "spawn");
  await log.close();
  return child;
}

/** Runs a program as PostgreSQL's user, to its end. Rejects with what it said if it fails. */
export function runAsPostgres(program: string, words: readonly string[], more: Settings = {}) {
  return run(...asPostgres(program, words), { env: { ...process.env, ...more } });
}

/** Makes a folder that PostgreSQL's user may write. It goes with `scope`. */
export async function folderOfPostgres(scope: Scope): Promise<string> {
  const folder = await mkdtemp(FOLDER);
  scope.after(() => rm(folder, { recursive: true, force: true }));
  await giveToPostgres(folder);
  return folder;
}

/** Lets PostgreSQL's user write a folder. */
export async function giveToPostgres(folder: string): Promise<void> {
  if (!USER) return;
  const ids = await Promise.all(["-u", "-g"].map((what) => run("id", [what, USER])));
  await chown(folder, Number(ids[0]!.stdout), Number(ids[1]!.stdout));
}

type Settings = Readonly<Record<string, string>>;

/** Starts a primary with an empty cluster: the superuser `postgres`, and no password for anybody. It ends with `scope`. */
export async function startPrimary(scope: Scope, settings: Settings = {}): Promise<PostgresNode> {
  const node = await PostgresNode.make(scope, "primary");
  const words = ["-D", node.data, "-U", SUPERUSER, "--auth=trust", "--locale=C", "--encoding=UTF8"];
  // pg_rewind needs the checksums.
  await run(...asPostgres("initdb", [...words, "--data-checksums", "--no-sync"]));
  await node.set({ ...SETTINGS, ...settings });
  await node.start();
  return node;
}

/** One server of a cluster: a primary, or a standby that streams from one. */
export class PostgresNode {
  /** By which `synchronous_standby_names` knows it. */
  readonly name: string;
  readonly port: number;
  readonly data: string;
  readonly #scope: Scope;
  readonly #logFile: string;
  #child: Awaited<ReturnType<typeof startAsPostgres>> | undefined;

  private constructor(scope: Scope, name: string, at: { port: number; folder: string }) {
    this.name = name;
    this.port = at.port;
    this.data = join(at.folder, "data");
    this.#scope = scope;
    this.#logFile = join(at.folder, "log");
  }

  /** A node without data that does not run yet. */
  static async make(scope: Scope, name: string): Promise<PostgresNode> {
    const folder = await folderOfPostgres(scope);
    const [port] = await findFreePorts(1);
    const node = new PostgresNode(scope, name, { port: port!, folder });
    scope.after(() => node.kill());
    return node;
  }

  /** `host:port`, as in an address of several hosts. */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** The address of a database here, for a login that needs no password. */
  url(database: string = SUPERUSER, login: string = SUPERUSER): string {
    return `postgres://${login}@${this.host}/${database}`;
  }

  /** Runs one statement as the superuser, and returns its rows. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into rows of every shape
  async run(text: string, database: string = SUPERUSER): Promise<any[]> {
    const client = new pg.Client({ connectionString: this.url(database), types: numbered });
    client.on("error", () => {}); // the query is rejected too
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Adds settings to the file of a server that does not run. They go on top of those before, and of those it copied. */
  async set(settings: Settings): Promise<void> {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${pg.escapeLiteral(value)}\n`);
    await writeFile(join(this.data, "postgresql.conf"), lines.join(""), { flag: "a" });
  }

  /** Starts the server on the data that it has, and waits until it answers. */
  async start(): Promise<void> {
    const words = ["-D", this.data, "-p", `${this.port}`, "-c", `cluster_name=${this.name}`];
    const child = await startAsPostgres("postgres", words, this.#logFile);
    this.#child = child;
    await until(async () => {
      if (child.exitCode !== null)
        throw new Error(`PostgreSQL ended:\n${readFileSync(this.#logFile, "utf8")}`);
      return this.run("SELECT")
        .then(() => true)
        .catch(() => false);
    });
  }

  /** Adds a standby with a copy of this server's data, and waits until it streams. */
  async addStandby(name: string, settings: Settings = {}): Promise<PostgresNode> {
    const standby = await PostgresNode.make(this.#scope, name);
    const from = ["-d", `host=127.0.0.1 port=${this.port} user=${SUPERUSER}`];
    const words = ["-D", standby.data, ...from, "-R", "-X", "stream", "--checkpoint=fast", "--no-sync"];
    await run(...asPostgres("pg_basebackup", words));
    await standby.set(settings);
    await standby.start();
    await this.untilStreaming(name);
    return standby;
  }

  /** Waits until this standby has replayed all that its primary has written by now. */
  async untilLevelWith(primary: PostgresNode): Promise<void> {
    const [{ lsn }] = await primary.run("SELECT pg_current_wal_lsn()::text AS lsn");
    const replayed = `SELECT pg_last_wal_replay_lsn() >= ${pg.escapeLiteral(lsn)}::pg_lsn AS is_level`;
    await until(async () => (await this.run(replayed))[0].is_level);
  }

  /** Starts this server on data that was restored, and waits until it takes writes. */
  async recover(): Promise<void> {
    await this.start();
    await this.#untilPrimary();
  }

  /** Waits until a standby of this name streams from this server. */
  async untilStreaming(name: string): Promise<void> {
    const streaming = `SELECT FROM pg_stat_replication WHERE application_name = '${name}' AND state = 'streaming'`;
    await until(async () => (await this.run(streaming)).length === 1);
  }

  /** Names the standbys that a COMMIT waits for, and waits until they are that. Nobody: an empty text. */
  async setSynchronous(names: string): Promise<void> {
    await this.run(`ALTER SYSTEM SET synchronous_standby_names = ${pg.escapeLiteral(names)}`);
    await this.run("SELECT pg_reload_conf()");
    const agreed = `SELECT FROM pg_settings WHERE name = 'synchronous_standby_names' AND setting = ${pg.escapeLiteral(names)}`;
    await until(async () => (await this.run(agreed)).length === 1);
    const waitedFor = "SELECT FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')";
    if (names) await until(async () => (await this.run(waitedFor)).length > 0);
  }

  /** Makes a standby the primary, and waits until it takes writes. */
  async promote(): Promise<void> {
    await this.run("SELECT pg_promote(true, 60)");
    await this.#untilPrimary();
  }

  async #untilPrimary(): Promise<void> {
    await until(
      async () => (await this.run("SELECT pg_is_in_recovery() AS is_standby"))[0].is_standby === false,
    );
  }

  /** Shuts the server down in order, as an administrator does: its connections are ended. */
  async stop(): Promise<void> {
    await this.#end("SIGINT");
  }

  /** Kills the server and all of its processes at once, as the loss of its machine does. Safe to call twice. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async #end(signal: "SIGINT" | "SIGKILL"): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    if (signal === "SIGKILL") await killWithChildren(child.pid!);
    else child.kill(signal);
    await gone;
  }

  /** Makes this server, which has ended, a standby of another one. What only it had is thrown away (pg_rewind). */
  async follow(primary: PostgresNode): Promise<void> {
    const conninfo = `host=127.0.0.1 port=${primary.port} user=${SUPERUSER}`;
    await primary.run("CHECKPOINT"); // so that its control file names the new timeline
    await run(
      ...asPostgres("pg_rewind", [
        "-D",
        this.data,
        "--source-server",
        `${conninfo} dbname=${SUPERUSER}`,
        "--no-sync",
      ]),
    );
    await writeFile(join(this.data, "standby.signal"), "");
    // It has a copy of the primary's settings now, and waits for no standby until a test says so.
    const lines = `primary_conninfo = '${conninfo}'\nsynchronous_standby_names = ''\n`;
    await writeFile(join(this.data, "postgresql.auto.conf"), lines, { flag: "a" });
    await this.start();
    await primary.untilStreaming(this.name);
  }
}

/** Kills a PostgreSQL server and all of its processes at once, and waits until they are gone. Safe where none is. */
export async function killWithChildren(parent: number): Promise<void> {
  const pids = withChildren(parent);
  for (const pid of pids) killIfThere(pid);
  await until(() => pids.every(isGone));
}

/** Whether a process has ended, even if nobody has asked yet how. */
function isGone(pid: number): boolean {
  return !existsSync(`/proc/${pid}`) || /^State:\tZ/m.test(statusOf(pid));
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "State:\tZ"; // it has just ended
  }
}

/** A process, and those that it has started and that live. */
export function withChildren(parent: number): number[] {
  return [parent, ...childrenOf(parent)];
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    // The name of the program stands in parentheses, and may contain blanks.
    return Number(
      readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ")[1],
    );
  } catch {
    return undefined; // it has just ended
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

// The embedded PostgreSQL: a real server in the data folder. It is monitored and restarted, and never runs twice.
import type { ChildProcess } from "node:child_process";
import { open, readFile, realpath, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { closeClient, openClient } from "../database/connection.ts";
import { Hosts } from "../database/hosts.ts";
import { makeFolder, newKey } from "../secrets/secrets.ts";
import {
  createCluster,
  findPostmaster,
  killIfThere,
  killOrphanedBackends,
  listSettings,
  MODEST,
  removeUnfinished,
  shutDown,
} from "./cluster.ts";
import { findFreePorts } from "./ports.ts";
import { findPrograms, type Programs } from "./programs.ts";

export type EmbeddedOptions = {
  /** The data folder. It is created if it does not exist. Everything goes into its subfolder `postgres`. */
  dataDir: string;
  /** A log with the methods of pino. */
  log: Record<"info" | "warn" | "error", (fields: object, message: string) => void>;
  /** Called when PostgreSQL has ended and cannot be restarted. The caller should end the process. */
  onExit?: (error: Error) => void;
  /** Aborts when the process should end. A start in progress then stops what it has begun, and throws. */
  ending?: AbortSignal;
  /** False only in tests, because a power cut then loses data. */
  fsync?: boolean;
  /** PostgreSQL settings on top of ours, by name. */
  settings?: Readonly<Record<string, string>>;
};

export type Embedded = {
  /** The URL of the service's database, with a login that owns nothing. Restarts of PostgreSQL do not change it. */
  readonly url: string;
  /** The same with the superuser, who runs the migrations. */
  readonly ownerUrl: string;
  /** How often PostgreSQL was restarted since `startEmbedded`. */
  readonly restartCount: number;
  /** Shuts down in bounded time; safe to call more than once. */
  stop(): Promise<void>;
};

/** Another running service uses this data folder. */
export class DataFolderInUse extends Error {
  override name = "DataFolderInUse";
}

const DATABASE = "atumpan";
const OWNER = { user: "postgres", file: "password" };
/** The login of the service. `rights.ts` defines its rights. */
const SERVICE = { user: "atumpan", file: "service-password" };
// The holder of this session lock owns the data folder. The service has no other lock in the database `postgres`.
const OWNER_LOCK = 1;
// The session of a killed service holds the lock until PostgreSQL notices.
const LOCK_WAIT_MS = 1_000;
const LOCK_NOT_AVAILABLE = "55P03";
const POLL_MS = 10;
const START_LIMIT_MS = 600_000; // recovery after a power cut reads up to max_wal_size
const START_TRIES = 5;
const ORPHAN_LIMIT_MS = 60_000;
// The slowest statement of the owner's connection is CREATE DATABASE.
const OWNER_ANSWER_MS = 60_000;
const MEND_TRIES = 240;
const PAUSE_MS = 250;
const RESTARTS_AT_MOST = 5;
const RESTARTS_WINDOW_MS = 60_000;
const LOG_BYTES_AT_MOST = 10_000_000;

/**
 * Starts PostgreSQL on `dataDir/postgres`. The first start creates the cluster and takes 0.9 s; later ones take 0.05 s
 * (2 cores, 2026-11-21). It first stops a server that a killed process left behind. Throws `DataFolderInUse` while
 * another service uses the folder, and an `Error` with the remedy if PostgreSQL cannot run here.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  makeFolder(resolve(options.dataDir));
  const home = join(await realpath(options.dataDir), "postgres");
  const programs = await findPrograms(home);
  await createCluster(home, programs, options.fsync ?? true);
  const server = new Server(home, programs, options);
  await server.start();
  await removeUnfinished(home);
  return server;
}

/** Returns the URL of the embedded database that runs on `dataDir`, even in another process. Undefined if none runs. */
export async function findEmbedded(dataDir: string): Promise<string | undefined> {
  return findAddress(dataDir, SERVICE);
}

/** Returns the URL with the superuser. */
export async function findOwnerUrl(dataDir: string): Promise<string | undefined> {
  return findAddress(dataDir, OWNER);
}

async function findAddress(dataDir: string, login: typeof OWNER): Promise<string | undefined> {
  const home = join(await realpath(dataDir).catch(() => dataDir), "postgres");
  const found = await findPostmaster(join(home, "cluster"));
  if (!found?.ready) return undefined;
  const password = await readFile(join(home, login.file), "utf8");
  return embeddedUrl(login.user, password, found.port, DATABASE);
}

function embeddedUrl(user: string, password: string, port: number, database: string): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
}

class Server implements Embedded {
  readonly #home: string;
  readonly #cluster: string;
  readonly #programs: Programs;
  readonly #options: EmbeddedOptions;
  #password = "";
  #servicePassword = "";
  #port = 0;
  #child: ChildProcess | undefined;
  #owner: pg.Client | undefined;
  #mending: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  #restartedAt: number[] = [];
  /** Whether a start failed, so that the next one uses less memory. */
  #isModest = false;
  restartCount = 0;

  constructor(home: string, programs: Programs, options: EmbeddedOptions) {
    this.#home = home;
    this.#cluster = join(home, "cluster");
    this.#programs = programs;
    this.#options = options;
  }

  get url(): string {
    return embeddedUrl(SERVICE.user, this.#servicePassword, this.#port, DATABASE);
  }

  get ownerUrl(): string {
    return this.#address(this.#port, DATABASE);
  }

  #address(port: number, database: string): string {
    return embeddedUrl(OWNER.user, this.#password, port, database);
  }

  /** Stops the server of a dead process, then starts ours. Retries, because a start may lose a race. */
  async start(): Promise<void> {
    this.#password = await readFile(join(this.#home, OWNER.file), "utf8");
    await limitLog(join(this.#home, "log"));
    for (let tries = 1; ; tries++) {
      await this.#stopOrphan();
      // Another program may take the port before us. The start is then retried.
      [this.#port = 0] = await findFreePorts(1);
      try {
        await this.#launch();
        break;
      } catch (error) {
        const ending = this.#options.ending?.aborted;
        if (error instanceof DataFolderInUse || tries >= START_TRIES || ending) throw error;
        this.#options.log.warn({ err: error, tries }, "PostgreSQL did not start, trying again");
        this.#isModest = true;
        await sleep(PAUSE_MS);
      }
    }
    await this.#admitService();
  }

  /** Stops the server of a dead process. That server's lock shows whether its owner is dead. */
  async #stopOrphan(): Promise<void> {
    for (const deadline = performance.now() + ORPHAN_LIMIT_MS; ; await sleep(POLL_MS)) {
      const found = await findPostmaster(this.#cluster);
      if (!found) return;
      this.#options.ending?.throwIfAborted();
      if (performance.now() > deadline) {
        throw new Error(
          `PostgreSQL (pid ${found.pid}) was left in ${this.#cluster} and neither starts nor stops`,
        );
      }
      // A server that is starting or stopping refuses us or breaks the connection. The loop then checks again.
      const lock = found.ready && (await this.#lockFolder(found.port, LOCK_WAIT_MS).catch(ignoreUnlessInUse));
      if (!lock) continue;
      // We hold the lock until that server is gone, so any other service is refused.
      this.#options.log.warn({ pid: found.pid }, "stopping the PostgreSQL that a killed process left");
      const isGone = async () => (await findPostmaster(this.#cluster))?.pid !== found.pid;
      await shutDown((signal) => killIfThere(found.pid, signal), isGone);
    }
  }

  /** Starts PostgreSQL on our port, waits until it is ready, and takes the lock that makes the folder ours. */
  async #launch(): Promise<void> {
    const log = await open(join(this.#home, "log"), "a", 0o600);
    const { size } = await log.stat();
    const settings = {
      ...listSettings(this.#port, this.#options.fsync ?? true),
      ...this.#options.settings,
      ...(this.#isModest && MODEST),
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = this.#programs.spawn(
      "postgres",
      ["-D", this.#cluster, ...args],
      ["ignore", log.fd, log.fd],
    );
    child.on("error", (error) => this.#options.log.error({ err: error }, "cannot run PostgreSQL"));
    this.#child = child;
    // A process that exits abruptly leaves no server behind. The next start recovers, as after a power cut.
    const leaveNothing = () => void child.kill("SIGQUIT");
    process.once("exit", leaveNothing);
    child.once("exit", () => process.off("exit", leaveNothing));
    await log.close();
    try {
      await this.#waitUntilReady(child, size);
      this.#owner = await this.#lockFolder(this.#port, 1);
    } catch (error) {
      // If a faster service locked our server, it stops it as an orphan. After any other failure we clean up.
      if (error instanceof DataFolderInUse) child.unref();
      else {
        await end(child);
        await killOrphanedBackends(this.#cluster);
      }
      throw error;
    }
    child.once("exit", () => this.#mend());
  }

  /** Creates the service's login, with a password of its own. An older installation gets both. */
  async #admitService(): Promise<void> {
    const file = join(this.#home, SERVICE.file);
    const known = await readFile(file, "utf8").catch(() => undefined);
    this.#servicePassword = known || newKey("");
    if (!known) await writeFile(file, this.#servicePassword, { mode: 0o600 });
    const made = await this.#owner!.query(`SELECT FROM pg_roles WHERE rolname = '${SERVICE.user}'`);
    await this.#owner!.query(
      `${made.rowCount === 0 ? "CREATE" : "ALTER"} ROLE ${SERVICE.user} LOGIN NOINHERIT PASSWORD '${this.#servicePassword}'`,
    );
  }

  async #waitUntilReady(child: ChildProcess, logSize: number): Promise<void> {
    const deadline = performance.now() + START_LIMIT_MS;
    for (;;) {
      if (hasExited(child)) {
        const said = (await readFile(join(this.#home, "log"))).subarray(logSize).toString().trim();
        throw new Error(`PostgreSQL did not start: ${said || "no output"}`);
      }
      const found = await findPostmaster(this.#cluster);
      if (found?.ready && found.pid === child.pid) return;
      this.#options.ending?.throwIfAborted();
      if (this.#stopped || performance.now() > deadline) throw new Error("PostgreSQL did not become ready");
      await sleep(POLL_MS);
    }
  }

  /**
   * Connects and takes the owner's lock, which lasts as long as the connection. Creates the service's database if it is
   * missing. Throws `DataFolderInUse`.
   */
  async #lockFolder(port: number, waitMs: number): Promise<pg.Client> {
    const client = await openClient(new Hosts(this.#address(port, "postgres")), "atumpan-owner", {
      answerMs: OWNER_ANSWER_MS,
    });
    client.once("end", () => {
      if (this.#owner === client) this.#mend();
    });
    try {
      await client.query(
        `SET lock_timeout = ${waitMs}; SELECT pg_advisory_lock(${OWNER_LOCK}); RESET lock_timeout`,
      );
      const made = await client.query(`SELECT FROM pg_database WHERE datname = '${DATABASE}'`);
      if (made.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
      return client;
    } catch (error) {
      await closeClient(client);
      if ((error as pg.DatabaseError).code !== LOCK_NOT_AVAILABLE) throw error;
      throw new DataFolderInUse(
        `the data folder ${dirname(this.#home)} is in use by a running service: ` +
          "stop it first, or set DATA_DIR to another folder",
      );
    }
  }

  /** Restores PostgreSQL and the owner's connection, on the same port, after one of them has ended. */
  #mend(): void {
    if (this.#stopped || this.#mending) return;
    this.#mending = this.#tryToMend()
      .catch((error: Error) => {
        if (this.#stopped) return;
        this.#options.log.error({ err: error }, "PostgreSQL is gone and does not come back");
        this.#options.onExit?.(error);
      })
      .finally(() => {
        this.#mending = undefined;
      });
  }

  async #tryToMend(): Promise<void> {
    this.#restartedAt = this.#restartedAt.filter((at) => at > performance.now() - RESTARTS_WINDOW_MS);
    if (this.#restartedAt.length >= RESTARTS_AT_MOST) throw new Error("PostgreSQL stops repeatedly");
    for (let tries = 1; !this.#stopped; tries++) {
      try {
        if (!hasExited(this.#child)) {
          this.#owner = await this.#lockFolder(this.#port, LOCK_WAIT_MS);
          return;
        }
        await this.#launch();
        return this.#countRestart();
      } catch (error) {
        if (error instanceof DataFolderInUse || tries >= MEND_TRIES) throw error;
        if (tries === 1) this.#options.log.warn({ err: error }, "PostgreSQL is not back yet, trying again");
        await sleep(PAUSE_MS);
      }
    }
  }

  #countRestart(): void {
    this.restartCount++;
    this.#restartedAt.push(performance.now());
    this.#options.log.warn({ restartCount: this.restartCount }, "PostgreSQL had ended and was started again");
  }

  /**
   * Ends all sessions, writes everything and stops. If that takes too long it kills PostgreSQL, and the next start
   * recovers.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopOnce();
    return this.#stopped;
  }

  async #stopOnce(): Promise<void> {
    await this.#mending;
    if (this.#owner) await closeClient(this.#owner);
    if (this.#child) await end(this.#child);
  }
}

async function limitLog(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found && found.size > LOG_BYTES_AT_MOST) await rename(file, `${file}.old`);
}

function hasExited(child: ChildProcess | undefined): boolean {
  return child?.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

async function end(child: ChildProcess): Promise<void> {
  const kill = (signal: NodeJS.Signals) => void child.kill(signal);
  await shutDown(kill, () => hasExited(child));
}

function ignoreUnlessInUse(error: Error): undefined {
  if (error instanceof DataFolderInUse) throw error;
}

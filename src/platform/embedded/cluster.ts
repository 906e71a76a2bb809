// The cluster of the embedded PostgreSQL: its folder, its settings, and a server that may already run on it.
import { randomBytes } from "node:crypto";
import { chown, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Programs } from "./programs.ts";
import { databaseCacheMib } from "./systemmemory.ts";

/** A running server, as its `postmaster.pid` describes it. */
export type Postmaster = { pid: number; port: number; ready: boolean };

const FAST_STOP_MS = 5_000;
const IMMEDIATE_STOP_MS = 2_000;
const KILL_MS = 1_000;
const POLL_MS = 10;

/**
 * Creates the cluster at `home` with a random password, unless it exists. It creates the cluster in another folder and
 * then renames that folder, so that `home` never holds an incomplete cluster.
 */
export async function createCluster(home: string, programs: Programs, fsync: boolean): Promise<void> {
  if (await exists(home)) return;
  const fresh = await mkdtemp(`${home}.new-`);
  try {
    const password = join(fresh, "password");
    await writeFile(password, randomBytes(24).toString("base64url"), { mode: 0o600 });
    if (programs.owner) {
      for (const path of [fresh, password]) await chown(path, programs.owner.uid, programs.owner.gid);
    }
    const output: Buffer[] = [];
    const initdb = programs.spawn(
      "initdb",
      [
        ...["-D", join(fresh, "cluster"), "-U", "postgres", `--pwfile=${password}`, "--auth=scram-sha-256"],
        // Bytewise order is the fastest and the same on every machine. Lists for people are sorted by "und-x-icu".
        ...["--encoding=UTF8", "--locale=C", "--data-checksums"],
        // All commits wait while a new file of the WAL is filled with zeros and flushed: 60 ms for the usual 16 MB.
        // Beside a campaign, the p99 of one-time passwords was 59 ms with those and 34 to 45 ms with 4 MB (2026-11-28).
        "--wal-segsize=4",
        ...(fsync ? [] : ["--no-sync"]),
      ],
      ["ignore", "pipe", "pipe"],
    );
    for (const stream of [initdb.stdout, initdb.stderr])
      stream?.on("data", (chunk: Buffer) => output.push(chunk));
    const code = await new Promise((resolve) => {
      initdb.once("error", (error) => resolve(error.message)).once("close", resolve);
    });
    if (code !== 0) throw new Error(`initdb failed (${code}): ${Buffer.concat(output).toString().trim()}`);
    await rename(fresh, home);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // Another service that started on the empty folder at the same time may have created its cluster first.
    if (!(await exists(home))) throw error;
  }
}

/** The settings for the next start if the system does not grant the memory for the usual ones. */
export const MODEST = { shared_buffers: "64MB" };

/** Removes the unfinished clusters that killed starts left beside `home`. Only the owner of the folder may call it. */
export async function removeUnfinished(home: string): Promise<void> {
  for (const name of await readdir(dirname(home))) {
    if (!name.startsWith(`${basename(home)}.new-`)) continue;
    // Another first start in progress fails because of this, finds our cluster, and is refused, which is right.
    await rm(join(dirname(home), name), { recursive: true, force: true }).catch(() => {});
  }
}

/** The settings of each start. They are on the command line, so that they always suit the program's version. */
export function listSettings(port: number, fsync: boolean): Record<string, string> {
  return {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "", // no lock files in /tmp, no path limit of 107 bytes
    max_connections: "60", // two pools, jobs, locks, and a person with psql
    shared_buffers: `${databaseCacheMib()}MB`,
    max_parallel_workers_per_gather: "0", // short statements only; Docker's /dev/shm is 64 MB
    random_page_cost: "1.1", // solid-state disks
    jit: "off", // costs more than it gives on statements of milliseconds
    // The product promises that every accepted message is an fsynced commit. Without fsync, as in tests, a commit still
    // reaches the system before it is answered, so that only a power cut loses it.
    synchronous_commit: "on",
    fsync: fsync ? "on" : "off",
    full_page_writes: fsync ? "on" : "off",
    // Checkpoints are far apart, because after each one the next change of a page writes the full page to the WAL.
    max_wal_size: "2GB",
    // So many files of the WAL are used again instead of making new ones, also after a quiet night.
    min_wal_size: "1GB",
    checkpoint_timeout: "15min",
    // Compression makes those pages smaller: after a checkpoint pgbench wrote 64 MB of WAL instead of 250, and was 8 to
    // 20 % faster (2 cores, 2026-11-21). This build has neither lz4 nor zstd.
    wal_compression: "pglz",
    // Queue tables replace all of their rows many times a day, so vacuum runs often, in small and fast rounds.
    autovacuum_naptime: "15s",
    autovacuum_vacuum_scale_factor: "0.02",
    autovacuum_vacuum_insert_scale_factor: "0.05",
    autovacuum_analyze_scale_factor: "0.02",
    autovacuum_vacuum_cost_limit: "1000",
    // The log is about the server itself, and never contains a statement or its values. Statement errors quote values:
    // they reach the client, which knows what to hide. `terse` drops DETAIL and STATEMENT.
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_statement: "none",
    log_parameter_max_length: "0",
    log_parameter_max_length_on_error: "0",
    log_error_verbosity: "terse",
    log_checkpoints: "off",
    log_autovacuum_min_duration: "-1",
  };
}

/** Returns the cluster's live server by its `postmaster.pid`, if any. Removes a file that names another process. */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const file = join(cluster, "postmaster.pid");
  const lines = (await readFile(file, "utf8").catch(ignoreMissing))?.split("\n");
  const pid = Number(lines?.[0]);
  if (!lines || !pid) return undefined;
  if (await isPostmaster(pid, cluster))
    return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === "ready" };
  // PostgreSQL itself replaces the file of a dead server, unless a zombie, a thread or another program has its number
  // (usual in a container that was killed). Shared memory keeps two servers apart even without the file.
  if (processExists(pid)) await rm(file, { force: true });
  return undefined;
}

async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  if (process.platform !== "linux") return processExists(pid);
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(ignoreMissing);
  return commandLine?.split("\0").includes(cluster) ?? false;
}

function processExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Kills the backends that a dead server left. An idle backend ends by itself. A busy one notices late and holds the
 * shared memory until then, so that PostgreSQL refuses to start.
 */
export async function killOrphanedBackends(cluster: string): Promise<void> {
  if (process.platform !== "linux") return;
  const { uid } = await stat(cluster);
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const title = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(ignoreMissing);
    if (!title?.startsWith("postgres: ")) continue;
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(ignoreMissing);
    const [, parent, owner] = /^PPid:\s*(\d+)$[\s\S]*^Uid:\s*(\d+)/m.exec(status ?? "") ?? [];
    if (!parent || Number(owner) !== uid) continue;
    // A backend whose parent is not a server is orphaned, whatever its cluster is. This reads only the public part of
    // /proc, because in a container even root may not see more of another user's process.
    const name = await readFile(`/proc/${parent}/comm`, "utf8").catch(ignoreMissing);
    if (name?.trim() !== "postgres") killIfThere(Number(pid), "SIGKILL");
  }
}

/** Stops the server by signals: a fast stop, then an immediate stop (without a last checkpoint), then SIGKILL. */
export async function shutDown(
  kill: (signal: NodeJS.Signals) => void,
  isGone: () => boolean | Promise<boolean>,
): Promise<void> {
  const steps = [
    ["SIGINT", FAST_STOP_MS],
    ["SIGQUIT", IMMEDIATE_STOP_MS],
    ["SIGKILL", KILL_MS],
  ] as const;
  for (const [signal, limitMs] of steps) {
    if (await isGone()) return;
    kill(signal);
    for (const deadline = performance.now() + limitMs; performance.now() < deadline; await sleep(POLL_MS)) {
      if (await isGone()) return;
    }
  }
}

/** Sends the signal, unless the process has ended meanwhile. */
export function killIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ESRCH") throw error;
}

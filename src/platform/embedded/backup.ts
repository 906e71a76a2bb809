// Backups of the embedded database: PostgreSQL's own base backup in a folder, and restoring it.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import {
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { now } from "../clock.ts";
import { findPostmaster, removeUnfinished } from "./cluster.ts";
import { DataFolderInUse, type EmbeddedOptions, findOwnerUrl, startEmbedded } from "./embedded.ts";
import { findPrograms, type User } from "./programs.ts";

const ARCHIVE = "base.tar.gz";
const MANIFEST = "backup_manifest";
const PASSWORD = "password";

/**
 * Writes a backup of the database in `dataDir` into `folder`, which must not exist. The service may be running. Returns
 * the size in bytes. PostgreSQL writes it, with the WAL that makes it consistent (Base Backup Protocol, `BASE_BACKUP`).
 */
export async function backUpEmbedded(options: EmbeddedOptions, folder: string): Promise<number> {
  const home = join(await realpath(options.dataDir), "postgres");
  const running = await findOwnerUrl(options.dataDir);
  if (running) return writeBackup(home, running, folder);
  const server = await startEmbedded(options);
  try {
    return await writeBackup(home, server.ownerUrl, folder);
  } finally {
    await server.stop();
  }
}

async function writeBackup(home: string, ownerUrl: string, folder: string): Promise<number> {
  await mkdir(folder, { mode: 0o700 });
  // PostgreSQL runs as a user who may write only in its own folder.
  const { owner } = await findPrograms(home);
  const written = await mkdtemp(join(home, "backup-"));
  try {
    if (owner) await chown(written, owner.uid, owner.gid);
    await askForBackup(ownerUrl, join(written, "files"));
    for (const name of [ARCHIVE, MANIFEST]) await moveInto(folder, join(written, "files", name), name, owner);
    await moveInto(folder, join(home, PASSWORD), PASSWORD, owner);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  } finally {
    await rm(written, { recursive: true, force: true });
  }
  return (await stat(join(folder, ARCHIVE))).size;
}

async function askForBackup(ownerUrl: string, target: string): Promise<void> {
  await runStatement(
    { connectionString: ownerUrl, replication: "true" },
    `BASE_BACKUP (LABEL 'atumpan', CHECKPOINT 'fast', WAL true, COMPRESSION 'gzip', MANIFEST 'yes',
     MANIFEST_CHECKSUMS 'SHA256', TARGET 'server', TARGET_DETAIL ${pg.escapeLiteral(target)})`,
  );
}

/** Runs one statement on a connection of its own. */
async function runStatement<Row extends pg.QueryResultRow>(
  settings: pg.ClientConfig & { replication?: string },
  statement: string,
): Promise<Row[]> {
  const client = new pg.Client(settings);
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Copies a file into a folder of the user who runs this process. */
async function moveInto(folder: string, from: string, name: string, owner: User | undefined): Promise<void> {
  const to = join(folder, name);
  await cp(from, to);
  if (owner && process.getuid && process.getgid) await chown(to, process.getuid(), process.getgid());
}

/**
 * Replaces the database in `dataDir` by a backup; the old one is kept beside it. The service must not run. Returns the
 * path of the old one; undefined: there was none. The database begins a new timeline, so that the service holds sending
 * until an administrator decides. Throws `DataFolderInUse`, and an `Error` that says what is wrong with the backup.
 */
export async function restoreEmbedded(options: EmbeddedOptions, folder: string): Promise<string | undefined> {
  const from = resolve(folder);
  await mkdir(options.dataDir, { recursive: true });
  const home = join(await realpath(options.dataDir), "postgres");
  await assertStopped(options.dataDir, home);
  const fresh = await mkdtemp(`${home}.new-`);
  try {
    const timeline = await unpack(from, fresh, (await findPrograms(home)).owner);
    await recover(options, fresh, timeline);
    await assertStopped(options.dataDir, home);
    const kept = await setAside(home);
    await rename(join(fresh, "postgres"), home);
    await removeUnfinished(home);
    return kept;
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

async function assertStopped(dataDir: string, home: string): Promise<void> {
  if (await findPostmaster(join(home, "cluster")))
    throw new DataFolderInUse(`the data folder ${dataDir} is in use by a running service: stop it first`);
}

/**
 * Lets PostgreSQL recover the database in `dataDir` from the WAL in its backup: there is no archive. This happens
 * before the database is put in its place: if PostgreSQL is stopped after it deleted `recovery.signal` and before its
 * checkpoint, it continues in the timeline of the backup, and nothing would hold sending. As a hot standby it would be
 * ready before it has recovered, refuse us as read-only, and be stopped: that happened in 24 of 90 restores, and 2 of
 * them ended in the timeline of the backup (2026-11-27).
 */
async function recover(options: EmbeddedOptions, dataDir: string, before: number): Promise<void> {
  const settings = { restore_command: "exit 1", hot_standby: "off" };
  const server = await startEmbedded({ ...options, dataDir, settings });
  try {
    const timeline = await readTimeline(server.ownerUrl);
    if (timeline <= before)
      throw new Error(`the recovery was interrupted in timeline ${timeline}: restore the backup again`);
  } finally {
    await server.stop();
  }
}

async function readTimeline(ownerUrl: string): Promise<number> {
  const statement = "SELECT timeline_id AS timeline FROM pg_control_checkpoint()";
  const [row] = await runStatement<{ timeline: number }>({ connectionString: ownerUrl }, statement);
  return row!.timeline;
}

/** Creates a cluster from a backup, which starts with recovery from an archive. Returns the backup's timeline. */
async function unpack(from: string, fresh: string, owner: User | undefined): Promise<number> {
  for (const name of [PASSWORD, ARCHIVE, MANIFEST])
    if (!existsSync(join(from, name)))
      throw new Error(`${from} is not a backup of the embedded database: it has no file ${name}`);
  const home = join(fresh, "postgres");
  const cluster = join(home, "cluster");
  await mkdir(cluster, { recursive: true, mode: 0o700 });
  await cp(join(from, PASSWORD), join(home, PASSWORD));
  await runTar(["-xzf", join(from, ARCHIVE), "-C", cluster]);
  const manifest = await readManifest(from);
  await verify(manifest, cluster);
  await writeFile(join(cluster, "recovery.signal"), "");
  if (owner)
    for (const name of ["", ...(await readdir(fresh, { recursive: true }))])
      await chown(join(fresh, name), owner.uid, owner.gid);
  return Math.max(...manifest["WAL-Ranges"].map(({ Timeline }) => Timeline));
}

async function runTar(args: readonly string[]): Promise<void> {
  const tar = spawn("tar", args, { stdio: ["ignore", "ignore", "pipe"] });
  const said: Buffer[] = [];
  tar.stderr.on("data", (chunk: Buffer) => said.push(chunk));
  const code = await new Promise((done) => {
    tar.once("error", (error) => done(error.message)).once("close", done);
  });
  if (code !== 0)
    throw new Error(`the backup cannot be unpacked (${code}): ${Buffer.concat(said).toString().trim()}`);
}

type Manifest = {
  Files: { Path: string; Size: number; Checksum: string }[];
  "WAL-Ranges": { Timeline: number }[];
};

/** Compares each file with the manifest that PostgreSQL wrote with the backup. */
async function verify(manifest: Manifest, cluster: string): Promise<void> {
  for (const { Path, Checksum } of manifest.Files) {
    const hash = createHash("sha256");
    await pipeline(createReadStream(join(cluster, Path)), hash);
    if (hash.digest("hex") !== Checksum)
      throw new Error(`the backup is damaged: ${Path} does not match its manifest`);
  }
}

async function readManifest(from: string): Promise<Manifest> {
  const text = await readFile(join(from, MANIFEST), "utf8");
  try {
    return JSON.parse(text) as Manifest;
  } catch (error) {
    throw new Error("the backup is damaged: its manifest cannot be read", { cause: error });
  }
}

/** Returns a folder name with the time, such as `2026-11-25T02-00-00-000Z`. */
export function nameOfNow(): string {
  return now().toISOString().replaceAll(/[:.]/g, "-");
}

/** Moves the current database away, if any; returns its new path. */
async function setAside(home: string): Promise<string | undefined> {
  const kept = `${home}.before-${nameOfNow()}`;
  try {
    await rename(home, kept);
    return kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return undefined;
  }
}

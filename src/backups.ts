// `npm run backup` and `npm run restore`: copies the embedded database to a folder, and back.
import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { backUpEmbedded, nameOfNow, restoreEmbedded } from "./platform/embedded/backup.ts";
import { openLog } from "./platform/log.ts";

const USAGE = `npm run backup                  writes a backup to DATA_DIR/backups
npm run backup -- <folder>      writes it to a new folder
npm run restore -- <folder>     replaces the database with a backup; the service must be stopped`;

const { DATABASE_URL, DATA_DIR = "./data" } = process.env;
const options = { dataDir: DATA_DIR, log: openLog("warn") };

async function run(command: string | undefined, folder: string | undefined): Promise<string> {
  if (DATABASE_URL)
    throw new Error(
      "DATABASE_URL is set: these commands are for the embedded database. docs/operations.md explains how to back up another database.",
    );
  if (command === "backup") return backUp(folder ?? join(DATA_DIR, "backups", nameOfNow()));
  if (command === "restore" && folder !== undefined) return restore(folder);
  throw new Error(USAGE);
}

async function backUp(folder: string): Promise<string> {
  await mkdir(dirname(resolve(folder)), { recursive: true });
  const bytes = await backUpEmbedded(options, resolve(folder));
  return `The backup is in ${resolve(folder)} (${Math.ceil(bytes / 1_000_000)} MB).
Keep a copy of secrets.json elsewhere: without its masterKey the sealed values of a backup cannot be decrypted.`;
}

async function restore(folder: string): Promise<string> {
  const kept = await restoreEmbedded(options, folder);
  return `${resolve(folder)} is restored.${kept === undefined ? "" : `\nThe previous database is in ${kept}: delete it when you no longer need it.`}
After the next start, nothing is sent until an administrator decides at /admin/recovery what to do with the queued messages.`;
}

try {
  console.log(await run(process.argv[2], process.argv[3]));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

// Migrations: applies the SQL files of `migrations/` to a database, in order, each once, forward only.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { distribute, ONE_CONNECTION } from "./citus.ts";
import { closeClient, openClient } from "./connection.ts";
import { Hosts } from "./hosts.ts";
import {
  EVERY_ACCOUNT,
  type LoginRights,
  loginOf,
  mendOwner,
  readRights,
  SERVICE_ROLE,
  settleRights,
} from "./rights.ts";

/** The database and the program do not fit together, or a file failed. The message is for the operator. */
export class MigrationError extends Error {
  override name = "MigrationError";
}

type Migration = { number: number; name: string; sql: string; checksum: string };
type Applied = { number: number; name: string; checksum: string };

const FOLDER = join(import.meta.dirname, "../../../migrations");
const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/;

// The number of the lock is "migr" in ASCII. Nothing else in this database may use it.
const LOCK = 0x6d696772;

// While a migration waits for a busy table, every later statement on that table waits behind it. So it fails after this
// time, is rolled back, and can be started again.
const LOCK_TIMEOUT_MS = 15_000;

// This limit is long, because a machine that is just starting is slow and the process can do nothing without its
// database.
const CONNECT_MS = 30_000;

// The limit for one file on a large database, and for the wait while another node applies one.
const FILE_MS = 3_600_000;

/**
 * Applies the missing files, then updates the rights of the service, which connects as `login`, and distributes new
 * tables over Citus workers. Each file runs in its own transaction together with its row in `schema_migrations`; nodes
 * that start at once take turns. A login that does not own the tables only checks that all files are applied. Throws
 * `MigrationError` if an applied file was changed or is unknown (the database is newer than the program), if a file
 * fails, or if one is missing that only the owner may apply.
 */
export async function migrate(
  url: string,
  { login = loginOf(url), folder = FOLDER }: { login?: string; folder?: string } = {},
): Promise<LoginRights> {
  const files = readMigrations(folder);
  const client = await openClient(new Hosts(url), "atumpan-migrate", {
    answerMs: FILE_MS,
    connectMs: CONNECT_MS,
    settings: { ...EVERY_ACCOUNT, ...ONE_CONNECTION },
  });
  try {
    if (await isOthers(client)) return await requireAll(client, files, login);
    await mendOwner(client);
    while (await applyNext(client, files));
    const rights = await settleRights(client, login, LOCK);
    return { ...rights, isDistributed: await distribute(client, LOCK, rights) };
  } finally {
    await closeClient(client);
  }
}

/**
 * Returns the names of the files that are not applied to a database yet, for a login of the service or the owner. It
 * changes nothing. Throws `MigrationError` if the database and the program do not fit together.
 */
export async function listMissing(url: string): Promise<string[]> {
  const files = readMigrations(FOLDER);
  const client = await openClient(new Hosts(url), "atumpan-migrations", { answerMs: LOCK_TIMEOUT_MS });
  try {
    const { rowCount } = await client.query(
      "SELECT FROM pg_class WHERE oid = to_regclass('public.schema_migrations')",
    );
    if (rowCount === 0) return files.map(fileName);
    const { hasRoles } = await readRights(client, client.user!);
    const applied = await listApplied(client, hasRoles ? `SET ROLE ${SERVICE_ROLE}` : "");
    findNext(files, applied);
    return files.slice(applied.length).map(fileName);
  } finally {
    await closeClient(client);
  }
}

/** Whether the tables exist and belong to another owner. */
async function isOthers(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(`SELECT FROM pg_class
    WHERE oid = to_regclass('schema_migrations') AND NOT pg_has_role(relowner, 'USAGE')`);
  return rowCount === 1;
}

async function requireAll(client: pg.Client, files: Migration[], login: string): Promise<LoginRights> {
  const rights = await readRights(client, login);
  const missing = rights.hasRoles && findNext(files, await listApplied(client, `SET ROLE ${SERVICE_ROLE}`));
  if (missing === undefined) return rights;
  throw new MigrationError(
    `the database does not belong to ${login}, and ${missing ? fileName(missing) : "a role"} is missing there: ` +
      "start one process with DATABASE_OWNER_URL, the address of the owner",
  );
}

async function listApplied(client: pg.Client, before = ""): Promise<Applied[]> {
  if (before) await client.query(before);
  const { rows } = await client.query<Applied>(
    "SELECT number, name, checksum FROM schema_migrations ORDER BY number",
  );
  return rows;
}

/** Applies the first missing file; returns false if there is none. */
async function applyNext(client: pg.Client, files: Migration[]): Promise<boolean> {
  await client.query("BEGIN");
  try {
    // The lock belongs to the transaction and not to the session, so it works through a pooler and cannot be left
    // behind.
    await client.query(`SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(${LOCK})`);
    await client.query(`CREATE TABLE IF NOT EXISTS schema_migrations (
      number integer PRIMARY KEY,
      name text NOT NULL,
      checksum text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`);
    const next = findNext(files, await listApplied(client));
    if (next) {
      await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await runFile(client, next);
      const row = [next.number, next.name, next.checksum];
      await client.query("INSERT INTO schema_migrations (number, name, checksum) VALUES ($1, $2, $3)", row);
    }
    await client.query("COMMIT");
    return next !== undefined;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {}); // the first error is thrown
    throw error;
  }
}

/** Compares the applied migrations with the files, and returns the first file that is not applied yet. */
function findNext(files: Migration[], applied: Applied[]): Migration | undefined {
  for (const [index, row] of applied.entries()) {
    const file = files[index];
    const label = fileName(row);
    if (!files.some((known) => known.number === row.number)) {
      throw new MigrationError(
        `the database is newer than this program: ${label} is applied there but unknown here; start a newer version`,
      );
    }
    if (file?.number !== row.number) {
      throw new MigrationError(
        `migration ${file && fileName(file)} was added before ${label}, which is already applied: give it a higher number`,
      );
    }
    if (file.checksum !== row.checksum) {
      throw new MigrationError(
        `migration ${label} was changed after it was applied: restore it and put the change in a new file`,
      );
    }
  }
  return files[applied.length];
}

async function runFile(client: pg.Client, file: Migration): Promise<void> {
  try {
    await client.query(file.sql);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    const line = error.position ? file.sql.slice(0, Number(error.position)).split("\n").length : undefined;
    const where = fileName(file) + (line ? `:${line}` : "");
    throw new MigrationError(`migration ${where} failed: ${error.message}`, { cause: error });
  }
}

/** Reads the files, lowest number first. Nothing else runs yet, so it needs no promise for each of a hundred files. */
function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  const files: Migration[] = [];
  for (const entry of names) {
    const [, digits, name] = FILE_NAME.exec(entry) ?? [];
    if (!digits || !name) throw new MigrationError(`${join(folder, entry)}: name it NNNN_name.sql`);
    const number = Number(digits);
    if (files.at(-1)?.number === number) throw new MigrationError(`two migrations have the number ${digits}`);
    // Line ends become those of the repository, so that a checkout on Windows has the same checksums.
    const sql = readFileSync(join(folder, entry), "utf8").replaceAll("\r\n", "\n");
    files.push({ number, name, sql, checksum: createHash("sha256").update(sql).digest("hex") });
  }
  return files;
}

function fileName({ number, name }: { number: number; name: string }): string {
  return `${String(number).padStart(4, "0")}_${name}.sql`;
}

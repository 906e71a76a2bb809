// The doctor's checks of the database: whether it answers, its version and settings, its owner, and its standbys.
import { TLSSocket } from "node:tls";
import { BadConfiguration, type Config, isLoopback } from "../../platform/config.ts";
import { closeClient, openClient } from "../../platform/database/connection.ts";
import { Database } from "../../platform/database/database.ts";
import { readArchive, readReplication } from "../../platform/database/gauges.ts";
import { Hosts } from "../../platform/database/hosts.ts";
import { listMissing } from "../../platform/database/migrate.ts";
import { requireSessions } from "../../platform/database/pooler.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import { findRights } from "../../platform/database/rights.ts";
import { requireSameDatabase } from "../../platform/database/samedatabase.ts";
import { findEmbedded } from "../../platform/embedded/embedded.ts";
import { isUnavailable } from "../../platform/http/envelope.ts";
import { followClock, OFF_BY_AT_MOST_MS } from "../../platform/jobs/timekeeping.ts";
import { readDigestKey } from "../../platform/secrets/keyring.ts";
import { readSecretsFile, Secrets } from "../../platform/secrets/secrets.ts";
import { type Finding, ok, saidBy, warn, wrong } from "./doctor.ts";
import { examineRoom } from "./machine.ts";
import { examinePool } from "./pool.ts";
import { examineRunning } from "./running.ts";
import { countMonth, findDurability } from "./sql.ts";

const ANSWER_MS = 10_000;
const VERSION_AT_LEAST = 15;
const CLOCK_SHOULD_BE_MS = 500;

type Session = { version: number; name: string; place: string; isEncrypted: boolean; isLocal: boolean };

/** Checks the database of an installation and its contents. It changes nothing there. */
export async function* examineDatabase(config: Config): AsyncGenerator<Finding> {
  const about = "database";
  const url = config.databaseUrl ?? (await findEmbedded(config.dataDir));
  if (url === undefined) {
    yield wrong(
      about,
      `the embedded database in ${config.dataDir} is not running`,
      "Start the service and run the doctor again, or set the DATABASE_URL or DATA_DIR of the service",
    );
    return;
  }
  const session = await openSession(url).catch((error: unknown) => saidBy(error));
  if (typeof session === "string") {
    yield wrong(
      about,
      `it cannot be reached: ${session}`,
      "Check DATABASE_URL, the server, its pg_hba.conf and the network",
    );
    return;
  }
  yield examineVersion(session);
  yield examineEncryption(session);
  const pooled = await examineSessions(url);
  yield pooled;
  if (pooled.level === "wrong") return;
  const rights = await findRights(url);
  yield* examineRights(rights.gaps);
  if (config.databaseOwnerUrl) yield await examineOwner(url, config.databaseOwnerUrl);
  const migrated = await examineMigrations(url);
  yield migrated;
  if (migrated.level !== "ok") return;
  yield* examineTables(url, config, rights.hasRoles);
}

async function* examineTables(url: string, config: Config, hasRoles: boolean): AsyncGenerator<Finding> {
  const onConnectionLost = () => {}; // the current statement reports it
  const database = new Database({ url, hasRoles, max: 2, statementTimeoutMs: ANSWER_MS, onConnectionLost });
  try {
    yield await examineMasterKey(database, config);
    yield await examineDurability(database);
    yield await examineStandbys(database, config.databaseUrl === undefined);
    if (config.databaseUrl !== undefined) yield await examineArchive(database);
    else yield await examineRoom(config.dataDir, (await one(database, countMonth)).count);
    yield await examineClock(database);
    yield* await examineRunning(database);
    const pool = await examinePool(database, url);
    if (pool) yield pool;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    yield wrong("database", `it stopped answering: ${saidBy(error)}`, "Check its log");
  } finally {
    await database.close();
  }
}

async function openSession(url: string): Promise<Session> {
  const client = await openClient(new Hosts(url), "atumpan-doctor", { answerMs: ANSWER_MS });
  try {
    const { rows } = await client.query("SHOW server_version");
    const [shown] = rows as [{ server_version: string }];
    const { stream } = (client as unknown as { connection: { stream: { remoteAddress?: string } } })
      .connection;
    return {
      version: Number.parseInt(shown.server_version, 10),
      name: shown.server_version,
      place: new URL(client.address).host,
      isEncrypted: stream instanceof TLSSocket,
      isLocal: isLoopback(stream.remoteAddress ?? "localhost"),
    };
  } finally {
    await closeClient(client);
  }
}

function examineVersion({ version, name, place }: Session): Finding {
  const said = `PostgreSQL ${name} at ${place}`;
  if (version >= VERSION_AT_LEAST) return ok("database", `${said} answers`);
  return wrong("database", said, `Upgrade it to ${VERSION_AT_LEAST} or later`);
}

function examineEncryption({ isEncrypted, isLocal, place }: Session): Finding {
  const about = "connection to the database";
  if (isEncrypted) return ok(about, "it is encrypted");
  if (isLocal) return ok(about, "it stays on this machine");
  return warn(
    about,
    `it goes to ${place} unencrypted`,
    "Add sslmode=verify-full to DATABASE_URL, or use a VPN",
  );
}

async function examineSessions(url: string): Promise<Finding> {
  const about = "sessions";
  try {
    await requireSessions("DATABASE_URL", url);
    return ok(about, "each connection has its own PostgreSQL session");
  } catch (error) {
    return wrong(about, saidBy(error), "The service does not start until this is fixed");
  }
}

function examineRights(gaps: readonly string[]): Finding[] {
  const about = "second lock";
  if (gaps.length === 0) return [ok(about, "the login of the service owns nothing")];
  return gaps.map((gap) => warn(about, gap, "The statements are in docs/keys.md (The second lock)"));
}

async function examineOwner(url: string, ownerUrl: string): Promise<Finding> {
  const about = "owner";
  try {
    await openSession(ownerUrl);
    await requireSameDatabase(url, ownerUrl);
    return ok(about, "DATABASE_OWNER_URL answers and leads to the same database");
  } catch (error) {
    if (error instanceof BadConfiguration)
      return wrong(about, error.message, "Correct it: processes that use it do not start");
    return wrong(
      about,
      `DATABASE_OWNER_URL: ${saidBy(error)}`,
      "Correct it: the owner applies the migrations",
    );
  }
}

async function examineMigrations(url: string): Promise<Finding> {
  const about = "migrations";
  try {
    const missing = await listMissing(url);
    const [first] = missing;
    if (first === undefined) return ok(about, "all are applied");
    if (first.startsWith("0001"))
      return warn(
        about,
        "the database is empty",
        "The first process creates its tables. If they should exist, check DATABASE_URL",
      );
    const said = `${missing.length} are not applied, starting with ${first}`;
    return warn(about, said, "Start a process that has DATABASE_OWNER_URL, and run the doctor again");
  } catch (error) {
    return wrong(about, saidBy(error), "Start the version of the program that matches the database");
  }
}

/** Checks whether the master key of this process is the one that sealed the secrets in the database. */
async function examineMasterKey(db: Statements, { keys, dataDir }: Config): Promise<Finding> {
  const about = "master key";
  try {
    const key = await readDigestKey(db, new Secrets(keys ?? readSecretsFile(dataDir)));
    return ok(about, key ? "it decrypts the sealed values of the database" : "nothing is sealed yet");
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return wrong(
      about,
      saidBy(error),
      "Set the key with which this database was created: no other key can decrypt its values",
    );
  }
}

async function examineDurability(db: Statements): Promise<Finding> {
  const about = "durability";
  const off = (await db.run(findDurability)).filter(({ value }) => value === "off");
  if (off.length === 0) return ok(about, "confirmed transactions are on disk");
  const named = off.map(({ name }) => `${name} is off`).join(", ");
  return wrong(about, named, "Turn it on: after a power cut the database may be damaged or lose credits");
}

async function examineArchive(db: Statements): Promise<Finding> {
  const about = "archive";
  const found = await readArchive(db);
  if (!found)
    return warn(
      about,
      "the log of the database is not archived: a restore goes back to the last base backup",
      "docs/operations.md (Backup and restore) describes the archive of ops/ha",
    );
  const { isFailing, failures, idleSeconds } = found;
  const last =
    idleSeconds === null
      ? "none was archived yet"
      : `the last one was archived ${Math.round(idleSeconds)} s ago`;
  if (isFailing)
    return wrong(
      about,
      `a file could not be archived, and ${last} (${failures} failures since the server was created): the log fills the disk of the primary`,
      "Check the free space and the mount of the archive, and archive_command in PostgreSQL's log",
    );
  if (idleSeconds === null)
    return warn(about, "nothing was archived yet", "Run the doctor again in a minute");
  return ok(about, `the last file was archived ${Math.round(idleSeconds)} s ago`);
}

async function examineStandbys(db: Statements, isEmbedded: boolean): Promise<Finding> {
  const about = "synchronous standby";
  if (isEmbedded)
    return warn(
      about,
      "the embedded database has none",
      "In production, use your own PostgreSQL (DATABASE_URL), or npm run backup",
    );
  const { isSynchronous, count, waitedFor } = await readReplication(db);
  if (!isSynchronous)
    return warn(
      about,
      `no COMMIT waits for one (${count} standbys are attached): a failover may lose the record of sent messages`,
      "With Patroni, start the standby again. Otherwise name one in synchronous_standby_names, and leave synchronous_commit on",
    );
  const attached = waitedFor ?? count;
  if (attached === 0)
    return wrong(
      about,
      "one is named and none is attached: no COMMIT completes",
      "Start the standby, or name another one",
    );
  const hint = waitedFor === undefined ? " (GRANT pg_monitor TO atumpan_service shows which of them)" : "";
  return ok(about, `one is named, and ${attached} are attached${hint}`);
}

async function examineClock(db: Statements): Promise<Finding> {
  const about = "clock";
  const aheadMs = Math.round(await followClock(db));
  const said = `this machine is ${aheadMs} ms ahead of the database`;
  const mend = "Synchronize it with chrony or systemd-timesyncd";
  if (Math.abs(aheadMs) > OFF_BY_AT_MOST_MS) return wrong(about, said, mend);
  if (Math.abs(aheadMs) > CLOCK_SHOULD_BE_MS) return warn(about, said, mend);
  return ok(about, `${said}, as far as can be measured`);
}

// The queries of the platform's own tables.
import { sealedColumn } from "../secrets/sealed.ts";
import { query } from "./query.ts";

/** The cheapest statement. */
export const ping = query("platform.ping", "SELECT");

/** Sends a notice on the channel $1, as node $2. */
export const notify = query("platform.notify", "SELECT FROM pg_notify($1, $2)");

/** Locks a key until the end of the transaction. `locked` is false if another transaction has the lock. */
export const lockIdempotencyKey = query<{ locked: boolean }>(
  "platform.lockIdempotencyKey",
  "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked",
);

export type KeptAnswer = { body_digest: string; answer: string };

export const findIdempotencyKey = query<KeptAnswer>(
  "platform.findIdempotencyKey",
  "SELECT body_digest, answer FROM idempotency_keys WHERE id = $1",
);

export const insertIdempotencyKey = query(
  "platform.insertIdempotencyKey",
  "INSERT INTO idempotency_keys (id, body_digest, answer) VALUES ($1, $2, $3)",
);

/** `isOld`: the key is older than $2 milliseconds. */
export const findRepeat = query<KeptAnswer & { isOld: boolean }>(
  "platform.findRepeat",
  `SELECT body_digest, answer, created_at < now() - $2::bigint * interval '1 millisecond' AS "isOld"
   FROM idempotency_keys WHERE id = $1`,
);

/** Stores the answer of an operation that ran without a transaction. An existing key stays as it is. */
export const insertRepeat = query(
  "platform.insertRepeat",
  "INSERT INTO idempotency_keys (id, body_digest, answer) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
);

export const updateIdempotencyKey = query(
  "platform.updateIdempotencyKey",
  "UPDATE idempotency_keys SET answer = $2 WHERE id = $1",
);

export const deleteIdempotencyKey = query(
  "platform.deleteIdempotencyKey",
  "DELETE FROM idempotency_keys WHERE id = $1",
);

export const deleteOldIdempotencyKeys = query(
  "platform.deleteOldIdempotencyKeys",
  "DELETE FROM idempotency_keys WHERE created_at < now() - $1::bigint * interval '1 millisecond'",
);

/** The time in milliseconds since 1970, with fractions. */
export const readClock = query<{ ms: number }>(
  "platform.readClock",
  "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms",
);

/** Adds the jobs that are not known yet. Their first run is their next occurrence. */
export const insertJobs = query(
  "platform.insertJobs",
  "INSERT INTO jobs (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING",
);

export type JobRow = { name: string; ranAt: Date; now: Date };

/** When each job began its last run, and what time it is. */
export const listJobs = query<JobRow>(
  "platform.listJobs",
  `SELECT name, ran_at AS "ranAt", clock_timestamp() AS now FROM jobs WHERE name = ANY($1::text[])`,
);

/** Locks a job until the transaction ends or is idle for $2 ms. `locked` is false if another process runs it. */
export const lockJob = query<{ locked: boolean; set_config: string }>(
  "platform.lockJob",
  `SELECT pg_try_advisory_xact_lock(hashtextextended('job ' || $1, 0)) AS locked,
          set_config('idle_in_transaction_session_timeout', $2, true)`,
);

/** Shows the server that a run is still in progress. */
export const holdJob = query("platform.holdJob", "SELECT");

/** Records a run of a job. The run began with the transaction. */
export const markJob = query("platform.markJob", "UPDATE jobs SET ran_at = now() WHERE name = $1");

/** Stores a key that the database does not have yet. */
export const insertKey = query(
  "platform.insertKey",
  "INSERT INTO keyring (name, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING",
);

export const findKey = query<{ sealed: string }>(
  "platform.findKey",
  "SELECT sealed FROM keyring WHERE name = $1",
);

export const sealedKeys = sealedColumn("platform", "keyring", "sealed", "name");
export const sealedAnswers = sealedColumn("platform", "idempotency_keys", "answer");

/** Whether a COMMIT waits for a standby. */
export const IS_SYNCHRONOUS =
  "(current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') NOT IN ('off', 'local'))";

/**
 * The replication of the database. `isSynchronous`: a COMMIT waits for a standby. `isVisible`: this role may see
 * details of standbys, not only their number, as `pg_read_all_stats` and `pg_monitor` may.
 */
export const findReplication = query<{ isSynchronous: boolean; isVisible: boolean; count: number }>(
  "platform.findReplication",
  `SELECT ${IS_SYNCHRONOUS} AS "isSynchronous",
          pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS "isVisible",
          (SELECT count(*) FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup') AS count`,
);

/**
 * A standby, as the database sees it; all null if the role may not see it. The lag in seconds is null while nothing is
 * written.
 */
export type StandbyRow = {
  name: string | null;
  syncState: string | null;
  lagBytes: number | null;
  lagSeconds: number | null;
};

export const listStandbys = query<StandbyRow>(
  "platform.listStandbys",
  `SELECT application_name AS name, sync_state AS "syncState",
          CASE WHEN NOT pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) END::bigint AS "lagBytes",
          extract(epoch FROM replay_lag)::float8 AS "lagSeconds"
   FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup' ORDER BY pid LIMIT 20`,
);

/** The WAL archive. `isFailing`: the last attempt failed, and PostgreSQL keeps the files until one succeeds. */
export type Archive = { isFailing: boolean; failures: number; idleSeconds: number | null };

/** The archiving of finished WAL files; no row if they are not archived. */
export const findArchive = query<Archive>(
  "platform.findArchive",
  `SELECT coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) AS "isFailing",
          failed_count AS failures, extract(epoch FROM now() - last_archived_time)::float8 AS "idleSeconds"
   FROM pg_stat_archiver WHERE current_setting('archive_mode') <> 'off'`,
);

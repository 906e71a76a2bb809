// The queries of statistics: the counter deltas of transactions, and their sums.
import { query } from "../../../platform/database/query.ts";
import type { Kind } from "../queue/packed.ts";

/** The messages, and their credits, of one account or send with one outcome. */
export type Delta = {
  accountId: string;
  sendId: string | null;
  operatorId: string | null;
  status: string;
  error: string | null;
  quarter: number | null;
  kind: Kind | null;
  count: number;
  credits: number;
};

/** Inserts one row of deltas, which has an array of each of their members. */
export const insertCounterDeltas = query<never, { deltas: readonly Delta[] }>(
  "sends.insertCounterDeltas",
  `INSERT INTO tallies (account_ids, send_ids, operator_ids, statuses, errors, quarters, counts, credits, kinds)
   VALUES ($deltas.account_id, $deltas.send_id, $deltas.operator_id, $deltas.status, $deltas.error, $deltas.quarter,
           $deltas.count, $deltas.credits, $deltas.kind)`,
);

/** Whether this transaction is the only one that adds up. */
export const lockTallies = query<{ locked: boolean }>(
  "sends.lockTallies",
  "SELECT pg_try_advisory_xact_lock(hashtextextended('tallies', 0)) AS locked",
);

export type CounterDelta = {
  at: Date;
  account_id: string;
  send_id: string | null;
  operator_id: string | null;
  status: string;
  error: string | null;
  quarter: number | null;
  kind: Kind | null;
  count: number;
  credits: number;
};

/** Deletes the oldest $1 rows, and returns their lines. */
export const takeTallies = query<CounterDelta>(
  "sends.takeTallies",
  `WITH taken AS (
     DELETE FROM tallies WHERE id = ANY(ARRAY(SELECT id FROM tallies ORDER BY id LIMIT $1)) RETURNING *
   )
   SELECT taken.at, line.*
   FROM taken CROSS JOIN LATERAL unnest(account_ids, send_ids, operator_ids, statuses, errors, quarters, counts, credits, kinds)
     AS line (account_id, send_id, operator_id, status, error, quarter, count, credits, kind)`,
);

/** Lists the lines of an account ($1; null: of all) in the newest $2 rows that are not added up yet. */
export const listTallies = query<CounterDelta>(
  "sends.listTallies",
  `SELECT newest.at, line.*
   FROM (SELECT * FROM tallies ORDER BY id DESC LIMIT $2) newest
   CROSS JOIN LATERAL unnest(account_ids, send_ids, operator_ids, statuses, errors, quarters, counts, credits, kinds)
     AS line (account_id, send_id, operator_id, status, error, quarter, count, credits, kind)
   WHERE $1::text IS NULL OR line.account_id = $1`,
);

/** Lists the countries of those of these accounts that are companies. */
export const listCountries = query<{ id: string; country: string }>(
  "sends.listCountries",
  "SELECT id, country FROM companies WHERE id = ANY($1::text[])",
);

export type DayRow = {
  day: string;
  operator_id: string;
  sent: number;
  delivered: number;
  undelivered: number;
  failed: number;
  expired: number;
  canceled: number;
  credits: number;
};

type Day = Omit<DayRow, "operator_id"> & { accountId: string; operatorId: string };

/** Adds to days, in their order. */
export const upsertDays = query<never, { days: readonly Day[] }>(
  "sends.upsertDays",
  `INSERT INTO message_days AS known (account_id, day, operator_id, sent, delivered, undelivered, failed, expired, canceled, credits)
   SELECT * FROM $days(account_id text, day date, operator_id text, sent bigint, delivered bigint, undelivered bigint,
                       failed bigint, expired bigint, canceled bigint, credits bigint)
   ON CONFLICT (account_id, day, operator_id) DO UPDATE
   SET sent = known.sent + excluded.sent, delivered = known.delivered + excluded.delivered,
       undelivered = known.undelivered + excluded.undelivered, failed = known.failed + excluded.failed,
       expired = known.expired + excluded.expired, canceled = known.canceled + excluded.canceled,
       credits = known.credits + excluded.credits`,
);

/** Lists the days of an account from $2 to $3. */
export const listDays = query<DayRow>(
  "sends.listDays",
  `SELECT to_char(day, 'YYYY-MM-DD') AS day, operator_id, sent, delivered, undelivered, failed, expired, canceled, credits
   FROM message_days WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date`,
);

/** The messages and credits of an account on a day by kind and operator. */
export type UsageRow = { day: string; kind: Kind; operator_id: string; sent: number; credits: number };

type Usage = Omit<UsageRow, "operator_id"> & { accountId: string; operatorId: string };

/** Adds to the usage of days, in their order. */
export const upsertUsage = query<never, { days: readonly Usage[] }>(
  "sends.upsertUsage",
  `INSERT INTO usage_days AS known (account_id, day, kind, operator_id, sent, credits)
   SELECT * FROM $days(account_id text, day date, kind text, operator_id text, sent bigint, credits bigint)
   ON CONFLICT (account_id, day, kind, operator_id) DO UPDATE
   SET sent = known.sent + excluded.sent, credits = known.credits + excluded.credits`,
);

/** Lists the usage of an account from day $2 to $3. */
export const listUsage = query<UsageRow>(
  "sends.listUsage",
  `SELECT to_char(day, 'YYYY-MM-DD') AS day, kind, operator_id, sent, credits
   FROM usage_days WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date`,
);

/** Deletes up to $2 rows of the usage of days before $1. */
export const deleteOldUsage = query<{ count: number }>(
  "sends.deleteOldUsage",
  `WITH gone AS (
     DELETE FROM usage_days WHERE (account_id, day, kind, operator_id) IN (
       SELECT account_id, day, kind, operator_id FROM usage_days WHERE day < $1::date LIMIT $2) RETURNING 1)
   SELECT count(*) AS count FROM gone`,
);

/** Deletes up to $2 rows of days before $1. */
export const deleteOldDays = query<{ count: number }>(
  "sends.deleteOldDays",
  `WITH gone AS (
     DELETE FROM message_days WHERE (account_id, day, operator_id) IN (
       SELECT account_id, day, operator_id FROM message_days WHERE day < $1::date LIMIT $2) RETURNING 1)
   SELECT count(*) AS count FROM gone`,
);

/** Lists those of these sends that go to several phones, with their counts; null: none yet. */
export const listCounted = query<{ send_id: string; counted: unknown }>(
  "sends.listCounted",
  `SELECT sends.id AS send_id, tally.counted FROM sends LEFT JOIN send_tallies tally ON tally.send_id = sends.id
   WHERE sends.id = ANY($1::text[]) AND sends.total > 1`,
);

export const upsertCounted = query<
  never,
  { sends: readonly { sendId: string; accountId: string; counted: string }[] }
>(
  "sends.upsertCounted",
  `INSERT INTO send_tallies (send_id, account_id, counted) SELECT * FROM $sends(send_id text, account_id text, counted jsonb)
   ON CONFLICT (send_id) DO UPDATE SET counted = excluded.counted`,
);

export const findCounted = query<{ counted: unknown }>(
  "sends.findCounted",
  "SELECT counted FROM send_tallies WHERE account_id = $1 AND send_id = $2",
);

/** Finds the outcome of the only message of a send. No row: it is not settled yet. */
export const findAlone = query<{
  operator_id: string | null;
  status: string;
  error: string | null;
  sent_at: Date | null;
  delivered_at: Date | null;
}>(
  "sends.findAlone",
  `SELECT operator_id, status, error, sent_at, delivered_at FROM messages
   WHERE account_id = $1 AND send_id = $2 AND number = 1`,
);

/** Deletes up to $2 rows of sends with ids before $1. */
export const deleteOldCounted = query<{ count: number }>(
  "sends.deleteOldCounted",
  `WITH gone AS (
     DELETE FROM send_tallies WHERE send_id = ANY(ARRAY(SELECT send_id FROM send_tallies WHERE send_id < $1 LIMIT $2)) RETURNING 1)
   SELECT count(*) AS count FROM gone`,
);

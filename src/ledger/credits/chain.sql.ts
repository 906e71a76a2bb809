// The queries of the chain of days, which shows whether entries of the ledger were changed.
import { query } from "../../platform/database/query.ts";

/** A day of the chain, as migration 0144 describes it. `until` is in milliseconds since 1970. */
export type DayRow = {
  day: string;
  last_id: number;
  entries: number;
  amount: number;
  backdated: number;
  until: number;
  digest: string;
  forgotten: boolean;
  seal: string;
  difference: number;
};

const DAY = `day::text AS day, last_id, entries, amount, backdated, floor(extract(epoch FROM until) * 1000)::bigint AS until,
   digest, forgotten, seal, difference`;

/** An entry, with its time in microseconds since 1970. */
export type ChainedEntry = {
  id: number;
  key: string;
  kind: string;
  from_pool: string;
  to_pool: string;
  amount: number;
  reason: string | null;
  at: number;
};

/** Lets one process at a time extend the chain. */
export const lockChain = query(
  "credits.lockChain",
  "SELECT FROM pg_advisory_xact_lock(hashtextextended('ledger days', 0))",
);

export const findLastDay = query<DayRow>(
  "credits.findLastDay",
  `SELECT ${DAY} FROM ledger_days ORDER BY ledger_days.day DESC LIMIT 1`,
);

/** Lists up to $2 days after a day ($1), in order. */
export const listDaysAfter = query<DayRow>(
  "credits.listDaysAfter",
  `SELECT ${DAY} FROM ledger_days WHERE ledger_days.day > $1::date ORDER BY ledger_days.day LIMIT $2`,
);

/** The newest day before $1. */
export const findDayBefore = query<DayRow>(
  "credits.findDayBefore",
  `SELECT ${DAY} FROM ledger_days WHERE ledger_days.day < $1::date ORDER BY ledger_days.day DESC LIMIT 1`,
);

/** Returns $1 random days. Ten years have 3,650. */
export const listDaysToCheck = query<DayRow>(
  "credits.listDaysToCheck",
  `SELECT ${DAY} FROM ledger_days WHERE NOT forgotten ORDER BY random() LIMIT $1`,
);

/**
 * Lists up to $3 entries with ids above $1 and up to $2, in order. Amounts and times outside JavaScript's safe range,
 * which the service never writes, are clamped: they differ from the digest anyway.
 */
export const listEntriesBetween = query<ChainedEntry>(
  "credits.listEntriesBetween",
  `SELECT id, key, kind, from_pool, to_pool, least(amount, 9007199254740991) AS amount, reason,
          floor(extract(epoch FROM greatest(least(created_at, '2200-01-01'), '1900-01-01')) * 1000000)::bigint AS at
   FROM entries WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3`,
);

/** Returns the last entry above an id ($1) that was written before a time ($2), searching from the end. */
export const findLastBefore = query<{ id: number }>(
  "credits.findLastBefore",
  "SELECT id FROM entries WHERE id > $1 AND created_at < $2 ORDER BY id DESC LIMIT 1",
);

/**
 * Counts, among the newest entries above an id, those dated before a time, and the entries below any id that the
 * sequence gives, which belong to no day; up to `atMost` of each.
 */
export const countBackdated = query<
  { entries: number; amount: number },
  { after: number; before: Date; atMost: number; firstId: number }
>(
  "credits.countBackdated",
  `SELECT count(*) AS entries, least(coalesce(sum(amount), 0), 9007199254740991)::bigint AS amount FROM (
     SELECT amount FROM (
       SELECT created_at, amount FROM entries WHERE id > $after ORDER BY id DESC LIMIT $atMost
     ) newest WHERE created_at < $before
     UNION ALL (SELECT amount FROM entries WHERE id < $firstId LIMIT $atMost)
   ) outside`,
);

/** A new end of a day. */
export type WrittenDay = Omit<DayRow, "last_id" | "forgotten" | "difference"> & { lastId: number };

/** Inserts days; extends the first one if it already exists. */
export const upsertDays = query<never, { days: readonly WrittenDay[] }>(
  "credits.upsertDays",
  `INSERT INTO ledger_days (day, last_id, entries, amount, backdated, until, digest, seal)
   SELECT day::date, last_id, entries, amount, backdated, timestamptz 'epoch' + until * interval '1 millisecond', digest, seal
   FROM $days(day text, last_id bigint, entries bigint, amount bigint, backdated bigint, until bigint, digest text, seal text)
     AS extended (day, last_id, entries, amount, backdated, until, digest, seal)
   ON CONFLICT (day) DO UPDATE SET last_id = excluded.last_id, entries = excluded.entries, amount = excluded.amount,
     backdated = excluded.backdated, until = excluded.until, digest = excluded.digest, seal = excluded.seal`,
);

export const updateDayChecked = query(
  "credits.updateDayChecked",
  "UPDATE ledger_days SET difference = $2 WHERE day = $1::date",
);

/** Marks days as forgotten, with their new seals. */
export const updateDaysForgotten = query<never, { days: readonly { day: string; seal: string }[] }>(
  "credits.updateDaysForgotten",
  `UPDATE ledger_days SET forgotten = true, seal = forgotten_day.seal
   FROM $days(day text, seal text) AS forgotten_day (day, seal)
   WHERE ledger_days.day = forgotten_day.day::date AND ledger_days.day = ANY($days.day::date[])`,
);

/** Deletes up to $1 entries of forgotten days and returns their number. */
export const forgetEntries = query<{ count: number }>(
  "credits.forgetEntries",
  "SELECT forget_entries($1) AS count",
);

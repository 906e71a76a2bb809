// The queries of the buckets that all processes share.
import { query } from "../database/query.ts";

export type ExchangedRow = { key: string; granted: number; level: number };

/** What a bucket at this level grants, and when it is full again after that. The row `asked` has the request. */
const takenOf = (asked: string, level: string) => `
  SELECT granted, now + (${asked}.burst - rest + granted) / ${asked}.per_second * interval '1 second' AS full_at
  FROM (SELECT clock_timestamp() AS now) AS clock,
    LATERAL (SELECT least(${asked}.burst, greatest(${level} - ${asked}.told, -${asked}.burst)) AS rest) AS bucket,
    LATERAL (SELECT least(${asked}.wanted, greatest(floor(rest), 0)) AS granted) AS grants`;

const levelOf = (row: string, asked: string, now: string) =>
  `${asked}.burst - ${asked}.per_second * extract(epoch FROM greatest(${row}.full_at - ${now}, interval '0'))::float8`;

/** What a process reports of a bucket and requests from it. */
export type Asked = {
  name: string;
  key: string;
  perSecond: number;
  burst: number;
  told: number;
  wanted: number;
};

/**
 * Takes from buckets, which are full if unknown: `told` in any case, since it was given out already, so that a bucket
 * may owe up to its burst; and as much of `wanted` as there is. `level` is what is left. The clock is that of the
 * database, read when the row is locked; if it was set back, a bucket owes no more than its burst. The keys of a name
 * are sorted, so that no two processes wait for each other.
 */
export const exchangeRates = query<ExchangedRow, { asked: readonly Asked[] }>(
  "platform.exchangeRates",
  `INSERT INTO rates AS known (name, key, per_second, burst, told, wanted, granted, full_at)
   SELECT asked.*, taken.granted, taken.full_at
   FROM $asked(name text, key text, per_second float8, burst float8, told float8, wanted float8)
          AS asked (name, key, per_second, burst, told, wanted),
     LATERAL (${takenOf("asked", "asked.burst")}) AS taken
   ON CONFLICT (name, key) DO UPDATE SET
     per_second = EXCLUDED.per_second, burst = EXCLUDED.burst, told = EXCLUDED.told, wanted = EXCLUDED.wanted,
     (granted, full_at) = (${takenOf("EXCLUDED", levelOf("known", "EXCLUDED", "now"))})
   RETURNING key, granted, ${levelOf("known", "known", "clock_timestamp()")} AS level`,
);

/** Lists the names of all buckets, each by one index look-up. */
export const listRateNames = query<{ name: string }>(
  "platform.listRateNames",
  `WITH RECURSIVE names AS (
     (SELECT name FROM rates ORDER BY name LIMIT 1)
     UNION ALL
     SELECT next.name FROM names, LATERAL (SELECT name FROM rates WHERE name > names.name ORDER BY name LIMIT 1) AS next)
   SELECT name FROM names`,
);

/** Deletes up to $2 full buckets of the name $1: a bucket without a row is full. */
export const deleteFullRates = query<{ key: string }>(
  "platform.deleteFullRates",
  `DELETE FROM rates WHERE name = $1 AND key = ANY(ARRAY(
     SELECT key FROM rates WHERE name = $1 AND full_at < now() ORDER BY full_at LIMIT $2 FOR UPDATE SKIP LOCKED))
   RETURNING key`,
);

/** Deletes up to $3 buckets of the name $1 beyond $2: those that are full again first. */
export const deleteSurplusRates = query<{ key: string }>(
  "platform.deleteSurplusRates",
  `DELETE FROM rates WHERE name = $1 AND key = ANY(ARRAY(
     SELECT key FROM rates WHERE name = $1 ORDER BY full_at DESC OFFSET $2 LIMIT $3 FOR UPDATE SKIP LOCKED))
   RETURNING key`,
);

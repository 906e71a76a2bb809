// The queries of the ledger: pools, holds and entries.
import { query } from "../../platform/database/query.ts";
import type { Movement } from "./shapes.ts";

/** A price to hold: `holdId` is the operation key, the id of the send that it pays for. */
export type WantedHold = { holdId: string; poolId: string; amount: number };

/** The parts of a hold that were captured and released, in credits. */
export type Settled = { holdId: string; poolId: string; captured: number; released: number };

/** Credits of a pool. */
type PoolAmount = { poolId: string; amount: number };

export type PoolKind = "company" | "user" | "customer" | "service";

export const upsertPool = query(
  "credits.upsertPool",
  `WITH pool AS (INSERT INTO pools (id, kind) VALUES ($1, $2) ON CONFLICT DO NOTHING)
   INSERT INTO pool_outcomes (pool_id) VALUES ($1) ON CONFLICT DO NOTHING`,
);

export const findCompany = query<{ id: string }>(
  "credits.findCompany",
  "SELECT id FROM companies WHERE id = $1",
);

export const findUser = query<{ id: string }>("credits.findUser", "SELECT id FROM users WHERE id = $1");

/** A reseller's customer is looked up by its pool, which is created together with it. */
export const findCustomerPool = query<{ id: string }>(
  "credits.findCustomerPool",
  "SELECT id FROM pools WHERE id = $1 AND kind = 'customer'",
);

export const findBalance = query<{ available: number }>(
  "credits.findBalance",
  `SELECT available FROM pools WHERE id = $1`,
);

/** Locks in order of id, so that two transactions over the same pools queue up instead of deadlocking. */
export const lockPools = query<{ id: string; available: number }>(
  "credits.lockPools",
  `SELECT id, available FROM pools WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE`,
);

/** Returns the available credits of a pool, and those it has spent or holds; locks it until the transaction ends. */
export const lockSpent = query<{ available: number; spent: number }>(
  "credits.lockSpent",
  `SELECT available, held_ever - released AS spent FROM pools JOIN pool_outcomes ON pool_id = pools.id
   WHERE pools.id = $1 FOR NO KEY UPDATE OF pools`,
);

/** Moves the price of each hold from available to held. The pools must be locked and have enough. */
export const insertHolds = query<never, { holds: readonly WantedHold[] }>(
  "credits.insertHolds",
  `WITH held AS (
     INSERT INTO holds (id, pool_id, total) SELECT * FROM $holds(hold_id text, pool_id text, amount bigint)
     RETURNING pool_id, total
   )
   UPDATE pools SET available = available - taken.amount, held_ever = held_ever + taken.amount
   FROM (SELECT pool_id, sum(total) AS amount FROM held GROUP BY pool_id) taken
   WHERE pools.id = taken.pool_id AND pools.id = ANY($holds.pool_id)`,
);

/**
 * Like `insertHolds`, for pools that are not locked yet: `pools` has the sum of the holds of each, in order. Fails
 * unless each pool has enough.
 */
export const takeHolds = query<never, { holds: readonly WantedHold[]; pools: readonly PoolAmount[] }>(
  "credits.takeHolds",
  `WITH taken AS (
     UPDATE pools SET available = available - wanted.amount, held_ever = held_ever + wanted.amount
     FROM $pools(pool_id text, amount bigint) AS wanted (pool_id, amount)
     WHERE pools.id = wanted.pool_id AND pools.id = ANY($pools.pool_id) AND available >= wanted.amount
     RETURNING pools.id
   )
   INSERT INTO holds (id, pool_id, total) SELECT * FROM $holds(hold_id text, pool_id text, amount bigint)
   WHERE must((SELECT count(*) FROM taken) = cardinality($pools.pool_id), 'a pool has too little')`,
);

export const lockOutcomes = query(
  "credits.lockOutcomes",
  `SELECT FROM pool_outcomes WHERE pool_id = ANY($1::text[]) ORDER BY pool_id FOR NO KEY UPDATE`,
);

/** Captures and releases parts of holds, in order of hold, and writes one entry for each pool and kind. */
export const settleHolds = query<never, { parts: readonly Settled[]; settlementId: string }>(
  "credits.settleHolds",
  `WITH part AS (
     SELECT * FROM $parts(hold_id text, pool_id text, captured bigint, released bigint) AS part (hold_id, pool_id, captured, released)
   ),
   settled AS (
     UPDATE holds SET captured = holds.captured + part.captured, released = holds.released + part.released
     FROM part WHERE holds.id = part.hold_id AND holds.id = ANY($parts.hold_id)
   ),
   pool AS (
     SELECT pool_id, sum(captured) AS captured, sum(released) AS released FROM part GROUP BY pool_id
   ),
   entered AS (
     INSERT INTO entries (key, kind, from_pool, to_pool, amount)
     SELECT 'capture:' || $settlementId || ':' || pool_id, 'capture', pool_id, pool_id, captured FROM pool WHERE captured > 0
     UNION ALL
     SELECT 'release:' || $settlementId || ':' || pool_id, 'release', pool_id, pool_id, released FROM pool WHERE released > 0
   )
   UPDATE pool_outcomes SET captured = pool_outcomes.captured + pool.captured, released = pool_outcomes.released + pool.released
   FROM pool WHERE pool_outcomes.pool_id = pool.pool_id AND pool_outcomes.pool_id = ANY($parts.pool_id)`,
);

export const returnToPools = query<never, { pools: readonly PoolAmount[] }>(
  "credits.returnToPools",
  `UPDATE pools SET available = available + returned.amount
   FROM $pools(pool_id text, amount bigint) AS returned (pool_id, amount)
   WHERE pools.id = returned.pool_id AND pools.id = ANY($pools.pool_id)`,
);

type NewEntry = {
  key: string;
  kind: "grant" | "correction";
  from: string;
  to: string;
  amount: number;
  reason: string | null;
};

export const insertEntry = query<never, NewEntry>(
  "credits.insertEntry",
  `INSERT INTO entries (key, kind, from_pool, to_pool, amount, reason) VALUES ($key, $kind, $from, $to, $amount, $reason)`,
);

export const findEntry = query<{ key: string }>(
  "credits.findEntry",
  "SELECT key FROM entries WHERE key = $1",
);

/** A part of a transfer, with its own entry: `key` is its operation key. */
export type TransferPart = { credit: number; reason: string | null; key: string };

/** Inserts several entries between the same two pools. */
export const insertTransfers = query<never, { parts: readonly TransferPart[]; from: string; to: string }>(
  "credits.insertTransfers",
  `INSERT INTO entries (key, kind, from_pool, to_pool, amount, reason)
   SELECT key, 'transfer', $from, $to, amount, reason FROM $parts(key text, credit bigint, reason text) AS part (key, amount, reason)`,
);

export const movePoolBalance = query<{ available: number }>(
  "credits.movePoolBalance",
  `UPDATE pools SET available = available + $2 WHERE id = $1 RETURNING available`,
);

export type Audit = {
  pools: number;
  entries: number;
  held: number;
  /** The sum of all balances; it is zero, since credits only move. */
  sum: number;
  /** Credits by which balances differ from the sums of their entries, all pools together. */
  unproven: number;
  /** Pools whose balances differ from the sum of their entries. */
  wrong: string[];
};

/**
 * Compares every balance with its entries in one snapshot: the sums up to the last mark plus the entries since. Its
 * cost is that of one hour's entries, not of the whole history.
 */
export const auditLedger = query<Audit>(
  "credits.auditLedger",
  `WITH since AS (SELECT coalesce(max(until), '-infinity') AS mark FROM audit_marks),
   moved AS (
     SELECT from_pool AS pool_id, 0 AS received, CASE WHEN from_pool <> to_pool THEN amount ELSE 0 END AS given, 0 AS held_ever,
            CASE WHEN kind = 'capture' THEN amount ELSE 0 END AS captured,
            CASE WHEN kind = 'release' THEN amount ELSE 0 END AS released, 1 AS entries
     FROM entries, since WHERE created_at >= mark
     UNION ALL
     SELECT to_pool, amount, 0, 0, 0, 0, 0 FROM entries, since WHERE created_at >= mark AND from_pool <> to_pool
     UNION ALL
     SELECT pool_id, 0, 0, total, 0, 0, 1 FROM holds, since WHERE created_at >= mark
     UNION ALL
     SELECT pool_id, received, given, held_ever, captured, released, entries FROM audit_marks
   ),
   proof AS (
     SELECT pool_id, sum(received) AS received, sum(given) AS given, sum(held_ever) AS held_ever,
            sum(captured) AS captured, sum(released) AS released, sum(entries) AS entries
     FROM moved GROUP BY pool_id
   ),
   compared AS (
     SELECT pools.id, pools.available + pools.held_ever - outcomes.released AS worth,
            pools.held_ever - outcomes.captured - outcomes.released AS held,
            coalesce(proof.entries, 0) AS entries,
            pools.available = coalesce(proof.received - proof.given - proof.held_ever + proof.released, 0)
            AND pools.held_ever = coalesce(proof.held_ever, 0)
            AND outcomes.captured = coalesce(proof.captured, 0)
            AND outcomes.released = coalesce(proof.released, 0) AS proven,
            abs(pools.available - coalesce(proof.received - proof.given - proof.held_ever + proof.released, 0))
            + abs(pools.held_ever - coalesce(proof.held_ever, 0)) + abs(outcomes.captured - coalesce(proof.captured, 0))
            + abs(outcomes.released - coalesce(proof.released, 0)) AS unproven
     FROM pools JOIN pool_outcomes outcomes ON outcomes.pool_id = pools.id LEFT JOIN proof ON proof.pool_id = pools.id
   )
   SELECT count(*)::int AS pools, coalesce(sum(entries), 0)::bigint AS entries, coalesce(sum(held), 0)::bigint AS held,
          coalesce(sum(worth), 0)::bigint AS sum, coalesce(sum(unproven), 0)::bigint AS unproven,
          coalesce(array_agg(id ORDER BY id) FILTER (WHERE NOT proven), '{}') AS wrong
   FROM compared`,
);

/** The result of the last hourly audit. */
export type LastAudit = {
  audited_at: Date;
  difference: number;
  is_balanced: boolean;
  balanced_at: Date | null;
};

export const upsertLastAudit = query(
  "credits.upsertLastAudit",
  `INSERT INTO last_audit (audited_at, difference, is_balanced, balanced_at) VALUES (now(), $1, $2, CASE WHEN $2 THEN now() END)
   ON CONFLICT (is_only) DO UPDATE SET audited_at = excluded.audited_at, difference = excluded.difference,
     is_balanced = excluded.is_balanced, balanced_at = coalesce(excluded.balanced_at, last_audit.balanced_at)`,
);

export const findLastAudit = query<LastAudit>(
  "credits.findLastAudit",
  "SELECT audited_at, difference, is_balanced, balanced_at FROM last_audit",
);

/** Advances the mark to $1, never back: adds the entries between the old mark and the new one to the sums. */
export const advanceMarks = query(
  "credits.advanceMarks",
  `WITH since AS (SELECT coalesce(max(until), '-infinity') AS mark FROM audit_marks),
   moved AS (
     SELECT from_pool AS pool_id, 0 AS received, CASE WHEN from_pool <> to_pool THEN amount ELSE 0 END AS given, 0 AS held_ever,
            CASE WHEN kind = 'capture' THEN amount ELSE 0 END AS captured,
            CASE WHEN kind = 'release' THEN amount ELSE 0 END AS released, 1 AS entries
     FROM entries, since WHERE created_at >= mark AND created_at < $1
     UNION ALL
     SELECT to_pool, amount, 0, 0, 0, 0, 0 FROM entries, since
     WHERE created_at >= mark AND created_at < $1 AND from_pool <> to_pool
     UNION ALL
     SELECT pool_id, 0, 0, total, 0, 0, 1 FROM holds, since WHERE created_at >= mark AND created_at < $1
   )
   INSERT INTO audit_marks (pool_id, until, received, given, held_ever, captured, released, entries)
   SELECT pools.id, $1, coalesce(sum(received), 0), coalesce(sum(given), 0), coalesce(sum(moved.held_ever), 0), coalesce(sum(captured), 0),
          coalesce(sum(released), 0), coalesce(sum(entries), 0)
   FROM since CROSS JOIN pools LEFT JOIN moved ON moved.pool_id = pools.id
   WHERE since.mark < $1
   GROUP BY pools.id
   ON CONFLICT (pool_id) DO UPDATE SET until = excluded.until,
     received = audit_marks.received + excluded.received, given = audit_marks.given + excluded.given,
     held_ever = audit_marks.held_ever + excluded.held_ever, captured = audit_marks.captured + excluded.captured,
     released = audit_marks.released + excluded.released, entries = audit_marks.entries + excluded.entries`,
);

/** One change of an available balance; `key` is an operation key: of an entry, or of a send's hold. */
export type MovementRow = Omit<Movement, "id"> & { key: string; row_key: string[] };

/**
 * Lists the newest movements of a pool, with balances calculated back from the one of the same instant. Each of the
 * three sources is read in the order of its index, no further than the page (`last` = `offset` + `limit` rows).
 */
export const listMovements = query<
  MovementRow,
  { poolId: string; last: number; offset: number; limit: number }
>(
  "credits.listMovements",
  `WITH movement AS (
     (SELECT id AS key, 'hold' AS kind, -total AS amount, NULL AS reason, created_at FROM holds
      WHERE pool_id = $poolId ORDER BY created_at DESC, id DESC LIMIT $last)
     UNION ALL
     (SELECT key, kind, amount, reason, created_at FROM entries
      WHERE to_pool = $poolId AND kind IN ('grant', 'transfer', 'release') ORDER BY created_at DESC, key DESC LIMIT $last)
     UNION ALL
     (SELECT key, kind, -amount, reason, created_at FROM entries
      WHERE from_pool = $poolId AND kind IN ('correction', 'transfer') ORDER BY created_at DESC, key DESC LIMIT $last)
   )
   SELECT movement.key, movement.kind, movement.amount, (pool.available - coalesce(sum(movement.amount) OVER newer, 0))::bigint AS "balanceAfter",
     movement.reason, movement.created_at AS "createdAt", ARRAY[movement.created_at::text, movement.key] AS row_key
   FROM pools pool CROSS JOIN movement WHERE pool.id = $poolId
   WINDOW newer AS (ORDER BY movement.created_at DESC, movement.key DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
   ORDER BY movement.created_at DESC, movement.key DESC OFFSET $offset LIMIT $limit`,
);

/** Counts a pool's movements that are as new as the one with this time and key, or newer; up to `atMost` of each source. */
export const countMovementsUntil = query<
  { count: number },
  { poolId: string; at: string; key: string; atMost: number }
>(
  "credits.countMovementsUntil",
  `SELECT count(*) FROM (
     (SELECT FROM holds WHERE pool_id = $poolId AND (created_at, id) >= ($at::timestamptz, $key) LIMIT $atMost)
     UNION ALL
     (SELECT FROM entries WHERE to_pool = $poolId AND kind IN ('grant', 'transfer', 'release')
        AND (created_at, key) >= ($at::timestamptz, $key) LIMIT $atMost)
     UNION ALL
     (SELECT FROM entries WHERE from_pool = $poolId AND kind IN ('correction', 'transfer')
        AND (created_at, key) >= ($at::timestamptz, $key) LIMIT $atMost)
   ) newer`,
);

/** Returns the available credits of a pool, and those plus its open holds; both of one instant. */
export const findWorth = query<{ available: number; worth: number }>(
  "credits.findWorth",
  `SELECT available, available + held_ever - captured - released AS worth
   FROM pools JOIN pool_outcomes ON pool_id = pools.id WHERE pools.id = $1`,
);

/** The credits added to a pool and removed from it other than by sends, in a quarter of an hour since 1970. */
export type GivenRow = { quarter: number; amount: number; entries: number };

/**
 * Sums the newest $3 entries of a pool since $2 by quarters of an hour, newest first. Releases are counted because they
 * are in the same index, but add nothing to the sum: they return held credits.
 */
export const sumGiven = query<GivenRow>(
  "credits.sumGiven",
  `WITH entry AS (
     (SELECT kind, amount, created_at FROM entries
      WHERE to_pool = $1 AND kind IN ('grant', 'transfer', 'release') AND created_at >= $2 ORDER BY created_at DESC LIMIT $3)
     UNION ALL
     (SELECT kind, -amount, created_at FROM entries
      WHERE from_pool = $1 AND kind IN ('correction', 'transfer') AND created_at >= $2 ORDER BY created_at DESC LIMIT $3)
     ORDER BY created_at DESC LIMIT $3
   )
   SELECT floor(extract(epoch FROM created_at) / 900)::int AS quarter,
          coalesce(sum(amount) FILTER (WHERE kind <> 'release'), 0)::bigint AS amount, count(*) AS entries
   FROM entry GROUP BY 1 ORDER BY 1 DESC`,
);

/** Counts a pool's movements, up to $2. */
export const countMovements = query<{ count: number }>(
  "credits.countMovements",
  `SELECT count(*) FROM (
     (SELECT FROM holds WHERE pool_id = $1 LIMIT $2)
     UNION ALL
     (SELECT FROM entries WHERE to_pool = $1 AND kind IN ('grant', 'transfer', 'release') LIMIT $2)
     UNION ALL
     (SELECT FROM entries WHERE from_pool = $1 AND kind IN ('correction', 'transfer') LIMIT $2)
     LIMIT $2
   ) movement`,
);

// Rows before the mark are already in the sums. The mark is the same for all pools.
const BEHIND = "least($1::timestamptz, (SELECT coalesce(max(until), '-infinity') FROM audit_marks))";

/** Lists up to $2 settled holds from before $1 and before the mark, with the credits that they released. */
export const listOldHolds = query<{ id: string; released: number }>(
  "credits.listOldHolds",
  `SELECT id, released FROM holds WHERE created_at < ${BEHIND} AND captured + released = total LIMIT $2 FOR UPDATE SKIP LOCKED`,
);

export const deleteHolds = query("credits.deleteHolds", "DELETE FROM holds WHERE id = ANY($1::text[])");

// The queries of the life of a batch: taken for a session, written up to an intent, given back, left behind.
import { query } from "../../../platform/database/query.ts";
import type { QueuedMessage } from "./packed.ts";

/** A message with a row of its own. */
export type QueuedRow = Omit<QueuedMessage, "packed" | "counting" | "kind">;

/** The columns of a `QueuedRow`. */
export const QUEUED_COLUMNS = `queued.batch_id AS "batchId", queued.position, queued.account_id AS "accountId", queued.send_id AS "sendId",
          queued.number, queued.pool_id AS "poolId", coalesce(queued.hold_id, queued.send_id) AS "holdId", queued.phone,
          queued.sender, queued.body, queued.segments, queued.price, queued.reference, queued.accepted,
          queued.accepted_by AS "acceptedBy", queued.part_ids AS "partIds", queued.retries,
          queued.losses, queued.unknown_since IS NOT NULL AS unknown`;

/** A batch: `messages` is null if its messages have rows of their own. */
export type BatchRow = {
  id: string;
  lane: number;
  prefix: string;
  account_id: string;
  expires_at: Date;
  intent: number;
  messages: string | null;
  first: number;
  size: number;
  withdrawn: number[] | null;
  canceled: boolean;
  /** How long it has waited to be taken. */
  waited_ms: number;
};

/** The milliseconds since `not_before`. It may be infinity, which PostgreSQL 15 cannot subtract. */
const WAITED_MS = "(extract(epoch FROM now() - least(batch.not_before, now())) * 1000)::bigint";
export const BATCH_COLUMNS = `batch.id, lane, prefix, batch.account_id, expires_at, intent, messages, first, size, withdrawn, canceled,
          ${WAITED_MS} AS waited_ms`;

/**
 * Waiting batches of one lane, prefix and account; only bulk has accounts. `waited_ms` is how long the oldest one has
 * been due; null: none is due.
 */
export type WaitingGroup = { lane: number; prefix: string; account_id: string; waited_ms: number | null };

/**
 * Lists up to `most` groups after a group, by a loose scan of the index: one descent for each group, however
 * many batches it has. It takes 0.03 ms for one group of 10,000 batches, 2.3 ms for 500 groups (EXPLAIN ANALYZE, 2 busy
 * cores, 2026-11-21).
 */
export const listWaiting = query<
  WaitingGroup,
  { most: number; lane: number; prefix: string; accountId: string }
>(
  "sends.listWaiting",
  `WITH RECURSIVE waiting AS (
     (SELECT lane, prefix, account_id, not_before FROM batches
      WHERE session_id IS NULL AND (lane, prefix, account_id) > ($lane, $prefix, $accountId)
      ORDER BY lane, prefix, account_id, not_before, id LIMIT 1)
     UNION ALL
     SELECT next.* FROM waiting CROSS JOIN LATERAL (
       SELECT lane, prefix, account_id, not_before FROM batches batch
       WHERE session_id IS NULL AND (batch.lane, batch.prefix, batch.account_id) > (waiting.lane, waiting.prefix, waiting.account_id)
       ORDER BY lane, prefix, account_id, not_before, id LIMIT 1
     ) next
   )
   SELECT lane, prefix, account_id, CASE WHEN not_before <= now() THEN ${WAITED_MS} END AS waited_ms FROM waiting batch LIMIT $most`,
);

type Wanted = {
  sessionId: string;
  operatorId: string;
  /** The ranges of single sends and one-time passwords: each index of these arrays is one. */
  prefixes: readonly string[];
  fromMs: readonly number[];
  toMs: readonly (number | null)[];
  urgent: number;
  slots: number;
  bulk: readonly { prefix: string; accountId: string; fromMs: number; toMs: number | null; most: number }[];
};

/**
 * Takes free batches for a session, the oldest of each group first: up to `urgent` of single sends for each prefix, 64
 * times that and 256 at most of one-time passwords (whose batches have one message), and up to `most` of bulk of each
 * prefix and account. They have waited for at least `fromMs` and less than `toMs`; null: any time. Also commits the
 * intent for whole new batches that fit into the free slots, so that a small send needs no second cycle before it is
 * written. Four batches take 0.2 ms, whether one account has 10,000 waiting or 1,000 accounts have 10 each (EXPLAIN
 * ANALYZE, 2 busy cores, 2026-11-21).
 */
export const takeBatches = query<BatchRow, Wanted>(
  "sends.takeBatches",
  `WITH RECURSIVE urgent AS (
     (SELECT lane, prefix FROM batches WHERE session_id IS NULL AND lane < 2 AND $urgent > 0 ORDER BY lane, prefix LIMIT 1)
     UNION ALL
     SELECT next.* FROM urgent CROSS JOIN LATERAL (
       SELECT lane, prefix FROM batches batch
       WHERE session_id IS NULL AND lane < 2 AND (batch.lane, batch.prefix) > (urgent.lane, urgent.prefix)
       ORDER BY lane, prefix LIMIT 1
     ) next
   ),
   wanted AS (
     SELECT lane, prefix, '' AS account_id, from_ms, to_ms, CASE lane WHEN 0 THEN least($urgent::int * 64, 256) ELSE $urgent::int END AS most
     FROM urgent
       JOIN unnest($prefixes::text[], $fromMs::bigint[], $toMs::bigint[]) AS range (prefix, from_ms, to_ms) USING (prefix)
     UNION ALL
     SELECT 2, * FROM $bulk(prefix text, account_id text, from_ms bigint, to_ms bigint, most int)
   ),
   due AS MATERIALIZED (
     SELECT lane, prefix, account_id, most, now() - from_ms * interval '1 millisecond' AS until,
            coalesce(now() - to_ms * interval '1 millisecond', '-infinity') AS since
     FROM wanted
   ),
   free AS MATERIALIZED (
     SELECT batch.* FROM due CROSS JOIN LATERAL (
       SELECT id, lane, not_before, segments, intent, first FROM batches
       WHERE session_id IS NULL AND lane = due.lane AND prefix = due.prefix AND account_id = due.account_id
         AND not_before <= due.until AND not_before > due.since AND expires_at > now()
       ORDER BY not_before, id LIMIT due.most FOR UPDATE SKIP LOCKED
     ) batch
   ),
   fitting AS (
     SELECT id, not_before, sum(segments) OVER (ORDER BY lane, not_before, id) <= $slots::int AND intent < first AS whole FROM free
   ),
   taken AS (
     UPDATE batches batch
     SET session_id = $sessionId, operator_id = $operatorId, unknown = false, intent = CASE WHEN whole THEN size ELSE intent END
     FROM fitting WHERE batch.id = fitting.id AND batch.id = ANY(ARRAY(SELECT id FROM free))
     RETURNING ${BATCH_COLUMNS}, fitting.not_before
   )
   SELECT ${BATCH_COLUMNS} FROM taken batch ORDER BY lane, batch.not_before, batch.id`,
);

/** Lists the messages of batches whose messages have rows. */
export const listQueued = query<QueuedRow>(
  "sends.listQueued",
  `SELECT ${QUEUED_COLUMNS}
   FROM unnest($1::text[]) AS wanted (id) CROSS JOIN LATERAL (
     SELECT * FROM message_queue WHERE batch_id = wanted.id OFFSET 0
   ) queued ORDER BY queued.batch_id, queued.position`,
);

/**
 * Returns the last committed cycle of a session, once every transaction of the session has ended. Ensures that no cycle
 * up to `cycle` is committed later, and begins the next term of its leases. No row: the session is over, or does not own
 * its bind, or the database has forgotten its cycle `last`.
 */
export const decideCycles = query<
  { cycle: number; term: number },
  { sessionId: string; cycle: number; last: number }
>(
  "sends.decideCycles",
  `WITH session AS MATERIALIZED (
     SELECT id, turn FROM gateway_sessions owned
     WHERE id = $sessionId AND turn >= $last
       AND EXISTS (SELECT FROM operator_binds WHERE operator_id = owned.operator_id AND session_id = $sessionId)
     FOR UPDATE
   )
   UPDATE gateway_sessions decided SET turn = greatest(session.turn, $cycle::bigint), lease_term = lease_term + 1
   FROM session WHERE decided.id = $sessionId
   RETURNING session.turn AS cycle, lease_term AS term`,
);

/** Lists the canceled ones among these batches of a session. */
export const listCanceled = query<{ id: string }>(
  "sends.listCanceled",
  "SELECT id FROM batches WHERE id = ANY($2::text[]) AND session_id = $1 AND canceled",
);

/** Lists the batches of a session except $3, after a commit whose answer was lost. */
export const listHeldBatches = query<BatchRow>(
  "sends.listHeldBatches",
  `SELECT ${BATCH_COLUMNS} FROM batches batch
   WHERE operator_id = $1 AND session_id = $2 AND id <> ALL($3::text[])
   ORDER BY lane, id`,
);

/** Gives back whole batches of which no message was written. */
export const returnBatches = query(
  "sends.returnBatches",
  `UPDATE batches SET session_id = NULL WHERE id = ANY($2::text[]) AND session_id = $1`,
);

/** Gives back a batch of which nothing was written, although its intent allowed it. */
export const returnLeased = query(
  "sends.returnLeased",
  "UPDATE batches SET session_id = NULL, intent = first - 1 WHERE id = $2 AND session_id = $1",
);

/** A batch that is divided: its messages after the intent get a new batch. `held`: their credits if they are packed. */
type Split = { id: string; newId: string; newSegments: number; held: number };

/** Gives back the messages after the intent of batches, as new batches. The messages keep their positions. */
export const splitBatches = query<never, { sessionId: string; batches: readonly Split[] }>(
  "sends.splitBatches",
  `WITH split AS (
     UPDATE batches batch SET size = batch.intent, held = batch.held - wanted.held
     FROM $batches(id text, new_id text, new_segments int, held bigint) AS wanted (id, new_id, new_segments, held),
          batches before
     WHERE batch.id = wanted.id AND batch.id = ANY($batches.id) AND batch.session_id = $sessionId
       AND before.id = batch.id AND before.id = ANY($batches.id)
     RETURNING batch.*, wanted.new_id, wanted.new_segments, wanted.held AS new_held, before.size AS new_size
   ),
   made AS (
     INSERT INTO batches (id, lane, prefix, account_id, segments, size, not_before, expires_at, canceled,
                          send_id, first_number, last_number, messages, held, first, withdrawn, intent, doubtful)
     SELECT new_id, lane, prefix, account_id, new_segments, new_size, not_before, expires_at, canceled,
            send_id, first_number, last_number, messages, new_held, intent + 1, withdrawn, intent, doubtful
     FROM split
   )
   UPDATE message_queue queued SET batch_id = split.new_id FROM split
   WHERE split.messages IS NULL AND queued.batch_id = split.id AND queued.position > split.intent`,
);

export const insertSession = query(
  "sends.insertSession",
  "INSERT INTO gateway_sessions (id, operator_id) VALUES ($1, $2)",
);

/** Locks the bind of an operator. No row: another session owns it. */
export const lockBind = query(
  "sends.lockBind",
  "SELECT FROM operator_binds WHERE operator_id = $1 AND session_id = $2 FOR UPDATE",
);

/** Ends the sessions of an operator that none of its binds has any more, once their transactions have ended. */
export const deleteOtherSessions = query(
  "sends.deleteOtherSessions",
  `DELETE FROM gateway_sessions
   WHERE operator_id = $1 AND id <> ALL(ARRAY(SELECT session_id FROM operator_binds WHERE operator_id = $1))`,
);

/** Lists and locks the batches of an operator's sessions that none of its binds has any more. */
export const listLeftBatches = query<BatchRow>(
  "sends.listLeftBatches",
  `SELECT ${BATCH_COLUMNS} FROM batches batch
   WHERE operator_id = $1 AND session_id IS NOT NULL
     AND session_id <> ALL(ARRAY(SELECT session_id FROM operator_binds WHERE operator_id = $1))
   ORDER BY id FOR UPDATE`,
);

/** Lists those of these messages that are final, or have rows of their own. */
export const listGone = query<
  { send_id: string; number: number },
  { messages: readonly Pick<QueuedMessage, "accountId" | "sendId" | "number">[] }
>(
  "sends.listGone",
  `SELECT send_id, number FROM recorded_messages($messages.account_id, $messages.send_id, $messages.number)
   UNION ALL
   SELECT send_id, number FROM unnest($messages.send_id, $messages.number) AS wanted (send_id, number)
   WHERE EXISTS (SELECT FROM message_queue WHERE send_id = wanted.send_id AND number = wanted.number OFFSET 0)`,
);

/** Frees batches, and deletes the packed ones that have no messages left. */
export const freeBatches = query(
  "sends.freeBatches",
  `WITH gone AS (
     DELETE FROM batches WHERE id = ANY($1::text[]) AND messages IS NOT NULL AND held = 0
   )
   UPDATE batches SET session_id = NULL WHERE id = ANY($1) AND (messages IS NULL OR held > 0)`,
);

/**
 * Defers messages of unknown fate after a new bind, so that their receipts can arrive before they are sent again: three
 * times at most, since a bind that falls each minute would defer those of all binds of its operator forever.
 */
export const deferUnknown = query(
  "sends.deferUnknown",
  `UPDATE batches SET not_before = greatest(not_before, now() + $2::bigint * interval '1 millisecond'), deferrals = deferrals + 1
   WHERE operator_id = $1 AND unknown AND session_id IS NULL AND deferrals < 3`,
);

/** Lists up to $1 expired batches that no session has and that are not in doubt, except these ($2). */
export const listExpired = query<BatchRow>(
  "sends.listExpired",
  `SELECT ${BATCH_COLUMNS} FROM batches batch
   WHERE expires_at <= now() AND session_id IS NULL AND doubtful IS NULL AND id <> ALL($2::text[])
   ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED`,
);

/** Deletes batches that have no messages left. */
export const deleteEmptyBatches = query<{ id: string }>(
  "sends.deleteEmptyBatches",
  `DELETE FROM batches batch
   WHERE id = ANY($1::text[]) AND session_id IS NULL AND held = 0
     AND NOT EXISTS (SELECT FROM message_queue queued WHERE queued.batch_id = batch.id)
   RETURNING id`,
);

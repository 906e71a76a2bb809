// The queries of taking: they list the accounts that wait, take batches for a session and give them back.
import { query } from "../kernel/database.ts";

export type QueuedMessage = {
  batch_id: string;
  position: number;
  campaign_id: string;
  number: number;
  phone: string;
  sender: string;
  body: string;
  segments: number;
  reference: number;
  accepted: number;
  retries: number;
  losses: number;
};

/** A message of a batch that was just taken. An empty batch comes as one row without a message. */
export type TakenMessage = {
  lane: number;
  prefix: string;
  intent: number;
  account_id: string;
  expires_at: Date;
  batch_id: string;
} & (QueuedMessage | { position: null });

const QUEUED_COLUMNS = `queued.position, queued.campaign_id, queued.number, queued.phone, queued.sender, queued.body,
          queued.segments, queued.reference, queued.accepted, queued.retries, queued.losses`;

/** Waiting batches of one lane, prefix and account; only bulk has accounts. `due` if one of them may be taken now. */
export type WaitingGroup = { lane: number; prefix: string; account_id: string; due: boolean };

/**
 * Lists up to $1 groups after group ($2, $3, $4), by a loose scan of the index: one descent for each group, however
 * many batches it has. It takes 0.03 ms for one group of 10,000 batches, 2.3 ms for 500 groups (EXPLAIN ANALYZE, 2 busy
 * cores, 2026-11-21).
 */
export const listWaiting = query<WaitingGroup>(
  "messages.listWaiting",
  `WITH RECURSIVE waiting AS (
     (SELECT lane, prefix, account_id, not_before FROM message_batches
      WHERE session_id IS NULL AND (lane, prefix, account_id) > ($2, $3, $4)
      ORDER BY lane, prefix, account_id, not_before, id LIMIT 1)
     UNION ALL
     SELECT next.* FROM waiting CROSS JOIN LATERAL (
       SELECT lane, prefix, account_id, not_before FROM message_batches batch
       WHERE session_id IS NULL AND (batch.lane, batch.prefix, batch.account_id) > (waiting.lane, waiting.prefix, waiting.account_id)
       ORDER BY lane, prefix, account_id, not_before, id LIMIT 1
     ) next
   )
   SELECT lane, prefix, account_id, not_before <= now() AS due FROM waiting LIMIT $1`,
);

/**
 * Takes free batches for a session, the oldest of each group first: up to $4 of single sends for each prefix in $3, 64
 * times that of one-time passwords (whose batches have one message), and up to $8 of bulk of prefix $6 and account $7.
 * It also takes the intent for whole new batches that fit into $5 free slots, so that a small send needs no second turn
 * before it is written. Four batches take 0.2 ms, whether one account has 10,000 waiting or 1,000 accounts have 10 each
 * (EXPLAIN ANALYZE, 2 busy cores, 2026-11-21).
 */
export const takeBatches = query<TakenMessage>(
  "messages.takeBatches",
  `WITH RECURSIVE urgent AS (
     (SELECT lane, prefix FROM message_batches WHERE session_id IS NULL AND lane < 2 AND $4 > 0 ORDER BY lane, prefix LIMIT 1)
     UNION ALL
     SELECT next.* FROM urgent CROSS JOIN LATERAL (
       SELECT lane, prefix FROM message_batches batch
       WHERE session_id IS NULL AND lane < 2 AND (batch.lane, batch.prefix) > (urgent.lane, urgent.prefix)
       ORDER BY lane, prefix LIMIT 1
     ) next
   ),
   wanted AS (
     SELECT lane, prefix, '' AS account_id, CASE lane WHEN 0 THEN $4::int * 64 ELSE $4::int END AS most FROM urgent WHERE prefix = ANY($3::text[])
     UNION ALL
     SELECT 2, * FROM unnest($6::text[], $7::text[], $8::int[])
   ),
   free AS MATERIALIZED (
     SELECT batch.* FROM wanted CROSS JOIN LATERAL (
       SELECT id, lane, not_before, segments, intent FROM message_batches
       WHERE session_id IS NULL AND lane = wanted.lane AND prefix = wanted.prefix AND account_id = wanted.account_id
         AND not_before <= now() AND expires_at > now()
       ORDER BY not_before, id LIMIT wanted.most FOR UPDATE SKIP LOCKED
     ) batch
   ),
   fitting AS (
     SELECT id, not_before, sum(segments) OVER (ORDER BY lane, not_before, id) <= $5 AND intent = 0 AS whole FROM free
   ),
   taken AS (
     UPDATE message_batches batch
     SET session_id = $1, operator_id = $2, unknown = false, intent = CASE WHEN whole THEN size ELSE intent END
     FROM fitting WHERE batch.id = fitting.id AND batch.id = ANY(ARRAY(SELECT id FROM free))
     RETURNING batch.id, lane, prefix, account_id, expires_at, intent, whole, fitting.not_before
   )
   SELECT taken.id AS batch_id, lane, prefix, intent, taken.account_id, expires_at, ${QUEUED_COLUMNS}
   FROM taken LEFT JOIN LATERAL (
     SELECT * FROM message_queue WHERE batch_id = taken.id AND (whole OR position > taken.intent) OFFSET 0
   ) queued ON true
   ORDER BY lane, taken.not_before, taken.id, queued.position`,
);

/** Lists what a session has besides the batches $3. It is read after a commit whose answer was lost. */
export const listHeldBatches = query<TakenMessage>(
  "messages.listHeldBatches",
  `SELECT batch.id AS batch_id, lane, prefix, intent, batch.account_id, expires_at, ${QUEUED_COLUMNS}
   FROM message_batches batch LEFT JOIN message_queue queued ON queued.batch_id = batch.id
   WHERE batch.operator_id = $1 AND batch.session_id = $2 AND batch.id <> ALL($3::text[])
   ORDER BY lane, batch.id, queued.position`,
);

/** Gives back whole batches of which nothing is under way. */
export const returnBatches = query(
  "messages.returnBatches",
  `UPDATE message_batches SET session_id = NULL WHERE id = ANY($2::text[]) AND session_id = $1`,
);

/**
 * Gives back the messages after the intent of batches ($2), as new batches ($3) with this many segments ($4). The
 * messages keep their positions, so the new batches keep the size, which is the last position.
 */
export const splitBatches = query(
  "messages.splitBatches",
  `WITH split AS (
     SELECT batch.*, wanted.new_id, wanted.new_segments
     FROM unnest($2::text[], $3::text[], $4::int[]) AS wanted (id, new_id, new_segments)
     JOIN message_batches batch ON batch.id = wanted.id AND batch.session_id = $1
     FOR UPDATE OF batch
   ),
   made AS (
     INSERT INTO message_batches (id, lane, prefix, account_id, segments, size, not_before, expires_at, canceled)
     SELECT new_id, lane, prefix, account_id, new_segments, size, not_before, expires_at, canceled FROM split
   )
   UPDATE message_queue queued SET batch_id = split.new_id FROM split
   WHERE queued.batch_id = split.id AND queued.position > split.intent`,
);

/** Lists those of these batches of which a session still has something to write. */
export const listUnwritten = query<{ id: string }>(
  "messages.listUnwritten",
  `SELECT id FROM message_batches batch
   WHERE id = ANY($2::text[]) AND session_id = $1
     AND EXISTS (SELECT FROM message_queue queued WHERE queued.batch_id = batch.id AND queued.position > batch.intent)`,
);

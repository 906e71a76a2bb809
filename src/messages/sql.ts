// The queries of the queue and of its record: they settle messages, move them and list them.
import { query } from "../kernel/database.ts";
import type { Message } from "./shapes.ts";
import type { WatchedTotal } from "./watch.sql.ts";

/** Fences a turn of the gateway. No row means that another process owns the bind now. */
export const lockOwnership = query<{ owned: boolean }>(
  "messages.lockOwnership",
  `SELECT true AS owned FROM operator_binds WHERE operator_id = $1 AND session_id = $2 FOR SHARE`,
);

/**
 * Commits intents ($2, $3), and deletes batches that are done ($4). Returns the former, and which of them were canceled
 * meanwhile. Returns those of the latter that still have messages, and does not delete them.
 */
export const updateHeldBatches = query<{ id: string; canceled: boolean; unfinished: boolean }>(
  "messages.updateHeldBatches",
  `WITH done AS MATERIALIZED (
     SELECT id, EXISTS (SELECT FROM message_queue queued WHERE queued.batch_id = batch.id) AS unfinished
     FROM message_batches batch WHERE id = ANY($4::text[]) AND session_id = $1
   ),
   gone AS (
     DELETE FROM message_batches batch USING done
     WHERE batch.id = done.id AND batch.id = ANY($4) AND batch.session_id = $1 AND NOT done.unfinished
   ),
   held AS (
     UPDATE message_batches batch SET intent = wanted.intent
     FROM unnest($2::text[], $3::int[]) AS wanted (id, intent)
     WHERE batch.id = wanted.id AND batch.id = ANY($2) AND batch.session_id = $1
     RETURNING batch.id, batch.canceled
   )
   SELECT id, canceled, false AS unfinished FROM held
   UNION ALL
   SELECT id, false, true FROM done WHERE unfinished`,
);

export type SettledSend = {
  account_id: string;
  campaign_id: string;
  pool_id: string;
  sent: number;
  failed: number;
  captured: number;
  released: number;
  /** The numbers of its messages that failed; null if nobody watches the send. */
  watched: number[] | null;
};

/**
 * Makes messages final: moves them from the queue into the record. Returns the counts and the money of each send.
 * `SENT` captures, everything else releases. A message that is no longer in the queue was settled before and counts
 * nowhere.
 */
export const settleMessages = query<SettledSend>(
  "messages.settleMessages",
  `WITH outcome AS (
     SELECT * FROM unnest($2::text[], $3::int[], $4::text[], $5::text[], $6::text[])
       AS outcome (batch_id, position, status, operator_message_id, error)
   ),
   gone AS (
     DELETE FROM message_queue queued USING outcome
     WHERE queued.batch_id = outcome.batch_id AND queued.position = outcome.position AND queued.batch_id = ANY($2)
     RETURNING queued.account_id, queued.campaign_id, queued.number, queued.pool_id, queued.phone, queued.segments,
               queued.price, outcome.status, outcome.operator_message_id, outcome.error
   ),
   recorded AS (
     INSERT INTO messages (account_id, campaign_id, number, phone, status, segments, price, operator_id, operator_message_id, error, sent_at)
     SELECT account_id, campaign_id, number, phone, status, segments, price, $1, operator_message_id, error,
            CASE WHEN status = 'SENT' THEN now() END
     FROM gone
   )
   SELECT settled.account_id, settled.campaign_id, settled.pool_id, settled.sent, settled.failed, captured, released,
          CASE WHEN send.endpoint_id IS NOT NULL THEN coalesce(numbers, '{}') END AS watched
   FROM (
     SELECT account_id, campaign_id, pool_id,
            count(*) FILTER (WHERE status = 'SENT') AS sent,
            count(*) FILTER (WHERE status <> 'SENT') AS failed,
            coalesce(sum(price) FILTER (WHERE status = 'SENT'), 0) AS captured,
            coalesce(sum(price) FILTER (WHERE status <> 'SENT'), 0) AS released,
            array_agg(number) FILTER (WHERE status <> 'SENT') AS numbers
     FROM gone GROUP BY account_id, campaign_id, pool_id
   ) settled LEFT JOIN send_totals send ON send.campaign_id = settled.campaign_id`,
);

/**
 * Counts what became of the messages of sends, in the order of $1. All transactions pass the sends in one order, so
 * that they do not deadlock. Returns the sends that are watched.
 */
export const updateTotals = query<WatchedTotal>(
  "messages.updateTotals",
  `WITH updated AS (
     UPDATE send_totals send
     SET sent = send.sent + counted.sent, failed = send.failed + counted.failed,
         delivered = send.delivered + counted.delivered, undelivered = send.undelivered + counted.undelivered
     FROM unnest($1::text[], $2::int[], $3::int[], $4::int[], $5::int[])
       AS counted (campaign_id, sent, failed, delivered, undelivered)
     WHERE send.campaign_id = counted.campaign_id AND send.campaign_id = ANY($1)
     RETURNING send.campaign_id, send.endpoint_id, send.about, send.total, send.sent, send.failed,
               counted.sent + counted.failed > 0 AS settled
   )
   SELECT * FROM updated WHERE endpoint_id IS NOT NULL`,
);

export type DeliveredSend = {
  account_id: string;
  campaign_id: string;
  delivered: number;
  undelivered: number;
  /** The numbers of all these messages; null if nobody watches the send. */
  watched: number[] | null;
};

/**
 * Applies final receipts to messages that the operator accepted; only the first one counts. Returns the ids that no
 * message has, and the counts of each send whose messages changed, with their numbers if it is watched.
 * An operator may give one id to two messages. Then the message to the receipt's phone comes first, after it one that
 * has no receipt yet, after it the older one.
 * A receipt's age ($6) gives the time of delivery. The operator's clock may be wrong by 5 minutes: a time up to so much
 * before the sending becomes the time of the sending. An earlier time says nothing, and the receipt's arrival counts.
 */
export const applyReceipts = query<{ operator_message_id: string; campaign_id: null } | DeliveredSend>(
  "messages.applyReceipts",
  `WITH receipt AS (
     SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
       AS receipt (operator_message_id, status, error, phone, age_ms)
   ),
   known AS (
     SELECT receipt.*, now() - age_ms * interval '1 millisecond' AS delivered_at, message.account_id, message.campaign_id, message.number, message.status AS before
     FROM receipt CROSS JOIN LATERAL (
       SELECT account_id, campaign_id, number, status FROM messages
       WHERE operator_message_id = receipt.operator_message_id AND operator_id = $1
       ORDER BY (messages.phone = receipt.phone) DESC, (status = 'SENT') DESC, sent_at LIMIT 1
     ) message
   ),
   changed AS (
     UPDATE messages message
     SET status = known.status, error = known.error,
         delivered_at = CASE WHEN known.status <> 'DELIVERED' THEN NULL
                             WHEN known.delivered_at < message.sent_at - interval '5 minutes' THEN now()
                             ELSE greatest(known.delivered_at, message.sent_at) END
     FROM known
     WHERE known.before = 'SENT' AND message.operator_message_id = ANY($2) AND message.account_id = known.account_id AND message.campaign_id = known.campaign_id
       AND message.number = known.number AND message.status = 'SENT'
     RETURNING message.account_id, message.campaign_id, message.number, message.status
   )
   SELECT operator_message_id, NULL AS account_id, NULL AS campaign_id, 0 AS delivered, 0 AS undelivered, NULL::int[] AS watched
   FROM (SELECT operator_message_id FROM receipt EXCEPT SELECT operator_message_id FROM known) unmatched
   UNION ALL
   SELECT NULL, counted.account_id, counted.campaign_id, counted.delivered, counted.undelivered,
          CASE WHEN send.endpoint_id IS NOT NULL THEN numbers END
   FROM (
     SELECT account_id, campaign_id, count(*) FILTER (WHERE status = 'DELIVERED') AS delivered,
            count(*) FILTER (WHERE status <> 'DELIVERED') AS undelivered, array_agg(number) AS numbers
     FROM changed GROUP BY account_id, campaign_id
   ) counted LEFT JOIN send_totals send ON send.campaign_id = counted.campaign_id`,
);

export const insertOrphanReceipts = query(
  "messages.insertOrphanReceipts",
  `INSERT INTO orphan_receipts (operator_id, operator_message_id, status, error, phone, sender, reference)
   SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[])
   ON CONFLICT DO NOTHING`,
);

export const countOrphanReceipts = query<{ count: number }>(
  "messages.countOrphanReceipts",
  `SELECT count(*) FROM orphan_receipts WHERE operator_id = $1`,
);

export type OrphanReceipt = {
  operator_message_id: string;
  status: "DELIVERED" | "UNDELIVERED" | "EXPIRED" | "REJECTED";
  error: string | null;
  phone: string;
  sender: string;
  reference: number | null;
};

/** Takes the orphans that belong to messages accepted just now. */
export const takeOrphanReceipts = query<OrphanReceipt>(
  "messages.takeOrphanReceipts",
  `DELETE FROM orphan_receipts WHERE operator_id = $1 AND operator_message_id = ANY($2::text[])
   RETURNING operator_message_id, status, error, phone, sender, reference`,
);

/** Lists orphans that could be about the messages of unknown fate of an operator. */
export const listOrphansOfUnknown = query<OrphanReceipt>(
  "messages.listOrphansOfUnknown",
  `SELECT operator_message_id, status, error, phone, sender, reference FROM orphan_receipts
   WHERE operator_id = $1 AND phone IN (
     SELECT queued.phone FROM message_batches batch JOIN message_queue queued ON queued.batch_id = batch.id
     WHERE batch.operator_id = $1 AND batch.unknown AND batch.session_id IS NULL
   )
   LIMIT 10000`,
);

export const deleteOldOrphanReceipts = query(
  "messages.deleteOldOrphanReceipts",
  `DELETE FROM orphan_receipts WHERE received_at < now() - interval '7 days'`,
);

/** Lists messages of unknown fate that a receipt could be about, by phone. */
export const listUnknownByPhone = query<{
  batch_id: string;
  position: number;
  phone: string;
  sender: string;
  reference: number;
}>(
  "messages.listUnknownByPhone",
  `SELECT queued.batch_id, queued.position, queued.phone, queued.sender, queued.reference
   FROM message_queue queued JOIN message_batches batch ON batch.id = queued.batch_id
   WHERE queued.unknown_since IS NOT NULL AND queued.phone = ANY($2::text[])
     AND batch.operator_id = $1 AND batch.session_id IS NULL
   LIMIT 10000`,
);

/** Finds a message of unknown fate by its own key, for an answer that came late. */
export const findUnknown = query<{ batch_id: string; position: number }>(
  "messages.findUnknown",
  `SELECT queued.batch_id, queued.position FROM message_queue queued JOIN message_batches batch ON batch.id = queued.batch_id
   WHERE queued.campaign_id = $1 AND queued.number = $2 AND queued.unknown_since IS NOT NULL AND batch.session_id IS NULL`,
);

/**
 * Makes batches for messages that leave theirs, and locks the batches that they leave. A cancel waits for the lock and
 * then finds the new batches. If the cancel came first, the new batches are canceled too.
 */
export const insertMovedBatches = query(
  "messages.insertMovedBatches",
  `INSERT INTO message_batches (id, lane, prefix, account_id, segments, size, operator_id, unknown, canceled, not_before, expires_at)
   SELECT moved.id, batch.lane, batch.prefix, batch.account_id, moved.segments, moved.size, batch.operator_id, moved.unknown,
          batch.canceled, CASE WHEN moved.wait_ms IS NULL OR (batch.canceled AND moved.unknown) THEN 'infinity' ELSE now() + moved.wait_ms * interval '1 millisecond' END,
          coalesce(now() + moved.expire_ms * interval '1 millisecond', batch.expires_at)
   FROM unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::boolean[], $6::bigint[], $7::bigint[])
     AS moved (id, from_batch, segments, size, unknown, wait_ms, expire_ms)
   JOIN message_batches batch ON batch.id = moved.from_batch AND batch.id = ANY($2)
   FOR UPDATE OF batch`,
);

/**
 * Moves messages only into batches that were made. If the batch to leave was gone, its messages stay where they are.
 */
export const moveQueued = query(
  "messages.moveQueued",
  `UPDATE message_queue queued
   SET batch_id = moved.to_batch, position = moved.to_position, accepted = queued.accepted | moved.accepted,
       retries = queued.retries + moved.retried, losses = queued.losses + moved.lost,
       unknown_since = CASE WHEN moved.lost > 0 THEN now() END
   FROM unnest($1::text[], $2::int[], $3::text[], $4::int[], $5::int[], $6::int[], $7::int[])
     AS moved (from_batch, from_position, to_batch, to_position, accepted, retried, lost)
   WHERE queued.batch_id = moved.from_batch AND queued.position = moved.from_position AND queued.batch_id = ANY($1)
     AND EXISTS (SELECT FROM message_batches WHERE id = moved.to_batch)`,
);

/** Lists what a lost session may have written: at most its window, plus messages that the operator had put off. */
export const listPossiblyWritten = query<{
  batch_id: string;
  position: number;
  segments: number;
  losses: number;
  lane: number;
}>(
  "messages.listPossiblyWritten",
  `SELECT queued.batch_id, queued.position, queued.segments, queued.losses, batch.lane
   FROM message_batches batch JOIN message_queue queued ON queued.batch_id = batch.id AND queued.position <= batch.intent
   WHERE batch.operator_id = $1 AND batch.session_id IS NOT NULL AND batch.session_id <> $2
   ORDER BY queued.batch_id, queued.position`,
);

export const freeBatches = query(
  "messages.freeBatches",
  `UPDATE message_batches SET session_id = NULL WHERE operator_id = $1 AND session_id IS NOT NULL AND session_id <> $2`,
);

/** Defers messages of unknown fate after a new bind, so that their receipts can arrive before they are sent again. */
export const deferUnknown = query(
  "messages.deferUnknown",
  `UPDATE message_batches SET not_before = greatest(not_before, now() + $2::bigint * interval '1 millisecond')
   WHERE operator_id = $1 AND unknown AND session_id IS NULL`,
);

/** Lists the messages of batches that are past their time and that no session has. */
export const listExpired = query<{ batch_id: string; position: number; unknown: boolean; canceled: boolean }>(
  "messages.listExpired",
  `WITH expired AS MATERIALIZED (
     SELECT id, canceled FROM message_batches WHERE expires_at <= now() AND session_id IS NULL
     ORDER BY expires_at LIMIT 20 FOR UPDATE SKIP LOCKED
   )
   SELECT queued.batch_id, queued.position, queued.unknown_since IS NOT NULL AS unknown, expired.canceled
   FROM expired JOIN message_queue queued ON queued.batch_id = expired.id`,
);

export const deleteExpiredBatches = query(
  "messages.deleteExpiredBatches",
  `DELETE FROM message_batches batch
   WHERE expires_at <= now() AND session_id IS NULL
     AND NOT EXISTS (SELECT FROM message_queue queued WHERE queued.batch_id = batch.id)`,
);

/**
 * Sums what is held, for messages in batches and for sends not wholly in the queue. Counts the messages in no batch.
 */
export const sumInFlight = query<{ price: number; orphans: number }>(
  "messages.sumInFlight",
  `SELECT (coalesce(sum(price) FILTER (WHERE batch.id IS NOT NULL), 0)
           + (SELECT coalesce(sum(remaining), 0) FROM unqueued_sends))::bigint AS price,
          count(*) FILTER (WHERE batch.id IS NULL) AS orphans
   FROM message_queue queued LEFT JOIN message_batches batch ON batch.id = queued.batch_id`,
);

export type MessageRow = {
  phone: string;
  status: Message["status"];
  segments: number;
  price: number;
  error: string | null;
  sent_at: Date | null;
  delivered_at: Date | null;
};

/**
 * Lists the messages of one send by the numbers of its recipients, whether recorded or still in the queue. Numbers run
 * from 1 without gaps, so a page is a range of the key and the last page costs as much as the first.
 */
export const listMessages = query<MessageRow>(
  "messages.listMessages",
  `SELECT number, phone, status, segments, price, error, sent_at, delivered_at FROM messages
   WHERE account_id = $1 AND campaign_id = $2 AND number BETWEEN $3 AND $4
   UNION ALL
   SELECT queued.number, queued.phone,
          CASE WHEN queued.unknown_since IS NOT NULL THEN 'UNKNOWN'
               WHEN batch.session_id IS NOT NULL AND queued.position <= batch.intent THEN 'SENDING' ELSE 'QUEUED' END,
          queued.segments, queued.price, NULL, NULL, NULL
   FROM message_queue queued JOIN message_batches batch ON batch.id = queued.batch_id
   WHERE queued.account_id = $1 AND queued.campaign_id = $2 AND queued.number BETWEEN $3 AND $4
   ORDER BY number`,
);

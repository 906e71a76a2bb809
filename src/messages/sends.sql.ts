// The queries of whole sends: they put sends into the queue, continue them in steps, and cancel them.
import { query } from "../kernel/database.ts";
import type { WatchedTotal } from "./watch.sql.ts";

/** Inserts batches ($1 to $7), totals of sends ($8, $9, $22, $23) and messages ($10 to $21), in one statement. */
export const insertQueued = query(
  "messages.insertQueued",
  `WITH batches AS (
     INSERT INTO message_batches (id, lane, prefix, account_id, segments, size, expires_at)
     SELECT * FROM unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::int[], $6::int[], $7::timestamptz[])
   ),
   totals AS (
     INSERT INTO send_totals (campaign_id, total, endpoint_id, about)
     SELECT campaign_id, total, endpoint_id, about::json
     FROM unnest($8::text[], $9::int[], $22::text[], $23::text[]) AS send (campaign_id, total, endpoint_id, about)
   )
   INSERT INTO message_queue (batch_id, position, account_id, campaign_id, number, pool_id, phone, sender, body, segments, price, reference)
   SELECT * FROM unnest($10::text[], $11::int[], $12::text[], $13::text[], $14::int[], $15::text[], $16::text[], $17::text[],
                        $18::text[], $19::int[], $20::int[], $21::int[])`,
);

type UnqueuedRow = {
  id: string;
  accountId: string;
  campaignId: string;
  poolId: string;
  remaining: number;
  nextNumber: number;
  cursor: string;
};

const UNQUEUED_COLUMNS = `id, account_id AS "accountId", campaign_id AS "campaignId", pool_id AS "poolId", remaining,
   next_number AS "nextNumber", cursor`;

export const insertUnqueued = query(
  "messages.insertUnqueued",
  `INSERT INTO unqueued_sends (id, account_id, campaign_id, pool_id, remaining, next_number, cursor) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

export const lockUnqueued = query<UnqueuedRow>(
  "messages.lockUnqueued",
  `SELECT ${UNQUEUED_COLUMNS} FROM unqueued_sends ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`,
);

export const lockUnqueuedOf = query<UnqueuedRow>(
  "messages.lockUnqueuedOf",
  `SELECT ${UNQUEUED_COLUMNS} FROM unqueued_sends WHERE id = $1 FOR UPDATE`,
);

export const updateUnqueued = query(
  "messages.updateUnqueued",
  `UPDATE unqueued_sends SET remaining = remaining - $2, next_number = $3, cursor = $4 WHERE id = $1`,
);

/** Raises the total before any of the messages is tried, because a turn that counts more than the total fails. */
export const raiseTotal = query(
  "messages.raiseTotal",
  "UPDATE send_totals SET total = $2 WHERE campaign_id = $1 AND total < $2",
);

export const deleteUnqueued = query("messages.deleteUnqueued", "DELETE FROM unqueued_sends WHERE id = $1");

/** Sets the total of a send. Returns the send if it is watched. */
export const updateTotal = query<WatchedTotal>(
  "messages.updateTotal",
  `WITH updated AS (
     UPDATE send_totals SET total = $2 WHERE campaign_id = $1
     RETURNING campaign_id, endpoint_id, about, total, sent, failed, false AS settled
   )
   SELECT * FROM updated WHERE endpoint_id IS NOT NULL`,
);

/**
 * Lists the batches of bulk and of one-time passwords of a send that are not canceled. Each belongs to one send alone.
 */
export const listBatchesToCancel = query<{ batch_id: string }>(
  "messages.listBatchesToCancel",
  `SELECT batch_id FROM (SELECT DISTINCT batch_id FROM message_queue WHERE campaign_id = $1) AS own
   WHERE EXISTS (SELECT FROM message_batches WHERE id = own.batch_id AND lane <> 1 AND NOT canceled)
   ORDER BY batch_id`,
);

/**
 * Ends the time of these batches, so that whoever finds them settles them. Batches of unknown fate keep their time,
 * since their messages may have been accepted, but they are not sent again.
 */
export const markBatchesCanceled = query<{ id: string }>(
  "messages.markBatchesCanceled",
  `UPDATE message_batches
   SET canceled = true, expires_at = CASE WHEN unknown THEN expires_at ELSE now() END,
       not_before = CASE WHEN unknown THEN 'infinity' ELSE not_before END
   WHERE id = ANY($1::text[]) AND NOT canceled
   RETURNING id`,
);

/** Lists messages of a small send in batches that it shares with others, if no gateway has these batches yet. */
export const listFreeSingles = query<{ batch_id: string; position: number }>(
  "messages.listFreeSingles",
  `SELECT queued.batch_id, queued.position
   FROM message_queue queued JOIN message_batches batch ON batch.id = queued.batch_id
   WHERE queued.account_id = $1 AND queued.campaign_id = $2 AND batch.lane < 2 AND batch.session_id IS NULL
     AND queued.unknown_since IS NULL
   FOR UPDATE`,
);

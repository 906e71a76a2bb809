// The queries that settle messages, and those that move messages to other batches.
import { query } from "../../../platform/database/query.ts";
import type { QueuedMessage } from "../queue/packed.ts";
import type { SubscribedTotal } from "../queue/subscription.sql.ts";

export type SettledSend = {
  account_id: string;
  send_id: string;
  pool_id: string;
  hold_id: string;
  /** The send if it goes to several phones. */
  large_send: string | null;
  status: string;
  error: string | null;
  sent: number;
  failed: number;
  captured: number;
  released: number;
  /** The numbers of its messages that failed; null if the send has no webhook subscription. */
  subscribed: number[] | null;
};

/** Each index of these arrays is one final message with a row of its own. */
type QueuedOutcomes = {
  operatorId: string | null;
  batchIds: readonly string[];
  positions: readonly number[];
  statuses: readonly string[];
  operatorMessageIds: readonly (string | null)[];
  errors: readonly (string | null)[];
};

/**
 * Settles messages that have rows of their own: moves them from the queue into the record. Returns the counts and
 * credits by send, status and error. `SENT` captures, every other status releases. A message that is no longer in the
 * queue was settled before and is not counted.
 */
export const settleQueued = query<SettledSend, QueuedOutcomes>(
  "sends.settleQueued",
  `WITH outcome AS (
     SELECT * FROM unnest($batchIds::text[], $positions::int[], $statuses::text[], $operatorMessageIds::text[],
                          $errors::text[])
       AS outcome (batch_id, position, status, operator_message_id, error)
   ),
   gone AS (
     DELETE FROM message_queue queued USING outcome
     WHERE queued.batch_id = outcome.batch_id AND queued.position = outcome.position AND queued.batch_id = ANY($batchIds)
     RETURNING queued.account_id, queued.send_id, queued.number, queued.pool_id,
               coalesce(queued.hold_id, queued.send_id) AS hold_id, queued.phone, queued.segments,
               queued.price, outcome.status, outcome.operator_message_id, outcome.error
   ),
   recorded AS (
     INSERT INTO messages (account_id, send_id, number, phone, status, segments, price, operator_id, operator_message_id, error, sent_at)
     SELECT account_id, send_id, number, phone, status, segments, price, $operatorId, operator_message_id, error,
            CASE WHEN status = 'SENT' THEN now() END
     FROM gone
   )
   SELECT settled.account_id, settled.send_id, settled.pool_id, settled.hold_id, CASE WHEN send.total > 1 THEN send.id END AS large_send, settled.status, settled.error, settled.sent, settled.failed, captured, released,
          CASE WHEN send.about IS NOT NULL THEN coalesce(numbers, '{}') END AS subscribed
   FROM (
     SELECT account_id, send_id, pool_id, hold_id, status, error,
            count(*) FILTER (WHERE status = 'SENT') AS sent,
            count(*) FILTER (WHERE status <> 'SENT') AS failed,
            coalesce(sum(price) FILTER (WHERE status = 'SENT'), 0) AS captured,
            coalesce(sum(price) FILTER (WHERE status <> 'SENT'), 0) AS released,
            array_agg(number) FILTER (WHERE status <> 'SENT') AS numbers
     FROM gone GROUP BY account_id, send_id, pool_id, hold_id, status, error
   ) settled LEFT JOIN sends send ON send.id = settled.send_id`,
);

/** The credits of the messages of a batch that became final; and its new intent, null if it stays as it is. */
export type SettledPart = { id: string; intent: number | null; settled: number };

/** Each index of the arrays is one final packed message, as a row for each of them would cost more time. */
type PackedOutcomes = {
  sessionId: string | null;
  cycle: number | null;
  /** The cycle before it. */
  prior: number | null;
  operatorId: string | null;
  accountIds: readonly string[];
  sendIds: readonly string[];
  numbers: readonly number[];
  phones: readonly string[];
  statuses: readonly string[];
  segments: readonly number[];
  prices: readonly number[];
  operatorMessageIds: readonly (string | null)[];
  errors: readonly (string | null)[];
  /** The batches that stay, and those that are done: `settled` is all that must be left in them. */
  parts: readonly SettledPart[];
  done: readonly SettledPart[];
};

/**
 * Commits the changes of batches, as a cycle of a session right after the one before (null: of batches that no session
 * has). Records packed messages, commits intents and subtracts the credits of these messages from their batches, and
 * deletes batches that are done, with the credits that must be left in them. Fails if anything differs from the
 * caller's view. Returns those of `parts` that were canceled meanwhile.
 */
export const settlePacked = query<{ canceled: string[] }, PackedOutcomes>(
  "sends.settlePacked",
  `WITH session AS (
     UPDATE gateway_sessions SET turn = $cycle WHERE id = $sessionId AND turn = $prior RETURNING id
   ),
   recorded AS (
     INSERT INTO messages (account_id, send_id, number, phone, status, segments, price, operator_id, operator_message_id, error, sent_at)
     SELECT account_id, send_id, number, phone, status, segments, price, $operatorId, operator_message_id, error,
            CASE WHEN status = 'SENT' THEN now() END
     FROM unnest($accountIds::text[], $sendIds::text[], $numbers::int[], $phones::text[], $statuses::text[],
                 $segments::int[], $prices::int[], $operatorMessageIds::text[], $errors::text[])
       AS outcome (account_id, send_id, number, phone, status, segments, price, operator_message_id, error)
   ),
   held AS (
     UPDATE batches batch SET intent = greatest(batch.intent, part.intent), held = batch.held - part.settled
     FROM $parts(id text, intent int, settled bigint) AS part (id, intent, settled)
     WHERE batch.id = part.id AND batch.id = ANY($parts.id) AND batch.session_id IS NOT DISTINCT FROM $sessionId
       AND batch.held >= part.settled
     RETURNING batch.id, batch.canceled
   ),
   gone AS (
     DELETE FROM batches batch USING $done(id text, settled bigint) AS part (id, settled)
     WHERE batch.id = part.id AND batch.id = ANY($done.id) AND batch.session_id IS NOT DISTINCT FROM $sessionId
       AND batch.held = part.settled
       AND NOT EXISTS (SELECT FROM message_queue queued WHERE queued.batch_id = batch.id)
     RETURNING batch.id
   )
   SELECT coalesce((SELECT array_agg(id) FROM held WHERE canceled), '{}') AS canceled
   WHERE must((SELECT count(*) FROM session) = num_nonnulls($sessionId), 'the session is over, or the cycle before this one is not committed')
     AND must((SELECT count(*) FROM held) = cardinality($parts.id), 'a batch is not as it was')
     AND must((SELECT count(*) FROM gone) = cardinality($done.id), 'a batch is not done')`,
);

/** Takes one message out of a batch that no session has. No row: a session has the batch, or had the message. */
export const withdrawMessage = query<{ id: string }>(
  "sends.withdrawMessage",
  `UPDATE batches SET withdrawn = array_append(withdrawn, $2::int)
   WHERE id = $1 AND session_id IS NULL AND intent < $2 AND held > 0 AND coalesce($2 <> ALL(withdrawn), true)
   RETURNING id`,
);

/** What is added to the totals of a send. */
export type AddedTotal = {
  sendId: string;
  sent: number;
  failed: number;
  delivered: number;
  undelivered: number;
};

/**
 * Adds to the totals of sends, in their order. All transactions pass the sends in one order, so that they do not
 * deadlock. A send cannot count more messages than it has. Returns the sends with a webhook subscription.
 */
export const updateTotals = query<SubscribedTotal, { totals: readonly AddedTotal[] }>(
  "sends.updateTotals",
  `WITH updated AS (
     UPDATE sends send
     SET sent = send.sent + counted.sent, failed = send.failed + counted.failed,
         delivered = send.delivered + counted.delivered, undelivered = send.undelivered + counted.undelivered
     FROM $totals(send_id text, sent int, failed int, delivered int, undelivered int)
       AS counted (id, sent, failed, delivered, undelivered)
     WHERE send.id = counted.id AND send.id = ANY($totals.send_id)
     RETURNING send.id AS send_id, send.endpoint_id, send.listener_id, send.about, send.total, send.sent, send.failed,
               counted.sent + counted.failed > 0 AS settled,
               send.sent + send.failed <= send.total AND send.delivered + send.undelivered <= send.sent AS fits
   )
   SELECT send_id, endpoint_id, listener_id, about, total, sent, failed, settled
   FROM updated WHERE CASE WHEN must(fits, 'a send counts more than it has') THEN about IS NOT NULL END`,
);

/** A batch for messages that leave theirs; see `Move`. `held`: the credits of packed ones. */
export type MovedBatch = {
  id: string;
  fromBatch: string;
  segments: number;
  size: number;
  unknown: boolean;
  waitMs: number | null;
  expireMs: number | null;
  held: number;
  accountId: string | null;
  prefix: string | null;
};

/**
 * Creates batches for messages that leave theirs, and subtracts the credits of packed ones from the batches that they
 * leave. With an account a batch belongs to it, with null to the owner of the batch before; the same holds for the prefix.
 * A cancel waits for these rows and then finds the new batches. If the cancel came first, the new batches are canceled
 * too.
 */
export const insertMovedBatches = query<never, { batches: readonly MovedBatch[] }>(
  "sends.insertMovedBatches",
  `WITH moved AS (
     SELECT * FROM $batches(id text, from_batch text, segments int, size int, unknown boolean, wait_ms bigint,
                            expire_ms bigint, held bigint, account_id text, prefix text)
       AS moved (id, from_batch, segments, size, unknown, wait_ms, expire_ms, held, account_id, prefix)
   ),
   left_batches AS (
     UPDATE batches batch SET held = batch.held - part.held
     FROM (SELECT from_batch, sum(held) AS held FROM moved GROUP BY from_batch ORDER BY from_batch) part
     WHERE batch.id = part.from_batch AND batch.id = ANY($batches.from_batch)
     RETURNING batch.id, batch.lane, batch.prefix, batch.account_id, batch.operator_id, batch.canceled, batch.expires_at, batch.doubtful
   )
   INSERT INTO batches (id, lane, prefix, account_id, segments, size, operator_id, unknown, canceled, not_before, expires_at, doubtful)
   SELECT moved.id, batch.lane, coalesce(moved.prefix, batch.prefix), coalesce(moved.account_id, batch.account_id), moved.segments, moved.size, batch.operator_id, moved.unknown,
          batch.canceled, CASE WHEN moved.wait_ms IS NULL OR (batch.canceled AND moved.unknown) THEN 'infinity' ELSE now() + moved.wait_ms * interval '1 millisecond' END,
          coalesce(now() + moved.expire_ms * interval '1 millisecond', batch.expires_at), batch.doubtful
   FROM left_batches batch JOIN moved ON moved.from_batch = batch.id`,
);

/** A message with a row of its own that moves. `retried` and `lost` are added to its counts; `lost` -1: it was not lost. */
export type MovedMessage = {
  fromBatch: string;
  fromPosition: number;
  toBatch: string;
  toPosition: number;
  accepted: number;
  acceptedBy: string | null;
  retried: number;
  lost: number;
  repeated: boolean;
  partIds: string | null;
};

/**
 * Moves messages with rows of their own, only into batches that were created. If the batch to leave was gone, they stay
 * where they are. A message of unknown fate stays so: refusing the second submission proves nothing about the first.
 */
export const moveQueued = query<never, { messages: readonly MovedMessage[] }>(
  "sends.moveQueued",
  `UPDATE message_queue queued
   SET batch_id = moved.to_batch, position = moved.to_position, accepted = moved.accepted, accepted_by = moved.accepted_by,
       part_ids = moved.part_ids::jsonb,
       retries = queued.retries + moved.retried,
       losses = greatest(queued.losses + moved.lost, CASE WHEN moved.repeated THEN 2 ELSE 0 END),
       unknown_since = CASE WHEN moved.lost > 0 THEN now() WHEN moved.lost = 0 THEN queued.unknown_since END
   FROM $messages(from_batch text, from_position int, to_batch text, to_position int, accepted int, accepted_by text,
                  retried int, lost int, repeated boolean, part_ids text)
     AS moved (from_batch, from_position, to_batch, to_position, accepted, accepted_by, retried, lost, repeated, part_ids)
   WHERE queued.batch_id = moved.from_batch AND queued.position = moved.from_position AND queued.batch_id = ANY($messages.from_batch)
     AND EXISTS (SELECT FROM batches WHERE id = moved.to_batch)`,
);

/** A packed message that leaves its batch, with the ids of its parts as the column stores them. */
export type LeavingMessage = Omit<QueuedMessage, "packed" | "counting" | "kind" | "unknown" | "partIds"> & {
  partIds: string | null;
};

/** Creates rows for messages that leave the batch that packed them. */
export const insertQueued = query<never, { messages: readonly LeavingMessage[] }>(
  "sends.insertQueued",
  `INSERT INTO message_queue (batch_id, position, account_id, send_id, number, pool_id, hold_id, phone, sender, body, segments, price,
                              reference, accepted, accepted_by, part_ids, retries, losses, unknown_since)
   SELECT batch_id, position, account_id, send_id, number, pool_id, hold_id, phone, sender, body, segments, price,
          reference, accepted, accepted_by, part_ids::jsonb, retries, losses, CASE WHEN losses > 0 THEN now() END
   FROM $messages(batch_id text, position int, account_id text, send_id text, number int, pool_id text, hold_id text,
                  phone text, sender text, body text, segments int, price int, reference int, accepted int,
                  accepted_by text, part_ids text, retries int, losses int)
     AS message (batch_id, position, account_id, send_id, number, pool_id, hold_id, phone, sender, body, segments, price,
                 reference, accepted, accepted_by, part_ids, retries, losses)
   WHERE must(EXISTS (SELECT FROM batches WHERE id = message.batch_id), 'the batch of a message that moves is gone')`,
);

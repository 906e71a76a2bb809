// The queries that remove a person from the queue and the record.
import { query } from "../../../platform/database/query.ts";
import { QUEUED_COLUMNS, type QueuedRow } from "../queue/batches.sql.ts";

/** A batch; `messages` is null if it does not contain the phone. */
export type NamingRow = {
  id: string;
  messages: string | null;
  first: number;
  size: number;
  withdrawn: number[] | null;
  intent: number;
  held: boolean;
};

/** Lists up to $3 batches after batch $1, the earliest first, with the messages of those that contain the text $2. */
export const listNaming = query<NamingRow>(
  "sends.listNaming",
  `SELECT id, first, size, withdrawn, intent, session_id IS NOT NULL AS held,
          CASE WHEN strpos(messages, $2) > 0 THEN messages END AS messages
   FROM batches WHERE messages IS NOT NULL AND id > $1 ORDER BY id LIMIT $3`,
);

/** Finds the key of the last of the next $3 messages with rows of their own after a key ($1, $2), if any. */
export const findQueueStep = query<{ batch_id: string; position: number; count: number }>(
  "sends.findQueueStep",
  `SELECT batch_id, position, count(*) OVER () AS count
   FROM (SELECT batch_id, position FROM message_queue WHERE (batch_id, position) > ($1, $2::int)
         ORDER BY batch_id, position LIMIT $3) step
   ORDER BY batch_id DESC, position DESC LIMIT 1`,
);

/** Keys of messages: after one, up to the last one. */
type QueueStep = { batchId: string; position: number; lastBatchId: string; lastPosition: number };

/** Locks the messages to a phone with these keys, and their batches. */
export const lockQueuedTo = query<QueuedRow & { held: boolean }, QueueStep & { phone: string }>(
  "sends.lockQueuedTo",
  `SELECT ${QUEUED_COLUMNS}, batch.session_id IS NOT NULL AS held
   FROM message_queue queued JOIN batches batch ON batch.id = queued.batch_id
   WHERE (queued.batch_id, queued.position) > ($batchId, $position::int)
     AND (queued.batch_id, queued.position) <= ($lastBatchId, $lastPosition::int)
     AND queued.phone = $phone
   ORDER BY queued.batch_id, queued.position FOR UPDATE`,
);

/** A recorded message, by its key. */
export type RecordedKey = { account_id: string; send_id: string; number: number };

/** The ids of sends from one up to another one. */
type Sends = { from: string; to: string };
type Key = { accountId: string; sendId: string; number: number };

/**
 * Lists recorded messages to a phone, after a key. They are found by the summary of the phones (migration 0009), so
 * they are sorted afterwards.
 */
export const listRecordedTo = query<RecordedKey, Sends & Key & { phone: string; limit: number }>(
  "sends.listRecordedTo",
  `WITH theirs AS MATERIALIZED (
     SELECT account_id, send_id, number FROM messages WHERE phone = $phone AND send_id >= $from AND send_id < $to
   )
   SELECT account_id, send_id, number FROM theirs WHERE (account_id, send_id, number) > ($accountId, $sendId, $number::int)
   ORDER BY account_id, send_id, number LIMIT $limit`,
);

// The id of a message to which its operator gave none ends with the last digits of the phone (`referenceId`). Once it
// is removed, a later receipt finds no message.
const NAMELESS_ID =
  "CASE WHEN message.operator_message_id NOT LIKE '#%@%' THEN message.operator_message_id END";

/** Replaces the phones of these messages. */
export const updateErased = query<RecordedKey, Sends & { keys: readonly Key[]; phone: string }>(
  "sends.updateErased",
  `UPDATE messages message SET phone = $phone, operator_message_id = ${NAMELESS_ID}
   FROM $keys(account_id text, send_id text, number int) AS wanted (account_id, send_id, number)
   WHERE message.account_id = wanted.account_id AND message.send_id = wanted.send_id AND message.number = wanted.number
     AND message.send_id >= $from AND message.send_id < $to
   RETURNING message.account_id, message.send_id, message.number`,
);

/** Lists those of these sends to which an endpoint is subscribed. */
export const listSubscribed = query<{ send_id: string; endpoint_id: string }>(
  "sends.listSubscribed",
  `SELECT id AS send_id, endpoint_id FROM sends WHERE id = ANY($1::text[]) AND endpoint_id IS NOT NULL`,
);

/** Replaces the phones of the next messages of an account after a key; returns the last key. */
export const eraseNext = query<{ send_id: string; number: number }, Key & { phone: string; limit: number }>(
  "sends.eraseNext",
  `WITH step AS MATERIALIZED (
     SELECT account_id, send_id, number FROM messages
     WHERE account_id = $accountId AND send_id >= $sendId AND (send_id, number) > ($sendId, $number::int)
     ORDER BY account_id, send_id, number LIMIT $limit
   ),
   erased AS (
     UPDATE messages message SET phone = $phone, operator_message_id = ${NAMELESS_ID} FROM step
     WHERE message.account_id = step.account_id AND message.send_id = step.send_id AND message.number = step.number
       AND message.phone <> $phone
   )
   SELECT send_id, number FROM step ORDER BY send_id DESC, number DESC LIMIT 1`,
);

/** Removes `callbackData` from the event data of these sends ($1). The rows are locked in the common order. */
export const dropCallbackData = query(
  "sends.dropCallbackData",
  `UPDATE sends SET about = (about::jsonb - 'callbackData')::json WHERE id = ANY(ARRAY(
     SELECT id FROM sends WHERE id = ANY($1::text[]) AND about->'callbackData' IS NOT NULL ORDER BY id FOR NO KEY UPDATE))`,
);

/** Deletes those of these sends ($1) that are one-time passwords. The rows are locked in the common order. */
export const deleteCodes = query(
  "sends.deleteCodes",
  `DELETE FROM sends WHERE id = ANY(ARRAY(
     SELECT id FROM sends WHERE id = ANY($1::text[]) AND about->'token' IS NOT NULL ORDER BY id FOR UPDATE))`,
);

// The queries that find queued messages to a phone.
import { query } from "../../../platform/database/query.ts";
import type { NamingRow } from "../settlement/erase.sql.ts";

/**
 * Lists up to `most` batches that may carry messages of an account (null: of any), the newest first, with the messages
 * of those that contain a text, among the newest batches of all. The key of the table has their order, so batches need
 * no further index.
 */
export const listNamingNewest = query<
  NamingRow,
  { accountId: string | null; text: string; lookedAt: number; most: number }
>(
  "sends.listNamingNewest",
  `SELECT id, first, size, withdrawn, intent, session_id IS NOT NULL AS held,
          CASE WHEN strpos(messages, $text) > 0 THEN messages END AS messages
   FROM (SELECT * FROM batches ORDER BY id DESC LIMIT $lookedAt) newest
   WHERE messages IS NOT NULL AND ($accountId::text IS NULL OR account_id = $accountId OR account_id = '')
   ORDER BY id DESC LIMIT $most`,
);

export type QueuedToRow = {
  account_id: string;
  send_id: string;
  number: number;
  status: "QUEUED" | "SENDING" | "UNKNOWN";
  segments: number;
  price: number;
};

/**
 * Lists messages with rows of their own to a phone ($2) of an account ($1; null: of all): those among the newest $3,
 * and all of unknown fate, which have an index.
 */
export const listQueuedTo = query<QueuedToRow>(
  "sends.listQueuedTo",
  `SELECT queued.account_id, queued.send_id, queued.number,
          CASE WHEN queued.unknown_since IS NOT NULL THEN 'UNKNOWN'
               WHEN batch.session_id IS NOT NULL AND queued.position <= batch.intent THEN 'SENDING' ELSE 'QUEUED' END AS status,
          queued.segments, queued.price
   FROM (
     SELECT * FROM (SELECT * FROM message_queue ORDER BY batch_id DESC, position DESC LIMIT $3) newest
     WHERE phone = $2 AND unknown_since IS NULL
     UNION ALL
     SELECT * FROM message_queue WHERE unknown_since IS NOT NULL AND right(phone, 7) = right($2, 7) AND phone = $2
   ) queued JOIN batches batch ON batch.id = queued.batch_id
   WHERE $1::text IS NULL OR queued.account_id = $1`,
);

/** Counts queued messages, up to $1 batches and $2 messages with rows of their own. */
export const countQueued = query<{ batches: number; rows: number }>(
  "sends.countQueued",
  `SELECT (SELECT count(*) FROM (SELECT FROM batches LIMIT $1) few) AS batches,
          (SELECT count(*) FROM (SELECT FROM message_queue LIMIT $2) few) AS rows`,
);

// The queries that find the queued messages of an account or to a phone, the newest first.
import { query } from "../../../platform/database/query.ts";
import type { NamingRow } from "../settlement/erase.sql.ts";

/** A queued message. */
export type FoundQueuedRow = {
  account_id: string;
  send_id: string;
  number: number;
  phone: string;
  status: "QUEUED" | "SENDING" | "UNKNOWN";
  segments: number;
  price: number;
};

const COLUMNS = `queued.account_id, queued.send_id, queued.number, queued.phone,
          CASE WHEN queued.unknown_since IS NOT NULL THEN 'UNKNOWN'
               WHEN batch.session_id IS NOT NULL AND queued.position <= batch.intent THEN 'SENDING' ELSE 'QUEUED' END AS status,
          queued.segments, queued.price`;

/**
 * Lists up to `most` batches with messages of an account in sends with ids up to one, the newest first, among the
 * newest batches of all. Sends to one phone share batches; their text contains the account.
 */
export const listNewestOf = query<
  NamingRow,
  { accountId: string; upTo: string; lookedAt: number; most: number }
>(
  "sends.listNewestOf",
  `SELECT id, first, size, withdrawn, intent, session_id IS NOT NULL AS held, messages
   FROM (SELECT * FROM batches ORDER BY id DESC LIMIT $lookedAt) newest
   WHERE messages IS NOT NULL AND coalesce(send_id, id) <= $upTo
     AND (account_id = $accountId OR account_id = '') AND strpos(messages, '"' || $accountId || '"') > 0
   ORDER BY id DESC LIMIT $most`,
);

/** Lists messages with rows of their own of an account ($1) in sends with ids up to $2, among the newest $3 of all. */
export const listQueuedOf = query<FoundQueuedRow>(
  "sends.listQueuedOf",
  `SELECT ${COLUMNS}
   FROM (SELECT * FROM message_queue WHERE send_id <= $2 ORDER BY send_id DESC, number DESC LIMIT $3) queued
   JOIN batches batch ON batch.id = queued.batch_id
   WHERE queued.account_id = $1`,
);

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

/**
 * Lists messages with rows of their own to a phone ($2) of an account ($1; null: of all): those among the newest $3,
 * and all of unknown fate, which have an index.
 */
export const listQueuedTo = query<FoundQueuedRow>(
  "sends.listQueuedTo",
  `SELECT ${COLUMNS}
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

// The queries that find the queued messages of an account, the newest first.
import { query } from "../../../platform/database/query.ts";
import type { NamingRow } from "../settlement/erase.sql.ts";
import type { QueuedToRow } from "./queuedto.sql.ts";

/** A queued message with its phone. */
export type QueuedOfRow = QueuedToRow & { phone: string };

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
export const listQueuedOf = query<QueuedOfRow>(
  "sends.listQueuedOf",
  `SELECT queued.account_id, queued.send_id, queued.number, queued.phone,
          CASE WHEN queued.unknown_since IS NOT NULL THEN 'UNKNOWN'
               WHEN batch.session_id IS NOT NULL AND queued.position <= batch.intent THEN 'SENDING' ELSE 'QUEUED' END AS status,
          queued.segments, queued.price
   FROM (SELECT * FROM message_queue WHERE send_id <= $2 ORDER BY send_id DESC, number DESC LIMIT $3) queued
   JOIN batches batch ON batch.id = queued.batch_id
   WHERE queued.account_id = $1`,
);

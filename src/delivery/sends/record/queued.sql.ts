// The queries that find the queued sends of accounts.
import { query } from "../../../platform/database/query.ts";
import type { PackedRow } from "../queue/find.sql.ts";

/** `isHeld`: a session has the batch of its message, which messages of other accounts may share. */
export type QueuedSend = { accountId: string; sendId: string; isHeld: boolean };

/**
 * Lists up to $3 sends of accounts after send $2 that have batches of their own, or messages that left their batches.
 * It reads the whole queue, which is short beside the record. Messages of unknown fate are left out: whether they are
 * sent is unknown.
 */
export const listQueuedSends = query<QueuedSend>(
  "sends.listQueuedSends",
  `SELECT account_id AS "accountId", send_id AS "sendId", bool_or(is_held) AS "isHeld" FROM (
     SELECT account_id, send_id, false AS is_held FROM batches
     WHERE lane = 2 AND account_id = ANY($1::text[]) AND send_id > $2 AND NOT canceled
     UNION ALL
     SELECT queued.account_id, queued.send_id, batch.lane < 2 AND batch.session_id IS NOT NULL
     FROM message_queue queued JOIN batches batch ON batch.id = queued.batch_id
     WHERE queued.account_id = ANY($1) AND queued.send_id > $2 AND queued.unknown_since IS NULL AND NOT batch.canceled
   ) queued GROUP BY account_id, send_id ORDER BY send_id LIMIT $3`,
);

/** Lists up to $2 batches before batch $1 that sends to one phone share, the latest first. */
export const listSharedBefore = query<PackedRow>(
  "sends.listSharedBefore",
  `SELECT id, messages, first, size, withdrawn, intent, session_id IS NOT NULL AS held FROM batches
   WHERE send_id IS NULL AND messages IS NOT NULL AND id < $1 ORDER BY id DESC LIMIT $2`,
);

// The queries of the parts of long messages: the operators' ids of them, and the results of their receipts.
import { query } from "../../../platform/database/query.ts";
import type { AnsweredMessage, AnsweredWith } from "./receipts.sql.ts";

/** A part of a message that an operator accepted. `id`: the operator's. */
type AcceptedPart = { accountId: string; sendId: string; number: number; part: number; id: string };

export const insertParts = query<never, { operatorId: string; parts: readonly AcceptedPart[] }>(
  "sends.insertParts",
  `INSERT INTO message_parts (operator_id, account_id, send_id, number, part, operator_message_id)
   SELECT $operatorId, * FROM $parts(account_id text, send_id text, number int, part smallint, id text)`,
);

/** A part of a recorded message, by the operator's id. */
export type PartRow = {
  operator_message_id: string;
  account_id: string;
  send_id: string;
  number: number;
  part: number;
};

/** Lists the parts to which operators gave these ids, of sends with ids from one on. */
export const listParts = query<PartRow, AnsweredWith>(
  "sends.listParts",
  `SELECT operator_message_id, account_id, send_id, number, part FROM message_parts
   WHERE operator_message_id = ANY($ids::text[]) AND operator_id = ANY($operatorIds::text[]) AND send_id >= $fromId`,
);

/** Lists recorded messages by their whole keys: each index of these arrays is one. */
export const listByKeys = query<
  AnsweredMessage,
  { accountIds: readonly string[]; sendIds: readonly string[]; numbers: readonly number[] }
>(
  "sends.listByKeys",
  `SELECT operator_message_id, operator_id, account_id, send_id, number, phone, status, segments, sent_at
   FROM recorded_messages($accountIds, $sendIds, $numbers)`,
);

export type MarkedMessage = {
  account_id: string;
  send_id: string;
  number: number;
  status: "SENT" | "DELIVERED";
  delivered_parts: number;
};

/** The parts of a message that receipts report as delivered, one bit each. */
type DeliveredParts = { accountId: string; sendId: string; number: number; delivered: number };

/** Adds delivered parts to messages, of sends with ids from one on, and locks them. Returns all delivered so far. */
export const markParts = query<MarkedMessage, { sums: readonly DeliveredParts[]; fromId: string }>(
  "sends.markParts",
  `UPDATE messages message SET delivered_parts = coalesce(message.delivered_parts, 0) | said.parts
   FROM $sums(account_id text, send_id text, number int, delivered int) AS said (account_id, send_id, number, parts)
   WHERE message.account_id = said.account_id AND message.send_id = said.send_id AND message.number = said.number
     AND message.status IN ('SENT', 'DELIVERED') AND message.send_id >= $fromId
   RETURNING message.account_id, message.send_id, message.number, message.status, message.delivered_parts`,
);

/** Deletes up to $2 parts of sends with ids before $1. */
export const deleteOldParts = query<{ count: number }>(
  "sends.deleteOldParts",
  `WITH gone AS (
     DELETE FROM message_parts WHERE ctid = ANY(ARRAY(SELECT ctid FROM message_parts WHERE send_id < $1 LIMIT $2)) RETURNING 1)
   SELECT count(*) AS count FROM gone`,
);

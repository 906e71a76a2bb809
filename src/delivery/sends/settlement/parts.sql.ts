// The queries of the parts of long messages: the operators' ids of them, and the results of their receipts.
import { query } from "../../../platform/database/query.ts";
import type { AnsweredMessage } from "./receipts.sql.ts";

export const insertParts = query(
  "sends.insertParts",
  `INSERT INTO message_parts (operator_id, account_id, send_id, number, part, operator_message_id)
   SELECT $1, * FROM unnest($2::text[], $3::text[], $4::int[], $5::smallint[], $6::text[])`,
);

/** A part of a recorded message, by the operator's id. */
export type PartRow = {
  operator_message_id: string;
  account_id: string;
  send_id: string;
  number: number;
  part: number;
};

/** Lists the parts to which operators ($1) gave these ids ($2), of sends with ids from $3 on. */
export const listParts = query<PartRow>(
  "sends.listParts",
  `SELECT operator_message_id, account_id, send_id, number, part FROM message_parts
   WHERE operator_message_id = ANY($2::text[]) AND operator_id = ANY($1::text[]) AND send_id >= $3`,
);

/** Lists recorded messages by their whole keys. */
export const listByKeys = query<AnsweredMessage>(
  "sends.listByKeys",
  `SELECT operator_message_id, operator_id, account_id, send_id, number, phone, status, segments, sent_at
   FROM recorded_messages($1, $2, $3)`,
);

export type MarkedMessage = {
  account_id: string;
  send_id: string;
  number: number;
  status: "SENT" | "DELIVERED";
  delivered_parts: number;
};

/**
 * Adds delivered parts ($4, one bit each) to messages, of sends with ids from $5 on, and locks them. Returns all parts
 * delivered so far.
 */
export const markParts = query<MarkedMessage>(
  "sends.markParts",
  `UPDATE messages message SET delivered_parts = coalesce(message.delivered_parts, 0) | said.parts
   FROM unnest($1::text[], $2::text[], $3::int[], $4::int[]) AS said (account_id, send_id, number, parts)
   WHERE message.account_id = said.account_id AND message.send_id = said.send_id AND message.number = said.number
     AND message.status IN ('SENT', 'DELIVERED') AND message.send_id >= $5
   RETURNING message.account_id, message.send_id, message.number, message.status, message.delivered_parts`,
);

/** Deletes up to $2 parts of sends with ids before $1. */
export const deleteOldParts = query<{ count: number }>(
  "sends.deleteOldParts",
  `WITH gone AS (
     DELETE FROM message_parts WHERE ctid = ANY(ARRAY(SELECT ctid FROM message_parts WHERE send_id < $1 LIMIT $2)) RETURNING 1)
   SELECT count(*) AS count FROM gone`,
);

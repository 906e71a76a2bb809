// The queries of receipts that are stored without a message ("orphans").
import { query } from "../../platform/database/query.ts";

export const insertOrphanReceipts = query(
  "gateway.insertOrphanReceipts",
  `INSERT INTO orphan_receipts (operator_id, operator_message_id, status, error, phone, sender, reference, text_id)
   SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::text[])
   ON CONFLICT DO NOTHING`,
);

export const countOrphanReceipts = query<{ count: number }>(
  "gateway.countOrphanReceipts",
  `SELECT count(*) FROM orphan_receipts WHERE operator_id = ANY($1::text[])`,
);

/** Counts receipts without a message by operator, $1 at most in all. */
export const countOrphansByOperator = query<{ operator_id: string; count: number }>(
  "gateway.countOrphansByOperator",
  `SELECT operator_id, count(*) AS count FROM (SELECT operator_id FROM orphan_receipts LIMIT $1) kept
   GROUP BY operator_id`,
);

export type OrphanReceipt = {
  operator_message_id: string;
  status: "DELIVERED" | "UNDELIVERED" | "EXPIRED" | "REJECTED";
  error: string | null;
  phone: string;
  sender: string;
  reference: number | null;
  /** The id in the text of the receipt, if it differs. */
  text_id: string | null;
  /** How long ago it arrived. */
  waited_ms: number;
};

/** A stored receipt with the operator that sent it. */
export type SentReceipt = OrphanReceipt & { operator_id: string };

const ORPHAN_COLUMNS =
  "operator_message_id, status, error, phone, sender, reference, text_id, (extract(epoch FROM now() - received_at) * 1000)::bigint AS waited_ms";

/**
 * Takes the orphans that belong to messages accepted just now. Skips those that are being applied again
 * (`listRecentOrphans`).
 */
export const takeOrphanReceipts = query<OrphanReceipt>(
  "gateway.takeOrphanReceipts",
  `DELETE FROM orphan_receipts WHERE (operator_id, operator_message_id) IN (
     SELECT operator_id, operator_message_id FROM orphan_receipts
     WHERE operator_id = ANY($1::text[]) AND (operator_message_id = ANY($2::text[]) OR text_id = ANY($2::text[]))
     FOR UPDATE SKIP LOCKED)
   RETURNING ${ORPHAN_COLUMNS}`,
);

/** Takes orphans of messages to which the operator gave no id, by their ids ($2) in the form of `referenceId`. */
export const takeOrphansByReference = query<OrphanReceipt>(
  "gateway.takeOrphansByReference",
  `DELETE FROM orphan_receipts WHERE (operator_id, operator_message_id) IN (
     SELECT operator_id, operator_message_id FROM orphan_receipts
     WHERE operator_id = ANY($1::text[]) AND right(phone, 7) = ANY($3::text[])
       AND '#' || reference || '@' || right(phone, 7) = ANY($2::text[]) FOR UPDATE SKIP LOCKED)
   RETURNING ${ORPHAN_COLUMNS}`,
);

/** Lists orphans that may belong to these phones, by their last seven digits. */
export const listOrphansByPhone = query<SentReceipt>(
  "gateway.listOrphansByPhone",
  `SELECT operator_id, ${ORPHAN_COLUMNS} FROM orphan_receipts
   WHERE operator_id = ANY($1::text[]) AND right(phone, 7) = ANY($2::text[])
   LIMIT 10000`,
);

/** Lists and locks orphans of the last $4 milliseconds, the oldest first. Skips those that are already locked. */
export const listRecentOrphans = query<SentReceipt>(
  "gateway.listRecentOrphans",
  `SELECT operator_id, ${ORPHAN_COLUMNS} FROM orphan_receipts
   WHERE operator_id = ANY($1::text[]) AND received_at > now() - $4::bigint * interval '1 millisecond'
   ORDER BY received_at LIMIT $2 OFFSET $3 FOR UPDATE SKIP LOCKED`,
);

export const deleteOrphanReceipts = query(
  "gateway.deleteOrphanReceipts",
  `DELETE FROM orphan_receipts orphan USING unnest($1::text[], $2::text[]) AS used (operator_id, operator_message_id)
   WHERE orphan.operator_id = used.operator_id AND orphan.operator_message_id = used.operator_message_id`,
);

export const deleteOldOrphanReceipts = query(
  "gateway.deleteOldOrphanReceipts",
  `DELETE FROM orphan_receipts WHERE received_at < now() - interval '7 days'`,
);

/** Stores a part of a receipt. A later part with the same number replaces an earlier one. */
export const upsertReceiptPart = query(
  "gateway.upsertReceiptPart",
  `INSERT INTO receipt_parts (operator_id, phone, address, reference, total, number, octets)
   VALUES ($1, $2, $3, $4, $5, $6, $7)
   ON CONFLICT (operator_id, phone, address, reference, total, number)
   DO UPDATE SET octets = excluded.octets, received_at = now()`,
);

/** How long the parts of a receipt wait for each other: references repeat after 256 of them. */
const PARTS_WAIT = "interval '10 minutes'";
const PARTS_OF_RECEIPT =
  "operator_id = ANY($1::text[]) AND phone = $2 AND address = $3 AND reference = $4 AND total = $5";

/** Lists the stored parts of a receipt, in order. */
export const listReceiptParts = query<{ number: number; octets: Buffer }>(
  "gateway.listReceiptParts",
  `SELECT number, octets FROM receipt_parts WHERE ${PARTS_OF_RECEIPT} AND received_at > now() - ${PARTS_WAIT}
   ORDER BY number, received_at`,
);

export const deleteReceiptParts = query(
  "gateway.deleteReceiptParts",
  `DELETE FROM receipt_parts WHERE ${PARTS_OF_RECEIPT}`,
);

export const deleteOldReceiptParts = query(
  "gateway.deleteOldReceiptParts",
  `DELETE FROM receipt_parts WHERE received_at < now() - ${PARTS_WAIT}`,
);

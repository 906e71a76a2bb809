// The queries of receipts that are stored without a message ("orphans").
import { query } from "../../platform/database/query.ts";

type NewOrphan = {
  operatorMessageId: string;
  status: OrphanReceipt["status"];
  error: string | null;
  phone: string;
  sender: string;
  reference: number | null;
  textId: string | null;
};

export const insertOrphanReceipts = query<never, { operatorId: string; receipts: readonly NewOrphan[] }>(
  "gateway.insertOrphanReceipts",
  `INSERT INTO orphan_receipts (operator_id, operator_message_id, status, error, phone, sender, reference, text_id)
   SELECT $operatorId, *
   FROM $receipts(operator_message_id text, status text, error text, phone text, sender text, reference int, text_id text)
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

type RecentOrphans = { operatorIds: readonly string[]; withinMs: number; limit: number; offset: number };

/** Lists and locks recent orphans, the oldest first. Skips those that are already locked. */
export const listRecentOrphans = query<SentReceipt, RecentOrphans>(
  "gateway.listRecentOrphans",
  `SELECT operator_id, ${ORPHAN_COLUMNS} FROM orphan_receipts
   WHERE operator_id = ANY($operatorIds::text[]) AND received_at > now() - $withinMs::bigint * interval '1 millisecond'
   ORDER BY received_at LIMIT $limit OFFSET $offset FOR UPDATE SKIP LOCKED`,
);

type OrphanKey = { operatorId: string; operatorMessageId: string };

export const deleteOrphanReceipts = query<never, { used: readonly OrphanKey[] }>(
  "gateway.deleteOrphanReceipts",
  `DELETE FROM orphan_receipts orphan
   USING $used(operator_id text, operator_message_id text) AS used (operator_id, operator_message_id)
   WHERE orphan.operator_id = used.operator_id AND orphan.operator_message_id = used.operator_message_id`,
);

/**
 * Deletes up to $1 receipts of more than 7 days. The index has their times in UTC, so that no list of an account's recent
 * receipts goes through those of all operators.
 */
export const deleteOldOrphanReceipts = query<{ operator_id: string }>(
  "gateway.deleteOldOrphanReceipts",
  `DELETE FROM orphan_receipts USING (
     SELECT operator_id, operator_message_id FROM orphan_receipts
     WHERE received_at AT TIME ZONE 'UTC' < now() AT TIME ZONE 'UTC' - interval '7 days'
     ORDER BY received_at AT TIME ZONE 'UTC' LIMIT $1
   ) old
   WHERE orphan_receipts.operator_id = old.operator_id AND orphan_receipts.operator_message_id = old.operator_message_id
   RETURNING orphan_receipts.operator_id`,
);

/** A receipt in parts: its phone, the address that it was sent to, and the reference and number of its parts. */
type SplitReceipt = { phone: string; address: string; reference: string; total: number };

/** Stores a part of a receipt. A later part with the same number replaces an earlier one. */
export const upsertReceiptPart = query<
  never,
  SplitReceipt & { operatorId: string; number: number; octets: Buffer }
>(
  "gateway.upsertReceiptPart",
  `INSERT INTO receipt_parts (operator_id, phone, address, reference, total, number, octets)
   VALUES ($operatorId, $phone, $address, $reference, $total, $number, $octets)
   ON CONFLICT (operator_id, phone, address, reference, total, number)
   DO UPDATE SET octets = excluded.octets, received_at = now()`,
);

/** How long the parts of a receipt wait for each other: references repeat after 256 of them. */
const PARTS_WAIT = "interval '10 minutes'";
const PARTS_OF_RECEIPT =
  "operator_id = ANY($operatorIds::text[]) AND phone = $phone AND address = $address AND reference = $reference AND total = $total";
type PartsOfReceipt = SplitReceipt & { operatorIds: readonly string[] };

/** Lists the stored parts of a receipt, in order. */
export const listReceiptParts = query<{ number: number; octets: Buffer }, PartsOfReceipt>(
  "gateway.listReceiptParts",
  `SELECT number, octets FROM receipt_parts WHERE ${PARTS_OF_RECEIPT} AND received_at > now() - ${PARTS_WAIT}
   ORDER BY number, received_at`,
);

export const deleteReceiptParts = query<never, PartsOfReceipt>(
  "gateway.deleteReceiptParts",
  `DELETE FROM receipt_parts WHERE ${PARTS_OF_RECEIPT}`,
);

/** Deletes up to $1 parts that have waited too long. */
export const deleteOldReceiptParts = query<{ operator_id: string }>(
  "gateway.deleteOldReceiptParts",
  `DELETE FROM receipt_parts part USING (
     SELECT operator_id, phone, address, reference, total, number FROM receipt_parts
     WHERE received_at < now() - ${PARTS_WAIT} ORDER BY received_at LIMIT $1
   ) old
   WHERE part.operator_id = old.operator_id AND part.phone = old.phone AND part.address = old.address
     AND part.reference = old.reference AND part.total = old.total AND part.number = old.number
   RETURNING part.operator_id`,
);

/** Counts those of these sessions that no later session has recovered. */
export const countSessions = query<{ count: number }>(
  "gateway.countSessions",
  "SELECT count(*) AS count FROM gateway_sessions WHERE id = ANY($1::text[])",
);

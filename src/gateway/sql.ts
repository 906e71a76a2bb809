// The queries of receipts that are kept without a message.
import { query } from "../kernel/database.ts";

export const insertOrphanReceipts = query(
  "gateway.insertOrphanReceipts",
  `INSERT INTO orphan_receipts (operator_id, operator_message_id, status, error, phone, sender, reference)
   SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[])
   ON CONFLICT DO NOTHING`,
);

export const countOrphanReceipts = query<{ count: number }>(
  "gateway.countOrphanReceipts",
  `SELECT count(*) FROM orphan_receipts WHERE operator_id = $1`,
);

export type OrphanReceipt = {
  operator_message_id: string;
  status: "DELIVERED" | "UNDELIVERED" | "EXPIRED" | "REJECTED";
  error: string | null;
  phone: string;
  sender: string;
  reference: number | null;
};

/** Takes the orphans that belong to messages accepted just now. */
export const takeOrphanReceipts = query<OrphanReceipt>(
  "gateway.takeOrphanReceipts",
  `DELETE FROM orphan_receipts WHERE operator_id = $1 AND operator_message_id = ANY($2::text[])
   RETURNING operator_message_id, status, error, phone, sender, reference`,
);

/** Takes orphans about messages to which the operator gave no id, by their ids ($2) as `referenceId` makes them. */
export const takeOrphansByReference = query<OrphanReceipt>(
  "gateway.takeOrphansByReference",
  `DELETE FROM orphan_receipts
   WHERE operator_id = $1 AND right(phone, 7) = ANY($3::text[]) AND '#' || reference || '@' || right(phone, 7) = ANY($2::text[])
   RETURNING '#' || reference || '@' || right(phone, 7) AS operator_message_id, status, error, phone, sender, reference`,
);

/** Lists orphans that may be about these phones, by their last seven digits. */
export const listOrphansByPhone = query<OrphanReceipt>(
  "gateway.listOrphansByPhone",
  `SELECT operator_message_id, status, error, phone, sender, reference FROM orphan_receipts
   WHERE operator_id = $1 AND right(phone, 7) = ANY($2::text[])
   LIMIT 10000`,
);

export const deleteOldOrphanReceipts = query(
  "gateway.deleteOldOrphanReceipts",
  `DELETE FROM orphan_receipts WHERE received_at < now() - interval '7 days'`,
);

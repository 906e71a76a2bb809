// Receipts: what operators say of messages that they accepted.
import type { Tx } from "../kernel/database.ts";
import { isSamePhone } from "../sms/sms.ts";
import * as sql from "./receipts.sql.ts";
import type { Tally } from "./tally.ts";

/** What a final receipt says of a message that the operator accepted. */
export type AppliedReceipt = {
  operatorMessageId: string;
  status: "DELIVERED" | "UNDELIVERED" | "EXPIRED" | "REJECTED";
  error: string | null;
  /** How long before the arrival of the receipt the message was delivered. */
  ageMs: number;
  /** As the operator writes it: see `isSamePhone`. */
  phone: string;
};

/** Who brought receipts, and all operators of its account. */
export type ReceiptSource = { operatorId: string; operatorIds: readonly string[] };

/**
 * Applies final receipts to recorded messages by the operator's id, and adds what changed to `tally`. Returns the
 * receipts whose id no message has of a month that has its index for receipts. Only the first receipt of a message
 * counts.
 *
 * Receipts come within days, but the id of a scheduled campaign that ran before migration 0029 may be 180 days old. So
 * `receipts_reach`, and not the clock, says which sends they may be about. It is read by a statement of its own: a
 * subquery in the look-up would open every month before it knows which to leave out.
 *
 * Two more statements, in forms that Citus takes: 50 receipts cost 1.3 ms of CPU in this process and PostgreSQL
 * together, 300 cost 7.0 ms. One statement with a look-up for each receipt (LATERAL), which Citus refuses, costs 1.15
 * and 6.3 ms; one with DISTINCT ON compares each receipt with all, and 300 cost 12 ms (2 busy cores, 2026-11-22).
 */
export async function applyReceipts<Receipt extends AppliedReceipt>(
  tx: Tx,
  source: ReceiptSource,
  receipts: readonly Receipt[],
  tally: Tally,
): Promise<Receipt[]> {
  const [reach] = await tx.run(sql.findReceiptsReach);
  const ids = receipts.map((receipt) => receipt.operatorMessageId);
  const answered = await tx.run(sql.listAnswered, [source.operatorIds, ids, reach!.from_id]);
  const answeredBy = Map.groupBy(answered, (message) => message.operator_message_id);
  const matched = receipts.map((receipt) => ({
    receipt,
    message: messageOf(receipt, source, answeredBy.get(receipt.operatorMessageId) ?? []),
  }));
  const first = matched.flatMap(({ receipt, message }) =>
    message?.status === "SENT" ? [{ receipt, message }] : [],
  );
  if (first.length > 0) {
    const changed = await tx.run(sql.updateReceived, [
      first.map(({ message }) => message.account_id),
      first.map(({ message }) => message.send_id),
      first.map(({ message }) => message.number),
      first.map(({ receipt }) => receipt.status),
      first.map(({ receipt }) => receipt.error),
      first.map(({ receipt }) => receipt.ageMs),
      reach!.from_id,
    ]);
    for (const send of changed) tally.addDelivered(send);
    for (const { receipt, message } of first)
      tally.evidence.receipts.push({
        operatorId: message.operator_id,
        phone: message.phone,
        status: receipt.status,
      });
  }
  return matched.filter(({ message }) => !message).map(({ receipt }) => receipt);
}

/**
 * The message of a receipt among those with its id. An operator may give one id to two messages: the message to the
 * receipt's phone comes first, after it one that has no receipt yet, after it the older one. A message of another
 * operator row must be to the receipt's phone: rows may pass for one account and count their ids apart.
 */
function messageOf(
  { phone }: AppliedReceipt,
  { operatorId }: ReceiptSource,
  answered: readonly sql.AnsweredMessage[],
): sql.AnsweredMessage | undefined {
  const fitting = answered.filter(
    (message) => message.operator_id === operatorId || isSamePhone(message.phone, phone),
  );
  const [message] = fitting.toSorted(
    (a, b) =>
      Number(isSamePhone(b.phone, phone)) - Number(isSamePhone(a.phone, phone)) ||
      Number(b.status === "SENT") - Number(a.status === "SENT") ||
      Number(a.sent_at) - Number(b.sent_at),
  );
  return message;
}

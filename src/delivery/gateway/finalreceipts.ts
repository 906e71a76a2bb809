// Final receipts: what a deliver_sm says of a message that an operator accepted, in the form in which it is applied.
import { now } from "../../platform/clock.ts";
import { type DeliverSm, deliveryAgeMs, normaliseMessageId, readReceipt } from "../../protocol/smpp/smpp.ts";
import { nameIn, phoneEnd } from "../../protocol/sms/sms.ts";
import type { OperatorRow } from "../operators/operators.ts";
import type { AppliedReceipt, QueuedMessage } from "../sends/sends.ts";
import type { OrphanReceipt } from "./sql.ts";

export type FinalReceipt = AppliedReceipt & {
  sender: string;
  reference: number | null;
  /** How long ago it came. */
  waitedMs: number;
};

/** How an operator writes its receipts. */
type Dialect = Pick<OperatorRow, "message_id_form" | "receipt_time_zone" | "plain_receipts" | "settings">;

/** Reads a receipt that came now. Undefined for an interim one (ENROUTE, ACCEPTED), which changes nothing. */
export function finalReceiptOf(pdu: DeliverSm, dialect: Dialect): FinalReceipt | undefined {
  const receipt = readReceipt(pdu, dialect.plain_receipts);
  if (!receipt?.final) return undefined;
  const { state, messageId, textId, userMessageReference = null } = receipt;
  // Where we send no reference, this is one of the operator's own, and would hide the message that it is about.
  const reference = dialect.settings.userMessageReference === false ? null : userMessageReference;
  const status = state === "DELIVERED" || state === "EXPIRED" || state === "REJECTED" ? state : "UNDELIVERED";
  const phone = pdu.sourceAddr;
  const comparable = (id: string) =>
    normaliseMessageId(id, dialect.message_id_form === "case" ? "case" : "as-is");
  return {
    operatorMessageId: messageId === "" ? referenceId({ phone, reference }) : comparable(messageId),
    ...(textId === undefined ? {} : { otherIds: [comparable(textId)] }),
    status,
    error: status === "DELIVERED" ? null : receipt.errorCode || state,
    ageMs: deliveryAgeMs(receipt.doneAt, now(), dialect.receipt_time_zone),
    phone,
    sender: nameIn(pdu.destinationAddr),
    reference,
    waitedMs: 0,
  };
}

/**
 * The id of a message to which its operator gave none, or of a receipt that names none: our reference, if it has that,
 * and the end of the phone (S12).
 */
export function referenceId({ phone, reference }: { phone: string; reference: number | null }): string {
  return `${REFERENCE_MARK}${reference ?? ""}@${phoneEnd(phone)}`;
}

export const REFERENCE_MARK = "#";

/** The ids that an operator gave for a message beside that of the last part. */
export function partIdsOf({ partIds }: Pick<QueuedMessage, "partIds">): string[] {
  return (partIds ?? []).filter((id) => id !== "");
}

/** A receipt that was kept without a message. That was delivered before the receipt came, whenever that is applied. */
export function receiptOfOrphan({
  operator_message_id,
  text_id,
  waited_ms,
  ...receipt
}: OrphanReceipt): FinalReceipt {
  return {
    ...receipt,
    operatorMessageId: operator_message_id,
    ...(text_id === null ? {} : { otherIds: [text_id] }),
    ageMs: waited_ms,
    waitedMs: waited_ms,
  };
}

// Final receipts: the content of a deliver_sm about an accepted message, in the form in which it is applied.
import { now } from "../../platform/clock.ts";
import { deliveryAgeMs } from "../../protocol/smpp/donedate.ts";
import type { DeliverSm } from "../../protocol/smpp/pdu.ts";
import { normaliseMessageId, readReceipt } from "../../protocol/smpp/receipts.ts";
import { phoneEnd } from "../../protocol/sms/phone.ts";
import { nameIn } from "../../protocol/sms/sendernames.ts";
import type { OperatorRow } from "../operators/sql.ts";
import type { QueuedMessage } from "../sends/queue/packed.ts";
import type { AppliedReceipt } from "../sends/settlement/receipts.ts";
import type { OrphanReceipt } from "./sql.ts";

export type FinalReceipt = AppliedReceipt & {
  sender: string;
  reference: number | null;
  /** How long ago it arrived. */
  waitedMs: number;
};

/** How an operator formats its receipts. */
type Dialect = Pick<OperatorRow, "message_id_form" | "receipt_time_zone" | "plain_receipts" | "settings">;

/** Reads a receipt that has just arrived. Undefined for an interim one (ENROUTE, ACCEPTED), which changes nothing. */
export function finalReceiptOf(pdu: DeliverSm, dialect: Dialect): FinalReceipt | undefined {
  const receipt = readReceipt(pdu, dialect.plain_receipts);
  if (!receipt?.final) return undefined;
  const { state, messageId, textId, userMessageReference = null } = receipt;
  // If we send no reference, this is one of the operator's own, and would hide the message that the receipt belongs to.
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
 * Returns the id of a message to which its operator gave none, or of a receipt without an id: our reference, if
 * present, and the end of the phone (S12).
 */
export function referenceId({ phone, reference }: { phone: string; reference: number | null }): string {
  return `${REFERENCE_MARK}${reference ?? ""}@${phoneEnd(phone)}`;
}

export const REFERENCE_MARK = "#";

/** Returns the ids that an operator gave for the parts of a message before the last. */
export function partIdsOf({ partIds }: Pick<QueuedMessage, "partIds">): string[] {
  return (partIds ?? []).filter((id) => id !== "");
}

/** Returns a stored receipt. Its message was delivered before the receipt arrived, whenever it is applied. */
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

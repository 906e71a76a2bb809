// Reading receipts: from a deliver_sm to what became of a message.
import { type DeliverSm, normaliseMessageId, readReceipt } from "../smpp/smpp.ts";
import type { FinalReceipt } from "./turn.ts";

/** A receipt that tells the end of a message; an interim one (ENROUTE, ACCEPTED) changes nothing. */
export function finalReceiptOf(pdu: DeliverSm): FinalReceipt | undefined {
  const receipt = readReceipt(pdu);
  if (!receipt?.final || receipt.messageId === "") return undefined;
  const { state } = receipt;
  const status = state === "DELIVERED" || state === "EXPIRED" || state === "REJECTED" ? state : "UNDELIVERED";
  return {
    operatorMessageId: normaliseMessageId(receipt.messageId, "as-is"),
    status,
    error: status === "DELIVERED" ? null : receipt.errorCode || state,
    phone: pdu.sourceAddr,
    sender: pdu.destinationAddr,
    reference: receipt.userMessageReference ?? null,
  };
}

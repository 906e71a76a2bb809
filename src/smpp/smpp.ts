// The public file of this folder: what other folders import of SMPP 3.4.

export { accept, type ConnectOptions, connect } from "./connect.ts";
export { ResponseTimeout, type SubmitAnswer } from "./inflight.ts";
export {
  type Bind,
  type DeliverSm,
  type OutgoingMessage,
  STATUS,
  type SubmitSm,
  statusName,
} from "./pdu.ts";
export {
  deliveryAgeMs,
  isReceipt,
  normaliseMessageId,
  type Receipt,
  type ReceiptState,
  readReceipt,
  writeReceipt,
} from "./receipts.ts";
export type { Session } from "./session.ts";
export {
  BindRefused,
  NotSent,
  SessionLost,
  type SessionOptions,
} from "./terms.ts";

// The public file of this folder: what other folders import of SMPP 3.4.
export { InvalidField, MalformedPdu } from "./codec.ts";
export { accept, type ConnectOptions, connect } from "./connect.ts";
export { ResponseTimeout, type SubmitAnswer } from "./inflight.ts";
export {
  type Bind,
  type DeliverSm,
  type OutgoingMessage,
  STATUS,
  type SubmitSm,
  statusName,
  type Tlvs,
} from "./pdu.ts";
export {
  isReceipt,
  type MessageIdForm,
  normaliseMessageId,
  type Receipt,
  type ReceiptState,
  readReceipt,
  writeReceipt,
} from "./receipts.ts";
export type { Session } from "./session.ts";
export {
  BindRefused,
  type CloseKind,
  type CloseReason,
  ConnectFailed,
  type Counters,
  NotSent,
  SessionLost,
  type SessionOptions,
  type Timers,
} from "./terms.ts";

// The public interface of this folder, SMPP 3.4: other folders import only this file.

export { accept, type ConnectOptions, connect } from "./connect.ts";
export { deliveryAgeMs, isTimeZone } from "./donedate.ts";
export { ResponseTimeout, type SubmitAnswer } from "./inflight.ts";
export {
  type Bind,
  CREDENTIAL_OCTETS,
  type DeliverSm,
  type OutgoingMessage,
  STATUS,
  type SubmitSm,
  statusName,
} from "./pdu.ts";
export {
  isReceipt,
  normaliseMessageId,
  otherBasesOf,
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
export { absoluteTime, relativeTime } from "./times.ts";
export { bigEndianOf, isUcs2, type Place, userDataOf } from "./userdata.ts";

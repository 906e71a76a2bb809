// The shapes of messages in responses, and of the audit of credits.
import { type Static, Type } from "typebox";
import { orNull, PhoneShown, shape, Timestamp } from "../../../platform/http/schemas.ts";

/**
 * Held credits compared with messages in flight, for all pools. `difference` is 0 if no credit was lost or created and
 * no entry was changed; `changedDays` are the days (UTC) whose entries differ from those written.
 */
export const Audit = shape("Audit", {
  balanced: Type.Boolean(),
  pools: Type.Integer(),
  entries: Type.Integer(),
  held: Type.Integer(),
  inFlight: Type.Integer(),
  difference: Type.Integer(),
  changedDays: Type.Array(Type.String({ examples: ["2026-11-22"] })),
});
export type Audit = Static<typeof Audit>;

export const STATUSES = [
  ...(["QUEUED", "SENDING", "SENT", "DELIVERED", "UNDELIVERED"] as const),
  ...(["EXPIRED", "REJECTED", "CANCELED", "UNKNOWN"] as const),
] as const;

/** One message of a campaign. Its id consists of the id of its send and the number of its recipient. */
export const Message = shape("Message", {
  id: Type.String({ examples: ["66f0c0ffee00000000000001-1"] }),
  phone: PhoneShown,
  status: Type.Enum([...STATUSES], { examples: ["DELIVERED"] }),
  segments: Type.Integer(),
  credits: Type.Integer(),
  error: orNull(Type.String()),
  errorReason: orNull(Type.String()),
  sentAt: orNull(Timestamp),
  deliveredAt: orNull(Timestamp),
});
export type Message = Static<typeof Message>;

/** A test of an operator: its message, and the operator's id of it. */
export const OperatorTest = shape("OperatorTest", {
  ...Message.properties,
  id: Type.String(),
  createdAt: Timestamp,
  operatorMessageId: orNull(Type.String()),
});
export type OperatorTest = Static<typeof OperatorTest>;

// The shapes of webhooks in answers.
import { type Static, Type } from "typebox";
import { orNull, shape, Timestamp } from "../kernel/schemas.ts";

/** A delivery as the endpoint's owner sees it. */
export const Delivery = shape("Delivery", {
  id: Type.String(),
  type: Type.String({ examples: ["connection.paired"] }),
  status: Type.Enum(["PENDING", "DELIVERED", "EXHAUSTED", "CANCELED"]),
  attempts: Type.Integer(),
  lastStatusCode: orNull(Type.Integer()),
  lastError: orNull(Type.String()),
  nextAttemptAt: orNull(Timestamp),
  createdAt: Timestamp,
  deliveredAt: orNull(Timestamp),
});
export type Delivery = Static<typeof Delivery>;

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

/**
 * A delivery with the body that is posted. A `connectionToken` is added at each try alone, and stands nowhere else.
 */
export const DeliveryInFull = shape("DeliveryInFull", {
  ...Delivery.properties,
  payload: Type.Object({
    id: Type.String(),
    type: Type.String({ examples: ["connection.paired"] }),
    timestamp: Timestamp,
    data: Type.Unsafe<unknown>({ type: "object", examples: [{ connectionId: "66f0c0ffee00000000000001" }] }),
  }),
});
export type DeliveryInFull = Static<typeof DeliveryInFull>;

// The response shapes of webhooks.
import { type Static, Type } from "typebox";
import { orNull, shape, Timestamp } from "../../platform/http/schemas.ts";
import { COMPANY_EVENTS } from "./events.ts";

/** A webhook of a company. `disabledReason`: the company paused it, it failed for days, or it answered 410. */
export const CompanyWebhook = shape("CompanyWebhook", {
  id: Type.String(),
  name: orNull(Type.String({ examples: ["Site"] })),
  description: orNull(Type.String()),
  url: Type.String({ examples: ["<webhookUrl>"] }),
  events: Type.Array(Type.Enum([...COMPANY_EVENTS]), { examples: [["message.delivered", "message.failed"]] }),
  enabled: Type.Boolean({ examples: [true] }),
  disabledReason: orNull(Type.Enum(["PAUSED", "FAILING", "GONE"])),
  disabledAt: orNull(Timestamp),
  createdAt: Timestamp,
});
export type CompanyWebhook = Static<typeof CompanyWebhook>;

const Secret = Type.String({ examples: ["whsec_…"] });

/** A new webhook, with its secret. */
export const NewCompanyWebhook = shape("NewCompanyWebhook", { ...CompanyWebhook.properties, secret: Secret });
export type NewCompanyWebhook = Static<typeof NewCompanyWebhook>;

export const NewSecretOfWebhook = shape("NewSecretOfWebhook", { secret: Secret });
export type NewSecretOfWebhook = Static<typeof NewSecretOfWebhook>;

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
 * A delivery with the body that is posted. A `connectionToken` is added only at each try, and is stored nowhere else.
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

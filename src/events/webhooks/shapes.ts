// The response shapes of webhooks.
import { type Static, Type } from "typebox";
import { member } from "../../platform/http/meanings.ts";
import { orNull, shape, Timestamp } from "../../platform/http/responseschemas.ts";
import { COMPANY_EVENTS, webhookMeanings } from "./events.ts";

/** A webhook of a company. `disabledReason`: the company paused it, it failed for days, or it answered 410. */
export const CompanyWebhook = shape("CompanyWebhook", {
  id: Type.String(),
  name: orNull(Type.String({ examples: ["Site"] })),
  description: orNull(Type.String()),
  url: member(Type.String({ examples: ["<webhookUrl>"] }), webhookMeanings.url),
  events: member(
    Type.Array(Type.Enum([...COMPANY_EVENTS]), { examples: [["message.delivered", "message.failed"]] }),
    webhookMeanings.events,
  ),
  enabled: Type.Boolean({ examples: [true] }),
  disabledReason: member(orNull(Type.Enum(["PAUSED", "FAILING", "GONE"])), {
    fr: "Raison de la désactivation : PAUSED par l’entreprise, FAILING après 5 jours sans succès, GONE après une réponse 410",
    en: "Reason why it is disabled: PAUSED by the company, FAILING after 5 days without success, GONE after a 410 response",
    sample: null,
  }),
  disabledAt: member(orNull(Timestamp), {
    fr: "Date de désactivation",
    en: "Time when the webhook was disabled",
    sample: null,
  }),
  createdAt: Timestamp,
});
export type CompanyWebhook = Static<typeof CompanyWebhook>;

const Secret = member(Type.String({ examples: ["whsec_…"] }), {
  fr: "Secret de signature des événements",
  en: "Secret that signs the events",
});

/** A new webhook, with its secret. */
export const NewCompanyWebhook = shape("NewCompanyWebhook", {
  ...CompanyWebhook.properties,
  secret: Secret,
});
export type NewCompanyWebhook = Static<typeof NewCompanyWebhook>;

export const NewSecretOfWebhook = shape("NewSecretOfWebhook", {
  secret: Secret,
});
export type NewSecretOfWebhook = Static<typeof NewSecretOfWebhook>;

/** A delivery as the endpoint's owner sees it. */
export const Delivery = shape("Delivery", {
  id: Type.String(),
  type: Type.String({ examples: ["connection.paired"] }),
  status: Type.Enum(["PENDING", "DELIVERED", "EXHAUSTED", "CANCELED"]),
  attempts: member(Type.Integer(), { fr: "Nombre de tentatives", en: "Number of attempts", sample: 1 }),
  lastStatusCode: member(orNull(Type.Integer()), {
    fr: "Dernier code HTTP reçu",
    en: "Last HTTP status received",
    sample: 200,
  }),
  lastError: member(orNull(Type.String()), { fr: "Dernière erreur", en: "Last error", sample: null }),
  nextAttemptAt: member(orNull(Timestamp), {
    fr: "Date de la prochaine tentative",
    en: "Time of the next attempt",
    sample: null,
  }),
  createdAt: Timestamp,
  deliveredAt: member(orNull(Timestamp), {
    fr: "Date d’acceptation par votre adresse",
    en: "Time when your endpoint accepted it",
    sample: "2026-11-21T09:00:02.000Z",
  }),
});
export type Delivery = Static<typeof Delivery>;

/**
 * A delivery with the body that is posted. A `connectionToken` is added only at each try, and is stored nowhere else.
 */
export const DeliveryInFull = shape("DeliveryInFull", {
  ...Delivery.properties,
  payload: member(
    Type.Object({
      id: member(Type.String(), { ...webhookMeanings.eventId, sample: "66f0c0ffee00000000000001" }),
      type: member(Type.String({ examples: ["connection.paired"] }), webhookMeanings.eventType),
      timestamp: member(Timestamp, { fr: "Date de l’événement", en: "Time of the event" }),
      data: member(
        Type.Unsafe<unknown>({ type: "object", examples: [{ connectionId: "66f0c0ffee00000000000001" }] }),
        webhookMeanings.eventData,
      ),
    }),
    { fr: "Contenu envoyé à l’adresse", en: "Content sent to the endpoint" },
  ),
});
export type DeliveryInFull = Static<typeof DeliveryInFull>;

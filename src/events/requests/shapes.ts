// The response shapes of the request log.
import { type Static, Type } from "typebox";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { outcomes } from "../../platform/http/refusals.ts";
import { orNull, shape, Timestamp } from "../../platform/http/responseschemas.ts";

/** The meanings of the members that several schemas of this capability have. */
export const requestMeanings = {
  outcome: { fr: "Classe de la réponse", en: "Class of the response" },
  path: { fr: "URL appelée", en: "URL that was called" },
} satisfies Record<string, Meaning>;

export const OUTCOMES = ["success", ...new Set(Object.values(outcomes))].filter(
  (outcome, i, all) => all.indexOf(outcome) === i,
);

/**
 * One request that was refused or that its caller named, or a count for an hour, without `requestId`. `ms` and `bytes`
 * are then averages.
 */
export const RequestEntry = shape("RequestEntry", {
  id: Type.String(),
  at: Timestamp,
  path: member(Type.String({ examples: ["/v1/campaign/create"] }), requestMeanings.path),
  outcome: member(Type.Enum([...OUTCOMES], { examples: ["invalid-request"] }), requestMeanings.outcome),
  error: member(orNull(Type.String({ examples: ["invalid-phone-number"] })), {
    fr: "Code d’erreur de la réponse",
    en: "Error code of the response",
  }),
  fields: member(Type.Array(Type.String(), { examples: [["contacts[0].phone"]] }), {
    fr: "Champs refusés, sans leurs valeurs",
    en: "Rejected fields, without their values",
  }),
  caller: member(Type.Enum(["key", "server-key", "application", "connection"], { examples: ["key"] }), {
    fr: "Type d’appelant",
    en: "Type of caller",
  }),
  keyId: orNull(Type.String()),
  appId: orNull(Type.String()),
  address: Type.String(),
  ms: member(Type.Integer(), { fr: "Durée en millisecondes", en: "Duration in milliseconds", sample: 12 }),
  bytes: member(Type.Integer(), {
    fr: "Taille de la requête, en octets",
    en: "Size of the request, in bytes",
    sample: 40000,
  }),
  requestCount: member(Type.Integer({ examples: [1] }), {
    fr: "Nombre de requêtes regroupées ici. Au-delà d’une, la durée et la taille sont des moyennes",
    en: "Number of requests grouped here. If more than one, duration and size are averages",
  }),
  lastAt: Timestamp,
  requestId: orNull(Type.String()),
});
export type RequestEntry = Static<typeof RequestEntry>;

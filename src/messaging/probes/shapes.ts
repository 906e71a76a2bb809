// The shapes of test handsets and of the messages sent to them.
import { type Static, Type } from "typebox";
import { STATUSES } from "../../delivery/sends/record/shapes.ts";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { orNull, PhoneShown, shape, Timestamp } from "../../platform/http/responseschemas.ts";

/** The meanings of the members that several schemas of this capability have. */
export const probeMeanings = {
  name: { fr: "Nom du téléphone de test", en: "Name of the test handset", sample: "Awa, Abidjan" },
  consent: {
    fr: "Qui a accepté de recevoir ces messages, et quand",
    en: "Who agreed to receive these messages, and when",
    sample: "Awa Koné, par écrit, le 28/11/2026",
  },
  language: { fr: "Langue des messages", en: "Language of the messages", sample: "fr" },
  everyHours: {
    fr: "Intervalle, en heures, entre deux messages par chaque opérateur qui dessert le numéro, ou null : seulement à la demande",
    en: "Interval, in hours, between two messages over each operator that serves the number, or null: only on request",
    sample: 24,
  },
} satisfies Record<string, Meaning>;

/** A test handset, whose owner confirms the messages that arrive. */
export const Probe = shape("Probe", {
  id: Type.String(),
  phone: PhoneShown,
  name: member(Type.String(), probeMeanings.name),
  consent: member(Type.String(), probeMeanings.consent),
  language: member(Type.Enum(["fr", "en"]), probeMeanings.language),
  everyHours: member(orNull(Type.Integer()), probeMeanings.everyHours),
  nextAt: member(orNull(Timestamp), {
    fr: "Date des prochains messages, ou null",
    en: "Time of the next messages, or null",
    sample: null,
  }),
  createdAt: Timestamp,
});
export type Probe = Static<typeof Probe>;

/** A message to a test handset. */
export const ProbeSend = shape("ProbeSend", {
  id: Type.String(),
  operatorId: Type.String(),
  operator: orNull(Type.String({ examples: ["Opérateur 07"] })),
  marker: member(Type.String({ examples: ["AT7K2M9Q"] }), {
    fr: "Code que la personne renvoie",
    en: "Code that the person sends back",
  }),
  status: member(Type.Enum([...STATUSES], { examples: ["DELIVERED"] }), {
    fr: "Statut d’après l’opérateur",
    en: "Status according to the operator",
  }),
  error: orNull(Type.String()),
  result: member(Type.Enum(["PENDING", "CONFIRMED", "UNCONFIRMED"], { examples: ["CONFIRMED"] }), {
    fr: "Confirmation par la personne. UNCONFIRMED : aucune après 24 heures",
    en: "Confirmation by the person. UNCONFIRMED: none after 24 hours",
  }),
  createdAt: Timestamp,
  deliveredAt: orNull(Timestamp),
  confirmedAt: member(orNull(Timestamp), {
    fr: "Date de la confirmation, ou null",
    en: "Time of the confirmation, or null",
    sample: "2026-11-28T09:02:00.000Z",
  }),
});
export type ProbeSend = Static<typeof ProbeSend>;

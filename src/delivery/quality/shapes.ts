// The shapes of the quality of routes in responses.
import { type Static, Type } from "typebox";
import { member } from "../../platform/http/meanings.ts";
import { orNull, shape, Timestamp } from "../../platform/http/responseschemas.ts";

const Count = Type.Integer({ examples: [1] });

const share = (fr: string, en: string) =>
  member(orNull(Type.Number()), {
    fr: `${fr}, de 0 à 1, ou null s’il n’y en a pas`,
    en: `${en}, from 0 to 1, or null if there are none`,
    sample: 0.98,
  });

const duration = (fr: string, en: string) =>
  member(orNull(Type.Integer()), {
    fr: `Temps, en millisecondes, dans lequel ${fr} des accusés de réception positifs sont arrivés, à 19 % près. null s’il n’y en a pas`,
    en: `Time, in milliseconds, within which ${en} of the positive delivery receipts arrived, to within 19%. null if there are none`,
    sample: 2400,
  });

const figures = {
  accepted: member(Count, {
    fr: "Messages acceptés par l’opérateur",
    en: "Messages that the operator accepted",
    sample: 1000,
  }),
  delivered: member(Count, {
    fr: "Messages remis d’après leur accusé de réception",
    en: "Messages that are delivered according to their delivery receipts",
    sample: 970,
  }),
  undelivered: member(Count, {
    fr: "Messages non remis d’après leur accusé de réception",
    en: "Messages that are not delivered according to their delivery receipts",
    sample: 10,
  }),
  unknown: member(Count, {
    fr: "Messages sans accusé de réception jusqu’ici",
    en: "Messages without a delivery receipt so far",
    sample: 20,
  }),
  deliveredShare: share(
    "Part des messages acceptés qui sont remis",
    "Share of the accepted messages that are delivered",
  ),
  p50Ms: duration("la moitié", "half"),
  p95Ms: duration("95 %", "95%"),
  refused: member(
    Type.Object({
      recipient: member(Count, { fr: "À cause du numéro", en: "Because of the number" }),
      sender: member(Count, {
        fr: "À cause du texte ou du nom d’expéditeur",
        en: "Because of the text or the sender name",
      }),
      operator: member(Count, { fr: "À cause de l’opérateur", en: "Because of the operator" }),
      service: member(Count, {
        fr: "À cause de notre liaison avec l’opérateur",
        en: "Because of our session with the operator",
      }),
    }),
    {
      fr: "Messages refusés par l’opérateur, selon qui peut y remédier : voir la table « Échecs »",
      en: "Messages that the operator refused, by the party that can fix it: see the “Failures” table",
      sample: { recipient: 3, sender: 0, operator: 1, service: 0 },
    },
  ),
  otp: member(
    Type.Object({
      sent: Count,
      verified: member(Count, { fr: "Mots de passe vérifiés", en: "Verified passwords" }),
      share: share("Part vérifiée", "Share that is verified"),
    }),
    {
      fr: "Mots de passe à usage unique acceptés par l’opérateur et expirés depuis, sans ceux que leur accusé de réception déclare non remis",
      en: "One-time passwords that the operator accepted and that have expired since, without those that their delivery receipts report as not delivered",
      sample: { sent: 200, verified: 130, share: 0.65 },
    },
  ),
  probes: member(
    Type.Object({
      sent: Count,
      confirmed: member(Count, { fr: "Messages de test confirmés", en: "Confirmed test messages" }),
      share: share("Part confirmée", "Share that is confirmed"),
    }),
    {
      fr: "Messages envoyés aux téléphones de test, sans ceux que leur accusé de réception déclare non remis : voir admin/probe",
      en: "Messages sent to test handsets, without those that their delivery receipts report as not delivered: see admin/probe",
      sample: { sent: 24, confirmed: 23, share: 0.958 },
    },
  ),
};

const Prefix = member(Type.String({ examples: ["22507"] }), {
  fr: "Préfixe des numéros. `other` : ceux d’aucun préfixe, ou au-delà de 2 000 routes à la fois",
  en: "Prefix of the numbers. `other`: those of no prefix, or beyond 2,000 routes at a time",
});

/** A route whose messages arrive far less often than its receipts say. */
const SuspectRoute = shape("SuspectRoute", {
  prefix: Prefix,
  proof: member(Type.Enum(["codes", "probes"], { examples: ["codes"] }), {
    fr: "Ce qui contredit les accusés de réception : les mots de passe à usage unique (`codes`) ou les téléphones de test (`probes`)",
    en: "What contradicts the delivery receipts: one-time passwords (`codes`) or test handsets (`probes`)",
  }),
  since: member(Timestamp, {
    fr: "Date à laquelle la route est devenue suspecte",
    en: "Time when the route became suspect",
    sample: "2026-11-28T09:00:00.000Z",
  }),
  reason: member(Type.String(), {
    fr: "Explication en une phrase",
    en: "Explanation in one sentence",
    sample: "Préfixe 22507 : 3 % des mots de passe à usage unique sont vérifiés.",
  }),
});

/** The quality of an operator's routes in a period. */
export const RouteQuality = shape("RouteQuality", {
  operatorId: Type.String(),
  by: member(Type.Enum(["hour", "day"], { examples: ["hour"] }), {
    fr: "Durée de chaque point",
    en: "Duration of each point",
  }),
  from: member(Timestamp, {
    fr: "Début de la période, au début d’une heure ou d’un jour (UTC)",
    en: "Start of the period, at the beginning of an hour or a day (UTC)",
    sample: "2026-11-27T09:00:00.000Z",
  }),
  to: member(Timestamp, {
    fr: "Fin de la période, à la fin d’une heure ou d’un jour (UTC)",
    en: "End of the period, at the end of an hour or a day (UTC)",
    sample: "2026-11-28T09:00:00.000Z",
  }),
  totals: member(shape("RouteFigures", figures), {
    fr: "Chiffres de toute la période",
    en: "Figures of the whole period",
  }),
  points: member(
    Type.Array(
      shape("RoutePoint", {
        at: member(Timestamp, {
          fr: "Début de l’heure ou du jour d’acceptation (UTC)",
          en: "Beginning of the hour or day of acceptance (UTC)",
          sample: "2026-11-28T08:00:00.000Z",
        }),
        ...figures,
      }),
    ),
    {
      fr: "Chiffres par heure ou par jour, du plus ancien au plus récent, sans les heures et les jours où rien n’a été compté",
      en: "Figures by hour or day, oldest first, without the hours and days in which nothing was counted",
    },
  ),
  prefixes: member(Type.Array(shape("RoutePrefix", { prefix: Prefix, ...figures })), {
    fr: "Chiffres par préfixe, ceux des 100 préfixes les plus utilisés",
    en: "Figures by prefix, of the 100 prefixes with the most messages",
  }),
  suspect: member(Type.Boolean({ examples: [false] }), {
    fr: "Indique si une route de l’opérateur livre bien moins que ne le disent ses accusés de réception",
    en: "Whether a route of the operator delivers far less than its delivery receipts say",
  }),
  suspects: member(Type.Array(SuspectRoute), {
    fr: "Routes suspectes, d’après les 7 derniers jours",
    en: "Suspect routes, by the last 7 days",
    sample: [],
  }),
});
export type RouteQuality = Static<typeof RouteQuality>;

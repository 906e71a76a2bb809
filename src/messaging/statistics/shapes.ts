// The shapes of statistics in responses.
import { type Static, Type } from "typebox";
import { member } from "../../platform/http/meanings.ts";
import { orNull, shape, Timestamp } from "../../platform/http/responseschemas.ts";

const Count = Type.Integer({ examples: [1] });
const OperatorName = orNull(Type.String({ examples: ["Opérateur 07"] }));

const Fates = {
  sent: Count,
  delivered: Count,
  undelivered: member(Count, {
    fr: "Messages acceptés par l’opérateur mais non remis, d’après l’accusé de réception",
    en: "Messages accepted by the operator but not delivered, according to the delivery receipt",
  }),
  failed: Count,
};

/** The outcomes of the messages of one day. `operator` null: no operator had them. */
export const StatisticsDay = shape("StatisticsDay", {
  day: Type.String({ examples: ["2026-11-22"] }),
  ...Fates,
  expired: member(Count, {
    fr: "Parmi les échecs, messages qu’aucun opérateur n’a pris à temps",
    en: "Of the failed messages, those that no operator accepted in time",
  }),
  canceled: member(Count, {
    fr: "Parmi les échecs, messages annulés",
    en: "Of the failed messages, those that were canceled",
  }),
  credits: member(Type.Integer(), { fr: "Crédits dépensés", en: "Credits spent", sample: 1 }),
  byOperator: Type.Array(Type.Object({ operator: OperatorName, ...Fates })),
});
export type StatisticsDay = Static<typeof StatisticsDay>;

/** The balance at the end of one day, and the credits spent on it. `createdAt` is the start of the day. */
export const CreditsOfDay = shape("CreditsOfDay", {
  creditAvailable: member(Type.Integer({ examples: [9900] }), {
    fr: "Crédits à la fin du jour, y compris ceux réservés pour des messages en cours. Pour aujourd’hui, le solde",
    en: "Credits at the end of the day, including those reserved for messages in flight. For today, the balance",
  }),
  creditUsed: member(Type.Integer({ examples: [100] }), {
    fr: "Crédits dépensés ce jour-là",
    en: "Credits spent on that day",
  }),
  createdAt: member(Timestamp, {
    fr: "Début du jour, dans le fuseau horaire de l’entreprise",
    en: "Start of the day, in the company’s time zone",
    sample: "2026-11-21T09:00:00.000Z",
  }),
});
export type CreditsOfDay = Static<typeof CreditsOfDay>;

/** The same for administrators, who see operators by id. */
export const StatisticsDayOfAll = shape("StatisticsDayOfAll", {
  ...StatisticsDay.properties,
  byOperator: Type.Array(
    Type.Object({ operatorId: orNull(Type.String()), operator: OperatorName, ...Fates }),
  ),
});
export type StatisticsDayOfAll = Static<typeof StatisticsDayOfAll>;

// The shapes of statistics in answers.
import { type Static, Type } from "typebox";
import { orNull, shape, Timestamp } from "../../platform/schemas.ts";

const Count = Type.Integer({ examples: [1] });
const OperatorName = orNull(Type.String({ examples: ["Opérateur 07"] }));

const Fates = { sent: Count, delivered: Count, undelivered: Count, failed: Count };

/** What became of the messages of one day. `operator` null: no operator had them. */
export const StatisticsDay = shape("StatisticsDay", {
  day: Type.String({ examples: ["2026-11-22"] }),
  ...Fates,
  expired: Count,
  canceled: Count,
  credits: Type.Integer(),
  byOperator: Type.Array(Type.Object({ operator: OperatorName, ...Fates })),
});
export type StatisticsDay = Static<typeof StatisticsDay>;

/** The credits of one day: what there was at its end, and what was spent on it. `createdAt` is when it began. */
export const CreditsOfDay = shape("CreditsOfDay", {
  creditAvailable: Type.Integer({ examples: [9900] }),
  creditUsed: Type.Integer({ examples: [100] }),
  createdAt: Timestamp,
});
export type CreditsOfDay = Static<typeof CreditsOfDay>;

/** The same for administrators, who know operators by their ids. */
export const StatisticsDayOfAll = shape("StatisticsDayOfAll", {
  ...StatisticsDay.properties,
  byOperator: Type.Array(
    Type.Object({ operatorId: orNull(Type.String()), operator: OperatorName, ...Fates }),
  ),
});
export type StatisticsDayOfAll = Static<typeof StatisticsDayOfAll>;

// The shapes of statistics in responses.
import { type Static, Type } from "typebox";
import { orNull, shape, Timestamp } from "../../platform/http/schemas.ts";

const Count = Type.Integer({ examples: [1] });
const OperatorName = orNull(Type.String({ examples: ["Opérateur 07"] }));

const Fates = { sent: Count, delivered: Count, undelivered: Count, failed: Count };

/** The outcomes of the messages of one day. `operator` null: no operator had them. */
export const StatisticsDay = shape("StatisticsDay", {
  day: Type.String({ examples: ["2026-11-22"] }),
  ...Fates,
  expired: Count,
  canceled: Count,
  credits: Type.Integer(),
  byOperator: Type.Array(Type.Object({ operator: OperatorName, ...Fates })),
});
export type StatisticsDay = Static<typeof StatisticsDay>;

/** The balance at the end of one day, and the credits spent on it. `createdAt` is the start of the day. */
export const CreditsOfDay = shape("CreditsOfDay", {
  creditAvailable: Type.Integer({ examples: [9900] }),
  creditUsed: Type.Integer({ examples: [100] }),
  createdAt: Timestamp,
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

// What a company uses of its quotas and rates.

import { readUsageDays } from "../../delivery/sends/counters/usagedays.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import type { QuotaName } from "../../identity/accounts/quotas.ts";
import { type DaysWanted, dayRangeOf, namesOf } from "../../messaging/statistics/statistics.ts";
import { one } from "../../platform/database/query.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Usage } from "./shapes.ts";
import * as sql from "./usage.sql.ts";

/**
 * Returns a company's usage of each quota, its request rate, and the messages that operators accepted on the days of a
 * range, by default the newest 30, by kind and operator. Refuses `invalid-request` as `dayRangeOf`.
 */
export async function readUsage(
  app: Runtime,
  { companyId, country, quotas }: CompanyCaller,
  wanted: DaysWanted,
): Promise<Usage> {
  const range = dayRangeOf(wanted, country);
  const [counts, sent] = await Promise.all([
    one(app.database.of(companyId), sql.countUsage, [companyId]),
    readUsageDays(app, { accountId: companyId, country }, range),
  ]);
  const nameOf = await namesOf(
    app.database,
    sent.map((row) => row.operatorId),
  );
  const days = sent.map(({ sent: messages, operatorId, ...row }) => ({
    ...{ ...row, messages, operator: nameOf(operatorId) },
  }));
  const used = Object.entries(counts).map(([name, count]) => [
    name,
    { used: count, limit: quotas[name as QuotaName] },
  ]);
  const { requestsPerSecond: perSecond, requestBurst: atOnce } = app.config.limits;
  return { ...Object.fromEntries(used), requests: { perSecond, atOnce }, days };
}

// What a company uses of what it may have.
import type { CompanyCaller, QuotaName } from "../accounts/accounts.ts";
import type { Runtime } from "../kernel/runtime.ts";
import type { Usage } from "./shapes.ts";
import * as sql from "./usage.sql.ts";

/** By quota, how much of it the company uses; and how many requests it may make. */
export async function readUsage(app: Runtime, { companyId, quotas }: CompanyCaller): Promise<Usage> {
  const [counts] = await app.database.of(companyId).run(sql.countUsage, [companyId]);
  const used = Object.entries(counts!).map(([name, count]) => [
    name,
    { used: count, limit: quotas[name as QuotaName] },
  ]);
  const { requestsPerSecond: perSecond, requestBurst: atOnce } = app.config.limits;
  return { ...Object.fromEntries(used), requests: { perSecond, atOnce } };
}

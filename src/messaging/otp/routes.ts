// One-time passwords by the routes that took them: how many were sent and verified, which no operator can invent.
import { currentRouting } from "../../delivery/operators/operators.ts";
import { addToRoutes, OTHER_PREFIX } from "../../delivery/quality/counting.ts";
import { hourOf, noCounts, type RouteCounts } from "../../delivery/quality/counts.ts";
import { nowMs } from "../../platform/clock.ts";
import { one } from "../../platform/database/query.ts";
import { inSteps } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as sql from "./routes.sql.ts";

/** Longer than the lifetime of any code, and than the transaction that stores one. */
const OVER_AFTER_MS = 15 * 60_000;
/** Codes are deleted after 48 hours. */
const KEPT_MS = 47 * 3_600_000;
/** Codes created within this time are counted in one transaction. */
const STEP_MS = 60_000;
const STEPS_AT_MOST = 3_000;

/**
 * Counts the codes that have ended since the last run for the routes that took them, each once. A job runs it, so that
 * neither sending nor verifying a code has a further statement.
 */
export async function countCodesOfRoutes(app: Runtime, signal?: AbortSignal): Promise<void> {
  await inSteps(signal, () => app.database.transaction((tx) => countSome(app, tx)), STEPS_AT_MOST);
}

/** Counts the codes of the next minute. Returns false if there is none to count yet. */
async function countSome(app: Runtime, tx: Tx): Promise<boolean> {
  const { up_to: upTo } = await one(tx, sql.lockCounted);
  const from = Math.max(upTo.getTime(), nowMs() - KEPT_MS);
  const to = Math.min(from + STEP_MS, nowMs() - OVER_AFTER_MS);
  if (to <= from) return false;
  const routing = await currentRouting(app);
  const period = { from: new Date(from), to: new Date(to), digits: routing.digits };
  const counts = new Map<string, RouteCounts>();
  for (const { operatorId, start, sentAt, sent, verified } of await tx.run(sql.listCodesOfRoutes, period)) {
    const prefix = routing.servedPrefixOf(start) ?? OTHER_PREFIX;
    const hour = hourOf(sentAt.getTime());
    const key = `${operatorId} ${hour} ${prefix}`;
    const known = counts.get(key) ?? noCounts({ operatorId, hour, prefix });
    known.codesSent += sent;
    known.codesVerified += verified;
    counts.set(key, known);
  }
  if (counts.size > 0) await addToRoutes(tx, [...counts.values()]);
  await tx.run(sql.markCounted, [period.to]);
  return true;
}

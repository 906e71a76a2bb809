// Due campaigns: companies take turns, so that the many due campaigns of one company never block another's.
import { setTimeout as wait } from "node:timers/promises";
import { reportFailure } from "../../platform/database/outages.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as sql from "./due.sql.ts";
import { runOneOf } from "./runs.ts";

/** Companies whose campaigns one process runs at the same time: a single run may have a million recipients. */
const SIDE_BY_SIDE = 4;
/** The maximum number of companies that one query returns. All of them get a turn before the next query. */
const FOUND_AT_MOST = 10_000;
/** The time between queries while runs are under way and nothing else was due. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Runs every due occurrence once, each in its own transaction, by the database's clock or, in tests, at a given time.
 * In each round a company has one turn, which is one campaign, and a run renders no more than its company can pay for.
 * Before companies took turns, 122 series to 10,000 people of a company without credits delayed another company's
 * campaign by 47 s; now it waits 0.1 s (2 busy cores, 2026-11-23). Several processes may run this at the same time.
 */
export async function runDueCampaigns(app: Runtime, at: Date | null, signal?: AbortSignal): Promise<void> {
  const underWay = new Map<string, Promise<void>>();
  /** Companies whose turn did nothing: another process has their campaign, or it failed. The next call retries. */
  const idle = new Set<string>();
  const takeTurn = async (companyId: string) => {
    const didRun = await runOneOf(app, companyId, at).catch((error: Error) => {
      reportFailure(app, error, "a due campaign did not run", { level: "error", companyId });
      return false;
    });
    if (!didRun) idle.add(companyId);
    underWay.delete(companyId);
  };
  try {
    while (!signal?.aborted) {
      const found = await app.database.run(sql.listDueCompanies, [at, FOUND_AT_MOST]);
      const due = found.map((row) => row.id).filter((id) => !underWay.has(id) && !idle.has(id));
      if (due.length === 0 && underWay.size === 0) return;
      for (const companyId of due) {
        if (signal?.aborted) break;
        underWay.set(companyId, takeTurn(companyId));
        if (underWay.size === SIDE_BY_SIDE) await Promise.race(underWay.values());
      }
      if (due.length === 0)
        await Promise.race([...underWay.values(), wait(LOOK_AGAIN_MS, undefined, { ref: false })]);
    }
  } finally {
    await Promise.all(underWay.values());
  }
}

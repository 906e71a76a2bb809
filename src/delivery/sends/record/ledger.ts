// Deletes old ledger entries once they are summed up, and keeps the refunds of their sends.
import { deleteOldEntries, deleteOldHolds, listOldHolds } from "../../../ledger/credits/audits.ts";
import { forgetDays } from "../../../ledger/credits/chain.ts";
import { nowMs } from "../../../platform/clock.ts";
import { one } from "../../../platform/database/query.ts";
import type { Runtime } from "../../../platform/runtime.ts";
import { deleteOldDays, deleteOldUsage } from "../counters/tallies.sql.ts";
import { keepRefunds } from "./record.sql.ts";

const YEAR_MS = 365.25 * 24 * 3_600_000;
const STEPS_AT_MOST = 200;
const DAYS_AT_ONCE = 5_000;

/**
 * Deletes the entries and the settled holds that are older than `RETENTION_LEDGER_YEARS` and behind the marks of the
 * audit, whose sums replace them, and statistics of the same age. For a job, up to a million of each per run. The
 * refund of a send is stored in its row first. Entries are deleted by whole days of the chain, which are marked as
 * forgotten before.
 *
 * They are deleted in small steps, and not by dropping partitions: the keys of entries and holds are unique over all
 * time, which prevents a credit from being counted twice, and PostgreSQL cannot guarantee that over partitions by time.
 */
export async function keepLedger(app: Runtime, signal: AbortSignal): Promise<void> {
  const years = app.config.retentionLedgerYears;
  if (years === 0) return;
  const before = new Date(nowMs() - years * YEAR_MS);
  await app.database.transaction((tx) => forgetDays(app, tx, before));
  let more = true;
  for (let steps = 0; more && steps < STEPS_AT_MOST && !signal.aborted; steps++)
    more = await app.database.transaction(async (tx) => {
      const holds = await listOldHolds(tx, before);
      const ids = holds.map((hold) => hold.id);
      await tx.run(keepRefunds, { holds });
      await deleteOldHolds(tx, ids);
      return (await deleteOldEntries(tx)) || ids.length > 0;
    });
  const day = before.toISOString().slice(0, "2026-11-22".length);
  for (let steps = 0; steps < STEPS_AT_MOST && !signal.aborted; steps++)
    if ((await one(app.database, deleteOldDays, [day, DAYS_AT_ONCE])).count < DAYS_AT_ONCE) break;
  for (let steps = 0; steps < STEPS_AT_MOST && !signal.aborted; steps++)
    if ((await one(app.database, deleteOldUsage, [day, DAYS_AT_ONCE])).count < DAYS_AT_ONCE) return;
}

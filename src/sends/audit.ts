// The audit: no credit was lost or made, and what is held is the price of what is in flight.
import { advanceAuditMarks, auditLedger, noteAudit, readLastAudit } from "../credits/credits.ts";
import { nowMs } from "../kernel/clock.ts";
import { perRuntime, type Runtime } from "../kernel/runtime.ts";
import { gaugesOf, readerOf } from "../kernel/scrapes.ts";
import * as sql from "./record.sql.ts";
import type { Audit } from "./shapes.ts";

/**
 * Proves that no credit was lost or made: all balances sum to zero, each is the sum of its entries, and the held credits
 * are the price of the messages that are not final. No gateway will send a message that is in no batch, so its price is
 * a difference. The audit reads one snapshot, so it balances at any moment under any load.
 */
export async function auditCredits(app: Runtime): Promise<Audit> {
  return app.database.snapshot(async (tx) => {
    const ledger = await auditLedger(tx);
    const [queued] = await tx.run(sql.sumInFlight);
    const { price: inFlight, orphans } = queued!;
    const difference = Math.abs(ledger.sum) + Math.abs(ledger.held - inFlight);
    if (ledger.wrong.length > 0)
      app.log.fatal({ pools: ledger.wrong.slice(0, 20) }, "balances differ from their entries");
    if (orphans > 0)
      app.log.fatal({ messages: orphans }, "messages of the queue are in no batch: nobody will send them");
    const { pools, entries, held } = ledger;
    return {
      balanced: difference === 0 && ledger.wrong.length === 0,
      pools,
      entries,
      held,
      inFlight,
      difference,
    };
  });
}

// No transaction that writes the ledger lives this long. The server ends slow statements and idle transactions earlier.
const SETTLED_FOR_MS = 10 * 60_000;

/**
 * The hourly audit, which is noted whatever it finds. If it finds no difference, later audits read only the entries that
 * come after now.
 */
export async function proveCredits(app: Runtime): Promise<void> {
  const until = new Date(nowMs() - SETTLED_FOR_MS);
  const audit = await auditCredits(app);
  await noteAudit(app.database, audit);
  if (!audit.balanced) throw new Error(`the ledger does not balance: ${JSON.stringify(audit)}`);
  await app.database.transaction((tx) => advanceAuditMarks(tx, until));
}

/** Adds the gauges of the hourly audit, which outlive the process that ran it: every worker shows the same. */
export const showAudit = perRuntime((app) => {
  const read = readerOf(app, "the last audit", readLastAudit);
  const gauge = gaugesOf(app, "atumpan_audit", read);
  gauge("balanced", "1 if the last hourly audit of the ledger balanced, else 0.", (audit) =>
    Number(audit.is_balanced),
  );
  gauge(
    "difference_credits",
    "Credits that the last hourly audit found too many or too few.",
    (audit) => audit.difference,
  );
  gauge(
    "balanced_timestamp_seconds",
    "When the hourly audit last balanced, in seconds since 1970.",
    ({ balanced_at: at }) => (at === null ? undefined : at.getTime() / 1_000),
  );
});

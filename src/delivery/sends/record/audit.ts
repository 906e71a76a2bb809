// The audit of credits: none was lost or created, the held ones are the price in flight, and no entry was changed.
import { advanceAuditMarks, auditLedger, noteAudit, readLastAudit } from "../../../ledger/credits/audits.ts";
import { auditChain, checkChain, extendChain, logChainEnd } from "../../../ledger/credits/chain.ts";
import { nowMs } from "../../../platform/clock.ts";
import { one } from "../../../platform/database/query.ts";
import { gaugesOf, readerOf } from "../../../platform/database/scrapes.ts";
import { perRuntime, type Runtime } from "../../../platform/runtime.ts";
import * as sql from "./record.sql.ts";
import type { Audit } from "./shapes.ts";

/** The balances of an audit, in one snapshot. */
type Balances = Omit<Audit, "changedDays">;

/**
 * Proves that no credit was lost or created: all balances sum to zero, each is the sum of its entries, and the held
 * credits are the price of the messages that are not final. No gateway will send a message without a batch, so its
 * price is a difference. It reads one snapshot, so it balances at any moment under any load.
 */
async function auditBalances(app: Runtime): Promise<Balances> {
  return app.database.snapshot(async (tx) => {
    const ledger = await auditLedger(tx);
    const { price: inFlight, orphans } = await one(tx, sql.sumInFlight);
    // Credits that were created or lost are missing from the entries too: they count once.
    const difference = Math.max(Math.abs(ledger.sum) + Math.abs(ledger.held - inFlight), ledger.unproven);
    if (ledger.wrong.length > 0)
      app.log.fatal({ pools: ledger.wrong.slice(0, 20) }, "balances differ from their entries");
    if (orphans > 0)
      app.log.fatal({ messages: orphans }, "messages of the queue are in no batch: nobody will send them");
    const { pools, entries, held } = ledger;
    return { balanced: difference === 0, pools, entries, held, inFlight, difference };
  });
}

/**
 * Proves the balances, and that the entries are those that were written: `changedDays` are the days on which entries
 * were changed, removed or added in the database, and each adds to the difference.
 */
export async function auditCredits(app: Runtime): Promise<Audit> {
  return withChain(app, await auditBalances(app));
}

async function withChain(app: Runtime, balances: Balances): Promise<Audit> {
  const { days, difference } = await auditChain(app);
  if (days.length > 0)
    app.log.fatal({ days: days.slice(0, 20) }, "entries of the ledger are not those that were written");
  return {
    ...balances,
    balanced: balances.balanced && days.length === 0,
    difference: balances.difference + difference,
    changedDays: days,
  };
}

// No transaction that writes the ledger lives this long. The server ends slow statements and idle transactions earlier.
const SETTLED_FOR_MS = 10 * 60_000;

/**
 * Runs the hourly audit, and stores its result whatever it is. If the balances are right, later audits read only newer
 * entries. Settled entries join the chain of days, even if an error was found in it.
 */
export async function proveCredits(app: Runtime, signal?: AbortSignal): Promise<void> {
  const until = new Date(nowMs() - SETTLED_FOR_MS);
  await checkChain(app, signal);
  const balances = await auditBalances(app);
  const audit = await withChain(app, balances);
  await noteAudit(app.database, audit);
  await extendChain(app, until, signal);
  await logChainEnd(app);
  if (balances.balanced) await app.database.transaction((tx) => advanceAuditMarks(tx, until));
  if (!audit.balanced) throw new Error(`the ledger does not balance: ${JSON.stringify(audit)}`);
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

// Applies receipts that were stored without a message again, since other sessions may have committed their messages.
import { reportFailure } from "../../platform/database/outages.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { type OperatorAccount, readAccounts } from "../operators/operatoraccounts.ts";
import { type Awaited, awaitedIn, type Owed } from "./awaited.ts";
import { applyOrphans, ORPHANS_AT_ONCE, RECENT_MS } from "./incoming.ts";

/** A link of this process, and its current account. */
type Linked = Owed & { account(): OperatorAccount };

const AGAIN_EVERY_MS = 1_000;
/**
 * The maximum number of transactions for one account in a second; the rest follows in the next. 300 receipts cost 7 ms
 * of CPU (`sends/receipts.ts`), so receipts that never match cost a twentieth of a core at most.
 */
const TRANSACTIONS_AT_MOST = 4;

/** As long as receipts without a message are stored (`forgetOrphanReceipts`). */
const KEPT_MS = 7 * 24 * 3_600_000;
/** While sending is held, no answer is awaited. */
const NOTHING_AWAITED: Awaited = { ends: new Set(), waitMs: 0, sessionIds: [] };

/**
 * Applies all receipts without a message again, after queued messages became of unknown fate: the receipts may prove
 * that these were sent. Call it while sending is held.
 */
export async function matchAllOrphans(app: Runtime, signal: AbortSignal): Promise<void> {
  for (const operatorIds of await readAccounts(app.database)) {
    if (signal.aborted) return;
    for await (const _ of applyOrphans(app, operatorIds, () => NOTHING_AWAITED, { withinMs: KEPT_MS }))
      if (signal.aborted) return;
  }
}

/**
 * Applies recent receipts without a message again each second, for accounts of several sessions: one session may commit
 * an answer while another stores its receipt, and neither sees the other. The receipts of a carrier over HTTP arrive
 * beside all sessions. With one session over SMPP nothing is queried. `stop()`
 * waits for the transaction under way.
 */
export function keepApplyingOrphans(app: Runtime, links: ReadonlySet<Linked>): { stop(): Promise<void> } {
  /** By account, how many receipts were tried if one second did not suffice for all. */
  const offsets = new Map<string, number>();
  let applying: Promise<void> | undefined;

  async function applyAll(): Promise<void> {
    const accounts = new Map(
      [...links].map((link) => link.account()).map((account) => [account.operatorIds.join(), account]),
    );
    for (const [key, account] of accounts) {
      if (account.writers.length <= 1 && !account.isOverHttp) continue;
      await apply(key, account).catch((error: Error) => {
        // Other accounts continue, and this account with the receipts after these.
        offsets.set(key, (offsets.get(key) ?? 0) + ORPHANS_AT_ONCE);
        reportFailure(app, error, "receipts without a message could not be applied again");
      });
    }
  }

  async function apply(key: string, account: OperatorAccount): Promise<void> {
    const from = { withinMs: RECENT_MS, offset: offsets.get(key) ?? 0 };
    let transactions = 0;
    for await (const offset of applyOrphans(
      app,
      account.operatorIds,
      () => awaitedIn(account, links),
      from,
    )) {
      offsets.set(key, offset);
      if (offset === 0 || ++transactions === TRANSACTIONS_AT_MOST) break;
    }
  }

  const timer = setInterval(() => {
    applying ??= applyAll().finally(() => {
      applying = undefined;
    });
  }, AGAIN_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await applying;
    },
  };
}

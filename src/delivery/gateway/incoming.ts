// What an operator said of its own accord is applied in the database, beside the cycles of its link.
import { announceEvents } from "../../events/webhooks/webhooks.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { type Evidence, type ReceiptSource, Tally } from "../sends/sends.ts";
import type { Awaited } from "./awaited.ts";
import type { ApplyReceipts } from "./machine/events.ts";
import { countEvidence } from "./measures.ts";
import { applyOrphansAgain, commitReceipts } from "./receipts.ts";
import { countOrphanReceipts } from "./sql.ts";

/**
 * Receipts of so long are recent. An answer is committed within seconds; the rest is for outages, and for a clock that
 * jumps.
 */
export const RECENT_MS = 20 * 60_000;
export const ORPHANS_AT_ONCE = 500;
const PAGES_AT_MOST = 20;

/** What is to be applied, who said it, and what a receipt that names no message may be about. */
type Incoming = Pick<ApplyReceipts, "toApply" | "kept"> & { source: ReceiptSource; awaited: Awaited };

/**
 * Applies what an operator said. Where it is not known how many receipts are kept without a message, the recent ones are
 * tried first: what they are about may have been committed since. Safe to repeat. Returns how many are kept then.
 */
export async function applyIncoming(
  app: Runtime,
  { toApply, kept: known, source, awaited }: Incoming,
  limitMs: number,
): Promise<number> {
  const kept = known ?? (await tryKept(app, source, awaited));
  if (toApply.receipts.length + toApply.answered.length === 0 && !toApply.hasLost) return kept;
  const { left, told, evidence } = await app.database.transaction(async (tx) => {
    const tally = new Tally();
    const left = await commitReceipts(tx, source, { toApply, awaited }, kept, tally);
    return { left, told: await tally.commit(tx), evidence: tally.evidence };
  }, limitMs);
  announce(app, told, evidence);
  return left;
}

/** Tries the recent receipts that are kept, the oldest first. Returns how many are kept then. */
async function tryKept(app: Runtime, { operatorIds }: ReceiptSource, awaited: Awaited): Promise<number> {
  const count = async () => (await app.database.run(countOrphanReceipts, [operatorIds]))[0]!.count;
  if ((await count()) === 0) return 0;
  let pages = 0;
  for await (const _ of applyKept(app, operatorIds, () => awaited, { withinMs: RECENT_MS }))
    if (++pages === PAGES_AT_MOST) break;
  return count();
}

/**
 * Applies the receipts of the last `withinMs` again that an account keeps, the oldest first: see `applyOrphansAgain`.
 * Yields after each transaction how many to pass over in the next one; 0 when all were looked at.
 */
export async function* applyKept(
  app: Runtime,
  operatorIds: readonly string[],
  awaited: () => Awaited,
  { withinMs, offset = 0 }: { withinMs: number; offset?: number },
): AsyncGenerator<number> {
  for (let isAll = false; !isAll; ) {
    const page = { offset, limit: ORPHANS_AT_ONCE, withinMs };
    const about = awaited();
    const { looked, used, told, evidence } = await app.database.transaction((tx) =>
      applyOrphansAgain(tx, operatorIds, about, page),
    );
    announce(app, told, evidence);
    isAll = looked < ORPHANS_AT_ONCE;
    offset = isAll ? 0 : offset + looked - used;
    yield offset;
  }
}

function announce(app: Runtime, told: boolean, evidence: Evidence): void {
  if (told) announceEvents(app);
  countEvidence(app, evidence);
}

// Applies incoming receipts in the database, beside the cycles of their link.
import type { Runtime } from "../../platform/runtime.ts";
import { SettlementEffects } from "../sends/settlement/effects.ts";
import type { ReceiptSource } from "../sends/settlement/receipts.ts";
import type { Awaited } from "./awaited.ts";
import type { ApplyReceipts } from "./machine/events.ts";
import { announceSettled, applyOrphansAgain, commitReceipts } from "./receipts.ts";
import { countOrphanReceipts } from "./sql.ts";

/**
 * Receipts younger than this are recent. An answer is committed within seconds; the rest allows for outages, and for a
 * clock that jumps.
 */
export const RECENT_MS = 20 * 60_000;
export const ORPHANS_AT_ONCE = 500;
const PAGES_AT_MOST = 20;

/** The receipts to apply, their source, and the messages that a receipt without an id may belong to. */
type Incoming = Pick<ApplyReceipts, "toApply" | "orphanCount"> & { source: ReceiptSource; awaited: Awaited };

/**
 * Applies incoming receipts. If the number of receipts stored without a message is unknown, the recent ones are tried
 * first: their messages may have been committed since. Safe to repeat. Returns how many are stored afterwards.
 */
export async function applyIncoming(
  app: Runtime,
  { toApply, orphanCount: known, source, awaited }: Incoming,
  limitMs: number,
): Promise<number> {
  const orphanCount = known ?? (await tryOrphans(app, source, awaited));
  if (toApply.receipts.length + toApply.answered.length === 0 && !toApply.hasLost) return orphanCount;
  const { left, ...settled } = await app.database.transaction(async (tx) => {
    const effects = new SettlementEffects();
    const left = await commitReceipts(tx, source, { toApply, awaited }, orphanCount, effects);
    return { left, hasEvents: await effects.commit(tx), evidence: effects.evidence };
  }, limitMs);
  announceSettled(app, settled);
  return left;
}

/** Tries recent stored receipts, the oldest first. Returns how many are stored afterwards. */
async function tryOrphans(app: Runtime, { operatorIds }: ReceiptSource, awaited: Awaited): Promise<number> {
  const count = async () => (await app.database.run(countOrphanReceipts, [operatorIds]))[0]!.count;
  if ((await count()) === 0) return 0;
  let pages = 0;
  for await (const _ of applyOrphans(app, operatorIds, () => awaited, { withinMs: RECENT_MS }))
    if (++pages === PAGES_AT_MOST) break;
  return count();
}

/**
 * Applies an account's stored receipts of the last `withinMs` again, the oldest first: see `applyOrphansAgain`. After
 * each transaction, yields how many to skip in the next one; 0 when all were tried.
 */
export async function* applyOrphans(
  app: Runtime,
  operatorIds: readonly string[],
  awaited: () => Awaited,
  { withinMs, offset = 0 }: { withinMs: number; offset?: number },
): AsyncGenerator<number> {
  for (let isAll = false; !isAll; ) {
    const page = { offset, limit: ORPHANS_AT_ONCE, withinMs };
    const about = awaited();
    const { looked, used, ...settled } = await app.database.transaction((tx) =>
      applyOrphansAgain(tx, operatorIds, about, page),
    );
    announceSettled(app, settled);
    isAll = looked < ORPHANS_AT_ONCE;
    offset = isAll ? 0 : offset + looked - used;
    yield offset;
  }
}

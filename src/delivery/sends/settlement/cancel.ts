// Cancels messages that the operator does not have yet.

import type { Tx } from "../../../platform/database/transaction.ts";
import type { Runtime } from "../../../platform/runtime.ts";
import { queuedMessageOf } from "../queue/batches.ts";
import { findPacked } from "../queue/find.ts";
import { linksOf } from "../queue/lease.ts";
import { finishUnqueued, lockUnqueuedOf } from "../queue/steps.ts";
import * as sql from "./cancel.sql.ts";
import { type MessageOutcome, settleOutcomes, withdraw } from "./settle.ts";

/**
 * Cancels the messages of a send that the operator does not have yet. The part that is not queued is released at once.
 * Batches are marked, and their credits are released as they are settled; a gateway settles its batches in its next
 * cycle. The links of this process write no more of them after the commit; another process may still write messages
 * that have an intent. Returns whether there was anything to cancel.
 */
export async function cancelSend(app: Runtime, tx: Tx, accountId: string, id: string): Promise<boolean> {
  const unqueued = await lockUnqueuedOf(tx, id);
  const marked = await markBatches(tx, id);
  tx.onEnd((fate) => {
    if (fate === "committed") for (const link of linksOf(app)) link.cancel(marked);
  });
  const singles = await takeSingles(tx, accountId, id);
  await settleOutcomes(tx, singles);
  // A cycle of the gateway locks batches before totals. In the other order the two deadlock.
  if (unqueued) await finishUnqueued(tx, unqueued);
  return unqueued !== undefined || marked.length > 0 || singles.length > 0;
}

/** Returns outcomes for a small send's messages that no gateway has, after locking or withdrawing them. */
async function takeSingles(tx: Tx, accountId: string, id: string): Promise<MessageOutcome[]> {
  const queued = (await tx.run(sql.listFreeSingles, [accountId, id])).map(queuedMessageOf);
  const found = await findPacked(tx, id);
  const isOurs = found !== undefined && found.message.accountId === accountId && !found.isHeld;
  const messages = isOurs && (await withdraw(tx, found.message)) ? [...queued, found.message] : queued;
  return messages.map((message) => ({ message, status: "CANCELED", operatorMessageId: null, error: null }));
}

/** Each pass finds the batches that gateways created from those of the pass before. So many passes mean a defect. */
const LOOKS_AT_MOST = 100;

/**
 * Marks the batches of a send as canceled, and returns their ids. A gateway that divides or moves a batch holds its
 * row, so this waits for the gateway; only the next pass sees the batches that it created. When a pass finds nothing,
 * all are marked: a gateway that would create a batch now waits for this, and copies the mark.
 */
async function markBatches(tx: Tx, id: string): Promise<string[]> {
  const marked: string[] = [];
  for (let looks = 0; looks < LOOKS_AT_MOST; looks++) {
    const open = await tx.run(sql.listBatchesToCancel, [id]);
    if (open.length === 0) return marked;
    const canceled = await tx.run(sql.markBatchesCanceled, [open.map((batch) => batch.id)]);
    marked.push(...canceled.map((batch) => batch.id));
  }
  throw new Error("the batches of a send do not come to rest");
}

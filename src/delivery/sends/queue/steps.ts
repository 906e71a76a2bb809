// Large sends are queued in steps: the whole price is held, and the rest is stored here until its next step.
import { emitToSubscribers } from "../../../events/webhooks/webhooks.ts";
import { settleCredits } from "../../../ledger/credits/credits.ts";
import type { Tx } from "../../../platform/database/transaction.ts";
import * as sql from "./steps.sql.ts";
import { endOf } from "./subscription.ts";

/** Stores the rest of a send for later steps, inside the transaction that holds its price. */
export async function leaveUnqueued(tx: Tx, send: sql.UnqueuedSend): Promise<void> {
  await tx.run(sql.insertUnqueued, send);
}

/** Locks the send whose next step has waited longest. Undefined if there is none. */
export async function lockUnqueued(tx: Tx): Promise<sql.FoundUnqueued | undefined> {
  const [row] = await tx.run(sql.lockUnqueued);
  return row;
}

/** Locks the rest of one send. Undefined if it is wholly queued. */
export async function lockUnqueuedOf(tx: Tx, id: string): Promise<sql.FoundUnqueued | undefined> {
  const [row] = await tx.run(sql.lockUnqueuedOf, [id]);
  return row;
}

/** Records one step. The total rises if more people were found than were counted. */
export async function advanceUnqueued(tx: Tx, id: string, step: sql.Step): Promise<void> {
  await tx.run(sql.updateUnqueued, { id, ...step });
  await tx.run(sql.raiseTotal, [id, step.nextNumber - 1]);
}

/**
 * Ends a send after its last step. The remaining credits are released, and the total becomes the number of people
 * found. If all of them are already tried, this emits the end event, which the deliverer finds at its next check.
 */
export async function finishUnqueued(tx: Tx, send: sql.UnqueuedSend): Promise<void> {
  await tx.run(sql.deleteUnqueued, [send.id]);
  const totals = await tx.run(sql.updateTotal, [send.id, send.nextNumber - 1]);
  await emitToSubscribers(tx, totals.flatMap(endOf));
  if (send.remaining === 0) return;
  await settleCredits(tx, [{ holdId: send.id, poolId: send.poolId, captured: 0, released: send.remaining }]);
}

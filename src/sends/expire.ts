// Messages whose time is over while no gateway has them expire, or are settled as canceled.
import type { Tx } from "../kernel/database.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { announceEvents } from "../webhooks/webhooks.ts";
import * as sql from "./batches.sql.ts";
import { type HeldBatch, lockExpired } from "./batches.ts";
import type { QueuedMessage } from "./fold.ts";
import { type MessageOutcome, settleOutcomes } from "./settle.ts";

/** Settles messages that ran out of time, in steps; work of a job. */
export async function expireMessages(app: Runtime, signal?: AbortSignal): Promise<void> {
  for (let more = true; more && !signal?.aborted; ) {
    const { count, told } = await app.database.transaction(settleExpired);
    if (told) announceEvents(app);
    more = count > 0;
  }
}

/**
 * Settles messages that ran out of time while no gateway had them, 20 batches a call. Returns how much it settled and
 * deleted, and whether there are events to announce after the commit.
 */
async function settleExpired(tx: Tx): Promise<{ count: number; told: boolean }> {
  const batches = await lockExpired(tx);
  const outcomes = batches.flatMap((batch) => batch.messages.map((message) => outcomeOf(batch, message)));
  const told = await settleOutcomes(tx, outcomes);
  const deleted = await tx.run(sql.deleteEmptyBatches, [batches.map((batch) => batch.id)]);
  return { count: outcomes.length + deleted.length, told };
}

function outcomeOf(batch: HeldBatch, message: QueuedMessage): MessageOutcome {
  const common = { message, operatorMessageId: null };
  if (message.unknown) return { ...common, status: "UNKNOWN", error: "unknown-outcome" };
  return batch.canceled
    ? { ...common, status: "CANCELED", error: null }
    : { ...common, status: "EXPIRED", error: "expired" };
}

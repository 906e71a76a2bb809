// Settles messages whose time ends while no gateway has them: as expired, canceled or unknown.
import { announceEvents } from "../../../events/webhooks/webhooks.ts";
import type { Tx } from "../../../platform/database/transaction.ts";
import type { Runtime } from "../../../platform/runtime.ts";
import * as sql from "../queue/batches.sql.ts";
import { type HeldBatch, lockExpired } from "../queue/batches.ts";
import type { QueuedMessage } from "../queue/packed.ts";
import { type MessageOutcome, settleOutcomes } from "./settle.ts";

const AT_ONCE = 20;
/** So many batches that cannot be settled end a run: more than a single batch is wrong. */
const FAILED_AT_MOST = 20;

/**
 * Settles expired messages, in steps. If a step fails, the batches are settled one by one, so that one that cannot be
 * settled does not block the others. Throws its error at the end. `count` receives the outcomes of each step once they
 * are committed.
 */
export async function expireMessages(
  app: Runtime,
  signal?: AbortSignal,
  count: (outcomes: readonly MessageOutcome[]) => void = () => {},
): Promise<void> {
  const failed: string[] = [];
  let failure: unknown;
  let most = AT_ONCE;
  for (let more = true; more && !signal?.aborted && failed.length < FAILED_AT_MOST; ) {
    let tried: string[] = [];
    try {
      const { outcomes, deleted, hasEvents } = await app.database.transaction(async (tx) => {
        const batches = await lockExpired(tx, most, failed);
        tried = batches.map((batch) => batch.id);
        return settleExpired(tx, batches);
      });
      if (hasEvents) announceEvents(app);
      count(outcomes);
      more = outcomes.length + deleted > 0;
    } catch (error) {
      if (tried.length === 0) throw error;
      failure = error;
      if (tried.length === 1) failed.push(...tried);
      most = 1;
    }
  }
  if (failed.length > 0) throw failure;
}

/**
 * Settles the messages of batches that expired while no gateway had them. Returns their outcomes, how many batches are
 * deleted, and whether there are events to announce after the commit.
 */
async function settleExpired(
  tx: Tx,
  batches: readonly HeldBatch[],
): Promise<{ outcomes: MessageOutcome[]; deleted: number; hasEvents: boolean }> {
  const outcomes = batches.flatMap((batch) => batch.messages.map((message) => outcomeOf(batch, message)));
  const hasEvents = await settleOutcomes(tx, outcomes);
  const deleted = await tx.run(sql.deleteEmptyBatches, [batches.map((batch) => batch.id)]);
  return { outcomes, deleted: deleted.length, hasEvents };
}

function outcomeOf(batch: HeldBatch, message: QueuedMessage): MessageOutcome {
  const common = { message, operatorMessageId: null };
  if (message.unknown) return { ...common, status: "UNKNOWN", error: "unknown-outcome" };
  return batch.canceled
    ? { ...common, status: "CANCELED", error: null }
    : { ...common, status: "EXPIRED", error: "expired" };
}

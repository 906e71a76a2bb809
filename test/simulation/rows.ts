// What the tables of the simulation do with rows: their order in an index of several columns, and what a session gets.
import type { HeldBatch } from "../../src/delivery/sends/queue/batches.ts";
import type { QueuedMessage } from "../../src/delivery/sends/queue/packed.ts";

/** A row of `batches`, with the messages of it that are not final and not moved. */
export type BatchRow = {
  id: string;
  lane: number;
  prefix: string;
  accountId: string;
  sendId: string | null;
  notBefore: number;
  expiresAt: number;
  session: string | null;
  operatorId: string | null;
  intent: number;
  first: number;
  size: number;
  unknown: boolean;
  canceled: boolean;
  live: Map<number, QueuedMessage>;
};

/** A row of `messages`. */
export type Recorded = {
  message: QueuedMessage;
  status: string;
  operatorId: string | null;
  operatorMessageId: string | null;
  error: string | null;
  at: number;
};

/** Below 0: `a` comes first. Above 0: `b` does. */
export function compare(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [i, value] of a.entries()) {
    if (value < b[i]!) return -1;
    if (value > b[i]!) return 1;
  }
  return 0;
}

/** A batch as the session gets it that takes it now. */
export function heldBatchOf(batch: BatchRow, now: number): HeldBatch {
  const { id, lane, prefix, accountId, intent, canceled } = batch;
  return {
    id,
    lane,
    prefix,
    accountId,
    expiresAt: new Date(batch.expiresAt),
    intent,
    canceled,
    waitedMs: Math.max(0, now - batch.notBefore),
    messages: [...batch.live.values()].sort((a, b) => a.position - b.position),
  };
}

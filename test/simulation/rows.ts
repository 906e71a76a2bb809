// What the tables of the simulation do with rows: their order in an index of several columns, and what a session gets.
import type { HeldBatch } from "../../src/sends/sends.ts";
import type { BatchRow } from "./tables.ts";

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

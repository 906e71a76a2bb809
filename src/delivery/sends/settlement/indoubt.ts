// Messages that were queued when the database became another one: they are sent after all, or become of unknown fate.
import { one, type Statements } from "../../../platform/database/query.ts";
import type { Tx } from "../../../platform/database/transaction.ts";
import { deleteEmptyBatches } from "../queue/batches.sql.ts";
import { readWaiting } from "../queue/batches.ts";
import { LANE } from "../queue/enqueue.ts";
import type { QueuedMessage } from "../queue/packed.ts";
import * as sql from "./indoubt.sql.ts";
import { type Move, moveMessages, type UnknownTimes } from "./settle.ts";

const BATCHES_AT_ONCE = 20;

/**
 * Marks all queued messages as in doubt, or removes the marks: the database may have forgotten that they were sent.
 * Messages held for review are not marked, since an administrator decides on them anyway.
 */
export async function markQueueInDoubt(tx: Tx, isInDoubt: boolean): Promise<void> {
  await tx.run(isInDoubt ? sql.markBatchesInDoubt : sql.clearBatchesInDoubt);
  await tx.run(isInDoubt ? sql.markUnqueuedInDoubt : sql.clearUnqueuedInDoubt);
}

/** Also marks messages held for review: if the submitted ones are known, an administrator decides on the rest. */
export async function markHeldForReviewInDoubt(tx: Tx): Promise<void> {
  await tx.run(sql.markHeldForReviewInDoubt);
}

/** Marks the messages that a step of a send in doubt has queued, in the same transaction. */
export async function markSendInDoubt(tx: Tx, id: string): Promise<void> {
  await tx.run(sql.markSendInDoubt, [id]);
}

/** Returns the number of messages in doubt. */
export async function countInDoubt(db: Statements): Promise<number> {
  return (await one(db, sql.countInDoubt)).count;
}

/** Whether any message is in doubt. */
export async function hasInDoubt(db: Statements): Promise<boolean> {
  return (await one(db, sql.findInDoubt)).isInDoubt;
}

/** Returns those messages that may have been submitted. */
export type FindSubmitted = (messages: readonly QueuedMessage[]) => Promise<readonly QueuedMessage[]>;

/**
 * Settles some batches in doubt. Messages that may have been submitted become of unknown fate and are never sent again:
 * a receipt may still prove them, otherwise they end as `UNKNOWN` and are refunded. The others are sent. Canceled ones
 * are settled as such. Returns how many batches there were.
 */
export async function settleSomeInDoubt(
  tx: Tx,
  times: UnknownTimes,
  submittedAmong: FindSubmitted,
): Promise<number> {
  const rows = await tx.run(sql.lockInDoubt, [BATCHES_AT_ONCE]);
  const ids = rows.map((row) => row.id);
  // Before the moves: messages that leave a batch in doubt inherit its mark.
  await tx.run(sql.clearTheseInDoubt, [ids]);
  const batches = (await readWaiting(tx, rows)).filter(({ canceled }) => !canceled);
  const otps = new Set(batches.filter(({ lane }) => lane === LANE.otp).map(({ id }) => id));
  const submitted = await submittedAmong(batches.flatMap(({ messages }) => messages));
  const messages = submitted.filter(({ packed }) => packed);
  if (messages.length > 0) await tx.run(sql.withdrawMessages, { messages });
  await moveMessages(
    tx,
    submitted.map((message) => unknownFor(message, otps.has(message.batchId), times)),
  );
  await tx.run(deleteEmptyBatches, [ids]);
  return rows.length;
}

function unknownFor(message: QueuedMessage, isOtp: boolean, times: UnknownTimes): Move {
  const expireMs = isOtp ? times.otpUnknownLifetimeMs : times.unknownLifetimeMs;
  return { message, fate: "unknown", waitMs: null, expireMs };
}

/** The last cycle of a session whose commit was acknowledged. */
export type SeenCycle = { bindKey: string; sessionId: string; cycle: number };

/**
 * Whether the database has all of these cycles of a process. A session that has lost its bind to another process counts
 * as known.
 */
export async function hasCycles(db: Statements, node: string, seen: readonly SeenCycle[]): Promise<boolean> {
  if (seen.length === 0) return true;
  return (await one(db, sql.countForgottenTurns, { node, seen })).count === 0;
}

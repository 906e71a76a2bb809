// What waited when the database became another one: it is sent after all, or it is of unknown fate.
import type { Statements, Tx } from "../../platform/database.ts";
import { deleteEmptyBatches } from "./batches.sql.ts";
import { readWaiting } from "./batches.ts";
import * as sql from "./doubtful.sql.ts";
import { LANE } from "./enqueue.ts";
import type { QueuedMessage } from "./fold.ts";
import { type Move, moveMessages, type UnknownTimes } from "./settle.ts";

const BATCHES_AT_ONCE = 20;

/**
 * Marks all that waits as doubtful, or takes that back: the database may have forgotten that it was sent. What waits for a
 * person's decision is not marked, since that person decides again.
 */
export async function doubtQueue(tx: Tx, isDoubtful: boolean): Promise<void> {
  await tx.run(isDoubtful ? sql.doubtBatches : sql.trustBatches);
  await tx.run(isDoubtful ? sql.doubtUnqueued : sql.trustUnqueued);
}

/** Marks what waits for a person's decision too: where it is known what was submitted, that person decides of the rest. */
export async function doubtKept(tx: Tx): Promise<void> {
  await tx.run(sql.doubtKept);
}

/** Marks what a step of a doubtful send has queued, in the same transaction. */
export async function doubtSend(tx: Tx, id: string): Promise<void> {
  await tx.run(sql.doubtSend, [id]);
}

/** The number of doubtful messages. */
export async function countDoubtful(db: Statements): Promise<number> {
  return (await db.run(sql.countDoubtful))[0]!.count;
}

/** Whether anything is doubtful. */
export async function hasDoubtful(db: Statements): Promise<boolean> {
  return (await db.run(sql.findDoubtful))[0]!.isDoubtful;
}

/** Those of these messages that may have been submitted. */
export type FindSubmitted = (messages: readonly QueuedMessage[]) => Promise<readonly QueuedMessage[]>;

/**
 * Makes those messages of some doubtful batches that may have been submitted messages of unknown fate that are never sent
 * again: a receipt may still prove them, and else they end as `UNKNOWN`, without a price. The others are sent. Canceled ones
 * are settled as such. Returns how many batches there were.
 */
export async function settleSomeDoubtful(
  tx: Tx,
  times: UnknownTimes,
  submittedAmong: FindSubmitted,
): Promise<number> {
  const rows = await tx.run(sql.lockDoubtful, [BATCHES_AT_ONCE]);
  const ids = rows.map((row) => row.id);
  // Before the moves: messages that leave a doubtful batch are as doubtful as it is.
  await tx.run(sql.trustThese, [ids]);
  const batches = (await readWaiting(tx, rows)).filter(({ canceled }) => !canceled);
  const laneOf = new Map(batches.map(({ id, lane }) => [id, lane]));
  const submitted = await submittedAmong(batches.flatMap(({ messages }) => messages));
  const carried = submitted.filter(({ folded }) => folded);
  if (carried.length > 0)
    await tx.run(sql.withdrawMessages, [
      carried.map(({ batchId }) => batchId),
      carried.map(({ position }) => position),
    ]);
  await moveMessages(
    tx,
    submitted.map((message) => unknownFor(message, laneOf.get(message.batchId)!, times)),
  );
  await tx.run(deleteEmptyBatches, [ids]);
  return rows.length;
}

function unknownFor(message: QueuedMessage, lane: number, times: UnknownTimes): Move {
  const expireMs = lane === LANE.otp ? times.otpUnknownLifetimeMs : times.unknownLifetimeMs;
  return { message, fate: "unknown", waitMs: null, expireMs };
}

/** The last turn of a session whose commit was acknowledged. */
export type SeenCycle = { bindKey: string; sessionId: string; cycle: number };

/**
 * Whether the database has all of these turns of a process. A session that has lost its bind to another process counts as
 * known.
 */
export async function hasCycles(db: Statements, node: string, seen: readonly SeenCycle[]): Promise<boolean> {
  if (seen.length === 0) return true;
  const [forgotten] = await db.run(sql.countForgottenTurns, [
    seen.map(({ sessionId }) => sessionId),
    seen.map(({ bindKey }) => bindKey),
    seen.map(({ cycle }) => cycle),
    node,
  ]);
  return forgotten!.count === 0;
}

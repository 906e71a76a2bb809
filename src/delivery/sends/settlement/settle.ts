// Settling: messages become final, or move to a new batch because they are retried or of unknown fate.

import { one } from "../../../platform/database/query.ts";
import { isUntrue, type Tx } from "../../../platform/database/transaction.ts";
import { isTaken } from "../../../platform/database/unique.ts";
import { newId } from "../../../platform/ids.ts";
import { LANE } from "../queue/enqueue.ts";
import type { QueuedMessage } from "../queue/packed.ts";
import { SettlementEffects } from "./effects.ts";
import { recordParts } from "./parts.ts";
import * as sql from "./settle.sql.ts";

/** A final message. `SENT` captures its price, every other status releases it. */
export type MessageOutcome = {
  message: QueuedMessage;
  status: "SENT" | "REJECTED" | "EXPIRED" | "CANCELED" | "UNKNOWN";
  operatorMessageId: string | null;
  error: string | null;
};

/**
 * A message that leaves its batch for a new one, with the parts accepted so far. Its fate says why:
 *
 * - `retry`: the operator did not accept it, and one of its retries is used up.
 * - `untried`: it was throttled or never sent, which uses up no retry.
 * - `parked`: its account is suspended.
 * - `unknown`: it was sent, and nobody knows whether the operator accepted it.
 * - `unsent`: it was of unknown fate, and the operator proves that it never arrived.
 *
 * `prefix`: it waits under this routing prefix instead of that of its batch. `waitMs` null: it is never sent again;
 * negative: it is due since then. `expireMs` null: it keeps the expiry of its batch. `repeated`: operators may already
 * have some segment twice, so no other operator may send the whole text.
 */
export type Move = {
  message: QueuedMessage;
  fate: "retry" | "untried" | "parked" | "unknown" | "unsent";
  waitMs: number | null;
  expireMs: number | null;
  prefix?: string;
  repeated?: boolean;
};

// A statement compares each of its messages with all. 10,000 in one took 5 s, and under other load more than the limit
// of 10 s. In statements of 500, a canceled campaign of 10,000 is refunded in 0.9 s (2 busy cores, 2026-11-21).
const SETTLED_AT_ONCE = 500;

/** Settles messages with rows of their own, and adds the counts and credits of their sends to `effects`. */
export async function settleQueued(
  tx: Tx,
  operatorId: string | null,
  outcomes: readonly MessageOutcome[],
  effects: SettlementEffects,
): Promise<void> {
  const settling: Promise<sql.SettledSend[]>[] = [];
  for (let from = 0; from < outcomes.length; from += SETTLED_AT_ONCE) {
    const some = outcomes.slice(from, from + SETTLED_AT_ONCE);
    settling.push(
      tx.run(sql.settleQueued, {
        operatorId,
        batchIds: some.map(({ message }) => message.batchId),
        positions: some.map(({ message }) => message.position),
        statuses: some.map((outcome) => outcome.status),
        operatorMessageIds: some.map((outcome) => outcome.operatorMessageId),
        errors: some.map((outcome) => outcome.error),
      }),
    );
  }
  const [settled] = await Promise.all([Promise.all(settling), recordParts(tx, operatorId, outcomes)]);
  for (const send of settled.flat()) effects.addSettled(send, operatorId);
}

/** The changes of batches in one transaction. */
export type BatchChanges = {
  /**
   * The session that has the batches, the number of its cycle and of the cycle before it; null if no session has them.
   */
  session: { id: string; cycle: number; prior: number } | null;
  operatorId: string | null;
  /** Outcomes of packed messages. */
  outcomes: readonly MessageOutcome[];
  /** By batch, the position up to which messages may be written from now on. */
  intents: ReadonlyMap<string, number>;
  /** Batches that have no messages left after this. */
  done: readonly string[];
};

/** This error of the record as Citus reports it: it loses the code of an error of a worker that gets rows. */
const COPIED_TWICE = { code: "XX000", message: /^duplicate key value violates unique constraint/ };

/** Whether a transaction failed because the database differs from the caller's view (`must` in its statements). */
export function isMistaken(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message: string };
  const isRecorded = code === COPIED_TWICE.code && COPIED_TWICE.message.test(message);
  return isUntrue(error) || isTaken(error) || isRecorded;
}

/**
 * Records the outcomes of packed messages and adds them to `effects`, commits intents, and deletes batches that are done.
 * Returns the batches that were canceled meanwhile, among those that are not done. Fails, and with it the transaction,
 * if the session or a batch differs from the caller's view.
 */
export async function settlePacked(
  tx: Tx,
  changes: BatchChanges,
  effects: SettlementEffects,
): Promise<string[]> {
  const { session, operatorId, outcomes, intents, done } = changes;
  const parts = new Map<string, sql.SettledPart>();
  for (const [id, intent] of intents) parts.set(id, { id, intent, settled: 0 });
  for (const outcome of outcomes) {
    partOf(parts, outcome.message.batchId).settled += outcome.message.price;
    effects.addPacked(outcome, operatorId);
  }
  const whole = done.map((id) => partOf(parts, id));
  for (const id of done) parts.delete(id);
  const settling = one(tx, sql.settlePacked, {
    sessionId: session?.id ?? null,
    cycle: session?.cycle ?? null,
    prior: session?.prior ?? null,
    operatorId,
    accountIds: outcomes.map(({ message }) => message.accountId),
    sendIds: outcomes.map(({ message }) => message.sendId),
    numbers: outcomes.map(({ message }) => message.number),
    phones: outcomes.map(({ message }) => message.phone),
    statuses: outcomes.map((outcome) => outcome.status),
    segments: outcomes.map(({ message }) => message.segments),
    prices: outcomes.map(({ message }) => message.price),
    operatorMessageIds: outcomes.map((outcome) => outcome.operatorMessageId),
    errors: outcomes.map((outcome) => outcome.error),
    parts: [...parts.values()],
    done: whole,
  });
  const [{ canceled }] = await Promise.all([settling, recordParts(tx, operatorId, outcomes)]);
  return canceled;
}

/** Returns the changes of a batch, which begin with none. */
function partOf(parts: Map<string, sql.SettledPart>, id: string): sql.SettledPart {
  let part = parts.get(id);
  if (!part) {
    part = { id, intent: null, settled: 0 };
    parts.set(id, part);
  }
  return part;
}

/**
 * Settles messages of batches that no session has, packed or not. The batches stay. Returns whether there are events to
 * announce after the commit.
 */
export async function settleOutcomes(tx: Tx, outcomes: readonly MessageOutcome[]): Promise<boolean> {
  const effects = new SettlementEffects();
  const packed = outcomes.filter(({ message }) => message.packed);
  await settleQueued(
    tx,
    null,
    outcomes.filter(({ message }) => !message.packed),
    effects,
  );
  const nothing = { session: null, operatorId: null, intents: new Map(), done: [] };
  if (packed.length > 0) await settlePacked(tx, { ...nothing, outcomes: packed }, effects);
  return effects.write(tx);
}

/**
 * Takes a message out of its batch before it is settled, so that no gateway reads it. Returns false if a session has
 * the batch.
 */
export async function withdraw(tx: Tx, { batchId, position }: QueuedMessage): Promise<boolean> {
  return (await tx.run(sql.withdrawMessage, [batchId, position])).length > 0;
}

/** Moves messages into new batches. Messages with the same batch, fate and times share the new batch. */
export async function moveMessages(tx: Tx, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return;
  const groups = Map.groupBy(
    moves,
    (move) =>
      `${move.message.batchId} ${move.fate} ${move.waitMs} ${move.expireMs} ${move.prefix} ${accountAside(move)}`,
  );
  const batches: sql.MovedBatch[] = [];
  const queued: sql.MovedMessage[] = [];
  const packed: sql.LeavingMessage[] = [];
  for (const group of groups.values()) {
    const batch = batchOf(group);
    batches.push(batch);
    for (const [i, move] of group.entries()) {
      if (move.message.packed) packed.push(leavingOf(move, batch.id, i + 1));
      else queued.push(movedOf(move, batch.id, i + 1));
    }
  }
  await Promise.all([
    tx.run(sql.insertMovedBatches, { batches }),
    queued.length > 0 && tx.run(sql.moveQueued, { messages: queued }),
    packed.length > 0 && tx.run(sql.insertQueued, { messages: packed }),
  ]);
}

/** Returns the new batch of moves that share one. */
function batchOf(group: readonly Move[]): sql.MovedBatch {
  const first = group[0]!;
  return {
    id: newId(),
    fromBatch: first.message.batchId,
    segments: group.reduce((sum, { message }) => sum + message.segments, 0),
    size: group.length,
    unknown: first.fate === "unknown" || (first.message.unknown && first.fate !== "unsent"),
    waitMs: first.waitMs,
    expireMs: first.expireMs,
    held: group.reduce((sum, { message }) => (message.packed ? sum + message.price : sum), 0),
    accountId: accountAside(first),
    prefix: first.prefix ?? null,
  };
}

/** The account that owns the batch of a parked message; null for other moves. */
function accountAside({ fate, message }: Move): string | null {
  return fate === "parked" ? message.accountId : null;
}

/** Returns a message with a row of its own, at its new place. */
function movedOf({ message, fate, repeated = false }: Move, id: string, position: number): sql.MovedMessage {
  return {
    fromBatch: message.batchId,
    fromPosition: message.position,
    toBatch: id,
    toPosition: position,
    accepted: message.accepted,
    acceptedBy: message.acceptedBy,
    retried: fate === "retry" ? 1 : 0,
    lost: fate === "unknown" ? 1 : fate === "unsent" ? -1 : 0,
    repeated,
    partIds: partIdsOf(message),
  };
}

/** Returns a packed message as its row at its new place. A copy of all its members takes 30 ns more (2026-11-28). */
function leavingOf({ message, fate }: Move, batchId: string, position: number): sql.LeavingMessage {
  return {
    batchId,
    position,
    accountId: message.accountId,
    sendId: message.sendId,
    number: message.number,
    poolId: message.poolId,
    holdId: message.holdId,
    phone: message.phone,
    sender: message.sender,
    body: message.body,
    segments: message.segments,
    price: message.price,
    reference: message.reference,
    accepted: message.accepted,
    acceptedBy: message.acceptedBy,
    partIds: partIdsOf(message),
    retries: message.retries + (fate === "retry" ? 1 : 0),
    losses: message.losses + (fate === "unknown" ? 1 : 0),
  };
}

/** Returns the ids of the parts as the column stores them. */
function partIdsOf({ partIds }: QueuedMessage): string | null {
  return partIds && partIds.length > 0 ? JSON.stringify(partIds) : null;
}

/** Whether another operator has segments of a text. This one would have to send it whole. */
export function isBegunElsewhere({ accepted, acceptedBy }: QueuedMessage, operatorId: string): boolean {
  return accepted !== 0 && acceptedBy !== operatorId;
}

/** How long messages of unknown fate wait, in milliseconds. */
export type UnknownTimes = { quarantineMs: number; unknownLifetimeMs: number; otpUnknownLifetimeMs: number };

/**
 * Moves a message of unknown fate, which an operator may have. It is sent again once after the quarantine. A one-time
 * password never is, nor a text that was begun at another operator before: segments are submitted twice at most.
 */
export function unknownMove(
  message: QueuedMessage,
  { lane, operatorId }: { lane: number; operatorId: string },
  times: UnknownTimes,
): Move {
  const again = lane !== LANE.otp && message.losses === 0 && !isBegunElsewhere(message, operatorId);
  return {
    message,
    fate: "unknown",
    waitMs: again ? times.quarantineMs : null,
    expireMs: lane === LANE.otp ? times.otpUnknownLifetimeMs : times.unknownLifetimeMs,
  };
}

// One turn of the gateway in the database: what the operator said since the last one, and what may be written next.

import { type Settled, settleCredits } from "../credits/credits.ts";
import type { Tx } from "../kernel/database.ts";
import { newId } from "../kernel/ids.ts";
import * as sql from "./sql.ts";

/** Where a message stands in the queue. */
export type Place = { batchId: string; position: number };

/** A message that is final: `SENT` captures its price, everything else releases it. */
export type Outcome = Place & {
  status: "SENT" | "REJECTED" | "EXPIRED" | "CANCELED" | "UNKNOWN";
  operatorMessageId: string | null;
  error: string | null;
};

/**
 * A message that leaves its batch for a later one: to be tried again since it was surely not accepted (`retry`),
 * or of unknown fate (`unknown`). `waitMs` null: never sent again; `expireMs` null: the batch's own time stays.
 */
export type Move = Place & {
  fate: "retry" | "unknown";
  segments: number;
  /** Segments that the operator accepted, a bit each. */
  accepted: number;
  waitMs: number | null;
  expireMs: number | null;
};

/** A final receipt. */
export type FinalReceipt = {
  operatorMessageId: string;
  status: "DELIVERED" | "UNDELIVERED" | "EXPIRED" | "REJECTED";
  error: string | null;
  phone: string;
  sender: string;
  reference: number | null;
};

/**
 * What a transaction means for sends and pools, written at its end: totals before pools, each row once and in order of
 * its key. Two operators that send for one account hold the same rows in every turn; in any other order they deadlock,
 * and each deadlock is a silent second of both links (6 in 60 campaigns before this; 2026-11-21).
 */
export class Tally {
  readonly #settled = new Map<string, Settled>();
  readonly #totals = new Map<
    string,
    { sent: number; failed: number; delivered: number; undelivered: number }
  >();

  addSettled(send: sql.SettledSend): void {
    const total = this.#totalOf(send.campaign_id);
    total.sent += send.sent;
    total.failed += send.failed;
    const known = this.#settled.get(send.campaign_id);
    this.#settled.set(send.campaign_id, {
      holdId: send.campaign_id,
      poolId: send.pool_id,
      captured: send.captured + (known?.captured ?? 0),
      released: send.released + (known?.released ?? 0),
    });
  }

  addDelivered(campaignId: string, delivered: number, undelivered: number): void {
    const total = this.#totalOf(campaignId);
    total.delivered += delivered;
    total.undelivered += undelivered;
  }

  async write(tx: Tx): Promise<void> {
    if (this.#totals.size === 0) return;
    const totals = [...this.#totals].sort(([a], [b]) => (a < b ? -1 : 1));
    await Promise.all([
      tx.run(sql.updateTotals, [
        totals.map(([campaignId]) => campaignId),
        totals.map(([, total]) => total.sent),
        totals.map(([, total]) => total.failed),
        totals.map(([, total]) => total.delivered),
        totals.map(([, total]) => total.undelivered),
      ]),
      settleCredits(tx, [...this.#settled.values()]),
    ]);
  }

  #totalOf(campaignId: string) {
    let total = this.#totals.get(campaignId);
    if (!total) {
      total = { sent: 0, failed: 0, delivered: 0, undelivered: 0 };
      this.#totals.set(campaignId, total);
    }
    return total;
  }
}

/** Settles messages and their credits. Repeating it changes nothing: a settled message is no longer in the queue. */
export async function settleOutcomes(
  tx: Tx,
  operatorId: string | null,
  outcomes: readonly Outcome[],
): Promise<void> {
  const tally = new Tally();
  await recordOutcomes(tx, operatorId, outcomes, tally);
  await tally.write(tx);
}

/** Makes messages final; what that means for their sends and credits goes into `tally`. */
export async function recordOutcomes(
  tx: Tx,
  operatorId: string | null,
  outcomes: readonly Outcome[],
  tally: Tally,
): Promise<void> {
  if (outcomes.length === 0) return;
  const settled = await tx.run(sql.settleMessages, [
    operatorId,
    outcomes.map((outcome) => outcome.batchId),
    outcomes.map((outcome) => outcome.position),
    outcomes.map((outcome) => outcome.status),
    outcomes.map((outcome) => outcome.operatorMessageId),
    outcomes.map((outcome) => outcome.error),
  ]);
  for (const send of settled) tally.addSettled(send);
}

/** Moves messages into new batches, one for each batch, fate and time that they have in common. */
export async function moveMessages(tx: Tx, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return;
  const groups = Map.groupBy(moves, (move) => `${move.batchId} ${move.fate} ${move.waitMs} ${move.expireMs}`);
  const batches = [...groups.values()].map((group) => ({ id: newId(), group, first: group[0]! }));
  const moved = batches.flatMap(({ id, group }) => group.map((move, i) => ({ move, id, position: i + 1 })));
  await Promise.all([
    tx.run(sql.insertMovedBatches, [
      batches.map(({ id }) => id),
      batches.map(({ first }) => first.batchId),
      batches.map(({ group }) => group.reduce((sum, move) => sum + move.segments, 0)),
      batches.map(({ group }) => group.length),
      batches.map(({ first }) => first.fate === "unknown"),
      batches.map(({ first }) => first.waitMs),
      batches.map(({ first }) => first.expireMs),
    ]),
    tx.run(sql.moveQueued, [
      moved.map(({ move }) => move.batchId),
      moved.map(({ move }) => move.position),
      moved.map(({ id }) => id),
      moved.map(({ position }) => position),
      moved.map(({ move }) => move.accepted),
      moved.map(({ move }) => (move.fate === "retry" ? 1 : 0)),
      moved.map(({ move }) => (move.fate === "unknown" ? 1 : 0)),
    ]),
  ]);
}

/**
 * Applies final receipts: to accepted messages by the operator's id, else as evidence for a message of unknown fate,
 * else kept as orphans until their message is known. Money never moves on a receipt, but for evidence of acceptance.
 */
export async function applyReceipts(
  tx: Tx,
  operatorId: string,
  receipts: readonly FinalReceipt[],
  tally: Tally,
): Promise<number> {
  if (receipts.length === 0) return 0;
  const first = new Map<string, FinalReceipt>();
  for (const receipt of receipts) {
    // Operators that count anew give one id to messages of several phones.
    const key = `${receipt.operatorMessageId} ${receipt.phone}`;
    if (!first.has(key)) first.set(key, receipt);
  }
  const unmatched = await applyByOperatorId(tx, operatorId, [...first.values()], tally);
  if (unmatched.length === 0) return 0;
  const proven = await settleByEvidence(tx, operatorId, unmatched, tally);
  if (proven.length > 0) await applyByOperatorId(tx, operatorId, proven, tally);
  const orphans = unmatched.filter((receipt) => !proven.includes(receipt));
  if (orphans.length > 0) {
    await tx.run(sql.insertOrphanReceipts, [
      operatorId,
      orphans.map((receipt) => receipt.operatorMessageId),
      orphans.map((receipt) => receipt.status),
      orphans.map((receipt) => receipt.error),
      orphans.map((receipt) => receipt.phone),
      orphans.map((receipt) => receipt.sender),
      orphans.map((receipt) => receipt.reference),
    ]);
  }
  return orphans.length;
}

async function applyByOperatorId(
  tx: Tx,
  operatorId: string,
  receipts: FinalReceipt[],
  tally: Tally,
): Promise<FinalReceipt[]> {
  const applied = await tx.run(sql.applyReceipts, [
    operatorId,
    receipts.map((receipt) => receipt.operatorMessageId),
    receipts.map((receipt) => receipt.status),
    receipts.map((receipt) => receipt.error),
    receipts.map((receipt) => receipt.phone),
  ]);
  const ids = new Set<string>();
  for (const row of applied) {
    if (row.campaign_id === null) ids.add(row.operator_message_id);
    else tally.addDelivered(row.campaign_id, row.delivered, row.undelivered);
  }
  return receipts.filter((receipt) => ids.has(receipt.operatorMessageId));
}

/** Receipts that prove the acceptance of a message of unknown fate: by our reference, or as the only one it can be. */
async function settleByEvidence(
  tx: Tx,
  operatorId: string,
  receipts: FinalReceipt[],
  tally: Tally,
): Promise<FinalReceipt[]> {
  const unknown = await tx.run(sql.listUnknownByPhone, [
    operatorId,
    [...new Set(receipts.map((receipt) => receipt.phone))],
  ]);
  const outcomes: Outcome[] = [];
  const proven: FinalReceipt[] = [];
  for (const receipt of receipts) {
    const candidates = unknown.filter(
      (message) =>
        message.phone === receipt.phone &&
        message.sender === receipt.sender &&
        (receipt.reference === null || receipt.reference === message.reference),
    );
    if (candidates.length !== 1) continue;
    const [message] = candidates;
    unknown.splice(unknown.indexOf(message!), 1);
    proven.push(receipt);
    outcomes.push({
      batchId: message!.batch_id,
      position: message!.position,
      status: "SENT",
      operatorMessageId: receipt.operatorMessageId,
      error: null,
    });
  }
  await recordOutcomes(tx, operatorId, outcomes, tally);
  return proven;
}

/** Joins the receipts that came before the answer of their message. */
export async function adoptOrphans(
  tx: Tx,
  operatorId: string,
  operatorMessageIds: readonly string[],
  tally: Tally,
): Promise<number> {
  if (operatorMessageIds.length === 0) return 0;
  const orphans = await tx.run(sql.takeOrphanReceipts, [operatorId, operatorMessageIds]);
  if (orphans.length > 0) await applyByOperatorId(tx, operatorId, orphans.map(receiptOfOrphan), tally);
  return orphans.length;
}

function receiptOfOrphan({ operator_message_id, ...receipt }: sql.OrphanReceipt): FinalReceipt {
  return { ...receipt, operatorMessageId: operator_message_id };
}

/**
 * Settles messages that just became of unknown fate and whose receipts came before, while their answers were awaited:
 * they were accepted, and must not be sent again.
 */
export async function adoptOrphansOfUnknown(tx: Tx, operatorId: string, tally: Tally): Promise<number> {
  const orphans = await tx.run(sql.listOrphansOfUnknown, [operatorId]);
  if (orphans.length === 0) return 0;
  const proven = await settleByEvidence(tx, operatorId, orphans.map(receiptOfOrphan), tally);
  const ids = proven.map((receipt) => receipt.operatorMessageId);
  return adoptOrphans(tx, operatorId, ids, tally);
}

/** How long messages of unknown fate wait, in milliseconds. */
export type UnknownTimes = { quarantineMs: number; unknownLifetimeMs: number; otpUnknownLifetimeMs: number };

/** Where a message of unknown fate goes: sent again once after the quarantine; a one-time password never. */
export function unknownMove(
  place: Place & { segments: number; accepted: number },
  about: { lane: number; losses: number },
  times: UnknownTimes,
): Move {
  const again = about.lane !== LANE.otp && about.losses === 0;
  return {
    batchId: place.batchId,
    position: place.position,
    segments: place.segments,
    accepted: place.accepted,
    fate: "unknown",
    waitMs: again ? times.quarantineMs : null,
    expireMs: about.lane === LANE.otp ? times.otpUnknownLifetimeMs : times.unknownLifetimeMs,
  };
}

/** The lanes of the queue: a lower one always goes first. */
export const LANE = { otp: 0, single: 1, bulk: 2 } as const;
export type Lane = (typeof LANE)[keyof typeof LANE];

/**
 * Takes care of what earlier sessions of an operator left: what they may have written becomes unknown, the rest is free
 * again. Returns how many messages are of unknown fate now.
 */
export async function recoverLostSessions(
  tx: Tx,
  operatorId: string,
  sessionId: string,
  times: UnknownTimes,
): Promise<number> {
  const written = await tx.run(sql.listPossiblyWritten, [operatorId, sessionId]);
  await moveMessages(
    tx,
    written.map((row) =>
      unknownMove(
        { batchId: row.batch_id, position: row.position, segments: row.segments, accepted: 0 },
        { lane: row.lane, losses: row.losses },
        times,
      ),
    ),
  );
  await tx.run(sql.freeBatches, [operatorId, sessionId]);
  const tally = new Tally();
  const proven = await adoptOrphansOfUnknown(tx, operatorId, tally);
  await tally.write(tx);
  return written.length - proven;
}

/**
 * Settles what ran out of time while no gateway had it, 20 batches a call: unknown fate, or never accepted.
 * Returns how many messages became final.
 */
export async function settleExpired(tx: Tx): Promise<number> {
  const rows = await tx.run(sql.listExpired);
  await settleOutcomes(tx, null, rows.map(outcomeOfExpired));
  await tx.run(sql.deleteExpiredBatches);
  return rows.length;
}

function outcomeOfExpired(row: {
  batch_id: string;
  position: number;
  unknown: boolean;
  canceled: boolean;
}): Outcome {
  const common = { batchId: row.batch_id, position: row.position, operatorMessageId: null };
  if (row.unknown) return { ...common, status: "UNKNOWN", error: "unknown-outcome" };
  return row.canceled
    ? { ...common, status: "CANCELED", error: null }
    : { ...common, status: "EXPIRED", error: "expired" };
}

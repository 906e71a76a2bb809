// One turn of the gateway in the database: it records what the operator said since the last one.

import { type Settled, settleCredits } from "../credits/credits.ts";
import type { Tx } from "../kernel/database.ts";
import { newId } from "../kernel/ids.ts";
import * as sql from "./sql.ts";
import { type Finals, tellWatchers } from "./watch.ts";

export type QueuePlace = { batchId: string; position: number };

/** A message that is final. `SENT` captures its price, everything else releases it. */
export type MessageOutcome = QueuePlace & {
  status: "SENT" | "REJECTED" | "EXPIRED" | "CANCELED" | "UNKNOWN";
  operatorMessageId: string | null;
  error: string | null;
};

/**
 * A message that leaves its batch for a new one. It is tried again since it was surely not accepted (`retry`), or it is
 * of unknown fate (`unknown`). `waitMs` null: it is never sent again. `expireMs` null: it keeps the time of its batch.
 */
export type Move = QueuePlace & {
  fate: "retry" | "unknown";
  segments: number;
  /** The segments that the operator accepted, one bit each. */
  accepted: number;
  waitMs: number | null;
  expireMs: number | null;
};

/**
 * Collects what a transaction means for sends and pools, and writes it at the end: totals before pools, each row once
 * and in order of its key. Two operators that send for one account lock the same rows in every turn. In any other order
 * they deadlock, and each deadlock silences both links for a second (6 in 60 campaigns before this; 2026-11-21).
 */
export class Tally {
  readonly #settled = new Map<string, Settled>();
  readonly #watched = new Map<string, Finals>();
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
    this.#watch(send);
  }

  addDelivered(send: sql.DeliveredSend): void {
    const total = this.#totalOf(send.campaign_id);
    total.delivered += send.delivered;
    total.undelivered += send.undelivered;
    this.#watch(send);
  }

  /** Whether somebody watches any of its sends. Then `write` emits events once it knows the totals. */
  get isWatched(): boolean {
    return this.#watched.size > 0;
  }

  /** Returns whether there are events to announce after the commit. */
  async write(tx: Tx): Promise<boolean> {
    if (this.#totals.size === 0) return false;
    const totals = [...this.#totals].sort(([a], [b]) => (a < b ? -1 : 1));
    const counting = tx.run(sql.updateTotals, [
      totals.map(([campaignId]) => campaignId),
      totals.map(([, total]) => total.sent),
      totals.map(([, total]) => total.failed),
      totals.map(([, total]) => total.delivered),
      totals.map(([, total]) => total.undelivered),
    ]);
    const settled = [...this.#settled.values()];
    if (!this.isWatched) {
      await Promise.all([counting, settleCredits(tx, settled)]);
      return false;
    }
    // This comes before the pools because all sends of an account share those, watched or not.
    const told = await tellWatchers(tx, this.#watched, counting);
    await settleCredits(tx, settled);
    return told;
  }

  #watch(send: Pick<sql.DeliveredSend, "account_id" | "campaign_id" | "watched">): void {
    if (!send.watched) return;
    const finals = this.#watched.get(send.campaign_id) ?? { accountId: send.account_id, numbers: [] };
    finals.numbers.push(...send.watched);
    this.#watched.set(send.campaign_id, finals);
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

/**
 * Settles messages and their credits. A repeat changes nothing, because a settled message is no longer in the queue.
 * Returns whether there are events to announce after the commit.
 */
export async function settleOutcomes(
  tx: Tx,
  operatorId: string | null,
  outcomes: readonly MessageOutcome[],
): Promise<boolean> {
  const tally = new Tally();
  await recordOutcomes(tx, operatorId, outcomes, tally);
  return tally.write(tx);
}

// A statement compares each of its messages with all. 10,000 in one took 5 s, and beside other work more than the limit
// of 10 s. In statements of 500, a canceled campaign of 10,000 is paid back in 0.9 s (2 busy cores, 2026-11-21).
const SETTLED_AT_ONCE = 500;

/** Makes messages final, and adds the counts and credits of their sends to `tally`. */
export async function recordOutcomes(
  tx: Tx,
  operatorId: string | null,
  outcomes: readonly MessageOutcome[],
  tally: Tally,
): Promise<void> {
  const settling: Promise<sql.SettledSend[]>[] = [];
  for (let from = 0; from < outcomes.length; from += SETTLED_AT_ONCE) {
    const some = outcomes.slice(from, from + SETTLED_AT_ONCE);
    settling.push(
      tx.run(sql.settleMessages, [
        operatorId,
        some.map((outcome) => outcome.batchId),
        some.map((outcome) => outcome.position),
        some.map((outcome) => outcome.status),
        some.map((outcome) => outcome.operatorMessageId),
        some.map((outcome) => outcome.error),
      ]),
    );
  }
  for (const settled of await Promise.all(settling)) for (const send of settled) tally.addSettled(send);
}

/** Moves messages into new batches. Messages that share a batch, a fate and the times share the new batch. */
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

/** How long messages of unknown fate wait, in milliseconds. */
export type UnknownTimes = { quarantineMs: number; unknownLifetimeMs: number; otpUnknownLifetimeMs: number };

/** Moves a message of unknown fate. It is sent again once after the quarantine; a one-time password never is. */
export function unknownMove(
  place: QueuePlace & { segments: number; accepted: number },
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

/** The lanes of the queue. A lower one always goes first. */
export const LANE = { otp: 0, single: 1, bulk: 2 } as const;
export type Lane = (typeof LANE)[keyof typeof LANE];

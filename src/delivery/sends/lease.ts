// Leases: a gateway of this process offers places in its window, and a new batch may be made with one of them.
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import type { QueuedMessage } from "./fold.ts";

/** A batch that was made for a session, with all of its messages in memory. */
export type LeasedBatch = {
  id: string;
  lane: number;
  prefix: string;
  expiresAt: Date;
  messages: readonly QueuedMessage[];
};

/**
 * Places in the window of a session, for one new batch. The batch is made with the session and the whole intent in its
 * row. Exactly one of the three functions is called, once the transaction that makes the batch has ended.
 */
export type Lease = {
  readonly sessionId: string;
  /** The lease counts only in this term of the session. */
  readonly term: number;
  /** The batch is committed: the gateway writes its messages. */
  adopt(batch: LeasedBatch): void;
  /** The batch was not made. */
  giveUp(): void;
  /** Nobody knows whether it was made: the gateway finds that out. */
  doubt(): void;
};

/** What is to be leased: the window slots for a batch of this id, lane and prefix. */
export type WantedLease = { batchId: string; lane: number; prefix: string; slots: number };

/** A link of this process, as those who accept sends see it. */
export type OpenLink = {
  /** Offers places in its window. Undefined where it has none for this batch. */
  lease(wanted: WantedLease): Lease | undefined;
  /** These batches are canceled: what is not on the wire is not written. */
  cancel(batchIds: readonly string[]): void;
  /** Resolves at the end of the turn that is under way; undefined if none is, or the link is not behind. */
  cycleUnderWay(): Promise<void> | undefined;
};

/** The links of this process; empty in a process without the role of a gateway. */
export const linksOf = perRuntime<Set<OpenLink>>(() => new Set());

/** A lease for a new batch. Undefined if no link of this process has room for it: then any gateway may take it. */
export function leaseFor(app: Runtime, wanted: WantedLease): Lease | undefined {
  for (const link of linksOf(app)) {
    const lease = link.lease(wanted);
    if (lease) return lease;
  }
  return undefined;
}

// So many turns go before each group that is accepted, and so long at most. With 2, twenty-four companies that send
// campaigns of 100 to new contacts leave 0.39 of the speed at which the links send alone, with 4 it is 0.66 (2 cores,
// 2026-11-22).
const TURNS_FIRST = 4;
const GIVE_WAY_MS = 50;

/** Whether an acceptance has to wait, because a link of this process is behind. */
export function mustGiveWay(app: Runtime): boolean {
  return cyclesUnderWay(app).length > 0;
}

function cyclesUnderWay(app: Runtime): Promise<void>[] {
  return [...linksOf(app)].flatMap((link) => link.cycleUnderWay() ?? []);
}

/**
 * Waits for turns of the links of this process, before more is accepted. What is accepted goes out first: otherwise 16
 * connections that send campaigns leave the links a fifth of their speed (2 cores, 2026-11-22). It waits for nothing
 * where the links wait for their operators.
 */
export async function giveWay(app: Runtime): Promise<void> {
  const until = performance.now() + GIVE_WAY_MS;
  for (let cycles = 0; cycles < TURNS_FIRST && performance.now() < until; cycles++) {
    const underWay = cyclesUnderWay(app);
    if (underWay.length === 0) return;
    const limit = Promise.withResolvers<void>();
    const timer = setTimeout(limit.resolve, until - performance.now());
    await Promise.race([limit.promise, ...underWay]);
    clearTimeout(timer);
  }
}

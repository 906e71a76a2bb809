// Leases: a link of this process reserves slots of its window, and a new batch may be created in them.
import { perRuntime, type Runtime } from "../../../platform/runtime.ts";
import type { QueuedMessage } from "./packed.ts";

/** A batch that was created for a session, with all of its messages in memory. */
export type LeasedBatch = {
  id: string;
  lane: number;
  prefix: string;
  expiresAt: Date;
  messages: readonly QueuedMessage[];
};

/**
 * Slots in the window of a session, for one new batch. The row of the batch is created with the session and the whole
 * intent. Exactly one of the three functions is called after the transaction that creates the batch.
 */
export type Lease = {
  readonly sessionId: string;
  /** The lease is valid only in this term of the session. */
  readonly term: number;
  /** The batch is committed: the gateway writes its messages. */
  receive(batch: LeasedBatch): void;
  /** The batch was not created. */
  giveUp(): void;
  /** It is not known whether the batch was created: the gateway finds out. */
  leaveInDoubt(): void;
};

/** The lease that a batch of this id, lane and prefix needs, in window slots. */
export type WantedLease = { batchId: string; lane: number; prefix: string; slots: number };

/** A link of this process, as code that accepts sends sees it. */
export type OpenLink = {
  /** Reserves slots in its window. Undefined if it has none for this batch. */
  lease(wanted: WantedLease): Lease | undefined;
  /** Cancels batches: messages that are not on the wire are not written. */
  cancel(batchIds: readonly string[]): void;
  /** Resolves at the end of the cycle under way; undefined if none is, or if the link is not behind. */
  cycleUnderWay(): Promise<void> | undefined;
};

/** The links of this process; empty in a process without the gateway role. */
export const linksOf = perRuntime<Set<OpenLink>>(() => new Set());

/** Returns a lease for a new batch. Undefined: no link of this process has room, so any gateway may take it. */
export function leaseFor(app: Runtime, wanted: WantedLease): Lease | undefined {
  for (const link of linksOf(app)) {
    const lease = link.lease(wanted);
    if (lease) return lease;
  }
  return undefined;
}

// The number of cycles that go before each group that is accepted, and the maximum wait. With 2, twenty-four companies
// that send campaigns of 100 to new contacts leave 0.39 of the speed at which the links send alone; with 4 it is 0.66
// (2 cores, 2026-11-22).
const TURNS_FIRST = 4;
const GIVE_WAY_MS = 50;

/** Whether an acceptance must wait, because a link of this process is behind. */
export function mustYieldToSending(app: Runtime): boolean {
  return cyclesUnderWay(app).length > 0;
}

function cyclesUnderWay(app: Runtime): Promise<void>[] {
  return [...linksOf(app)].flatMap((link) => link.cycleUnderWay() ?? []);
}

/**
 * Yields to sending: waits for cycles of the links of this process before more is accepted. Otherwise 16 connections
 * that send campaigns leave the links a fifth of their speed (2 cores, 2026-11-22). Does not wait if the links wait for
 * their operators.
 */
export async function yieldToSending(app: Runtime): Promise<void> {
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

// Leases: a gateway of this process offers places in its window, and a new batch may be made with one of them.
import { perRuntime, type Runtime } from "../kernel/runtime.ts";
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
  /** The batch is committed: the gateway writes its messages. */
  adopt(batch: LeasedBatch): void;
  /** The batch was not made. */
  giveUp(): void;
  /** Nobody knows whether it was made: the gateway finds that out. */
  doubt(): void;
};

/** What is to be leased: the window slots for a batch of this id, lane and prefix. */
export type WantedLease = { batchId: string; lane: number; prefix: string; slots: number };

/** Offers places in the window of a session. Undefined where it has none for this batch. */
export type LeaseOffer = (wanted: WantedLease) => Lease | undefined;

/** What the gateway of this process offers; empty in a process without the role. */
export const offersOf = perRuntime<Set<LeaseOffer>>(() => new Set());

/** A lease for a new batch. Undefined if no gateway of this process has room for it: then any gateway may take it. */
export function leaseFor(app: Runtime, wanted: WantedLease): Lease | undefined {
  for (const offer of offersOf(app)) {
    const lease = offer(wanted);
    if (lease) return lease;
  }
  return undefined;
}

// The events that the link state machine receives and the effects it returns. `linkmachine.ts` has the transitions.

import type { CarrierAnswer, Outgoing } from "../../operators/carrier.ts";
import type { Refused } from "../../operators/pace.ts";
import type { Routing } from "../../operators/routing.ts";
import type { BatchRow, WaitingGroup } from "../../sends/queue/batches.sql.ts";
import type { Decision, HeldBatch } from "../../sends/queue/batches.ts";
import type { LeasedBatch } from "../../sends/queue/lease.ts";
import type { Cycle } from "./cycles.ts";
import type { Item, Proven } from "./items.ts";
import type { Plan } from "./plan.ts";
import type { Incoming, IncomingReceipts } from "./receipts.ts";

/** The moment of an event. */
export type Now = {
  /** The monotonic clock, in milliseconds. */
  ms: number;
  /** The time of day, in milliseconds since 1970. */
  clock: number;
  /** Whether this session certainly owns the bind and takes a submit_sm. */
  isReady: boolean;
  /** Whether the session is closed, so that no answer reaches the operator. `sessionLost` follows. */
  isClosed: boolean;
};

/** The results of a committed cycle. */
export type CycleResult = {
  /** The batches that it took from the queue. */
  batches: readonly Pick<BatchRow, "lane" | "prefix" | "account_id">[];
  waiting: readonly WaitingGroup[];
  /** The batches that were canceled meanwhile. */
  canceled: readonly string[];
  /** The number of stored receipts that it applied: each matched a message that became of unknown fate in it. */
  matched: number;
};

/** The commits in doubt: those of cycles, in order. Empty if only leases or unread batches are in doubt. */
export type LostCommit = { cycles: readonly Cycle[] };

/** What the process knows of a session: its last committed cycle, its batches, and those of leases that are open. */
export type KnownBatches = { cycle: number; batches: readonly string[]; leases: readonly string[] };

/** What the database knows of a session: its last committed cycle, batches that the process did not know, and cancels. */
export type Certainty = Decision & {
  batches: readonly HeldBatch[];
  canceled: readonly string[];
};

/**
 * A request without an answer: none arrived in time (`late`), it was never sent (`unsent`), its fields do not fit the
 * protocol (`unfit`), or the session is lost (`lost`).
 */
export type Unanswered = {
  kind: "unanswered";
  item: Item;
  request: Outgoing;
  why: "late" | "unsent" | "unfit" | "lost";
  error: Error;
};

export type Event =
  /** The queue may have new messages, or the routing has changed. */
  | { kind: "woken"; routing: Routing }
  /** The time that the machine waits for has passed, or everything that the sockets held has been read. */
  | { kind: "tick" }
  | { kind: "answered"; item: Item; answer: CarrierAnswer }
  | Unanswered
  | { kind: "answeredLate"; request: Outgoing; answer: CarrierAnswer }
  /** The operator sent deliver_sm: all that the sockets held. */
  | { kind: "incoming"; incoming: readonly Incoming[] }
  /** This process canceled batches. */
  | { kind: "canceled"; batches: readonly string[] }
  /** A batch was created for this session in leased slots. */
  | { kind: "leaseMade"; batch: LeasedBatch; slots: number }
  /** The batch of a lease was not created (`isKnown`), or it is not known whether it was. */
  | { kind: "leaseEnded"; batchId: string; slots: number; isKnown: boolean }
  /** The oldest cycle under way is committed. `held` is undefined if the messages that it took could not be read. */
  | { kind: "committed"; result: CycleResult; held: readonly HeldBatch[] | undefined }
  /** The oldest cycle under way failed, or lost commits could not be resolved. `isKnown`: it was not committed. */
  | { kind: "failed"; isKnown: boolean }
  | { kind: "resolved"; certainty: Certainty }
  /** Incoming receipts are committed, and `orphanCount` of them are stored without a message; undefined: it failed. */
  | { kind: "receiptsApplied"; orphanCount: number | undefined }
  /** A late answer is recorded, and its message was not sent again meanwhile. */
  | { kind: "lateSettled"; proven: Proven }
  /** Nothing new is taken. `finishes`: messages that were begun are still written to their end. */
  | { kind: "drain"; finishes: boolean }
  | { kind: "sessionLost" };

/** Commits a cycle. */
export type Commit = {
  kind: "commit";
  cycle: number;
  /** The number of the cycle before it. The commit fails if the database does not have that cycle. */
  prior: number;
  plan: Plan;
  /** Whether it may be the first committed cycle of its session. */
  isFirst: boolean;
  /**
   * If messages become of unknown fate: the last digits of the phones of all messages that await an answer. A stored
   * receipt that identifies its message only by phone may belong to one of these.
   */
  awaited: ReadonlySet<string> | undefined;
};

/** Applies incoming receipts. */
export type ApplyReceipts = {
  kind: "applyReceipts";
  toApply: IncomingReceipts;
  /** The number of receipts stored without a message. Undefined: unknown, so all of them are tried first. */
  orphanCount: number | undefined;
};

export type Effect =
  | { kind: "write"; item: Item; request: Outgoing }
  /**
   * Commits a plan as this cycle of the session. Answered by `committed` or `failed`, in the order of the cycles, of
   * which several may be under way.
   */
  | Commit
  /** Answered by `receiptsApplied`. */
  | ApplyReceipts
  /** Resolves lost commits. Answered by `resolved` or `failed`. */
  | { kind: "resolve"; lost: LostCommit; known: KnownBatches }
  /** Answers a deliver_sm. */
  | { kind: "reply"; incoming: Incoming; status: number }
  /** Records a message as sent whose answer arrived after the timeout. Answered by `lateSettled` if it is settled. */
  | { kind: "settleLate"; proven: Proven }
  /** Applies receipts of such a message that were stored while it was being recorded. */
  | { kind: "matchLate"; proven: Proven }
  /** Gives back a batch that was created after its session had ended. */
  | { kind: "giveBack"; batch: LeasedBatch }
  /** The operator throttled a message. */
  | { kind: "throttled"; refused: Refused }
  /** A message cannot be encoded. */
  | { kind: "unfit"; item: Item; error: unknown }
  /** The operator answered with a code that concerns the session, or that explains nothing. */
  | { kind: "rebind"; code: string }
  /** The operator answered with a code that is in no table. */
  | { kind: "unknownCode"; code: string }
  /** Requests a `tick` once everything that the sockets hold now has been read. */
  | { kind: "soon" }
  /** Requests a `tick` after so many milliseconds. Replaces an earlier `wait`. */
  | { kind: "wait"; ms: number }
  | { kind: "drained" }
  | { kind: "ended" };

/** Adds one effect. */
export type Emit = (effect: Effect) => void;

// What the link state machine hears, and what it answers with. `linkmachine.ts` says what follows from what.
import type { OutgoingMessage, SubmitAnswer } from "../../../protocol/smpp/smpp.ts";
import type { Refused, Routing } from "../../operators/operators.ts";
import type { BatchRow, Decision, HeldBatch, LeasedBatch, WaitingGroup } from "../../sends/sends.ts";
import type { Cycle } from "./cycles.ts";
import type { Incoming, IncomingReceipts } from "./intake.ts";
import type { Item, Proven } from "./items.ts";
import type { Plan } from "./plan.ts";

/** The moment of an event. */
export type Now = {
  /** The monotonic clock, in milliseconds. */
  ms: number;
  /** The time of day, in milliseconds since 1970. */
  clock: number;
  /** Whether the bind is surely ours and the session takes a submit_sm. */
  isReady: boolean;
};

/** What a committed cycle found. */
export type CycleResult = {
  /** What it took from the queue. */
  batches: readonly Pick<BatchRow, "lane" | "prefix" | "account_id">[];
  waiting: readonly WaitingGroup[];
  /** The batches that were canceled meanwhile. */
  canceled: readonly string[];
  /** How many of the receipts that are kept without a message were about messages that became of unknown fate in it. */
  adopted: number;
};

/** Lost commits: those of cycles, in order; or none but those of leases and of batches that could not be read. */
export type LostCommit = { cycles: readonly Cycle[] };

/** What a session knows: its last cycle, its batches, and those of leases whose answer is still to come. */
export type KnownBatches = { cycle: number; batches: readonly string[]; leases: readonly string[] };

/** Which cycle was committed last, what the session has that it does not know of, and what was canceled. */
export type Certainty = Decision & {
  batches: readonly HeldBatch[];
  canceled: readonly string[];
};

/**
 * No answer to a submit_sm: none in time (`late`), never sent (`unsent`), its fields do not fit (`unfit`), or the
 * session is gone (`lost`).
 */
export type Unanswered = {
  kind: "unanswered";
  item: Item;
  pdu: OutgoingMessage;
  why: "late" | "unsent" | "unfit" | "lost";
  error: Error;
};

export type Event =
  /** The queue may hold something new, or other operators take what waits than before. */
  | { kind: "woken"; routing: Routing }
  /** The time is over that the machine waits for, or all is heard that the socket had. */
  | { kind: "tick" }
  | { kind: "answered"; item: Item; answer: SubmitAnswer }
  | Unanswered
  | { kind: "answeredLate"; pdu: OutgoingMessage; answer: SubmitAnswer }
  /** A deliver_sm of the operator. */
  | { kind: "incoming"; incoming: Incoming }
  /** Batches that were canceled by this process. */
  | { kind: "canceled"; batches: readonly string[] }
  /** A batch that was made for this session, whose places were leased. */
  | { kind: "leaseMade"; batch: LeasedBatch; slots: number }
  /** It was not made, or nobody knows. */
  | { kind: "leaseEnded"; batchId: string; slots: number; isKnown: boolean }
  /** The cycle that was begun first is committed. `held` is undefined where the messages of what it took could not be read. */
  | { kind: "committed"; result: CycleResult; held: readonly HeldBatch[] | undefined }
  /** The cycle that was begun first failed, or what became of lost commits could not be read. `isKnown`: nothing happened. */
  | { kind: "failed"; isKnown: boolean }
  | { kind: "resolved"; certainty: Certainty }
  /** What the operator said is committed, and so many receipts are kept without a message; undefined: it failed. */
  | { kind: "receiptsApplied"; kept: number | undefined }
  /** Takes nothing new. `finishes`: what is begun is still written to its end. */
  | { kind: "drain"; finishes: boolean }
  | { kind: "sessionLost" };

/** A cycle that is to be committed. */
export type Commit = {
  kind: "commit";
  cycle: number;
  /** The number of the cycle that must be committed before it: it fails where the database has forgotten that. */
  prior: number;
  plan: Plan;
  /** Whether it is the first cycle of its session that may be committed. */
  isFirst: boolean;
  /**
   * Where messages become of unknown fate: the phones of those that the operator owes an answer for, by their ends. A
   * receipt that is kept and names nothing else may be theirs.
   */
  awaited: ReadonlySet<string> | undefined;
};

/** What the operator said is to be applied. */
export type ApplyReceipts = {
  kind: "applyReceipts";
  toApply: IncomingReceipts;
  /** The number of receipts without a message that the database keeps. Undefined: all of them are tried first. */
  kept: number | undefined;
};

export type Effect =
  | { kind: "write"; item: Item; pdu: OutgoingMessage }
  /**
   * Commits a plan as this cycle of the session; answered by `committed` or `failed`, in the order of the cycles. Others may
   * be under way.
   */
  | Commit
  /** Answered by `heard`. */
  | ApplyReceipts
  /** Finds out what became of a lost commit; answered by `resolved` or `failed`. */
  | { kind: "resolve"; lost: LostCommit; known: KnownBatches }
  /** Answers a deliver_sm. */
  | { kind: "reply"; incoming: Incoming; status: number }
  /** Records a message whose answer came after its time. */
  | { kind: "settleLate"; proven: Proven }
  /** Gives back a batch that was made after its session had ended. */
  | { kind: "giveBack"; batch: LeasedBatch }
  /** A message was refused for speed. */
  | { kind: "throttled"; refused: Refused }
  /** A message cannot be encoded. */
  | { kind: "unfit"; item: Item; error: unknown }
  /** The operator answered a message with a code that is about the session, or says nothing. */
  | { kind: "rebind"; code: string }
  /** The operator answered with a code that nobody knows. */
  | { kind: "unknownCode"; code: string }
  /** Sends a `tick` once everything is heard that the sockets hold by now. */
  | { kind: "soon" }
  /** Sends a `tick` after so many milliseconds; replaces an earlier `wait`. */
  | { kind: "wait"; ms: number }
  | { kind: "drained" }
  | { kind: "ended" };

/** Takes one effect. */
export type Emit = (effect: Effect) => void;

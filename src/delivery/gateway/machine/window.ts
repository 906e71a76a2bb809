// The window of a link: how many messages are with the operator, and how many may become of unknown fate.
import type { Pace } from "../../operators/operators.ts";

// Intents are committed ahead: a message is ready to be written when an answer makes room for it, and outcomes await their
// commit while others are written. With no more than a window of intents, a link waited for a commit after each answer
// and reached 75 % of window / latency at 20 ms (2 busy cores, 2026-11-22). There are as many ahead as the last cycles
// needed: a tenth of a window where the operator is slow beside a cycle, and a whole one at most.
const AHEAD = { least: 0.1, most: 1, growth: 1.25, decay: 1 / 16 };
/** A tenth of a window is kept for messages before bulk, so that a one-time password finds a slot at once. */
const RESERVED_SHARE = 0.1;
// An operator that answers nothing for this long gets no more messages; sooner where its answers are given up sooner.
const DEAF_AFTER_MS = 5_000;
const DEAF_AFTER_SHARE = 0.9;

/** What a cycle may choose: slots for intents, of which bulk leaves `reserved` free, and what the pace allows. */
export type Room = { slots: number; reserved: number; atMost: number };

export const NO_ROOM: Room = { slots: 0, reserved: 0, atMost: 0 };

/**
 * Counts two things. Messages on the wire are written and not answered: at most `size`, which the operator allows. Slots
 * are taken from an intent until the outcome is committed: up to two windows, which bounds what a crash of the process
 * leaves of unknown fate, whichever cycle under way is the last that is committed. A lost session leaves what is on the
 * wire, a window at most.
 */
export class Window {
  readonly #size: number;
  readonly #deafAfterMs: number;
  /** The slots from intent to committed outcome. */
  #used = 0;
  /** Those of them whose outcome awaits a cycle. */
  #freed = 0;
  /** Those of them that leases and cycles under way keep for messages that may be written after their commit. */
  #promised = 0;
  /** Those of the promised slots that leases keep. */
  #leased = 0;
  /**
   * The slots that a cycle under way frees and takes again. Its commit does both or neither, so a crash never leaves both.
   * A lease finds the reserve free meanwhile: without this a one-time password waited for two cycles, and its p50 beside a
   * campaign was 26 ms instead of 8 (2 cores, 2026-11-22).
   */
  #exchanged = 0;
  /** The slots beside those of a window on the wire. */
  #ahead: number;
  /** The messages on the wire. */
  #unanswered = 0;
  /** When the operator answered last, or when we wrote again after a time with nothing on the wire. */
  #heardAt = 0;

  /** A window of so many messages, at an operator whose answers are given up after so long. */
  constructor(size: number, submitTimeoutMs: number) {
    this.#size = size;
    this.#deafAfterMs = Math.min(DEAF_AFTER_MS, submitTimeoutMs * DEAF_AFTER_SHARE);
    this.#ahead = Math.max(1, size * AHEAD.least);
  }

  /** The slots that a crash leaves of unknown fate at most: what a cycle under way frees and takes counts once. */
  get used(): number {
    return this.#used - this.#exchanged;
  }

  get freed(): number {
    return this.#freed;
  }

  get unanswered(): number {
    return this.#unanswered;
  }

  /** Whether one more message may be on the wire. */
  get mayWrite(): boolean {
    return this.#unanswered < this.#size;
  }

  /** Whether so many ready messages last for a while. */
  isStocked(ready: number): boolean {
    return ready >= this.#ahead / 2;
  }

  /**
   * Follows a cycle that ends while others are answered: `ready` messages are left to be written. With none left the wire
   * is short of them, and the next cycles commit more ahead; with some left they commit fewer.
   */
  adapt(ready: number): void {
    const isShort = ready === 0 && this.mayWrite;
    const wanted = isShort ? this.#ahead * AHEAD.growth + 1 : this.#ahead - ready * AHEAD.decay;
    this.#ahead = Math.min(this.#size * AHEAD.most, Math.max(this.#size * AHEAD.least, 1, wanted));
  }

  /** Whether the operator owes answers and says nothing. */
  isDeaf(ms: number): boolean {
    return this.#unanswered > 0 && ms - this.#heardAt > this.#deafAfterMs;
  }

  /** A message goes onto the wire. */
  write(ms: number): void {
    if (this.#unanswered === 0) this.#heardAt = ms;
    this.#unanswered++;
  }

  /** The operator answers something. */
  handle(ms: number): void {
    this.#heardAt = ms;
  }

  /** A message is answered, or its answer is given up. */
  leaveWire(): void {
    this.#unanswered--;
  }

  /** The slots that a message takes: one for each segment, and no more than a window. */
  slotsFor(segments: number): number {
    return Math.min(segments, this.#size);
  }

  /** The room for a cycle, which commits the outcomes that wait for it, with so many messages ready to be written. */
  roomAt(pace: Pace, ms: number, ready: number): Room {
    const slots = Math.max(0, this.roomNow() + this.#freed);
    const atMost = Math.max(0, pace.roomSoon(ms) - this.#promised - ready);
    return { slots, reserved: this.#reserve, atMost };
  }

  /**
   * The slots of a room, beside those that are used, for what is taken and written at once: the reserve stays for leases
   * meanwhile.
   */
  slotsToTake({ slots, atMost }: Room, used: number): number {
    return Math.max(0, Math.min(slots - this.#reserve, atMost) - used);
  }

  get #reserve(): number {
    return Math.floor(this.#size * RESERVED_SHARE);
  }

  /** The slots that are free now. */
  roomNow(): number {
    return Math.max(0, this.#size + Math.ceil(this.#ahead) - this.used);
  }

  /** The slots for a lease at the pace of the link, with so many messages before bulk ready to be written. */
  roomForLease(pace: Pace, ms: number, ready: number): number {
    return Math.min(this.roomNow(), pace.roomSoon(ms) - this.#leased - ready);
  }

  take(slots: number): void {
    this.#used += slots;
  }

  /** The outcome of a message is known, and awaits its commit. */
  answer(slots: number): void {
    this.#freed += slots;
  }

  /** Keeps slots for messages that may be written once something is committed. */
  #promise(slots: number): void {
    this.#used += slots;
    this.#promised += slots;
  }

  /** Keeps slots for a batch that is being accepted. */
  lease(slots: number): void {
    this.#promise(slots);
    this.#leased += slots;
  }

  /** The acceptance is over. */
  endLease(slots: number, isWritten: boolean): void {
    this.#endPromise(slots, isWritten);
    this.#leased -= slots;
  }

  /** Begins a cycle that frees what is answered, and keeps slots for what it chose and takes. Returns what it frees. */
  beginCycle(promised: number): number {
    const freed = this.#freed;
    this.#freed = 0;
    this.#promise(promised);
    this.#exchanged += Math.min(promised, freed);
    return freed;
  }

  /** The cycle is over, committed or not. */
  endCycle({ promised, freed }: { promised: number; freed: number }, isCommitted: boolean): void {
    this.#exchanged -= Math.min(promised, freed);
    this.#endPromise(promised, false);
    if (isCommitted) this.#used -= freed;
    else this.#freed += freed;
  }

  /** The commit is over. The slots stay in use if messages are written into them. */
  #endPromise(slots: number, isWritten: boolean): void {
    this.#promised -= slots;
    if (!isWritten) this.#used -= slots;
  }
}

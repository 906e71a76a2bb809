// The window of a link: how many messages are with the operator, and how many a crash may leave of unknown fate.
import type { Pace } from "../../operators/pace.ts";

// Intents are committed ahead: a message is ready to be written when an answer makes room for it, and outcomes await
// their commit while others are written. With only one window of intents, a link waited for a commit after each answer
// and reached 75 % of window / latency at 20 ms (2 busy cores, 2026-11-22). The number ahead follows the need of the
// last cycles: a tenth of a window if the operator is slow compared to a cycle, and one whole window at most.
const AHEAD = { least: 0.1, most: 1, growth: 1.25, decay: 1 / 16 };
/** A tenth of a window is reserved for messages before bulk, so that a one-time password finds a slot at once. */
const RESERVED_SHARE = 0.1;
// An operator that answers nothing for this long gets no more messages. Sooner if the submit timeout is shorter.
const DEAF_AFTER_MS = 5_000;
const DEAF_AFTER_SHARE = 0.9;

/** The room of a cycle: slots for intents, of which bulk leaves `reserved` free, and the limit of the pace. */
export type Room = { slots: number; reserved: number; atMost: number };

export const NO_ROOM: Room = { slots: 0, reserved: 0, atMost: 0 };

/**
 * Counts two things:
 *
 * - The messages on the wire: written and not answered. There are at most `size` of them, which the operator allows. If
 *   the session is lost, their fate is unknown.
 * - The slots in use: a message occupies its slots from its intent until its outcome is committed. There are up to two
 *   windows of them. If the process crashes, the fate of all these messages may be unknown, but of no others, even if
 *   several cycles were under way.
 */
export class Window {
  readonly #size: number;
  readonly #deafAfterMs: number;
  /** The slots in use, from intent to committed outcome. */
  #used = 0;
  /** The slots in use whose outcome waits for a cycle. */
  #freed = 0;
  /** The slots in use that leases and cycles under way reserve for messages that may be written after their commit. */
  #promised = 0;
  /** The promised slots that leases reserve. */
  #leased = 0;
  /**
   * The slots that a cycle under way both frees and takes. Its commit does both or neither, so a crash never leaves
   * both. Leases find the reserve free meanwhile: without this a one-time password waited for two cycles, and its p50
   * beside a campaign was 26 ms instead of 8 (2 cores, 2026-11-22).
   */
  #exchanged = 0;
  /** The slots beyond one window that may be in use. */
  #ahead: number;
  /** The messages on the wire. */
  #unanswered = 0;
  /** When the operator last answered, or when a message was written to an empty wire. */
  #answeredAt = 0;

  /** `size`: messages. `submitTimeoutMs`: when the session stops waiting for an answer. `slowMs`: of `Carrier`. */
  constructor(size: number, submitTimeoutMs: number, slowMs?: number) {
    this.#size = size;
    this.#deafAfterMs = slowMs ?? Math.min(DEAF_AFTER_MS, submitTimeoutMs * DEAF_AFTER_SHARE);
    this.#ahead = Math.max(1, size * AHEAD.least);
  }

  /** The most that a crash leaves of unknown fate: slots that a cycle under way frees and takes count once. */
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
   * Adapts the slots ahead at the end of a cycle that left `ready` messages to write. If none are left and the wire has
   * room, the next cycles commit more ahead; otherwise they commit fewer.
   */
  adapt(ready: number): void {
    const isShort = ready === 0 && this.mayWrite;
    const wanted = isShort ? this.#ahead * AHEAD.growth + 1 : this.#ahead - ready * AHEAD.decay;
    this.#ahead = Math.min(this.#size * AHEAD.most, Math.max(this.#size * AHEAD.least, 1, wanted));
  }

  /** Whether the operator owes answers and sends none. */
  isDeaf(ms: number): boolean {
    return this.#unanswered > 0 && ms - this.#answeredAt > this.#deafAfterMs;
  }

  /** A message is put on the wire. */
  putOnWire(ms: number): void {
    if (this.#unanswered === 0) this.#answeredAt = ms;
    this.#unanswered++;
  }

  /** The operator answered. */
  noteAnswer(ms: number): void {
    this.#answeredAt = ms;
  }

  /** A message is answered, or its answer has timed out. */
  leaveWire(): void {
    this.#unanswered--;
  }

  /** The slots of a message: one for each segment, and one window at most. */
  slotsFor(segments: number): number {
    return Math.min(segments, this.#size);
  }

  /** The room for a cycle that commits all pending outcomes, with `ready` messages still to be written. */
  roomAt(pace: Pace, ms: number, ready: number): Room {
    const slots = Math.max(0, this.roomNow() + this.#freed);
    const atMost = Math.max(0, pace.roomSoon(ms) - this.#promised - ready);
    return { slots, reserved: this.#reserve, atMost };
  }

  /**
   * The slots of a room, beyond those used, for messages that are taken and written at once. The reserve stays free for
   * leases meanwhile.
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

  /** The slots for a lease, within the pace of the link, with `ready` messages before bulk still to be written. */
  roomForLease(pace: Pace, ms: number, ready: number): number {
    return Math.min(this.roomNow(), pace.roomSoon(ms) - this.#leased - ready);
  }

  take(slots: number): void {
    this.#used += slots;
  }

  /** The outcome of a message is known, and waits for its commit. */
  outcomeKnown(slots: number): void {
    this.#freed += slots;
  }

  /** Reserves slots for messages that may be written after a commit. */
  #promise(slots: number): void {
    this.#used += slots;
    this.#promised += slots;
  }

  /** Reserves slots for a batch that is being accepted. */
  lease(slots: number): void {
    this.#promise(slots);
    this.#leased += slots;
  }

  /** The acceptance has ended. */
  endLease(slots: number, isWritten: boolean): void {
    this.#endPromise(slots, isWritten);
    this.#leased -= slots;
  }

  /** Begins a cycle: frees the answered slots and reserves those it needs. Returns the number that it frees. */
  beginCycle(promised: number): number {
    const freed = this.#freed;
    this.#freed = 0;
    this.#promise(promised);
    this.#exchanged += Math.min(promised, freed);
    return freed;
  }

  /** The cycle has ended, committed or not. */
  endCycle({ promised, freed }: { promised: number; freed: number }, isCommitted: boolean): void {
    this.#exchanged -= Math.min(promised, freed);
    this.#endPromise(promised, false);
    if (isCommitted) this.#used -= freed;
    else this.#freed += freed;
  }

  /** The commit has ended. The slots stay in use if messages are written into them. */
  #endPromise(slots: number, isWritten: boolean): void {
    this.#promised -= slots;
    if (!isWritten) this.#used -= slots;
  }
}

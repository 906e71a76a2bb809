// The window of a link counts its slots: each is taken from an intent until the outcome is committed.
import type { Pace } from "../../operators/operators.ts";

/** A tenth of a window is kept for messages before bulk, so that a one-time password finds a slot at once. */
const RESERVED_SHARE = 0.1;

/** What a turn may write: slots of the window, of which bulk leaves `reserved` free, and what the pace allows. */
export type Room = { slots: number; reserved: number; atMost: number };

export const NO_ROOM: Room = { slots: 0, reserved: 0, atMost: 0 };

/** Counts window slots. A slot is free only when its answer is safe, which bounds what a crash leaves unknown. */
export class Window {
  readonly #size: number;
  /** The slots from intent to committed outcome. */
  #used = 0;
  /** Those of them whose outcome awaits its commit. */
  #freed = 0;
  /** Those of them that leases and a turn under way keep for messages that may be written after their commit. */
  #promised = 0;

  constructor(size: number) {
    this.#size = size;
  }

  get used(): number {
    return this.#used;
  }

  /** The slots of messages that are with the operator, or answered and not committed. */
  get inFlight(): number {
    return this.#used - this.#promised;
  }

  get freed(): number {
    return this.#freed;
  }

  /** Whether the operator owes answers. */
  get isWaiting(): boolean {
    return this.#used > this.#freed + this.#promised;
  }

  /** The slots that a message takes: one for each segment, and no more than there are. */
  slotsFor(segments: number): number {
    return Math.min(segments, this.#size);
  }

  /** The room for a turn, which commits the outcomes that wait for it, at the pace of the link. */
  roomAt(pace: Pace, ms: number): Room {
    const slots = Math.max(0, this.#size - this.#used + this.#freed);
    return { slots, reserved: this.#reserve, atMost: Math.max(0, pace.room(ms) - this.#promised) };
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
    return Math.max(0, this.#size - this.#used);
  }

  /** The slots for a lease at the pace of the link. */
  roomForLease(pace: Pace, ms: number): number {
    return Math.min(this.roomNow(), pace.room(ms) - this.#promised);
  }

  take(slots: number): void {
    this.#used += slots;
  }

  /** The outcome of a message is known, and awaits its commit. */
  answer(slots: number): void {
    this.#freed += slots;
  }

  /** Outcomes are committed. */
  free(slots: number): void {
    this.#used -= slots;
    this.#freed -= slots;
  }

  /** Keeps slots for messages that may be written once something is committed. */
  promise(slots: number): void {
    this.#used += slots;
    this.#promised += slots;
  }

  /** The commit is over. The slots stay in use if messages are written into them. */
  endPromise(slots: number, isWritten: boolean): void {
    this.#promised -= slots;
    if (!isWritten) this.#used -= slots;
  }
}

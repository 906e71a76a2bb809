// The window of a link counts its slots: each is taken from an intent until the outcome is committed.

/** A tenth of a window is kept for messages before bulk, so that a one-time password finds a slot at once. */
const RESERVED_SHARE = 0.1;

/** The slots that a turn may use. Bulk leaves `reserved` of them free. */
export type Room = { room: number; reserved: number };

export const NO_ROOM: Room = { room: 0, reserved: 0 };

/** Counts window slots. A slot is free only when its answer is safe, which bounds what a crash leaves unknown. */
export class Window {
  readonly #size: number;
  /** The slots from intent to committed outcome. */
  #used = 0;
  /** Those of them whose outcome awaits its commit. */
  #freed = 0;
  /** Those of them that a lease keeps for messages that are not accepted yet. */
  #leased = 0;

  constructor(size: number) {
    this.#size = size;
  }

  get used(): number {
    return this.#used;
  }

  get freed(): number {
    return this.#freed;
  }

  /** Whether the operator owes answers. */
  get isWaiting(): boolean {
    return this.#used > this.#freed + this.#leased;
  }

  /** The slots that a message takes: one for each segment, and no more than there are. */
  slotsFor(segments: number): number {
    return Math.min(segments, this.#size);
  }

  /** The room for a turn, which commits the outcomes that wait for it, at the pace of the link. */
  roomAt(pace: { room(): number }): Room {
    const left = this.#size - this.#used + this.#freed;
    const atMost = pace.room() - this.#leased;
    const room = Math.max(0, Math.min(left, atMost));
    const forBulk = Math.max(0, Math.min(left - Math.floor(this.#size * RESERVED_SHARE), atMost));
    return { room, reserved: room - forBulk };
  }

  /** The slots that are free now. */
  roomNow(): number {
    return Math.max(0, this.#size - this.#used);
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

  lease(slots: number): void {
    this.#used += slots;
    this.#leased += slots;
  }

  /** A lease ended. Its slots stay in use if its messages are written. */
  endLease(slots: number, isWritten: boolean): void {
    this.#leased -= slots;
    if (!isWritten) this.#used -= slots;
  }

  get leased(): number {
    return this.#leased;
  }
}

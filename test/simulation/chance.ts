// Chance by seed: the same seed draws the same numbers on every machine.

/** A generator of 32 bits of state (mulberry32). Good enough to draw faults; nothing here is a secret. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) >>> 0;
    for (let i = 0; i < 8; i++) this.next();
  }

  /** From 0 to below 1. */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  between(from: number, to: number): number {
    return from + (to - from) * this.next();
  }

  int(from: number, to: number): number {
    return Math.floor(this.between(from, to + 1));
  }

  of<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)]!;
  }

  happens(range: number): boolean {
    return this.next() < range;
  }
}

// How fast the simulated operator takes messages: a token bucket that holds one second of them.

export class Bucket {
  readonly #perSecond: number;
  #tokens: number;
  #filledAt = performance.now();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#tokens = perSecond;
  }

  /** Takes one message's worth; false when there is none: throttle. */
  take(): boolean {
    const now = performance.now();
    this.#tokens += ((now - this.#filledAt) / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#perSecond, this.#tokens);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}

// The rate limit of the simulated operator: a token bucket that holds one second of messages.

export class Bucket {
  readonly #perSecond: number;
  #tokens: number;
  #filledAt = performance.now();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#tokens = perSecond;
  }

  /** Takes the token of one message; returns false if there is none: throttle. */
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

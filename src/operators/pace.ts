// How fast an operator may be written to: messages per second, slower after it throttles, then faster again.

const RECOVERY_STEP_MS = 10_000;
const RECOVERY_FACTOR = 1.1;
const SLOWEST_PER_SECOND = 1;

/**
 * A bucket of submit_sm. Without a limit it stays out of the way until the operator throttles: then it halves the rate
 * that it saw, is silent for a while, and adds a tenth every ten seconds until the limit is reached again.
 * All times are of the monotonic clock, in milliseconds.
 */
export class Pace {
  readonly #limit: number;
  #rate: number;
  #tokens: number;
  #filledAt: number;
  #silentUntil = 0;
  #raisedAt: number;
  #sentInSecond = 0;
  #secondStartedAt: number;
  #sentPerSecond = 0;

  constructor(limitPerSecond: number | null, now: number = performance.now()) {
    this.#limit = limitPerSecond ?? Number.POSITIVE_INFINITY;
    this.#rate = this.#limit;
    this.#tokens = this.#burst();
    this.#filledAt = now;
    this.#raisedAt = now;
    this.#secondStartedAt = now;
  }

  /** How many may be written now. */
  room(now: number = performance.now()): number {
    if (now < this.#silentUntil) return 0;
    if (this.#rate === Number.POSITIVE_INFINITY) return Number.MAX_SAFE_INTEGER;
    this.#raise(now);
    this.#tokens = Math.min(this.#burst(), this.#tokens + ((now - this.#filledAt) / 1000) * this.#rate);
    this.#filledAt = now;
    return Math.floor(this.#tokens);
  }

  /** Counts what is about to be written. */
  take(count: number, now: number = performance.now()): void {
    this.#tokens -= count;
    if (now - this.#secondStartedAt >= 1000) {
      this.#sentPerSecond = Math.round((this.#sentInSecond * 1000) / (now - this.#secondStartedAt));
      this.#sentInSecond = 0;
      this.#secondStartedAt = now;
    }
    this.#sentInSecond += count;
  }

  /** When there will be room again, in milliseconds from now. */
  waitMs(now: number = performance.now()): number {
    if (now < this.#silentUntil) return Math.ceil(this.#silentUntil - now);
    return Math.max(1, Math.ceil(((1 - this.#tokens) / this.#rate) * 1000));
  }

  /** The operator refused for speed: half the rate, after a silence. One silence halves once. */
  slowDown(silenceMs: number, now: number = performance.now()): void {
    if (now < this.#silentUntil) return;
    const seen = Number.isFinite(this.#rate) ? this.#rate : Math.max(this.sentPerSecond(now), SLOWEST_PER_SECOND * 2);
    this.#rate = Math.max(SLOWEST_PER_SECOND, seen / 2);
    this.#silentUntil = now + silenceMs;
    this.#raisedAt = this.#silentUntil;
    this.#filledAt = this.#silentUntil;
    this.#tokens = 1;
  }

  /** Written in the last full second. */
  sentPerSecond(now: number = performance.now()): number {
    if (now - this.#secondStartedAt >= 2000) return 0;
    return Math.max(this.#sentPerSecond, this.#sentInSecond);
  }

  // A tenth of a second's worth: a bucket of a whole second would let twice the rate through in the first one.
  #burst(): number {
    return Number.isFinite(this.#rate) ? Math.max(1, this.#rate / 10) : Number.MAX_SAFE_INTEGER;
  }

  #raise(now: number): void {
    while (this.#rate < this.#limit && now - this.#raisedAt >= RECOVERY_STEP_MS) {
      this.#raisedAt += RECOVERY_STEP_MS;
      this.#rate = Math.min(this.#limit, this.#rate * RECOVERY_FACTOR);
      // Without a limit of its own the rate would creep up for ever: past any real operator's speed it is free again.
      if (this.#rate > 100_000) this.#rate = this.#limit;
    }
  }
}

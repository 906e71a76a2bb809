// How fast an operator may be written to: messages per second, slower after it throttles, then faster again.

const RECOVERY_STEP_MS = 10_000;
const RECOVERY_FACTOR = 1.1;
const SLOWEST_PER_SECOND = 1;
// Without a limit and without traffic to learn from, the first throttling starts from here.
const FIRST_GUESS_PER_SECOND = 1_000;
// Past any real operator's speed a recovering rate is free again.
const FREE_PER_SECOND = 100_000;
const MEASURE_MS = 1_000;
const MEASURE_AT_LEAST_MS = 200;
// A little below what the operator took a moment ago: what it takes for sure.
const SURELY_TAKEN = 0.95;

/**
 * A bucket of submit_sm. Without a limit it stays out of the way until the operator throttles. Then the bind is silent
 * for a while and the rate halves, but not below what the operator was seen to accept; it grows by a tenth every ten
 * seconds. All times are of the monotonic clock, in milliseconds.
 */
export class Pace {
  readonly #limit: number;
  #rate: number;
  #tokens: number;
  #filledAt: number;
  #silentUntil = 0;
  #raisedAt: number;
  /** Accepted since `#measuredFrom`, and per second in the measure before. */
  #accepted = 0;
  #measuredFrom: number;
  #acceptedPerSecond = 0;

  constructor(limitPerSecond: number | null, now: number = performance.now()) {
    this.#limit = limitPerSecond ?? Number.POSITIVE_INFINITY;
    this.#rate = this.#limit;
    this.#tokens = this.#burst();
    this.#filledAt = now;
    this.#raisedAt = now;
    this.#measuredFrom = now;
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

  /** The rate that it keeps to now; infinite when nothing limits it. */
  atMost(): number {
    return this.#rate;
  }

  /** Counts what is about to be written. */
  take(count: number): void {
    this.#tokens -= count;
  }

  /** Counts what the operator accepted. */
  accept(count: number, now: number = performance.now()): void {
    if (now - this.#measuredFrom >= MEASURE_MS) this.#measure(now);
    this.#accepted += count;
  }

  /** When there will be room again, in milliseconds from now. */
  waitMs(now: number = performance.now()): number {
    if (now < this.#silentUntil) return Math.ceil(this.#silentUntil - now);
    return Math.max(1, Math.ceil(((1 - this.#tokens) / this.#rate) * 1000));
  }

  /** The operator refused for speed. Refusals of what was written before the silence began slow down no further. */
  slowDown(silenceMs: number, now: number = performance.now()): void {
    if (now < this.#silentUntil) return;
    if (now - this.#measuredFrom >= MEASURE_AT_LEAST_MS) this.#measure(now);
    const before = Number.isFinite(this.#rate)
      ? this.#rate
      : Math.max(this.#acceptedPerSecond, FIRST_GUESS_PER_SECOND);
    this.#rate = Math.max(
      SLOWEST_PER_SECOND,
      before / 2,
      Math.min(before, this.#acceptedPerSecond * SURELY_TAKEN),
    );
    this.#silentUntil = now + silenceMs;
    this.#raisedAt = this.#silentUntil;
    this.#filledAt = this.#silentUntil;
    this.#measuredFrom = this.#silentUntil;
    this.#tokens = 1;
  }

  /** Accepted per second, lately. */
  perSecond(now: number = performance.now()): number {
    if (now - this.#measuredFrom >= MEASURE_MS) this.#measure(now);
    return Math.round(this.#acceptedPerSecond);
  }

  #measure(now: number): void {
    this.#acceptedPerSecond = (this.#accepted * 1000) / (now - this.#measuredFrom);
    this.#accepted = 0;
    this.#measuredFrom = now;
  }

  // A tenth of a second's worth: a bucket of a whole second would let twice the rate through in the first one.
  #burst(): number {
    return Number.isFinite(this.#rate) ? Math.max(1, this.#rate / 10) : Number.MAX_SAFE_INTEGER;
  }

  #raise(now: number): void {
    while (this.#rate < this.#limit && now - this.#raisedAt >= RECOVERY_STEP_MS) {
      this.#raisedAt += RECOVERY_STEP_MS;
      this.#rate = Math.min(this.#limit, this.#rate * RECOVERY_FACTOR);
      if (this.#rate > FREE_PER_SECOND) this.#rate = this.#limit;
    }
  }
}

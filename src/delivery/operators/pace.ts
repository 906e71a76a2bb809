// The pace of writing to an operator: finds the rate that the operator accepts, and stays just below it.

// Recent answers are counted in buckets of this length.
const BUCKET_MS = 100;
const BUCKETS = 50;
const BUCKETS_A_SECOND = 10;
// Refusals up to this share of the answers of the last 5 s, or up to this number, are no evidence about the rate.
const ISOLATED_SHARE = 0.02;
const ISOLATED_COUNT = 2;
/** With nothing accepted, more repeated refusals than this within 5 s are evidence about the rate. */
const FEW_REPEATED = 10;
/** The share of the last second's acceptances that is certainly accepted in the next. */
const SURELY_TAKEN = 0.97;
const LEAST_SEEN_S = 0.5;
const SLOWEST_PER_SECOND = 1;
// Above any real operator's speed a rate becomes unlimited again.
const FREE_PER_SECOND = 100_000;
// A token bucket of a twentieth of a second: an operator that counts in tenths of a second never sees too many.
const BURST_SECONDS = 1 / 20;
// A cycle of a link is seldom longer, even under other load.
const TURN_SECONDS = 0.05;
const DOUBLE_EVERY_MS = 1_000;
const RAISE_EVERY_MS = 2_000;
const HOLD_MS = { least: 10_000, most: 60_000 };
/** The first step up after a hold or after the first cuts, and the largest. A clean step is followed by its double. */
const STEP = { least: 0.01, finding: 0.04, most: 0.4 };
/** A found rate falls by this much if more than these are refused, as a share of 5 s or a number. */
const STEP_DOWN = 0.015;
const TOO_HIGH_SHARE = 0.005;
/** So many refusals within a second, and such a share of its answers, mean that the cap is far below the rate. */
const FAR_TOO_HIGH = { count: 5, share: 0.1 };

/** An operator that accepts less than this share of the rate is paused: soon it may accept as much as before. */
const FAR_LESS = 0.4;

/** The meaning of a throttling refusal: only this message came at a bad moment, or all of them come too fast. */
export type Refused = "isolated" | "too-fast";

/**
 * A bucket of submit_sm that adapts to its operator.
 *
 * - Few refusals are isolated: the rate stays, and only the message waits.
 * - More refusals silence the link for a while. Its rate is then 0.97 of the acceptances of the last second.
 * - After the first cut of an unlimited rate, the rate doubles each second until it is refused. So a cold link finds an
 *   unknown cap within 5 s.
 * - Then it rises by small steps. A refused step returns to the rate before it, without silence, and the next one
 *   waits: 10 s, doubled after each that failed, 60 s at most. It goes half way to the refused rate.
 * - It rises only while there is demand.
 *
 * All times are of the monotonic clock, in milliseconds.
 */
export class Pace {
  #limit: number;
  #rate: number;
  #tokens: number;
  #filledAt: number;
  #silentUntil = 0;
  /** When the last silence ended. */
  #resumedAt = 0;
  readonly #accepted: Recent;
  readonly #refused: Recent;
  readonly #repeated: Recent;
  /** `doubling`: nothing was refused since the first cut. `finding`: no step failed since the last cut. */
  #search: "none" | "doubling" | "finding" | "probing" = "none";
  #raisedAt: number;
  #holdMs: number = HOLD_MS.least;
  #step: number = STEP.least;
  /** The rate before the last step up. */
  #good = 0;
  /** Whether demand exceeded the rate since the last raise, and how many messages were refused since. */
  #isStarved = false;
  #refusedSinceStep = 0;
  #acceptedSinceRaise = 0;
  /** The rate that was found before a lower limit applied. */
  #found = Number.POSITIVE_INFINITY;

  /** `learned` is the rate that an earlier bind found, in messages per second. */
  constructor(limitPerSecond: number | null, now: number = performance.now(), learned: number | null = null) {
    this.#limit = limitPerSecond ?? Number.POSITIVE_INFINITY;
    this.#rate = Math.min(this.#limit, learned ?? Number.POSITIVE_INFINITY);
    if (this.#rate < this.#limit) {
      this.#search = "probing";
      this.#good = this.#rate;
    }
    this.#tokens = this.#burst();
    this.#filledAt = now;
    this.#raisedAt = now;
    this.#accepted = new Recent(now);
    this.#refused = new Recent(now);
    this.#repeated = new Recent(now);
  }

  /** Sets another limit, in messages per second. */
  limitTo(perSecond: number): void {
    if (perSecond === this.#limit) return;
    if (this.#rate < this.#limit) this.#found = this.#rate;
    this.#rate = Math.min(this.#found, perSecond);
    this.#limit = perSecond;
  }

  /** Returns how many may be written now. */
  room(now: number = performance.now()): number {
    if (this.isSilent(now)) return 0;
    if (this.#rate === Number.POSITIVE_INFINITY) return Number.MAX_SAFE_INTEGER;
    this.#raise(now);
    const seconds = Math.max(0, now - this.#filledAt) / 1000;
    this.#tokens = Math.min(this.#burst(), this.#tokens + seconds * this.#rate);
    this.#filledAt = Math.max(now, this.#filledAt);
    if (this.#tokens < 1) this.#isStarved = true;
    return Math.floor(this.#tokens);
  }

  /** Returns how many may be written until the next cycle of the link is committed. */
  roomSoon(now: number = performance.now()): number {
    if (this.isSilent(now)) return 0;
    return Math.floor(Math.min(Number.MAX_SAFE_INTEGER, this.room(now) + this.#rate * TURN_SECONDS));
  }

  /** The current rate; infinite if nothing limits it. */
  atMost(): number {
    return this.#rate;
  }

  /** The rate that was found, for the next bind; null if only the contract limits it. */
  learned(): number | null {
    return this.#rate < this.#limit ? this.#rate : null;
  }

  /** Counts messages that are about to be written. */
  take(count: number): void {
    this.#tokens -= count;
    if (this.#tokens < 1) this.#isStarved = true;
  }

  /** Counts messages that the operator accepted. */
  accept(count: number, now: number = performance.now()): void {
    this.#accepted.add(count, now);
    this.#acceptedSinceRaise += count;
  }

  /** Whether nothing may be written for a while, because the operator refused too much. */
  isSilent(now: number = performance.now()): boolean {
    return now < this.#silentUntil;
  }

  /** The milliseconds until there is room again. */
  waitMs(now: number = performance.now()): number {
    if (this.isSilent(now)) return Math.ceil(this.#silentUntil - now);
    return Math.max(1, Math.ceil(((1 - this.#tokens) / this.#rate) * 1000));
  }

  /**
   * Handles a throttled message. Too many of them silence the link for `silenceMs`. A message that was refused before
   * (`isRepeated`) is not counted: it is evidence about itself rather than the rate. But if nothing is accepted, many
   * of them count like others.
   */
  refuse(silenceMs: number, isRepeated: boolean, now: number = performance.now()): Refused {
    // It was written before the silence began.
    if (this.isSilent(now)) return "too-fast";
    if (isRepeated) {
      this.#repeated.add(1, now);
      if (!this.#takesNothing(now)) return "isolated";
    }
    this.#refused.add(1, now);
    this.#refusedSinceStep++;
    if (this.#isFarTooHigh(now)) {
      this.#cut(silenceMs, now);
      return "too-fast";
    }
    if (this.#hasFound && this.#refusedSinceStep > this.#isolated(TOO_HIGH_SHARE, now)) this.#stepDown(now);
    return "isolated";
  }

  /** Whether nothing is accepted, and many messages are refused repeatedly. */
  #takesNothing(now: number): boolean {
    return this.#accepted.sum(BUCKETS, now) === 0 && this.#repeated.sum(BUCKETS, now) > FEW_REPEATED;
  }

  /** Whether it follows a rate that it found, by its own or an earlier bind's refusals. */
  get #hasFound(): boolean {
    return this.#search === "finding" || this.#search === "probing";
  }

  #isFarTooHigh(now: number): boolean {
    if (!this.#hasFound) return this.#refused.sum(BUCKETS, now) > this.#isolated(ISOLATED_SHARE, now);
    const refused = this.#refused.sum(BUCKETS_A_SECOND, now);
    const answers = refused + this.#accepted.sum(BUCKETS_A_SECOND, now);
    return refused > Math.max(FAR_TOO_HIGH.count, FAR_TOO_HIGH.share * answers);
  }

  /** The number of refusals that are no evidence about the rate, from a share of the answers of the last 5 s. */
  #isolated(share: number, now: number): number {
    return Math.max(
      ISOLATED_COUNT,
      share * (this.#refused.sum(BUCKETS, now) + this.#accepted.sum(BUCKETS, now)),
    );
  }

  /** The number accepted in the last second. */
  perSecond(now: number = performance.now()): number {
    return Math.round(this.#accepted.sum(BUCKETS_A_SECOND, now));
  }

  #burst(): number {
    return Number.isFinite(this.#rate) ? Math.max(1, this.#rate * BURST_SECONDS) : Number.MAX_SAFE_INTEGER;
  }

  #cut(silenceMs: number, now: number): void {
    const isFree = this.#rate === Number.POSITIVE_INFINITY;
    // After a silence, less than a second of answers is available.
    const seconds = isFree ? 1 : Math.min(1, Math.max(LEAST_SEEN_S, (now - this.#resumedAt) / 1000));
    const seen = (this.#accepted.sum(BUCKETS_A_SECOND, now) / seconds) * SURELY_TAKEN;
    if (isFree || seen < this.#rate * FAR_LESS) this.#search = "doubling";
    else this.#search = this.#search === "doubling" ? "finding" : "probing";
    const least = isFree ? SLOWEST_PER_SECOND : Math.max(SLOWEST_PER_SECOND, this.#rate / 2);
    this.#rate = Math.max(least, Math.min(this.#rate * SURELY_TAKEN, seen));
    this.#good = this.#rate;
    this.#step = this.#search === "finding" ? STEP.finding : STEP.least;
    this.#silentUntil = now + silenceMs;
    this.#resumedAt = this.#silentUntil;
    this.#startFrom(this.#silentUntil);
    this.#accepted.clear();
    this.#refused.clear();
  }

  /** The rate is slightly too high: returns to the one before the last step up, or a little lower. */
  #stepDown(now: number): void {
    if (this.#rate > this.#good) this.#holdMs = Math.min(HOLD_MS.most, this.#holdMs * 2);
    this.#rate = Math.max(SLOWEST_PER_SECOND, Math.min(this.#good, this.#rate * (1 - STEP_DOWN)));
    this.#good = this.#rate;
    this.#search = "probing";
    this.#step = STEP.least;
    this.#startFrom(now);
  }

  #startFrom(ms: number): void {
    this.#filledAt = ms;
    this.#raisedAt = ms;
    this.#tokens = 1;
    this.#isStarved = false;
    this.#refusedSinceStep = 0;
  }

  /** Raises the rate if it is time, if nothing was refused for long enough, and if there was demand. */
  #raise(now: number): void {
    if (this.#search === "none" || this.#rate >= this.#limit) return;
    if (!this.#isStarved || this.#acceptedSinceRaise === 0) {
      // Without demand, or without an acceptance, a higher rate is unproven: the next step waits as after a raise.
      this.#raisedAt = Math.max(this.#raisedAt, now - this.#waitBeforeRaise());
      return;
    }
    if (now - this.#raisedAt < this.#waitBeforeRaise()) return;
    this.#good = this.#rate;
    this.#rate = Math.min(this.#limit, this.#next());
    if (this.#rate > FREE_PER_SECOND) this.#rate = this.#limit;
    this.#raisedAt = now;
    this.#isStarved = false;
    this.#refusedSinceStep = 0;
    this.#acceptedSinceRaise = 0;
  }

  #waitBeforeRaise(): number {
    if (this.#search === "doubling") return DOUBLE_EVERY_MS;
    const isProbing = this.#search === "finding" || this.#step > STEP.least;
    return isProbing ? RAISE_EVERY_MS : this.#holdMs;
  }

  #next(): number {
    if (this.#search === "doubling") return this.#rate * 2;
    const next = this.#rate * (1 + this.#step);
    this.#step = Math.min(STEP.most, this.#step * 2);
    return next;
  }
}

/** Counts over the last 5 s. */
class Recent {
  readonly #counts = new Float64Array(BUCKETS);
  #newest: number;

  constructor(now: number) {
    this.#newest = Math.floor(now / BUCKET_MS);
  }

  add(count: number, now: number): void {
    this.#roll(now);
    this.#counts[this.#newest % BUCKETS]! += count;
  }

  /** Returns the sum of the last so many buckets. */
  sum(buckets: number, now: number): number {
    this.#roll(now);
    let sum = 0;
    for (let age = 0; age < buckets; age++) sum += this.#counts[(this.#newest - age + BUCKETS) % BUCKETS]!;
    return sum;
  }

  clear(): void {
    this.#counts.fill(0);
  }

  #roll(now: number): void {
    const bucket = Math.floor(now / BUCKET_MS);
    for (let next = Math.max(this.#newest + 1, bucket - BUCKETS + 1); next <= bucket; next++)
      this.#counts[next % BUCKETS] = 0;
    this.#newest = Math.max(this.#newest, bucket);
  }
}

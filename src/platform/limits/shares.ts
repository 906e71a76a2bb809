// Shares: limits each account's concurrent unpaid work in this process, so that no account blocks the others.
import { Counter, Gauge } from "prom-client";
import { Refusal } from "../http/refusals.ts";
import { perRuntime } from "../runtime.ts";
import type { Limits } from "./limits.ts";
import { type RateOptions, refill, type TokenBucket } from "./rates.ts";

/** A body above this size makes a request heavy: it runs alone among the requests of its account. */
export const HEAVY_BODY_BYTES = 64 * 1024;
/** The first milliseconds of a request without a heavy body are free, so that a busy machine slows nobody down. */
const FREE_MS = 250;
/** An account is held to its budget if another one was active within this time. */
const OTHERS_MS = 1_000;
/** With more waiting requests than this, a client sends them faster than they are answered. */
const PRESSING = 5;
/** The weight of a new measurement in the mean time of an account's requests. */
const NEWEST = 0.2;
const FIRST_MEAN_MS = 100;
/** How often waiting requests are checked. */
const LATE_MS = 1_000;
/** The most accounts in memory. Beyond them, accounts without work are dropped, which only allows them more. */
const ACCOUNTS_AT_MOST = 10_000;

/** Frees the place of a request that has ended. */
export type Leave = () => void;

type Waiting = {
  readonly bytes: number;
  readonly isHeavy: boolean;
  readonly sinceMs: number;
  readonly start: (leave: Leave) => void;
  readonly refuse: (refusal: Refusal) => void;
};

/** An account's running and waiting requests, and the rest of its budget in milliseconds; below 0 it is overdrawn. */
type Share = TokenBucket & {
  running: number;
  hasHeavy: boolean;
  waiting: Waiting[];
  waitingBytes: number;
  /** The recent mean of the time that its requests took, and of the time that they were charged. */
  meanMs: number;
  meanChargedMs: number;
};

type Options = Pick<
  Limits,
  | "unpaidAtOnce"
  | "unpaidAtOnceInAll"
  | "unpaidMsPerSecond"
  | "unpaidMsAtOnce"
  | "unpaidMsOwed"
  | "unpaidWaiting"
  | "unpaidWaitingBytes"
  | "unpaidWaitMs"
  | "unpaidWaitAtMostMs"
>;

export class Shares {
  readonly #options: Options;
  readonly #rate: RateOptions;
  readonly #shares = new Map<string, Share>();
  /** The accounts that have waiting requests, in the order of their turns. */
  readonly #queue = new Set<string>();
  #running = 0;
  #timer: NodeJS.Timeout | undefined;
  #lastAccount: string | undefined;
  /** When a request last came from another account than the one before: since then at least two are active. */
  #alternatedAt = Number.NEGATIVE_INFINITY;
  readonly #hearRefusal: () => void;

  constructor(options: Options, hearRefusal: () => void = () => {}) {
    this.#options = options;
    this.#rate = { perSecond: options.unpaidMsPerSecond, burst: options.unpaidMsAtOnce };
    this.#hearRefusal = hearRefusal;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    let count = 0;
    for (const account of this.#queue) count += this.#shares.get(account)!.waiting.length;
    return count;
  }

  /** Whether several accounts are active. */
  get isShared(): boolean {
    return performance.now() - this.#alternatedAt < OTHERS_MS;
  }

  /** Records that an account is active, also by work that it pays for. */
  note(account: string, nowMs = performance.now()): void {
    if (account === this.#lastAccount) return;
    if (this.#lastAccount !== undefined) this.#alternatedAt = nowMs;
    this.#lastAccount = account;
  }

  /**
   * Waits until an unpaid request with a body of so many bytes may run. The request calls the returned function when
   * it ends. Refuses `too-many-requests` at once if too many requests of the account are waiting, and later if it has
   * waited so long that the client would soon get `service-unavailable`.
   */
  enter(account: string, bytes: number): Promise<Leave> | Leave {
    const nowMs = performance.now();
    this.note(account, nowMs);
    const share = this.#shareOf(account, nowMs);
    const isHeavy = bytes > HEAVY_BODY_BYTES;
    if (this.#mayBegin(account, share, isHeavy, nowMs)) return this.#run(share, isHeavy, nowMs);
    this.#refuseBeyond(share, bytes, this.#hasOthers(account, nowMs));
    return new Promise((start, refuse) => {
      share.waiting.push({ bytes, isHeavy, sinceMs: nowMs, start, refuse });
      share.waitingBytes += bytes;
      this.#queue.add(account);
      this.#startWaiting();
    });
  }

  /** Refuses as `enter` would now, and takes nothing. */
  refuseIfFull(account: string, bytes: number): void {
    const nowMs = performance.now();
    const share = this.#shareOf(account, nowMs);
    if (!this.#mayBegin(account, share, bytes > HEAVY_BODY_BYTES, nowMs))
      this.#refuseBeyond(share, bytes, this.#hasOthers(account, nowMs));
  }

  #refuseBeyond(share: Share, bytes: number, hasOthers: boolean): void {
    const { unpaidWaiting, unpaidWaitingBytes, unpaidWaitMs } = this.#options;
    const isOwing = hasOthers && share.left <= 0;
    const waitMs = this.#waitMsOf(share, isOwing);
    const isFull =
      share.waiting.length >= unpaidWaiting ||
      share.waitingBytes + bytes > unpaidWaitingBytes ||
      (isOwing && waitMs > unpaidWaitMs);
    if (isFull) throw this.#refusalAfter(waitMs);
  }

  /** The estimated time until all waiting requests of an account have started, from the durations of recent ones. */
  #waitMsOf({ waiting, left, meanMs, meanChargedMs, hasHeavy }: Share, isOwing: boolean): number {
    const { unpaidMsPerSecond, unpaidAtOnce } = this.#options;
    if (isOwing) return ((waiting.length * meanChargedMs - left) * 1_000) / unpaidMsPerSecond;
    return (waiting.length * meanMs) / (hasHeavy ? 1 : unpaidAtOnce);
  }

  #refusalAfter(waitMs: number): Refusal {
    this.#hearRefusal();
    return new Refusal("too-many-requests", { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
  }

  #mayBegin(account: string, share: Share, isHeavy: boolean, nowMs: number): boolean {
    return share.waiting.length === 0 && this.#mayRun(account, share, isHeavy, nowMs);
  }

  #mayRun(account: string, share: Share, isHeavy: boolean, nowMs: number): boolean {
    if (this.#running >= this.#options.unpaidAtOnceInAll) return false;
    if (share.running === 0) return share.left > 0 || !this.#hasOthers(account, nowMs);
    // An account that has used half of its budget runs one request at a time, and so does one whose client sends
    // requests faster than they are answered. Three deep pages at once made others wait 3 times as long (2 cores,
    // 2026-11-26).
    const isPressing = share.waiting.length > PRESSING && this.#hasOthers(account, nowMs);
    const isModest = share.left > this.#options.unpaidMsAtOnce / 2 && !isPressing;
    return isModest && !isHeavy && !share.hasHeavy && share.running < this.#options.unpaidAtOnce;
  }

  #hasOthers(account: string, nowMs: number): boolean {
    return this.#lastAccount !== account || nowMs - this.#alternatedAt < OTHERS_MS;
  }

  #run(share: Share, isHeavy: boolean, startedMs: number): Leave {
    share.running++;
    share.hasHeavy ||= isHeavy;
    this.#running++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const nowMs = performance.now();
      const tookMs = nowMs - startedMs;
      share.running--;
      if (isHeavy) share.hasHeavy = false;
      this.#running--;
      refill(share, this.#rate, nowMs);
      const chargedMs = isHeavy ? tookMs : Math.max(0, tookMs - FREE_MS);
      share.left = Math.max(share.left - chargedMs, -this.#options.unpaidMsOwed);
      share.meanMs += (tookMs - share.meanMs) * NEWEST;
      share.meanChargedMs += (chargedMs - share.meanChargedMs) * NEWEST;
      this.#startWaiting();
    };
  }

  /** Starts the waiting requests that may run now, one of each account in turn. */
  #startWaiting(): void {
    const nowMs = performance.now();
    this.#refuseLate(nowMs);
    let soonestMs = this.#queue.size > 0 ? LATE_MS : Number.POSITIVE_INFINITY;
    for (const account of [...this.#queue]) {
      if (this.#running >= this.#options.unpaidAtOnceInAll) break;
      const share = this.#shareOf(account, nowMs);
      const next = share.waiting[0]!;
      if (!this.#mayRun(account, share, next.isHeavy, nowMs)) {
        if (share.running === 0) soonestMs = Math.min(soonestMs, this.#waitOf(share));
        continue;
      }
      share.waiting.shift();
      share.waitingBytes -= next.bytes;
      this.#queue.delete(account);
      if (share.waiting.length > 0) this.#queue.add(account);
      next.start(this.#run(share, next.isHeavy, nowMs));
      soonestMs = share.waiting.length > 0 ? 0 : soonestMs;
    }
    this.#wakeIn(soonestMs);
  }

  /** Refuses requests that have waited for too long. */
  #refuseLate(nowMs: number): void {
    const beforeMs = nowMs - this.#options.unpaidWaitAtMostMs;
    for (const account of [...this.#queue]) {
      const share = this.#shareOf(account, nowMs);
      const isOwing = share.left <= 0 && this.#hasOthers(account, nowMs);
      for (let late = share.waiting[0]; late && late.sinceMs < beforeMs; late = share.waiting[0]) {
        share.waiting.shift();
        share.waitingBytes -= late.bytes;
        late.refuse(this.#refusalAfter(this.#waitMsOf(share, isOwing)));
      }
      if (share.waiting.length === 0) this.#queue.delete(account);
    }
  }

  /** The milliseconds until the budget of a share allows a request, or until the other accounts may be inactive. */
  #waitOf({ left }: Share): number {
    return Math.min(OTHERS_MS, (-left * 1_000) / this.#options.unpaidMsPerSecond + 1);
  }

  #wakeIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(() => this.#startWaiting(), ms);
  }

  #shareOf(account: string, nowMs: number): Share {
    let share = this.#shares.get(account);
    if (share) refill(share, this.#rate, nowMs);
    else {
      if (this.#shares.size >= ACCOUNTS_AT_MOST) this.#forgetIdle();
      const left = this.#options.unpaidMsAtOnce;
      const nothing = { running: 0, hasHeavy: false, waiting: [], waitingBytes: 0, meanChargedMs: 0 };
      share = { left, atMs: nowMs, ...nothing, meanMs: FIRST_MEAN_MS };
      this.#shares.set(account, share);
    }
    return share;
  }

  #forgetIdle(): void {
    for (const [account, { running, waiting }] of this.#shares)
      if (running === 0 && waiting.length === 0) this.#shares.delete(account);
  }
}

/** The shares of this process. Each process has its own. */
export const sharesOf = perRuntime((app) => {
  const refusals = new Counter({
    name: "atumpan_shares_refused_total",
    help: "Requests that were refused because their account had too much unpaid work under way.",
    registers: [app.metrics],
  });
  const shares = new Shares(app.config.limits, () => refusals.inc());
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `atumpan_shares_${name}`,
      help,
      registers: [app.metrics],
      collect() {
        this.set(read());
      },
    });
  gauge("running", "Unpaid work of accounts that is under way.", () => shares.running);
  gauge("waiting", "Unpaid work of accounts that waits for its turn.", () => shares.waiting);
  return shares;
});

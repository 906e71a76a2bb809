// The cycles of a link that are under way, and when beginning another beside them pays off.
import { isOneTrip, type Plan } from "./plan.ts";

// If cycles take less than this, as near the database, only one is under way: the next is then larger and costs less.
const FAR_MS = 5;
// A cycle costs half a millisecond of CPU even if it does little, so parallel cycles begin at least this far apart. At
// 10 ms from the database, 77 % of a window of 100 was used with 5 ms, and 81 % with 4 ms (2 cores, 2026-11-26).
const APART_MS = 4;
// The maximum number of cycles under way, spread over the duration of one.
const AT_MOST = 8;
// The shortest recent cycle shows how far away the database is, even when it is busy. Its weight falls with each cycle.
const FORGETTING = 1.05;

export type Cycle = { readonly number: number; readonly plan: Plan };

/**
 * Cycles are committed in the order of their numbers, each only if the one before it is. With one cycle at a time, a link
 * sent one window per round trip to the database. Now the smaller of two limits counts:
 *
 * - One window is on the wire (`window.ts`), so a link sends window ÷ answer time of the operator at most.
 * - There are two windows of slots, and each slot is in use for the answer time, one round trip to the database, and the
 *   wait for a cycle: `APART_MS` at most if the round trip takes up to 40 ms. So a link sends 2 × window ÷ their sum at
 *   most.
 *
 * A database that is nearer than the operator's answer therefore costs no speed. For one that is much farther away, only
 * more slots would help, but then a crash would leave more messages of unknown fate.
 *
 * Messages/s with answers after 10 ms and receipts 20 ms later, by the round trip to the database (2 cores,
 * 2026-11-26):
 *
 * | Window | Cycles | 0 ms | 5 ms | 10 ms | 20 ms | 50 ms |
 * |---|---|---|---|---|---|---|
 * | 10 | one at a time, with the receipts | 930 | 380 | 171 | 92 | 35 |
 * | 10 | several, the receipts beside them | 894 | 856 | 757 | 548 | 290 |
 * | 100 | one at a time, with the receipts | 6,884 | 3,139 | 1,593 | 836 | 310 |
 * | 100 | several, the receipts beside them | 7,003 | 7,145 | 6,117 | 4,656 | 2,560 |
 */
export class Cycles {
  readonly #underWay: (Cycle & { begunAt: number; mayFollow: boolean })[] = [];
  /** Failed cycles, while cycles behind them are under way. Those fail too. */
  #failed: (Cycle & { isKnown: boolean })[] = [];
  #lost: readonly Cycle[] = [];
  /** The number of the last cycle begun, and of the cycle that the next one must follow in the database. */
  #begun = 0;
  #prior = 0;
  #begunAt = 0;
  #shortestMs = 0;

  /** The number of the last cycle that is certainly in the database. */
  get lastCommitted(): number {
    return this.#prior;
  }

  get isEmpty(): boolean {
    return this.#underWay.length === 0;
  }

  /** The cycles of which it is not known whether they are committed, in order. */
  get lost(): readonly Cycle[] {
    return this.#lost;
  }

  /** The plans of all cycles that are neither committed nor undone for certain, in order. */
  get plans(): readonly Plan[] {
    return [...this.#lost, ...this.#failed, ...this.#underWay].map(({ plan }) => plan);
  }

  /** Begins a cycle. `prior` is the number of the cycle that must be committed before it. */
  begin(plan: Plan, ms: number): { cycle: number; prior: number } {
    const prior = this.#underWay.at(-1)?.number ?? this.#prior;
    const cycle = ++this.#begun;
    // No cycle may follow one that gives batches back, or that reads before it commits, until it ends.
    const mayFollow = plan.returned.length === 0 && isOneTrip(plan);
    this.#underWay.push({ number: cycle, plan, begunAt: ms, mayFollow });
    this.#begunAt = ms;
    return { cycle, prior };
  }

  /** The oldest cycle under way is committed. Returns its plan. */
  onCommitted(ms: number): Plan {
    const { number, plan, begunAt } = this.#takeOldest();
    if (this.#failed.length > 0) throw new Error("a cycle is committed behind one that is not");
    this.#prior = number;
    const tookMs = ms - begunAt;
    this.#shortestMs = this.#shortestMs === 0 ? tookMs : Math.min(tookMs, this.#shortestMs * FORGETTING);
    return plan;
  }

  #takeOldest() {
    const cycle = this.#underWay.shift();
    if (!cycle) throw new Error("no cycle is under way");
    return cycle;
  }

  /**
   * The oldest cycle under way failed; `isKnown`: it certainly was not committed. Returns undefined while others are
   * under way, then the plans to undo: all of them, or none if one of the failed cycles is in doubt, since then all are
   * lost.
   */
  onFailed(isKnown: boolean): readonly Plan[] | undefined {
    this.#failed.push({ ...this.#takeOldest(), isKnown });
    if (this.#underWay.length > 0) return undefined;
    const failed = this.#failed;
    this.#failed = [];
    if (failed.every((cycle) => cycle.isKnown)) return failed.map(({ plan }) => plan);
    this.#lost = failed;
    return [];
  }

  /** Resolves lost cycles: those up to `last` are committed, the others never will be. Returns the plans of both. */
  onDecided(last: number): { committed: readonly Plan[]; undone: readonly Plan[] } {
    const lost = this.#lost;
    this.#lost = [];
    this.#prior = Math.max(last, lost.at(-1)?.number ?? 0);
    const isCommitted = ({ number }: Cycle) => number <= last;
    return {
      committed: lost.filter(isCommitted).map(({ plan }) => plan),
      undone: lost.filter((cycle) => !isCommitted(cycle)).map(({ plan }) => plan),
    };
  }

  /** Whether a cycle under way takes from the queue. Its result determines what the next one takes. */
  get isTaking(): boolean {
    return this.#underWay.some(({ plan }) => plan.taking !== undefined);
  }

  /** Whether a cycle may already have given back messages that are on the backlog. */
  get isReturning(): boolean {
    return this.plans.some((plan) => plan.returned.length > 0);
  }

  /** Whether a cycle may begin now. */
  mayBegin(ms: number): boolean {
    return this.isEmpty || (this.mayFollow && ms - this.#begunAt >= this.#apartMs);
  }

  /** Whether a cycle may begin beside those under way, now or later. */
  get mayFollow(): boolean {
    const isFar = this.#shortestMs >= FAR_MS;
    return isFar && this.#failed.length === 0 && this.#underWay.at(-1)?.mayFollow === true;
  }

  /** The milliseconds until the next check whether a cycle is due beside those under way. */
  waitMs(ms: number): number {
    const leftMs = this.#begunAt + this.#apartMs - ms;
    return leftMs > 0 ? leftMs : this.#apartMs;
  }

  get #apartMs(): number {
    return Math.max(APART_MS, this.#shortestMs / AT_MOST);
  }
}

// The cycles of a link that are under way, and when it pays to begin another beside them.
import { isOneTrip, type Plan } from "./plan.ts";

// Where cycles take no longer, as beside the database, none is begun beside another: the next one is larger and costs less.
const FAR_MS = 5;
// A cycle costs half a millisecond of CPU however little it does, so cycles beside others keep this distance. With 5 ms a
// window of 100 at 10 ms from the database was used by 77 %, with 4 by 81 (2 cores, 2026-11-26).
const APART_MS = 4;
// So many are under way at most, spread over the time that one takes.
const AT_MOST = 8;
// The shortest of the last cycles says how far away the database is, however busy it is. It counts for less with each cycle.
const FORGETTING = 1.05;

export type Cycle = { readonly number: number; readonly plan: Plan };

/**
 * Cycles are committed in the order of their numbers, each only if the one before it is. With one under way at a time a
 * window went out with each round trip to the database. A slot is in use from the commit of its intent to that of its
 * outcome, as the database has them: the time of the operator, one round trip, and the wait for a cycle, which is `APART_MS`
 * at most up to 40 ms. So a link sends the smaller of window ÷ answer and 2 × window ÷ (answer + round trip + wait), since
 * there are two windows of slots and one is on the wire (`window.ts`). The database costs nothing where it is nearer than
 * the operator's answer; where it is much farther, more would go out only if a crash might leave more of unknown fate.
 *
 * Messages/s with answers after 10 ms and receipts 20 ms later, by the round trip to the database (2 cores, 2026-11-26):
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
  /** Those that failed while others behind them are under way. These fail too. */
  #failed: (Cycle & { isKnown: boolean })[] = [];
  #lost: readonly Cycle[] = [];
  /** The number of the last cycle that was begun, and of the one that the next one comes after in the database. */
  #begun = 0;
  #prior = 0;
  #begunAt = 0;
  #shortestMs = 0;

  /** The number of the last cycle that the database surely knows. */
  get lastCommitted(): number {
    return this.#prior;
  }

  get isEmpty(): boolean {
    return this.#underWay.length === 0;
  }

  /** Those of which nobody knows whether they are committed, in order. */
  get lost(): readonly Cycle[] {
    return this.#lost;
  }

  /** What those do that are neither committed nor undone for certain, in order. */
  get plans(): readonly Plan[] {
    return [...this.#lost, ...this.#failed, ...this.#underWay].map(({ plan }) => plan);
  }

  /** Begins a cycle. `prior` is the number of the cycle that must be committed before it. */
  begin(plan: Plan, ms: number): { cycle: number; prior: number } {
    const prior = this.#underWay.at(-1)?.number ?? this.#prior;
    const cycle = ++this.#begun;
    // One that gives back, or that reads before it commits, is waited for.
    const mayFollow = plan.returned.length === 0 && isOneTrip(plan);
    this.#underWay.push({ number: cycle, plan, begunAt: ms, mayFollow });
    this.#begunAt = ms;
    return { cycle, prior };
  }

  /** The first cycle under way is committed. Returns its plan. */
  onCommitted(ms: number): Plan {
    const { number, plan, begunAt } = this.#underWay.shift()!;
    if (this.#failed.length > 0) throw new Error("a cycle is committed behind one that is not");
    this.#prior = number;
    const tookMs = ms - begunAt;
    this.#shortestMs = this.#shortestMs === 0 ? tookMs : Math.min(tookMs, this.#shortestMs * FORGETTING);
    return plan;
  }

  /**
   * The first cycle under way failed; `isKnown`: it surely is not committed. Once none is under way, returns what those did
   * that surely are not committed; undefined before. If nobody knows it of one, all that failed are lost.
   */
  onFailed(isKnown: boolean): readonly Plan[] | undefined {
    this.#failed.push({ ...this.#underWay.shift()!, isKnown });
    if (this.#underWay.length > 0) return undefined;
    const failed = this.#failed;
    this.#failed = [];
    if (failed.every((cycle) => cycle.isKnown)) return failed.map(({ plan }) => plan);
    this.#lost = failed;
    return [];
  }

  /** Of the lost cycles, those up to `last` are committed and the others never will be. Returns what they did. */
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

  /** Whether one takes from the queue: what it finds says what the next one takes. */
  get isTaking(): boolean {
    return this.#underWay.some(({ plan }) => plan.taking !== undefined);
  }

  /** Whether what is on the backlog may be given back already. */
  get isReturning(): boolean {
    return this.plans.some((plan) => plan.returned.length > 0);
  }

  /** Whether a cycle may be begun now. */
  mayBegin(ms: number): boolean {
    return this.isEmpty || (this.mayFollow && ms - this.#begunAt >= this.#apartMs);
  }

  /** Whether one may be begun beside those under way, now or after a while. */
  get mayFollow(): boolean {
    const isFar = this.#shortestMs >= FAR_MS;
    return isFar && this.#failed.length === 0 && this.#underWay.at(-1)?.mayFollow === true;
  }

  /** When to look again whether one is due beside those under way, in milliseconds. */
  waitMs(ms: number): number {
    const leftMs = this.#begunAt + this.#apartMs - ms;
    return leftMs > 0 ? leftMs : this.#apartMs;
  }

  get #apartMs(): number {
    return Math.max(APART_MS, this.#shortestMs / AT_MOST);
  }
}

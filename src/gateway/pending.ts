// What waits for the next turn of a link: outcomes, moves and receipts.
import type { MessageOutcome, Move } from "../sends/sends.ts";
import { STATUS } from "../smpp/smpp.ts";
import type { Plan, Unanswered } from "./plan.ts";
import type { Window } from "./window.ts";

// Outcomes alone wait for more of them, for nobody waits for these commits: until so many are there, or so long. A
// single send then costs 15 us less (2 cores, 2026-11-22).
const SETTLE_AT = 48;
const SETTLE_AFTER_MS = 5;

/** Collects what the operator said since the last turn. */
export class Pending {
  readonly outcomes: MessageOutcome[] = [];
  readonly moves: Move[] = [];
  readonly receipts: Unanswered[] = [];
  /** Since when outcomes wait for more of them; undefined if they do not. */
  #since: number | undefined;

  /** Resolves to the status of the answer once a turn is committed. */
  untilCommitted(said: Omit<Unanswered, "answer">): Promise<number> {
    return new Promise((answer) => this.receipts.push({ ...said, answer }));
  }

  /** Whether a turn is due for these alone: not for so few outcomes that more of them are waited for. */
  isDue(window: Window): boolean {
    if (this.moves.length + this.receipts.length > 0) return true;
    if (this.outcomes.length === 0) return false;
    this.#since ??= performance.now();
    const isEnough = this.outcomes.length >= SETTLE_AT || window.roomNow() < window.freed;
    return isEnough || performance.now() - this.#since >= SETTLE_AFTER_MS;
  }

  /** The milliseconds until outcomes have waited long enough; 0 if none wait. */
  waitMs(): number {
    if (this.#since === undefined || this.outcomes.length === 0) return 0;
    return Math.max(1, this.#since + SETTLE_AFTER_MS - performance.now());
  }

  /** Takes everything for a turn. */
  take(): Pick<Plan, "outcomes" | "moves" | "receipts"> {
    this.#since = undefined;
    return {
      outcomes: this.outcomes.splice(0),
      moves: this.moves.splice(0),
      receipts: this.receipts.splice(0),
    };
  }

  /** Refuses receipts for now: the operator delivers them again, and keeping them would have no limit. */
  refuse(receipts = this.receipts.splice(0)): void {
    for (const { answer } of receipts) answer(STATUS.ESME_RX_T_APPN);
  }

  /** Undoes `take`, but for receipts, which are refused. */
  putBack({ outcomes, moves }: Plan): void {
    this.outcomes.unshift(...outcomes);
    this.moves.unshift(...moves);
  }
}

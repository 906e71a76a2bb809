// What waits for the next cycle of a link: outcomes and moves.
import type { MessageOutcome, Move } from "../../sends/sends.ts";
import type { Plan } from "./plan.ts";
import type { Window } from "./window.ts";

// Outcomes alone wait for more of them, for nobody waits for these commits: until so many are there, or so long. A
// single send then costs 15 us less (2 cores, 2026-11-22).
const SETTLE_AT = 48;
const SETTLE_AFTER_MS = 5;

/** Collects what became of messages since the last cycle. */
export class Pending {
  readonly outcomes: MessageOutcome[] = [];
  readonly moves: Move[] = [];
  /** Since when outcomes wait for more of them; undefined if they do not. */
  #since: number | undefined;

  /** Whether a cycle is due for these alone: not for so few outcomes that more of them are waited for. */
  isDue(window: Window, ms: number): boolean {
    if (this.moves.length > 0) return true;
    if (this.outcomes.length === 0) return false;
    this.#since ??= ms;
    const isEnough = this.outcomes.length >= SETTLE_AT || window.roomNow() < window.freed;
    return isEnough || ms - this.#since >= SETTLE_AFTER_MS;
  }

  /** The milliseconds until outcomes have waited long enough; 0 if none wait. */
  waitMs(ms: number): number {
    if (this.#since === undefined || this.outcomes.length === 0) return 0;
    return Math.max(1, this.#since + SETTLE_AFTER_MS - ms);
  }

  /** Takes everything for a cycle. */
  take(): Pick<Plan, "outcomes" | "moves"> {
    this.#since = undefined;
    return { outcomes: this.outcomes.splice(0), moves: this.moves.splice(0) };
  }

  /** Undoes `take`. Of several cycles the last one comes first. */
  putBack({ outcomes, moves }: Plan): void {
    this.outcomes.unshift(...outcomes);
    this.moves.unshift(...moves);
  }
}

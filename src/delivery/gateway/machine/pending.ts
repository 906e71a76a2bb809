// The outcomes and moves that wait for the next cycle of a link.
import type { MessageOutcome, Move } from "../../sends/settlement/settle.ts";
import type { Plan } from "./plan.ts";
import type { Window } from "./window.ts";

// Outcomes alone wait for more of them, until there are SETTLE_AT or SETTLE_AFTER_MS have passed, since no caller waits
// for their commit. A single send then costs 15 us less (2 cores, 2026-11-22).
const SETTLE_AT = 48;
const SETTLE_AFTER_MS = 5;

/** Collects outcomes and moves since the last cycle. */
export class Pending {
  readonly outcomes: MessageOutcome[] = [];
  readonly moves: Move[] = [];
  /** Since when outcomes have waited for more of them; undefined if none wait. */
  #since: number | undefined;

  /** Whether pending outcomes and moves alone justify a cycle. A few fresh outcomes do not. */
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

  /** Undoes `take`. Of several cycles, undo the last one first. */
  putBack({ outcomes, moves }: Plan): void {
    this.outcomes.unshift(...outcomes);
    this.moves.unshift(...moves);
  }
}

// The rate of an operator's sessions: one pace for those of this process, within its share of the common limit.
import { Pace } from "./pace.ts";
import { phoneTermsOf, settingsOf } from "./settings.ts";
import type { OperatorRow } from "./sql.ts";

// Other gateways learn of a new bind within this time. Until then this process assumes that all binds are bound.
const HEARD_OF_MS = 1_000;

/** The most messages per second; a phone takes less than one. Null: no limit. */
function limitOf({ kind, tps, settings }: Pick<OperatorRow, "kind" | "tps" | "settings">): number | null {
  return kind === "phone" ? 1 / phoneTermsOf(settings).secondsPerMessage : tps;
}

type Kept = { pace: Pace; tps: number | null; bound: number; changedAt: number };

/**
 * Sessions of one process share a pace, so that a campaign that only one of them has uses the whole rate. Processes
 * share the limit by the number of their sessions.
 */
export class Paces {
  readonly #kept = new Map<string, Kept>();

  /** Returns the pace for the sessions of an operator. A new one begins at the rate that an earlier session found. */
  paceOf({ id, ...row }: OperatorRow, learned: number | null): Pace {
    const tps = limitOf(row);
    const known = this.#kept.get(id);
    if (known && known.tps === tps) return known.pace;
    const pace = new Pace(tps, performance.now(), learned);
    this.#kept.set(id, { pace, tps, bound: 0, changedAt: 0 });
    return pace;
  }

  /** Updates how many sessions this process has bound (`bound`), and how many all have (`row.bound`, 0.5 s old). */
  share(row: OperatorRow, bound: number, now: number = performance.now()): void {
    const kept = this.#kept.get(row.id);
    if (!kept || kept.tps === null || bound === 0) return;
    if (bound > kept.bound) kept.changedAt = now;
    kept.bound = bound;
    const unheard = now - kept.changedAt < HEARD_OF_MS ? settingsOf(row.settings).binds : 0;
    kept.pace.limitTo((kept.tps * bound) / Math.max(bound, row.bound, unheard));
  }

  /** Removes the operators that no longer exist. */
  keepOnly(operators: ReadonlyMap<string, unknown>): void {
    for (const id of this.#kept.keys()) if (!operators.has(id)) this.#kept.delete(id);
  }
}

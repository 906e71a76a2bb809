// The faults of the simulation: which may happen in a run, how often they did, and when they are over.
import type { Chance } from "./chance.ts";

/** Every kind of fault, with its share of the occasions where it may happen. */
export const FAULTS = {
  "submit lost": 0.02,
  "system error": 0.03,
  rejected: 0.02,
  "session questioned": 0.003,
  "account refused": 0.003,
  "receipt lost": 0.1,
  "receipt early": 0.2,
  "receipt twice": 0.1,
  "answer lost": 0.02,
  "answer late": 0.02,
  "answer twice": 0.05,
  "answer unreadable": 0.03,
  "not sent": 0.02,
  unfit: 0.03,
  "cycle undone": 0.02,
  "cycle unknown, committed": 0.02,
  "cycle unknown, undone": 0.02,
  "cycle unknown, committed later": 0.02,
  "receipts undone": 0.02,
  "receipts unknown, committed": 0.02,
  "receipts unknown, undone": 0.02,
  "receipts unknown, committed later": 0.02,
  "statement failed": 0.02,
  "lease undone": 0.03,
  "lease unknown, committed": 0.03,
  "lease unknown, undone": 0.03,
  "lease unknown, committed later": 0.03,
  "read failed": 0.03,
  "database slow": 0.02,
  "notice lost": 0.2,
  canceled: 0.15,
  // These are drawn as episodes, beside the traffic.
  "process killed": 1,
  "process paused": 1,
  "process started": 1,
  "database down": 1,
  "database cut off from a process": 1,
  "session cut": 1,
  "operator unbinds": 1,
  "operator down": 1,
  "operator throttles": 1,
  "links clogged in turn": 1,
  "operator restarts its ids": 1,
  "clock jumps forward": 1,
  "clock jumps back": 1,
  "bind taken over from a live owner": 1,
  "link drained": 1,
  "account suspended": 1,
} as const;
export type Fault = keyof typeof FAULTS;

/** In each run half of the kinds may happen, so that no kind hides another. */
export class Faults {
  readonly counts = new Map<Fault, number>();
  readonly #chance: Chance;
  readonly #enabled: ReadonlySet<Fault>;
  #isHealed = false;

  constructor(chance: Chance, range: number, always?: Fault) {
    this.#chance = chance;
    const all = Object.keys(FAULTS) as Fault[];
    this.#enabled = new Set(all.filter((fault) => chance.happens(range) || fault === always));
  }

  isEnabled(fault: Fault): boolean {
    return !this.#isHealed && this.#enabled.has(fault);
  }

  /** Draws whether it happens here, and counts it. */
  happens(fault: Fault): boolean {
    if (!this.isEnabled(fault) || !this.#chance.happens(FAULTS[fault])) return false;
    this.count(fault);
    return true;
  }

  count(fault: Fault): void {
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
  }

  heal(): void {
    this.#isHealed = true;
  }
}

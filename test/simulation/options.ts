// The options of a run of the simulation, which follow from its seed, and its result.
import { Chance } from "./chance.ts";
import type { Fault } from "./faults.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** What a run is made of; all of it follows from the seed. */
export type Options = {
  seed: number;
  operators: number;
  /** Whether all operators are one account, whose receipts come by any of them. */
  isOneAccount: boolean;
  processes: number;
  window: number;
  tps: number | null;
  /** How long messages wait for an operator before the next takes them. */
  overflowMs: number | null;
  concatenation: "udh8" | "udh16" | "sar" | "payload";
  bursts: number;
  burst: number;
  /** The time over which the bursts are spread: in a short one they overlap. */
  spread: number;
  /** How long a request to the database takes to arrive, and its answer to come back, beside what it takes anyway. */
  distanceMs: number;
  /** The share of the kinds of faults that may happen. */
  faulty: number;
  /** A fault that happens whatever the others do. */
  always?: Fault;
};

export function optionsOf(seed: number): Options {
  const chance = new Chance(seed);
  return {
    seed,
    operators: chance.int(1, 3),
    isOneAccount: chance.happens(0.5),
    processes: chance.int(1, 3),
    window: chance.of([1, 2, 5, 10, 20, 100]),
    tps: chance.of([null, null, 5, 50]),
    overflowMs: chance.of([null, 2_000, 60_000]),
    concatenation: chance.of(["udh8", "udh16", "sar", "payload"]),
    bursts: chance.int(4, 16),
    burst: chance.of([3, 10, 30, 60, 200]),
    spread: chance.of([2 * 60_000, 10 * 60_000, HOUR_MS, DAY_MS - HOUR_MS]),
    faulty: chance.of([0, 0.1, 0.3, 0.5, 1]),
    distanceMs: chance.of([0, 0, 5, 50]),
  };
}

/** What a run came to. */
export type Result = {
  options: Options;
  faults: ReadonlyMap<Fault, number>;
  wrong: string[];
  messages: number;
  overlaps: number;
};

// Slices: long work is done in slices, and the requests of others are answered between them.
import { setTimeout as wait } from "node:timers/promises";
import { perRuntime, type Runtime } from "./runtime.ts";
import { sharesOf } from "./shares.ts";

/** How a long work goes on: `brisk` at its next turn, `patient` after a rest, which leaves most of the time to others. */
export type Tempo = "brisk" | "patient";

// With slices of half a millisecond, a patient work takes a tenth of the time.
const REST_MS = 4;

const waiting = perRuntime<(() => void)[]>(() => []);

/**
 * Resolves when a long work may do its next slice, which should take half a millisecond. All works of a process take turns,
 * and before each slice node reads the sockets that have data.
 */
export async function nextSlice(app: Runtime, tempo: Tempo): Promise<void> {
  if (tempo === "patient") await wait(REST_MS);
  const works = waiting(app);
  await new Promise<void>((resolve) => {
    works.push(resolve);
    if (works.length === 1) beginNext(works);
  });
}

/** After a work that cannot be sliced, others have so many times what it took, before the next one begins. */
const RESTS = 2;

/** What the account pays for does not wait behind what it does not pay for. */
export type Lane = "paid" | "unpaid";

/** The end of the last work of each lane, with the rest after it. */
const lanes = perRuntime<Record<Lane, Promise<void>>>(() => ({
  paid: Promise.resolve(),
  unpaid: Promise.resolve(),
}));

/**
 * Runs a work of some milliseconds that cannot be sliced, such as parsing a large body. In each lane of a process they run
 * one at a time, in the order in which they were asked for, and with rests between them while several accounts are active.
 */
export async function runUndivided<T>(app: Runtime, lane: Lane, work: () => T): Promise<T> {
  const ends = lanes(app);
  const before = ends[lane];
  const { promise, resolve } = Promise.withResolvers<void>();
  ends[lane] = promise;
  await before;
  const startedMs = performance.now();
  try {
    return work();
  } finally {
    const tookMs = performance.now() - startedMs;
    setTimeout(resolve, sharesOf(app).isShared ? RESTS * tookMs : 0);
  }
}

/** A list of so many items is worked through in a few milliseconds at most. */
const ITEMS_AT_ONCE = 500;

/** Runs unpaid work on a list: at once on a short one, by `runUndivided` on a longer one. */
export async function runOnList<T>(app: Runtime, items: readonly unknown[], work: () => T): Promise<T> {
  return items.length > ITEMS_AT_ONCE ? runUndivided(app, "unpaid", work) : work();
}

function beginNext(works: (() => void)[]): void {
  setImmediate(() => {
    works[0]!();
    works.shift();
    if (works.length > 0) beginNext(works);
  });
}

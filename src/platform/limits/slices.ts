// Slices: long work is split into slices, and other requests are answered between them.
import { setTimeout as wait } from "node:timers/promises";
import { perRuntime, type Runtime } from "../runtime.ts";
import { sharesOf } from "./shares.ts";

/** When work continues: `foreground` at its next turn, `background` after a pause. */
export type Urgency = "foreground" | "background";

// With slices of half a millisecond, background work takes a tenth of the time.
const REST_MS = 4;

const waiting = perRuntime<(() => void)[]>(() => []);

/**
 * Resolves when long work may run its next slice, which should take half a millisecond. All such work of a process
 * takes turns, and before each slice node reads the sockets that have data.
 */
export async function nextSlice(app: Runtime, urgency: Urgency): Promise<void> {
  if (urgency === "background") await wait(REST_MS);
  const works = waiting(app);
  await new Promise<void>((resolve) => {
    works.push(resolve);
    if (works.length === 1) beginNext(works);
  });
}

/** After work that cannot be sliced, others get this many times its duration before the next one begins. */
const RESTS = 2;

/** Paid work does not wait behind unpaid work. */
export type Lane = "paid" | "unpaid";

/** The end of the last work of each lane, with the pause after it. */
const lanes = perRuntime<Record<Lane, Promise<void>>>(() => ({
  paid: Promise.resolve(),
  unpaid: Promise.resolve(),
}));

/**
 * Runs work of some milliseconds that cannot be sliced, such as parsing a large body. In each lane of a process such
 * work runs one at a time, in order of arrival, and with pauses in between while several accounts are active.
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

/** A list of this length is processed in a few milliseconds at most. */
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

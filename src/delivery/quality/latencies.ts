// Times from acceptance to receipt, counted in classes. Counts of many processes and hours add up; exact times would not.

// A class is 41 % wider than the one before it, so a percentile is wrong by 19 % at most.
const SHORTEST_MS = 100;
const CLASSES_PER_DOUBLING = 2;
/** The last class has all times beyond 2.4 days. */
const CLASSES = 44;

/** Adds a time to counts by class. */
export function addLatency(counts: number[], ms: number): void {
  const at = classOf(ms);
  while (counts.length <= at) counts.push(0);
  counts[at]! += 1;
}

function classOf(ms: number): number {
  if (ms < SHORTEST_MS) return 0;
  return Math.min(CLASSES - 1, Math.floor(CLASSES_PER_DOUBLING * Math.log2(ms / SHORTEST_MS)) + 1);
}

/** Returns the time within which this share of the messages was reported, in milliseconds; null without any. */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let before = 0;
  for (const [at, count] of counts.entries()) {
    // Within a class the times are taken to be spread evenly by their logarithm.
    if (before + count >= share * all) return Math.round(timeAt(at - 1 + (share * all - before) / count));
    before += count;
  }
  return Math.round(timeAt(CLASSES - 1));
}

/** Returns the time at which a class ends, in milliseconds; a fraction is a place within the class after it. */
function timeAt(place: number): number {
  if (place < 0) return SHORTEST_MS * (place + 1);
  return SHORTEST_MS * 2 ** (place / CLASSES_PER_DOUBLING);
}

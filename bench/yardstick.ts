// A fixed piece of work, by which runs of different hours and machines can be compared.

const STEPS = 400_000;
const KEYS = 5_000;
/** What the work took in the quickest hours of a 2-core machine on 2026-11-28, in ms. */
const REFERENCE_MS = 20;

/** How slow the machine is now: 1 is the reference, 2 takes twice as long. It takes some 20 ms. */
export function machineFactor(): number {
  const startedAt = performance.now();
  const counts = new Map<string, number>();
  for (let i = 0; i < STEPS; i++) {
    const key = `k${i % KEYS}`;
    counts.set(key, (counts.get(key) ?? 0) + i);
  }
  return (performance.now() - startedAt) / REFERENCE_MS;
}

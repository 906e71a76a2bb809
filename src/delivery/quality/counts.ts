// Counts of routes: what operators accepted and reported of the messages of a prefix and an hour.

/** The counts of a route, beside the times to its receipts. */
export const COUNTS = [
  ...(["accepted", "delivered", "undelivered"] as const),
  ...(["refusedRecipient", "refusedSender", "refusedOperator", "refusedService"] as const),
  ...(["codesSent", "codesVerified", "probesSent", "probesConfirmed"] as const),
] as const;
export type Count = (typeof COUNTS)[number];

/** Counts of messages; `latencies`: those with receipts, by the time since acceptance (`latencies.ts`). */
export type Counts = Record<Count, number> & { latencies: number[] };

/** The counts of an operator, a prefix and an hour, in hours since 1970. */
export type RouteCounts = Counts & { operatorId: string; hour: number; prefix: string };

const HOUR_MS = 3_600_000;

/** Returns the hour of a time, in hours since 1970. */
export function hourOf(atMs: number): number {
  return Math.floor(atMs / HOUR_MS);
}

/** Returns counts of nothing, with these members beside them. */
export function noCounts<Of extends object>(of: Of): Of & Counts {
  const none = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Record<Count, number>;
  return { ...of, ...none, latencies: [] };
}

/** Adds counts to others. */
export function addCounts(sum: Counts, more: Counts): void {
  for (const name of COUNTS) sum[name] += more[name];
  for (const [at, count] of more.latencies.entries()) sum.latencies[at] = (sum.latencies[at] ?? 0) + count;
}

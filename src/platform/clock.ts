// The clock: the time by the database's clock, so that all processes agree even if the clocks of their machines differ.

// The database's time at the zero of this process's monotonic clock. Until the database answers, it is this machine's
// time.
let originMs = Date.now() - performance.now();

/** Whole milliseconds since 1970, for every decision by time. Waits are measured by `performance.now()` instead. */
export function nowMs(): number {
  return Math.floor(originMs + performance.now());
}

/** The time of `nowMs` as a `Date`. */
export function now(): Date {
  return new Date(nowMs());
}

/** How far this machine's clock is ahead of the database's, in milliseconds. Below zero it is behind. */
export function machineAheadMs(): number {
  return Date.now() - nowMs();
}

/**
 * Sets the clock from an answer of the database. `databaseMs` is the answer, in milliseconds since 1970. The database
 * read its clock at some time between `askedAt` and `answeredAt`, by `performance.now()`. The clock moves only as far
 * as this proves it wrong. So a slow answer does no harm, and on the database's own machine nothing moves.
 */
export function setClock(databaseMs: number, askedAt: number, answeredAt: number): void {
  originMs = Math.min(Math.max(originMs, databaseMs - answeredAt), databaseMs - askedAt);
}

// The clock: what time it is. That of the database decides, so that all processes agree whatever their machines say.

// The database's time at the start of this process's monotonic clock. Until it was asked, this machine's own.
let originMs = Date.now() - performance.now();

/** Milliseconds since 1970, whole ones, for everything that is decided by time. Waiting is measured by `performance.now()`. */
export function nowMs(): number {
  return Math.floor(originMs + performance.now());
}

/** The time, for everything that is decided by it. */
export function now(): Date {
  return new Date(nowMs());
}

/** How far this machine's clock is ahead of the database's, in milliseconds; below zero: behind. */
export function machineAheadMs(): number {
  return Date.now() - nowMs();
}

/**
 * Takes over what the database's clock said, in milliseconds since 1970. It was asked and had answered at these times of
 * `performance.now()`, and said so somewhere between them: the clock moves only as far as that proves, so a slow answer
 * does no harm, and on one machine with the database nothing moves at all.
 */
export function setClock(databaseMs: number, askedAt: number, answeredAt: number): void {
  originMs = Math.min(Math.max(originMs, databaseMs - answeredAt), databaseMs - askedAt);
}

// The schedule of retries of failed deliveries.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The delay after each failure, first to last: eleven tries in 99.6 hours. */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
  24 * HOUR_MS,
];
/** Spreads deliveries that failed together. */
const JITTER = 0.2;
const RETRY_AFTER_AT_LEAST_MS = SECOND_MS;
const RETRY_AFTER_AT_MOST_MS = 24 * HOUR_MS;
/** The schedule, for the reference, for the reference. */
export const retrySchedule = {
  delaysMs: DELAYS_MS as readonly number[],
  jitter: JITTER,
  retryAfterAtMostMs: RETRY_AFTER_AT_MOST_MS,
};
const IMF_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Returns the milliseconds until the next try after this many `failures`, within ±20 %; undefined after the last. */
export function delayAfter(failures: number): number | undefined {
  const delayMs = DELAYS_MS[failures - 1];
  return delayMs === undefined ? undefined : Math.round(delayMs * (1 - JITTER + 2 * JITTER * Math.random()));
}

/**
 * Returns the `Retry-After` of a 429 or 503 in milliseconds, between 1 s and 24 h: seconds or a date (RFC 9110, section
 * 10.2.3). Undefined for anything else.
 */
export function readRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const askedMs = /^\d{1,15}$/.test(text)
    ? Number(text) * SECOND_MS
    : IMF_DATE.test(text)
      ? Date.parse(text) - now
      : NaN;
  if (Number.isNaN(askedMs)) return undefined;
  return Math.min(Math.max(askedMs, RETRY_AFTER_AT_LEAST_MS), RETRY_AFTER_AT_MOST_MS);
}

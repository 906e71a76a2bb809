// The limits of one-time passwords: sends and guesses per phone, and limits against pumping.

const DAY_MS = 24 * 3_600_000;

/** Sends per account and phone. */
const SENDS = [
  { most: 1, withinMs: 30_000 },
  { most: 5, withinMs: 10 * 60_000 },
  { most: 10, withinMs: DAY_MS },
] as const;

/** The maximum number of sends per account and phone in a day, and so the maximum number of rows that a limit reads. */
export const SENDS_PER_DAY = SENDS[2].most;

/** The codes to one phone in a day after which the rest of `most` is for accounts that have sent it none. */
export function openToAll(most: number): number {
  return Math.ceil((most * 2) / 3);
}

/**
 * Returns the milliseconds until a phone may get the next code from any account, from the ages of its codes of the last
 * 24 hours, newest first; 0: now. The last third of `most` is reserved for accounts that have sent it none in that
 * time, so that three accounts with 10 codes each cannot block all others.
 */
export function waitInAllMs(
  agesMs: readonly number[],
  { most, isFirst }: { most: number; isFirst: boolean },
): number {
  const decisive = agesMs[(isFirst ? most : openToAll(most)) - 1];
  return decisive === undefined ? 0 : DAY_MS - decisive;
}

/** Returns the ms until the next send, from the ages of the codes of the last 24 hours, newest first; 0: now. */
export function waitBeforeSendMs(agesMs: readonly number[]): number {
  const waits = SENDS.map(({ most, withinMs }) => {
    const decisive = agesMs[most - 1];
    return decisive === undefined ? 0 : withinMs - decisive;
  });
  return Math.max(0, ...waits);
}

/** Wrong guesses per code; the table's constraint has the same number. */
export const GUESSES_PER_CODE = 5;

/**
 * Returns the wrong guesses per account and phone in 24 hours. At 4 digits 10 guesses succeed with probability 10⁻³, so
 * this daily cap protects short codes, not the cap per code. Longer codes allow more: a prankster cannot lock a number.
 */
export function guessesPerDay(length: number): number {
  return length >= 6 ? 50 : 10;
}

/** Unverified codes to one number prefix in 10 minutes. */
export const UNVERIFIED_PER_PREFIX = 30;

/** An account is judged by this many of its newest codes that have expired or were verified. */
export const JUDGED_CODES = 100;

/** With fewer verified codes than this, an administrator is notified. */
export const LOW_SHARE = 30;

/** With this many verified codes or fewer, blocks of numbers are stopped. */
export const STOP_SHARE = 5;

/** A block is stopped only if this many of the codes went there, so that one person who fails twice is not stopped. */
export const STOP_CODES = 3;

/** Returns the unverified codes allowed to one foreign country in 24 hours, by the number verified there. */
export function unverifiedPerCountry(verified: number): number {
  return Math.max(20, Math.floor(0.3 * verified));
}

/** These limits per account and phone as callers experience them, for the reference. */
export const otpLimits = {
  secondsBetweenSends: SENDS[0].withinMs / 1_000,
  sendsPerTenMinutes: SENDS[1].most,
  sendsPerDay: SENDS_PER_DAY,
  guessesPerCode: GUESSES_PER_CODE,
  guessesPerDay: guessesPerDay(4),
  guessesPerDayOfSixCharacters: guessesPerDay(6),
} as const;

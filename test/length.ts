// The length of the tests of pure volume. `npm test` takes minutes in all, `npm run test:long` minutes more, `npm run
// test:night` hours. The longer two run only the files that have a form of that length (`test/run.ts`).

const length = process.env.TEST_LENGTH ?? "short";

/**
 * The value for this run. A run without a value of its own takes that of the next shorter one. Where a larger number
 * crosses no limit that the short one leaves uncrossed, give a night's value alone: CI then need not repeat the file.
 */
export function atLength<T>(of: { short: T; long?: T; night?: T }): T {
  const long = of.long ?? of.short;
  if (length === "night") return of.night ?? long;
  return length === "long" ? long : of.short;
}

/** For tests that start many processes and guard what seldom changes: `npm test` leaves them to `npm run test:long`. */
export const inLongRuns = atLength<{ skip?: string }>({
  short: { skip: "npm run test:long runs this" },
  long: {},
});

/** For dear tests of one length in an ordinary file that has a longer form of others: `npm test` runs them. */
export const inShortRuns = atLength<{ skip?: string }>({
  short: {},
  long: { skip: "npm test runs this" },
});

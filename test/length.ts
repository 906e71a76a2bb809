// The length of the tests of pure volume. `npm test` takes minutes in all, `npm run test:long` minutes more, `npm run
// test:night` hours. All three run the files that ask here.

const length = process.env.TEST_LENGTH ?? "short";

/** The value for this run. A night's run takes the long value if it has none of its own. */
export function atLength<T>(of: { short: T; long: T; night?: T }): T {
  if (length === "night") return of.night ?? of.long;
  return length === "long" ? of.long : of.short;
}

/** For tests that start many processes and guard what seldom changes: `npm test` leaves them to `npm run test:long`. */
export const inLongRuns = atLength<{ skip?: string }>({
  short: { skip: "npm run test:long runs this" },
  long: {},
});

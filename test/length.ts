// How long the tests of pure volume go on: `npm test` takes minutes in all, `npm run test:long` minutes more, `npm run
// test:night` hours. A file that asks here is run by all three.

const length = process.env.TEST_LENGTH ?? "short";

/** The number, or whatever it is, for this run; a night's is that of the long run where nothing else is said. */
export function atLength<T>(of: { short: T; long: T; night?: T }): T {
  if (length === "night") return of.night ?? of.long;
  return length === "long" ? of.long : of.short;
}

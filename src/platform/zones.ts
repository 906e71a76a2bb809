// Zones: the local time of a country.

// ECMA-402, Intl Locale Info: in Node 24, not yet in the library of types that we compile with.
declare global {
  namespace Intl {
    interface Locale {
      getTimeZones(): string[] | undefined;
    }
  }
}

/** The zone of a country (ISO 3166), the first one where it has several; UTC where nobody knows the country. */
export function timeZoneOf(country: string): string {
  const [timeZone = "UTC"] = new Intl.Locale("und", { region: country }).getTimeZones() ?? [];
  return timeZone;
}

/** Tells the local time of a country as `22/11/2026 08:17:05`, which spreadsheets of both languages read. 2 µs each. */
export function clockIn(country: string): (at: Date) => string {
  const clock = new Intl.DateTimeFormat("en-GB", {
    timeZone: timeZoneOf(country),
    dateStyle: "short",
    timeStyle: "medium",
  });
  return (at) => clock.format(at).replace(",", "");
}

const DAY_MS = 24 * 3_600_000;
const CLOCK = /^(\d\d)\/(\d\d)\/(\d{4}) (\d\d):(\d\d):(\d\d)$/;

/** The instant at which a day such as `2026-11-22` begins in a country, or the one `days` later; undefined: it is no day. */
export function startOfDay(country: string, day: string, days = 0): Date | undefined {
  const midnight = /^\d{4}-\d\d-\d\d$/.test(day) ? new Date(`${day}T00:00:00Z`) : undefined;
  // `new Date` makes 2 March of 30 February.
  if (!midnight || Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day)
    return undefined;
  return instantIn(country, midnight.getTime() + days * DAY_MS);
}

/** The instant at which the clocks of a country show what those of UTC show at `shownMs`. */
export function instantIn(country: string, shownMs: number): Date {
  // The second look is for a day on which the clocks change.
  return new Date(shownMs - aheadMs(country, shownMs - aheadMs(country, shownMs)));
}

/** By how much a country is ahead of UTC at an instant. */
export function aheadMs(country: string, instantMs: number): number {
  const [, date, month, year, hours, minutes, seconds] = CLOCK.exec(
    clockIn(country)(new Date(instantMs)),
  )!.map(Number);
  const shown = Date.UTC(year!, month! - 1, date, hours, minutes, seconds);
  return shown - Math.floor(instantMs / 1_000) * 1_000;
}

// Making one takes 220 µs; there are as many as countries.
const calendars = new Map<string, Intl.DateTimeFormat>();

/** The day of an instant in a country, as `2026-11-22`. */
export function dayIn(country: string, at: Date): string {
  let calendar = calendars.get(country);
  if (!calendar) {
    calendar = new Intl.DateTimeFormat("en-CA", { timeZone: timeZoneOf(country), dateStyle: "short" });
    calendars.set(country, calendar);
  }
  return calendar.format(at);
}

// Zones: the local time of a country.

// ECMA-402, Intl Locale Info: in Node 24, but not yet in the type library that we compile with.
declare global {
  namespace Intl {
    interface Locale {
      getTimeZones(): string[] | undefined;
    }
  }
}

/** Returns the zone of a country (ISO 3166), the first one if it has several; UTC for an unknown country. */
export function timeZoneOf(country: string): string {
  const [timeZone = "UTC"] = new Intl.Locale("und", { region: country }).getTimeZones() ?? [];
  return timeZone;
}

/** Returns a formatter of local time, `22/11/2026 08:17:05`, for French and English spreadsheets. It takes 2 µs. */
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

/** Returns the start of a day such as `2026-11-22` in a country, or of the day `days` later; undefined if invalid. */
export function startOfDay(country: string, day: string, days = 0): Date | undefined {
  const midnight = /^\d{4}-\d\d-\d\d$/.test(day) ? new Date(`${day}T00:00:00Z`) : undefined;
  // `new Date` turns 30 February into 2 March.
  if (!midnight || Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day)
    return undefined;
  return instantIn(country, midnight.getTime() + days * DAY_MS);
}

/** Returns the instant at which the clocks of a country show what those of UTC show at `shownMs`. */
export function instantIn(country: string, shownMs: number): Date {
  // The second pass is for a day on which the clocks change.
  return new Date(shownMs - aheadMs(country, shownMs - aheadMs(country, shownMs)));
}

/** Returns how far a country is ahead of UTC at an instant, in milliseconds. */
export function aheadMs(country: string, instantMs: number): number {
  const parts = CLOCK.exec(clockIn(country)(new Date(instantMs)));
  if (!parts) throw new Error(`the clock of ${country} has another format`);
  const [, date = 0, month = 0, year = 0, hours, minutes, seconds] = parts.map(Number);
  const shown = Date.UTC(year, month - 1, date, hours, minutes, seconds);
  return shown - Math.floor(instantMs / 1_000) * 1_000;
}

// Creating one takes 220 µs; there are as many as countries.
const calendars = new Map<string, Intl.DateTimeFormat>();

/** Returns the day of an instant in a country, as `2026-11-22`. */
export function dayIn(country: string, at: Date): string {
  let calendar = calendars.get(country);
  if (!calendar) {
    calendar = new Intl.DateTimeFormat("en-CA", { timeZone: timeZoneOf(country), dateStyle: "short" });
    calendars.set(country, calendar);
  }
  return calendar.format(at);
}

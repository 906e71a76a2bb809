// The rules of time: when a scheduled campaign may run, and when a recurring one runs next. All in UTC.
import { refuse } from "../kernel/refusals.ts";

const QUARTER_MINUTES = 15;
const DAY_MS = 24 * 3_600_000;

// RFC 3339, section 5.6; the zone is required, since a time without one is a guess.
const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:[Zz]|[+-](\d\d):(\d\d))$/;

/**
 * The instant of an RFC 3339 timestamp, or null if it is none: a date that no calendar has (`new Date` reads 30 February
 * as 2 March), no zone, hour 24, leap seconds.
 */
export function parseTimestamp(text: string): Date | null {
  const match = TIMESTAMP.exec(text);
  if (!match) return null;
  const [month, day, hour, minute, second, zoneHour, zoneMinute] = match
    .slice(2)
    .map((part) => Number(part ?? 0)) as [number, number, number, number, number, number, number];
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 23 || zoneMinute > 59) return null;
  const date = new Date(text.slice(0, "yyyy-mm-dd".length));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  const instant = new Date(text.toUpperCase());
  return Number.isNaN(instant.getTime()) ? null : instant;
}

function onTheQuarter(instant: Date): boolean {
  return instant.getTime() % (QUARTER_MINUTES * 60_000) === 0;
}

/** The time of a `SCHEDULED` campaign. Refuses `invalid-schedule`: not a time, not on a quarter of an hour, past, or too far ahead. */
export function readScheduledDate(text: string | undefined, now: Date, daysAhead: number): Date {
  const instant = text === undefined ? null : parseTimestamp(text);
  if (!instant)
    refuse("invalid-schedule", {
      details: [{ field: "scheduledDate", message: "is not an RFC 3339 timestamp with a zone" }],
    });
  if (!onTheQuarter(instant))
    refuse("invalid-schedule", {
      details: [{ field: "scheduledDate", message: "minutes must be 00, 15, 30 or 45, seconds 0" }],
    });
  const aheadMs = instant.getTime() - now.getTime();
  if (aheadMs <= 0)
    refuse("invalid-schedule", { details: [{ field: "scheduledDate", message: "is not in the future" }] });
  if (aheadMs > daysAhead * DAY_MS)
    refuse("invalid-schedule", {
      details: [{ field: "scheduledDate", message: `is more than ${daysAhead} days ahead` }],
    });
  return instant;
}

export const WEEKDAYS = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
] as const;

/** A week of a `RECURRING` campaign: minutes after midnight, by weekday (0 is Sunday, as in `Date`). */
export type Week = Readonly<Partial<Record<number, number>>>;

/**
 * The `recurring` of a request: weekday names to timestamps, of which only the time of day counts. Refuses
 * `invalid-schedule`: no day, an unknown day, not a time, not on a quarter of an hour.
 */
export function readWeek(recurring: Readonly<Record<string, unknown>> | undefined): Week {
  const week: Partial<Record<number, number>> = {};
  for (const [name, text] of Object.entries(recurring ?? {})) {
    const weekday = WEEKDAYS.indexOf(name as (typeof WEEKDAYS)[number]);
    const instant = typeof text === "string" ? parseTimestamp(text) : null;
    const message =
      weekday < 0
        ? "is not a weekday"
        : !instant
          ? "is not an RFC 3339 timestamp with a zone"
          : "minutes must be 00, 15, 30 or 45, seconds 0";
    if (weekday < 0 || !instant || !onTheQuarter(instant))
      refuse("invalid-schedule", { details: [{ field: `recurring.${name}`, message }] });
    // Below zero before 1970, of which the date counts as little as any other.
    const sinceMidnightMs = ((instant.getTime() % DAY_MS) + DAY_MS) % DAY_MS;
    week[weekday] = sinceMidnightMs / 60_000;
  }
  if (Object.keys(week).length === 0)
    refuse("invalid-schedule", { details: [{ field: "recurring", message: "has no weekday" }] });
  return week;
}

/** The first occurrence of a week after an instant: at most eight days later. */
export function nextOccurrence(week: Week, after: Date): Date {
  const midnight = Math.floor(after.getTime() / DAY_MS) * DAY_MS;
  for (let day = 0; day <= 7; day++) {
    const date = new Date(midnight + day * DAY_MS);
    const minutes = week[date.getUTCDay()];
    if (minutes === undefined) continue;
    const occurrence = new Date(date.getTime() + minutes * 60_000);
    if (occurrence > after) return occurrence;
  }
  throw new Error("a week without a day never occurs");
}

// The rules of time: when a scheduled campaign may run, and when a recurring one runs next. All times are UTC.

import { type Static, Type } from "typebox";
import { detailOf, refuseField, type ValidationError } from "../../platform/http/fielderrors.ts";
import { refuse, type Sentence } from "../../platform/http/refusals.ts";
import { NO_TIMESTAMP, parseTimestamp } from "../../platform/http/timestamps.ts";
import { REQUIRED } from "../../platform/http/validationerrors.ts";
import type { Campaign, RecurringTimes } from "./shapes.ts";
import { membersOfWeek } from "./shapes.ts";

const QUARTER_MINUTES = 15;
const DAY_MS = 24 * 3_600_000;

function onTheQuarter(instant: Date): boolean {
  return instant.getTime() % (QUARTER_MINUTES * 60_000) === 0;
}

const NO_TIME: Sentence = {
  fr: "n’est ni HH:MM ni un horodatage RFC 3339 avec fuseau",
  en: "is neither HH:MM nor an RFC 3339 timestamp with a zone",
};
const NO_QUARTER: Sentence = {
  fr: "les minutes doivent être 00, 15, 30 ou 45, et les secondes 0",
  en: "minutes must be 00, 15, 30 or 45, and seconds 0",
};

function refuseTime(field: string, wrong: Sentence | ValidationError): never {
  refuse("invalid-schedule", { details: [detailOf(field, wrong)] });
}

/**
 * Refuses `invalid-schedule` for a time that contradicts the type, and `invalid-request` for a price ceiling on a
 * campaign that is priced later.
 */
export function refuseContradiction(input: {
  type: Campaign["type"];
  scheduledDate?: string;
  recurring?: Recurring;
  creditAtMost?: number;
}): void {
  const { type, scheduledDate, recurring, creditAtMost } = input;
  if (scheduledDate !== undefined && type !== "SCHEDULED")
    refuseTime("scheduledDate", needsType("SCHEDULED", type));
  const hasDays = Object.keys(recurring ?? {}).length > 0;
  if (hasDays && type !== "RECURRING") refuseTime("recurring", needsType("RECURRING", type));
  if (creditAtMost !== undefined && type !== "SMS") refuseField("creditAtMost", needsType("SMS", type));
}

function needsType(needed: Campaign["type"], given: Campaign["type"]): Sentence {
  return {
    fr: `exige le type ${needed}, mais le type est ${given}`,
    en: `requires the type ${needed}, but the type is ${given}`,
  };
}

/**
 * Reads the time of a `SCHEDULED` campaign. Refuses `invalid-schedule`: not a time, not on a quarter of an hour, past,
 * or too far ahead.
 */
export function readScheduledDate(text: string | undefined, now: Date, daysAhead: number): Date {
  if (text === undefined) refuseTime("scheduledDate", REQUIRED);
  const instant = parseTimestamp(text);
  if (!instant) refuseTime("scheduledDate", NO_TIMESTAMP);
  if (!onTheQuarter(instant)) refuseTime("scheduledDate", NO_QUARTER);
  const aheadMs = instant.getTime() - now.getTime();
  if (aheadMs <= 0)
    refuseTime("scheduledDate", {
      rule: "future",
      message: { fr: "n’est pas dans l’avenir", en: "is not in the future" },
    });
  if (aheadMs > daysAhead * DAY_MS)
    refuseTime("scheduledDate", {
      rule: "days-ahead",
      limit: daysAhead,
      message: { fr: `est à plus de ${daysAhead} jours`, en: `is more than ${daysAhead} days ahead` },
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
type Weekday = (typeof WEEKDAYS)[number];

const CLOCK = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** A time of day in UTC: minutes after midnight, and its days (-1 to 1) after the date in the text's zone. */
type TimeOfDay = { minutes: number; daysLater: number };

/** Reads `HH:MM`, or the time of a timestamp; null if it is neither. Seconds are a fraction of a minute. */
function timeOf(text: string): TimeOfDay | null {
  const [clock, hours, minutes] = CLOCK.exec(text) ?? [];
  if (clock) return { minutes: Number(hours) * 60 + Number(minutes), daysLater: 0 };
  const instant = parseTimestamp(text);
  if (!instant) return null;
  const midnight = Math.floor(instant.getTime() / DAY_MS) * DAY_MS;
  return {
    minutes: (instant.getTime() - midnight) / 60_000,
    daysLater: (midnight - Date.parse(text.slice(0, DATE_CHARACTERS))) / DAY_MS,
  };
}

/** The length of `YYYY-MM-DD`, with which a timestamp begins (RFC 3339). */
const DATE_CHARACTERS = 10;

/** The week of a `RECURRING` campaign: minutes after midnight UTC, by weekday (0 is Sunday, as in `Date`). */
export type Week = Readonly<Partial<Record<number, number>>>;

const Time = Type.Optional(Type.String({ maxLength: 64 }));

/** `recurring` as in a request: weekdays with `HH:MM` in UTC or a timestamp. `readWeek` refuses other members. */
export const Recurring = Type.Object(membersOfWeek(Time), {
  additionalProperties: true,
  examples: [{ monday: "08:30", friday: "17:00" }],
});
export type Recurring = Static<typeof Recurring>;

const SAME_DAY: Sentence = {
  fr: "tombe le même jour, en UTC, qu’une autre heure ; un jour ne peut avoir qu’une heure",
  en: "falls on the same day, in UTC, as another time; a day can have only one time",
};

/** Members that clients read with the days and send back. */
const IGNORED = new Set(["id", "enabled", "campaignId"]);

const NAME_CHARACTERS_SHOWN = 60;

/**
 * Reads the `recurring` of a request: weekday names with `HH:MM` in UTC, or with timestamps of which only the time of
 * day counts. A weekday is that of the timestamp's zone: Monday 00:30+01:00 is Sunday 23:30 UTC. Refuses
 * `invalid-schedule`: no day, an unknown day, not a time, not on a quarter of an hour, two times on one day in UTC.
 */
export function readWeek(recurring: Readonly<Record<string, unknown>> | undefined): Week {
  const week: Partial<Record<number, number>> = {};
  for (const [name, text] of Object.entries(recurring ?? {})) {
    if (IGNORED.has(name) || text === "") continue;
    const weekday = WEEKDAYS.indexOf(name as Weekday);
    const time = typeof text === "string" ? timeOf(text) : null;
    const field = `recurring.${name.slice(0, NAME_CHARACTERS_SHOWN)}`;
    if (weekday < 0) refuseTime(field, { fr: "n’est pas un jour de la semaine", en: "is not a weekday" });
    if (time === null) refuseTime(field, NO_TIME);
    if (time.minutes % QUARTER_MINUTES !== 0) refuseTime(field, NO_QUARTER);
    const day = (weekday + time.daysLater + WEEKDAYS.length) % WEEKDAYS.length;
    if (week[day] !== undefined && week[day] !== time.minutes) refuseTime(field, SAME_DAY);
    week[day] = time.minutes;
  }
  if (Object.keys(week).length === 0)
    refuseTime("recurring", {
      fr: "doit contenir au moins un jour de la semaine",
      en: "must contain at least one weekday",
    });
  return week;
}

/** Converts a week to the form that `readWeek` reads: each of its days with `HH:MM`, in UTC. */
export function recurringOf(week: Week): RecurringTimes {
  const days = WEEKDAYS.flatMap((name, weekday) => {
    const minutes = week[weekday];
    return minutes === undefined ? [] : [[name, clockText(minutes)] as const];
  });
  return Object.fromEntries(days);
}

function clockText(minutes: number): string {
  const twoDigits = (part: number) => String(part).padStart(2, "0");
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

/** Returns the first occurrence of a week after an instant: at most eight days later. */
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

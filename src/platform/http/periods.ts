// Periods of lists and statistics, as times or as days.
import { Type } from "typebox";
import { member } from "./meanings.ts";

/** A time in a body, which `readInstant` parses. */
export const Instant = Type.Optional(Type.String({ maxLength: 64 }));

/** The start and the end of a period in a body, as times. */
export const timesOfPeriod = {
  from: member(Instant, {
    fr: "Début de la période, avec son fuseau horaire (2026-11-01T00:00:00Z)",
    en: "Start of the period, with its time zone (2026-11-01T00:00:00Z)",
  }),
  to: member(Instant, {
    fr: "Fin de la période, avec son fuseau horaire",
    en: "End of the period, with its time zone",
  }),
};

const Day = Type.Optional(Type.String({ maxLength: 10 }));

/** The first and the last day of a period in a body (2026-11-01). */
export const daysOfPeriod = {
  from: member(Day, {
    fr: "Premier jour de la période (2026-11-01)",
    en: "First day of the period (2026-11-01)",
  }),
  to: member(Day, { fr: "Dernier jour de la période", en: "Last day of the period" }),
};

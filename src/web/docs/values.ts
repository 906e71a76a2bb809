// Values in guides: `{{limits.requestsPerSecond}}` is replaced by this service's number, formatted for the reader. With a
// backslash before them, two braces stay as they are.
import { retrySchedule } from "../../events/webhooks/retry.ts";
import { otpLimits } from "../../messaging/otp/limits.ts";
import { ROWS, ROWS_AT_MOST } from "../../platform/http/lists.ts";
import type { Language } from "../../platform/http/refusals.ts";
import { ITEMS_AT_MOST } from "../../platform/http/schemas.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { priceOf } from "../../protocol/sms/tariff.ts";

const PLACE = /\\\{\{|\{\{([\w.]+)\}\}/g;

/** Returns the text with its values. Throws for a placeholder that names none. */
export function withValues(app: Runtime, text: string, language: Language): string {
  const values = valuesOf(app);
  return text.replace(PLACE, (place, name: string) => {
    if (place.startsWith("\\")) return "{{";
    const value = name.split(".").reduce<unknown>((from, key) => (from as Values)?.[key], values);
    if (typeof value === "string") return value;
    if (typeof value === "number") return written(name, value, language);
    throw new Error(`a guide names ${name}, which has no value`);
  });
}

type Values = Record<string, unknown>;

function valuesOf({ config, publicUrl }: Runtime): Values {
  return {
    origin: publicUrl,
    limits: config.limits,
    settings: config.settings,
    otp: otpLimits,
    list: { items: ITEMS_AT_MOST, rows: ROWS_AT_MOST, rowsByDefault: ROWS },
    price: { ivorian: priceOf("2250700000000", 1), abroad: priceOf("221700000000", 1) },
    webhooks: {
      tries: retrySchedule.delaysMs.length + 1,
      daysMs: retrySchedule.delaysMs.reduce((sum, delay) => sum + delay, 0),
    },
  };
}

/** A number with its unit, by the end of its name: `bodyBytes`, `otpLifetimeMs`. Others are plain numbers. */
function written(name: string, value: number, language: Language): string {
  if (name.endsWith("Bytes")) return bytesOf(value, language);
  if (name.endsWith("Ms")) return timeOf(value, language);
  return new Intl.NumberFormat(language).format(value);
}

function bytesOf(bytes: number, language: Language): string {
  const letter = language === "fr" ? "o" : "B";
  const power = bytes >= 1024 ** 2 ? 2 : 1;
  return `${bytes / 1024 ** power}\u00a0${["", "Ki", "Mi"][power]}${letter}`;
}

const UNITS = [
  { ms: 24 * 3_600_000, fr: ["jour", "jours"], en: ["day", "days"] },
  { ms: 3_600_000, fr: ["heure", "heures"], en: ["hour", "hours"] },
  { ms: 60_000, fr: ["minute", "minutes"], en: ["minute", "minutes"] },
  { ms: 1_000, fr: ["seconde", "secondes"], en: ["second", "seconds"] },
] as const;

/** A duration in the largest unit of which it is a whole number greater than one: `24 heures`, `5 minutes`. */
function timeOf(ms: number, language: Language): string {
  const unit = UNITS.find((unit) => ms % unit.ms === 0 && ms > unit.ms) ?? UNITS[3];
  const count = Math.round(ms / unit.ms);
  return `${count}\u00a0${unit[language][count > 1 ? 1 : 0]}`;
}

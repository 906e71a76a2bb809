// Timestamps in bodies: instants of RFC 3339, and the expiry of a key.
import { nowMs } from "../clock.ts";
import { refuseField, type ValidationError } from "./fielderrors.ts";
import type { Sentence } from "./refusals.ts";

// RFC 3339, section 5.6; the zone is required, since a time without one is a guess.
const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:[Zz]|[+-](\d\d):(\d\d))$/;

/**
 * Returns the instant of an RFC 3339 timestamp, or null if it is invalid: a date that does not exist (`new Date` reads
 * 30 February as 2 March), no zone, hour 24, leap seconds.
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

/** The message for an invalid timestamp. */
export const NO_TIMESTAMP: Sentence = {
  fr: "n’est pas un horodatage RFC 3339 avec fuseau",
  en: "is not an RFC 3339 timestamp with a zone",
};
/** Returns the instant of a timestamp in a body. Refuses `invalid-request` if it is invalid. */
export function readInstant(text: string, field: string): Date {
  return parseTimestamp(text) ?? refuseField(field, NO_TIMESTAMP);
}

const PAST: ValidationError = {
  rule: "future",
  message: { fr: "doit être dans le futur", en: "must be in the future" },
};

/**
 * Returns the instant at which a key expires; null if absent: it is valid until it is revoked. Refuses
 * `invalid-request` for an invalid timestamp, or a time in the past.
 */
export function readExpiry(text: string | undefined, field = "expiresAt"): Date | null {
  if (text === undefined) return null;
  const instant = readInstant(text, field);
  if (instant.getTime() <= nowMs()) refuseField(field, PAST);
  return instant;
}

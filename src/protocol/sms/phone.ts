// Phone numbers: the only function that normalises them, for prices, duplicates, limits and addresses.
import { getCountryCallingCode, isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/max";
import type { ValidationError } from "../../platform/http/fielderrors.ts";
import { refuse } from "../../platform/http/refusals.ts";
import { callingCodeOf, hasTrunkZero, isPlainlyAbroad, readAbroad, readAtHome } from "./plans.ts";
import { cleanPhone, type WrittenPhone } from "./written.ts";

// E.164: 15 digits at most. Fewer than 8 is a short code, which is no recipient. No national plan is enforced: plans
// change (Ivorian numbers grew from 8 digits to 10 in 2021), and to refuse a real customer is worse than an SMS that
// its operator refuses.
const NORMAL = /^[1-9][0-9]{7,14}$/;

/** Replaces the phone of an erased person. No phone is written like this. */
export const ERASED_PHONE = "erased";

/** The country in which a number is read if no other one is given. */
const HOME = "CI";

/**
 * How a number without `+` or `00` may mean another number than the one read. `ambiguous`: it is valid as an
 * international number, as which it was read, and as a national one, `other`. `unknown`: it is valid as neither.
 * `zero-restored`: it is a national number whose leading 0 was missing, as spreadsheets lose it.
 */
export type PhoneDoubt =
  | { kind: "ambiguous"; other: string }
  | { kind: "unknown" }
  | { kind: "zero-restored" };

/** A phone in international format without `+`, and the doubt about it. */
export type ReadPhone = { phone: string; doubt: PhoneDoubt | null };

/**
 * Returns the phone in international format without `+`, 8 to 15 ASCII digits of which the first is not 0; or null.
 * `cleanPhone` defines which spellings are accepted. With `+` or `00`, the number is international. Without, it is read
 * in `country` (ISO 3166): a number that is valid there and not internationally is national, any other is international
 * unless it starts with 0 (libphonenumber's metadata; product decisions, section 5). A number is not refused for being
 * unassigned or of an odd length; see `PhoneDoubt`.
 * CPU of one number on a busy machine (2 cores, Node 24.21, 2026-11-26): `2250707070707` 0.1–0.2 µs, with `+` 0.5–0.8
 * µs, other countries 0.3–0.4 µs, national 0.4–1.0 µs, or 6–9 µs if a trunk prefix is removed (FR 0.07, 0.2, 0.04, 5
 * and 6 µs before).
 */
export function normalisePhone(raw: string, country: string = HOME): string | null {
  return readPhone(raw, country)?.phone ?? null;
}

/** Like `normalisePhone`, with the doubt about the reading. */
export function readPhone(raw: string, country: string = HOME): ReadPhone | null {
  if (NORMAL.test(raw) && isPlainlyAbroad(raw, country)) return { phone: raw, doubt: null };
  const written = cleanPhone(raw);
  const read = written && readDigits(written, country);
  return read && NORMAL.test(read.phone) ? read : null;
}

function readDigits({ digits, isInternational, zeroAt }: WrittenPhone, country: string): ReadPhone | null {
  if (isInternational || zeroAt > 0) {
    const phone = readInternational(digits, zeroAt);
    if (isInternational || phone !== digits) return { phone, doubt: null };
  }
  const home = readAtHome(digits, country);
  if (digits.startsWith("0")) {
    if (home === undefined) return null;
    if (home.isValid) return { phone: home.phone, doubt: null };
    return { phone: home.phone, doubt: { kind: "unknown" } };
  }
  const abroad = readAbroad(digits);
  if (home?.isValid) return choose(home.phone, abroad);
  if (abroad.isValid) return { phone: abroad.phone, doubt: null };
  const restored = WITHOUT_ZERO.test(digits) ? readAtHome(`0${digits}`, country) : undefined;
  return restored?.isValid
    ? { phone: restored.phone, doubt: { kind: "zero-restored" } }
    : { phone: abroad.phone, doubt: { kind: "unknown" } };
}

/** Digits with a calling code, without a `(0)` after it that its country dials only nationally: `+33 (0)6…`. */
function readInternational(digits: string, zeroAt: number): string {
  const callingCode = digits.slice(0, Math.max(zeroAt, 0));
  return readAbroad(hasTrunkZero(callingCode) ? callingCode + digits.slice(zeroAt + 1) : digits).phone;
}

/** The national reading, unless the international one is valid too and another number. */
function choose(home: string, abroad: { phone: string; isValid: boolean }): ReadPhone {
  if (!abroad.isValid || abroad.phone === home) return { phone: home, doubt: null };
  return { phone: abroad.phone, doubt: { kind: "ambiguous", other: home } };
}

// National numbers that begin with 0 have 9 or 10 digits including it.
const WITHOUT_ZERO = /^[1-9][0-9]{7,8}$/;

/** The error of a field that contains no phone. */
export const NO_PHONE: ValidationError = {
  rule: "phone",
  message: { fr: "n’est pas un numéro de téléphone", en: "is not a phone number" },
};

/** Like `normalisePhone`, but refuses `invalid-phone-number` with the name of the field. */
export function requirePhone(raw: string, field: string, country?: string): string {
  return (
    normalisePhone(raw, country) ?? refuse("invalid-phone-number", { details: [{ field, ...NO_PHONE }] })
  );
}

/** Returns the beginnings of the phones that a search may mean: as written, or as national numbers of `countries`. */
export function phoneStarts(search: string, countries: readonly string[]): string[] {
  if (!/^[+\d\s().-]+$/.test(search)) return [];
  const digits = search.replace(/\D/g, "").replace(/^00/, "");
  if (digits === "") return [];
  if (search.trim().startsWith("+")) return [digits];
  const known = countries.filter((country) => isSupportedCountry(country));
  return [digits, ...known.map((country) => `${getCountryCallingCode(country)}${digits}`)];
}

// National numbers have at least 7 digits (E.164 plans of 2026: Gambia, Liberia, Cape Verde).
const COMMON_DIGITS = 7;
// A calling code of up to 3 digits, and a 0 that belongs to the number (Ivory Coast) but was taken for a trunk prefix.
const MORE_DIGITS_AT_MOST = 4;

/** Returns the digits with which every spelling of a phone ends: look-ups use them, and `isSamePhone` decides. */
export function phoneEnd(address: string): string {
  return address.slice(-COMMON_DIGITS);
}

/**
 * Whether the address of a receipt may be this phone in international format: `+225…`, `00225…` and national numbers
 * with or without their leading 0 match. Two phones of different countries may have the same national number.
 */
export function isSamePhone(phone: string, address: string): boolean {
  if (phone === address) return true;
  const digits = address.replace(/^\+?0*/, "");
  const more = phone.length - digits.length;
  return digits.length >= COMMON_DIGITS && more >= 0 && more <= MORE_DIGITS_AT_MOST && phone.endsWith(digits);
}

/** Returns the calling code of a normalised phone if it is not of `country` (ISO 3166); otherwise null. */
export function foreignCodeOf(phone: string, country: string): string | null {
  const code = callingCodeOf(phone);
  return isSupportedCountry(country) && code === getCountryCallingCode(country) ? null : code;
}

/** Returns the country (ISO 3166) of a normalised phone; undefined if its number does not determine one. */
export function countryOf(phone: string): string | undefined {
  return parsePhoneNumberFromString(`+${phone}`)?.country;
}

/** Masks a phone for logs: `225******01`. Always six stars, so that the length is not revealed either. */
export function maskPhone(phone: string): string {
  return phone.length < 8 ? "******" : `${phone.slice(0, 3)}******${phone.slice(-2)}`;
}

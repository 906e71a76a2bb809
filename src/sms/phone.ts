// Phone numbers: the one function that normalises, whose output prices, de-duplicates, limits and addresses.
import {
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from "libphonenumber-js";
import { refuse, type Sentence } from "../kernel/refusals.ts";

// E.164: 15 digits at most. Fewer than 8 is a short code, which is no recipient. No national plan is enforced:
// plans change (Ivorian numbers grew from 8 digits to 10 in 2021), and a refused real customer is worse than an SMS
// that its operator refuses.
const NORMAL = /^[1-9][0-9]{7,14}$/;

/** What stands where the phone of a person stood who was erased. No phone is written so. */
export const ERASED_PHONE = "erased";

/** Far more than 15 digits with a separator around each; beyond it nothing is read, so a huge string costs nothing. */
const RAW_LENGTH_AT_MOST = 64;

// Spaces include the two that French typography puts into numbers, hyphens the two that word processors do.
const SEPARATORS = /[ \u00a0\u202f.()\-\u2010\u2011]+/g;
const WRITTEN = /^(\+?(?:00)?)([0-9]+)$/;

/**
 * The phone in international format without `+`, 8 to 15 ASCII digits of which the first is not 0; or null.
 * `+`, a leading `00`, spaces, dots, hyphens and parentheses fall away. What then starts with 0, and had
 * neither `+` nor `00`, is a national number of `country` (ISO 3166), read by libphonenumber: some countries keep the 0
 * (CI 07 00 00 00 00 → 2250700000000), some drop it (FR 06 12 34 56 78 → 33612345678).
 * A number is not refused for being unassigned or of an odd length; letters, other scripts' digits, a `+` inside are.
 * 28 M/s for what is normal already, 3.5 M/s with separators, 0.3 M/s national (2 cores, Node 24.21, 2026-11-21).
 */
export function normalisePhone(raw: string, country = "CI"): string | null {
  if (NORMAL.test(raw)) return raw;
  if (raw.length > RAW_LENGTH_AT_MOST) return null;
  const written = WRITTEN.exec(raw.replace(SEPARATORS, ""));
  if (!written) return null;
  const [, sign, digits] = written;
  const national = sign === "" && digits!.startsWith("0");
  const international = national ? readNational(digits!, country) : digits!;
  return NORMAL.test(international) ? international : null;
}

/** Of a field that holds no phone. */
export const NO_PHONE: Sentence = { fr: "n’est pas un numéro de téléphone", en: "is not a phone number" };

/** As `normalisePhone`; refuses `invalid-phone-number`, naming the field that holds none. */
export function requirePhone(raw: string, field: string, country?: string): string {
  return (
    normalisePhone(raw, country) ??
    refuse("invalid-phone-number", { details: [{ field, message: NO_PHONE }] })
  );
}

/** How the phones begin that somebody may mean: as written, and as national numbers of these countries. */
export function phoneStarts(search: string, countries: readonly string[]): string[] {
  if (!/^[+\d\s().-]+$/.test(search)) return [];
  const digits = search.replace(/\D/g, "").replace(/^00/, "");
  if (digits === "") return [];
  if (search.trim().startsWith("+")) return [digits];
  const known = countries.filter((country) => isSupportedCountry(country));
  return [digits, ...known.map((country) => `${getCountryCallingCode(country)}${digits}`)];
}

/**
 * The phone of national digits whose leading 0 a spreadsheet has dropped, as it does where it takes them for a number; null
 * where they are none, or are a number of some country as they are.
 */
export function restoreZero(digits: string, country: string): string | null {
  if (!WITHOUT_ZERO.test(digits) || !isSupportedCountry(country)) return null;
  const national = parsePhoneNumberFromString(`0${digits}`, country);
  if (!national?.isValid() || parsePhoneNumberFromString(`+${digits}`)?.isValid()) return null;
  return national.number.slice(1);
}

// National numbers that begin with 0 have 9 or 10 digits with it.
const WITHOUT_ZERO = /^[1-9][0-9]{7,8}$/;

/** National digits in international format, or "" where the country is unknown or its plan cannot read them at all. */
function readNational(digits: string, country: string): string {
  if (!isSupportedCountry(country)) return "";
  return parsePhoneNumberFromString(digits, country)?.number.slice(1) ?? "";
}

// National numbers have 7 digits at least (E.164 plans of 2026: Gambia, Liberia, Cape Verde).
const COMMON_DIGITS = 7;
// A calling code of up to 3 digits, and a 0 that belongs to the number (Ivory Coast) and was taken for a trunk prefix.
const MORE_DIGITS_AT_MOST = 4;

/** The digits of a phone that every way to write it ends with: look-ups go by them, and `isSamePhone` decides. */
export function phoneEnd(address: string): string {
  return address.slice(-COMMON_DIGITS);
}

/**
 * Whether an address of a receipt may be this phone, in international format: `+225…`, `00225…` and national numbers
 * with or without their leading 0 are. Two phones of different countries may have one national number.
 */
export function isSamePhone(phone: string, address: string): boolean {
  if (phone === address) return true;
  const digits = address.replace(/^\+?0*/, "");
  const more = phone.length - digits.length;
  return digits.length >= COMMON_DIGITS && more >= 0 && more <= MORE_DIGITS_AT_MOST && phone.endsWith(digits);
}

const CALLING_CODES = new Set(getCountries().map((country) => String(getCountryCallingCode(country))));
const CALLING_CODE_DIGITS_AT_MOST = 3;

/** The calling code of a normalised phone, 1 to 3 digits (E.164, 6.1); where no country has it, its first 3 digits. */
export function callingCodeOf(phone: string): string {
  let digits = 1;
  while (digits < CALLING_CODE_DIGITS_AT_MOST && !CALLING_CODES.has(phone.slice(0, digits))) digits++;
  return phone.slice(0, digits);
}

/** The calling code of a normalised phone outside of `country` (ISO 3166); null inside. */
export function foreignCodeOf(phone: string, country: string): string | null {
  const code = callingCodeOf(phone);
  return isSupportedCountry(country) && code === getCountryCallingCode(country) ? null : code;
}

/** The country (ISO 3166) of a normalised phone; undefined where its number tells none. */
export function countryOf(phone: string): string | undefined {
  return parsePhoneNumberFromString(`+${phone}`)?.country;
}

/** A phone for logs: `225******01`. The stars are always six, so that the length tells nothing either. */
export function maskPhone(phone: string): string {
  return phone.length < 8 ? "******" : `${phone.slice(0, 3)}******${phone.slice(-2)}`;
}

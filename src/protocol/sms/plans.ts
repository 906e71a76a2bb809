// Numbering plans: decides which digits are a number of which country, by the metadata of libphonenumber.
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  Metadata,
  type NumberingPlan,
  type PhoneNumberType,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max";

/**
 * The fields of libphonenumber-js's plans beyond their published type (1.13.16; `plans.test.ts` compares the results).
 * A prefix that a country does not have is the number 0, or undefined.
 */
type FullPlan = NumberingPlan & {
  nationalNumberPattern(): string;
  nationalPrefix(): string | 0 | undefined;
  nationalPrefixForParsing(): string | 0 | undefined;
  type(type: PhoneNumberType): { pattern(): string } | undefined;
};

/** The plan of one country, compiled once. */
type Plan = {
  readonly callingCode: string;
  /** Matches a valid number without its calling code and trunk prefix. */
  readonly valid: RegExp;
  /** Matches a valid number with its calling code. */
  readonly abroad: RegExp;
  /** The maximum digits of a national number, including its trunk prefix. */
  readonly longest: number;
  /** Whether 0 is dialled before national numbers and is omitted after the calling code. */
  readonly hasTrunkZero: boolean;
  /** Matches the prefix that is dialled before national numbers and is no part of them; undefined if there is none. */
  readonly prefix: RegExp | undefined;
};

const TYPES: readonly PhoneNumberType[] = [
  ...(["MOBILE", "FIXED_LINE", "FIXED_LINE_OR_MOBILE", "TOLL_FREE", "PREMIUM_RATE", "SHARED_COST"] as const),
  ...(["VOIP", "PERSONAL_NUMBER", "PAGER", "UAN", "VOICEMAIL"] as const),
];

const plans = new Map<string, Plan>();

/** The plan of a country (ISO 3166), compiled at its first use; undefined if libphonenumber does not know it. */
function planOf(country: string): Plan | undefined {
  const known = plans.get(country);
  if (known || !isSupportedCountry(country)) return known;
  const plan = compile(country);
  plans.set(country, plan);
  return plan;
}

function compile(country: CountryCode): Plan {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  const plan = metadata.numberingPlan as FullPlan;
  const callingCode = getCountryCallingCode(country);
  const types = TYPES.flatMap((type) => plan.type(type)?.pattern() ?? []).join("|");
  const valid = `(?=(?:${plan.nationalNumberPattern()})$)(?:${types})$`;
  const prefix = plan.nationalPrefix() || "";
  const parsed = plan.nationalPrefixForParsing();
  return {
    callingCode,
    valid: new RegExp(`^${valid}`),
    abroad: new RegExp(`^${callingCode}${valid}`),
    longest: Math.max(...plan.possibleLengths()) + prefix.length,
    hasTrunkZero: prefix === "0",
    prefix: parsed ? new RegExp(`^(?:${parsed})`) : undefined,
  };
}

const countriesByCode = new Map<string, CountryCode[]>();
for (const country of getCountries()) {
  const code = getCountryCallingCode(country);
  countriesByCode.set(code, [...(countriesByCode.get(code) ?? []), country]);
}
export const CALLING_CODE_DIGITS_AT_MOST = 3;

/** Returns a normalised phone's calling code, 1 to 3 digits (E.164, 6.1); its first 3 digits if no country has it. */
export function callingCodeOf(phone: string): string {
  let digits = 1;
  while (digits < CALLING_CODE_DIGITS_AT_MOST && !countriesByCode.has(phone.slice(0, digits))) digits++;
  return phone.slice(0, digits);
}

/** Returns the calling code of a country (ISO 3166); undefined if libphonenumber does not know it. */
export function callingCodeOfCountry(country: string): string | undefined {
  return isSupportedCountry(country) ? getCountryCallingCode(country) : undefined;
}

/** Returns the only country (ISO 3166) of a calling code; null if several share it, or none has it. */
export function countryOfCode(callingCode: string): string | null {
  const [only, other] = countriesByCode.get(callingCode) ?? [];
  return only === undefined || other !== undefined ? null : only;
}

/** Whether 0 is dialled before the national numbers of a calling code and omitted after it: in France, not in Italy. */
export function hasTrunkZero(callingCode: string): boolean {
  return plansOf(callingCode).some((plan) => plan.hasTrunkZero);
}

/**
 * Whether digits are certainly a valid international number, and too long for a national number of `country`. Most
 * numbers of a request are, and need no further check by libphonenumber.
 */
export function isPlainlyAbroad(digits: string, country: string): boolean {
  const home = planOf(country);
  if (home === undefined) return isAssignable(digits);
  return digits.length > home.longest && (home.abroad.test(digits) || isAssignable(digits));
}

/** Whether a normalised phone is a valid number of a country that has its calling code. */
export function isAssignable(digits: string): boolean {
  return plansOf(callingCodeOf(digits)).some(({ abroad }) => abroad.test(digits));
}

function plansOf(callingCode: string): Plan[] {
  return (countriesByCode.get(callingCode) ?? []).map((country) => planOf(country)!);
}

/** A number with fewer remaining digits is a short code, which is no recipient. */
const DIGITS_AT_LEAST = 8;

/** The meaning of digits in one reading: `phone` is in international format without `+`. */
type Reading = { phone: string; isValid: boolean };

/**
 * Reads digits as an international number. A trunk prefix after the calling code, as in `+33 06 12 34 56 78`, is
 * removed only if the number is not valid with it.
 */
export function readAbroad(digits: string): Reading {
  if (isAssignable(digits)) return { phone: digits, isValid: true };
  const callingCode = callingCodeOf(digits);
  const all = plansOf(callingCode);
  const national = digits.slice(callingCode.length);
  // Libphonenumber takes 5 µs. It knows codes without a country, and prefixes that are more than a few digits.
  const mayBeValid = all.length === 0 || all.some(({ prefix }) => prefix?.test(national));
  const parsed = mayBeValid ? parsePhoneNumberFromString(`+${digits}`) : undefined;
  if (!parsed?.isValid() || parsed.number.length <= DIGITS_AT_LEAST) return { phone: digits, isValid: false };
  return { phone: bare(parsed.number), isValid: true };
}

/**
 * Reads digits as a national number of `country` (ISO 3166); undefined if its plan cannot read them, or the country is
 * unknown. Some countries keep a leading 0 (CI), others drop it (FR).
 */
export function readAtHome(digits: string, country: string): Reading | undefined {
  const plan = planOf(country);
  if (plan === undefined) return undefined;
  if (!plan.prefix) return { phone: plan.callingCode + digits, isValid: plan.valid.test(digits) };
  const parsed = parsePhoneNumberFromString(digits, country as CountryCode);
  return parsed && { phone: bare(parsed.number), isValid: parsed.isValid() };
}

function bare(number: string): string {
  return number.slice(1);
}

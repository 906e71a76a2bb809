// Source addresses: who wrote a message or a receipt, in the form that operators send.
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max";
import { normalisePhone } from "./phone.ts";
import { callingCodeOf } from "./plans.ts";

// SMPP 3.4, section 5.2.5.
const INTERNATIONAL = 1;
const NATIONAL = 2;

/** No country: a number without its calling code then cannot be resolved. */
const NOWHERE = "ZZ";

/**
 * Returns the phone in a source address, in international format; null if it is a name, a short code, or a national
 * number of an unknown country. `country` (ISO 3166) is the country of the operator that delivers it: a number without
 * a calling code belongs to it. `ton` decides only if it fits the digits, since many operators write 0 or 1 for all.
 */
export function phoneOfSource(address: string, ton: number, country: string | null): string | null {
  if (country !== null && ton === NATIONAL && isSupportedCountry(country)) {
    const national = parsePhoneNumberFromString(address, country);
    if (national?.isValid()) return national.number.slice(1);
  }
  if (ton === INTERNATIONAL && /^[1-9]/.test(address)) return normalisePhone(`+${address}`);
  return normalisePhone(address, country ?? NOWHERE);
}

/** The calling codes that belong to a single country. */
const COUNTRIES = new Map(
  [...Map.groupBy(getCountries(), (country) => String(getCountryCallingCode(country)))]
    .filter(([, countries]) => countries.length === 1)
    .map(([code, [country]]) => [code, country] as const),
);

/** Returns the country of all phones that begin with these prefixes; null if they are of several countries. */
export function countryOfPrefixes(prefixes: readonly string[]): CountryCode | null {
  const countries = new Set(prefixes.map((prefix) => COUNTRIES.get(callingCodeOf(prefix))));
  const [country] = countries;
  return countries.size === 1 ? (country ?? null) : null;
}

/** Whether the numbering plan of a country (ISO 3166) is known. */
export function hasNumberingPlan(country: string): boolean {
  return isSupportedCountry(country);
}

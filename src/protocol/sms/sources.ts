// Source addresses: who wrote a message or a receipt, as operators write it.
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

/** No country: a number without its calling code says nothing then. */
const NOWHERE = "ZZ";

/**
 * The phone in a source address, in international format; null where it is a name or a short code, or a national number
 * whose country nobody knows. `country` (ISO 3166) is that of the operator that brings it: a number without a calling code
 * is one of its own. `ton` decides where it fits the digits, since many operators write 0 or 1 for all.
 */
export function phoneOfSource(address: string, ton: number, country: string | null): string | null {
  if (country !== null && ton === NATIONAL && isSupportedCountry(country)) {
    const national = parsePhoneNumberFromString(address, country);
    if (national?.isValid()) return national.number.slice(1);
  }
  if (ton === INTERNATIONAL && /^[1-9]/.test(address)) return normalisePhone(`+${address}`);
  return normalisePhone(address, country ?? NOWHERE);
}

/** Each calling code that is of one country alone. */
const COUNTRIES = new Map(
  [...Map.groupBy(getCountries(), (country) => String(getCountryCallingCode(country)))]
    .filter(([, countries]) => countries.length === 1)
    .map(([code, [country]]) => [code, country!] as const),
);

/** The country of all phones that begin with these prefixes; null where they are of several countries. */
export function countryOfPrefixes(prefixes: readonly string[]): CountryCode | null {
  const countries = new Set(prefixes.map((prefix) => COUNTRIES.get(callingCodeOf(prefix))));
  const [country] = countries;
  return countries.size === 1 ? (country ?? null) : null;
}

/** Whether a country (ISO 3166) has a numbering plan that we know. */
export function hasNumberingPlan(country: string): boolean {
  return isSupportedCountry(country);
}

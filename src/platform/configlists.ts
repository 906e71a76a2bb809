// Settings that are lists: brands, and the countries that companies reach.
import { isSupportedCountry } from "libphonenumber-js/max";

/** Reports a setting that cannot work. */
type Bad = (message: string) => never;

/** Returns the items of a list separated by commas; undefined if the setting is absent. */
export function readList(text: string | undefined): string[] | undefined {
  const items = text?.split(",").map((item) => item.trim());
  return items?.filter((item) => item !== "");
}

const BRANDS_AT_MOST = 500;

export function readBrands(text: string | undefined, bad: Bad): string[] {
  const brands = readList(text) ?? [];
  if (brands.length > BRANDS_AT_MOST) bad(`BRANDS has more than ${BRANDS_AT_MOST} names`);
  for (const brand of brands) {
    const letters = brand.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
    if (letters < 3 || brand.length > 40)
      bad(`BRANDS: "${brand}" must have at least 3 letters or digits and at most 40 characters`);
  }
  return brands;
}

/**
 * Returns the countries (ISO 3166) that companies reach beside their own unless they choose others: `own` is none, and
 * `all` is null.
 */
export function readCountries(text: string, bad: Bad): string[] | null {
  if (text === "all") return null;
  const countries = text === "own" ? [] : readList(text)!;
  for (const country of countries)
    if (!isSupportedCountry(country))
      bad(`COUNTRIES: "${country}" is neither all, own, nor a country code like SN`);
  return countries;
}

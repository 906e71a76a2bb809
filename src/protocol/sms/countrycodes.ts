// Codes of countries in requests (ISO 3166).
import { refuseField } from "../../platform/http/fielderrors.ts";
import type { Sentence } from "../../platform/http/refusals.ts";
import { patterned } from "../../platform/http/schemas.ts";
import { hasNumberingPlan } from "./sources.ts";

const COUNTRY: Sentence = {
  fr: "doit être un code de pays en deux lettres majuscules, comme CI",
  en: "must be a country code of two capital letters, such as CI",
};

/** The code of a country in a body, which `requireCountry` checks. */
export const CountryCode = patterned("^[A-Z]{2}$", COUNTRY);

/** Refuses `invalid-request` for a code that is no country with telephone numbers. */
export function requireCountry(country: string, field = "country"): void {
  if (!hasNumberingPlan(country)) refuseField(field, COUNTRY);
}

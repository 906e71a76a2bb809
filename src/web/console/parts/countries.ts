// Countries: their names, and the choice of a company's country.
import type { Html } from "../../../platform/http/html.ts";
import type { Visit } from "../visit.ts";
import { select } from "./forms.ts";

/** Returns the name of a country in the language of the page. */
export function countryName({ language }: Visit, code: string): string {
  try {
    return new Intl.DisplayNames([language], { type: "region" }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** The countries in which the service is used most; a company may have any other one. */
const COUNTRIES = [
  "CI",
  "SN",
  "ML",
  "BF",
  "TG",
  "BJ",
  "NE",
  "GN",
  "GH",
  "NG",
  "CM",
  "CD",
  "CG",
  "GA",
  "FR",
  "MA",
];

/** Renders the choice of a company's country; a value that is not in the list is added to it. */
export function countryField(visit: Visit, value: string): Html {
  const codes = COUNTRIES.includes(value) ? COUNTRIES : [value, ...COUNTRIES];
  return select(visit, "country", visit.t("Pays", "Country"), {
    hint: visit.t(
      "Les numéros nationaux sont interprétés comme des numéros de ce pays. Les dates suivent son fuseau horaire.",
      "National numbers are read as numbers of this country. Dates follow its time zone.",
    ),
    value,
    choices: codes.map((code) => [code, countryName(visit, code)]),
  });
}

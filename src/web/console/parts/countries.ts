// Countries: their names, the choice of a company's country, and of those that it reaches.
import { getCountries } from "libphonenumber-js/max";
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import type { Visit } from "../visit.ts";
import { button, choices, form, linkButton, select } from "./forms.ts";
import { actions } from "./parts.ts";

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

type OpenCountries = Data<"/v1/company/countries">;

/** Describes the countries that a company reaches, in a few words. */
export function openCountriesWords(visit: Visit, { all, countries }: OpenCountries): string {
  if (all) return visit.t("Tous les pays", "All countries");
  return countries.map((code) => countryName(visit, code)).join(", ");
}

/**
 * Renders the page on which the countries that a company reaches are chosen. `home` is the page of the company, to which
 * the form returns.
 */
export function openCountriesForm(
  visit: Visit,
  { all, countries: open }: OpenCountries,
  { action, home, country }: { action: string; home: string; country: string },
): Html {
  const chosen = visit.has("reach") ? listed(visit) : open;
  const choiceOf = (code: string) => [code, countryName(visit, code)] as const;
  const near = COUNTRIES.filter((code) => code !== country);
  const others = getCountries()
    .filter((code) => code !== country && !COUNTRIES.includes(code))
    .map(choiceOf)
    .sort(([, one], [, other]) => one.localeCompare(other, visit.language));
  const isOpen = others.some(([code]) => chosen.includes(code));
  const label = visit.t("Autres pays ouverts", "Other open countries");
  return form(visit, action, [
    choices(visit, "reach", visit.t("Destinations", "Destinations"), {
      hint: visit.t(
        `Le pays de l’entreprise, ${countryName(visit, country)}, est toujours ouvert. Les pays d’un même indicatif sont ouverts ensemble, comme ceux du +1.`,
        `The company’s own country, ${countryName(visit, country)}, is always open. Countries that share a calling code, such as those of +1, are open together.`,
      ),
      chosen: [visit.typed("reach", all ? "all" : "chosen")],
      choices: [
        ["all", visit.t("Tous les pays", "All countries")],
        [
          "chosen",
          visit.t("Pays choisis", "Chosen countries"),
          visit.t(
            "Les numéros des autres pays sont bloqués dans les campagnes, sans être facturés.",
            "Numbers of other countries are blocked in campaigns, at no charge.",
          ),
        ],
      ],
    }),
    choices(visit, "countries", label, {
      chosen,
      isMany: true,
      isOptional: true,
      choices: near.map(choiceOf),
    }),
    html`<details${isOpen && html` open`}><summary>${visit.t("Reste du monde", "Rest of the world")}</summary>${choices(visit, "others", label, { chosen, isMany: true, isOptional: true, choices: others })}</details>`,
    actions([
      button(visit.t("Enregistrer", "Save")),
      linkButton(home, visit.t("Annuler", "Cancel"), "plain"),
    ]),
  ]);
}

/** Returns what the form of `openCountriesForm` asks for. */
export function chosenCountries(visit: Visit): { all: true } | { countries: string[] } {
  return visit.field("reach") === "all" ? { all: true } : { countries: listed(visit) };
}

/** The form has a group of choices for the nearest countries, and one for all others. */
function listed(visit: Visit): string[] {
  return [...visit.list("countries"), ...visit.list("others")];
}

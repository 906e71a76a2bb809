// The URLs of /v1/company/countries.
import { Type } from "typebox";
import { companyMay } from "../../identity/accounts/callers.ts";
import {
  OpenCountriesChange,
  readOpenCountries,
  updateOwnCountries,
} from "../../identity/accounts/countries.ts";
import { OpenCountries } from "../../identity/accounts/shapes.ts";
import { audited } from "../../identity/audit/audit.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { route } from "../../platform/http/routes.ts";

export const readOwnCountries = route("/v1/company/countries", {
  title: { fr: "Lire les pays ouverts", en: "Read the open countries" },
  says: {
    fr: "Renvoie les pays que l’entreprise atteint. Dans une campagne, les numéros des autres pays sont bloqués avec le code country-not-allowed.",
    en: "Returns the countries that the company reaches. In a campaign, numbers of other countries are blocked with the code country-not-allowed.",
  },
  body: Type.Object({}),
  reads: true,
  caller: companyMay("read"),
  answers: OpenCountries,
  run: (app, { companyId }) => readOpenCountries(app.database.of(companyId), app, companyId),
});

export const changeOwnCountries = route("/v1/company/countries/update", {
  title: { fr: "Ouvrir des pays", en: "Open countries" },
  says: {
    fr: "Remplace les pays que l’entreprise atteint en plus du sien. Les pays d’un même indicatif sont ouverts ensemble. Les codes à usage unique ont leurs propres limites.",
    en: "Replaces the countries that the company reaches in addition to its own. Countries that share a calling code are open together. One-time passwords have their own limits.",
  },
  body: OpenCountriesChange,
  caller: companyMay("manage"),
  answers: OpenCountries,
  refuses: ["sign-in-required"],
  example: { countries: ["SN", "ML"] },
  audit: { fr: "a modifié les pays ouverts", en: "updated the open countries" },
  run(app, caller, change) {
    const { companyId } = caller;
    const before = (tx: Tx) => readOpenCountries(tx, app, companyId);
    return audited(app, caller, { on: { kind: "company", id: companyId }, before }, (tx) =>
      updateOwnCountries(tx, app, caller, change),
    );
  },
});

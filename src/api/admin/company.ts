// The URLs of /v1/admin/company.
import { Type } from "typebox";
import { resetKeys } from "../../commerce/partners/partners.ts";
import * as suspension from "../../commerce/partners/suspension.ts";
import * as accounts from "../../identity/accounts/accounts.ts";
import { CompanyChanges, keyFollowers } from "../../identity/accounts/accounts.ts";
import * as countries from "../../identity/accounts/countries.ts";
import { NewCompany, OpenCountries } from "../../identity/accounts/shapes.ts";
import { adminWho, raising } from "../../identity/admins/callers.ts";
import { audited, auditOfCompany } from "../../identity/audit/audit.ts";
import { CompaniesWanted, listCompanies, readCompany } from "../../ledger/credits/companies.ts";
import { Company } from "../../ledger/credits/shapes.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { listRoute } from "../../platform/http/lists.ts";
import { member } from "../../platform/http/meanings.ts";
import { route } from "../../platform/http/routes.ts";
import { Reason } from "../../platform/http/schemas.ts";
import type { Runtime } from "../../platform/runtime.ts";

export const create = route("/v1/admin/company/create", {
  title: { fr: "Créer une entreprise", en: "Create a company" },
  says: {
    fr: "Crée une entreprise et son premier utilisateur. L’apiKey n’est affichée qu’une fois.",
    en: "Creates a company and its first user. The apiKey is shown only once.",
  },
  body: accounts.CompanyInput,
  caller: adminWho("govern"),
  answers: NewCompany,
  refuses: ["invalid-phone-number"],
  example: { name: "Boutique Awa", ownerName: "Awa Koné" },
  audit: { fr: "a créé l’entreprise", en: "created the company" },
  run(app, caller, body) {
    const { name, country, language, senderLimit, ownerName, ownerEmail, ownerPhone } = body;
    const audit = {
      on: ({ companyId }: NewCompany) => ({ kind: "company", id: companyId }),
      companyId: ({ companyId }: NewCompany) => companyId,
      after: ({ userId }: NewCompany) => ({
        ...{ name, country, language, senderLimit, userId, ownerName, ownerEmail, ownerPhone },
      }),
    };
    return audited(app, caller, audit, (tx) => accounts.createCompany(tx, app, body));
  },
});

export const companies = listRoute("/v1/admin/company/list", {
  title: { fr: "Lister les entreprises", en: "List companies" },
  says: {
    fr: "Liste les entreprises avec leur solde. Avec search, renvoie les 1 000 premières dont un mot du nom, le propriétaire, son numéro ou l’identifiant commence par le texte cherché.",
    en: "Lists companies with their balances. With search, returns the first 1,000 of which a word of the name, the owner, the owner’s phone number or the id starts with the text.",
  },
  body: CompaniesWanted.properties,
  caller: adminWho("read"),
  rows: Company,
  list: (app, caller, wanted) => listCompanies(app, caller, wanted),
});

export const company = route("/v1/admin/company/{id}", {
  title: { fr: "Lire une entreprise", en: "Read a company" },
  says: {
    fr: "Renvoie une entreprise, son propriétaire, ses limites et son solde.",
    en: "Returns a company with its owner, its limits and its balance.",
  },
  body: oneId("company"),
  reads: true,
  caller: adminWho("read"),
  answers: Company,
  refuses: ["not-found"],
  run: (app, _caller, { id }) => readCompany(app.database, app, id),
});

export const updateCompany = route("/v1/admin/company/{id}/update", {
  title: { fr: "Modifier une entreprise", en: "Update a company" },
  says: {
    fr: "Modifie une entreprise et son propriétaire. Les champs omis ne changent pas.",
    en: "Updates a company and its owner. Omitted members are unchanged.",
  },
  body: Type.Object({ id: idOf("company"), ...CompanyChanges.properties }),
  emptyTexts: "emptied",
  caller: adminWho("govern"),
  answers: Company,
  refuses: ["not-found", "invalid-phone-number"],
  example: { senderLimit: 10 },
  audit: { fr: "a modifié l’entreprise", en: "updated the company" },
  run(app, caller, { id, ...change }) {
    const before = (tx: Tx) => readCompany(tx, app, id);
    return audited(app, caller, { ...auditOfCompany(id), before }, async (tx) => {
      await accounts.updateCompany(tx, id, change);
      return readCompany(tx, app, id);
    });
  },
});

/** The audit entry of a suspension or its end: the company before and after. */
function suspensionOf(app: Runtime, id: string) {
  return { ...auditOfCompany(id), before: (tx: Tx) => readCompany(tx, app, id) };
}

export const suspendCompany = route("/v1/admin/company/{id}/suspend", {
  title: { fr: "Suspendre une entreprise", en: "Suspend a company" },
  says: {
    fr: "Suspend une entreprise. Ses requêtes sont refusées et ses messages restent en file d’attente.",
    en: "Suspends a company. Its requests are refused and its messages stay queued.",
  },
  body: Type.Object({ id: idOf("company"), reason: Type.Optional(Reason) }),
  caller: adminWho("govern"),
  answers: Company,
  refuses: ["not-found"],
  example: { reason: "Hameçonnage" },
  audit: { fr: "a suspendu l’entreprise", en: "suspended the company" },
  run: (app, caller, { id, reason = null }) =>
    audited(app, caller, suspensionOf(app, id), (tx) => suspension.suspend(tx, app, id, reason)),
});

export const resumeCompany = route("/v1/admin/company/{id}/resume", {
  title: { fr: "Rétablir une entreprise suspendue", en: "Resume a suspended company" },
  says: {
    fr: "Rétablit une entreprise suspendue. L’envoi de ses messages en file d’attente reprend.",
    en: "Resumes a suspended company. Its queued messages are sent again.",
  },
  body: oneId("company"),
  caller: adminWho("govern"),
  answers: Company,
  refuses: ["not-found"],
  audit: { fr: "a levé la suspension de l’entreprise", en: "lifted the company’s suspension" },
  run: (app, caller, { id }) =>
    audited(app, caller, suspensionOf(app, id), (tx) => suspension.resume(tx, app, id)),
});

export const resetKey = route("/v1/admin/company/{id}/key/reset", {
  title: { fr: "Renouveler la clé d’un propriétaire", en: "Reset an owner’s key" },
  says: {
    fr: "Remplace l’apiKey du propriétaire de l’entreprise. La nouvelle n’est affichée qu’une fois et l’ancienne cesse de fonctionner immédiatement ; avec all, toutes les autres clés aussi.",
    en: "Replaces the apiKey of the company’s owner. The new one is shown only once, and the old one stops working immediately; with all, so do all other keys.",
  },
  body: Type.Object({
    id: idOf("company"),
    all: member(Type.Optional(Type.Boolean()), {
      fr: "true : toutes les autres clés de l’entreprise cessent aussi de fonctionner",
      en: "true: all other keys of the company stop working too",
    }),
  }),
  caller: adminWho("govern"),
  answers: NewCompany,
  refuses: ["not-found"],
  audit: { fr: "a remplacé la clé du propriétaire", en: "replaced the owner’s key" },
  async run(app, caller, { id, all }) {
    const audit = { ...auditOfCompany(id), after: () => null };
    const made = await raising(app, caller, audit, (tx) => resetKeys(tx, app, id, all));
    for (const follow of keyFollowers(app)) follow(made.userId, made.apiKey);
    return made;
  },
});

export const readCountries = route("/v1/admin/company/{id}/countries", {
  title: { fr: "Lire les pays ouverts d’une entreprise", en: "Read the open countries of a company" },
  says: {
    fr: "Renvoie les pays que l’entreprise atteint.",
    en: "Returns the countries that the company reaches.",
  },
  body: oneId("company"),
  reads: true,
  caller: adminWho("read"),
  answers: OpenCountries,
  refuses: ["not-found"],
  run: (app, _caller, { id }) => countries.readOpenCountries(app.database, app, id),
});

export const updateCountries = route("/v1/admin/company/{id}/countries/update", {
  title: { fr: "Ouvrir des pays à une entreprise", en: "Open countries to a company" },
  says: {
    fr: "Remplace les pays que l’entreprise atteint en plus du sien.",
    en: "Replaces the countries that the company reaches in addition to its own.",
  },
  body: Type.Object({ id: idOf("company"), ...countries.OpenCountriesChange.properties }),
  caller: adminWho("govern"),
  answers: OpenCountries,
  refuses: ["not-found"],
  example: { countries: ["SN", "ML"] },
  audit: { fr: "a modifié les pays ouverts de l’entreprise", en: "updated the company’s open countries" },
  run(app, caller, { id, ...change }) {
    const before = (tx: Tx) => countries.readOpenCountries(tx, app, id);
    return audited(app, caller, { ...auditOfCompany(id), before }, (tx) =>
      countries.updateOpenCountries(tx, app, id, change),
    );
  },
});

// What an administrator can change of a company: its name, its owner, and its quotas.
import { html } from "../../../platform/http/html.ts";
import type { Body } from "../apiclient.ts";
import { chosenCountries, countryField, openCountriesForm } from "../parts/countries.ts";
import { button, field, form, linkButton } from "../parts/forms.ts";
import { actions } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import type { Redirect, View, Visit } from "../visit.ts";
import { type CompanyShown, callForCompany, numberField } from "./admin.ts";
import { languageField } from "./companies.ts";

export function addAdminCompanyEdit(screens: Screens): void {
  screens.pageAndForm("/admin/companies/:id/edit", edit, change);
  screens.pageAndForm("/admin/companies/:id/countries", editCountries, changeCountries);
}

const urlOf = ({ id }: CompanyShown) => `/admin/companies/${id}`;

function quotaWords(visit: Visit): Record<keyof CompanyShown["quotas"], string> {
  return {
    contacts: visit.t("Contacts", "Contacts"),
    groups: visit.t("Groupes", "Groups"),
    groupMembers: visit.t("Contacts dans les groupes", "Contacts in groups"),
    optouts: visit.t("Numéros désinscrits", "Opted-out numbers"),
    schedules: visit.t("Campagnes programmées", "Scheduled campaigns"),
    drafts: visit.t("Brouillons", "Drafts"),
    templates: visit.t("Modèles", "Templates"),
    applications: visit.t("Applications", "Applications"),
    connections: visit.t("Connexions", "Connections"),
    customers: visit.t("Clients", "Customers"),
    offers: visit.t("Offres", "Offers"),
    keys: visit.t("Clés", "Keys"),
    members: visit.t("Membres", "Members"),
    imports: visit.t("Imports en cours", "Imports in progress"),
    webhooks: visit.t("Webhooks", "Webhooks"),
  };
}

const QUOTA = /^quotas?$/;

async function edit(visit: Visit): Promise<View> {
  const company = await callForCompany(visit, visit.id);
  const value = (name: string, known: string | number | null) => visit.typed(name, String(known ?? ""));
  const text = (name: "name" | "ownerName" | "ownerEmail" | "ownerPhone", label: string, isOptional = true) =>
    field(visit, name, label, {
      isOptional,
      value: value(name, company[name]),
      attributes: html`maxlength="200"`,
    });
  const figureField = (name: string, label: string, known: number) =>
    field(visit, name, label, {
      value: value(name, known),
      attributes: html`class="short" inputmode="numeric" maxlength="14"`,
    });
  const words = Object.entries(quotaWords(visit)) as [keyof CompanyShown["quotas"], string][];
  return {
    title: visit.t(`Modifier ${company.name}`, `Edit ${company.name}`),
    narrow: true,
    back: { href: urlOf(company), text: company.name },
    body: form(visit, `${urlOf(company)}/edit`, [
      text("name", visit.t("Nom", "Name"), false),
      text("ownerName", visit.t("Propriétaire", "Owner")),
      text("ownerPhone", visit.t("Téléphone du propriétaire", "Owner’s phone")),
      text("ownerEmail", visit.t("E-mail du propriétaire", "Owner’s email")),
      countryField(visit, value("country", company.country)),
      languageField(visit, value("language", company.language)),
      figureField("senderLimit", visit.t("Limite d’expéditeurs", "Sender limit"), company.senderLimit),
      html`<details${visit.problem?.errors.some(({ field = "" }) => QUOTA.test(field)) && html` open`}><summary>${visit.t("Quotas", "Quotas")}</summary><div class="stack">${words.map(([name, label]) => figureField(`quota-${name}`, label, company.quotas[name]))}</div></details>`,
      actions([
        button(visit.t("Enregistrer", "Save")),
        linkButton(urlOf(company), visit.t("Annuler", "Cancel"), "plain"),
      ]),
    ]),
  };
}

/** Sends only what differs: a quota that is sent becomes the company's own from then on. */
async function change(visit: Visit): Promise<View | Redirect> {
  const company = await callForCompany(visit, visit.id);
  const texts = ["name", "ownerName", "ownerEmail", "ownerPhone", "country", "language"] as const;
  const changed = texts.filter((name) => visit.field(name) !== (company[name] ?? ""));
  const quotas = (Object.keys(company.quotas) as (keyof CompanyShown["quotas"])[])
    .map((name) => [name, numberField(visit, `quota-${name}`)] as const)
    .filter(([name, most]) => most !== undefined && most !== company.quotas[name]);
  const senderLimit = numberField(visit, "senderLimit");
  const body = {
    id: company.id,
    ...Object.fromEntries(changed.map((name) => [name, visit.field(name)])),
    ...(senderLimit !== company.senderLimit && { senderLimit }),
    ...(quotas.length > 0 && { quotas: Object.fromEntries(quotas) }),
  };
  const calling = visit.callAsAdmin(
    "/v1/admin/company/{id}/update",
    body as Body<"/v1/admin/company/{id}/update">,
  );
  return visit.submit(calling, edit, `${urlOf(company)}?done=changed`);
}

async function editCountries(visit: Visit): Promise<View> {
  const [company, { data: open }] = await Promise.all([
    callForCompany(visit, visit.id),
    visit.callAsAdmin("/v1/admin/company/{id}/countries"),
  ]);
  const home = urlOf(company);
  return {
    title: visit.t(`Pays ouverts à ${company.name}`, `Countries open to ${company.name}`),
    narrow: true,
    back: { href: home, text: company.name },
    body: openCountriesForm(visit, open, { action: `${home}/countries`, home, country: company.country }),
  };
}

function changeCountries(visit: Visit): Promise<View | Redirect> {
  const calling = visit.callAsAdmin("/v1/admin/company/{id}/countries/update", chosenCountries(visit));
  return visit.submit(calling, editCountries, `/admin/companies/${visit.id}?done=changed`);
}

// The companies: the list with a search, and the form for a new one, whose key is shown once.
import { type Html, html } from "../../../platform/http/html.ts";
import { countryField, countryName } from "../parts/countries.ts";
import { button, field, form, linkButton, select } from "../parts/forms.ts";
import { type Column, listPart, searchForm } from "../parts/lists.ts";
import { actions, badge, copyable, remark } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import type { Redirect, View, Visit } from "../visit.ts";
import { type CompanyShown, mayAdminister, phoneShown } from "./admin.ts";

export function addAdminCompanies(screens: Screens): void {
  screens.page("/admin/companies", list);
  screens.pageAndForm("/admin/companies/new", newCompany, create);
}

const SHOWN = 20;
/** The longest search text that the API accepts. */
const SEARCHED_AT_MOST = 200;

async function list(visit: Visit): Promise<View> {
  const search = visit.field("search").trim().slice(0, SEARCHED_AT_MOST);
  const title = visit.t("Entreprises", "Companies");
  return {
    title,
    body: html`${
      mayAdminister(visit, "govern") &&
      actions([
        linkButton("/admin/companies/new", visit.t("Nouvelle entreprise", "New company"), "main", "add"),
      ])
    }
${searchForm(visit, { action: "/admin/companies", name: "search", label: visit.t("Chercher par nom, téléphone ou identifiant", "Search by name, phone or ID") })}
${await companiesPart(visit, search)}`,
  };
}

async function companiesPart(visit: Visit, search: string): Promise<Html> {
  const listed = await visit.listedAsAdmin("/v1/admin/company/list", {
    limit: SHOWN,
    ...(search !== "" && { search }),
  });
  const title = search === "" ? visit.t("Entreprises", "Companies") : visit.t("Résultats", "Results");
  const all = visit.t("Toutes les entreprises", "All companies");
  return listPart(visit, listed, {
    title,
    columns: columns(visit),
    url: "/admin/companies",
    filters: { search },
    action: search === "" ? undefined : html`<a href="/admin/companies">${all}</a>`,
    none: [
      visit.t("Aucune entreprise", "No companies yet"),
      visit.t(
        "Les entreprises s’inscrivent elles-mêmes. Vous pouvez aussi en créer une.",
        "Companies sign up on their own. You can also create one.",
      ),
    ],
    missed: [
      visit.t("Aucun résultat", "No results"),
      visit.t(`Aucune entreprise ne correspond à « ${search} ».`, `No company matches “${search}”.`),
      all,
    ],
  });
}

/** Renders the state of a company as words with icons. */
export function companyState(visit: Visit, { suspendedAt, closedAt, trial, partner }: CompanyShown): Html {
  const states = [
    closedAt !== null && badge("calm", visit.t("Fermée", "Closed")),
    suspendedAt !== null && badge("wrong", visit.t("Suspendue", "Suspended")),
    closedAt === null && suspendedAt === null && !trial && badge("good", visit.t("Active", "Active")),
    trial && badge("note", visit.t("À l’essai", "On trial")),
    partner && badge("note", visit.t("Revendeur", "Reseller")),
  ];
  return html`${states.filter((state) => state !== false).map((state) => html`${state} `)}`;
}

function columns(visit: Visit): Column<CompanyShown>[] {
  return [
    [visit.t("Entreprise", "Company"), ({ id, name }) => html`<a href="/admin/companies/${id}">${name}</a>`],
    [visit.t("Statut", "Status"), (company) => companyState(visit, company)],
    [
      visit.t("Propriétaire", "Owner"),
      ({ ownerName, ownerPhone }) => ownerName ?? (ownerPhone === null ? "–" : phoneShown(visit, ownerPhone)),
    ],
    [visit.t("Pays", "Country"), ({ country }) => countryName(visit, country)],
    [visit.t("Solde", "Balance"), ({ balance }) => visit.formats.number(balance), "figure"],
    [visit.t("Créée le", "Created"), ({ createdAt }) => visit.formats.shortDay(createdAt)],
  ];
}

function newCompany(visit: Visit): View {
  return {
    title: visit.t("Nouvelle entreprise", "New company"),
    narrow: true,
    back: { href: "/admin/companies", text: visit.t("Entreprises", "Companies") },
    body: form(visit, "/admin/companies/new", [
      field(visit, "name", visit.t("Nom de l’entreprise", "Company name"), {
        attributes: html`maxlength="200"`,
      }),
      field(visit, "ownerName", visit.t("Nom du propriétaire", "Owner’s name"), {
        attributes: html`maxlength="200"`,
      }),
      field(visit, "ownerPhone", visit.t("Téléphone du propriétaire", "Owner’s phone"), {
        hint: visit.t(
          "Ce numéro reçoit par SMS les codes de connexion du propriétaire.",
          "The owner’s sign-in codes are sent to this number by SMS.",
        ),
        attributes: html`class="short" inputmode="tel" maxlength="30"`,
        type: "tel",
      }),
      field(visit, "ownerEmail", visit.t("E-mail du propriétaire", "Owner’s email"), {
        isOptional: true,
        attributes: html`maxlength="200"`,
        type: "email",
      }),
      countryField(visit, visit.field("country") || "CI"),
      languageField(visit, visit.field("language") || "fr"),
      button(visit.t("Créer l’entreprise", "Create company")),
    ]),
  };
}

export function languageField(visit: Visit, value: string): Html {
  return select(visit, "language", visit.t("Langue", "Language"), {
    value,
    choices: [
      ["fr", "Français"],
      ["en", "English"],
    ],
  });
}

async function create(visit: Visit): Promise<View | Redirect> {
  const [name, ownerName, ownerPhone] = [
    visit.field("name"),
    visit.field("ownerName"),
    visit.field("ownerPhone"),
  ];
  const ownerEmail = visit.field("ownerEmail").trim();
  const calling = visit.callAsAdmin("/v1/admin/company/create", {
    ...{ name, ownerName, ownerPhone },
    ...(ownerEmail && { ownerEmail }),
    country: visit.field("country"),
    language: visit.field("language") === "en" ? "en" : "fr",
  });
  return visit.submit(calling, newCompany, ({ data }) => keyView(visit, { ...data, name }));
}

/** Shows the key of a company's owner, for the only time. */
export function keyView(
  visit: Visit,
  { companyId, apiKey, name }: { companyId: string; apiKey: string; name: string },
): View {
  return {
    title: visit.t(`Clé API de l’entreprise ${name}`, `API key of ${name}`),
    narrow: true,
    body: html`${remark(visit, "wait", [
      "Cette clé est affichée une seule fois. Elle sert aux programmes de l’entreprise. Pour se connecter à la console, un téléphone suffit.",
      "This key is shown only once. It is for the company’s programs. To sign in to the console, a phone is enough.",
    ])}
<h2>apiKey</h2>
${copyable(apiKey, "apiKey")}
<h2>companyId</h2>
${copyable(companyId, "companyId")}
${actions([linkButton(`/admin/companies/${companyId}`, visit.t("J’ai enregistré la clé", "I have saved the key"))])}`,
  };
}

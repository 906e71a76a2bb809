// Settings: the company's data, its use of its quotas, and the links to its data and its log.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { languageLink } from "../layout.ts";
import { chosenCountries, countryName, openCountriesForm, openCountriesWords } from "../parts/countries.ts";
import { button, field, form, linkButton, select } from "../parts/forms.ts";
import { table } from "../parts/lists.ts";
import { actions, doneNotice, facts, section } from "../parts/parts.ts";
import { may } from "../parts/roles.ts";
import { trialWords } from "../parts/states.ts";
import { wholeNumber } from "../parts/wholenumbers.ts";
import type { Screens } from "../screens.ts";
import type { Redirect, View, Visit } from "../visit.ts";

type Usage = Data<"/v1/company/usage">;
type Own = Data<"/v1/company/read">;
type OpenCountries = Data<"/v1/company/countries">;

export function addSettings(screens: Screens): void {
  screens.page("/settings", settings);
  screens.pageAndForm("/settings/company", edit, change);
  screens.pageAndForm("/settings/countries", editCountries, changeCountries);
}

async function settings(visit: Visit): Promise<View> {
  const [{ data: usage }, { data: own }, { data: open }] = await Promise.all([
    visit.call("/v1/company/usage"),
    visit.call("/v1/company/read"),
    visit.call("/v1/company/countries"),
  ]);
  const isOwner = visit.company.role === "owner";
  return {
    title: visit.t("Réglages", "Settings"),
    body: html`${doneNotice(visit, { changed: visit.t("Modifications enregistrées.", "Changes saved.") })}
${companyPart(visit, own)}
${countriesPart(visit, open)}
${usagePart(visit, usage)}
${isOwner && dataPart(visit)}
${isOwner && closePart(visit)}`,
  };
}

function companyPart(visit: Visit, own: Own): Html {
  const { company, formats } = visit;
  const languages: Record<string, string> = {
    fr: visit.t("Français", "French"),
    en: visit.t("Anglais", "English"),
  };
  const zone = formats.zone.replace(/^.*\//, "").replaceAll("_", " ");
  return section(
    visit.t("Entreprise", "Company"),
    [
      facts([
        [visit.t("Nom", "Name"), own.name],
        [visit.t("Pays", "Country"), countryName(visit, own.country)],
        [visit.t("Langue des messages de service", "Service message language"), languages[own.language]],
        [visit.t("Fuseau horaire", "Time zone"), zone],
        [visit.t("Alerte de solde bas", "Low-balance alert"), alertWords(visit, own)],
        company.trial && [visit.t("Essai", "Trial"), trialWords(visit)],
      ]),
      html`<p>${languageLink(visit, visit.t("Afficher cette page en anglais", "Show this page in French"))}</p>`,
    ],
    may(visit, "manage") ? html`<a href="/settings/company">${visit.t("Modifier", "Edit")}</a>` : undefined,
  );
}

function countriesPart(visit: Visit, open: OpenCountries): Html {
  return section(
    visit.t("Pays ouverts", "Open countries"),
    html`<p>${openCountriesWords(visit, open)}</p>`,
    may(visit, "manage") ? html`<a href="/settings/countries">${visit.t("Modifier", "Edit")}</a>` : undefined,
  );
}

async function editCountries(visit: Visit): Promise<View> {
  const [{ data: open }, { data: own }] = await Promise.all([
    visit.call("/v1/company/countries"),
    visit.call("/v1/company/read"),
  ]);
  return {
    title: visit.t("Pays ouverts", "Open countries"),
    narrow: true,
    back: { href: "/settings", text: visit.t("Réglages", "Settings") },
    body: openCountriesForm(visit, open, {
      action: "/settings/countries",
      home: "/settings",
      country: own.country,
    }),
  };
}

function changeCountries(visit: Visit): Promise<View | Redirect> {
  const calling = visit.call("/v1/company/countries/update", chosenCountries(visit));
  return visit.submit(calling, editCountries, "/settings?done=changed");
}

function alertWords(visit: Visit, { lowBalance }: Own): string {
  if (lowBalance === null) return visit.t("Aucune", "None");
  const credits = visit.credits(lowBalance);
  return visit.t(`Au-dessous de ${credits}`, `Below ${credits}`);
}

async function edit(visit: Visit): Promise<View> {
  const { data: own } = await visit.call("/v1/company/read");
  const value = (name: string, known: string) => (name in visit.fields ? visit.field(name) : known);
  return {
    title: visit.t("Modifier l’entreprise", "Edit company"),
    narrow: true,
    back: { href: "/settings", text: visit.t("Réglages", "Settings") },
    body: form(visit, "/settings/company", [
      field(visit, "name", visit.t("Nom", "Name"), {
        hint: visit.t(
          "Vos clients voient le nom d’expéditeur, pas celui-ci.",
          "Your customers see the sender name, not this one.",
        ),
        value: value("name", own.name),
        attributes: html`maxlength="200" autocomplete="organization"`,
      }),
      select(visit, "language", visit.t("Langue des messages de service", "Service message language"), {
        hint: visit.t("Langue de nos SMS et de nos e-mails.", "The language of our SMS and emails."),
        value: value("language", own.language),
        choices: [
          ["fr", visit.t("Français", "French")],
          ["en", visit.t("Anglais", "English")],
        ],
      }),
      field(visit, "lowBalance", visit.t("Seuil d’alerte de solde bas", "Low-balance alert threshold"), {
        hint: visit.t(
          "En crédits. Le propriétaire reçoit un SMS, et un e-mail si son adresse est connue. Laissez vide pour ne prévenir personne.",
          "In credits. The owner receives an SMS, and an email if the address is known. Leave empty for no alert.",
        ),
        value: value("lowBalance", own.lowBalance === null ? "" : visit.formats.number(own.lowBalance)),
        isOptional: true,
        attributes: html`class="short" inputmode="numeric" maxlength="14" autocomplete="off"`,
      }),
      actions([
        button(visit.t("Enregistrer", "Save")),
        linkButton("/settings", visit.t("Annuler", "Cancel"), "plain"),
      ]),
    ]),
  };
}

async function change(visit: Visit): Promise<View | Redirect> {
  const lowBalance = wholeNumber(visit.field("lowBalance")) ?? null;
  if (lowBalance === "wrong") {
    const sentence = visit.t("Saisissez un nombre entier de crédits.", "Enter a whole number of credits.");
    return edit(visit.wrong(sentence, "lowBalance"));
  }
  const name = visit.field("name").trim();
  const language = visit.field("language") as "fr" | "en";
  const calling = visit.call("/v1/company/update", { name, language, lowBalance });
  return visit.submit(calling, edit, "/settings?done=changed");
}

type Quota = Exclude<keyof Usage, "days">;

function usageWord(visit: Visit, name: Quota): string {
  const words: Record<Quota, readonly [string, string]> = {
    contacts: ["Contacts", "Contacts"],
    groups: ["Groupes", "Groups"],
    groupMembers: ["Appartenances aux groupes", "Group memberships"],
    optouts: ["Désinscriptions", "Opt-outs"],
    schedules: ["Campagnes programmées", "Scheduled campaigns"],
    drafts: ["Brouillons", "Drafts"],
    templates: ["Modèles", "Templates"],
    applications: ["Applications", "Applications"],
    connections: ["Connexions", "Connections"],
    customers: ["Clients du revendeur", "Reseller customers"],
    offers: ["Offres du revendeur", "Reseller offers"],
    keys: ["Clés", "Keys"],
    members: ["Membres", "Members"],
    imports: ["Imports en cours", "Imports in progress"],
    webhooks: ["Webhooks", "Webhooks"],
    requests: ["Requêtes", "Requests"],
  };
  return visit.t(...words[name]);
}

function usagePart(visit: Visit, { requests, days: _, ...counted }: Usage): Html {
  const { formats, company } = visit;
  const isShown = (name: string) => company.partner || (name !== "customers" && name !== "offers");
  const rows = (Object.keys(counted) as (keyof typeof counted)[])
    .filter(isShown)
    .map((name) => ({ word: usageWord(visit, name), ...counted[name] }));
  const title = visit.t("Utilisation", "Usage");
  return section(title, [
    table(
      title,
      [
        [visit.t("Ressource", "Resource"), ({ word }) => word],
        [visit.t("Utilisé", "Used"), ({ used }) => formats.number(used), "figure"],
        [visit.t("Limite", "Limit"), ({ limit }) => formats.number(limit), "figure"],
        [
          visit.t("Part", "Share"),
          ({ used, limit, word }) =>
            html`<progress class="small" value="${Math.min(used, limit)}" max="${Math.max(1, limit)}" aria-label="${word}"></progress>`,
        ],
      ],
      rows,
    ),
    html`<p><small>${visit.t(
      `Vos programmes : ${formats.number(requests.perSecond)} requêtes par seconde, ${formats.number(requests.atOnce)} simultanées.`,
      `Your programs: ${formats.number(requests.perSecond)} requests per second, ${formats.number(requests.atOnce)} at the same time.`,
    )}</small></p>`,
  ]);
}

function dataPart(visit: Visit): Html {
  return section(visit.t("Vos données", "Your data"), [
    html`<p>${visit.t("Consultez l’historique des actions, exportez toutes vos données ou effacez une personne qui le demande.", "Review past actions, export all your data or erase a person who asks for it.")}</p>`,
    actions([
      linkButton("/settings/audit", visit.t("Journal d’audit", "Audit log"), "second", "audit"),
      linkButton(
        "/settings/export",
        visit.t("Exporter toutes les données", "Export all data"),
        "second",
        "download",
      ),
      linkButton("/settings/erase", visit.t("Effacer une personne", "Erase a person"), "second"),
    ]),
  ]);
}

function closePart(visit: Visit): Html {
  return section(visit.t("Fermer l’entreprise", "Close company"), [
    html`<p>${visit.t("L’entreprise cesse tout envoi. Ses données sont effacées après 30 jours.", "The company stops sending. Its data is erased after 30 days.")}</p>`,
    linkButton("/settings/close", visit.t("Fermer l’entreprise", "Close company"), "danger"),
  ]);
}

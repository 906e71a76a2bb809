// Settings: what the company is, what it uses of what it may have, and the ways to its data and its log.
import { type Html, html } from "../kernel/html.ts";
import type { Data } from "./ask.ts";
import { linkButton } from "./forms.ts";
import { languageLink } from "./layout.ts";
import { actions, facts, section, table } from "./parts.ts";
import type { Screens } from "./screens.ts";
import { trialWords } from "./states.ts";
import type { View, Visit } from "./visit.ts";

type Usage = Data<"/v1/company/usage">;

export function addSettings(screens: Screens): void {
  screens.page("/settings", settings);
}

async function settings(visit: Visit): Promise<View> {
  const { data: usage } = await visit.ask("/v1/company/usage");
  const isOwner = visit.company.role === "owner";
  return {
    title: visit.t("Réglages", "Settings"),
    at: "settings",
    body: html`${companyPart(visit)}
${usagePart(visit, usage)}
${isOwner && dataPart(visit)}
${isOwner && closePart(visit)}`,
  };
}

function companyPart(visit: Visit): Html {
  const { company, formats, language } = visit;
  const countries = new Intl.DisplayNames([language], { type: "region" });
  const languages: Record<string, string> = {
    fr: visit.t("Français", "French"),
    en: visit.t("Anglais", "English"),
  };
  const zone = formats.zone.replace(/^.*\//, "").replaceAll("_", " ");
  return section(visit.t("L’entreprise", "The company"), [
    facts([
      [visit.t("Nom", "Name"), company.name],
      [visit.t("Pays", "Country"), countries.of(company.country) ?? company.country],
      [
        visit.t("Langue des messages de service", "Language of service messages"),
        languages[company.language],
      ],
      [visit.t("Fuseau horaire", "Time zone"), zone],
      company.trial && [visit.t("Essai", "Trial"), trialWords(visit)],
    ]),
    html`<p>${visit.t("Cette page en", "This page in")} ${languageLink(visit)}</p>`,
  ]);
}

function usageWord(visit: Visit, name: keyof Usage): string {
  const words: Record<keyof Usage, readonly [string, string]> = {
    contacts: ["Contacts", "Contacts"],
    groups: ["Groupes", "Groups"],
    groupMembers: ["Places dans les groupes", "Places in groups"],
    optouts: ["Désinscriptions", "Opt-outs"],
    schedules: ["Campagnes programmées", "Scheduled campaigns"],
    drafts: ["Brouillons", "Drafts"],
    templates: ["Modèles", "Templates"],
    applications: ["Applications", "Applications"],
    connections: ["Liaisons", "Connections"],
    customers: ["Clients de revendeur", "Customers of a reseller"],
    offers: ["Offres de revendeur", "Offers of a reseller"],
    keys: ["Clés", "Keys"],
    members: ["Membres", "Members"],
    imports: ["Imports en cours", "Imports under way"],
    requests: ["Demandes", "Requests"],
  };
  return visit.t(...words[name]);
}

function usagePart(visit: Visit, { requests, ...counted }: Usage): Html {
  const { formats, company } = visit;
  const isShown = (name: string) => company.partner || (name !== "customers" && name !== "offers");
  const rows = (Object.keys(counted) as (keyof typeof counted)[])
    .filter(isShown)
    .map((name) => ({ word: usageWord(visit, name), ...counted[name] }));
  const title = visit.t("Ce que vous utilisez", "What you use");
  return section(title, [
    table(
      title,
      [
        { head: visit.t("Quoi", "What"), cell: ({ word }) => word },
        { head: visit.t("Utilisé", "Used"), cell: ({ used }) => formats.number(used), isFigure: true },
        { head: visit.t("Au plus", "At most"), cell: ({ limit }) => formats.number(limit), isFigure: true },
        {
          head: visit.t("Part", "Share"),
          cell: ({ used, limit, word }) =>
            html`<progress class="small" value="${Math.min(used, limit)}" max="${Math.max(1, limit)}" aria-label="${word}"></progress>`,
        },
      ],
      rows,
    ),
    html`<p><small>${visit.t(
      `Vos programmes : ${formats.number(requests.perSecond)} demandes par seconde, ${formats.number(requests.atOnce)} d’un coup.`,
      `Your programs: ${formats.number(requests.perSecond)} requests a second, ${formats.number(requests.atOnce)} at once.`,
    )}</small></p>`,
  ]);
}

function dataPart(visit: Visit): Html {
  return section(visit.t("Vos données", "Your data"), [
    html`<p>${visit.t("Qui a fait quoi ; une copie de tout ; oublier une personne qui le demande.", "Who did what; a copy of everything; forget a person who asks for it.")}</p>`,
    actions([
      linkButton("/settings/audit", visit.t("Journal", "Audit log"), "second", "audit"),
      linkButton("/settings/export", visit.t("Tout exporter", "Export everything"), "second", "download"),
      linkButton("/settings/erase", visit.t("Effacer une personne", "Erase a person"), "second"),
    ]),
  ]);
}

function closePart(visit: Visit): Html {
  return section(visit.t("Fermer l’entreprise", "Close the company"), [
    html`<p>${visit.t("Elle n’envoie plus rien, et elle est vidée après 30 jours.", "It sends nothing more, and is emptied after 30 days.")}</p>`,
    linkButton("/settings/close", visit.t("Fermer l’entreprise", "Close the company"), "danger"),
  ]);
}

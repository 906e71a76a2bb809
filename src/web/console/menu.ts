// The menus of companies and of administrators. On a phone, the first entries are tabs, and a page has the rest.
import { type Html, html } from "../../platform/http/html.ts";
import { mayAdminister } from "./admin/admin.ts";
import { type Icon, icon } from "./parts/icons.ts";
import { isOfAdministration } from "./paths.ts";
import type { Visit } from "./visit.ts";

/** Who may see a page: anyone, a company's members, administrators. */
export type Area = "public" | "company" | "administration";

export type Entry = { key: string; href: string; text: string; icon: Icon; isTab?: boolean };

/** Returns the entries that this person may use. `more` is the page that lists them all. */
export function areaOf(visit: Visit, area: Area): { entries: Entry[]; more: string } {
  return area === "administration"
    ? { entries: administrationEntries(visit), more: "/admin/menu" }
    : { entries: companyEntries(visit), more: "/menu" };
}

/** The entries of pages whose paths do not begin with the name of their entry. */
const ENTRIES_OF_COMPANY = new Map([
  ["", "home"],
  ["account", "menu"],
  ["approvals", "campaigns"],
  ["groups", "contacts"],
  ["numbers", "contacts"],
  ["optouts", "contacts"],
]);
const ENTRIES_OF_ADMINISTRATION = new Map([
  ["", "overview"],
  ["balances", "overview"],
  ["grants", "overview"],
  ["nodes", "overview"],
  ["recovery", "overview"],
]);

/** Returns the key of the entry of a page, by the beginning of its path. */
export function entryAt({ path }: Visit): string {
  const [, first = "", second = ""] = path.split("/");
  const [name, others] = isOfAdministration(path)
    ? [second, ENTRIES_OF_ADMINISTRATION]
    : [first, ENTRIES_OF_COMPANY];
  return others.get(name) ?? name;
}

function companyEntries(visit: Visit): Entry[] {
  const { role, partner } = visit.company;
  const isOwner = role === "owner";
  const entries: (Entry | false)[] = [
    { key: "home", href: "/", text: visit.t("Accueil", "Home"), icon: "home", isTab: true },
    {
      key: "campaigns",
      href: "/campaigns",
      text: visit.t("Campagnes", "Campaigns"),
      icon: "campaigns",
      isTab: true,
    },
    {
      key: "contacts",
      href: "/contacts",
      text: visit.t("Contacts", "Contacts"),
      icon: "contacts",
      isTab: true,
    },
    { key: "senders", href: "/senders", text: visit.t("Expéditeurs", "Senders"), icon: "senders" },
    { key: "credits", href: "/credits", text: visit.t("Crédits", "Credits"), icon: "credits", isTab: true },
    partner && {
      key: "reseller",
      href: "/reseller",
      text: visit.t("Revendeur", "Reseller"),
      icon: "reseller",
    },
    isOwner && { key: "members", href: "/members", text: visit.t("Membres", "Members"), icon: "members" },
    isOwner && {
      key: "developer",
      href: "/developer",
      text: visit.t("Développeur", "Developer"),
      icon: "developer",
    },
    { key: "settings", href: "/settings", text: visit.t("Réglages", "Settings"), icon: "settings" },
  ];
  return entries.filter((entry) => entry !== false);
}

function administrationEntries(visit: Visit): Entry[] {
  const entries: (Entry | false)[] = [
    { key: "overview", href: "/admin", text: visit.t("Accueil", "Home"), icon: "home", isTab: true },
    {
      key: "reviews",
      href: "/admin/reviews",
      text: visit.t("À valider", "Reviews"),
      icon: "reviews",
      isTab: true,
    },
    {
      key: "operators",
      href: "/admin/operators",
      text: visit.t("Opérateurs", "Operators"),
      icon: "operators",
      isTab: true,
    },
    {
      key: "companies",
      href: "/admin/companies",
      text: visit.t("Entreprises", "Companies"),
      icon: "companies",
      isTab: true,
    },
    { key: "numbers", href: "/admin/numbers", text: visit.t("Numéros", "Numbers"), icon: "search" },
    mayAdminister(visit, "govern") && {
      key: "handsets",
      href: "/admin/handsets",
      text: visit.t("Téléphones simulés", "Simulated handsets"),
      icon: "handsets",
    },
    { key: "offers", href: "/admin/offers", text: visit.t("Recharges", "Top-ups"), icon: "credits" },
    { key: "guard", href: "/admin/guard", text: visit.t("Garde des codes", "Code guard"), icon: "guard" },
    { key: "audit", href: "/admin/audit", text: visit.t("Journal d’audit", "Audit log"), icon: "audit" },
    {
      key: "administrators",
      href: "/admin/administrators",
      text: visit.t("Administrateurs", "Administrators"),
      icon: "members",
    },
  ];
  return entries.filter((entry) => entry !== false);
}

/** Renders all entries as a page, for phones, whose tabs have no room for them. */
export function entriesPart(entries: readonly Entry[]): Html {
  return html`<ul class="entries">${entries.map(
    (entry) => html`<li><a href="${entry.href}">${icon(entry.icon, 24)}<span>${entry.text}</span></a></li>`,
  )}</ul>`;
}

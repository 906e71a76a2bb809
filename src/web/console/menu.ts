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
  ["probes", "operators"],
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
  return [
    entry("home", "/", visit.t("Accueil", "Home"), { isTab: true }),
    entry("campaigns", "/campaigns", visit.t("Campagnes", "Campaigns"), { isTab: true }),
    entry("contacts", "/contacts", visit.t("Contacts", "Contacts"), { isTab: true }),
    entry("senders", "/senders", visit.t("Expéditeurs", "Senders")),
    entry("credits", "/credits", visit.t("Crédits", "Credits"), { isTab: true }),
    partner && entry("reseller", "/reseller", visit.t("Revendeur", "Reseller")),
    isOwner && entry("members", "/members", visit.t("Membres", "Members")),
    isOwner && entry("developer", "/developer", visit.t("Développeur", "Developer")),
    entry("settings", "/settings", visit.t("Réglages", "Settings")),
  ].filter((one) => one !== false);
}

function administrationEntries(visit: Visit): Entry[] {
  const handsets = visit.t("Téléphones simulés", "Simulated handsets");
  return [
    entry("home", "/admin", visit.t("Accueil", "Home"), { key: "overview", isTab: true }),
    entry("reviews", "/admin/reviews", visit.t("À valider", "Reviews"), { isTab: true }),
    entry("operators", "/admin/operators", visit.t("Opérateurs", "Operators"), { isTab: true }),
    entry("companies", "/admin/companies", visit.t("Entreprises", "Companies"), { isTab: true }),
    entry("search", "/admin/numbers", visit.t("Numéros", "Numbers"), { key: "numbers" }),
    mayAdminister(visit, "govern") && entry("handsets", "/admin/handsets", handsets),
    entry("credits", "/admin/offers", visit.t("Recharges", "Top-ups"), { key: "offers" }),
    entry("guard", "/admin/guard", visit.t("Garde des codes", "Code guard")),
    entry("audit", "/admin/audit", visit.t("Journal d’audit", "Audit log")),
    entry("members", "/admin/administrators", visit.t("Administrateurs", "Administrators"), {
      key: "administrators",
    }),
  ].filter((one) => one !== false);
}

/** An entry, whose key is the name of its icon unless it has another one. */
function entry(icon: Icon, href: string, text: string, rest: { key?: string; isTab?: true } = {}): Entry {
  return { key: icon, href, text, icon, ...rest };
}

/** Renders all entries as a page, for phones, whose tabs have no room for them. */
export function entriesPart(entries: readonly Entry[]): Html {
  return html`<ul class="entries">${entries.map(
    (entry) => html`<li><a href="${entry.href}">${icon(entry.icon, 24)}<span>${entry.text}</span></a></li>`,
  )}</ul>`;
}

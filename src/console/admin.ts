// What the pages of the administration share: what a role may do, looking through lists.
import { type Html, html } from "../kernel/html.ts";
import { type Data, Refused } from "./ask.ts";
import type { Visit } from "./visit.ts";

export const ADMINISTRATION = { area: "administration" } as const;

/** What roles other than `owner` may do beside reading: docs/administrators.md. */
const RIGHTS = { review: ["reviewer"], account: ["finance"], govern: [] } as const satisfies Record<
  string,
  readonly string[]
>;
type Right = keyof typeof RIGHTS;

/** Whether the administrator may do this. Of a key the role is not known: the interface will tell. */
export function mayAdminister(visit: Visit, right: Right): boolean {
  const role = visit.session.administrator?.role;
  const others: readonly string[] = RIGHTS[right];
  return role === undefined || role === "owner" || others.includes(role);
}

const ROWS = 100;
const PAGES_AT_MOST = 100;

type List<Row> = (at: { page: number; limit: number }) => Promise<{ data: Row[]; totalPage: number }>;

/** Looks through a list for the rows that fit, `most` at most. The interface has no URL that reads one of them. */
export async function lookThrough<Row>(
  list: List<Row>,
  fits: (row: Row) => boolean,
  { most = 1, pages = PAGES_AT_MOST } = {},
): Promise<Row[]> {
  const found: Row[] = [];
  for (let page = 1; page <= pages; page++) {
    const { data, totalPage } = await list({ page, limit: ROWS });
    found.push(...data.filter(fits));
    if (found.length >= most || page >= totalPage) break;
  }
  return found.slice(0, most);
}

export type CompanyShown = Data<"/v1/admin/company/list">[number];

export const askCompanies = (visit: Visit) => (at: object) =>
  visit.askAsAdministrator("/v1/admin/company/list", at);

/** One company. Throws `not-found`. */
export async function askCompany(visit: Visit, id: string): Promise<CompanyShown> {
  const company = await findCompany(visit, id);
  if (!company) throw new Refused("not-found");
  return company;
}

export async function findCompany(visit: Visit, id: string): Promise<CompanyShown | undefined> {
  const [company] = await lookThrough(askCompanies(visit), (one) => one.id === id);
  return company;
}

const NAMED_PAGES = 5;

/** The names of companies by their ids, as far as they are among the newest. */
export async function companyNames(
  visit: Visit,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set(ids.filter((id) => id !== null));
  if (wanted.size === 0) return new Map();
  const found = await lookThrough(askCompanies(visit), ({ id }) => wanted.has(id), {
    most: wanted.size,
    pages: NAMED_PAGES,
  });
  return new Map(found.map(({ id, name }) => [id, name]));
}

/** A company as a link to its page, by its name where that is known. */
export function companyLink(visit: Visit, id: string, name: string | null | undefined): Html {
  return html`<a href="/admin/companies/${id}">${name ?? visit.t("voir l’entreprise", "see the company")}</a>`;
}

/** A number that somebody typed into a field; undefined where the field is empty. */
export function numberField(visit: Visit, name: string): number | undefined {
  const text = visit.field(name).replace(/[\s\u00a0\u202f]/g, "");
  return text === "" ? undefined : Number(text);
}

/** A phone as the role may see it: that of support has dots in place of digits. */
export function phoneShown(visit: Visit, phone: string): string {
  return /^\d+$/.test(phone) ? visit.formats.phone(phone) : phone;
}

/** The name of a country in the language of the page. */
export function countryName({ language }: Visit, code: string): string {
  try {
    return new Intl.DisplayNames([language], { type: "region" }).of(code) ?? code;
  } catch {
    return code;
  }
}

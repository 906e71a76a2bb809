// What the pages of the administration share: what a role may do, names by ids.
import { type Html, html } from "../../platform/html.ts";
import type { Data } from "./apiclient.ts";
import type { Visit } from "./visit.ts";

export const ADMINISTRATION = { area: "administration" } as const;

/** What roles other than `owner` may do beside reading: docs/administrators.md. */
const RIGHTS = { review: ["reviewer"], account: ["finance"], govern: [] } as const satisfies Record<
  string,
  readonly string[]
>;
type Right = keyof typeof RIGHTS;

/** Whether the administrator may do this: the person, or the key that somebody signed in with. */
export function mayAdminister(visit: Visit, right: Right): boolean {
  const role = visit.session.administrator?.role ?? "";
  const others: readonly string[] = RIGHTS[right];
  return role === "owner" || others.includes(role);
}

export type CompanyShown = Data<"/v1/admin/company/list">[number];

/** One company. Throws `not-found`. */
export async function callForCompany(visit: Visit, id: string): Promise<CompanyShown> {
  return (await visit.callAsAdministrator("/v1/admin/company/{id}", { id })).data;
}

/** The most ids that a list is asked for at once, and the most rows that it then has. */
const IDS_AT_MOST = 100;

type Named = { id: string; name: string };
type List = (wanted: { ids: string[]; limit: number }) => Promise<{ data: Named[] }>;

/** The names of things by their ids, from their list; of 100 things at most, which are more than a page has. */
export async function namesOf(
  list: List,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))].slice(0, IDS_AT_MOST);
  if (wanted.length === 0) return new Map();
  const { data } = await list({ ids: wanted, limit: IDS_AT_MOST });
  return new Map(data.map(({ id, name }) => [id, name]));
}

export function companyNames(
  visit: Visit,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  return namesOf((wanted) => visit.callAsAdministrator("/v1/admin/company/list", wanted), ids);
}

/** A company as a link to its page, by its name where that is known. */
export function companyLink(visit: Visit, id: string, name: string | null | undefined): Html {
  return html`<a href="/admin/companies/${id}">${name ?? visit.t("voir l’entreprise", "view company")}</a>`;
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

// Helpers that the administration pages share: the rights of roles, and names by ids.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import type { Visit } from "../visit.ts";

/** What roles other than `owner` may do besides reading: `identity/admins/roles.ts`. */
const RIGHTS = { review: ["reviewer"], account: ["finance"], govern: [] } as const satisfies Record<
  string,
  readonly string[]
>;
type Right = keyof typeof RIGHTS;

/** Whether the signed-in administrator, a person or a key, has this right. */
export function mayAdminister(visit: Visit, right: Right): boolean {
  const role = visit.session.administrator?.role ?? "";
  const others: readonly string[] = RIGHTS[right];
  return role === "owner" || others.includes(role);
}

export type CompanyShown = Data<"/v1/admin/company/list">[number];

/** Returns one company. Throws `not-found`. */
export async function callForCompany(visit: Visit, id: string): Promise<CompanyShown> {
  return (await visit.callAsAdmin("/v1/admin/company/{id}", { id })).data;
}

/** The maximum number of ids in one list request, and of rows in its response. */
const IDS_AT_MOST = 100;

type Named = { id: string; name: string };
type List = (wanted: { ids: string[]; limit: number }) => Promise<{ data: Named[] }>;

/** Returns names by id, from a list of the API; for at most 100 things, which are more than a page shows. */
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
  return namesOf((wanted) => visit.callAsAdmin("/v1/admin/company/list", wanted), ids);
}

/** Renders a link to a company's page, with its name if that is known. */
export function companyLink(visit: Visit, id: string, name: string | null | undefined): Html {
  return html`<a href="/admin/companies/${id}">${name ?? visit.t("voir l’entreprise", "view company")}</a>`;
}

/** Returns the number typed into a field; undefined if the field is empty. */
export function numberField(visit: Visit, name: string): number | undefined {
  const text = visit.field(name).replace(/[\s\u00a0\u202f]/g, "");
  return text === "" ? undefined : Number(text);
}

/** Returns a phone as the role may see it: the role support sees dots in place of digits. */
export function phoneShown(visit: Visit, phone: string): string {
  return /^\d+$/.test(phone) ? visit.formats.phone(phone) : phone;
}

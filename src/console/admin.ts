// What the pages of the administration share: what a role may do, refusals that a new sign-in mends, names by ids.
import { type Html, html } from "../kernel/html.ts";
import { type Data, Refused } from "./ask.ts";
import { linkButton } from "./forms.ts";
import { actions } from "./parts.ts";
import { Problem, sentenceOf } from "./sentences.ts";
import type { View, Visit } from "./visit.ts";

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

/** A refusal for want of a right, or of a recent sign-in. */
class NotAllowed extends Problem {}

/** As `visit.attempt`, where what is wrong may be the administrator's role or the age of the sign-in. */
export async function attempt<Answer>(
  visit: Visit,
  asking: Promise<Answer>,
  fields: Readonly<Record<string, string>> = {},
): Promise<Answer | Problem> {
  try {
    return await visit.attempt(asking, fields);
  } catch (error) {
    if (error instanceof Refused && error.code === "not-authorized")
      return new NotAllowed(sentenceOf(visit, error));
    throw error;
  }
}

/** A page of the administration; a problem that a new sign-in mends comes with the way to it. */
export function adminView(visit: Visit, view: View): View {
  const { problem } = view;
  if (problem?.field !== "adminKey" && !(problem instanceof NotAllowed)) return view;
  const next = new URLSearchParams({ next: visit.request.url });
  const again = linkButton(
    `/admin/sign-in?${next}`,
    visit.t("Se connecter de nouveau", "Sign in again"),
    "second",
  );
  return {
    ...view,
    problem: new Problem(problem.sentence),
    body: html`${actions([again])}${view.body}`,
  };
}

export type CompanyShown = Data<"/v1/admin/company/list">[number];

/** One company. Throws `not-found`. */
export async function askCompany(visit: Visit, id: string): Promise<CompanyShown> {
  return (await visit.askAsAdministrator("/v1/admin/company/{id}", { id })).data;
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
  return namesOf((wanted) => visit.askAsAdministrator("/v1/admin/company/list", wanted), ids);
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

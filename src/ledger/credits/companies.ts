// Companies as the administrator sees them: one, a page of them, and search results.
import { type Static, Type } from "typebox";
import { quotasOf } from "../../identity/accounts/quotas.ts";
import type { AdminCaller } from "../../identity/admins/callers.ts";
import { readListed, shownAs } from "../../platform/database/pages.ts";
import type { Statements } from "../../platform/database/query.ts";
import { amongIds, inOrder } from "../../platform/http/lists.ts";
import { member } from "../../platform/http/meanings.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { requireRow } from "../../platform/http/refusals.ts";
import { SearchText } from "../../platform/http/schemas.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { normalisePhone, phoneStarts } from "../../protocol/sms/phone.ts";
import * as sql from "./companies.sql.ts";
import type { Company } from "./shapes.ts";

function companyOf({ config }: Runtime, row: sql.CompanyRow): Company {
  return { ...row, quotas: quotasOf(config, row.quotas) };
}

/** Returns a company as the administrator sees it. Refuses `not-found`. */
export async function readCompany(db: Statements, app: Runtime, companyId: string): Promise<Company> {
  return companyOf(app, await requireRow(db.run(sql.findListedCompany, [companyId]), "not-found"));
}

export const CompaniesWanted = Type.Object({
  ...inOrder("desc"),
  ...amongIds("company"),
  search: member(Type.Optional(SearchText), {
    fr: "Début d’un mot du nom de l’entreprise ou du propriétaire, début du numéro du propriétaire, ou 8 caractères de l’identifiant",
    en: "Beginning of a word of the company name or the owner’s name, beginning of the owner’s phone number, or 8 characters of the ID",
  }),
});

/**
 * Returns one page of companies with their balances: all, those with `ids`, or the first 1,000 that match `search`: the
 * beginnings of words in the names of companies and owners, of an owner's phone, or of an id.
 */
export async function listCompanies(
  app: Runtime,
  caller: AdminCaller,
  { ids, search, ...page }: Static<typeof CompaniesWanted> & Page,
): Promise<Listed<Company>> {
  const db = app.database;
  const found = search === undefined ? undefined : await searchCompanies(db, caller, search);
  const among = found && ids ? found.filter((id) => ids.includes(id)) : (found ?? ids);
  const list = among
    ? readListed(db, sql.listCompanies.among, page, { among })
    : readListed(db, sql.listCompanies.all, page, {});
  return shownAs(list, (row) => companyOf(app, row));
}

const FOUND_AT_MOST = 1_000;
// An id begins with its time: all ids of one day share their first characters.
const ID_CHARACTERS_AT_LEAST = 8;

async function searchCompanies(db: Statements, caller: AdminCaller, search: string): Promise<string[]> {
  const phones = phonesMeant(caller, search);
  const id = search.trim();
  const idStart = id.length < ID_CHARACTERS_AT_LEAST ? null : id;
  const found = await db.run(sql.searchCompanies, { text: search, phones, idStart, atMost: FOUND_AT_MOST });
  return found.map(({ id }) => id);
}

/** The countries that the service is made for: national numbers in a search are read as numbers of these. */
const COUNTRIES = ["CI", "BF", "BJ", "GH", "GN", "ML", "NE", "NG", "SN", "TG"];

/**
 * Returns the ranges of phones that a search text may mean. An administrator who sees phones masked must give a
 * whole one: otherwise searches would reveal the hidden digits one by one.
 */
function phonesMeant({ masking }: AdminCaller, search: string): { first: string; last: string }[] {
  if (!masking) {
    const starts = phoneStarts(search, COUNTRIES);
    return starts.map((first) => ({ first, last: `${first}x` }));
  }
  const phones = new Set(COUNTRIES.map((country) => normalisePhone(search, country)));
  return [...phones].flatMap((phone) => (phone === null ? [] : { first: phone, last: phone }));
}

// Variables of custom fields: which words of a text are variables, and how many recipients lack a value for each one.

import { listFieldNames, namesOfFields, requireFewNames } from "../../phonebook/contacts/fields.ts";
import type { GivenContact } from "../../phonebook/contacts/given.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { fieldsMaybeIn, strayWords } from "../../protocol/sms/personalise.ts";
import type { PricedCampaign } from "./pricing.ts";
import type { Variable } from "./shapes.ts";

const NOTHING = { own: new Set<string>(), newFields: [] as readonly string[] };

/**
 * Returns the custom fields that a company's text may use: those of its contacts and those of the request (`own`);
 * `newFields` are the names that the company does not have yet. The table is read only if the request has fields or a
 * word of the text may be one. Refuses `conflict` beyond 100 names of the company.
 */
export async function readOwnOf(
  app: Runtime,
  companyId: string,
  text: string,
  contacts: readonly GivenContact[],
): Promise<{ own: ReadonlySet<string>; newFields: readonly string[] }> {
  const given = namesOfFields(contacts);
  if (given.length === 0 && fieldsMaybeIn(text).length === 0) return NOTHING;
  const known = new Set(await listFieldNames(app.database.of(companyId), companyId));
  const newFields = given.filter((name) => !known.has(name));
  if (newFields.length > 0) requireFewNames(known.size + newFields.length, "contacts");
  return { own: new Set([...known, ...given]), newFields };
}

/** Returns the custom fields that a company's stored texts may use. Reads none if no word can be a field. */
export async function readOwnFor(
  db: Statements,
  companyId: string,
  texts: readonly string[],
): Promise<ReadonlySet<string>> {
  const mayBe = texts.some((text) => fieldsMaybeIn(text).length > 0);
  return mayBe ? new Set(await listFieldNames(db, companyId)) : NOTHING.own;
}

/**
 * Returns the company's custom fields for the warnings of a text, which suggest what words that are not variables may
 * mean. `variables` are those of the text. The fields are read only if the text has such a word.
 */
export async function readOwnMeant(
  db: Statements,
  companyId: string,
  text: string,
  variables: Iterable<string>,
): Promise<readonly string[]> {
  return strayWords(text, new Set(variables)).length > 0 ? listFieldNames(db, companyId) : [];
}

/**
 * Returns a text's variables, each with its fallback and the number of recipients without a value; all have a phone.
 */
export function variablesOf({ request: { template }, missing }: PricedCampaign): Variable[] {
  return template.names.flatMap((name, i) => {
    if (name === "phone") return [];
    const fallback = template.fallbacks.get(name);
    return { name, missing: missing[i] ?? 0, ...(fallback !== undefined && { fallback }) };
  });
}

// Which words of a text are variables of own fields, and how many recipients lack a value for each variable.
import {
  type GivenContact,
  listFieldNames,
  namesOfFields,
  requireFewNames,
} from "../../phonebook/contacts/contacts.ts";
import type { Statements } from "../../platform/database.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { fieldsMaybeIn, strayWords } from "../../protocol/sms/sms.ts";
import type { PricedCampaign } from "./pricing.ts";
import type { Variable } from "./shapes.ts";

const NOTHING = { own: new Set<string>(), newFields: [] as readonly string[] };

/**
 * The own fields that a text of a company may say: those that its contacts have and those that the request gives (`own`);
 * `newFields` are the names that the company has not yet. The table is read only where the request gives fields or the text
 * has a word that may be one. Refuses `conflict` beyond 100 names of the company.
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

/** The own fields of a company, for texts that it keeps. They are not read where no word of these may be one. */
export async function readOwnFor(
  db: Statements,
  companyId: string,
  texts: readonly string[],
): Promise<ReadonlySet<string>> {
  const mayBe = texts.some((text) => fieldsMaybeIn(text).length > 0);
  return mayBe ? new Set(await listFieldNames(db, companyId)) : NOTHING.own;
}

/**
 * The own fields of a company, for the warnings of a text: what its words that are no variables may mean. `variables` are those
 * of the text. The fields are read only where the text has such a word.
 */
export async function readOwnMeant(
  db: Statements,
  companyId: string,
  text: string,
  variables: Iterable<string>,
): Promise<readonly string[]> {
  return strayWords(text, new Set(variables)).length > 0 ? listFieldNames(db, companyId) : [];
}

/** The variables of a text, each with the number of recipients that lack a value and its fallback. Everybody has a phone. */
export function variablesOf({ draft: { template }, missing }: PricedCampaign): Variable[] {
  return template.names.flatMap((name, i) => {
    if (name === "phone") return [];
    const fallback = template.fallbacks.get(name);
    return { name, missing: missing[i]!, ...(fallback !== undefined && { fallback }) };
  });
}

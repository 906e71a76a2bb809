// Custom fields: what a company stores about its contacts beside their names, and the names of these fields.
import { Type } from "typebox";
import { lockCompany } from "../../identity/accounts/accounts.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { pageAmong } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { fieldAt } from "../../platform/http/body.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import type { Counted, Listed, Page } from "../../platform/http/paging.ts";
import { refuse } from "../../platform/http/refusals.ts";
import { orNull } from "../../platform/http/responseschemas.ts";
import { plainValue } from "../../protocol/sms/culprits.ts";
import { isFieldName } from "../../protocol/sms/personalise.ts";
import * as sql from "./fields.sql.ts";
import type { ContactField } from "./shapes.ts";

/** The custom fields of a contact: values by field name. */
export type OwnFields = Readonly<Record<string, string>>;

/** The maximum number of custom fields of one contact. */
const FIELDS_AT_MOST = 20;
/** The maximum number of field names of a company. */
const NAMES_AT_MOST = 100;

const Value = Type.String({ maxLength: 100 });

/** Custom fields in a request; an empty value means absent. */
export const OwnFields = Type.Unsafe<OwnFields>({
  type: "object",
  additionalProperties: Value,
  maxProperties: FIELDS_AT_MOST,
});

/** Custom fields in an update: given values are set, and null or an empty string removes a field. */
export type OwnFieldsChange = Readonly<Record<string, string | null>>;
export const OwnFieldsChange = Type.Unsafe<OwnFieldsChange>({
  type: "object",
  additionalProperties: orNull(Value),
  "x-nullable-within": true,
});

/** Custom fields in a response. */
export const OwnFieldsShown = Type.Unsafe<OwnFields>({ type: "object", additionalProperties: Type.String() });

/**
 * Reads the custom fields of a request from its member `at`; null if there are none. Refuses `invalid-request` for an
 * invalid field name.
 */
export function readOwnFields(fields: OwnFields | undefined, at: string): OwnFields | null {
  if (fields === undefined) return null;
  requireNames(fields, at);
  const said = Object.entries(fields)
    .map(([name, value]) => [name, plainValue(value)] as const)
    .filter(([, value]) => value !== "");
  return said.length > 0 ? Object.fromEntries(said) : null;
}

/** Does the same for an update: returns the values to set and the names to remove. */
export function readOwnFieldsChange(fields: OwnFieldsChange = {}): { set: OwnFields; removed: string[] } {
  requireNames(fields, "fields");
  const set: Record<string, string> = {};
  const removed: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const plain = value && plainValue(value);
    if (plain) set[name] = plain;
    else removed.push(name);
  }
  return { set, removed };
}

function requireNames(fields: object, at: string): void {
  for (const name of Object.keys(fields))
    if (!isFieldName(name)) refuseField(at + fieldAt(["_", name]).slice(1), NO_NAME);
}

const NO_NAME = {
  fr: "n’est pas un nom de champ valide : une lettre sans accent, suivie de lettres sans accent, de chiffres ou de _, 30 caractères au plus, sans reprendre le nom d’une variable",
  en: "is not a valid field name: an unaccented letter, then unaccented letters, digits or _, 30 characters at most, and not the name of a variable",
};

/** Refuses `invalid-request`, naming the member `at`, for an invalid field name or for more than 20 names. */
export function requireFieldNames(names: readonly string[], at: string): void {
  const wrong = names.find((name) => !isFieldName(name));
  if (wrong !== undefined) refuseField(at, { fr: `${wrong} ${NO_NAME.fr}`, en: `${wrong} ${NO_NAME.en}` });
  if (names.length > FIELDS_AT_MOST)
    refuseField(at, {
      fr: `contient ${names.length} champs personnalisés ; le maximum est ${FIELDS_AT_MOST}`,
      en: `contains ${names.length} custom fields; the maximum is ${FIELDS_AT_MOST}`,
    });
}

/** Refuses `invalid-request` if a contact has more than 20 custom fields, including those that it had. */
export function requireFewFields(fields: OwnFields, at: string): void {
  const count = Object.keys(fields).length;
  if (count <= FIELDS_AT_MOST) return;
  refuseField(at, {
    fr: `un contact peut avoir au plus ${FIELDS_AT_MOST} champs personnalisés ; celui-ci en aurait ${count}`,
    en: `a contact may have at most ${FIELDS_AT_MOST} custom fields; this one would have ${count}`,
  });
}

/** Returns the earlier custom fields of a contact, overwritten by the given ones. */
export function mergeFields(before: OwnFields | null | undefined, said: OwnFields | null): OwnFields | null {
  return before && said ? { ...before, ...said } : (said ?? before ?? null);
}

/** Returns the distinct field names of these contacts. */
export function namesOfFields(contacts: readonly { fields: OwnFields | null }[]): string[] {
  const names = new Set<string>();
  for (const { fields } of contacts) if (fields) for (const name of Object.keys(fields)) names.add(name);
  return [...names];
}

/**
 * Stores the field names that a company starts to use. Call it before contacts are written, since it may wait for the
 * company's lock. Refuses `conflict` beyond 100 names.
 */
export async function keepFieldNames(
  tx: Tx,
  companyId: string,
  names: readonly string[],
  at: string,
): Promise<void> {
  if (names.length === 0) return;
  const known = new Set(await knownFieldsAmong(tx, companyId, names));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  await lockCompany(tx, companyId);
  const { count } = await one(tx, sql.insertFields, [companyId, unknown]);
  requireFewNames(count, at);
}

/** Refuses `conflict` for more than 100 field names of a company. */
export function requireFewNames(count: number, at: string): void {
  if (count <= NAMES_AT_MOST) return;
  const message = {
    fr: `une entreprise peut avoir au plus ${NAMES_AT_MOST} noms de champs personnalisés`,
    en: `a company may have at most ${NAMES_AT_MOST} custom field names`,
  };
  refuse("conflict", { details: [{ field: at, message }] });
}

/** Returns the field names among these that the company has. */
async function knownFieldsAmong(
  db: Statements,
  companyId: string,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  return (await db.run(sql.listFieldsAmong, [companyId, names])).map((row) => row.name);
}

/** Returns the field names of a company, 100 at most. */
export async function listFieldNames(db: Statements, companyId: string): Promise<string[]> {
  return (await db.run(sql.listFields, [companyId])).map((row) => row.name);
}

/** Returns one page of the fields of a company, by name. */
export async function listFields(
  db: Statements,
  { companyId }: CompanyCaller,
  page: Page,
): Promise<Listed<ContactField>> {
  return pageAmong(await db.run(sql.listFields, [companyId]), page, ({ name }) => [name]);
}

/**
 * Deletes a field name of a company: texts can no longer use it. Contacts keep their values, and the name becomes a
 * field again when a contact is given one. Refuses `not-found`.
 */
export async function deleteField(tx: Tx, { companyId }: CompanyCaller, name: string): Promise<Counted> {
  const gone = await tx.run(sql.deleteField, [companyId, name]);
  return gone.length > 0 ? { count: gone.length } : refuse("not-found");
}

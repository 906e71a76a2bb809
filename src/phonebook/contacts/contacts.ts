// Contacts: a company's phone book, one contact per phone.
import { type Static, Type } from "typebox";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { requireQuota } from "../../identity/accounts/quotas.ts";
import { readPagedFromNearerEnd } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Counted, Listed, Page } from "../../platform/http/paging.ts";
import { refuse, requireRow } from "../../platform/http/refusals.ts";
import { changeOf, emptiable, ITEMS_AT_MOST, Name, Phone } from "../../platform/http/schemas.ts";
import { newId } from "../../platform/ids.ts";
import { phoneStarts, requirePhone } from "../../protocol/sms/phone.ts";
import {
  keepFieldNames,
  namesOfFields,
  type OwnFields,
  OwnFieldsChange,
  readOwnFieldsChange,
  requireFewFields,
} from "./fields.ts";
import { pageOfFound } from "./found.ts";
import {
  type ContactInput,
  fieldsBeside,
  type GivenContact,
  mergeByPhone,
  readContacts,
  visibleName,
} from "./given.ts";
import type { Contact, ContactCount, UpdatedContact } from "./shapes.ts";
import * as sql from "./sql.ts";

/** Contacts per statement. A statement with 10,000 blocked this process for 0.3 s (2 cores, 2026-11-26). */
const AT_ONCE = 500;

/**
 * Creates contacts with distinct phones (`mergeByPhone`), or updates those whose phone exists; returns their records in
 * the same order. An unchanged contact is only read. Refuses `too-many-contacts` if the new ones exceed the company's
 * quota.
 */
export async function createContacts(
  tx: Tx,
  caller: CompanyCaller,
  given: readonly GivenContact[],
): Promise<Contact[]> {
  const known = new Map<string, Contact>();
  for (const row of (await writeChanged(tx, caller, given)).rows) known.set(row.phone, row);
  return given.map((contact) => known.get(contact.phone)!);
}

/**
 * Does the same as `createContacts`, and locks every contact against deletion until the commit; returns their ids. Also
 * refuses `too-many-contacts` and `invalid-phone-number`.
 */
export async function holdContacts(
  tx: Tx,
  caller: CompanyCaller,
  inputs: readonly ContactInput[],
): Promise<string[]> {
  const given = mergeByPhone(readContacts(inputs, caller.country));
  const { rows } = await writeParts(tx, caller, given, (part) => upsert(tx, caller, part));
  return rows.map((row) => row.id);
}

/**
 * For imports: does the same as `createContacts`, but phones may repeat; returns the distinct ids of all contacts, and
 * of those created and changed.
 */
export async function importContacts(
  tx: Tx,
  caller: CompanyCaller,
  contacts: readonly GivenContact[],
): Promise<{ ids: string[]; created: string[]; changed: string[] }> {
  const { rows, created, changed } = await writeChanged(tx, caller, mergeByPhone(contacts));
  return { ids: rows.map((row) => row.id), created, changed };
}

/** Writes the contacts that are new or differ from what is stored. Returns all of them. */
async function writeChanged(tx: Tx, caller: CompanyCaller, given: readonly GivenContact[]): Promise<Written> {
  return writeParts(tx, caller, given, async (part) => {
    const unchanged = await tx.run(sql.listUnchanged, {
      companyId: caller.companyId,
      given: part.map(newContactOf),
    });
    const known = new Set(unchanged.map((row) => row.phone));
    const others = part.filter(({ phone }) => !known.has(phone));
    const { rows, created, changed } = await upsert(tx, caller, others);
    return { rows: [...unchanged, ...rows], created, changed };
  });
}

/** The contacts of a request, and the ids of those that were created and changed. */
type Written = { rows: Contact[]; created: string[]; changed: string[] };

/**
 * Writes contacts part by part, in the order of their phones, in which all statements lock contacts; `write` writes one
 * part. Adds the new ones to the company's counter last, because the holder of its lock must not wait for a contact.
 */
async function writeParts(
  tx: Tx,
  caller: CompanyCaller,
  given: readonly GivenContact[],
  write: (part: readonly GivenContact[]) => Promise<Written>,
): Promise<Written> {
  await keepNamesOf(tx, caller, given);
  const sorted = given.toSorted((a, b) => (a.phone < b.phone ? -1 : 1));
  const all: Written = { rows: [], created: [], changed: [] };
  for (let at = 0; at < sorted.length; at += AT_ONCE) {
    const { rows, created, changed } = await write(sorted.slice(at, at + AT_ONCE));
    all.rows.push(...rows);
    all.created.push(...created);
    all.changed.push(...changed);
  }
  const made = all.created.length;
  if (made > 0) {
    const counted = await one(tx, sql.upsertContactCount, [caller.companyId, made]);
    requireQuota(caller.quotas, "contacts", counted.count, "contacts");
  }
  return all;
}

async function keepNamesOf(tx: Tx, caller: CompanyCaller, given: readonly GivenContact[]): Promise<void> {
  const at = fieldsBeside(given.find(({ fields }) => fields !== null)?.field ?? "phone");
  await keepFieldNames(tx, caller.companyId, namesOfFields(given), at);
}

async function upsert(tx: Tx, caller: CompanyCaller, given: readonly GivenContact[]): Promise<Written> {
  if (given.length === 0) return { rows: [], created: [], changed: [] };
  const contacts = given.map(newContactOf);
  const rows = await tx.run(sql.upsertContacts, { companyId: caller.companyId, given: contacts });
  requireFewFieldsOf(rows, given);
  const newIds = new Set(contacts.map(({ id }) => id));
  const ids = rows.map((row) => row.id);
  return {
    rows,
    created: ids.filter((id) => newIds.has(id)),
    changed: ids.filter((id) => !newIds.has(id)),
  };
}

function requireFewFieldsOf(rows: readonly Contact[], given: readonly GivenContact[]): void {
  const said = new Map(given.map((contact) => [contact.phone, contact]));
  for (const row of rows) {
    const contact = said.get(row.phone)!;
    if (contact.fields) requireFewFields(row.fields, fieldsBeside(contact.field ?? "phone"));
  }
}

function newContactOf(given: GivenContact): sql.NewContact {
  return { ...given, id: newId(), fields: given.fields && JSON.stringify(given.fields) };
}

/**
 * For sends: creates the missing contacts of one or several companies. Call it once per transaction: it ends with the
 * lock of the company's counter, whose holder must not wait for a contact.
 */
export async function createMissingContacts(
  tx: Tx,
  contacts: readonly { companyId: string; contact: GivenContact }[],
): Promise<void> {
  if (contacts.length === 0) return;
  const given = contacts.map(({ companyId, contact }) => ({ companyId, ...newContactOf(contact) }));
  await tx.run(sql.insertMissingContacts, { given });
}

/** The stored values of a contact that texts use. `fields` is empty unless requested. */
export type KnownContact = {
  name: string;
  firstName: string | null;
  lastName: string | null;
  fields: OwnFields | null;
};

/** Returns the stored contacts with these phones, by `companyId phone`; with their custom fields if requested. */
export async function readKnownContacts(
  db: Statements,
  wanted: readonly { companyId: string; phone: string }[],
  withFields = false,
): Promise<Map<string, KnownContact>> {
  if (wanted.length === 0) return new Map();
  const rows = await db.run(sql.listContactsByPhone, { wanted, withFields });
  return new Map(rows.map((row) => [`${row.companyId} ${row.phone}`, row]));
}

export const CONTACT_ORDERS = ["createdAt", "firstName", "lastName", "name", "phone", "sex"] as const;
export type ContactPage = Page & { orderBy: (typeof CONTACT_ORDERS)[number] };

/**
 * Returns one page of the phone book, in the order of `orderBy` and `sort`. `search` finds at most 1,000 contacts whose
 * phone, or a word of whose names, starts with the text. Refuses `invalid-request` if the page is too deep.
 */
export async function listContacts(
  db: Statements,
  caller: CompanyCaller,
  wanted: ContactPage & { search?: string | undefined },
): Promise<Listed<Contact>> {
  if (wanted.search !== undefined) return searchContacts(db, caller, wanted.search, wanted);
  const { count: totalCount } = await countContacts(db, caller);
  const { companyId } = caller;
  const list = sql.listContacts[wanted.orderBy];
  return readPagedFromNearerEnd(db, list, wanted, totalCount, { companyId });
}

/** Returns the number of contacts of a company, in the same time for any number. */
export async function countContacts(db: Statements, { companyId }: CompanyCaller): Promise<ContactCount> {
  const [counted] = await db.run(sql.findContactCount, [companyId]);
  return counted ?? { count: 0 };
}

async function searchContacts(
  db: Statements,
  { companyId, country }: CompanyCaller,
  search: string,
  page: ContactPage,
): Promise<Listed<Contact>> {
  const found = await db.run(sql.searchContacts, [companyId, phoneStarts(search, [country]), search]);
  const ids = found.map(({ id }) => id).sort();
  const wanted = await pageOfFound(db, companyId, ids, page);
  const rows = await db.run(sql.listContactsInOrder, [companyId, wanted.rows.map(({ id }) => id)]);
  return { ...wanted, rows };
}

/** Returns one contact. Refuses `contact-not-found`. */
export async function readContact(db: Statements, caller: CompanyCaller, id: string): Promise<Contact> {
  return requireRow(db.run(sql.findContact, [caller.companyId, id]), "contact-not-found");
}

/** The members that an update may change; absent ones stay, and an empty string clears a nullable one. */
export const ContactChange = Type.Object({
  phone: Type.Optional(Phone),
  name: emptiable(Name),
  firstName: emptiable(Name),
  lastName: emptiable(Name),
  sex: emptiable(Type.Enum(["M", "F"])),
  fields: Type.Optional(OwnFieldsChange),
});
export type ContactChange = Static<typeof ContactChange>;

const UNIQUE_VIOLATION = "23505";

/**
 * Changes a contact. A new first or last name replaces the name, whatever `name` says (interface document, Contact); an
 * empty name becomes the phone, as for a contact created without one. Refuses `contact-not-found`,
 * `invalid-phone-number`, `contact-phone-taken` if another contact has the phone, `invalid-request` beyond 20 custom
 * fields, and `conflict` beyond 100 field names of the company.
 */
export async function updateContact(
  tx: Tx,
  caller: CompanyCaller,
  id: string,
  change: ContactChange,
): Promise<UpdatedContact> {
  const phone = change.phone === undefined ? null : requirePhone(change.phone, "phone", caller.country);
  const { name, firstName, lastName, sex } = change;
  const nameOf = (given: string | null | undefined) => changeOf(given && visibleName(given));
  const { set, removed } = readOwnFieldsChange(change.fields);
  await keepFieldNames(tx, caller.companyId, Object.keys(set), "fields");
  const [row] = await tx
    .run(sql.updateContact, {
      companyId: caller.companyId,
      id,
      phone,
      name: nameOf(name),
      firstName: nameOf(firstName),
      lastName: nameOf(lastName),
      sex: changeOf(sex),
      set: JSON.stringify(set),
      removed,
    })
    .catch((error: Error & { code?: unknown }) =>
      error.code === UNIQUE_VIOLATION ? refuse("contact-phone-taken") : Promise.reject(error),
    );
  if (!row) refuse("contact-not-found");
  if (change.fields) requireFewFields(row.fields, "fields");
  return row;
}

/**
 * Deletes contacts and their memberships of groups; returns the number deleted. Ids of other companies are not counted.
 * Refuses `too-many-contacts`.
 */
export async function deleteContacts(
  tx: Tx,
  { companyId }: Pick<CompanyCaller, "companyId">,
  ids: readonly string[],
): Promise<Counted> {
  const named = [companyId, distinctIds(ids)];
  await tx.run(sql.lockContactsToDelete, named);
  const gone = await one(tx, sql.deleteContacts, named);
  return { count: gone.count };
}

/** Returns the distinct ids of a request. Refuses `too-many-contacts`. */
export function distinctIds(ids: readonly string[]): string[] {
  if (ids.length > ITEMS_AT_MOST) refuse("too-many-contacts");
  return [...new Set(ids)];
}

/**
 * For groups: locks the contacts against deletion until the commit and returns their distinct ids. Refuses
 * `contact-not-found`, `too-many-contacts`.
 */
export async function lockContacts(tx: Tx, companyId: string, ids: readonly string[]): Promise<string[]> {
  const distinct = distinctIds(ids);
  const locked = await one(tx, sql.lockContacts, [companyId, distinct]);
  return locked.count === distinct.length ? distinct : refuse("contact-not-found");
}

/** Returns the ids of the contacts with these phones. Refuses `too-many-contacts`, `invalid-phone-number`. */
export async function findContactIds(
  db: Statements,
  caller: CompanyCaller,
  inputs: readonly ContactInput[],
): Promise<string[]> {
  const phones = readContacts(inputs, caller.country).map((contact) => contact.phone);
  const rows = await db.run(sql.listContactIds, [caller.companyId, phones]);
  return rows.map((row) => row.id);
}

// Contacts: a company's phone book, one contact per phone.
import { type Static, Type } from "typebox";
import type { CompanyCaller } from "../accounts/accounts.ts";
import type { Tx } from "../kernel/database.ts";
import { newId } from "../kernel/ids.ts";
import { type Detail, Refusal, refuse, refuseField } from "../kernel/refusals.ts";
import { Id, ITEMS_AT_MOST, type Listed, Name, offsetOf, type Page, Phone } from "../kernel/schemas.ts";
import { normalisePhone } from "../sms/sms.ts";
import * as sql from "./sql.ts";

/** What a caller may say of a contact beside its phone. */
const contactDetails = {
  name: Type.Optional(Name),
  firstName: Type.Optional(Name),
  lastName: Type.Optional(Name),
  sex: Type.Optional(Type.Enum(["M", "F"])),
};

// Lists come from spreadsheets, whose empty cells say nothing.
const Cell = Type.Optional(Type.String({ maxLength: 200 }));
/** As `contactDetails`, in a request that makes contacts or sends to them: an empty name is none. */
export const givenDetails = { ...contactDetails, name: Cell, firstName: Cell, lastName: Cell };

/** A contact inside a request: an object, or a bare phone. */
export const ContactInput = Type.Union([
  Phone,
  Type.Object({ phone: Phone, id: Type.Optional(Id), ...givenDetails }),
]);
export type ContactInput = Static<typeof ContactInput>;

/** A contact of a request after its phone was normalised; `given` is the phone as the caller wrote it. */
export type GivenContact = {
  given: string;
  phone: string;
  name: string | null;
  firstName: string | null;
  lastName: string | null;
  sex: "M" | "F" | null;
};

// Enough to mend a list by hand; a file full of bad numbers must not be answered with a file full of faults.
const FAULTS_SHOWN = 100;

/** A contact of a request whose phone is none; `position` counts from 0. */
export type InvalidContact = { position: number; given: string; name: string | null };

/** Normalises the phones of a request, and tells those that are none. Refuses `too-many-contacts` above 10,000. */
export function sortContacts(
  inputs: readonly ContactInput[],
  country: string,
): { contacts: GivenContact[]; invalid: InvalidContact[] } {
  if (inputs.length > ITEMS_AT_MOST) refuse("too-many-contacts");
  const contacts: GivenContact[] = [];
  const invalid: InvalidContact[] = [];
  for (const [position, input] of inputs.entries()) {
    const contact = typeof input === "string" ? { phone: input } : input;
    const phone = normalisePhone(contact.phone, country);
    if (phone === null) invalid.push({ position, given: contact.phone, name: contact.name ?? null });
    else contacts.push({ given: contact.phone, phone, ...detailsOf(contact) });
  }
  return { contacts, invalid };
}

/**
 * Normalises the phones of a request. Refuses `too-many-contacts` above 10,000 and `invalid-phone-number` with details
 * for phones that are none.
 */
export function readContacts(inputs: readonly ContactInput[], country: string): GivenContact[] {
  const { contacts, invalid } = sortContacts(inputs, country);
  if (invalid.length === 0) return contacts;
  const details: Detail[] = invalid
    .slice(0, FAULTS_SHOWN)
    .map(({ position }) => ({ field: `contacts[${position}].phone`, message: "is not a phone number" }));
  throw new Refusal("invalid-phone-number", { details });
}

function detailsOf(contact: ContactChange): Omit<GivenContact, "given" | "phone"> {
  return {
    name: contact.name || null,
    firstName: contact.firstName || null,
    lastName: contact.lastName || null,
    sex: contact.sex ?? null,
  };
}

export type Contact = {
  id: string;
  name: string;
  firstName: string | null;
  lastName: string | null;
  phone: string;
  sex: "M" | "F" | null;
};

function contactOf(row: Omit<sql.ContactRow, "created_at" | "updated_at">): Contact {
  return {
    id: row.id,
    name: row.name,
    firstName: row.first_name,
    lastName: row.last_name,
    phone: row.phone,
    sex: row.sex,
  };
}

/** A contact as all answers but that of an update show it. */
export type ListedContact = Contact & { createdAt: string };

export function listedContactOf(row: Omit<sql.ContactRow, "updated_at">): ListedContact {
  return { ...contactOf(row), createdAt: row.created_at.toISOString() };
}

/**
 * Creates contacts, or updates those whose phone exists; returns one record per phone, in the order of the request.
 * What is known just so is only read. Refuses `too-many-contacts` and `invalid-phone-number`.
 */
export async function createContacts(
  tx: Tx,
  caller: CompanyCaller,
  inputs: readonly ContactInput[],
): Promise<ListedContact[]> {
  const given = mergeByPhone(readContacts(inputs, caller.country));
  const known = new Map<string, sql.ContactRow>();
  const rows = await tx.run(sql.listUnchanged, valuesOf(caller, given));
  for (const row of rows) known.set(row.phone, row);
  const written = await writeContacts(
    tx,
    caller,
    given.filter(({ phone }) => !known.has(phone)),
  );
  for (const row of written) known.set(row.phone, row);
  return given.map((contact) => listedContactOf(known.get(contact.phone)!));
}

/** As `createContacts`, but every one of them is held against deletion until the commit; returns their ids. */
export async function holdContacts(
  tx: Tx,
  caller: CompanyCaller,
  inputs: readonly ContactInput[],
): Promise<string[]> {
  const given = mergeByPhone(readContacts(inputs, caller.country));
  return (await writeContacts(tx, caller, given)).map((row) => row.id);
}

async function writeContacts(
  tx: Tx,
  caller: CompanyCaller,
  given: readonly GivenContact[],
): Promise<sql.ContactRow[]> {
  if (given.length === 0) return [];
  const values = valuesOf(caller, given);
  const rows = await tx.run(sql.upsertContacts, values);
  const newIds = new Set(values[1]);
  const made = rows.filter((row) => newIds.has(row.id)).length;
  if (made > 0) await tx.run(sql.upsertContactCount, [caller.companyId, made]);
  return rows;
}

function valuesOf({ companyId }: CompanyCaller, given: readonly GivenContact[]) {
  return [
    companyId,
    given.map(() => newId()),
    given.map((contact) => contact.phone),
    given.map((contact) => contact.name),
    given.map((contact) => contact.firstName),
    given.map((contact) => contact.lastName),
    given.map((contact) => contact.sex),
  ] as const;
}

/** A phone given twice is one contact: what is said later wins, what is said once stays. */
function mergeByPhone(contacts: readonly GivenContact[]): GivenContact[] {
  const merged = new Map<string, GivenContact>();
  for (const contact of contacts) {
    const before = merged.get(contact.phone);
    merged.set(contact.phone, {
      ...contact,
      name: contact.name ?? before?.name ?? null,
      firstName: contact.firstName ?? before?.firstName ?? null,
      lastName: contact.lastName ?? before?.lastName ?? null,
      sex: contact.sex ?? before?.sex ?? null,
    });
  }
  return [...merged.values()];
}

/**
 * For sends: makes the contacts that do not exist yet, of one or several companies. Once per transaction: it ends with
 * the company's count, and whoever holds that row may wait for no contact.
 */
export async function createMissingContacts(
  tx: Tx,
  contacts: readonly { companyId: string; contact: GivenContact }[],
): Promise<void> {
  if (contacts.length === 0) return;
  await tx.run(sql.insertMissingContacts, [
    contacts.map(({ companyId }) => companyId),
    contacts.map(() => newId()),
    contacts.map(({ contact }) => contact.phone),
    contacts.map(({ contact }) => contact.name),
    contacts.map(({ contact }) => contact.firstName),
    contacts.map(({ contact }) => contact.lastName),
    contacts.map(({ contact }) => contact.sex),
  ]);
}

/** What is known of these phones, as what a send says of them where it says something; by `companyId phone`. */
export async function readKnownContacts(
  tx: Tx,
  wanted: readonly { companyId: string; phone: string }[],
): Promise<Map<string, { name: string; firstName: string | null; lastName: string | null }>> {
  if (wanted.length === 0) return new Map();
  const rows = await tx.run(sql.listContactsByPhone, [
    wanted.map((key) => key.companyId),
    wanted.map((key) => key.phone),
  ]);
  return new Map(
    rows.map((row) => [
      `${row.company_id} ${row.phone}`,
      { name: row.name, firstName: row.first_name, lastName: row.last_name },
    ]),
  );
}

export const CONTACT_ORDERS = ["createdAt", "firstName", "lastName", "phone"] as const;

/**
 * One page of the phone book: newest first by `createdAt`, ascending by names and phone, unless `sort` says otherwise.
 * Refuses `invalid-request` where the page is too deep.
 */
export async function listContacts(
  tx: Tx,
  caller: CompanyCaller,
  wanted: Page & { orderBy: (typeof CONTACT_ORDERS)[number] },
): Promise<Listed<ListedContact>> {
  const { orderBy, sort = orderBy === "createdAt" ? "desc" : "asc" } = wanted;
  const [counted] = await tx.run(sql.findContactCount, [caller.companyId]);
  const totalCount = counted?.count ?? 0;
  const rows = await readPage({ ...wanted, sort }, totalCount, (direction, limit, offset) =>
    tx.run(sql.listContacts[orderBy][direction], [caller.companyId, limit, offset]),
  );
  return { rows: rows.map(listedContactOf), totalCount };
}

// Skipping is what a deep page costs, 90 ms for so many (2 cores, 2026-11-21). Every page of a list of two million can be
// read, and a million rows from either end of a longer one.
const SKIPPED_AT_MOST = 1_000_000;

/**
 * Reads a page of a counted list from the end that is nearer. Refuses `invalid-request` where too many rows lie before
 * it and behind it.
 */
export async function readPage<Row>(
  wanted: Required<Page>,
  totalCount: number,
  read: (sort: "asc" | "desc", limit: number, offset: number) => Promise<Row[]>,
): Promise<Row[]> {
  const before = offsetOf(wanted);
  const count = Math.min(wanted.limit, totalCount - before);
  if (count <= 0) return [];
  const behind = totalCount - before - count;
  if (Math.min(before, behind) > SKIPPED_AT_MOST) refuseField("page", "is too deep in the list");
  if (before <= behind) return read(wanted.sort, count, before);
  const rows = await read(wanted.sort === "asc" ? "desc" : "asc", count, behind);
  return rows.reverse();
}

/** One contact. Refuses `contact-not-found`. */
export async function readContact(tx: Tx, caller: CompanyCaller, id: string): Promise<ListedContact> {
  const [row] = await tx.run(sql.findContact, [caller.companyId, id]);
  return row ? listedContactOf(row) : refuse("contact-not-found");
}

/** What an update may say of a contact; what it does not say stays. */
export const ContactChange = Type.Object({ phone: Type.Optional(Phone), ...contactDetails });
export type ContactChange = Static<typeof ContactChange>;

const UNIQUE_VIOLATION = "23505";

/**
 * Changes a contact. A first or last name makes the name anew, whatever `name` says (interface document, Contact).
 * Refuses `contact-not-found`, `invalid-phone-number`, and `contact-phone-taken` where another contact has the phone.
 */
export async function updateContact(
  tx: Tx,
  caller: CompanyCaller,
  id: string,
  change: ContactChange,
): Promise<Contact & { updatedAt: string }> {
  const phone = change.phone === undefined ? null : normalisePhone(change.phone, caller.country);
  if (change.phone !== undefined && phone === null) {
    refuse("invalid-phone-number", { details: [{ field: "phone", message: "is not a phone number" }] });
  }
  const { name, firstName, lastName, sex } = detailsOf(change);
  const [row] = await tx
    .run(sql.updateContact, [caller.companyId, id, phone, name, firstName, lastName, sex])
    .catch((error: Error & { code?: unknown }) =>
      error.code === UNIQUE_VIOLATION ? refuse("contact-phone-taken") : Promise.reject(error),
    );
  return row ? { ...contactOf(row), updatedAt: row.updated_at.toISOString() } : refuse("contact-not-found");
}

/**
 * Deletes contacts, which leave their groups; returns how many there were. Ids that are not the company's count for
 * nothing. Refuses `too-many-contacts`.
 */
export async function deleteContacts(
  tx: Tx,
  caller: CompanyCaller,
  ids: readonly string[],
): Promise<{ count: number }> {
  const named = [caller.companyId, distinctIds(ids)];
  await tx.run(sql.lockContactsToDelete, named);
  const [gone] = await tx.run(sql.deleteContacts, named);
  return { count: gone!.count };
}

/** Ids of a request, each once. Refuses `too-many-contacts`. */
export function distinctIds(ids: readonly string[]): string[] {
  if (ids.length > ITEMS_AT_MOST) refuse("too-many-contacts");
  return [...new Set(ids)];
}

/**
 * For groups: answers the distinct ids once all of them are contacts of the company that nobody can delete before the
 * commit. Refuses `contact-not-found`, `too-many-contacts`.
 */
export async function lockContacts(tx: Tx, companyId: string, ids: readonly string[]): Promise<string[]> {
  const distinct = distinctIds(ids);
  const [locked] = await tx.run(sql.lockContacts, [companyId, distinct]);
  return locked!.count === distinct.length ? distinct : refuse("contact-not-found");
}

/** The ids of those of these phones that are contacts. Refuses `too-many-contacts`, `invalid-phone-number`. */
export async function findContactIds(
  tx: Tx,
  caller: CompanyCaller,
  inputs: readonly ContactInput[],
): Promise<string[]> {
  const phones = readContacts(inputs, caller.country).map((contact) => contact.phone);
  const rows = await tx.run(sql.listContactIds, [caller.companyId, phones]);
  return rows.map((row) => row.id);
}

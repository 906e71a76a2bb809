// Contacts: a company's phone book, one contact per phone.
import { type Static, Type } from "typebox";
import type { CompanyCaller } from "../accounts/accounts.ts";
import type { Tx } from "../kernel/database.ts";
import { newId } from "../kernel/ids.ts";
import { type Detail, Refusal, refuse } from "../kernel/refusals.ts";
import { Id, ITEMS_AT_MOST, Name, Phone } from "../kernel/schemas.ts";
import { normalisePhone } from "../sms/sms.ts";
import * as sql from "./sql.ts";

/** What a caller may say of a contact beside its phone. */
export const contactDetails = {
  name: Type.Optional(Name),
  firstName: Type.Optional(Name),
  lastName: Type.Optional(Name),
  sex: Type.Optional(Type.Enum(["M", "F"])),
};

/** A contact inside a request: an object, or a bare phone. */
export const ContactInput = Type.Union([
  Phone,
  Type.Object({ phone: Phone, id: Type.Optional(Id), ...contactDetails }),
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

/**
 * Normalises the phones of a request. Refuses `too-many-contacts` above 10,000 and `invalid-phone-number` with details
 * for phones that are none.
 */
export function readContacts(inputs: readonly ContactInput[], country: string): GivenContact[] {
  if (inputs.length > ITEMS_AT_MOST) refuse("too-many-contacts");
  const details: Detail[] = [];
  const contacts: GivenContact[] = [];
  for (const [i, input] of inputs.entries()) {
    const contact = typeof input === "string" ? { phone: input } : input;
    const phone = normalisePhone(contact.phone, country);
    if (phone === null) details.push({ field: `contacts[${i}].phone`, message: "is not a phone number" });
    else contacts.push({ given: contact.phone, phone, ...detailsOf(contact) });
  }
  if (details.length > 0)
    throw new Refusal("invalid-phone-number", { details: details.slice(0, FAULTS_SHOWN) });
  return contacts;
}

function detailsOf(contact: Exclude<ContactInput, string>): Omit<GivenContact, "given" | "phone"> {
  return {
    name: contact.name ?? null,
    firstName: contact.firstName ?? null,
    lastName: contact.lastName ?? null,
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
  createdAt: string;
};

function contactOf(row: sql.ContactRow): Contact {
  return {
    id: row.id,
    name: row.name,
    firstName: row.first_name,
    lastName: row.last_name,
    phone: row.phone,
    sex: row.sex,
    createdAt: row.created_at.toISOString(),
  };
}

/** Creates contacts, or updates those whose phone exists; returns one record per phone, in the order of the request. */
export async function createContacts(
  tx: Tx,
  caller: CompanyCaller,
  inputs: readonly ContactInput[],
): Promise<Contact[]> {
  const given = mergeByPhone(readContacts(inputs, caller.country));
  const rows = await tx.run(sql.upsertContacts, [
    caller.companyId,
    given.map(() => newId()),
    given.map((contact) => contact.phone),
    given.map((contact) => contact.name),
    given.map((contact) => contact.firstName),
    given.map((contact) => contact.lastName),
    given.map((contact) => contact.sex),
  ]);
  const byPhone = new Map(rows.map((row) => [row.phone, row]));
  return given.map((contact) => contactOf(byPhone.get(contact.phone)!));
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

/** For sends: makes the contacts that do not exist yet, of one or several companies. */
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

/** One page of the phone book: newest first by `createdAt`, ascending by names and phone, unless `sort` says otherwise. */
export async function listContacts(
  tx: Tx,
  caller: CompanyCaller,
  page: { orderBy: (typeof CONTACT_ORDERS)[number]; sort?: "asc" | "desc"; limit: number; offset: number },
): Promise<{ contacts: Contact[]; totalCount: number }> {
  const sort = page.sort ?? (page.orderBy === "createdAt" ? "desc" : "asc");
  const [rows, [total]] = await Promise.all([
    tx.run(sql.listContacts[page.orderBy][sort], [caller.companyId, page.limit, page.offset]),
    tx.run(sql.countContacts, [caller.companyId]),
  ]);
  return { contacts: rows.map(contactOf), totalCount: total!.count };
}

/** One contact. Refuses `contact-not-found`. */
export async function readContact(tx: Tx, caller: CompanyCaller, id: string): Promise<Contact> {
  const [row] = await tx.run(sql.findContact, [caller.companyId, id]);
  return row ? contactOf(row) : refuse("contact-not-found");
}

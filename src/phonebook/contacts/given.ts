// The contacts of a request: their schema, and their values once phones are normalized.
import { type Static, Type } from "typebox";
import { isBlank } from "../../platform/http/blank.ts";
import { WARNINGS_AT_MOST } from "../../platform/http/envelope.ts";
import type { Detail, Warning } from "../../platform/http/fielderrors.ts";
import { idOf, OF_NO_ACCOUNT } from "../../platform/http/idschemas.ts";
import { ONE_MORE } from "../../platform/http/members.ts";
import { Refusal, refuse } from "../../platform/http/refusals.ts";
import { ITEMS_AT_MOST, Name, Phone } from "../../platform/http/schemas.ts";
import { plainValue } from "../../protocol/sms/culprits.ts";
import { NO_PHONE, normalisePhone } from "../../protocol/sms/phone.ts";
import { warningOfPhone } from "../../protocol/sms/phonewarnings.ts";
import { mergeFields, OwnFields, readOwnFields } from "./fields.ts";

/** The members of a contact except its phone. */
export const contactDetails = {
  name: Type.Optional(Name),
  firstName: Type.Optional(Name),
  lastName: Type.Optional(Name),
  sex: Type.Optional(Type.Enum(["M", "F"])),
  fields: Type.Optional(OwnFields),
};

/** A contact inside a request: an object, or a bare phone. */
export const ContactInput = Type.Union([
  Phone,
  Type.Object({ phone: Phone, id: Type.Optional(idOf(OF_NO_ACCOUNT)), ...contactDetails }),
]);
export type ContactInput = Static<typeof ContactInput>;

/**
 * A contact of a request after its phone was normalized; `given` is the phone as the caller wrote it, `field` its field
 * path in the request.
 */
export type GivenContact = {
  given: string;
  field?: string;
  phone: string;
  name: string | null;
  firstName: string | null;
  lastName: string | null;
  sex: "M" | "F" | null;
  /** Null: the request gives no custom fields. */
  fields: OwnFields | null;
};

// Enough to correct a list by hand. The response to a file of bad numbers must not be as large as the file.
const DETAILS_SHOWN = 100;

/** A contact of a request with an invalid phone. */
export type InvalidContact = { field: string; given: string; name: string | null };

/** Returns the field path of a contact's phone in the `contacts` of a body; a bare phone has the same path. */
function phoneFieldOf(position: number): string {
  return `contacts[${position}].phone`;
}

/**
 * Normalizes the phones of a request, and lists those that are invalid. Refuses `too-many-contacts` above 10,000, and
 * `invalid-request` for invalid names of custom fields.
 */
export function sortContacts(
  inputs: readonly ContactInput[],
  country: string,
  fieldOf = phoneFieldOf,
): { contacts: GivenContact[]; invalid: InvalidContact[] } {
  if (inputs.length > ITEMS_AT_MOST) refuse("too-many-contacts");
  const contacts: GivenContact[] = [];
  const invalid: InvalidContact[] = [];
  for (const [position, input] of inputs.entries()) {
    const contact = typeof input === "string" ? { phone: input } : input;
    const phone = normalisePhone(contact.phone, country);
    const field = fieldOf(position);
    if (phone === null) invalid.push({ field, given: contact.phone, name: contact.name ?? null });
    else {
      const said = "fields" in contact ? contact.fields : undefined;
      const fields = said === undefined ? null : readOwnFields(said, fieldsBeside(field));
      contacts.push({ given: contact.phone, field, phone, ...contactDetailsOf(contact), fields });
    }
  }
  return { contacts, invalid };
}

/**
 * Normalizes the phones of a request. Refuses `too-many-contacts` above 10,000 and `invalid-phone-number` with details
 * of the invalid phones.
 */
export function readContacts(
  inputs: readonly ContactInput[],
  country: string,
  fieldOf = phoneFieldOf,
): GivenContact[] {
  const { contacts, invalid } = sortContacts(inputs, country, fieldOf);
  if (invalid.length === 0) return contacts;
  const details: Detail[] = invalid.slice(0, DETAILS_SHOWN).map(({ field }) => ({ field, ...NO_PHONE }));
  throw new Refusal("invalid-phone-number", { details });
}

/** Returns the warnings of phone numbers with more than one possible reading. Beyond 20 they are only counted. */
export function warningsOfContacts(
  inputs: readonly ContactInput[],
  country: string,
  fieldOf = phoneFieldOf,
): Warning[] {
  const warnings: Warning[] = [];
  for (const [position, input] of inputs.entries()) {
    const message = warningOfPhone(typeof input === "string" ? input : input.phone, country);
    if (message === null) continue;
    warnings.push(warnings.length < WARNINGS_AT_MOST ? { field: fieldOf(position), message } : ONE_MORE);
  }
  return warnings;
}

/** Returns the warning of the number in one member of a request; none if it is absent or unambiguous. */
export function warningsOfPhone(raw: string | undefined, field: string, country: string): Warning[] {
  return raw === undefined ? [] : warningsOfContacts([raw], country, () => field);
}

/** Returns the field path of a contact's custom fields, given that of its phone. */
export function fieldsBeside(field: string): string {
  return field.replace(/phone$/, "fields");
}

/**
 * Returns a name without invisible characters and with ordinary spaces; null if nothing is left. Pasted lists contain
 * other characters, and one of them turns every message with the name into UCS-2.
 */
export function visibleName(name: string): string | null {
  const plain = plainValue(name);
  return isBlank(plain) ? null : plain;
}

function contactDetailsOf({
  name = null,
  firstName = null,
  lastName = null,
  sex = null,
}: Partial<Pick<GivenContact, "name" | "firstName" | "lastName" | "sex">>) {
  return {
    name: name && visibleName(name),
    firstName: firstName && visibleName(firstName),
    lastName: lastName && visibleName(lastName),
    sex,
  };
}

/** Merges contacts with the same phone; the later value of a member wins. */
export function mergeByPhone(contacts: readonly GivenContact[]): GivenContact[] {
  const merged = new Map<string, GivenContact>();
  for (const contact of contacts) {
    const before = merged.get(contact.phone);
    const both = before && {
      ...contact,
      name: contact.name ?? before.name,
      firstName: contact.firstName ?? before.firstName,
      lastName: contact.lastName ?? before.lastName,
      sex: contact.sex ?? before.sex,
      fields: mergeFields(before.fields, contact.fields),
    };
    merged.set(contact.phone, both ?? contact);
  }
  return [...merged.values()];
}

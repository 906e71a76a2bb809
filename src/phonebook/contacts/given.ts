// The contacts of a request: what may be said of them, and what they are once their phones are normalised.
import { type Static, Type } from "typebox";
import { isBlank } from "../../platform/blank.ts";
import { WARNINGS_AT_MOST } from "../../platform/envelope.ts";
import { ONE_MORE } from "../../platform/members.ts";
import { type Detail, Refusal, refuse, type Warning } from "../../platform/refusals.ts";
import { Id, ITEMS_AT_MOST, Name, Phone } from "../../platform/schemas.ts";
import { NO_PHONE, normalisePhone, plainValue, warningOfPhone } from "../../protocol/sms/sms.ts";
import { mergeFields, OwnFields, readOwnFields } from "./fields.ts";

/** The members of a contact beside its phone. */
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
  Type.Object({ phone: Phone, id: Type.Optional(Id), ...contactDetails }),
]);
export type ContactInput = Static<typeof ContactInput>;

/**
 * A contact of a request after its phone was normalised; `given` is the phone as the caller wrote it, `field` where it
 * stands in the request.
 */
export type GivenContact = {
  given: string;
  field?: string;
  phone: string;
  name: string | null;
  firstName: string | null;
  lastName: string | null;
  sex: "M" | "F" | null;
  /** Null: none of its own values is said. */
  fields: OwnFields | null;
};

// Enough to mend a list by hand. A file full of bad numbers must not get an answer of the same size.
const FAULTS_SHOWN = 100;

/** A contact of a request whose phone is none. */
export type InvalidContact = { field: string; given: string; name: string | null };

/** Where the phone of a contact stands in the `contacts` of a body; a bare phone is named the same way. */
function phoneFieldOf(position: number): string {
  return `contacts[${position}].phone`;
}

/**
 * Normalises the phones of a request, and lists those that are invalid. Refuses `too-many-contacts` above 10,000, and
 * `invalid-request` for own fields with names that cannot be.
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
 * Normalises the phones of a request. Refuses `too-many-contacts` above 10,000 and `invalid-phone-number` with details
 * for phones that are none.
 */
export function readContacts(
  inputs: readonly ContactInput[],
  country: string,
  fieldOf = phoneFieldOf,
): GivenContact[] {
  const { contacts, invalid } = sortContacts(inputs, country, fieldOf);
  if (invalid.length === 0) return contacts;
  const details: Detail[] = invalid.slice(0, FAULTS_SHOWN).map(({ field }) => ({ field, message: NO_PHONE }));
  throw new Refusal("invalid-phone-number", { details });
}

/** The warnings of numbers that may be meant otherwise than they were read. Beyond 20 they are only counted. */
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

/** The warning of the number in one member of a request; none where it is absent, or certain. */
export function warningsOfPhone(raw: string | undefined, field: string, country: string): Warning[] {
  return raw === undefined ? [] : warningsOfContacts([raw], country, () => field);
}

/** Where the own fields of a contact stand, whose phone stands in `field`. */
export function fieldsBeside(field: string): string {
  return field.replace(/phone$/, "fields");
}

/**
 * A name without invisible characters and with ordinary spaces. Pasted lists contain others, and one of them turns every
 * message that shows the name into UCS-2. Null where nothing is left.
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

/** A phone given twice is one contact; the later value of a member wins. */
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

// From the contacts of a request to the messages of a campaign: one per phone, rendered, counted and priced.

import type { GivenContact } from "../contacts/contacts.ts";
import { refuse } from "../kernel/refusals.ts";
import type { Recipient } from "../messages/messages.ts";
import type { Routing } from "../operators/operators.ts";
import { priceOf, segmentsOf, type Template } from "../sms/sms.ts";

/** Somebody who gets no message, and why: `phone` as the caller sent it. */
export type Blocked = {
  phone: string;
  name: string | null;
  code: "invalid-number" | "duplicate" | "opted-out" | "unroutable";
  reason: string;
};

export type Known = ReadonlyMap<string, { name: string; firstName: string | null; lastName: string | null }>;

const REASONS: Record<Blocked["code"], string> = {
  "invalid-number": "This is not a phone number.",
  duplicate: "This number is in the list already.",
  "opted-out": "This person has asked for no more messages.",
  unroutable: "No operator serves this number.",
};

export function blocked(contact: { given: string; name: string | null }, code: Blocked["code"]): Blocked {
  return { phone: contact.given, name: contact.name, code, reason: REASONS[code] };
}

/** One contact per phone: the first one; the others are blocked as duplicates. */
export function distinctContacts(contacts: readonly GivenContact[]): {
  contacts: GivenContact[];
  duplicates: Blocked[];
} {
  const first = new Map<string, GivenContact>();
  const duplicates: Blocked[] = [];
  for (const contact of contacts) {
    if (first.has(contact.phone)) duplicates.push(blocked(contact, "duplicate"));
    else first.set(contact.phone, contact);
  }
  return { contacts: [...first.values()], duplicates };
}

export type Rendered = {
  recipients: Recipient[];
  contacts: GivenContact[];
  blocked: Blocked[];
  price: number;
};

/**
 * Renders and prices the text for each contact; `known` says what the company's phone book has of them, and the
 * request wins. Refuses `message-too-long` if the text of anyone has too many segments.
 */
export function renderFor(
  contacts: readonly GivenContact[],
  template: Template,
  routing: Routing,
  known: Known,
  segmentsAtMost: number,
): Rendered {
  const rendered: Rendered = { recipients: [], contacts: [], blocked: [], price: 0 };
  // Without variables everyone gets the same text: it is counted once.
  const common = template.personal ? undefined : textOf(template.render({ phone: "" }), segmentsAtMost);
  for (const contact of contacts) {
    const prefix = routing.prefixOf(contact.phone);
    if (prefix === null) {
      rendered.blocked.push(blocked(contact, "unroutable"));
      continue;
    }
    const { body, segments } = common ?? textOf(template.render(detailsOf(contact, known)), segmentsAtMost);
    const price = priceOf(contact.phone, segments);
    rendered.recipients.push({ phone: contact.phone, prefix, body, segments, price });
    rendered.contacts.push(contact);
    rendered.price += price;
  }
  return rendered;
}

function textOf(body: string, segmentsAtMost: number): { body: string; segments: number } {
  const { segments } = segmentsOf(body);
  if (segments > segmentsAtMost) refuse("message-too-long");
  return { body, segments };
}

function detailsOf(contact: GivenContact, known: Known) {
  const before = known.get(contact.phone);
  return {
    phone: contact.phone,
    name: contact.name ?? before?.name ?? null,
    firstName: contact.firstName ?? before?.firstName ?? null,
    lastName: contact.lastName ?? before?.lastName ?? null,
  };
}

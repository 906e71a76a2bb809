// From the contacts of a request to the messages of a campaign: one per phone, rendered, counted and priced.

import type { GivenContact } from "../contacts/contacts.ts";
import { refuse } from "../kernel/refusals.ts";
import type { Recipient } from "../messages/messages.ts";
import type { Routing } from "../operators/operators.ts";
import { compileTemplate, type Encoding, priceOf, segmentsOf, type Template } from "../sms/sms.ts";

// Ten segments of GSM-7, and room for variables that vanish; the exact limit holds after personalisation.
const TEXT_CHARACTERS_AT_MOST = 10_000;

/** A text that somebody wants sent, as a template. Refuses `message-too-long` beyond 10,000 characters. */
export function templateOf(text: string): Template {
  if (text.length > TEXT_CHARACTERS_AT_MOST) refuse("message-too-long");
  return compileTemplate(text);
}

/** Somebody who gets no message, and why: `phone` as the caller sent it. */
export type Blocked = {
  phone: string;
  name: string | null;
  code: "invalid-number" | "duplicate" | "opted-out" | "unroutable";
};

type Details = { name: string; firstName: string | null; lastName: string | null };

/** What the phone book has, by `companyId phone`. */
export type Known = ReadonlyMap<string, Details>;

const REASONS: Record<"fr" | "en", Record<Blocked["code"], string>> = {
  fr: {
    "invalid-number": "Ce n’est pas un numéro de téléphone.",
    duplicate: "Ce numéro est déjà dans la liste.",
    "opted-out": "Cette personne a demandé à ne plus recevoir de messages.",
    unroutable: "Aucun opérateur ne dessert ce numéro.",
  },
  en: {
    "invalid-number": "This is not a phone number.",
    duplicate: "This number is in the list already.",
    "opted-out": "This person has asked for no more messages.",
    unroutable: "No operator serves this number.",
  },
};

export function blocked(contact: { given: string; name: string | null }, code: Blocked["code"]): Blocked {
  return { phone: contact.given, name: contact.name, code };
}

/** Who is blocked, with the reason in the language of the company. */
export function explainBlocked(blocked: readonly Blocked[], language: "fr" | "en") {
  return blocked.map((contact) => ({ ...contact, reason: REASONS[language][contact.code] }));
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

/** What to do with who would get too many segments: refuse the whole send, or leave them out. */
export type TooLong = "refuse" | "leave-out";

export type Rules = { template: Template; routing: Routing; segmentsAtMost: number; tooLong?: TooLong };

/**
 * Renders and prices the text for each contact of a company; `known` says what its phone book has of them, and the
 * request wins. Refuses `message-too-long` if the text of anyone has too many segments.
 */
export function renderFor(
  companyId: string,
  contacts: readonly GivenContact[],
  rules: Rules,
  known: Known,
): Rendered {
  const { template, routing } = rules;
  const rendered: Rendered = { recipients: [], contacts: [], blocked: [], price: 0 };
  // Without variables everyone gets the same text: it is counted once.
  const common = template.personal ? undefined : textOf(template.render({ phone: "" }), rules);
  for (const contact of contacts) {
    const { phone } = contact;
    const prefix = routing.prefixOf(phone);
    if (prefix === null) {
      rendered.blocked.push(blocked(contact, "unroutable"));
      continue;
    }
    const text =
      common ?? textOf(template.render(detailsOf(contact, known.get(`${companyId} ${phone}`))), rules);
    if (text.segments > rules.segmentsAtMost) continue;
    const price = priceOf(phone, text.segments);
    rendered.recipients.push({ phone, prefix, ...text, price });
    rendered.contacts.push(contact);
    rendered.price += price;
  }
  return rendered;
}

function textOf(
  body: string,
  { segmentsAtMost, tooLong }: Rules,
): { body: string; encoding: Encoding; segments: number } {
  const { encoding, segments } = segmentsOf(body);
  if (segments > segmentsAtMost && tooLong !== "leave-out") refuse("message-too-long");
  return { body, encoding, segments };
}

function detailsOf(contact: GivenContact, before: Details | undefined) {
  return {
    phone: contact.phone,
    name: contact.name ?? before?.name ?? null,
    firstName: contact.firstName ?? before?.firstName ?? null,
    lastName: contact.lastName ?? before?.lastName ?? null,
  };
}

// From the contacts of a request to the messages of a campaign: one per phone, rendered, counted and priced.
import type { Ported, Routing } from "../../delivery/operators/routing.ts";
import type { RoutedSender } from "../../delivery/operators/senderrules.ts";
import type { Recipient } from "../../delivery/sends/queue/enqueue.ts";
import type { KnownContact } from "../../phonebook/contacts/contacts.ts";
import { mergeFields } from "../../phonebook/contacts/fields.ts";
import type { GivenContact } from "../../phonebook/contacts/given.ts";
import type { ErasedKeys } from "../../phonebook/optouts/optouts.ts";
import { type Detail, refuseField } from "../../platform/http/fielderrors.ts";
import { type Language, refuse, type Sentence } from "../../platform/http/refusals.ts";
import type { Encoding } from "../../protocol/sms/encoding.ts";
import { compileTemplate, lacks, type Template } from "../../protocol/sms/personalise.ts";
import { callingCodeOf } from "../../protocol/sms/plans.ts";
import { segmentsOf } from "../../protocol/sms/segments.ts";
import { priceOf } from "../../protocol/sms/tariff.ts";
import type { BlockedContact } from "./shapes.ts";

// Far above ten segments of GSM-7, to allow for variables that render to nothing. The exact limit is checked later.
export const TEXT_CHARACTERS_AT_MOST = 10_000;
// Each variable is replaced for each recipient, and a text of 10,000 characters has room for 2,000 variables.
const VARIABLES_AT_MOST = 50;
// A contact can have this many.
const OWN_AT_MOST = 20;

/**
 * Compiles the text of a request, in its member `field`, to a template; `own` are the custom fields that it may use.
 * Refuses `message-too-long` beyond 10,000 characters, and `invalid-request` beyond 50 variables or 20 custom fields.
 */
export function templateOf(text: string, field: string, own?: ReadonlySet<string>): Template {
  if (text.length > TEXT_CHARACTERS_AT_MOST) refuse("message-too-long");
  const template = compileTemplate(text, own);
  if (template.variables > VARIABLES_AT_MOST)
    refuseField(field, {
      fr: `contient ${template.variables} variables ; le maximum est ${VARIABLES_AT_MOST}`,
      en: `contains ${template.variables} variables; the maximum is ${VARIABLES_AT_MOST}`,
    });
  if (template.own.length > OWN_AT_MOST)
    refuseField(field, {
      fr: `contient ${template.own.length} champs personnalisés ; le maximum est ${OWN_AT_MOST}`,
      en: `contains ${template.own.length} custom fields; the maximum is ${OWN_AT_MOST}`,
    });
  return template;
}

/** A contact that gets no message, with the reason; `phone` is as the caller sent it. */
export type Blocked = Omit<BlockedContact, "reason"> & {
  /** The field path of the phone in the request; undefined for a member of a group. */
  field?: string | undefined;
};

/** The phone book's contacts, by `companyId phone`. */
export type Known = ReadonlyMap<string, KnownContact>;

const REASONS: Readonly<Record<Blocked["code"], Sentence>> = {
  "invalid-number": { fr: "Ce n’est pas un numéro de téléphone.", en: "This is not a phone number." },
  duplicate: { fr: "Ce numéro est déjà dans la liste.", en: "This number is already in the list." },
  "opted-out": {
    fr: "Cette personne a demandé à ne plus recevoir de messages.",
    en: "This person has opted out of messages.",
  },
  "country-not-allowed": {
    fr: "Le pays de ce numéro n’est pas ouvert pour l’entreprise (réglage « Pays ouverts »).",
    en: "The country of this number is not open for the company (setting “Open countries”).",
  },
  "sender-not-registered": {
    fr: "Le nom d’expéditeur n’est pas enregistré chez l’opérateur de ce numéro.",
    en: "The sender name is not registered at the operator of this number.",
  },
  unroutable: { fr: "Aucun opérateur ne dessert ce numéro.", en: "No operator serves this number." },
};

type LeftOut = { given: string; name: string | null; field?: string | undefined };

export function blocked({ given, name, field }: LeftOut, code: Blocked["code"]): Blocked {
  return { phone: given, name, code, field };
}

/** Returns the blocked contacts, with the reasons in the language of the company. */
export function explainBlocked(blocked: readonly Blocked[], language: Language): BlockedContact[] {
  return blocked.map(({ phone, name, code }) => ({ phone, name, code, reason: REASONS[code][language] }));
}

/** Returns them as details of a refusal. Members of groups are listed by phone: the request does not contain them. */
export function detailsOfBlocked(blocked: readonly Blocked[]): Detail[] {
  return blocked.map(({ phone, code, field }) => {
    const { fr, en } = REASONS[code];
    if (field !== undefined) return { field, message: REASONS[code] };
    return { field: "groupsIds", message: { fr: `${phone} : ${fr}`, en: `${phone}: ${en}` } };
  });
}

/** Keeps the first contact with each phone; the others are blocked as duplicates. */
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
  /** Named contacts that get a message. */
  contacts: GivenContact[];
  blocked: Blocked[];
  price: number;
  /** The number of recipients without a value, for each variable of the text in the order of its names. */
  missing: number[];
};

/** What happens if a rendered text has too many segments: the send is refused, or that recipient is left out. */
type TooLong = "refuse" | "leave-out";

export type Rules = {
  template: Template;
  routing: Routing;
  /** If so, the messages go to the simulated handsets only. */
  isTrial: boolean;
  /** The calling codes that the company reaches; null: all. */
  openCodes: ReadonlySet<string> | null;
  sender: RoutedSender;
  /** The keys that find the opt-outs of erased people. */
  erased: ErasedKeys;
  segmentsAtMost: number;
  tooLong?: TooLong;
  /** Resolves when the next slice of a long list may be rendered. */
  nextSlice(): Promise<void>;
};

// The fixed work per recipient, in characters of rendered text: in all, and to price it. A recipient takes 7.5 µs in
// all, and a character 6 ns (2 cores, 2026-11-23).
const RECIPIENT_CHARACTERS = 1_000;
const PRICED_CHARACTERS = 200;
const SLICE_CHARACTERS = 100_000;
// Campaigns of up to this size are accepted together, with their pools locked, so they must never wait for a slice.
const SLICE_AT_LEAST = 100;

/** The work of rendering a text: recipients × length, where a text without variables has length 0. */
export function workOf(template: Template, recipients: number): number {
  return recipients * (RECIPIENT_CHARACTERS + charactersOf(template));
}

/** The number of recipients in one slice of this text. A slice takes half a millisecond (2 cores, 2026-11-23). */
export function sizeOfSlice(template: Template): number {
  const each = PRICED_CHARACTERS + charactersOf(template);
  return Math.max(SLICE_AT_LEAST, Math.ceil(SLICE_CHARACTERS / each));
}

function charactersOf({ personal, characters }: Template): number {
  return personal ? characters : 0;
}

/**
 * Renders and prices the text for each of these contacts of a company, and adds them to `rendered`; `known` holds the
 * phone book's values, which the request overrides, and `ported` the operators of ported numbers. Refuses
 * `message-too-long` if anyone's text has too many segments.
 */
export function renderFor(
  companyId: string,
  contacts: readonly GivenContact[],
  rules: Rules,
  { known, ported }: { known: Known; ported: Ported },
  rendered: Rendered,
): void {
  const { template, routing, isTrial, openCodes, sender } = rules;
  // Without variables everyone gets the same text, so it is measured once.
  const common = template.personal ? undefined : measureText(template.render({ phone: "" }), rules);
  for (const contact of contacts) {
    const { phone } = contact;
    if (openCodes && !openCodes.has(callingCodeOf(phone))) {
      rendered.blocked.push(blocked(contact, "country-not-allowed"));
      continue;
    }
    const prefix = isTrial ? routing.trialPrefix : routing.prefixOf(phone, ported, sender);
    if (prefix === null) {
      rendered.blocked.push(blocked(contact, "unroutable"));
      continue;
    }
    if (routing.refuses(prefix)) {
      rendered.blocked.push(blocked(contact, "sender-not-registered"));
      continue;
    }
    const addressee = common ? undefined : addresseeOf(contact, known.get(`${companyId} ${phone}`));
    const text = common ?? measureText(template.render(addressee!), rules);
    if (text.segments > rules.segmentsAtMost) continue;
    for (const [i, name] of template.names.entries()) if (lacks(addressee!, name)) rendered.missing[i]!++;
    const price = priceOf(phone, text.segments);
    rendered.recipients.push({ phone, prefix, ...text, price });
    rendered.contacts.push(contact);
    rendered.price += price;
  }
}

/** Counts the segments of a text. Refuses `message-too-long` unless the rules leave its recipient out. */
export function measureText(
  body: string,
  { segmentsAtMost, tooLong }: Rules,
): { body: string; encoding: Encoding; segments: number } {
  const { encoding, segments } = segmentsOf(body);
  if (segments > segmentsAtMost && tooLong !== "leave-out") refuse("message-too-long");
  return { body, encoding, segments };
}

function addresseeOf(contact: GivenContact, before: KnownContact | undefined) {
  return {
    phone: contact.phone,
    name: contact.name ?? before?.name ?? null,
    firstName: contact.firstName ?? before?.firstName ?? null,
    lastName: contact.lastName ?? before?.lastName ?? null,
    fields: mergeFields(before?.fields, contact.fields),
  };
}

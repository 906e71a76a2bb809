// The audience of a campaign: the contacts that it names and the members of its groups, in steps of bounded size.

import { portedAmong } from "../../delivery/operators/ported.ts";
import type { Ported, Routing } from "../../delivery/operators/routing.ts";
import { readKnownContacts } from "../../phonebook/contacts/contacts.ts";
import type { GivenContact } from "../../phonebook/contacts/given.ts";
import { readGroupMembers } from "../../phonebook/groups/groups.ts";
import { listOptedOut } from "../../phonebook/optouts/optouts.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Template } from "../../protocol/sms/personalise.ts";
import { blocked, type Known, type Rendered, type Rules, renderFor, sizeOfSlice } from "./recipients.ts";

export type Audience = {
  companyId: string;
  /** The contacts that the campaign itself names, one per phone. */
  contacts: readonly GivenContact[];
  groupIds: readonly string[];
  /** Whether the contacts join the account's phone book, which then also supplies values that the request omits. */
  phoneBook: boolean;
};

/** What the database knows about the contacts that requests name, by `companyId phone`; ported numbers by phone. */
export type About = { known: Known; optedOut: ReadonlySet<string>; ported: Ported };

/** Reads all contacts that these requests name, of any companies, in three statements. */
export async function readAbout(
  tx: Tx,
  requests: readonly (Audience & { template: Template })[],
  { routing, erased }: Pick<Rules, "routing" | "erased">,
): Promise<About> {
  const pairsOf = ({ companyId, contacts }: Audience) => contacts.map(({ phone }) => ({ companyId, phone }));
  const [known, optedOut, ported] = await Promise.all([
    readKnownContacts(
      tx,
      requests.filter((request) => request.template.personal && request.phoneBook).flatMap(pairsOf),
      requests.some((request) => request.template.own.length > 0),
    ),
    listOptedOut(tx, erased, requests.flatMap(pairsOf)),
    portedOf(tx, requests, routing),
  ]);
  return { known, optedOut, ported };
}

/** Returns the ported ones among the numbers that requests name. */
export function portedOf(tx: Tx, requests: readonly Audience[], routing: Routing): Promise<Ported> {
  const phones = routing.hasPorted
    ? requests.flatMap(({ contacts }) => contacts.map(({ phone }) => phone))
    : [];
  return portedAmong(tx, routing, phones);
}

/** Renders and prices the text for the contacts that the campaign names; contacts who have opted out are blocked. */
export function renderNamed(
  { companyId, contacts }: Audience,
  rules: Rules,
  about: About,
): Promise<Rendered> {
  return render(contacts, rules, companyId, about);
}

/**
 * Renders at most the next `limit` members of the groups after `cursor`, except those that the campaign names itself.
 * Undefined if none are left. `heldOut` are the company's opt-outs, if already read.
 */
export async function renderMembers(
  tx: Tx,
  { companyId, contacts, groupIds }: Audience,
  rules: Rules,
  cursor: string,
  limit: number,
  heldOut?: ReadonlySet<string> | null,
): Promise<(Rendered & { cursor: string }) | undefined> {
  const withFields = rules.template.own.length > 0;
  const members = await readGroupMembers(tx, companyId, groupIds, cursor, limit, withFields);
  if (members.length === 0) return undefined;
  const named = new Set(contacts.map((contact) => contact.phone));
  const others = members
    .filter((member) => !named.has(member.phone))
    .map(({ phone, name, firstName, lastName, fields }) => ({
      given: phone,
      phone,
      name,
      firstName,
      lastName,
      sex: null,
      fields,
    }));
  const phones = others.map(({ phone }) => phone);
  const [optedOut, ported] = await Promise.all([
    listOptedOut(
      tx,
      rules.erased,
      phones.map((phone) => ({ companyId, phone })),
      heldOut,
    ),
    portedAmong(tx, rules.routing, phones),
  ]);
  const about = { known: new Map(), optedOut, ported };
  return { ...(await render(others, rules, companyId, about)), cursor: members.at(-1)!.id };
}

/** Renders in slices. A list that fits in one slice is rendered immediately. */
async function render(
  contacts: readonly GivenContact[],
  rules: Rules,
  companyId: string,
  about: About,
): Promise<Rendered> {
  const isOut = (contact: GivenContact) => about.optedOut.has(`${companyId} ${contact.phone}`);
  const out = contacts.filter(isOut).map((contact) => blocked(contact, "opted-out"));
  const others = out.length > 0 ? contacts.filter((contact) => !isOut(contact)) : contacts;
  const rendered: Rendered = {
    recipients: [],
    contacts: [],
    blocked: out,
    price: 0,
    missing: rules.template.names.map(() => 0),
  };
  const size = sizeOfSlice(rules.template);
  let at = 0;
  do {
    if (others.length > size) await rules.nextSlice();
    renderFor(companyId, others.slice(at, at + size), rules, about, rendered);
    at += size;
  } while (at < others.length);
  return rendered;
}

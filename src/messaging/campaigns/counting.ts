// The counting of a large campaign: how many people it reaches at which price, without a message for each.

import { portedAmong } from "../../delivery/operators/ported.ts";
import type { Ported, Routing } from "../../delivery/operators/routing.ts";
import type { Recipient } from "../../delivery/sends/queue/enqueue.ts";
import { readKnownContacts } from "../../phonebook/contacts/contacts.ts";
import type { OwnFields } from "../../phonebook/contacts/fields.ts";
import { type MemberColumns, readMemberColumns } from "../../phonebook/groups/columns.ts";
import { holdAllOptouts, outAmong } from "../../phonebook/optouts/optouts.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { type Addressee, lacks, type Template } from "../../protocol/sms/personalise.ts";
import { CALLING_CODE_DIGITS_AT_MOST, callingCodeOf } from "../../protocol/sms/plans.ts";
import { PRICED_DIGITS, priceOf } from "../../protocol/sms/tariff.ts";
import type { Audience } from "./audience.ts";
import { type Blocked, blocked, measureText, type Rules, sizeOfSlice } from "./recipients.ts";

/**
 * A number of people whose messages have the same price. `phone` is the beginning of theirs, with the calling code;
 * `prefix` is that of the beginning, also for ported numbers.
 */
export type PricedPeople = Pick<Recipient, "phone" | "prefix" | "encoding" | "segments" | "price"> & {
  people: number;
};

/** Some members of groups, counted. */
export type CountedPeople = {
  priced: readonly PricedPeople[];
  missing: readonly number[];
  blocked: readonly Blocked[];
};

/** People of a text without variables in one slice, of which each takes 0.2 µs (2 cores, 2026-11-28). */
const ALIKE_IN_SLICE = 2_000;
/** The same if phones are hashed, which takes 2 µs more. */
const HASHED_IN_SLICE = 200;
const HEADS_AT_MOST = 10_000;
const NOT_PORTED: Ported = new Map();

/**
 * Prices the text for the members of the groups after `cursor`, except those that the campaign names itself. The numbers are
 * those of `renderMembers`, which blocks opted-out and unserved phones. Calls `add` with the members of `limit` contacts at a
 * time; it may throw to stop. The names of blocked members are absent: see `nameBlocked`. Refuses `message-too-long` as the
 * rules say.
 */
export async function countMembers(
  tx: Tx,
  { companyId, contacts, groupIds }: Audience,
  rules: Rules,
  { cursor, limit }: { cursor: string; limit: () => number },
  add: (counted: CountedPeople) => void,
): Promise<void> {
  const held = await holdAllOptouts(tx, companyId);
  const named = new Set(contacts.map(({ phone }) => phone));
  const heads = new Heads(rules);
  const size = held.digests?.size === 0 ? sizeFor(rules.template) : HASHED_IN_SLICE;
  const wanted = { ...columnsFor(rules.template), limit };
  const parts = readMemberColumns(tx, companyId, groupIds, cursor, wanted);
  for await (const part of parts) {
    const isOut = await outAmong(tx, rules.erased, { companyId, held }, part.phones);
    const ported = await portedOf(tx, rules, heads, part.phones);
    add(await countPart(part, rules, heads, { named, isOut, ported, size }));
  }
}

function sizeFor(template: Template): number {
  return template.personal ? sizeOfSlice(template) : ALIKE_IN_SLICE;
}

/** The columns that a text needs. */
function columnsFor({ names, own }: Template) {
  return {
    withName: names.includes("name") || names.includes("nom_complet"),
    withFirstName: names.includes("firstName"),
    withLastName: names.includes("lastName"),
    withFields: own.length > 0,
  };
}

/**
 * Of ported numbers only those matter that no operator serves by their prefix, unless operators refuse senders: the price
 * is the same.
 */
function portedOf(tx: Tx, { routing, isTrial }: Rules, heads: Heads, phones: readonly string[]) {
  const matter = (phone: string) => routing.hasSenderRules || !heads.of(phone).isServed;
  return portedAmong(tx, routing, routing.hasPorted && !isTrial ? phones.filter(matter) : []);
}

/** What is known of members by their phones, and how many of them are counted in one slice. */
type AboutPhones = {
  named: ReadonlySet<string>;
  isOut: (phone: string) => boolean;
  ported: Ported;
  size: number;
};

async function countPart(
  part: MemberColumns,
  rules: Rules,
  heads: Heads,
  about: AboutPhones,
): Promise<CountedPeople> {
  const { template } = rules;
  const counted = { priced: [], missing: template.names.map(() => 0), blocked: [] };
  const { size } = about;
  for (let from = 0; from < part.phones.length; from += size) {
    await rules.nextSlice();
    countSlice(part, rules, heads, about, counted, { from, to: Math.min(from + size, part.phones.length) });
  }
  return { ...counted, priced: heads.takeCounts() };
}

function countSlice(
  part: MemberColumns,
  rules: Rules,
  heads: Heads,
  { named, isOut, ported }: AboutPhones,
  { missing, blocked: left }: { missing: number[]; blocked: Blocked[] },
  { from, to }: { from: number; to: number },
): void {
  const { template } = rules;
  const common = template.personal ? undefined : measureText(template.render({ phone: "" }), rules);
  let at = from - 1;
  for (const phone of part.phones.slice(from, to)) {
    at++;
    if (named.has(phone)) continue;
    if (isOut(phone)) {
      left.push(blocked({ given: phone, name: null }, "opted-out"));
      continue;
    }
    const head = heads.of(phone);
    const code = ported.has(phone) ? codeOfPorted(phone, ported, head, rules) : head.blockedBy;
    if (code !== null) {
      left.push(blocked({ given: phone, name: null }, code));
      continue;
    }
    const text = common ?? measureFor(addresseeAt(part, at, phone), rules, missing);
    if (text.segments <= rules.segmentsAtMost) head.count(text.encoding, text.segments);
  }
}

function codeOfPorted(phone: string, ported: Ported, head: Head, { routing, sender }: Rules): BlockedBy {
  if (head.blockedBy === "country-not-allowed") return head.blockedBy;
  return codeOfPrefix(routing, routing.prefixOf(phone, ported, sender));
}

/** Why the routing blocks a phone with this prefix; null: it does not. */
function codeOfPrefix(routing: Routing, prefix: string | null): BlockedBy {
  if (prefix === null) return "unroutable";
  return routing.refuses(prefix) ? "sender-not-registered" : null;
}

/** Counts the segments of a person's text, and the variables without a value if it may be sent. */
function measureFor(addressee: Addressee, rules: Rules, missing: number[]) {
  const { template, segmentsAtMost } = rules;
  const text = measureText(template.render(addressee), rules);
  if (text.segments > segmentsAtMost) return text;
  let at = 0;
  for (const name of template.names) {
    if (lacks(addressee, name)) missing[at] = (missing[at] ?? 0) + 1;
    at++;
  }
  return text;
}

function addresseeAt(
  { names, firstNames, lastNames, fields }: MemberColumns,
  at: number,
  phone: string,
): Addressee {
  return {
    phone,
    name: names?.[at],
    firstName: firstNames?.[at],
    lastName: lastNames?.[at],
    fields: fields && (JSON.parse(fields[at] ?? "{}") as OwnFields),
  };
}

/** Why the phones of a beginning get no message; null: they get one. */
type BlockedBy = Blocked["code"] | null;

/** The beginning of phones, as long as decides their price, country and prefix. */
class Head {
  readonly phone: string;
  readonly isServed: boolean;
  readonly #prefix: string | null;
  readonly blockedBy: BlockedBy;
  readonly #counts: PricedPeople[] = [];

  constructor(phone: string, { routing, openCodes, isTrial, sender }: Rules) {
    this.phone = phone;
    this.isServed = routing.servedPrefixOf(phone) !== null;
    this.#prefix = isTrial ? routing.trialPrefix : routing.prefixOf(phone, NOT_PORTED, sender);
    const isOpen = openCodes?.has(callingCodeOf(phone)) ?? true;
    this.blockedBy = isOpen ? codeOfPrefix(routing, this.#prefix) : "country-not-allowed";
  }

  count(encoding: Recipient["encoding"], segments: number): void {
    let counts = this.#counts.find((one) => one.segments === segments && one.encoding === encoding);
    if (!counts) {
      const { phone } = this;
      const prefix = this.#prefix ?? "";
      counts = { phone, prefix, encoding, segments, price: priceOf(phone, segments), people: 0 };
      this.#counts.push(counts);
    }
    counts.people++;
  }

  /** Returns the people counted since the last call. */
  take(): PricedPeople[] {
    return this.#counts.splice(0);
  }
}

class Heads {
  readonly #rules: Rules;
  readonly #digits: number;
  readonly #known = new Map<string, Head>();
  readonly #forgotten: PricedPeople[] = [];

  constructor(rules: Rules) {
    this.#rules = rules;
    this.#digits = Math.max(rules.routing.digits, PRICED_DIGITS, CALLING_CODE_DIGITS_AT_MOST);
  }

  of(phone: string): Head {
    const digits = phone.slice(0, this.#digits);
    let head = this.#known.get(digits);
    if (!head) {
      if (this.#known.size >= HEADS_AT_MOST) this.#forget();
      head = new Head(digits, this.#rules);
      this.#known.set(digits, head);
    }
    return head;
  }

  /** Returns the people counted since the last call. */
  takeCounts(): PricedPeople[] {
    return [...this.#forgotten.splice(0), ...this.#taken()];
  }

  #forget(): void {
    this.#forgotten.push(...this.#taken());
    this.#known.clear();
  }

  #taken(): PricedPeople[] {
    return [...this.#known.values()].flatMap((head) => head.take());
  }
}

/** Returns blocked members with their names, which the counting of a text without names does not read. */
export async function nameBlocked(
  tx: Tx,
  companyId: string,
  members: readonly Blocked[],
): Promise<Blocked[]> {
  const known = await readKnownContacts(
    tx,
    members.map(({ phone }) => ({ companyId, phone })),
  );
  return members.map((member) => ({
    ...member,
    name: known.get(`${companyId} ${member.phone}`)?.name ?? null,
  }));
}

// Example recipients of a draft, to show what its text becomes.
import { compileTemplate } from "../../../protocol/sms/personalise.ts";
import { normalisePhone } from "../../../protocol/sms/phone.ts";
import { Problem } from "../parts/sentences.ts";
import type { Visit } from "../visit.ts";
import type { Draft } from "./drafts.ts";

type Names = { [name in "name" | "firstName" | "lastName"]?: string | null | undefined } & {
  fields?: Readonly<Record<string, string>> | undefined;
};

/** An example recipient, with its number formatted for people. */
export type Sample = Names & { phone: string; shown: string };

/** Recipients per search for examples, and the maximum number of searches. */
const CANDIDATES = 100;
const LOOKS_AT_MOST = 5;

/**
 * Returns up to `most` people who will receive this campaign: first members of its groups, whose names are known, then
 * individual recipients. People who opted out or whom no operator serves are skipped, and a number counts once. The
 * result is empty if everyone searched was skipped.
 */
export async function samplesOf(visit: Visit, draft: Draft, most: number): Promise<Sample[]> {
  const found: Sample[] = [];
  const seen = new Set<string>();
  let looks = 0;
  for await (const candidates of candidatesOf(visit, draft)) {
    const fresh = candidates.filter(({ phone }) => !seen.has(phone) && seen.add(phone));
    found.push(...(await receiversOf(visit, fresh)));
    if (found.length >= most || ++looks >= LOOKS_AT_MOST) break;
  }
  return found.slice(0, most);
}

type Person = Names & { phone: string };

/** The people of a draft, a page at a time. */
async function* candidatesOf(visit: Visit, { groupsIds, contacts }: Draft): AsyncGenerator<Sample[]> {
  for (const id of groupsIds)
    for (let page = 1; page <= LOOKS_AT_MOST; page++) {
      const members = await membersOf(visit, id, page);
      if (members.length > 0) yield members.flatMap((person) => sampleOf(visit, person));
      if (members.length < CANDIDATES) break;
    }
  for (let at = 0; at < contacts.length; at += CANDIDATES)
    yield contacts.slice(at, at + CANDIDATES).flatMap((person) => sampleOf(visit, person));
}

/** The numbers of a draft are as typed; an invalid one gives no example. */
function sampleOf(visit: Visit, { phone: given, name, firstName, lastName, fields }: Person): Sample | [] {
  const phone = normalisePhone(given, visit.company.country);
  return phone === null
    ? []
    : { phone, name, firstName, lastName, fields, shown: visit.formats.phone(phone) };
}

/** Those of these people who would receive a message, by a quote for them. */
async function receiversOf(visit: Visit, people: readonly Sample[]): Promise<Sample[]> {
  if (people.length === 0) return [];
  // With +, a number is international, whatever the company's country.
  const contacts = people.map(({ phone }) => ({ phone: `+${phone}` }));
  const quoted = await visit.attempt(visit.call("/v1/campaign/quote", { contacts, text: "." }));
  // `no-recipient`: none of them would. Any other refusal applies to the campaign too, and the check reports it.
  if (quoted instanceof Problem) return [];
  const blocked = new Set(quoted.data.blockedContacts.map(({ phone }) => phone));
  return people.filter(({ phone }) => !blocked.has(`+${phone}`));
}

/** A deleted group has no members; the check reports that it is gone. */
async function membersOf(visit: Visit, id: string, page: number): Promise<Person[]> {
  const listed = await visit.attempt(
    visit.call("/v1/group/{id}/contacts/list", { id, page, limit: CANDIDATES }),
  );
  return "data" in listed ? listed.data : [];
}

const FIELDS_AT_MOST = 100;

/** Returns the own fields that a draft's text may use: the company's, and those of its individual recipients. */
export async function ownFieldsOf(visit: Visit, draft: Draft): Promise<ReadonlySet<string>> {
  const { data } = await visit.call("/v1/contact/field/list", { limit: FIELDS_AT_MOST });
  return new Set([
    ...data.map(({ name }) => name),
    ...draft.contacts.flatMap(({ fields = {} }) => Object.keys(fields)),
  ]);
}

/** Returns the text for this recipient; without a recipient, as written. */
export function textFor(sample: Sample | undefined, text: string, own: ReadonlySet<string>): string {
  return sample ? compileTemplate(text, own).render(sample) : text;
}

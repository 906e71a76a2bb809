// Recipients of a draft as examples of what its text becomes.
import { compileTemplate, normalisePhone } from "../sms/sms.ts";
import type { Draft } from "./drafts.ts";
import type { Visit } from "./visit.ts";

type Names = { [name in "name" | "firstName" | "lastName"]?: string | null | undefined } & {
  fields?: Readonly<Record<string, string>> | undefined;
};

/** A recipient as an example, and its number as people read it. */
export type Sample = Names & { phone: string; shown: string };

/** Some of the first group, whose names are known, else some of those whom the draft names. */
export async function samplesOf(visit: Visit, draft: Draft, most: number): Promise<Sample[]> {
  const [id] = draft.groupsIds;
  const found = id === undefined ? draft.contacts.slice(0, most) : await membersOf(visit, id, most);
  return found.map(({ phone: given, name, firstName, lastName, fields }) => {
    // The numbers of a draft are as they were typed.
    const phone = normalisePhone(given, visit.company.country) ?? given;
    return { phone, name, firstName, lastName, fields, shown: visit.formats.phone(phone) };
  });
}

/** A group that is gone has nobody; the check says that it is gone. */
async function membersOf(visit: Visit, id: string, limit: number): Promise<(Names & { phone: string })[]> {
  const listed = await visit.attempt(visit.ask("/v1/group/{id}/contacts/list", { id, limit }));
  return "data" in listed ? listed.data : [];
}

const FIELDS_AT_MOST = 100;

/** The own fields that a text of this draft may say: those of the company, and those of whom the draft names. */
export async function ownFieldsOf(visit: Visit, draft: Draft): Promise<ReadonlySet<string>> {
  const { data } = await visit.ask("/v1/contact/field/list", { limit: FIELDS_AT_MOST });
  return new Set([
    ...data.map(({ name }) => name),
    ...draft.contacts.flatMap(({ fields = {} }) => Object.keys(fields)),
  ]);
}

/** A text as this recipient gets it; without one as it was written. */
export function textFor(sample: Sample | undefined, text: string, own: ReadonlySet<string>): string {
  return sample ? compileTemplate(text, own).render(sample) : text;
}

// How many people a draft may reach, by what its groups say of themselves: whether a page counts them all, or waits for that.
import type { Draft } from "./drafts.ts";
import type { Visit } from "./visit.ts";

/** A quote looks at everybody, some 4 µs each: beyond so many a page does not wait for it. */
const COUNTED_AT_ONCE = 10_000;
const GROUPS_ASKED = 10;

/** The people of a draft, somebody in two groups twice; undefined where they are few enough to be counted at once. */
export async function largeAudience(visit: Visit, draft: Draft): Promise<number | undefined> {
  const asked = draft.groupsIds.slice(0, GROUPS_ASKED);
  const sizes = await Promise.all(asked.map((id) => sizeOf(visit, id)));
  const people = sizes.reduce((sum, size) => sum + size, draft.contacts.length);
  return people > COUNTED_AT_ONCE || asked.length < draft.groupsIds.length ? people : undefined;
}

/** A group that is gone has nobody; what the page asks next says that it is gone. */
async function sizeOf(visit: Visit, id: string): Promise<number> {
  const listed = await visit.attempt(visit.call("/v1/group/{id}/contacts/list", { id, limit: 1 }));
  return "totalCount" in listed ? listed.totalCount : 0;
}

// How many people a draft may reach, by the sizes of its groups: whether a page counts them exactly at once or later.

import type { Visit } from "../visit.ts";
import type { Draft } from "./drafts.ts";

/** A quote checks every recipient, about 4 µs each: beyond this number, a page does not wait for it. */
const COUNTED_AT_ONCE = 10_000;
const GROUPS_READ = 10;

/** Returns the size of a draft, counting duplicates between groups; undefined if it is small enough to count now. */
export async function largeAudience(visit: Visit, draft: Draft): Promise<number | undefined> {
  const some = draft.groupsIds.slice(0, GROUPS_READ);
  const sizes = await Promise.all(some.map((id) => sizeOf(visit, id)));
  const people = sizes.reduce((sum, size) => sum + size, draft.contacts.length);
  return people > COUNTED_AT_ONCE || some.length < draft.groupsIds.length ? people : undefined;
}

/** A deleted group counts nobody; the page's next request reports that it is gone. */
async function sizeOf(visit: Visit, id: string): Promise<number> {
  const listed = await visit.attempt(visit.call("/v1/group/{id}/contacts/list", { id, limit: 1 }));
  return "totalCount" in listed ? listed.totalCount : 0;
}

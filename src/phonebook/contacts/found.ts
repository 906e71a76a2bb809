// Pages of the contacts that a search found: at most a thousand, in the requested order.

import { pageAmong } from "../../platform/database/pages.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Listed } from "../../platform/http/paging.ts";
import type { ContactPage } from "./contacts.ts";
import { listFoundInOrder } from "./sql.ts";

/** Returns a page of the contacts of a company with these ids, which are in ascending order. */
export async function pageOfFound(
  db: Statements,
  companyId: string,
  ids: readonly string[],
  { orderBy, ...page }: ContactPage,
): Promise<Listed<{ id: string }>> {
  // Ids are already in order of creation.
  if (orderBy === "createdAt")
    return pageAmong(
      ids.map((id) => ({ id })),
      page,
    );
  const found = await db.run(listFoundInOrder[orderBy], [companyId, ids, page.after ?? null]);
  return pageAmong(
    found,
    page,
    ({ key }) => key,
    ({ side }) => side,
  );
}

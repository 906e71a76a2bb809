// Nodes: the processes of the service, as they report themselves, and the binds of each.
import { readList } from "../../platform/database/pages.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Listed, Page } from "../../platform/http/schemas.ts";
import type { Node } from "./shapes.ts";
import * as sql from "./sql.ts";

/** Reads one page of the processes, by their starts. One that ended is not listed; one that crashed is for an hour. */
export async function listNodes(db: Statements, page: Page): Promise<Listed<Node>> {
  return readList(db, [sql.listNodes, sql.countNodes], page);
}

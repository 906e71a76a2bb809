// Nodes: the processes of the service, as they report themselves, and the binds of each.
import { readListed } from "../../platform/database/pages.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import type { Node } from "./shapes.ts";
import * as sql from "./sql.ts";

/** Reads one page of the processes, by their starts. One that ended is not listed; one that crashed is for an hour. */
export function listNodes(db: Statements, page: Page): Promise<Listed<Node>> {
  return readListed(db, sql.listNodes, page, {});
}

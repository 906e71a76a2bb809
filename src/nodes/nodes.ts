// Nodes: the processes of the service, as they tell of themselves, and what each owns.
import type { Statements } from "../kernel/database.ts";
import { type Listed, offsetOf, type Page } from "../kernel/schemas.ts";
import type { Node } from "./shapes.ts";
import * as sql from "./sql.ts";

/** One page of the processes, by their starts. One that ended in order is gone; one that fell is listed for an hour. */
export async function listNodes(db: Statements, page: Page): Promise<Listed<Node>> {
  const [rows, [total]] = await Promise.all([
    db.run(sql.listNodes[page.sort], [page.limit, offsetOf(page)]),
    db.run(sql.countNodes),
  ]);
  return { rows, totalCount: total!.count };
}

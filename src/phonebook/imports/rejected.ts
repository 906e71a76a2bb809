// The rows of a file that were not imported, or only in part, as in responses.
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { readPagedFromNearerEnd, shownAs } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { requireRow } from "../../platform/http/refusals.ts";
import { columnName } from "./columns.ts";
import { reasonOf } from "./failures.ts";
import type { ColumnMember, RejectedRow } from "./shapes.ts";
import * as sql from "./sql.ts";

/**
 * Returns the rows of an import that were not imported, or with `withNotes` those imported in part, in the order of the
 * sheet; only the first ones if there are very many. Refuses `not-found`.
 */
export async function listRejected(
  db: Statements,
  { companyId, language }: CompanyCaller,
  id: string,
  { withNotes = false, ...wanted }: Page & { withNotes?: boolean | undefined },
): Promise<Listed<RejectedRow>> {
  await requireRow(db.run(sql.findImport, [companyId, id]), "not-found");
  const rejects = { importId: id, isImported: withNotes };
  const { count: totalCount } = await one(db, sql.countRejects, rejects);
  const list = readPagedFromNearerEnd(db, sql.listRejects, wanted, totalCount, rejects);
  return shownAs(list, (row) => ({
    row: row.row_number,
    column: columnName(row.column_number),
    member: row.member as ColumnMember,
    cell: row.cell,
    reason: reasonOf(row.reason)[language],
    cells: cellsOf(row),
  }));
}

/** Returns the cells of a row. A row rejected before all cells were stored has only the cell that caused it. */
function cellsOf({ columns, cells, column_number, member, cell }: sql.RejectRow): RejectedRow["cells"] {
  if (!cells) return [{ column: columnName(column_number), member: member as ColumnMember, cell }];
  const read = columns.flatMap((one, at) => (one === "" ? [] : [{ member: one as ColumnMember, at }]));
  return read.map(({ member, at }, i) => ({ column: columnName(at + 1), member, cell: cells[i] ?? "" }));
}

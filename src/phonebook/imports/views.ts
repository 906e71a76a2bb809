// Imports as in responses, and the rows of a file that were not imported, or only in part.

import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { readListed, readPagedFromNearerEnd, shownAs } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { requireRow } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { columnName } from "./columns.ts";
import { failureOf, reasonOf } from "./failures.ts";
import type { KeptPreview } from "./preview.ts";
import type { ColumnMember, ContactImport, RejectedRow } from "./shapes.ts";
import * as sql from "./sql.ts";

/** The time after its end within which an import can be undone. */
export const UNDO_MS = 24 * 3_600_000;

/** The location of an encrypted preview. */
export function previewPlace(id: string) {
  return { table: "imports", column: "sealed_preview", row: id };
}

/** Returns the preview of an import; it is deleted when the import ends. */
export function previewOf(app: Runtime, { id, sealedPreview: sealed }: sql.ImportRow): KeptPreview | null {
  return sealed === null ? null : (JSON.parse(app.secrets.unseal(previewPlace(id), sealed)) as KeptPreview);
}

/** Converts a row to the import of a response. */
export function importOf(app: Runtime, { language }: CompanyCaller, row: sql.ImportRow): ContactImport {
  const kept = row.status === "READY" ? previewOf(app, row) : null;
  // Previews of earlier versions have no proposed fields and start with the first row.
  const { headerDigest: _, ...preview } = {
    proposed: [],
    startRow: 1,
    nameOrder: null,
    ...(kept ?? { headerDigest: "" }),
  };
  // Named one by one: a wider row, such as a locked one, has more, and some of it is sealed.
  const shown = Object.fromEntries(sql.SHOWN.map((name) => [name, row[name]]));
  const { failure, undoStatus: status, undoRemoved, undoKept } = row;
  return {
    ...(shown as Pick<sql.ImportRow, (typeof sql.SHOWN)[number]>),
    failureText: failure && failureOf(failure)[language],
    preview: kept && (preview as ContactImport["preview"]),
    undoableUntil: undoableUntil(row),
    undo: status && { status, removed: undoRemoved, kept: undoKept },
  };
}

function undoableUntil({ undoStatus, isUndoable, created, endedAt }: sql.ImportRow): Date | null {
  const canBe = isUndoable && undoStatus === null && created > 0 && endedAt !== null;
  return canBe ? new Date(endedAt.getTime() + UNDO_MS) : null;
}

/** Returns an import of a company. Refuses `not-found`. */
export async function readImport(
  app: Runtime,
  db: Statements,
  caller: CompanyCaller,
  id: string,
): Promise<ContactImport> {
  return importOf(app, caller, await requireRow(db.run(sql.findImport, [caller.companyId, id]), "not-found"));
}

/** Returns one page of a company's imports. */
export async function listImports(
  app: Runtime,
  db: Statements,
  caller: CompanyCaller,
  wanted: Page,
): Promise<Listed<ContactImport>> {
  const { companyId } = caller;
  return shownAs(readListed(db, sql.listImports, wanted, { companyId }), (row) => importOf(app, caller, row));
}

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

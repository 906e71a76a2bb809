// Imports as in responses.
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { readListed, shownAs } from "../../platform/database/pages.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { requireRow } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { failureOf } from "./failures.ts";
import type { KeptPreview } from "./preview.ts";
import type { ContactImport } from "./shapes.ts";
import * as sql from "./sql.ts";

/** The time after its end within which an import can be undone. */
export const UNDO_MS = 24 * 3_600_000;

/** The location of an encrypted preview. */
export function previewPlace(id: string) {
  return { table: "imports", column: "sealed_preview", row: id };
}

/** Returns the preview of an import; it is deleted when the import ends. */
export function previewOf(app: Runtime, { id, sealed_preview: sealed }: sql.ImportRow): KeptPreview | null {
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
  return {
    ...{ id: row.id, fileName: row.file_name, status: row.status, bytes: row.byte_count },
    ...{ fingerprint: row.fingerprint, received: row.received, percent: row.percent, rows: row.row_count },
    ...{ created: row.created, updated: row.updated, repeated: row.repeated, rejected: row.rejected },
    noted: row.noted,
    failureText: row.failure && failureOf(row.failure)[language],
    ...{ groupId: row.group_id, groupName: row.group_name },
    preview: kept && (preview as ContactImport["preview"]),
    ...{ createdAt: row.created_at, endedAt: row.ended_at },
    undoableUntil: undoableUntil(row),
    undo: row.undo_status && {
      status: row.undo_status,
      removed: row.undo_removed,
      kept: row.undo_kept,
    },
  };
}

function undoableUntil({ undo_status, is_undoable, created, ended_at }: sql.ImportRow): Date | null {
  const canBe = is_undoable && undo_status === null && created > 0 && ended_at !== null;
  return canBe ? new Date(ended_at.getTime() + UNDO_MS) : null;
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

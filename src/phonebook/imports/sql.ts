// The queries of imports, their parts and their rejected rows.
import type { QuotaChoice } from "../../identity/accounts/quotas.ts";
import { columnsOf } from "../../platform/database/columns.ts";
import { isOf } from "../../platform/database/lookup.ts";
import { type Keyed, pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";
import type { Language } from "../../platform/http/refusals.ts";
import { sealedColumn } from "../../platform/secrets/sealed.ts";
import type { Charset } from "./delimited.ts";
import type { ContactImport, NameOrder } from "./shapes.ts";

/** An import as it is stored. */
export type ImportRow = Omit<ContactImport, "failureText" | "preview" | "undoableUntil" | "undo"> & {
  sealedPreview: string | null;
  failure: string | null;
  isUndoable: boolean;
  undoStatus: "RUNNING" | "DONE" | null;
  undoRemoved: number;
  undoKept: number;
};

/** The members of an import that responses have as they are stored. */
export const SHOWN = [
  ...(["id", "status", "fileName", "bytes", "fingerprint", "received", "groupId", "groupName"] as const),
  ...(["percent", "rows", "created", "updated", "repeated", "rejected", "noted"] as const),
  ...(["createdAt", "endedAt"] as const),
];

const COLUMNS = columnsOf(
  [...SHOWN, "sealedPreview", "failure", "isUndoable", "undoStatus", "undoRemoved", "undoKept"],
  { bytes: "byte_count", rows: "row_count" },
);

/** An unfinished upload of the same file. */
export const findUpload = query<
  ImportRow,
  Pick<ImportRow, "fingerprint" | "fileName" | "bytes"> & { companyId: string }
>(
  "imports.findUpload",
  `SELECT ${COLUMNS} FROM imports WHERE company_id = $companyId AND ended_at IS NULL AND status = 'UPLOADING'
     AND fingerprint = $fingerprint AND file_name = $fileName AND byte_count = $bytes ORDER BY id DESC LIMIT 1`,
);

/** The number of a company's imports that have not ended; a quota bounds them. */
export const countOpen = query<{ count: number }>(
  "imports.countOpen",
  "SELECT count(*) FROM imports WHERE company_id = $1 AND ended_at IS NULL",
);

/** The number of a company's imports that started within 24 hours, up to $2. */
export const countOfDay = query<{ count: number }>(
  "imports.countOfDay",
  `SELECT count(*) FROM (SELECT FROM imports WHERE company_id = $1 AND created_at > now() - interval '24 hours' LIMIT $2) counted`,
);

export const insertImport = query<
  never,
  Pick<ImportRow, "id" | "fileName" | "bytes" | "fingerprint" | "groupId" | "groupName"> & {
    companyId: string;
    userId: string;
  }
>(
  "imports.insertImport",
  `INSERT INTO imports (id, company_id, user_id, file_name, byte_count, fingerprint, group_id, group_name)
   VALUES ($id, $companyId, $userId, $fileName, $bytes, $fingerprint, $groupId, $groupName)`,
);

export const findImport = query<ImportRow>(
  "imports.findImport",
  `SELECT ${COLUMNS} FROM imports WHERE company_id = $1 AND id = $2`,
);

/** In the order of ids, which is the order of creation. */
export const listImports = {
  ...pagedQuery<ImportRow, { companyId: string }>(
    "imports.listImportsBy",
    ["id"],
    ({ seek, page }) =>
      `SELECT ${COLUMNS} FROM imports WHERE ${isOf("company_id", "$companyId")} AND ${seek} ${page}`,
  ),
  count: query<Counted, { companyId: string }>(
    "imports.countImports",
    "SELECT count(*) FROM imports WHERE company_id = $companyId",
  ),
};

export type LockedImport = ImportRow & {
  isUtf8: boolean;
  utf8Rest: Buffer;
  columns: string[];
  hasHeader: boolean;
  converts: boolean;
  nameOrder: NameOrder | null;
};

/** Locks an import, so that its parts are stored one after the other and it ends only once. */
export const lockImport = query<LockedImport>(
  "imports.lockImport",
  `SELECT ${COLUMNS}, ${columnsOf(["isUtf8", "utf8Rest", "columns", "hasHeader", "converts", "nameOrder"])} FROM imports WHERE company_id = $1 AND id = $2 FOR NO KEY UPDATE`,
);

export const insertPart = query<never, { id: string; importId: string; number: number; sealed: string }>(
  "imports.insertPart",
  "INSERT INTO import_parts (id, import_id, number, sealed) VALUES ($id, $importId, $number, $sealed)",
);

export const findPart = query<{ id: string; sealed: string }>(
  "imports.findPart",
  "SELECT id, sealed FROM import_parts WHERE import_id = $1 AND number = $2",
);

export const updateReceived = query<
  never,
  { id: string; received: number; isUtf8: boolean; rest: Buffer; bytes: number }
>(
  "imports.updateReceived",
  "UPDATE imports SET received = $received, is_utf8 = $isUtf8, utf8_rest = $rest, byte_count = $bytes, touched_at = now() WHERE id = $id",
);

/** Stores the preview of an uploaded file that can be read. */
export const markReady = query<
  never,
  {
    id: string;
    kind: string;
    encoding: string | null;
    delimiter: string | null;
    sealed: string;
  }
>(
  "imports.markReady",
  `UPDATE imports SET status = 'READY', kind = $kind, encoding = $encoding, delimiter = $delimiter, sealed_preview = $sealed, touched_at = now()
   WHERE id = $id`,
);

/** Ends an import ($2), with the failure $3 if any. Delete its file in the same transaction: see `deleteParts`. */
export const endImport = query(
  "imports.endImport",
  `UPDATE imports SET status = $2, failure = $3, ended_at = now(), sealed_preview = NULL,
     percent = CASE $2 WHEN 'DONE' THEN 100 ELSE percent END WHERE id = $1`,
);

/** Deletes the files of imports. A file has four parts per MiB. */
export const deleteParts = query(
  "imports.deleteParts",
  "DELETE FROM import_parts WHERE import_id = ANY($1::text[])",
);

export const deleteErasures = query(
  "imports.deleteErasures",
  "DELETE FROM import_erasures WHERE import_id = ANY($1::text[])",
);

/** Starts the run. The columns are in order, '' for one that is not read. */
export const markRunning = query<
  ImportRow,
  {
    id: string;
    columns: readonly string[];
    hasHeader: boolean;
    converts: boolean;
    groupId: string | null;
    groupName: string | null;
    startRow: number;
    madeGroup: boolean;
    nameOrder: NameOrder | null;
  }
>(
  "imports.markRunning",
  `UPDATE imports SET status = 'RUNNING', columns = $columns, has_header = $hasHeader, converts = $converts, group_id = $groupId, group_name = $groupName,
     start_row = $startRow, made_group = $madeGroup, name_order = $nameOrder, leased_until = '-infinity', touched_at = now() WHERE id = $id RETURNING ${COLUMNS}`,
);

export const findMapping = query<{ columns: string[]; has_header: boolean }>(
  "imports.findMapping",
  "SELECT columns, has_header FROM import_mappings WHERE company_id = $1 AND header_digest = $2",
);

export const upsertMapping = query<
  never,
  {
    companyId: string;
    headerDigest: string;
    columns: readonly string[];
    hasHeader: boolean;
  }
>(
  "imports.upsertMapping",
  `INSERT INTO import_mappings (company_id, header_digest, columns, has_header) VALUES ($companyId, $headerDigest, $columns, $hasHeader)
   ON CONFLICT (company_id, header_digest) DO UPDATE
   SET columns = excluded.columns, has_header = excluded.has_header, chosen_at = now()`,
);

/** Deletes the oldest column choices of a company beyond $2. */
export const deleteOldMappings = query(
  "imports.deleteOldMappings",
  `DELETE FROM import_mappings WHERE company_id = $1 AND header_digest = ANY(ARRAY(
     SELECT header_digest FROM import_mappings WHERE company_id = $1 ORDER BY chosen_at DESC OFFSET $2 LIMIT 100))`,
);

export type TakenImport = Pick<LockedImport, (typeof TAKEN)[number]> & {
  companyId: string;
  userId: string;
  country: string;
  language: Language;
  quotas: QuotaChoice;
  kind: "CSV" | "XLSX" | null;
  encoding: Charset | null;
  delimiter: string | null;
  startRow: number;
  reached: number;
  attempt: number;
  tries: number;
};
const TAKEN = [
  ...(["id", "bytes", "groupId", "columns", "hasHeader", "converts", "nameOrder"] as const),
  ...(["rejected", "noted"] as const),
];

/** Takes an import of at most $2 bytes that no process runs, for $1 ms; none of a suspended company. No row: none. */
export const takeImport = query<TakenImport>(
  "imports.takeImport",
  `UPDATE imports taken SET attempt = attempt + 1, tries = tries + 1, leased_until = now() + $1::bigint * interval '1 millisecond'
   FROM companies WHERE companies.id = taken.company_id AND taken.id = (
     SELECT imports.id FROM imports JOIN companies payer ON payer.id = imports.company_id
     WHERE imports.status = 'RUNNING' AND imports.leased_until <= now() AND imports.byte_count <= $2 AND payer.suspended_at IS NULL
     ORDER BY imports.leased_until, imports.touched_at LIMIT 1 FOR UPDATE OF imports SKIP LOCKED)
   RETURNING companies.country, companies.language, companies.quotas, ${columnsOf(
     [
       ...[...TAKEN, "companyId", "userId", "kind", "encoding", "delimiter", "startRow", "reached"],
       ...["attempt", "tries"],
     ],
     { bytes: "taken.byte_count" },
     "taken",
   )}`,
);

/** The results of a chunk: where it ends, and the rows in it by what became of them. */
type ChunkResult = Pick<
  ImportRow,
  "percent" | "rows" | "created" | "updated" | "repeated" | "rejected" | "noted"
> & { reached: number };

/**
 * Records the results of a chunk, and extends the lease of the import. No row: another process has it, it was
 * canceled, or its company is suspended.
 */
export const noteChunk = query<
  { id: string },
  ChunkResult & { id: string; attempt: number; leaseMs: number }
>(
  "imports.noteChunk",
  `UPDATE imports SET leased_until = now() + $leaseMs::bigint * interval '1 millisecond', reached = $reached, percent = $percent,
     row_count = row_count + $rows, created = created + $created, updated = updated + $updated, repeated = repeated + $repeated,
     rejected = rejected + $rejected, noted = noted + $noted, tries = CASE WHEN $reached > reached THEN 0 ELSE tries END
   WHERE id = $id AND attempt = $attempt AND status = 'RUNNING'
     AND EXISTS (SELECT FROM companies WHERE companies.id = imports.company_id AND companies.suspended_at IS NULL)
   RETURNING id`,
);

/** Ends an import that this attempt still owns. */
export const finishImport = query<
  { id: string },
  {
    id: string;
    attempt: number;
    status: "DONE" | "FAILED";
    failure: string | null;
  }
>(
  "imports.finishImport",
  `UPDATE imports SET status = $status, failure = $failure, ended_at = now(), sealed_preview = NULL,
     percent = CASE $status WHEN 'DONE' THEN 100 ELSE percent END
   WHERE id = $id AND attempt = $attempt AND status = 'RUNNING' RETURNING id`,
);

/** Releases an import, so that another process can take it immediately. */
export const releaseImport = query(
  "imports.releaseImport",
  "UPDATE imports SET leased_until = now(), tries = 0 WHERE id = $1 AND attempt = $2 AND status = 'RUNNING'",
);

/** A row that is not imported, or a note of an imported one. `cells`: its cells as a JSON array, or null. */
type NewReject = {
  number: number;
  column: number;
  member: string;
  cell: string;
  reason: string;
  phone: string | null;
  cells: string | null;
};

/** Adds rejected rows, or notes of imported rows. */
export const insertRejects = query<
  never,
  {
    importId: string;
    companyId: string;
    rejects: readonly NewReject[];
    isImported: boolean;
  }
>(
  "imports.insertRejects",
  `INSERT INTO import_rejects (import_id, company_id, row_number, column_number, member, cell, reason, phone, cells, is_imported)
   SELECT $importId, $companyId, row_number, column_number, member, cell, reason, phone,
     CASE WHEN cells IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(cells::json)) END, $isImported
   FROM $rejects(number int, column int, member text, cell text, reason text, phone text, cells text)
     AS given (row_number, column_number, member, cell, reason, phone, cells)
   ON CONFLICT DO NOTHING`,
);

type RejectsOf = { importId: string; isImported: boolean };

/** The number of rows that were not imported, or imported in part (`isImported`). */
export const countRejects = query<{ count: number }, RejectsOf>(
  "imports.countRejects",
  "SELECT count(*) FROM import_rejects WHERE import_id = $importId AND is_imported = $isImported",
);

export type RejectRow = {
  row_number: number;
  column_number: number;
  member: string;
  cell: string;
  reason: string;
  cells: string[] | null;
  columns: string[];
};

/**
 * The rows that `countRejects` counts in the order of the sheet, with the columns; an import has few enough of
 * them to page by skipping.
 */
export const listRejects = pagedQuery<RejectRow & Keyed, RejectsOf>(
  "imports.listRejectsBy",
  [["row_number", "integer"]],
  ({ seek, page, rowKey }) =>
    `SELECT ${rowKey}, row_number, column_number, member, cell, reason, cells, imports.columns
     FROM import_rejects JOIN imports ON imports.id = import_id
     WHERE import_id = $importId AND is_imported = $isImported AND ${seek} ${page}`,
);

export const listErased = query<{ digest: string }>(
  "imports.listErased",
  "SELECT digest FROM import_erasures WHERE import_id = $1",
);

export const sealedFileParts = sealedColumn("imports", "import_parts", "sealed");
export const sealedPreviews = sealedColumn("imports", "imports", "sealed_preview");

// The preview of a file: its format, its first rows, and its probable columns.

import type { Statements } from "../../platform/database/query.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { modernise } from "../../protocol/sms/renumbering.ts";
import { listFieldNames } from "../contacts/fields.ts";
import { plainCell } from "./cells.ts";
import { bareWord, type Columns, columnsOfTexts, guessColumns, proposeFields } from "./columns.ts";
import {
  type Charset,
  charsetOf,
  delimiterOf,
  type Reading,
  type Row,
  readDelimited,
  utf16Of,
} from "./delimited.ts";
import { Unreadable } from "./failures.ts";
import type { StoredFile } from "./files.ts";
import { nameOrderOf } from "./fullnames.ts";
import { type CharsetChosen, type NameOrder, ownFieldOf, type Preview } from "./shapes.ts";
import * as sql from "./sql.ts";
import { openWorkbook, readFirstSheet } from "./workbook.ts";

/** The maximum number of columns that are shown and can be chosen. */
export const COLUMNS_AT_MOST = 50;
const ROWS_SHOWN = 10;
/** The maximum number of rows that a preview reads. A file that starts with more empty rows counts as empty. */
const ROWS_READ_AT_MOST = 10_000;
/** The number of rows from which the columns are guessed. */
const ROWS_SAMPLED = 100;
const CELL_CHARACTERS_SHOWN = 100;
const SAMPLE_BYTES = 65_536;
/** Bytes that no text in a one-byte encoding contains. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const BINARY = /[\u0000-\u0008]/;

/** How to find the rows of a file. */
export type Format =
  | { kind: "XLSX"; encoding: null; delimiter: null }
  | { kind: "CSV"; encoding: Charset; delimiter: string };

const noPause = async () => {};

/** Detects the format of a file, with the chosen encoding or the detected one. Throws `Unreadable`. */
export async function formatOf(
  file: StoredFile,
  isUtf8: boolean,
  chosen: CharsetChosen = "AUTO",
): Promise<Format> {
  const first = await file.part(0);
  if (first.subarray(0, 4).toString("latin1") === "PK\x03\x04")
    return { kind: "XLSX", encoding: null, delimiter: null };
  if (first.subarray(0, 4).toString("hex") === "d0cf11e0") throw new Unreadable("old-workbook");
  const encoding =
    chosen === "AUTO" ? charsetOf(first, isUtf8) : chosen === "UTF-16" ? utf16Of(first) : chosen;
  const sample = new TextDecoder(encoding).decode(first.subarray(0, SAMPLE_BYTES));
  if (BINARY.test(sample)) throw new Unreadable("not-a-table");
  return { kind: "CSV", encoding, delimiter: delimiterOf(sample) };
}

/** Reads the rows of a file, with cells as a person sees them. Throws `Unreadable`. */
export async function readRows(
  file: StoredFile,
  format: Format,
  pause: () => Promise<void> = noPause,
  isPreview = false,
): Promise<Reading> {
  const { rows, share } =
    format.kind === "CSV"
      ? readDelimited(file, format, pause)
      : readFirstSheet(await openWorkbook(file, pause, isPreview), pause);
  return { rows: withPlainCells(rows), share };
}

async function* withPlainCells(rows: AsyncIterable<Row[]>): AsyncGenerator<Row[]> {
  for await (const some of rows) {
    for (const { cells } of some) for (const [at, cell] of cells.entries()) cells[at] = plainCell(cell);
    yield some;
  }
}

/** A preview with an internal member: the digest of its header. */
export type KeptPreview = Preview & { headerDigest: string };

/** Creates the preview of a file. Throws `Unreadable`. */
export async function makePreview(
  app: Runtime,
  db: Statements,
  { companyId, country }: { companyId: string; country: string },
  file: StoredFile,
  format: Format,
): Promise<KeptPreview> {
  const sample = await firstRows(file, format);
  const [first] = sample;
  if (first === undefined) throw new Unreadable("empty");
  const all = sample.map(({ cells }) => cells);
  const guessed = guessColumns(all, country);
  const rows = all.slice(guessed.start, guessed.start + ROWS_SHOWN + 1);
  const width = guessed.columns.length;
  const [titles = []] = guessed.header ? rows : [];
  const words = guessed.header ? titles.slice(0, width).map(bareWord) : [String(width)];
  const headerDigest = app.secrets.digest("import-header", JSON.stringify(words));
  const [chosen] = await db.run(sql.findMapping, [companyId, headerDigest]);
  const fields = await listFieldNames(db, companyId);
  const proposed = proposeFields(titles, guessed.columns, fields);
  const isKnown = chosen !== undefined && chosen.columns.length === width;
  return {
    ...{ format: format.kind, charset: format.encoding, delimiter: format.delimiter },
    header: isKnown ? chosen.has_header : guessed.header,
    startRow: (sample[guessed.start] ?? first).number,
    firstRows: rows.map((row) =>
      row.slice(0, width).map((cell) => cell.slice(0, CELL_CHARACTERS_SHOWN).toWellFormed()),
    ),
    columns: isKnown ? columnsOfTexts(chosen.columns) : withFields(guessed.columns, proposed, fields),
    proposed,
    remembered: isKnown,
    nameOrder: orderIn(rows, guessed),
    oldNumber: oldNumberIn(rows, guessed.columns, country),
    headerDigest,
  };
}

/** Columns named like a field of the company become that field; for other fields the user is asked first. */
function withFields(columns: Columns, proposed: Columns, fields: readonly string[]): Columns {
  return columns.map((column, at) => {
    const one = proposed[at] ?? null;
    return column ?? (one !== null && fields.includes(ownFieldOf(one) ?? "") ? one : null);
  });
}

/** Returns the first non-empty rows. */
async function firstRows(file: StoredFile, format: Format): Promise<Row[]> {
  const found: Row[] = [];
  let read = 0;
  const reading = await readRows(file, format, noPause, true);
  for await (const rows of reading.rows) {
    read += rows.length;
    for (const { number, cells } of rows)
      if (cells.some((cell) => cell.trim() !== ""))
        found.push({ number, cells: cells.slice(0, COLUMNS_AT_MOST) });
    if (found.length >= ROWS_SAMPLED || read >= ROWS_READ_AT_MOST) break;
  }
  return found.slice(0, ROWS_SAMPLED);
}

/** Returns the order of names in the full-name column, if the rows show one. */
function orderIn(
  rows: readonly (readonly string[])[],
  { header, columns }: { header: boolean; columns: Columns },
): NameOrder | null {
  const at = columns.indexOf("name");
  if (at < 0) return null;
  const names = rows.slice(header ? 1 : 0).map((row) => row[at] ?? "");
  return nameOrderOf(header ? bareWord(rows[0]?.[at] ?? "") : "", names);
}

/** Returns the first old number among the rows, with its conversion. */
function oldNumberIn(rows: readonly (readonly string[])[], columns: Columns, country: string) {
  const at = columns.indexOf("phone");
  for (const row of rows) {
    const written = row[at]?.trim() ?? "";
    const { phone: became, isOld } = modernise(written, country);
    if (isOld && became !== null) return { written, became };
  }
  return null;
}

// XLSX: streams the rows of a workbook's first sheet that has any.
import type { Entry } from "yauzl";
import {
  type Archive,
  type Element,
  entryOf,
  openWorkbookArchive,
  parseEntry,
  type Relation,
  readRelations,
  readSmall,
  type XmlListener,
} from "./archive.ts";
import { cellText, type Formats } from "./cells.ts";
import type { Reading, Row } from "./delimited.ts";
import { Unreadable } from "./failures.ts";
import type { StoredFile } from "./files.ts";
import { TextTable } from "./tables.ts";

/** The maximum size of an inflated part, so that no small file expands to a huge one. */
const SHEET_BYTES_AT_MOST = 1024 ** 3;
const TEXTS_BYTES_AT_MOST = 256 * 1024 ** 2;
/** The maximum number of shared strings in memory, and of characters kept of each. A name has at most 200. */
const TEXTS_AT_MOST = 8_000_000;
const TEXTS_KEPT_BYTES = 96 * 1024 ** 2;
const TEXT_CHARACTERS = 1_000;
/** Excel's own limits. */
const ROWS_AT_MOST = 1_048_576;
const COLUMNS_READ = 100;
/** The maximum number of sheets searched for a row, and of bytes in each: formatted cells may precede values. */
const SHEETS_SEARCHED = 50;
const SEARCHED_BYTES = 4 * 1024 ** 2;

/** An open workbook: its sheet and what is needed to read it. */
export type Workbook = { archive: Archive; sheet: Entry; texts: TextTable; formats: Formats };

type Pause = () => Promise<void>;

/** The size of the shared strings and of the sheet that a preview inflates. */
const PREVIEW_BYTES = 2 * 1024 ** 2;

/** Opens a workbook. For a `preview` only the first shared strings are read. Throws `Unreadable`. */
export async function openWorkbook(file: StoredFile, pause: Pause, isPreview: boolean): Promise<Workbook> {
  const archive = await openWorkbookArchive(file);
  const main = (await readRelations(archive, "")).find(({ type }) => type === "officeDocument");
  const path = main?.path ?? "xl/workbook.xml";
  const workbook = await readSmall(archive, path);
  if (!workbook.some(({ name }) => name === "workbook")) throw new Unreadable("not-a-table");
  const relations = await readRelations(archive, path);
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const pathOf = (type: string, usual: string) =>
    relations.find((relation) => relation.type === type)?.path ?? `${folder}${usual}`;
  const sheet = await findSheet(archive, sheetPaths(workbook, relations, folder), pause);
  const formats = formatsOf(workbook, await readSmall(archive, pathOf("styles", "styles.xml")));
  const texts = await readTexts(archive, pathOf("sharedStrings", "sharedStrings.xml"), pause, isPreview);
  return { archive, sheet, formats, texts };
}

/** Returns the paths of the visible sheets in order; of all sheets if none is visible. */
function sheetPaths(workbook: readonly Element[], relations: readonly Relation[], folder: string): string[] {
  const sheets = workbook.filter(({ name }) => name === "sheet").map(({ attributes }) => attributes);
  const visible = sheets.filter(({ state }) => state === undefined || state === "visible");
  return (visible.length > 0 ? visible : sheets).flatMap((attributes) => {
    const [, id] = Object.entries(attributes).find(([name]) => /(^|:)id$/.test(name)) ?? [];
    const relation = relations.find((one) => one.id === id);
    // Chart, dialog and old macro sheets have no rows.
    if (relation && /^(chart|dialog|xlMacro|xlIntlMacro)sheet$/i.test(relation.type)) return [];
    return [relation?.path ?? `${folder}worksheets/sheet1.xml`];
  });
}

/** Returns the first sheet with a value, or else the first sheet. Throws `Unreadable` if there is none. */
async function findSheet(archive: Archive, paths: readonly string[], pause: Pause): Promise<Entry> {
  const sheets = paths.flatMap((path) => entryOf(archive, path, SHEET_BYTES_AT_MOST) ?? []);
  if (sheets.length > 1)
    for (const sheet of sheets.slice(0, SHEETS_SEARCHED))
      if (await hasValue(archive, sheet, pause)) return sheet;
  if (!sheets[0]) throw new Unreadable("damaged");
  return sheets[0];
}

async function hasValue(archive: Archive, sheet: Entry, pause: Pause): Promise<boolean> {
  let isValue = false;
  let found = false;
  const listener: XmlListener = {
    open(name) {
      isValue = name === "v" || name === "t";
    },
    close() {
      isValue = false;
    },
    text(piece) {
      if (isValue && piece.trim() !== "") found = true;
    },
  };
  for await (const bytes of parseEntry(archive, sheet, listener)) {
    await pause();
    if (found || bytes > SEARCHED_BYTES) break;
  }
  return found;
}

/** Returns the number formats: which styles show dates. */
function formatsOf(workbook: readonly Element[], styles: readonly Element[]): Formats {
  const own = new Map<string, string>();
  const dates: boolean[] = [];
  let inCells = false;
  for (const { name, attributes } of styles) {
    if (name === "numFmt") own.set(attributes.numFmtId ?? "", attributes.formatCode ?? "");
    else if (name === "cellXfs") inCells = true;
    else if (name === "cellStyles" || name === "dxfs") inCells = false;
    else if (name === "xf" && inCells) dates.push(isDate(attributes.numFmtId ?? "0", own));
  }
  const properties = workbook.find(({ name }) => name === "workbookPr")?.attributes;
  return { dates, from1904: /^(1|true)$/.test(properties?.date1904 ?? "") };
}

function isDate(id: string, own: ReadonlyMap<string, string>): boolean {
  const code = own.get(id);
  if (code !== undefined) return /[ymdhs]/i.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, ""));
  const number = Number(id);
  return (number >= 14 && number <= 22) || (number >= 27 && number <= 36) || (number >= 45 && number <= 47);
}

async function readTexts(
  archive: Archive,
  path: string,
  pause: Pause,
  isPreview: boolean,
): Promise<TextTable> {
  const texts = new TextTable();
  const entry = entryOf(archive, path, TEXTS_BYTES_AT_MOST);
  if (!entry) return texts;
  let text = "";
  let isText = false;
  let isPhonetic = false;
  const listener: XmlListener = {
    open(name) {
      if (name === "si") text = "";
      else if (name === "rPh") isPhonetic = true;
      else if (name === "t") isText = !isPhonetic;
    },
    text(piece) {
      if (isText && text.length < TEXT_CHARACTERS) text += piece.slice(0, TEXT_CHARACTERS);
    },
    close(name) {
      if (name === "t") isText = false;
      else if (name === "rPh") isPhonetic = false;
      else if (name === "si") texts.add(text);
    },
  };
  for await (const bytes of parseEntry(archive, entry, listener)) {
    await pause();
    if (texts.count > TEXTS_AT_MOST || texts.bytes > TEXTS_KEPT_BYTES)
      throw new Unreadable("too-large-inside");
    if (isPreview && bytes > PREVIEW_BYTES) break;
  }
  return texts;
}

/** Reads the non-empty rows of the sheet. Throws `Unreadable`. */
export function readFirstSheet({ archive, sheet, texts, formats }: Workbook, pause: Pause): Reading {
  let read = 0;
  let rows: Row[] = [];
  let row: Row = { number: 0, cells: [] };
  let column = 0;
  let type = "";
  let isDateCell = false;
  let value = "";
  let isValue = false;
  let isPhonetic = false;
  const listener: XmlListener = {
    open(name, attributes) {
      if (name === "rPh") isPhonetic = true;
      else if (name === "v" || name === "t") isValue = !isPhonetic;
      else if (name === "c") {
        const { r, t = "", s } = attributes();
        column = r === undefined ? column + 1 : columnOf(r);
        type = t;
        isDateCell = formats.dates[Number(s ?? -1)] ?? false;
        value = "";
      } else if (name === "row") {
        const number = Number(attributes().r ?? row.number + 1);
        if (!Number.isInteger(number) || number <= row.number) throw new Unreadable("damaged");
        if (number > ROWS_AT_MOST) throw new Unreadable("too-many-rows");
        row = { number, cells: [] };
        column = 0;
      }
    },
    text(piece) {
      if (isValue && value.length < TEXT_CHARACTERS) value += piece.slice(0, TEXT_CHARACTERS);
    },
    close(name) {
      if (name === "v" || name === "t") isValue = false;
      else if (name === "rPh") isPhonetic = false;
      else if (name === "row") {
        if (row.cells.length > 0) rows.push(row);
      } else if (name === "c" && value !== "" && column <= COLUMNS_READ) {
        while (row.cells.length < column - 1) row.cells.push("");
        row.cells[column - 1] =
          type === "s" ? (texts.at(Number(value)) ?? "…") : cellText(value, type, isDateCell, formats);
      }
    },
  };
  async function* all(): AsyncGenerator<Row[]> {
    for await (const bytes of parseEntry(archive, sheet, listener)) {
      await pause();
      read = bytes;
      if (rows.length === 0) continue;
      yield rows;
      rows = [];
    }
  }
  return { rows: all(), share: () => read / Math.max(1, sheet.uncompressedSize) };
}

/** Returns the number of a column from a cell's name: 28 for AB7. */
function columnOf(cell: string): number {
  let number = 0;
  for (let at = 0; at < cell.length; at++) {
    const letter = cell.charCodeAt(at) - 64;
    if (letter < 1 || letter > 26) break;
    number = number * 26 + letter;
  }
  return Math.max(1, number);
}

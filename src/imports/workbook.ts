// XLSX: the rows of a workbook's first sheet, read as a stream; what its archive may hold is bounded before and while it is read.
import type { Readable } from "node:stream";
import { Parser } from "saxen";
import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from "yauzl";
import { cellText, type Formats } from "./cells.ts";
import type { Reading, Row } from "./delimited.ts";
import { Unreadable } from "./failures.ts";
import { StoredArchive, type StoredFile } from "./files.ts";
import { TextTable } from "./tables.ts";

/** What the archive may hold, so that no small file becomes a huge one: entries, and bytes once it is inflated. */
const ENTRIES_AT_MOST = 10_000;
const SHEET_BYTES_AT_MOST = 1024 ** 3;
const TEXTS_BYTES_AT_MOST = 256 * 1024 ** 2;
const ELEMENTS_AT_MOST = 100_000;
const SMALL_BYTES_AT_MOST = 4 * 1024 ** 2;
/** Shared texts in memory, and the characters of each that are kept. A name has 200 at most. */
const TEXTS_AT_MOST = 8_000_000;
const TEXTS_KEPT_BYTES = 96 * 1024 ** 2;
const TEXT_CHARACTERS = 1_000;
/** XML without any tag: a piece of a hostile file. */
const TAGLESS_AT_MOST = 1_048_576;
/** Excel's own limits. */
const ROWS_AT_MOST = 1_048_576;
const COLUMNS_READ = 100;

type Archive = { file: StoredFile; zip: ZipFile; entries: Map<string, Entry> };

/** A workbook that is open: what its first sheet needs beside itself. */
export type Workbook = { archive: Archive; sheet: Entry; texts: TextTable; formats: Formats };

type Pause = () => Promise<void>;

/** How much of the shared texts and of the sheet a preview inflates. */
const PREVIEW_BYTES = 2 * 1024 ** 2;

/** Opens a workbook. For a `preview` only the first shared texts are read. Throws `Unreadable`. */
export async function openWorkbook(file: StoredFile, pause: Pause, isPreview: boolean): Promise<Workbook> {
  const archive = await openArchive(file);
  const workbook = await readSmall(archive, "xl/workbook.xml");
  if (workbook.length === 0) throw new Unreadable("not-a-table");
  const relations = await readSmall(archive, "xl/_rels/workbook.xml.rels");
  const sheet = archive.entries.get(sheetPath(workbook, relations));
  if (!sheet) throw new Unreadable("damaged");
  bound(sheet, SHEET_BYTES_AT_MOST);
  const formats = formatsOf(workbook, await readSmall(archive, "xl/styles.xml"));
  return { archive, sheet, formats, texts: await readTexts(archive, pause, isPreview) };
}

async function openArchive(file: StoredFile): Promise<Archive> {
  const reading = { lazyEntries: true, autoClose: false, strictFileNames: false };
  const entries = new Map<string, Entry>();
  let count = 0;
  try {
    const zip = await fromRandomAccessReaderPromise(new StoredArchive(file), file.size, reading);
    for await (const entry of zip.eachEntry()) {
      if (++count > ENTRIES_AT_MOST) throw new Unreadable("too-large-inside");
      if (entry.isEncrypted()) throw new Unreadable("old-workbook");
      entries.set(entry.fileName.replace(/^\//, ""), entry);
    }
    return { file, zip, entries };
  } catch (error) {
    throw asUnreadable(file, error);
  }
}

/** What the libraries throw of a file that is wrong, as ours; a part that could not be read is no fault of the file. */
function asUnreadable({ fault }: StoredFile, error: unknown): unknown {
  return fault ?? (error instanceof Unreadable ? error : new Unreadable("damaged"));
}

function bound(entry: Entry, bytes: number): void {
  if (entry.uncompressedSize > bytes) throw new Unreadable("too-large-inside");
}

/** Hears the elements and texts of an entry. Names are without their prefix. */
type Hearer = {
  open?: (name: string, attributes: () => Record<string, string>) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
};

/** Feeds an entry to a hearer piece by piece, and yields after each. yauzl ends it where it is longer than it says. */
async function* hear({ file, zip }: Archive, entry: Entry, hearer: Hearer): AsyncGenerator<number> {
  let stream: Readable | undefined;
  let sinceTag = 0;
  let fault: unknown;
  const bare = (name: string) => name.slice(name.indexOf(":") + 1);
  const parser = new Parser()
    .on("openTag", (name, attributes) => {
      sinceTag = 0;
      hearer.open?.(bare(name), attributes);
    })
    .on("closeTag", (name) => {
      sinceTag = 0;
      hearer.close?.(bare(name));
    })
    .on("text", (text, decode) => hearer.text?.(decode(text)))
    .on("cdata", (text) => hearer.text?.(text))
    .on("error", (error) => {
      fault ??= error;
    });
  const decoder = new TextDecoder();
  let bytes = 0;
  try {
    stream = await zip.openReadStreamPromise(entry);
    for await (const piece of stream as AsyncIterable<Buffer>) {
      bytes += piece.length;
      sinceTag += piece.length;
      parser.write(decoder.decode(piece, { stream: true }));
      if (fault || sinceTag > TAGLESS_AT_MOST) throw fault ?? new Unreadable("damaged");
      yield bytes;
    }
    parser.write(decoder.decode());
    parser.end();
    if (fault) throw fault;
    yield bytes;
  } catch (error) {
    throw asUnreadable(file, error);
  } finally {
    stream?.destroy();
  }
}

type Element = { name: string; attributes: Record<string, string> };

/** The elements of a small entry in order; none where there is no such entry. */
async function readSmall(archive: Archive, path: string): Promise<Element[]> {
  const entry = archive.entries.get(path);
  if (!entry) return [];
  bound(entry, SMALL_BYTES_AT_MOST);
  const elements: Element[] = [];
  const isFull = () => elements.length > ELEMENTS_AT_MOST;
  const hearer: Hearer = {
    open: (name, attributes) => elements.push({ name, attributes: { ...attributes() } }),
  };
  for await (const _ of hear(archive, entry, hearer)) if (isFull()) throw new Unreadable("too-large-inside");
  return elements;
}

/** The path of the first sheet that can be seen. */
function sheetPath(workbook: readonly Element[], relations: readonly Element[]): string {
  const sheets = workbook.filter(({ name }) => name === "sheet").map(({ attributes }) => attributes);
  const sheet = sheets.find(({ state }) => state === undefined || state === "visible") ?? sheets[0];
  const [, id] = Object.entries(sheet ?? {}).find(([name]) => /(^|:)id$/.test(name)) ?? [];
  const relation = relations.find(({ attributes }) => attributes.Id === id)?.attributes.Target;
  const target = relation ?? "worksheets/sheet1.xml";
  return target.startsWith("/") ? target.slice(1) : `xl/${target}`;
}

/** The formats of numbers: which styles show dates. */
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

async function readTexts(archive: Archive, pause: Pause, isPreview: boolean): Promise<TextTable> {
  const texts = new TextTable();
  const entry = archive.entries.get("xl/sharedStrings.xml");
  if (!entry) return texts;
  bound(entry, TEXTS_BYTES_AT_MOST);
  let text = "";
  let isText = false;
  let isPhonetic = false;
  const hearer: Hearer = {
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
  for await (const bytes of hear(archive, entry, hearer)) {
    await pause();
    if (texts.count > TEXTS_AT_MOST || texts.bytes > TEXTS_KEPT_BYTES)
      throw new Unreadable("too-large-inside");
    if (isPreview && bytes > PREVIEW_BYTES) break;
  }
  return texts;
}

/** The rows of the sheet. Empty ones are not among them. Throws `Unreadable`. */
export function readFirstSheet({ archive, sheet, texts, formats }: Workbook, pause: Pause): Reading {
  let read = 0;
  let rows: Row[] = [];
  let row: Row = { number: 0, cells: [] };
  let column = 0;
  let type = "";
  let isDateCell = false;
  let value = "";
  let isValue = false;
  const hearer: Hearer = {
    open(name, attributes) {
      if (name === "v" || name === "t") isValue = true;
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
    for await (const bytes of hear(archive, sheet, hearer)) {
      await pause();
      read = bytes;
      if (rows.length === 0) continue;
      yield rows;
      rows = [];
    }
  }
  return { rows: all(), share: () => read / Math.max(1, sheet.uncompressedSize) };
}

/** The number of a column from the name of a cell: 28 of AB7. */
function columnOf(cell: string): number {
  let number = 0;
  for (let at = 0; at < cell.length; at++) {
    const letter = cell.charCodeAt(at) - 64;
    if (letter < 1 || letter > 26) break;
    number = number * 26 + letter;
  }
  return Math.max(1, number);
}

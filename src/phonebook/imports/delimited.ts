// CSV: detects the encoding and delimiter of a file, and reads its rows as a stream.
import { Readable } from "node:stream";
import { type Options, type Parser, parse } from "csv-parse";
import { parse as parseSync } from "csv-parse/sync";
import { Unreadable } from "./failures.ts";
import type { StoredFile } from "./files.ts";

/** A row of a sheet: its number as in a spreadsheet, and its cells. */
export type Row = { number: number; cells: string[] };

/** The rows of a file in order, and the share of the file read so far, from 0 to 1. */
export type Reading = { rows: AsyncIterable<Row[]>; share: () => number };

export type Charset = "UTF-8" | "UTF-16LE" | "UTF-16BE" | "WINDOWS-1252" | "MACINTOSH";

const DELIMITERS = [";", "\t", ",", "|"] as const;
/** The maximum bytes of a row without its delimiters, and with them. */
const RECORD_BYTES_AT_MOST = 65_536;
const WHOLE_RECORD_BYTES_AT_MOST = 2 * RECORD_BYTES_AT_MOST;
/** Excel's own limit. Excel writes this many delimiters if a whole row of the sheet is formatted. */
const COLUMNS_AT_MOST = 16_384;
/** The maximum number of columns, and of characters per cell, that are kept. A name has at most 200 characters. */
const COLUMNS_KEPT = 100;
const CELL_CHARACTERS_KEPT = 1_000;
const PIECE_BYTES = 65_536;
const SAMPLE_ROWS = 50;

const OPTIONS: Options = {
  record_delimiter: ["\r\n", "\n", "\r"],
  relax_quotes: true,
  relax_column_count: true,
  skip_empty_lines: false,
  max_record_size: RECORD_BYTES_AT_MOST,
};

/** The number of bytes from which the encoding of a file without a byte order mark is guessed. */
const GUESSED_BYTES = 65_536;
/** Latin text in UTF-16 has a zero in every other byte; digits, separators and line ends alone exceed this share. */
const ZERO_SHARE = 0.4;

/** Returns UTF-16 in the byte order that the first bytes show, or little-endian, as Windows writes it. */
export function utf16Of(first: Buffer): Charset {
  if (first[0] === 0xfe && first[1] === 0xff) return "UTF-16BE";
  const sample = first.subarray(0, GUESSED_BYTES);
  return zerosIn(sample, 0) > zerosIn(sample, 1) ? "UTF-16BE" : "UTF-16LE";
}

/**
 * Detects the encoding from the first bytes, and from whether the whole file is valid UTF-8. Without a byte order mark,
 * zeros in every other byte mean UTF-16, and accented letters decide between Windows-1252 and MacRoman.
 */
export function charsetOf(first: Buffer, isUtf8: boolean): Charset {
  if (first[0] === 0xff && first[1] === 0xfe) return "UTF-16LE";
  if (first[0] === 0xfe && first[1] === 0xff) return "UTF-16BE";
  const sample = first.subarray(0, GUESSED_BYTES);
  const [even, odd] = [zerosIn(sample, 0), zerosIn(sample, 1)];
  const half = sample.length / 2;
  if (odd > half * ZERO_SHARE && even < odd / 10) return "UTF-16LE";
  if (even > half * ZERO_SHARE && odd < even / 10) return "UTF-16BE";
  if (isUtf8) return "UTF-8";
  return isMacintosh(first) ? "MACINTOSH" : "WINDOWS-1252";
}

function zerosIn(bytes: Buffer, start: 0 | 1): number {
  let zeros = 0;
  for (let at = start; at < bytes.length; at += 2) if (bytes[at] === 0) zeros++;
  return zeros;
}

// The accented letters of French in MacRoman: À Ç É à â ç é è ê ë î ï ô ù û ü. In Windows-1252 most of these bytes are
// punctuation or unassigned, and letters are above 0xBF. 0x92 and 0xD5 are the apostrophes of the two.
const MAC_LETTERS = new Set([
  ...[0xcb, 0x82, 0x83, 0x88, 0x89, 0x8d, 0x8e, 0x8f, 0x90, 0x91, 0x94, 0x95, 0x99, 0x9d, 0x9e, 0x9f],
]);
const MAC_APOSTROPHE = 0xd5;

function isMacintosh(bytes: Buffer): boolean {
  let [mac, windows] = [0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80 || !(isLetter(bytes[at - 1]) || isLetter(bytes[at + 1]))) continue;
    if (MAC_LETTERS.has(byte)) mac++;
    else if (byte >= 0xc0 && byte !== MAC_APOSTROPHE) windows++;
  }
  return mac > windows;
}

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && ((byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a));
}

/** A first line that names the delimiter for Excel; it is not a row. */
const DELIMITER_LINE = /^\ufeff?"?sep=([;,|\t])"?[;,|\t]*\r?(?:\n|$)/i;

/**
 * Returns the delimiter that a first line `sep=;` names; else the one that splits most of the first lines into the same
 * number of cells, two or more; else `;`.
 */
export function delimiterOf(sample: string): string {
  const [, named] = DELIMITER_LINE.exec(sample) ?? [];
  if (named !== undefined) return named;
  const cut = Math.max(sample.lastIndexOf("\n"), sample.lastIndexOf("\r"));
  const lines = cut > 0 ? sample.slice(0, cut) : sample;
  const scores = DELIMITERS.map((delimiter) => scoreOf(lines, delimiter));
  const best = Math.max(...scores);
  return (best > 0 && DELIMITERS[scores.indexOf(best)]) || ";";
}

function scoreOf(lines: string, delimiter: string): number {
  const widths = new Map<number, number>();
  const count = ({ length }: readonly string[]) => {
    if (length > 1) widths.set(length, (widths.get(length) ?? 0) + 1);
    return null;
  };
  try {
    parseSync(lines, { ...OPTIONS, delimiter, to: SAMPLE_ROWS, on_record: count });
  } catch {
    // The sample may end inside quotation marks; the records before them count.
  }
  return Math.max(0, ...[...widths].map(([width, rows]) => rows * 100 + width));
}

/**
 * Reads the rows of a CSV. Awaits `pause` between small pieces. Throws `Unreadable` for an endless row or one with more
 * than 16,384 columns. Memory is bounded: a row keeps its first 100 cells.
 */
export function readDelimited(
  file: StoredFile,
  { encoding, delimiter }: { encoding: Charset; delimiter: string },
  pause: () => Promise<void>,
): Reading {
  let fed = 0;
  async function* texts(): AsyncGenerator<string> {
    const decoder = new TextDecoder(encoding);
    for await (const bytes of file.bytes()) {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        await pause();
        const piece = bytes.subarray(at, at + PIECE_BYTES);
        fed += piece.length;
        const text = decoder.decode(piece, { stream: true });
        if (text !== "") yield text;
      }
    }
    const rest = decoder.decode();
    if (rest !== "") yield rest;
  }
  return { rows: parseRows(texts(), delimiter), share: () => fed / Math.max(1, file.size) };
}

/** Spreadsheets do not show this line, so row numbers do not count it. */
function isDelimiterLine([first = "", ...others]: readonly string[]): boolean {
  return /^\ufeff?sep=[;,|\t]?$/i.test(first) && others.every((cell) => cell === "");
}

const ROWS_AT_ONCE = 200;

async function* parseRows(texts: AsyncGenerator<string>, delimiter: string): AsyncGenerator<Row[]> {
  const parser = parse({ ...OPTIONS, delimiter, on_record: cellsKept });
  const source = Readable.from(withinRecords(texts, parser));
  source.on("error", (error) => parser.destroy(error));
  source.pipe(parser);
  let number = 0;
  let rows: Row[] = [];
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      if (number === 0 && isDelimiterLine(cells)) continue;
      rows.push({ number: ++number, cells });
      if (rows.length < ROWS_AT_ONCE) continue;
      yield rows;
      rows = [];
    }
    yield rows;
  } catch (error) {
    // The rows before the error were read correctly.
    if (rows.length > 0) yield rows;
    const code = (error as { code?: unknown }).code;
    if (typeof code === "string" && code.startsWith("CSV_")) throw new Unreadable("record-too-long");
    throw error;
  } finally {
    source.destroy();
    parser.destroy();
  }
}

/**
 * Passes texts to the parser as long as its unfinished row is small. The parser's own limit ignores delimiters: 30 MB
 * of semicolons became one row of 31 million cells and took 250 MB (2026-11-26).
 */
async function* withinRecords(texts: AsyncGenerator<string>, parser: Parser): AsyncGenerator<string> {
  for await (const text of texts) {
    const { bytes, bytes_records } = parser.info;
    if (bytes - bytes_records > WHOLE_RECORD_BYTES_AT_MOST) throw new Unreadable("too-many-columns");
    yield text;
  }
}

/** Returns the cells of a row to keep. Throws `Unreadable` if it has too many columns. */
function cellsKept(cells: string[]): string[] {
  if (cells.length > COLUMNS_AT_MOST) throw new Unreadable("too-many-columns");
  const kept = cells.length > COLUMNS_KEPT ? cells.slice(0, COLUMNS_KEPT) : cells;
  for (const [at, cell] of kept.entries()) if (cell.length > CELL_CHARACTERS_KEPT) kept[at] = startOf(cell);
  return kept;
}

/** Copies the first characters of a cell: V8's `slice` would keep the whole text in memory. */
function startOf(cell: string): string {
  return Buffer.from(cell.slice(0, CELL_CHARACTERS_KEPT), "utf16le").toString("utf16le");
}

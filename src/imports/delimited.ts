// CSV: which encoding and delimiter a file has, and its rows one after the other.
import { Readable } from "node:stream";
import { type Options, parse } from "csv-parse";
import { parse as parseSync } from "csv-parse/sync";
import { Unreadable } from "./failures.ts";
import type { StoredFile } from "./files.ts";

/** A row of a sheet: its number as a spreadsheet shows it, and its cells. */
export type Row = { number: number; cells: string[] };

/** The rows of a file in order, and how much of it was read, from 0 to 1. */
export type Reading = { rows: AsyncIterable<Row[]>; share: () => number };

export type Charset = "UTF-8" | "UTF-16LE" | "UTF-16BE" | "WINDOWS-1252";

const DELIMITERS = [";", "\t", ",", "|"] as const;
const RECORD_BYTES_AT_MOST = 65_536;
const PIECE_BYTES = 65_536;
const SAMPLE_ROWS = 50;

const OPTIONS: Options = {
  record_delimiter: ["\r\n", "\n", "\r"],
  relax_quotes: true,
  relax_column_count: true,
  skip_empty_lines: false,
  max_record_size: RECORD_BYTES_AT_MOST,
};

/** The encoding by the first bytes, and by whether all bytes are UTF-8. */
export function charsetOf(first: Buffer, isUtf8: boolean): Charset {
  if (first[0] === 0xff && first[1] === 0xfe) return "UTF-16LE";
  if (first[0] === 0xfe && first[1] === 0xff) return "UTF-16BE";
  return isUtf8 ? "UTF-8" : "WINDOWS-1252";
}

/** The delimiter that parts most of the first lines into the same number of cells, two or more; `;` where none does. */
export function delimiterOf(sample: string): string {
  const cut = Math.max(sample.lastIndexOf("\n"), sample.lastIndexOf("\r"));
  const lines = cut > 0 ? sample.slice(0, cut) : sample;
  const scores = DELIMITERS.map((delimiter) => scoreOf(lines, delimiter));
  const best = Math.max(...scores);
  return best > 0 ? DELIMITERS[scores.indexOf(best)]! : ";";
}

function scoreOf(lines: string, delimiter: string): number {
  const widths = new Map<number, number>();
  let records: string[][];
  try {
    records = parseSync(lines, { ...OPTIONS, delimiter, to: SAMPLE_ROWS }) as unknown as string[][];
  } catch {
    return 0;
  }
  for (const { length } of records) if (length > 1) widths.set(length, (widths.get(length) ?? 0) + 1);
  return Math.max(0, ...[...widths].map(([width, count]) => count * 100 + width));
}

/**
 * The rows of a CSV. `pause` is waited for between small pieces. Throws `Unreadable` for a row without end. Memory does
 * not grow with the file.
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

const ROWS_AT_ONCE = 200;

async function* parseRows(texts: AsyncGenerator<string>, delimiter: string): AsyncGenerator<Row[]> {
  const source = Readable.from(texts);
  const parser = parse({ ...OPTIONS, delimiter });
  source.on("error", (error) => parser.destroy(error));
  source.pipe(parser);
  let number = 0;
  let rows: Row[] = [];
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      rows.push({ number: ++number, cells });
      if (rows.length < ROWS_AT_ONCE) continue;
      yield rows;
      rows = [];
    }
    yield rows;
  } catch (error) {
    // What came before the fault was read rightly.
    if (rows.length > 0) yield rows;
    const code = (error as { code?: unknown }).code;
    if (typeof code === "string" && code.startsWith("CSV_")) throw new Unreadable("record-too-long");
    throw error;
  } finally {
    source.destroy();
    parser.destroy();
  }
}

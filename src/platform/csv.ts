// CSV for spreadsheets (RFC 4180), in which no cell is interpreted as a formula.

/**
 * Where a spreadsheet interprets what follows as a formula, and may run it: at the start of a text, and after
 * characters that may start a cell within it. French spreadsheets split cells at semicolons and English ones at commas,
 * whatever the file uses, and then treat quotes as text. Zero-width spaces before a sign are ignored.
 */
const FORMULA =
  /(?<=^|[,;\t\r\n])(?=[ "\u200b-\u200d\u2060\ufeff]{0,4}[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r])/g;
const QUOTED = /[",;\r\n]/;

/** It makes spreadsheets read the file as UTF-8. */
export const BYTE_ORDER_MARK = "\ufeff";

/** Phones and account numbers: a spreadsheet would parse them as amounts and lose zeros or the last digits. */
const LONG_NUMBER = /^\+?[0-9][0-9 .()-]{5,40}$/;

/**
 * Returns one line. A formula is prefixed with an apostrophe; numbers stay as they are, and objects are JSON. With
 * `keepsNumbers` texts of many digits are written as text formulas, `="0701020307"`, which spreadsheets show digit by
 * digit: for files that people open, not for programs.
 */
export function csvLine(cells: readonly unknown[], separator: "," | ";" = ",", keepsNumbers = false): string {
  const write = (cell: unknown) =>
    keepsNumbers && typeof cell === "string" && LONG_NUMBER.test(cell) ? `"=""${cell}"""` : cellOf(cell);
  return `${cells.map(write).join(separator)}\r\n`;
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string" && typeof value !== "object") return String(value);
  const text = (typeof value === "string" ? value : JSON.stringify(value)).replace(FORMULA, "'");
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

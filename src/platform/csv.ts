// CSV as spreadsheets read it (RFC 4180), in which no cell is taken for a formula.

/**
 * Where a spreadsheet takes what follows for a formula, and may run it: at the beginning of a text, and behind what may begin
 * a cell within it. French ones part cells by semicolons and English ones by commas, whatever the file is, and then take
 * quotes for text. Zero-width spaces before a sign are not seen.
 */
const FORMULA =
  /(?<=^|[,;\t\r\n])(?=[ "\u200b-\u200d\u2060\ufeff]{0,4}[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r])/g;
const QUOTED = /[",;\r\n]/;

/** Spreadsheets read the file as UTF-8 by it. */
export const BYTE_ORDER_MARK = "\ufeff";

/** Digits that a spreadsheet would take for an amount, and lose zeros or the last digits of: phones and account numbers. */
const LONG_NUMBER = /^\+?[0-9][0-9 .()-]{5,40}$/;

/**
 * One line. What a spreadsheet would take for a formula gets an apostrophe before it; numbers are as they are, and objects
 * JSON. With `keepsNumbers` texts of many digits are written as formulas of a text, `="0701020307"`, which spreadsheets
 * show digit by digit: for files that people open, not for programs.
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

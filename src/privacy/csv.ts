// CSV as spreadsheets read it (RFC 4180), in which no cell is taken for a formula.

/** A spreadsheet takes a text that begins so for a formula, and may run it. */
const FORMULA = /^[=+\-@\t\r]/;
const QUOTED = /[",\r\n]/;

/** Spreadsheets read the file as UTF-8 by it. */
export const BYTE_ORDER_MARK = "\ufeff";

/** One line. A text that a spreadsheet would take for a formula gets an apostrophe before it; numbers are as they are. */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

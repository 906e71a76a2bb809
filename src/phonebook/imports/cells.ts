// Cells: converts a cell of a workbook or CSV to the text that it shows.

/** Which styles of a workbook show dates, and whether its dates count from 1904. */
export type Formats = { dates: readonly boolean[]; from1904: boolean };

const DAY_MS = 86_400_000;
// Day 0 of a workbook. Excel treats 29 February 1900 as a date, so days before March 1900 are off by one.
const DAY_ZERO = Date.UTC(1899, 11, 30);
const DAY_ZERO_1904 = Date.UTC(1904, 0, 1);
const DAYS_AT_MOST = 2_958_465;

/**
 * Returns the text of a cell that is not a shared string: numbers in full, dates as 2026-11-23, formulas as their last
 * result. `type` is the attribute `t` of ECMA-376.
 */
export function cellText(value: string, type: string, isDate: boolean, { from1904 }: Formats): string {
  if (type === "e") return "";
  if (type === "b") return value === "1" ? "TRUE" : "FALSE";
  if (type !== "" && type !== "n") return value;
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  if (isDate && number >= 0 && number <= DAYS_AT_MOST) return dateText(number, from1904);
  return Number.isSafeInteger(number) ? String(number) : value;
}

function dateText(days: number, from1904: boolean): string {
  const moment = new Date(
    (from1904 ? DAY_ZERO_1904 : DAY_ZERO) + Math.round((days * DAY_MS) / 1_000) * 1_000,
  );
  const [date, time] = moment.toISOString().split("T") as [string, string];
  const clock = time.slice(0, 5);
  if (days < 1) return clock;
  return clock === "00:00" ? date : `${date} ${clock}`;
}

/** `="0701020307"` keeps digits as text in a CSV; `=0701020307` is the same without quotation marks. */
const FORMULA_TEXT = /^=\s*(?:"((?:[^"]|"")*)"|(\+?[0-9]+))$/;

// The error values of Excel and LibreOffice in English and French, as they appear in CSV files and in copied cells.
const ERROR =
  /^(?:#(?:N\/[AD]|REF ?!|VALUE!|VALEUR ?!|NAME ?\?|NOM ?\?|NULL!|NUL ?!|NUM!|NOMBRE ?!|DIV\/0 ?!|SPILL!|PROPAGATION!|CALC!|FIELD!|CHAMP!|BLOCKED!|CONNECT!|UNKNOWN!|BUSY!|GETTING_DATA|####*)|Err:[0-9]{3})$/i;

/** ST_Xstring of ECMA-376 part 1, 22.9.2.19: escapes what XML cannot contain, such as `_x000D_` (carriage return). */
const ESCAPE = /_x([0-9A-Fa-f]{4})_/g;

/**
 * Returns what a person sees in a cell: the text of a formula that is only a text, the characters escaped as `_xHHHH_`,
 * and nothing for an error value.
 */
export function plainCell(cell: string): string {
  const text = cell.includes("_x")
    ? cell.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : cell;
  const trimmed = text.trim();
  const first = trimmed.charAt(0);
  if (first === "=") {
    const [, quoted, digits] = FORMULA_TEXT.exec(trimmed) ?? [];
    return quoted?.replaceAll('""', '"') ?? digits ?? text;
  }
  return (first === "#" || first === "E" || first === "e") && ERROR.test(trimmed) ? "" : text;
}

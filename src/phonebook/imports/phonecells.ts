// Cells of phones: which numbers a cell contains, and why one is not a phone.

import { isWrittenDate } from "../../protocol/sms/dates.ts";
import { normalisePhone } from "../../protocol/sms/phone.ts";
import { isAssignable } from "../../protocol/sms/plans.ts";
import { modernise } from "../../protocol/sms/renumbering.ts";

/** Why a cell does not contain a phone. */
type NoPhone = "not-a-phone" | "old-number" | "rounded" | "date";

/** How numbers are read: the company's country, and whether old numbers are converted. */
export type PhoneReading = { country: string; converts: boolean };

// 2,25071E+12, the form in which spreadsheets write a long number to a CSV: the last digits are lost.
const ROUNDED = /^[0-9]+([.,][0-9]+)?E\+?[0-9]+$/i;
/** An old number of 8 digits whose leading zero a spreadsheet removed. */
const OLD_WITHOUT_ZERO = /^[1-9][0-9]{6}$/;

const DATE_OF_DIGITS =
  /^(?:(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])(?:19|20)\d\d)$/;

/** The separators of several numbers in one cell: Google contacts are exported with ` ::: `. */
const BETWEEN = /\s*(?:::+|[,;|\n\r]+|\/|\s-\s|\s(?:ou|or|et|and)\s)\s*/i;
const NUMBERS_AT_MOST = 10;

/** The first number of a cell, and the second if there are several; or why it contains none. */
export type PhoneCell = { phone: string; other: string | null } | { phone: null; reason: NoPhone };

/**
 * Reads a cell of the phone column. A date is not a phone, even if its digits could be one. Of several numbers the
 * first one that its country could assign is used, since the others reach the same person.
 */
export function readPhoneCell(cell: string, reading: PhoneReading): PhoneCell {
  // Excel marks text with an apostrophe, which some programs export.
  const text = cell.replace(/^'/, "").trim();
  const whole = readNumber(text, reading);
  if (whole.phone !== null) return { ...whole, other: null };
  if (whole.reason !== "not-a-phone") return whole;
  const parted = text.split(BETWEEN, NUMBERS_AT_MOST);
  const pieces = parted.length > 1 ? parted : text.split(/\s+/, NUMBERS_AT_MOST);
  const phones = pieces.flatMap((piece) => readNumber(piece, reading).phone ?? []);
  const first = phones.find(isAssignable);
  if (first === undefined) return whole;
  return { phone: first, other: phones.find((phone) => phone !== first) ?? null };
}

function readNumber(
  text: string,
  { country, converts }: PhoneReading,
): { phone: string } | { phone: null; reason: NoPhone } {
  const none = (reason: NoPhone) => ({ phone: null, reason });
  if (ROUNDED.test(text)) return none("rounded");
  if (isWrittenDate(text)) return none("date");
  if (!converts) {
    const phone = normalisePhone(text, country);
    return phone === null ? none("not-a-phone") : { phone };
  }
  const { phone, isOld } = modernise(OLD_WITHOUT_ZERO.test(text) ? `0${text}` : text, country);
  if (isOld) return phone === null ? none("old-number") : { phone };
  return phone === null ? none("not-a-phone") : { phone };
}

const VALID = 1;
/** A match of the old format may be a phone; a match of the length alone is more often something else. */
const OLD = 0.3;
const POSSIBLE = 0.01;

/** How likely a cell is a phone, from 0 to 1. */
export function phoneLikelihood(cell: string, country: string): number {
  const read = readPhoneCell(cell, { country, converts: false });
  if (read.phone === null) return 0;
  if (isAssignable(read.phone)) return VALID;
  if (DATE_OF_DIGITS.test(cell.trim())) return 0;
  return modernise(cell, country).isOld ? OLD : POSSIBLE;
}

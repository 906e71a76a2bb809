// Written phones: extracts the digits of a number in all the ways in which people, files and programs write one.

/** The digits of a number as written. */
export type WrittenPhone = {
  digits: string;
  /** Whether `+` or `00` preceded them; `digits` excludes it. */
  isInternational: boolean;
  /** The index in `digits` of the 0 of a `(0)`, which may be a trunk prefix; -1 if there is none. */
  zeroAt: number;
};

/** Far more than 15 digits, each with a separator; longer texts are not read, so that a huge string costs nothing. */
const RAW_LENGTH_AT_MOST = 64;

const SEPARATORS = /[\s.()/\p{Pd}\u2212]+/gu;
const PLAIN = /^(\+?(?:00)?)([0-9]+)$/;
// The ending that programs add to a number that they took for a decimal. After other dots, the 0 belongs to a group.
const DECIMAL = /^([^.]*)\.0$/;
const TRUNK_ZERO = /\([ ]*0[ ]*\)/;

/**
 * Returns the digits of a text that is a number; null for any other. It drops `+`, a leading `00`, `tel:` (RFC 3966),
 * white space, dots, hyphens and dashes, slashes, parentheses, and invisible characters, such as the direction marks
 * around a number that was copied from a contact. A trailing `.0` is no digit. Digits of other scripts count as digits.
 */
export function cleanPhone(raw: string): WrittenPhone | null {
  if (raw.length > RAW_LENGTH_AT_MOST) return null;
  const text = asciiOf(raw).trim().replace(/^tel:/i, "").replace(DECIMAL, "$1");
  const plain = PLAIN.exec(text.replace(SEPARATORS, ""));
  if (!plain) return null;
  const [, sign, digits = ""] = plain;
  return { digits, isInternational: sign !== "", zeroAt: zeroIn(text) };
}

/** The number of digits before a `(0)`, without a leading `00`; -1 if there is none. */
function zeroIn(text: string): number {
  const found = text.indexOf("(") < 0 ? null : TRUNK_ZERO.exec(text);
  if (!found) return -1;
  return text
    .slice(0, found.index)
    .replace(/[^0-9]/g, "")
    .replace(/^00/, "").length;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII ends at 0x7F
const ASCII = /^[\x00-\x7f]*$/;

/** The text without invisible characters, with ASCII digits and signs in place of those of other scripts and widths. */
function asciiOf(raw: string): string {
  if (ASCII.test(raw)) return raw;
  return raw
    .replace(/\p{Cf}+/gu, "")
    .normalize("NFKC")
    .replace(/\p{Nd}/gu, (digit) => String(digitValueOf(digit.codePointAt(0) ?? 0)));
}

/** Decimal digits are in whole decades from 0 to 9, one after another (Unicode, 4.6; at most five: 1D7CE to 1D7FF). */
const DIGITS_IN_A_ROW_AT_MOST = 50;

function digitValueOf(digit: number): number {
  let before = 0;
  while (before < DIGITS_IN_A_ROW_AT_MOST && /\p{Nd}/u.test(String.fromCodePoint(digit - before - 1)))
    before++;
  return before % 10;
}

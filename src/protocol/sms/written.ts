// Written phones: the digits of a number in all the ways in which people, files and programs write one.

/** The digits of a number as it was written. */
export type WrittenPhone = {
  digits: string;
  /** `+` or `00` stood before them; `digits` are without it. */
  isInternational: boolean;
  /** Where the 0 of a `(0)` stands in `digits`, which may be a trunk prefix; -1 where none was written. */
  zeroAt: number;
};

/** Far more than 15 digits with a separator around each; beyond it nothing is read, so a huge string costs nothing. */
const RAW_LENGTH_AT_MOST = 64;

const SEPARATORS = /[\s.()/\p{Pd}\u2212]+/gu;
const PLAIN = /^(\+?(?:00)?)([0-9]+)$/;
// What a program adds that took the number for a decimal one. Behind other dots it ends a group.
const DECIMAL = /^([^.]*)\.0$/;
const TRUNK_ZERO = /\([ ]*0[ ]*\)/;

/**
 * The digits of a text that is a number; null of any other. `+`, a leading `00`, `tel:` (RFC 3966), white space, dots,
 * hyphens and dashes, slashes and parentheses fall away, and so do invisible characters, such as the marks of direction
 * around a number that was copied from a contact. A trailing `.0` is no digit. Digits of other scripts count as such.
 */
export function cleanPhone(raw: string): WrittenPhone | null {
  if (raw.length > RAW_LENGTH_AT_MOST) return null;
  const text = asciiOf(raw).trim().replace(/^tel:/i, "").replace(DECIMAL, "$1");
  const plain = PLAIN.exec(text.replace(SEPARATORS, ""));
  if (!plain) return null;
  const [, sign, digits] = plain;
  return { digits: digits!, isInternational: sign !== "", zeroAt: zeroIn(text) };
}

/** How many digits stand before a `(0)`, without a leading `00`; -1 where there is none. */
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

/** The text without invisible characters, with ASCII digits and signs for those of other scripts and widths. */
function asciiOf(raw: string): string {
  if (ASCII.test(raw)) return raw;
  return raw
    .replace(/\p{Cf}+/gu, "")
    .normalize("NFKC")
    .replace(/\p{Nd}/gu, (digit) => String(digitValueOf(digit.codePointAt(0)!)));
}

/** Decimal digits stand in whole decades from 0 to 9, one behind another (Unicode, 4.6; at most five: 1D7CE to 1D7FF). */
const DIGITS_IN_A_ROW_AT_MOST = 50;

function digitValueOf(digit: number): number {
  let before = 0;
  while (before < DIGITS_IN_A_ROW_AT_MOST && /\p{Nd}/u.test(String.fromCodePoint(digit - before - 1)))
    before++;
  return before % 10;
}

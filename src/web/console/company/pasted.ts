// Pasted lists: parses typed or pasted numbers with names beside them; the person is asked about unclear lines, nothing is guessed.

import { isWrittenDate } from "../../../protocol/sms/dates.ts";
import { normalisePhone } from "../../../protocol/sms/phone.ts";
import { isAssignable } from "../../../protocol/sms/plans.ts";
import { modernise } from "../../../protocol/sms/renumbering.ts";

/** A person in a list, with the number as written. */
export type PastedPerson = { phone: string; name?: string };

/** A part of a list that a person has to check: a whole line, or a number among others. Lines count from 1. */
export type UnclearLine = { line: number; text: string };

export type PastedList = { people: PastedPerson[]; unclear: UnclearLine[] };

const NAME_CHARACTERS_AT_MOST = 200;
/** National numbers have 7 digits or more; calling codes and groups of digits have fewer. */
const NUMBER_DIGITS = 8;
/** Fewer digits among words are part of the words. */
const FEWEST_DIGITS = 7;
const TOKENS_OF_A_NUMBER = 9;

/** A piece of a line: a number, digits that are no number, or words. */
type Item = { kind: "number" | "digits" | "words"; text: string };

/**
 * Parses a list: numbers separated by lines, tabs, semicolons, commas or spaces, each with a name before or after it or
 * without one. A line with two possible meanings is `unclear`, as is everything that has no number. `country` (ISO
 * 3166) is the country of national numbers.
 */
export function readPasted(text: string, country: string): PastedList {
  const list: PastedList = { people: [], unclear: [] };
  for (const [at, line] of text.split(/\r\n|[\n\r\u2028\u2029]/).entries()) {
    const items = itemsOf(line, country);
    if (items.length === 0) continue;
    const people = peopleOf(items);
    if (people) list.people.push(...people);
    else if (items.every(({ kind }) => kind !== "words")) {
      // A line of numbers alone: only the items that are no numbers are unclear.
      for (const { kind, text: shown } of items)
        if (kind === "number") list.people.push({ phone: shown });
        else list.unclear.push({ line: at + 1, text: shown });
    } else list.unclear.push({ line: at + 1, text: line.trim() });
  }
  return list;
}

/** The people of a line: only numbers, one number with one name, or names and numbers in turn. */
function peopleOf(items: readonly Item[]): PastedPerson[] | undefined {
  if (items.some(({ kind }) => kind === "digits")) return undefined;
  const numbers = items.filter(({ kind }) => kind === "number");
  const names = items.filter(({ kind }) => kind === "words");
  if (names.length === 0) return numbers.map(({ text }) => ({ phone: text }));
  const isInTurn = items.every(({ kind }, at) => kind !== items[at - 1]?.kind);
  if (names.length !== numbers.length || !isInTurn) return undefined;
  if (names.some(({ text }) => text.length > NAME_CHARACTERS_AT_MOST)) return undefined;
  return numbers.map(({ text }, at) => ({ phone: text, name: names[at]?.text ?? "" }));
}

/** From the strongest separator to the weakest: if a line has a stronger one, a weaker one may belong to a name. */
const SIGNS = ["\t", ";", "|", ","] as const;

function itemsOf(text: string, country: string, from = 0): Item[] {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  if (isClearNumber(trimmed, country)) return [{ kind: "number", text: trimmed }];
  const at = SIGNS.findIndex((sign, index) => index >= from && trimmed.includes(sign));
  const sign = SIGNS[at];
  if (sign === undefined) return itemsBetween(trimmed, country);
  // `Koné, Awa` after a semicolon is one name.
  if (from > 0 && !/[0-9]/.test(trimmed)) return wordsIn(trimmed);
  return trimmed.split(sign).flatMap((part) => itemsOf(part, country, at + 1));
}

/** Digits with the separators that people write between them; not those of a word such as `Client2`. */
const DIGITS =
  /(?<![\p{L}\p{N}])(?:\+|\(\+?)?\p{Nd}(?:[\p{Nd}\s.()/\-\u2010-\u2015\p{Cf}]*\p{Nd})?(?![\p{L}\p{N}])/gu;

/** The items of a text without any separator between them. */
function itemsBetween(text: string, country: string): Item[] {
  const items: Item[] = [];
  let end = 0;
  const hasWords = /\p{L}/u.test(text);
  for (const found of text.matchAll(DIGITS)) {
    // `Client 12` is a name.
    if (hasWords && digitsIn(found[0]) < FEWEST_DIGITS && !isWrittenDate(found[0])) continue;
    items.push(...wordsIn(text.slice(end, found.index)));
    const isAlone = found[0].length === text.length;
    items.push(...numbersIn(found[0], isAlone, country));
    end = found.index + found[0].length;
  }
  return [...items, ...wordsIn(text.slice(end))];
}

/** Words that announce a number, or another number. */
const LABEL =
  /(?:^|\s)(?:t[ée]l(?:[ée]phone)?s?|phone|mobile|portable|whatsapp|gsm|cel|num[ée]ro|n°|et|ou|and|or|&)\s*[.:]*\s*$/iu;
const EDGES = /^[\s:;,.=<>()[\]"'«»|/\-–—_*•]+|[\s:;,=<>()[\]"'«»|/\-–—_*•]+$/gu;

function wordsIn(text: string): Item[] {
  const words = text.replace(EDGES, "").replace(LABEL, "").replace(EDGES, "");
  if (words === "") return [];
  return [{ kind: /\p{L}/u.test(words) ? "words" : "digits", text: words }];
}

function digitsIn(text: string): number {
  return text.replace(/\P{Nd}/gu, "").length;
}

/** The numbers in groups of digits: one, or several if each is clear. */
function numbersIn(digits: string, isAlone: boolean, country: string): Item[] {
  const one = (kind: Item["kind"]): Item[] => [{ kind, text: digits }];
  if (isClearNumber(digits, country)) return one("number");
  if (isWrittenDate(digits)) return one("digits");
  const tokens = digits.split(/\s+/);
  const isNumber = (text: string) => normalisePhone(text, country) !== null;
  if (tokens.length === 1) return one(isNumber(digits) ? "number" : "digits");
  const isWhole = (token: string) => digitsIn(token) >= NUMBER_DIGITS && isNumber(token);
  if (tokens.every(isWhole)) return tokens.map((text) => ({ kind: "number", text }));
  const parted = partTokens(tokens, country);
  if (parted) return parted.map((text) => ({ kind: "number", text }));
  const mayBeOne = isAlone && isNumber(digits) && !tokens.some((token) => digitsIn(token) >= NUMBER_DIGITS);
  return one(mayBeOne ? "number" : "digits");
}

/** The only way to split groups of digits into assignable numbers; undefined if there is none, or more than one. */
function partTokens(tokens: readonly string[], country: string): string[] | undefined {
  // ways[at]: in how many ways the tokens from `at` on can be split, and the length of the first number.
  const ways = tokens.map(() => ({ count: 0, length: 0 }));
  ways.push({ count: 1, length: 0 });
  const wayFrom = (at: number) => ways[at] ?? { count: 0, length: tokens.length };
  for (let at = tokens.length - 1; at >= 0; at--)
    for (let length = 1; length <= Math.min(TOKENS_OF_A_NUMBER, tokens.length - at); length++) {
      const rest = wayFrom(at + length).count;
      if (rest === 0 || !isAssigned(tokens.slice(at, at + length).join(" "), country)) continue;
      ways[at] = { count: Math.min(2, wayFrom(at).count + rest), length };
    }
  if (wayFrom(0).count !== 1) return undefined;
  const numbers: string[] = [];
  for (let at = 0; at < tokens.length; at += wayFrom(at).length)
    numbers.push(tokens.slice(at, at + wayFrom(at).length).join(" "));
  return numbers;
}

function isAssigned(text: string, country: string): boolean {
  const phone = normalisePhone(text, country);
  return phone !== null && isAssignable(phone);
}

/** Whether a number is assignable in its country, or was before the country's numbers grew. */
function isClearNumber(text: string, country: string): boolean {
  return (
    !isWrittenDate(text) &&
    (isAssigned(text, country) || (!/\s\S*\p{Nd}{8}/u.test(text) && modernise(text, country).isOld))
  );
}

// Full names: splits a cell such as "KOUASSI Aya Marie" into first and last names, in the order that the user chose.
import type { NameOrder } from "./shapes.ts";

const WORDS_AT_MOST = 20;

/**
 * Splits a full name. Words in capitals next to other words are last names, and so is the part before a comma, whatever
 * the order. Otherwise the last name is one word: the last or the first one. Null for a single word.
 */
export function splitName(full: string, order: NameOrder): { firstName: string; lastName: string } | null {
  const [before, after, ...more] = full.split(",").map((part) => part.trim());
  if (before && after && more.length === 0) return { firstName: after, lastName: before };
  const words = full.trim().split(/\s+/, WORDS_AT_MOST + 1);
  if (words.length < 2 || words.length > WORDS_AT_MOST) return null;
  const last = words.filter(isCapital);
  const first = words.filter((word) => !isCapital(word));
  if (last.length > 0 && first.length > 0) return namesOf(first, last);
  return order === "LAST_FIRST"
    ? namesOf(words.slice(1), words.slice(0, 1))
    : namesOf(words.slice(0, -1), words.slice(-1));
}

function namesOf(first: readonly string[], last: readonly string[]) {
  return { firstName: first.join(" "), lastName: last.join(" ") };
}

/** Whether a word is in capitals. An initial, such as `M.`, does not count. */
function isCapital(word = ""): boolean {
  const letters = word.replace(/[^\p{L}]/gu, "");
  return letters.length > 1 && letters === letters.toUpperCase() && letters !== letters.toLowerCase();
}

/** Headers that state the order of a full name. */
const LAST_FIRST = /^(?:noms?|lastname|surname).*(?:prenoms?|firstname)/;
const FIRST_LAST = /^(?:prenoms?|firstname).*(?:noms?|lastname|surname)/;

/** Returns the order that a header or most names show; null if neither does. `heading` is as from `bareWord`. */
export function nameOrderOf(heading: string, names: readonly string[]): NameOrder | null {
  if (LAST_FIRST.test(heading)) return "LAST_FIRST";
  if (FIRST_LAST.test(heading)) return "FIRST_LAST";
  const several = names.map((name) => name.trim().split(/\s+/)).filter((words) => words.length > 1);
  const starting = several.filter((words) => isCapital(words[0]) && !isCapital(words.at(-1)));
  const ending = several.filter((words) => isCapital(words.at(-1)) && !isCapital(words[0]));
  if (starting.length * 2 > several.length) return "LAST_FIRST";
  return ending.length * 2 > several.length ? "FIRST_LAST" : null;
}

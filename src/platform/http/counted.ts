// Numbers with their nouns in sentences: French has the singular for 0 and 1, English for 1 only.
import type { Sentence } from "./refusals.ts";

type Forms = readonly [one: string, many: string];

const FRENCH = new Intl.PluralRules("fr");
const ENGLISH = new Intl.PluralRules("en");

/** Returns a number and what follows it in both languages, in the singular or the plural: `1 crédit`, `2 crédits`. */
export function counted(count: number, fr: Forms, en: Forms): Sentence {
  return { fr: `${count} ${formOf(FRENCH, count, fr)}`, en: `${count} ${formOf(ENGLISH, count, en)}` };
}

/** Returns a number of credits. */
export function credits(count: number): Sentence {
  return counted(count, ["crédit", "crédits"], ["credit", "credits"]);
}

function formOf(rules: Intl.PluralRules, count: number, [one, many]: Forms): string {
  return rules.select(count) === "one" ? one : many;
}

// Turns the API's fragments about a field, such as "is required", into whole sentences.
import type { Language } from "../../../platform/http/refusals.ts";
import type { Formats } from "./formats.ts";

/** The part of a visit that a sentence needs. */
export type Speaking = {
  readonly language: Language;
  readonly formats: Pick<Formats, "number">;
  t<Text>(fr: Text, en: Text): Text;
};

type Rule = readonly [fr: RegExp, en: RegExp, say: (visit: Speaking, found: string) => string];

/** What a person can do about it, for frequent fragments. `found` is the match of the first group. */
const RULES: readonly Rule[] = [
  [
    /^(?:est obligatoire|est requis|ne doit pas être vide)$/,
    /^(?:is required|must not be empty)$/,
    (visit) => visit.t("Remplissez ce champ.", "Fill in this field."),
  ],
  [
    /^doit être inférieur ou égal à (\d+)$/,
    /^must be at most (\d+)$/,
    (visit, limit) =>
      visit.t(
        `La valeur maximale est ${grouped(visit, limit)}.`,
        `The maximum value is ${grouped(visit, limit)}.`,
      ),
  ],
  [
    /^doit être supérieur ou égal à (\d+)$/,
    /^must be at least (\d+)$/,
    (visit, limit) =>
      visit.t(
        `La valeur minimale est ${grouped(visit, limit)}.`,
        `The minimum value is ${grouped(visit, limit)}.`,
      ),
  ],
  [
    /^doit avoir au plus (\d+) caractères$/,
    /^must have at most (\d+) characters$/,
    (visit, limit) =>
      visit.t(
        `Saisissez au plus ${grouped(visit, limit)} caractères.`,
        `Enter at most ${grouped(visit, limit)} characters.`,
      ),
  ],
  [
    /^doit avoir au moins (\d+) caractères$/,
    /^must have at least (\d+) characters$/,
    (visit, limit) =>
      visit.t(
        `Saisissez au moins ${grouped(visit, limit)} caractères.`,
        `Enter at least ${grouped(visit, limit)} characters.`,
      ),
  ],
  [
    /^doit être un nombre(?: entier)?$/,
    /^must be an? (?:integer|number)$/,
    (visit) => visit.t("Saisissez un nombre.", "Enter a number."),
  ],
  [
    /^doit être l’une de ces valeurs : /,
    /^must be one of /,
    (visit) => visit.t("Choisissez l’une des options.", "Choose one of the options."),
  ],
  [
    /^doit être une adresse e-mail$/,
    /^must be an email address$/,
    (visit) =>
      visit.t(
        "Saisissez une adresse e-mail, par exemple nom@exemple.com.",
        "Enter an email address, such as name@example.com.",
      ),
  ],
  [
    /^(?:n’est pas une URL|doit être une URL en https|doit commencer par https:\/\/)$/,
    /^(?:is not a URL|must be an https URL|must begin with https:\/\/)$/,
    (visit) =>
      visit.t(
        "Saisissez une adresse qui commence par https://.",
        "Enter an address that begins with https://.",
      ),
  ],
  [
    /^(?:n’est pas dans l’avenir|doit être dans le futur)$/,
    /^(?:is not in the future|must be in the future)$/,
    (visit) => visit.t("Choisissez une date à venir.", "Choose a future date."),
  ],
  [
    /^est à plus de (\d+) jours$/,
    /^is more than (\d+) days ahead$/,
    (visit, days) =>
      visit.t(
        `Choisissez une date dans les ${days} jours à venir.`,
        `Choose a date within the next ${days} days.`,
      ),
  ],
];

/** Returns the sentence for a fragment in the language of the page; undefined if there is no better wording. */
export function wholeSentence(visit: Speaking, fragment: string): string | undefined {
  for (const [fr, en, say] of RULES) {
    const found = (visit.language === "fr" ? fr : en).exec(fragment);
    if (found) return say(visit, found[1] ?? "");
  }
  return undefined;
}

/** Whether a text lacks its subject: "doit tenir sur une ligne" means nothing without the name of a field before it. */
export function isFragment(text: string): boolean {
  return /^(?:n’|(?:est|doit|ne|a|contient|diffère|appartient|is|has|must|cannot|does|differs|contains|belongs) )/.test(
    text,
  );
}

function grouped({ formats }: Speaking, digits: string): string {
  return formats.number(Number(digits));
}

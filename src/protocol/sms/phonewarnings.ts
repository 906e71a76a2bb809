// Warnings about a number: it may mean another one than the one read, or it is no longer in use.
import type { Sentence } from "../../platform/http/refusals.ts";
import { type PhoneDoubt, readPhone } from "./phone.ts";
import { type Renumbered, renumberedIn } from "./renumbering.ts";

/**
 * Returns the warning about a number as it was written, read in `country` (ISO 3166); null if the reading is certain,
 * or it is no number. The number is used as it was read all the same.
 */
export function warningOfPhone(raw: string, country: string): Sentence | null {
  const read = readPhone(raw, country);
  if (read === null) return null;
  const { phone, doubt } = read;
  const renumbered = renumberedIn(raw, country, read);
  if (renumbered !== null) return sentenceOfOld(renumbered);
  return doubt && sentenceOfDoubt(`+${phone}`, doubt);
}

function sentenceOfOld({ country, newDigits, since, became }: Renumbered): Sentence {
  const fr = `les numéros ${country.fr} ont ${newDigits} chiffres depuis le ${since}`;
  const en = `numbers ${country.en} have ${newDigits} digits since ${since}`;
  return became === null
    ? { fr: `${fr} : celui-ci est trop court`, en: `${en}: this one is too short` }
    : {
        fr: `${fr} : celui-ci est devenu ${became}, mais le SMS est envoyé à l’ancien numéro`,
        en: `${en}: this one is now ${became}, but the SMS is sent to the old number`,
      };
}

function sentenceOfDoubt(phone: string, doubt: PhoneDoubt): Sentence {
  switch (doubt.kind) {
    case "ambiguous":
      return {
        fr: `lu comme ${phone} ; si c’est un numéro de votre pays, écrivez +${doubt.other}`,
        en: `read as ${phone}; if it is a number of your country, write +${doubt.other}`,
      };
    case "unknown":
      return {
        fr: `lu comme ${phone}, qui ne ressemble au numéro d’aucun pays : vérifiez l’indicatif et le nombre de chiffres`,
        en: `read as ${phone}, which does not look like a number of any country: check the country code and the number of digits`,
      };
    case "zero-restored":
      return {
        fr: `lu comme ${phone} : le 0 initial manquait`,
        en: `read as ${phone}: the leading 0 was missing`,
      };
  }
}

// Guesses the variable that a person meant by an unknown word. Separate from the other files, which browsers load too.
import { nearest } from "../../platform/http/members.ts";
import { VARIABLE_NAMES } from "./personalise.ts";

/** French words that people write for a variable, in lower case and without accents. */
const FRENCH: ReadonlyMap<string, (typeof VARIABLE_NAMES)[number]> = new Map([
  ["nom", "name"],
  ["noms", "name"],
  ["prenom", "firstName"],
  ["prenoms", "firstName"],
  ["nomdefamille", "lastName"],
  ["nom_de_famille", "lastName"],
  ["numero", "phone"],
  ["tel", "phone"],
  ["telephone", "phone"],
]);

/** Returns the variable that an unknown word most likely means: a built-in one or one of the own fields `own`. */
export function variableMeantBy(word: string, own: readonly string[] = []): string | undefined {
  const plain = plainOf(word);
  const field = own.find((name) => plainOf(name) === plain);
  return field ?? FRENCH.get(plain) ?? nearest(word, [...VARIABLE_NAMES, ...own]);
}

function plainOf(word: string): string {
  return word.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
}

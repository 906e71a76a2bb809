// Variables that are meant: what people write in place of @name and its like. Apart from the rest, which browsers load too.
import { nearest } from "../../platform/members.ts";
import { VARIABLE_NAMES } from "./personalise.ts";

/** What people write in French where they mean a variable, in lower case and without accents. */
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

/** The variable that is likely meant by a word that is none: one of everybody's or one of the own fields `own`. */
export function variableMeantBy(word: string, own: readonly string[] = []): string | undefined {
  const plain = plainOf(word);
  const field = own.find((name) => plainOf(name) === plain);
  return field ?? FRENCH.get(plain) ?? nearest(word, [...VARIABLE_NAMES, ...own]);
}

function plainOf(word: string): string {
  return word.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
}

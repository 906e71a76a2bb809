// Columns: the meaning of header words in French and English, and the guess of a file's columns.
import { isFieldName } from "../../protocol/sms/personalise.ts";
import { phoneLikelihood } from "./phonecells.ts";
import { type ColumnMember, columnOfField } from "./shapes.ts";

/** The member that each column contains; null: the column is not read. */
export type Columns = (ColumnMember | null)[];

/** Header words without accents, spaces and punctuation, for each member except the phone. */
const WORDS = {
  name: [
    ...["nomcomplet", "nometprenom", "nometprenoms", "nomprenom", "nomprenoms", "nomsetprenoms", "nomclient"],
    ...["prenometnom", "prenomsetnom", "prenomnom", "prenomsnom", "nomsprenoms", "nomducontact", "identite"],
    ...[
      "name",
      "fullname",
      "displayname",
      "client",
      "customer",
      "nomduclient",
      "raisonsociale",
      "contactname",
    ],
  ],
  firstName: ["prenom", "prenoms", "firstname", "givenname", "first", "prenomclient", "forename"],
  lastName: ["nom", "noms", "nomdefamille", "lastname", "surname", "familyname", "last"],
  sex: ["sexe", "sex", "genre", "gender", "civilite", "title", "titre"],
} as const;

const MEANINGS = new Map<string, ColumnMember>(
  Object.entries(WORDS).flatMap(([member, words]) =>
    words.map((word) => [word, member as keyof typeof WORDS] as const),
  ),
);

/** Reduces a text to lower-case letters and digits, the form in which header words are compared. */
export function bareWord(cell: string): string {
  return cell
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
}

/** Words that mean a phone on their own, with or without a number after them: `Tél. 2`, `Phone 1 - Value`. */
const PHONE_WORD =
  /^(?:n|no|num|numero)?(?:de)?(?:tel|tels|tele|telephones?|telephoniques?|phones?|mobiles?|portables?|cell|cel|cells?phones?|cellulaires?|celular|gsm|whatsapp|whatapp|watsapp|msisdn|handset|smartphones?|telefono|telefone|telefon|handy|movil)[0-9]*$/;
const PHONE_INSIDE = /telephone|phonenumber|mobilephone|cellphone|numtel|telmobile|telportable/;
/** Headers of columns about a phone that do not contain it: `Phone 1 - Label`, `Mobile Money operator`. */
const NOT_THE_PHONE =
  /^(?:types?|labels?|libelle|operat(?:eur|or)|reseau|network|marque|brand|modele|model|fax|e?mail|statut|status|consent(?:ement)?|indicatif|prefixe?|code|pays|country|date|montant|amount|facture)$/;
/** Words that mean a phone unless another word contradicts: a number may be many things. */
const NUMBER_WORD =
  /^(?:numeros?|num|numbers?|contacts?|numero?contacts?|contactnumber|nocontact|destinataires?|recipients?|to|coordonnees)[0-9]*$/;
/** Columns whose digits are something else. */
const OTHER_NUMBER =
  /date|naissance|birth|anniv|montant|amount|prix|price|solde|balance|facture|invoice|matricule|cni|passeport|passport|iban|rib|compte|account|annee|year|\bage\b|fax|\bid\b|identifiant|siret|rccm|ncc|quantite|quantity|total/;

/** Returns how strongly a header indicates the phone: 0 if it must be something else. */
function phoneWeight(header: string): number {
  const plain = header.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain.split(/[^a-z0-9]+/).filter((word) => word !== "");
  const bare = words.join("");
  if (words.some((word) => NOT_THE_PHONE.test(word))) return bare === "" ? UNNAMED : 0;
  if (words.some((word) => PHONE_WORD.test(word)) || PHONE_INSIDE.test(bare)) return NAMED;
  if (NUMBER_WORD.test(bare)) return NUMBERED;
  return OTHER_NUMBER.test(plain) ? 0 : UNNAMED;
}

const NAMED = 4;
const NUMBERED = 2;
const UNNAMED = 1;

/**
 * Returns the meanings of a row's cells as headers, each member once, without the phone. `nom` without a first name is
 * the full name.
 */
function meaningsOf(row: readonly string[]): Columns {
  const taken = new Set<ColumnMember>();
  const columns = row.map((cell) => {
    const member = MEANINGS.get(bareWord(cell)) ?? null;
    if (member === null || taken.has(member)) return null;
    taken.add(member);
    return member;
  });
  const isWhole = taken.has("lastName") && !taken.has("firstName") && !taken.has("name");
  return isWhole ? columns.map((member) => (member === "lastName" ? "name" : member)) : columns;
}

/** The guess from the first rows: where the list starts, whether with a header, and the columns. */
export type ColumnGuess = { start: number; header: boolean; columns: Columns };

/** The number of rows that are searched for the header: a title, a date and an address may precede it. */
const HEADER_ROWS_AT_MOST = 20;

/**
 * Guesses from the first non-empty rows. The phone is the column with the most phone numbers; a header that indicates a
 * phone adds weight.
 */
export function guessColumns(rows: readonly (readonly string[])[], country: string): ColumnGuess {
  const likelihoods = rows.map((row) => row.map((cell) => phoneLikelihood(cell, country)));
  const firstData = likelihoods.findIndex((row) => row.some((one) => one >= LIKELY));
  const above = firstData < 0 ? rows.length : firstData;
  const at = headerRow(rows.slice(0, Math.min(above, HEADER_ROWS_AT_MOST)), firstData >= 0);
  const header = at !== null;
  const start = at ?? 0;
  const titles = (header && rows[start]) || [];
  const data = likelihoods.slice(header ? start + 1 : 0);
  const width = widthOf(rows.slice(start));
  const meanings = meaningsOf(titles);
  const columns: Columns = Array.from({ length: width }, (_, column) => meanings[column] ?? null);
  const phone = phoneColumn(titles, data, columns);
  if (phone !== null) columns[phone] = "phone";
  return { start, header, columns };
}

/** Above this likelihood a cell is a person's number, not just digits. */
const LIKELY = 0.3;

/** Returns the header's row among those above the first number; null if the list starts without one. */
function headerRow(rows: readonly (readonly string[])[], hasData: boolean): number | null {
  const filled = (row: readonly string[]) => row.filter((cell) => cell.trim() !== "").length;
  const widest = Math.max(0, ...rows.map(filled));
  const scores = rows.map((row) => {
    const named = meaningsOf(row).filter((member) => member !== null).length;
    const phones = row.some((cell) => cell.trim() !== "" && phoneWeight(cell) === NAMED) ? 1.5 : 0;
    const numbers = phones === 0 && row.some((cell) => phoneWeight(cell) === NUMBERED) ? 1 : 0;
    // A single cell above a table is its title.
    const isTitle = widest > 1 && filled(row) === 1;
    return isTitle ? 0 : named + phones + numbers;
  });
  const best = Math.max(0, ...scores);
  if (best > 0) return scores.indexOf(best);
  if (!hasData || rows.length === 0) return null;
  return rows.findIndex((row) => filled(row) === widest);
}

/** Returns the number of columns that have text in some row: spreadsheets export empty columns after the last one. */
function widthOf(rows: readonly (readonly string[])[]): number {
  return Math.max(0, ...rows.map((row) => row.findLastIndex((cell) => cell.trim() !== "") + 1));
}

/**
 * Returns the phone's column: the one with the most numbers, weighted by its header; without any numbers, the first one
 * whose header indicates a phone.
 */
function phoneColumn(
  titles: readonly string[],
  data: readonly (readonly number[])[],
  columns: Columns,
): number | null {
  const weights = columns.map((member, at) =>
    member === null ? phoneWeight(titles[at] ?? "") : UNNAMED / 2,
  );
  const scores = weights.map(
    (weight, at) => weight * data.reduce((sum, likelihoods) => sum + (likelihoods[at] ?? 0), 0),
  );
  const best = Math.max(0, ...scores);
  if (best > 0) return scores.indexOf(best);
  for (const wanted of [NAMED, NUMBERED]) {
    const at = weights.indexOf(wanted);
    if (at >= 0) return at;
  }
  return null;
}

const FIELD_CHARACTERS_AT_MOST = 30;

/** Derives the name of a custom field from a header: `Date d’achat` becomes `date_d_achat`. */
function fieldNameOf(cell: string): string | null {
  const words = cell.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const name = words
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[_0-9]+/, "")
    .slice(0, FIELD_CHARACTERS_AT_MOST)
    .replace(/_+$/, "");
  return isFieldName(name) ? name : null;
}

/**
 * Proposes a custom field for each column without another meaning, from its header; each field once. The company's
 * existing fields, `known`, match case-insensitively.
 */
export function proposeFields(
  header: readonly string[],
  columns: Columns,
  known: readonly string[],
): Columns {
  const fields = new Map(known.map((name) => [name.toLowerCase(), name]));
  const taken = new Set<string>();
  return columns.map((column, at) => {
    const made = column === null ? fieldNameOf(header[at] ?? "") : null;
    if (made === null || taken.has(made)) return null;
    taken.add(made);
    return columnOfField(fields.get(made) ?? made);
  });
}

/** Converts columns from their stored form, in which '' means not read. */
export function columnsOfTexts(texts: readonly string[]): Columns {
  return texts.map((text) => (text === "" ? null : (text as ColumnMember)));
}

/** Returns the name of a column in a spreadsheet: A, B … Z, AA. */
export function columnName(number: number): string {
  const before = Math.floor((number - 1) / 26);
  return (before > 0 ? columnName(before) : "") + String.fromCharCode(65 + ((number - 1) % 26));
}

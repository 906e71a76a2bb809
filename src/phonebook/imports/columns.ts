// Columns: what the words of a header mean in French and in English, and which columns a file seems to have.
import { isFieldName } from "../../protocol/sms/sms.ts";
import { phoneLikelihood } from "./phonecells.ts";
import { type ColumnMember, columnOfField } from "./shapes.ts";

/** What each column is; null: it is not read. */
export type Columns = (ColumnMember | null)[];

/** Words of a header without accents, spaces and signs, for each member but the phone. */
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

/** A text as the words of a header are compared: small letters and digits alone. */
export function bareWord(cell: string): string {
  return cell
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
}

/** Words that say phone by themselves, with a number behind them or not: `Tél. 2`, `Phone 1 - Value`. */
const PHONE_WORD =
  /^(?:n|no|num|numero)?(?:de)?(?:tel|tels|tele|telephones?|telephoniques?|phones?|mobiles?|portables?|cell|cel|cells?phones?|cellulaires?|celular|gsm|whatsapp|whatapp|watsapp|msisdn|handset|smartphones?|telefono|telefone|telefon|handy|movil)[0-9]*$/;
const PHONE_INSIDE = /telephone|phonenumber|mobilephone|cellphone|numtel|telmobile|telportable/;
/** What a column beside the phone is called after it: `Phone 1 - Label`, `Mobile Money operator`. */
const NOT_THE_PHONE =
  /^(?:types?|labels?|libelle|operat(?:eur|or)|reseau|network|marque|brand|modele|model|fax|e?mail|statut|status|consent(?:ement)?|indicatif|prefixe?|code|pays|country|date|montant|amount|facture)$/;
/** Words that mean a phone where nothing speaks against it: a number may be one of many things. */
const NUMBER_WORD =
  /^(?:numeros?|num|numbers?|contacts?|numero?contacts?|contactnumber|nocontact|destinataires?|recipients?|to|coordonnees)[0-9]*$/;
/** Columns whose digits are something else. */
const OTHER_NUMBER =
  /date|naissance|birth|anniv|montant|amount|prix|price|solde|balance|facture|invoice|matricule|cni|passeport|passport|iban|rib|compte|account|annee|year|\bage\b|fax|\bid\b|identifiant|siret|rccm|ncc|quantite|quantity|total/;

/** How much the words above a column say that it is the phone: 0 where it must be something else. */
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
 * What the words of a row mean as a header, each member once, without the phone. `nom` beside no first name is the whole
 * name.
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

/** What the first rows say: where the list begins, whether with a header, and what the columns seem to be. */
export type ColumnGuess = { start: number; header: boolean; columns: Columns };

/** Rows among which the header is looked for: a title, a date and an address may stand above it. */
const HEADER_ROWS_AT_MOST = 20;

/**
 * Guesses from the first rows that have any text. The phone is the column that holds the most numbers, and a heading that
 * says so weighs more than one that does not.
 */
export function guessColumns(rows: readonly (readonly string[])[], country: string): ColumnGuess {
  const likelihoods = rows.map((row) => row.map((cell) => phoneLikelihood(cell, country)));
  const isData = (at: number) => likelihoods[at]!.some((one) => one >= LIKELY);
  const firstData = rows.findIndex((_, at) => isData(at));
  const above = firstData < 0 ? rows.length : firstData;
  const at = headerRow(rows.slice(0, Math.min(above, HEADER_ROWS_AT_MOST)), firstData >= 0);
  const header = at !== null;
  const start = at ?? 0;
  const titles = header ? rows[start]! : [];
  const data = likelihoods.slice(header ? start + 1 : 0);
  const width = widthOf(rows.slice(start));
  const meanings = meaningsOf(titles);
  const columns: Columns = Array.from({ length: width }, (_, column) => meanings[column] ?? null);
  const phone = phoneColumn(titles, data, columns);
  if (phone !== null) columns[phone] = "phone";
  return { start, header, columns };
}

/** A cell above this is a number of a person, not only digits. */
const LIKELY = 0.3;

/** The row of the header among those above the first number; null where the list begins without one. */
function headerRow(rows: readonly (readonly string[])[], hasData: boolean): number | null {
  const filled = (row: readonly string[]) => row.filter((cell) => cell.trim() !== "").length;
  const widest = Math.max(0, ...rows.map(filled));
  const scores = rows.map((row) => {
    const named = meaningsOf(row).filter((member) => member !== null).length;
    const phones = row.some((cell) => cell.trim() !== "" && phoneWeight(cell) === NAMED) ? 1.5 : 0;
    const numbers = phones === 0 && row.some((cell) => phoneWeight(cell) === NUMBERED) ? 1 : 0;
    // One cell alone above a table is its title.
    const isTitle = widest > 1 && filled(row) === 1;
    return isTitle ? 0 : named + phones + numbers;
  });
  const best = Math.max(0, ...scores);
  if (best > 0) return scores.indexOf(best);
  if (!hasData || rows.length === 0) return null;
  return rows.findIndex((row) => filled(row) === widest);
}

/** Columns as far as any row has text: spreadsheets export empty ones behind the last. */
function widthOf(rows: readonly (readonly string[])[]): number {
  return Math.max(0, ...rows.map((row) => row.findLastIndex((cell) => cell.trim() !== "") + 1));
}

/**
 * The column of the phone: the one with the most numbers, weighed by its heading; without numbers the first that is named
 * so.
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

/** The name that an own field gets of the words above its column: `Date d’achat` is `date_d_achat`. */
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
 * The own field that each column could be which means nothing else, by the words of the header; each once. One of the
 * company's fields, `known`, is found whatever its case.
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

/** Columns as they are stored, where '' stands for one that is not read. */
export function columnsOfTexts(texts: readonly string[]): Columns {
  return texts.map((text) => (text === "" ? null : (text as ColumnMember)));
}

/** The name of a column as spreadsheets show it: A, B … Z, AA. */
export function columnName(number: number): string {
  const before = Math.floor((number - 1) / 26);
  return (before > 0 ? columnName(before) : "") + String.fromCharCode(65 + ((number - 1) % 26));
}

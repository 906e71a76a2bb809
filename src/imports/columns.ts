// Columns: what the words of a header mean in French and in English, and which columns a file seems to have.
import { isFieldName, normalisePhone } from "../sms/sms.ts";
import { COLUMN_MEMBERS, type ColumnMember, columnOfField } from "./shapes.ts";

/** What each column is; null: it is not read. */
export type Columns = (ColumnMember | null)[];

/** Words of a header without accents, spaces and signs, for each member. */
const WORDS: Readonly<Record<(typeof COLUMN_MEMBERS)[number], readonly string[]>> = {
  phone: [
    ...[
      "telephone",
      "tel",
      "phone",
      "mobile",
      "numero",
      "number",
      "cellulaire",
      "portable",
      "contact",
      "gsm",
    ],
    ...[
      "whatsapp",
      "msisdn",
      "numerodetelephone",
      "numtel",
      "numerotelephone",
      "numeromobile",
      "phonenumber",
    ],
    ...["telephonemobile", "telephoneportable", "telmobile", "notelephone", "ntelephone", "numerowhatsapp"],
    ...["mobilephone", "mobilenumber", "contacts", "telephone1", "phone1", "tel1", "num"],
  ],
  name: [
    ...["nomcomplet", "nometprenom", "nometprenoms", "nomprenom", "nomprenoms", "nomsetprenoms", "nomclient"],
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
  firstName: ["prenom", "prenoms", "firstname", "givenname", "first", "prenomclient"],
  lastName: ["nom", "noms", "nomdefamille", "lastname", "surname", "familyname", "last"],
  sex: ["sexe", "sex", "genre", "gender", "civilite", "title", "titre"],
};

const MEANINGS = new Map(
  COLUMN_MEMBERS.flatMap((member) => WORDS[member].map((word) => [word, member] as const)),
);

/** A text as the words of a header are compared: small letters and digits alone. */
export function bareWord(cell: string): string {
  return cell
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
}

/** What the words of a row mean as a header; each member once. `nom` beside no first name is the whole name. */
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

/** Whether the first row names the columns, and what the columns seem to be. */
export function guessColumns(
  rows: readonly (readonly string[])[],
  country: string,
): { header: boolean; columns: Columns } {
  const isPhone = (cell: string | undefined) => cell !== undefined && normalisePhone(cell, country) !== null;
  const width = Math.max(0, ...rows.map((row) => row.length));
  const [first = [], ...others] = rows;
  const meanings = meaningsOf(first);
  const isNamed = meanings.some((member) => member !== null);
  const phonesIn = (at: number) => others.filter((row) => isPhone(row[at])).length;
  const counts = Array.from({ length: width }, (_, at) => phonesIn(at));
  const header = !first.some(isPhone) && (isNamed || counts.some((count) => count > 0));
  const columns: Columns = Array.from({ length: width }, (_, at) => (header ? (meanings[at] ?? null) : null));
  if (columns.includes("phone")) return { header, columns };
  const inFirst = (at: number) => (!header && isPhone(first[at]) ? 1 : 0);
  const likely = counts.map((count, at) => count + inFirst(at));
  const most = Math.max(0, ...likely);
  if (most > 0) columns[likely.indexOf(most)] = "phone";
  return { header, columns };
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

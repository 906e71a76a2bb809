// Rows: what a row of a file says of a contact, or why it says nothing.
import type { GivenContact } from "../contacts/contacts.ts";
import { isStorable } from "../kernel/body.ts";
import { modernise, normalisePhone, restoreZero } from "../sms/sms.ts";
import { bareWord } from "./columns.ts";
import type { Row } from "./delimited.ts";
import type { RejectReason } from "./failures.ts";
import { type ColumnMember, ownFieldOf } from "./shapes.ts";

/** Why a row is not imported, and the cell that is to blame. */
export type Reject = {
  number: number;
  column: number;
  member: ColumnMember;
  cell: string;
  /** The cells that are read, in the order of the sheet. */
  cells: string[];
  reason: RejectReason;
  /** The phone of the row, where it has one. */
  phone: string | null;
};

/** How the rows of a file are read. */
export type RowReading = {
  /** What each column is; '' is not read. */
  columns: readonly string[];
  country: string;
  converts: boolean;
};

const NAME_CHARACTERS_AT_MOST = 200;
const FIELD_CHARACTERS_AT_MOST = 100;
/** What is shown of a cell that is to blame. */
const CELL_CHARACTERS_SHOWN = 200;
/** What is kept of each cell. More than a name may have, so that one that is too long is so when it is sent again. */
const CELL_CHARACTERS_KEPT = 250;
// 2,25071E+12, as spreadsheets write a long number into a CSV.
const ROUNDED = /^[0-9]+([.,][0-9]+)?E\+?[0-9]+$/i;
/** An old number of 8 digits that a spreadsheet took for a number. */
const OLD_WITHOUT_ZERO = /^[1-9][0-9]{6}$/;
const SEX: Readonly<Record<string, "M" | "F">> = {
  ...{ m: "M", h: "M", homme: "M", masculin: "M", male: "M", mr: "M", monsieur: "M", man: "M", garcon: "M" },
  ...{ f: "F", femme: "F", feminin: "F", female: "F", mme: "F", madame: "F", mlle: "F", woman: "F" },
  ...{ mademoiselle: "F", mrs: "F", ms: "F", miss: "F", fille: "F" },
};

/** A row as a contact, or why it is none; null for a row without any text in the columns that are read. */
export function readRow(
  { number, cells }: Row,
  { columns, country, converts }: RowReading,
): GivenContact | Reject | null {
  const given = new Map<string, string>();
  for (const [at, member] of columns.entries()) {
    const text = member === "" ? "" : textOf(cells[at]);
    if (text !== "") given.set(member, text);
  }
  if (given.size === 0) return null;
  const cut = (member: string, most: number) => (given.get(member) ?? "").slice(0, most).toWellFormed();
  const reject = (member: ColumnMember, reason: RejectReason, phone: string | null): Reject => ({
    ...{ number, column: columns.indexOf(member) + 1, member, reason, phone },
    cell: cut(member, CELL_CHARACTERS_SHOWN),
    cells: columns.filter((one) => one !== "").map((one) => cut(one, CELL_CHARACTERS_KEPT)),
  });
  const written = given.get("phone");
  if (written === undefined) return reject("phone", "no-phone", null);
  const phone = phoneOf(written, country, converts);
  if (phone === null) return reject("phone", ROUNDED.test(written) ? "rounded" : "not-a-phone", null);
  if (phone === undefined) return reject("phone", "old-number", normalisePhone(written, country));
  for (const member of ["name", "firstName", "lastName"] as const)
    if ((given.get(member)?.length ?? 0) > NAME_CHARACTERS_AT_MOST) return reject(member, "too-long", phone);
  const fields: Record<string, string> = {};
  for (const [column, text] of given) {
    const name = ownFieldOf(column);
    if (name === undefined) continue;
    if (text.length > FIELD_CHARACTERS_AT_MOST)
      return reject(column as ColumnMember, "field-too-long", phone);
    fields[name] = text;
  }
  const sex = given.get("sex");
  const knownSex = sex === undefined ? null : SEX[bareWord(sex)];
  if (knownSex === undefined) return reject("sex", "not-a-sex", phone);
  const [firstName = null, lastName = null] = [given.get("firstName"), given.get("lastName")];
  // One of them alone leaves the other one of a contact that exists: then the name is made where that is known.
  const both = firstName !== null && lastName !== null ? `${firstName} ${lastName}` : null;
  const name = given.get("name") ?? both?.slice(0, NAME_CHARACTERS_AT_MOST) ?? null;
  const own = Object.keys(fields).length > 0 ? fields : null;
  return { given: written, phone, sex: knownSex, name, firstName, lastName, fields: own };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what the database refuses
const FORBIDDEN = /[\u0000-\u001f]+/g;

/** A cell without the spaces around it and without characters that no text may have. */
function textOf(cell: string | undefined): string {
  if (cell === undefined) return "";
  const text = isStorable(cell) ? cell : cell.replace(FORBIDDEN, " ").toWellFormed();
  return text.trim();
}

/** The phone of a cell; null where it is none, undefined where it is an old one and its new one is not certain. */
function phoneOf(written: string, country: string, converts: boolean): string | null | undefined {
  // Excel marks a text by an apostrophe, which some programs export.
  const text = written.replace(/^'/, "");
  if (!converts) return restoreZero(text, country) ?? normalisePhone(text, country);
  const { phone, isOld } = modernise(OLD_WITHOUT_ZERO.test(text) ? `0${text}` : text, country);
  if (!isOld) return restoreZero(text, country) ?? phone;
  return phone ?? undefined;
}

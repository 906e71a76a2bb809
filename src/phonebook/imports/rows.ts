// Rows: converts a row of a file to a contact, or says why it cannot.
import { isStorable } from "../../platform/http/body.ts";
import { plainValue } from "../../protocol/sms/culprits.ts";
import { normalisePhone } from "../../protocol/sms/phone.ts";
import type { GivenContact } from "../contacts/given.ts";
import { bareWord } from "./columns.ts";
import type { Row } from "./delimited.ts";
import type { RejectReason } from "./failures.ts";
import { splitName } from "./fullnames.ts";
import { type PhoneReading, readPhoneCell } from "./phonecells.ts";
import { type ColumnMember, type NameOrder, ownFieldOf } from "./shapes.ts";

/** Why a row is not imported, or only in part, and the cell that is the cause. */
export type Reject = {
  number: number;
  column: number;
  member: ColumnMember;
  cell: string;
  /** The cells that are read, in the order of the sheet; null for an imported row. */
  cells: string[] | null;
  reason: RejectReason;
  /** The phone by which an erasure finds this row. */
  phone: string | null;
};

/** A row as read: the contact with what was left out, or the reason why there is none. */
export type ReadRow = { contact: GivenContact; leftOut: Reject | null } | { contact: null; reject: Reject };

/**
 * How the rows of a file are read: `columns` are the members, '' is not read; with `nameOrder` full names are split
 * into first and last names.
 */
export type RowReading = PhoneReading & { columns: readonly string[]; nameOrder?: NameOrder | null };

const NAME_CHARACTERS_AT_MOST = 200;
const FIELD_CHARACTERS_AT_MOST = 100;
/** The maximum number of characters shown of the cell that is the cause. */
const CELL_CHARACTERS_SHOWN = 200;
/** Characters stored per cell: more than a name may have, so that a name that is too long is refused again. */
const CELL_CHARACTERS_KEPT = 250;
const SEX: Readonly<Record<string, "M" | "F">> = {
  ...{ m: "M", h: "M", homme: "M", hommes: "M", masculin: "M", male: "M", mr: "M", monsieur: "M", man: "M" },
  ...{ garcon: "M", mister: "M", sir: "M", masc: "M", "1": "M" },
  ...{ f: "F", femme: "F", femmes: "F", feminin: "F", female: "F", mme: "F", madame: "F", mlle: "F" },
  ...{
    mademoiselle: "F",
    mrs: "F",
    ms: "F",
    miss: "F",
    fille: "F",
    woman: "F",
    dame: "F",
    fem: "F",
    "2": "F",
  },
};

/** Reads a row as a contact, or says why it is none; null for a row without any text in the columns that are read. */
export function readRow(
  { number, cells }: Row,
  { columns, nameOrder = null, ...reading }: RowReading,
): ReadRow | null {
  const given = new Map<string, string>();
  for (const [at, member] of columns.entries()) {
    // Line breaks separate the numbers of a cell.
    const text = member === "" ? "" : member === "phone" ? (cells[at] ?? "").trim() : textOf(cells[at]);
    if (text !== "") given.set(member, text);
  }
  if (given.size === 0) return null;
  const cut = (text: string, most: number) => textOf(text).slice(0, most).toWellFormed();
  const note = (member: ColumnMember, reason: RejectReason, phone: string | null, cell: string) => ({
    ...{ number, column: columns.indexOf(member) + 1, member, reason, phone },
    cell: cut(cell, CELL_CHARACTERS_SHOWN),
  });
  const reject = (member: ColumnMember, reason: RejectReason, phone: string | null): ReadRow => ({
    contact: null,
    reject: {
      ...note(member, reason, phone, given.get(member) ?? ""),
      cells: columns
        .filter((one) => one !== "")
        .map((one) => cut(given.get(one) ?? "", CELL_CHARACTERS_KEPT)),
    },
  });
  const written = given.get("phone");
  if (written === undefined) return reject("phone", "no-phone", null);
  const read = readPhoneCell(written, reading);
  if (read.phone === null)
    return reject(
      "phone",
      read.reason,
      read.reason === "old-number" ? normalisePhone(written, reading.country) : null,
    );
  const { phone, other } = read;
  const tooLong = tooLongOf(given);
  if (tooLong) return reject(...tooLong, phone);
  const sex = given.get("sex");
  const knownSex = sex === undefined ? null : (SEX[bareWord(sex)] ?? null);
  // Each row gets one note only: a number that gets no message is the most important.
  const leftOut =
    other !== null
      ? note("phone", "other-number", other, `+${other}`)
      : sex !== undefined && knownSex === null
        ? note("sex", "unknown-sex", phone, sex)
        : null;
  return {
    contact: {
      given: textOf(written),
      phone,
      sex: knownSex,
      ...namesOf(given, nameOrder),
      fields: ownFieldsOf(given),
    },
    leftOut: leftOut && { ...leftOut, cells: null },
  };
}

/** Returns the first cell that is too long for a contact, with the reason. */
function tooLongOf(given: ReadonlyMap<string, string>): [ColumnMember, RejectReason] | null {
  for (const [column, text] of given) {
    const isOwn = ownFieldOf(column) !== undefined;
    if (
      isOwn
        ? text.length > FIELD_CHARACTERS_AT_MOST
        : column !== "phone" && column !== "sex" && text.length > NAME_CHARACTERS_AT_MOST
    )
      return [column as ColumnMember, isOwn ? "field-too-long" : "too-long"];
  }
  return null;
}

/** Returns the names of a row. A full name that is split also stays the name, as written. */
function namesOf(
  given: ReadonlyMap<string, string>,
  nameOrder: NameOrder | null,
): Pick<GivenContact, "name" | "firstName" | "lastName"> {
  const split = nameOrder && splitName(given.get("name") ?? "", nameOrder);
  const {
    firstName = given.get("firstName") ?? null,
    lastName = given.get("lastName") ?? null,
  }: { firstName?: string | null; lastName?: string | null } = split ?? {};
  // If only one of the two is given, an existing contact keeps the other, so the name is computed with the contact.
  const both = firstName !== null && lastName !== null ? `${firstName} ${lastName}` : null;
  const name = given.get("name") ?? both?.slice(0, NAME_CHARACTERS_AT_MOST) ?? null;
  return { name, firstName, lastName };
}

function ownFieldsOf(given: ReadonlyMap<string, string>): GivenContact["fields"] {
  const fields: Record<string, string> = {};
  for (const [column, text] of given) {
    const name = ownFieldOf(column);
    if (name !== undefined) fields[name] = text;
  }
  return Object.keys(fields).length > 0 ? fields : null;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what the database refuses
const FORBIDDEN = /[\u0000-\u001f]/;
const FORBIDDEN_ALL = new RegExp(`${FORBIDDEN.source}+`, "g");

/**
 * Trims a cell and removes invisible and control characters; each line break or other kind of space becomes an ordinary
 * space.
 */
function textOf(cell: string | undefined): string {
  if (cell === undefined) return "";
  const text =
    FORBIDDEN.test(cell) || !isStorable(cell) ? cell.replace(FORBIDDEN_ALL, " ").toWellFormed() : cell;
  return plainValue(text).trim();
}

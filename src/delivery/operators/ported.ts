// Ported numbers: their operators go before those of their prefixes. An administrator imports them in parts of a file.
import { type Static, Type } from "typebox";
import { one, type Statements } from "../../platform/database/query.ts";
import { member } from "../../platform/http/meanings.ts";
import { normalisePhone, requirePhone } from "../../protocol/sms/phone.ts";
import * as sql from "./ported.sql.ts";
import type { Ported, Routing } from "./routing.ts";
import type { PortedImport, PortedNumber } from "./shapes.ts";

/** Lines that one statement writes. */
const LINES_AT_ONCE = 10_000;
/** Refused lines that are shown one by one; all of them are counted. */
const REFUSED_SHOWN = 100;
const CHARACTERS_SHOWN = 100;
/** The size that fits into a body of 5 MiB. */
const CHARACTERS_AT_MOST = 5_000_000;
/** National numbers are refused: the country of a file is unknown. */
const NO_COUNTRY = "";
const SEPARATOR = /[,;\t]/;

export const PortedInput = Type.Object({
  /** Lines of a number and the name of its operator, separated by a comma, a semicolon or a tab. */
  numbers: member(Type.String({ minLength: 1, maxLength: CHARACTERS_AT_MOST }), {
    fr: "Lignes `numéro,opérateur`. Sans opérateur, le numéro n’est plus porté",
    en: "Lines `number,operator`. Without an operator, the number is no longer ported",
  }),
});
export type PortedInput = Static<typeof PortedInput>;

type RefusedLine = PortedImport["refusedLines"][number];

/** A line: the current operator of a number, null if it is no longer ported; or the reason for its refusal. */
type Line = { phone: string; operatorId: string | null } | { code: RefusedLine["code"] };

/**
 * Imports lines `number,operator`: the name of an operator, or nothing for a number that is no longer ported. The last
 * line for a number counts. Invalid lines are counted and shown, and the others are imported. Each 10,000 lines are
 * committed separately, so a caller without a response can import the same lines again.
 */
export async function importPortedNumbers(db: Statements, { numbers }: PortedInput): Promise<PortedImport> {
  const names = await db.run(sql.listNames);
  const operators = new Map(names.map(({ id, name }) => [name, id]));
  const result: PortedImport = { imported: 0, removed: 0, refused: 0, refusedLines: [] };
  let read = new Map<string, string | null>();
  for (const { line, text } of linesOf(numbers)) {
    const parsed = readLine(text, operators);
    if ("code" in parsed) {
      if (result.refused++ < REFUSED_SHOWN)
        result.refusedLines.push({ line, text: cut(text), code: parsed.code });
      continue;
    }
    read.set(parsed.phone, parsed.operatorId);
    if (parsed.operatorId === null) result.removed++;
    else result.imported++;
    if (read.size < LINES_AT_ONCE) continue;
    await write(db, read);
    read = new Map();
  }
  await write(db, read);
  return result;
}

/** Yields the lines that are not blank, with their numbers. */
function* linesOf(text: string): Generator<{ line: number; text: string }> {
  for (let line = 1, at = 0; at < text.length; line++) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? text.length : found;
    const content = text.slice(at, end).trim();
    if (content !== "") yield { line, text: content };
    at = end + 1;
  }
}

function readLine(text: string, operators: ReadonlyMap<string, string>): Line {
  const at = text.search(SEPARATOR);
  // Without a separator it may be a list of ported numbers, rather than of numbers that no longer are.
  if (at < 0) return { code: "invalid-line" };
  const phone = normalisePhone(bare(text.slice(0, at)), NO_COUNTRY);
  if (phone === null) return { code: "invalid-number" };
  const name = bare(text.slice(at + 1));
  if (name === "") return { phone, operatorId: null };
  const operatorId = operators.get(name);
  return operatorId === undefined ? { code: "unknown-operator" } : { phone, operatorId };
}

/** Returns a field without the spaces and the quotes around it. */
function bare(field: string): string {
  const trimmed = field.trim();
  return trimmed.length > 1 && trimmed.startsWith('"') && trimmed.endsWith('"')
    ? trimmed.slice(1, -1).trim()
    : trimmed;
}

function cut(text: string): string {
  return text.slice(0, CHARACTERS_SHOWN).toWellFormed();
}

async function write(db: Statements, read: ReadonlyMap<string, string | null>): Promise<void> {
  const lines = [...read].map(([phone, operatorId]) => ({ phone, operatorId }));
  const ported = lines.filter(({ operatorId }) => operatorId !== null);
  const gone = lines.filter(({ operatorId }) => operatorId === null);
  if (ported.length > 0) await db.run(sql.upsertPorted, { ported });
  if (gone.length > 0) await db.run(sql.deletePorted, [gone.map(({ phone }) => phone)]);
}

/** Returns the operator to which a number is ported, if any. Refuses `invalid-phone-number`. */
export async function readPortedNumber(db: Statements, given: string): Promise<PortedNumber> {
  const phone = requirePhone(given, "phone");
  const [ported] = await db.run(sql.findPorted, [phone]);
  return { phone, operatorId: ported?.operator_id ?? null, operator: ported?.operator ?? null };
}

/**
 * Deletes all ported numbers, before a whole new file. Fails as `service-unavailable` while another transaction, such
 * as a backup, reads them for longer than half a second.
 */
export async function forgetPortedNumbers(db: Statements): Promise<void> {
  await db.run(sql.forgetPorted);
}

/** Whether any of these rows of an account serves a phone, able or not. */
export async function isServed(
  db: Statements,
  operatorIds: readonly string[],
  phone: string,
): Promise<boolean> {
  const found = await one(db, sql.findServing, [operatorIds, phone]);
  return found.serves;
}

const NONE: Ported = new Map();

/** Returns the operators of the ported ones among these phones. Runs no query if no number is ported at all. */
export async function portedAmong(
  db: Statements,
  routing: Routing,
  phones: readonly string[],
): Promise<Ported> {
  if (!routing.hasPorted || phones.length === 0) return NONE;
  const rows = await db.run(sql.listPorted, [phones]);
  return new Map(rows.map(({ phone, operator_id: operatorId }) => [String(phone), operatorId]));
}

// Numbers and keywords that receive messages, and the companies to which an administrator assigns them.
import { type Static, Type } from "typebox";
import { readOperator } from "../../delivery/operators/operators.ts";
import { lockCompany } from "../../identity/accounts/accounts.ts";
import { isClosed } from "../../identity/accounts/closing.ts";
import { readRequest } from "../../phonebook/optouts/words.ts";
import { readListed } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseTaken } from "../../platform/database/unique.ts";
import { refuseConflict, refuseField } from "../../platform/http/fielderrors.ts";
import { idOf } from "../../platform/http/idschemas.ts";
import { member } from "../../platform/http/meanings.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { refuse, requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { emptiable, patterned } from "../../platform/http/schemas.ts";
import { newId } from "../../platform/ids.ts";
import { batcher } from "../../platform/jobs/batcher.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { normalisePhone } from "../../protocol/sms/phone.ts";
import * as sql from "./numbers.sql.ts";
import type { Heard } from "./reading.ts";
import { firstWordOf } from "./routing.ts";
import type { InboundKeyword, InboundNumber, OwnNumber } from "./shapes.ts";
import { inboundMeanings } from "./shapes.ts";

const NUMBER = {
  fr: "doit être un numéro court de 3 à 15 chiffres ou un numéro de téléphone",
  en: "must be a short code of 3 to 15 digits or a phone number",
};

/**
 * A new number. Without `companyId` it is shared: its keywords decide. Without `operatorId` it is the same at all
 * operators.
 */
export const NumberInput = Type.Object({
  number: member(
    patterned("^\\+?[0-9 ().-]+$", NUMBER, { minLength: 3, maxLength: 30 }),
    inboundMeanings.number,
  ),
  companyId: Type.Optional(idOf("company")),
  operatorId: member(Type.Optional(idOf("operator")), inboundMeanings.operatorId),
});

/** The changes of a number: an empty string removes the company or the operator. */
export const NumberChanges = Type.Object({
  companyId: emptiable(idOf("company")),
  operatorId: member(emptiable(idOf("operator")), inboundMeanings.operatorId),
});

export const KeywordInput = Type.Object({
  numberId: member(idOf("number"), inboundMeanings.numberId),
  keyword: member(Type.String({ minLength: 1, maxLength: 20 }), {
    fr: "Mot de lettres et de chiffres. Les majuscules et les accents ne comptent pas",
    en: "Word of letters and digits. Case and accents do not matter",
  }),
  companyId: idOf("company"),
});

/** Returns a number in its stored form: a phone in international format, else the digits; null if it is neither. */
export function digitsOf(written: string): string | null {
  const phone = normalisePhone(written);
  if (phone !== null) return phone;
  const digits = written.replace(/[ ().-]/g, "").replace(/^\+/, "");
  return /^[0-9]{3,15}$/.test(digits) ? digits : null;
}

/**
 * Creates a number that receives messages. Refuses `invalid-request` for an invalid number, `not-found` for an unknown
 * company or operator, and `conflict` if this operator already has the number, for a closed company, or beyond 10,000
 * numbers.
 */
export async function createNumber(
  tx: Tx,
  app: Pick<Runtime, "config">,
  { number, ...owners }: Static<typeof NumberInput>,
): Promise<InboundNumber> {
  const { companyId = null, operatorId = null }: Static<typeof NumberChanges> = owners;
  const address = digitsOf(number) ?? refuseField("number", NUMBER);
  await requireOwners(tx, companyId, operatorId);
  const most = app.config.limits.inboundNumbers;
  const making = tx.run(sql.insertNumber, { id: newId(), address, operatorId, companyId, most });
  const [row] = await refuseTaken(making, "number", TAKEN);
  if (!row) refuseConflict("number", tooMany(most));
  return row;
}

function tooMany(most: number): Sentence {
  return {
    fr: `le maximum de ${most} numéros est atteint`,
    en: `the maximum of ${most} numbers is reached`,
  };
}

async function requireOwners(tx: Tx, companyId: string | null, operatorId: string | null): Promise<void> {
  if (companyId !== null) await requireOpen(tx, companyId);
  if (operatorId !== null) await readOperator(tx, operatorId);
}

/** Locks a company that gets a number or keyword. A closed one is being emptied, and must get nothing more. */
async function requireOpen(tx: Tx, companyId: string): Promise<void> {
  if (!(await lockCompany(tx, companyId)))
    refuse("not-found", { details: [{ field: "companyId", message: UNKNOWN }] });
  if (await isClosed(tx, companyId)) refuseConflict("companyId", HAS_CLOSED);
}

const UNKNOWN: Sentence = { fr: "n’existe pas", en: "does not exist" };
const HAS_CLOSED: Sentence = { fr: "est une entreprise fermée", en: "is a closed company" };

const TAKEN: Sentence = { fr: "est déjà utilisé", en: "is already in use" };

/** Returns one page of all numbers. */
export async function listNumbers(db: Statements, page: Page): Promise<Listed<InboundNumber>> {
  return readListed(db, sql.listNumbers, page, {});
}

/** Returns one number. Refuses `not-found`. */
export async function readNumber(db: Statements, id: string): Promise<InboundNumber> {
  return requireRow(db.run(sql.findNumber, [id]), "not-found");
}

/**
 * Assigns a number to another company or operator, or to none. Received messages stay with their company. Refuses
 * `not-found`, and `conflict` if that operator already has the number or the company has closed.
 */
export async function updateNumber(
  tx: Tx,
  id: string,
  changes: Static<typeof NumberChanges>,
): Promise<InboundNumber> {
  const known = await requireRow(tx.run(sql.lockNumber, [id]), "not-found");
  const { companyId = known.companyId, operatorId = known.operatorId } = changes;
  await requireOwners(
    tx,
    companyId === known.companyId ? null : companyId,
    operatorId === known.operatorId ? null : operatorId,
  );
  return refuseTaken(one(tx, sql.updateNumber, [id, operatorId, companyId]), "number", TAKEN);
}

/** Deletes a number with its keywords, and returns it as it was. Received messages stay. Refuses `not-found`. */
export async function deleteNumber(tx: Tx, id: string): Promise<InboundNumber> {
  const known = await requireRow(tx.run(sql.lockNumber, [id]), "not-found");
  await tx.run(sql.deleteKeywordsOf, [id]);
  await tx.run(sql.deleteNumber, [id]);
  return known;
}

const NO_WORD: Sentence = {
  fr: "doit être un seul mot, composé de lettres et de chiffres",
  en: "must be a single word of letters and digits",
};
const RESERVED: Sentence = {
  fr: "est réservé à la désinscription et à la réinscription : STOP, START et leurs synonymes",
  en: "is reserved for opting out and opting in: STOP, START and their synonyms",
};

/**
 * Assigns the messages to a number that start with a word to a company, ignoring case and accents. Refuses
 * `invalid-request` if it is no single word or means STOP or START, `not-found`, and `conflict` if the number already
 * has the word, or 1,000 of them, or the company has closed.
 */
export async function createKeyword(
  tx: Tx,
  app: Pick<Runtime, "config">,
  { numberId, keyword: written, companyId }: Static<typeof KeywordInput>,
): Promise<InboundKeyword> {
  const keyword = firstWordOf(written);
  if (keyword === "" || !isOneWord(written)) refuseField("keyword", NO_WORD);
  if (readRequest(keyword) !== null) refuseField("keyword", RESERVED);
  await requireOpen(tx, companyId);
  const [number] = await tx.run(sql.lockNumber, [numberId]);
  if (!number) refuse("not-found", { details: [{ field: "numberId", message: UNKNOWN }] });
  const most = app.config.limits.keywordsPerNumber;
  const there = await one(tx, sql.listKeywords.count, { numberId });
  if (there.count >= most) refuseConflict("keyword", tooMany(most));
  const [row] = await tx.run(sql.insertKeyword, { companyId, id: newId(), numberId, keyword });
  return row ?? refuseConflict("keyword", TAKEN);
}

function isOneWord(written: string): boolean {
  return /^[\p{L}\p{M}\p{N}]+$/u.test(written.trim());
}

/** Returns one page of the keywords on a number, alphabetically. Refuses `not-found`. */
export async function listKeywords(
  db: Statements,
  { numberId, ...page }: Page & { numberId: string },
): Promise<Listed<InboundKeyword>> {
  await readNumber(db, numberId);
  return readListed(db, sql.listKeywords, page, { numberId });
}

/** Deletes a keyword, and returns it as it was. Refuses `not-found`. */
export async function deleteKeyword(tx: Tx, id: string): Promise<InboundKeyword> {
  const row = await requireRow(tx.run(sql.findKeyword, [id]), "not-found");
  await tx.run(sql.deleteKeyword, [id]);
  return row;
}

/** Returns one page of the numbers on which a company receives, with its keywords on each. */
export async function listOwnNumbers(
  db: Statements,
  companyId: string,
  page: Page,
): Promise<Listed<OwnNumber>> {
  return readListed(db, sql.listOwn, page, { companyId });
}

const LOOKED_UP_TOGETHER = 500;

const finder = perRuntime((app) =>
  batcher<string, InboundNumber[]>({
    max: LOOKED_UP_TOGETHER,
    async run(addresses) {
      const rows = await app.database.run(sql.listByAddress, [[...new Set(addresses)]]);
      return addresses.map((address) => rows.filter((row) => row.number === address));
    },
  }),
);

/** Returns our number that a message was sent to: the delivering operator's own before one of all operators. */
export async function findNumberAt(
  app: Runtime,
  { address: written, operatorIds }: Heard,
): Promise<InboundNumber | undefined> {
  const address = digitsOf(written);
  if (address === null) return undefined;
  const rows = await finder(app)(address);
  return (
    rows.find(({ operatorId: id }) => id !== null && operatorIds.includes(id)) ??
    rows.find(({ operatorId: id }) => id === null)
  );
}

/** Removes numbers and keywords from a closed company. */
export async function freeNumbers(tx: Tx, companyId: string): Promise<void> {
  await tx.run(sql.deleteKeywordsOfCompany, [companyId]);
  await tx.run(sql.freeNumbers, [companyId]);
}

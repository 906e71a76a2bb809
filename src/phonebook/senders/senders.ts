// Sender IDs: the names that a company may show as the sender of an SMS, and their review.
import { type Static, Type } from "typebox";
import { emitToAccounts } from "../../events/webhooks/webhooks.ts";
import { lockCompany } from "../../identity/accounts/accounts.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { endTrial } from "../../ledger/credits/trial.ts";
import { pageAmong, readListed, shownAs } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import { idOf } from "../../platform/http/idschemas.ts";
import { refuseMove } from "../../platform/http/moves.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { type Language, refuse, requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { patterned } from "../../platform/http/schemas.ts";
import { newId } from "../../platform/ids.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { brandFinder, isReserved } from "../../protocol/sms/brands.ts";
import { skeletonOf } from "../../protocol/sms/lookalikes.ts";
import { isSenderName } from "../../protocol/sms/sendernames.ts";
import type { AlikeSender, ReviewedSender, Sender, SenderInFull, SenderStatus } from "./shapes.ts";
import * as sql from "./sql.ts";

export const SENDER_ORDERS = ["createdAt", "name"] as const;

/** A new sender. ASCII only, so that no letter of another script can imitate an ASCII one. */
export const SenderInput = Type.Object({
  name: patterned("^[A-Za-z0-9]{3,11}$", {
    fr: "doit avoir 3 à 11 lettres sans accent ou chiffres",
    en: "must have 3 to 11 unaccented letters or digits",
  }),
  description: Type.String({ minLength: 1, maxLength: 1_000, "x-trimmed": true }),
});
export type SenderInput = Static<typeof SenderInput>;

function senderOf({ id, name, description, status, createdAt, reason }: sql.SenderRow): Sender {
  return { id, name, description, status, createdAt, ...(reason !== null && { reason }) };
}

/**
 * Creates a sender, `PENDING`. Refuses `sender-name-taken` for a name that the company already has, ignoring case, or
 * that is reserved, and `sender-limit-reached`. Refused senders count for neither.
 */
export async function createSender(
  tx: Tx,
  app: Pick<Runtime, "config">,
  caller: CompanyCaller,
  { name, description }: SenderInput,
): Promise<Sender> {
  if (isReserved(name, app.config.defaultSender)) refuse("sender-name-taken");
  // Without the lock, two concurrent requests would both count before either inserts its sender.
  await lockCompany(tx, caller.companyId);
  const [row] = await tx.run(sql.insertSender, {
    companyId: caller.companyId,
    id: newId(),
    name,
    description,
    skeleton: skeletonIn(name),
    requestedBy: caller.userId,
  });
  if (!row) refuse("sender-name-taken");
  const live = await one(tx, sql.countLiveSenders, [caller.companyId]);
  if (live.count > caller.senderLimit) refuse("sender-limit-reached");
  return senderOf(row);
}

/** A sender that an administrator gives to a company: any name that handsets can show. */
export const GivenSender = Type.Object({
  companyId: idOf("company"),
  // Including surrounding spaces, which are removed.
  name: Type.String({ minLength: 1, maxLength: 64 }),
  description: SenderInput.properties.description,
});

/**
 * Gives a company an accepted sender, even with a name that the company could not request. The limit of senders does
 * not apply, but given senders count toward it. It ends the trial of the company. Refuses `invalid-request` for a name
 * that handsets cannot show, `not-found`, and `sender-name-taken`. If people can mistake the name for another
 * company's, the description is the required reason: the response and the audit log show both.
 */
export async function giveSender(
  tx: Tx,
  { companyId, name, description }: Static<typeof GivenSender>,
): Promise<ReviewedSender> {
  const trimmed = name.trim();
  if (!isSenderName(trimmed)) refuseField("name", NO_NAME);
  if (!(await lockCompany(tx, companyId))) refuse("not-found");
  const alike = await requireReason(tx, { companyId, name: trimmed }, description);
  const [row] = await tx.run(sql.insertAccepted, {
    companyId,
    id: newId(),
    name: trimmed,
    description,
    skeleton: skeletonIn(trimmed),
  });
  if (!row) refuse("sender-name-taken");
  await endTrial(tx, companyId);
  return { ...reviewedOf(row), ...alike };
}

/**
 * Requires a reason to accept a name that people can mistake for an accepted one of another company. Until the commit,
 * nobody can accept another such name. Returns those names. Refuses `invalid-request`.
 */
async function requireReason(
  tx: Tx,
  { companyId, name }: { companyId: string; name: string },
  reason: string | undefined,
): Promise<{ alike?: AlikeSender[] }> {
  const skeleton = skeletonIn(name);
  if (skeleton === null) return {};
  await tx.run(sql.lockSkeleton, [skeleton]);
  const alike = (await tx.run(sql.listAlike, { wanted: [{ companyId, skeleton }] })).map(alikeOf);
  const [first] = alike;
  if (!first) return {};
  if (reason === undefined) refuseField("reason", takenFor(first));
  return { alike };
}

/** Returns a name's skeleton, by which look-alikes are found; null without a letter or digit: it is not compared. */
function skeletonIn(name: string): string | null {
  return skeletonOf(name) || null;
}

function takenFor({ name, companyName, acceptedAt }: AlikeSender): Sentence {
  const day = acceptedAt?.toISOString().slice(0, 10);
  return {
    fr: `est requis : ce nom peut être confondu avec ${name}, accepté pour ${companyName}${day ? ` le ${day}` : ""} ; indiquez pourquoi vous l’acceptez`,
    en: `is required: this name can be confused with ${name}, accepted for ${companyName}${day ? ` on ${day}` : ""}; explain why you accept it`,
  };
}

function alikeOf({ asked: _, ...alike }: sql.AlikeRow): AlikeSender {
  return alike;
}

const NO_NAME: Sentence = {
  fr: "doit avoir de 1 à 11 caractères imprimables de l’alphabet GSM-7",
  en: "must have 1 to 11 printable characters of the GSM-7 alphabet",
};

/** Returns one page of a company's senders. */
export async function listSenders(
  db: Statements,
  caller: CompanyCaller,
  page: Page & { orderBy: (typeof SENDER_ORDERS)[number] },
): Promise<Listed<Sender>> {
  const list = { ...sql.listSenders[page.orderBy], count: sql.countSenders };
  return shownAs(readListed(db, list, page, { companyId: caller.companyId }), senderOf);
}

/** Returns one sender of a company. Refuses `sender-not-found`. */
export async function readSender(db: Statements, caller: CompanyCaller, id: string): Promise<Sender> {
  return senderOf(await requireRow(db.run(sql.findSender, [caller.companyId, id]), "sender-not-found"));
}

/** Returns one sender of a company, with its history. Refuses `sender-not-found`. */
export async function readSenderInFull(
  db: Statements,
  caller: CompanyCaller,
  id: string,
): Promise<SenderInFull> {
  const row = await requireRow(db.run(sql.findSender, [caller.companyId, id]), "sender-not-found");
  return {
    ...senderOf(row),
    ...(row.submittedAt && { submittedAt: row.submittedAt }),
    ...(row.decidedAt && { decidedAt: row.decidedAt }),
  };
}

function reviewedOf(row: sql.ReviewedRow): ReviewedSender {
  return { ...senderOf(row), companyId: row.companyId, companyName: row.companyName };
}

const brandOf = perRuntime(({ config }) => brandFinder(config.brands));

/** Returns one page of all companies' senders, or of those with one status or these ids, with look-alike brands. */
export async function listReviewedSenders(
  app: Runtime,
  { status, ids, ...page }: Page & { status?: SenderStatus | undefined; ids?: string[] | undefined },
): Promise<Listed<ReviewedSender>> {
  const db = app.database;
  if (ids) {
    const among = await db.run(sql.listReviewedAmong, [ids, status ?? null]);
    return pageAmong(await markAll(app, among), page);
  }
  const listed = status === undefined ? sql.listReviewed.all : sql.listReviewed.byStatus;
  const list = { ...listed, count: sql.countReviewed };
  const found = await readListed(db, list, page, { status: status ?? null });
  return { ...found, rows: await markAll(app, found.rows) };
}

/** Adds what a reviewer needs: the brand that each sender looks like, and the senders that it can be mistaken for. */
async function markAll(app: Runtime, rows: readonly sql.ReviewedRow[]): Promise<ReviewedSender[]> {
  const wanted = rows.map((row) => ({ companyId: row.companyId, skeleton: skeletonIn(row.name) }));
  const found = await app.database.run(sql.listAlike, { wanted });
  const alikeBy = Map.groupBy(found, ({ asked }) => asked);
  return rows.map((row, i) => {
    const resembles = brandOf(app)(row.name);
    const alike = alikeBy.get(i + 1)?.map(alikeOf);
    return { ...reviewedOf(row), ...(resembles !== undefined && { resembles }), ...(alike && { alike }) };
  });
}

/**
 * Returns a sender of any company for the review, with the brand that it looks like and the accepted senders of other
 * companies that it can be mistaken for. Refuses `sender-not-found`.
 */
export async function readSenderForReview(app: Runtime, id: string): Promise<ReviewedSender> {
  const row = await requireRow(app.database.run(sql.findReviewed, [id]), "sender-not-found");
  const [marked] = await markAll(app, [row]);
  return marked!;
}

/** Returns a sender of any company as an audit entry records it. Refuses `sender-not-found`. */
export async function readReviewed(db: Statements, id: string): Promise<ReviewedSender> {
  return reviewedOf(await requireRow(db.run(sql.findReviewed, [id]), "sender-not-found"));
}

/** An administrator's actions: the resulting status, and the statuses that allow it. Accepted and refused are final. */
const MOVES = {
  submit: { to: "SUBMITTED", from: ["PENDING"] },
  accept: { to: "ACCEPTED", from: ["PENDING", "SUBMITTED"] },
  refuse: { to: "REFUSED", from: ["PENDING", "SUBMITTED"] },
} as const satisfies Record<string, { to: SenderStatus; from: readonly SenderStatus[] }>;

/**
 * Moves a sender to another status. A repeat changes nothing. The company sees the `reason` of a refusal, but not that
 * of `acceptSender`. Its first accepted sender ends the trial of a company. Queues an event for the company's webhooks:
 * call `announceEvents` after the commit. Refuses `sender-not-found`, and `conflict` from any other status.
 */
export async function moveSender(
  tx: Tx,
  move: keyof typeof MOVES,
  id: string,
  { reason = null, skeleton = null }: { reason?: string | null; skeleton?: string | null } = {},
): Promise<ReviewedSender> {
  const { to, from } = MOVES[move];
  const [moved] = await tx.run(sql.updateStatus, { id, to, from, reason, skeleton });
  if (moved) {
    if (move === "accept") await endTrial(tx, moved.companyId);
    await tellOfDecision(tx, moved);
    return reviewedOf(moved);
  }
  const there = await readReviewed(tx, id);
  if (there.status !== to) refuseMove(there.status, from);
  return there;
}

/**
 * Accepts a sender, as `moveSender`. Refuses `invalid-request` without a `reason` if people can mistake the name for an
 * accepted one of another company.
 */
export async function acceptSender(tx: Tx, id: string, reason: string | undefined): Promise<ReviewedSender> {
  const sender = await readReviewed(tx, id);
  const isOpen = MOVES.accept.from.some((status) => status === sender.status);
  const alike = isOpen ? await requireReason(tx, sender, reason) : {};
  return { ...(await moveSender(tx, "accept", id, { skeleton: skeletonIn(sender.name) })), ...alike };
}

/** Notifies the webhooks of a sender's company of the decision. */
async function tellOfDecision(tx: Tx, row: sql.ReviewedRow): Promise<void> {
  const { companyId: accountId, id: senderId, name, status } = row;
  if (status === "ACCEPTED")
    await emitToAccounts(tx, [{ accountId, type: "sender.accepted", data: { senderId, name, status } }]);
  if (status === "REFUSED") {
    const data = { senderId, name, status, reason: row.reason };
    await emitToAccounts(tx, [{ accountId, type: "sender.refused", data }]);
  }
}

/** A decided sender, and how to reach the person who requested it. */
export type SenderDecision = {
  name: string;
  isAccepted: boolean;
  reason: string | null;
  language: Language;
  phone: string | null;
  email: string | null;
};

/**
 * Takes one decision whose notice is not sent yet, with the phone and e-mail of the member who requested the sender, or
 * of an owner if that member left. Undefined if there is none; the caller sends the notice in the same transaction.
 */
export async function takeDecision(tx: Tx): Promise<SenderDecision | undefined> {
  const [decided] = await tx.run(sql.takeDecided);
  if (!decided) return undefined;
  const { company_id, requested_by, name, status, reason, language } = decided;
  const [person] = await tx.run(sql.findRequester, [company_id, requested_by]);
  const { phone, email } = person ?? { phone: null, email: null };
  return { name, isAccepted: status === "ACCEPTED", reason, language, phone, email };
}

/** Deletes the senders of a company that has closed. A company has few. */
export async function emptySenders(tx: Tx, companyId: string): Promise<void> {
  await tx.run(sql.deleteSenders, [companyId]);
}

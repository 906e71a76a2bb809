// Sender IDs: the names that a company may show as the sender of an SMS, and their way to being accepted.
import { type Static, Type } from "typebox";
import { emitToAccounts } from "../../events/webhooks/webhooks.ts";
import { type CompanyCaller, lockCompany } from "../../identity/accounts/accounts.ts";
import { endTrial } from "../../ledger/credits/credits.ts";
import { batcher } from "../../platform/batcher.ts";
import type { Statements, Tx } from "../../platform/database.ts";
import { newId } from "../../platform/ids.ts";
import { refuseMove } from "../../platform/moves.ts";
import { pageAmong, readPage } from "../../platform/pages.ts";
import { type Language, Refusal, refuse, refuseField, type Sentence } from "../../platform/refusals.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { Id, type Listed, type Page, patterned } from "../../platform/schemas.ts";
import { brandFinder, isReserved, isSenderName, skeletonOf } from "../../protocol/sms/sms.ts";
import type { AlikeSender, ReviewedSender, Sender, SenderInFull, SenderStatus } from "./shapes.ts";
import * as sql from "./sql.ts";

export const SENDER_ORDERS = ["createdAt", "name"] as const;

/** A new sender. ASCII only, so that no letter of another script can imitate one of these. */
export const SenderInput = Type.Object({
  name: patterned("^[A-Za-z0-9]{3,11}$", {
    fr: "doit avoir 3 à 11 lettres sans accent ou chiffres",
    en: "must have 3 to 11 unaccented letters or digits",
  }),
  description: Type.String({ minLength: 1, maxLength: 1_000, "x-trimmed": true }),
});
export type SenderInput = Static<typeof SenderInput>;

function senderOf(row: sql.SenderRow): Sender {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    status: row.status,
    createdAt: row.created_at,
    ...(row.reason !== null && { reason: row.reason }),
  };
}

/**
 * Creates a sender, `PENDING`. Refuses `sender-name-taken` for a name that the company has already, in whatever case,
 * or that is reserved, and `sender-limit-reached`. Refused senders count for neither, so their names can be tried again.
 */
export async function createSender(
  tx: Tx,
  app: Pick<Runtime, "config">,
  caller: CompanyCaller,
  { name, description }: SenderInput,
): Promise<Sender> {
  if (isReserved(name, app.config.defaultSender)) refuse("sender-name-taken");
  // Without the lock, two creates at once would both count before either has made its sender.
  await lockCompany(tx, caller.companyId);
  const [row] = await tx.run(sql.insertSender, [
    caller.companyId,
    newId(),
    name,
    description,
    skeletonIn(name),
    caller.userId,
  ]);
  if (!row) refuse("sender-name-taken");
  const [live] = await tx.run(sql.countLiveSenders, [caller.companyId]);
  if (live!.count > caller.senderLimit) refuse("sender-limit-reached");
  return senderOf(row);
}

/** What an administrator says of a name that a company has elsewhere already: any that handsets can show. */
export const GivenSender = Type.Object({
  companyId: Id,
  // With spaces around, which fall away.
  name: Type.String({ minLength: 1, maxLength: 64 }),
  description: SenderInput.properties.description,
});

/**
 * Gives a company an accepted sender, whose name may be none that it could ask for. The limit of its senders refuses
 * none; those given count for the next that it asks for. It ends the trial of the company. Refuses `invalid-request` for
 * what handsets cannot show, `not-found`, and `sender-name-taken`. Where people can take the name for another company's, the
 * description is the written reason: the answer and the audit log show both.
 */
export async function giveSender(
  tx: Tx,
  { companyId, name, description }: Static<typeof GivenSender>,
): Promise<ReviewedSender> {
  const trimmed = name.trim();
  if (!isSenderName(trimmed)) refuseField("name", NO_NAME);
  if (!(await lockCompany(tx, companyId))) refuse("not-found");
  const alike = await requireReason(tx, { companyId, name: trimmed }, description);
  const [row] = await tx.run(sql.insertAccepted, [
    companyId,
    newId(),
    trimmed,
    description,
    skeletonIn(trimmed),
  ]);
  if (!row) refuse("sender-name-taken");
  await endTrial(tx, companyId);
  return { ...reviewedOf(row), ...alike };
}

/**
 * Makes sure that somebody says why a name is accepted that people take for an accepted one of another company. Until the
 * commit nobody accepts another name like it. Returns those names. Refuses `invalid-request`.
 */
async function requireReason(
  tx: Tx,
  { companyId, name }: { companyId: string; name: string },
  reason: string | undefined,
): Promise<{ alike?: AlikeSender[] }> {
  const skeleton = skeletonIn(name);
  if (skeleton === null) return {};
  await tx.run(sql.lockSkeleton, [skeleton]);
  const alike = (await tx.run(sql.listAlike, [[companyId], [skeleton]])).map(alikeOf);
  const [first] = alike;
  if (!first) return {};
  if (reason === undefined) refuseField("reason", takenFor(first));
  return { alike };
}

/** The skeleton of a name; null: it has no letter or digit, and is compared with none. */
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

function alikeOf(row: sql.AlikeRow): AlikeSender {
  return {
    id: row.id,
    name: row.name,
    companyId: row.company_id,
    companyName: row.company_name,
    acceptedAt: row.decided_at,
  };
}

const NO_NAME: Sentence = {
  fr: "doit avoir de 1 à 11 caractères imprimables de l’alphabet GSM-7",
  en: "must have 1 to 11 printable characters of the GSM-7 alphabet",
};

/** One page of a company's senders. */
export async function listSenders(
  db: Statements,
  caller: CompanyCaller,
  page: Page & { orderBy: (typeof SENDER_ORDERS)[number] },
): Promise<Listed<Sender>> {
  const [{ rows, next }, [total]] = await Promise.all([
    readPage(db, sql.listSenders[page.orderBy], page, (limit, from) => [caller.companyId, limit, from]),
    db.run(sql.countSenders, [caller.companyId]),
  ]);
  return { rows: rows.map(senderOf), totalCount: total!.count, next };
}

/** One sender of a company. Refuses `sender-not-found`. */
export async function readSender(db: Statements, caller: CompanyCaller, id: string): Promise<Sender> {
  const [row] = await db.run(sql.findSender, [caller.companyId, id]);
  return row ? senderOf(row) : refuse("sender-not-found");
}

/** One sender of a company, with its history. Refuses `sender-not-found`. */
export async function readSenderInFull(
  db: Statements,
  caller: CompanyCaller,
  id: string,
): Promise<SenderInFull> {
  const [row] = await db.run(sql.findSender, [caller.companyId, id]);
  if (!row) refuse("sender-not-found");
  return {
    ...senderOf(row),
    ...(row.submitted_at && { submittedAt: row.submitted_at }),
    ...(row.decided_at && { decidedAt: row.decided_at }),
  };
}

function reviewedOf(row: sql.ReviewedRow): ReviewedSender {
  return { ...senderOf(row), companyId: row.company_id, companyName: row.company_name };
}

const brandOf = perRuntime(({ config }) => brandFinder(config.brands));

/** One page of the senders of all companies, or of those with one status or these ids. It says which look like a brand. */
export async function listReviewedSenders(
  app: Runtime,
  { status, ids, ...page }: Page & { status?: SenderStatus | undefined; ids?: string[] | undefined },
): Promise<Listed<ReviewedSender>> {
  const db = app.database;
  if (ids) {
    const among = await db.run(sql.listReviewedAmong, [ids, status ?? null]);
    return pageAmong(await markAll(app, among), page);
  }
  const queries = status === undefined ? sql.listReviewed.all : sql.listReviewed.byStatus;
  const filters = status === undefined ? [] : [status];
  const [{ rows, next }, [total]] = await Promise.all([
    readPage(db, queries, page, (limit, from) => [limit, from, ...filters]),
    db.run(sql.countReviewed, [status ?? null]),
  ]);
  return { rows: await markAll(app, rows), totalCount: total!.count, next };
}

/** Senders with what a reviewer has to know: the brand that each looks like, and the senders that it can be taken for. */
async function markAll(app: Runtime, rows: readonly sql.ReviewedRow[]): Promise<ReviewedSender[]> {
  const found = await app.database.run(sql.listAlike, [
    rows.map((row) => row.company_id),
    rows.map((row) => skeletonIn(row.name)),
  ]);
  const alikeBy = Map.groupBy(found, ({ asked }) => asked);
  return rows.map((row, i) => {
    const resembles = brandOf(app)(row.name);
    const alike = alikeBy.get(i + 1)?.map(alikeOf);
    return { ...reviewedOf(row), ...(resembles !== undefined && { resembles }), ...(alike && { alike }) };
  });
}

/**
 * A sender of any company, as the review sees it: it says which brand it looks like, and for which accepted senders of other
 * companies it can be taken. Refuses `sender-not-found`.
 */
export async function readSenderForReview(app: Runtime, id: string): Promise<ReviewedSender> {
  const [row] = await app.database.run(sql.findReviewed, [id]);
  if (!row) refuse("sender-not-found");
  const [marked] = await markAll(app, [row]);
  return marked!;
}

/** A sender of any company, as a review changes it. Refuses `sender-not-found`. */
export async function readReviewed(db: Statements, id: string): Promise<ReviewedSender> {
  const [row] = await db.run(sql.findReviewed, [id]);
  return row ? reviewedOf(row) : refuse("sender-not-found");
}

/** The moves of an administrator: the status they lead to, and from which ones. Accepted and refused are final. */
const MOVES = {
  submit: { to: "SUBMITTED", from: ["PENDING"] },
  accept: { to: "ACCEPTED", from: ["PENDING", "SUBMITTED"] },
  refuse: { to: "REFUSED", from: ["PENDING", "SUBMITTED"] },
} as const satisfies Record<string, { to: SenderStatus; from: readonly SenderStatus[] }>;

/**
 * Moves a sender to another status. A repeat changes nothing. The company sees the `reason` of a refusal; `acceptSender`
 * has one that it does not see. The first one that is accepted ends the trial of its company. The company's webhooks are
 * told: call `announceEvents` after the commit. Refuses `sender-not-found`, and `conflict` from any other status.
 */
export async function moveSender(
  tx: Tx,
  move: keyof typeof MOVES,
  id: string,
  { reason = null, skeleton = null }: { reason?: string | null; skeleton?: string | null } = {},
): Promise<ReviewedSender> {
  const { to, from } = MOVES[move];
  const [moved] = await tx.run(sql.updateStatus, [id, to, from, reason, skeleton]);
  if (moved) {
    if (move === "accept") await endTrial(tx, moved.company_id);
    await tellOfDecision(tx, moved);
    return reviewedOf(moved);
  }
  const there = await readReviewed(tx, id);
  if (there.status !== to) refuseMove(there.status, from);
  return there;
}

/**
 * Accepts a sender, as `moveSender`. Refuses `invalid-request` without a `reason` where people can take the name for an
 * accepted one of another company.
 */
export async function acceptSender(tx: Tx, id: string, reason: string | undefined): Promise<ReviewedSender> {
  const sender = await readReviewed(tx, id);
  const isOpen = MOVES.accept.from.some((status) => status === sender.status);
  const alike = isOpen ? await requireReason(tx, sender, reason) : {};
  return { ...(await moveSender(tx, "accept", id, { skeleton: skeletonIn(sender.name) })), ...alike };
}

/** Tells the webhooks of a sender's company that it was decided. */
async function tellOfDecision(tx: Tx, row: sql.ReviewedRow): Promise<void> {
  const { company_id: accountId, id: senderId, name, status } = row;
  if (status === "ACCEPTED")
    await emitToAccounts(tx, [{ accountId, type: "sender.accepted", data: { senderId, name, status } }]);
  if (status === "REFUSED") {
    const data = { senderId, name, status, reason: row.reason };
    await emitToAccounts(tx, [{ accountId, type: "sender.refused", data }]);
  }
}

/** A decided sender, and how to reach the person who asked for it. */
export type SenderDecision = {
  name: string;
  isAccepted: boolean;
  reason: string | null;
  language: Language;
  phone: string | null;
  email: string | null;
};

/**
 * Takes one decision of which nobody is notified yet, with the phone and e-mail of the member who asked, or of an owner where
 * that member left. Undefined where there is none; the caller notifies in the same transaction.
 */
export async function takeDecision(tx: Tx): Promise<SenderDecision | undefined> {
  const [decided] = await tx.run(sql.takeDecided);
  if (!decided) return undefined;
  const { company_id, requested_by, name, status, reason, language } = decided;
  const [person] = await tx.run(sql.findRequester, [company_id, requested_by]);
  const { phone, email } = person ?? { phone: null, email: null };
  return { name, isAccepted: status === "ACCEPTED", reason, language, phone, email };
}

/** The sender of a send: `id` null is the service's default sender name. */
export type ChosenSender = { id: string | null; name: string };

type WantedSender = { companyId: string; name: string | undefined };

const TOGETHER_AT_MOST = 500;

const chooser = perRuntime((app) =>
  batcher<WantedSender, ChosenSender>({
    max: TOGETHER_AT_MOST,
    async run(wanted) {
      const rows = await app.database.run(sql.listSendersForSends, [
        wanted.map((_, i) => i),
        wanted.map((send) => send.companyId),
        wanted.map((send) => send.name ?? null),
      ]);
      const found = Map.groupBy(rows, (row) => row.asked);
      return wanted.map((send, i) => choose(send.name, found.get(i) ?? [], app.config.defaultSender));
    },
  }),
);

/**
 * The sender for a send of a company, by its full name (exact, else ignoring case), or the service's default by its name;
 * without a name, the company's only accepted sender, else the service's default. Refuses `sender-not-found` and
 * `sender-not-accepted`.
 */
export function chooseSender(
  app: Runtime,
  companyId: string,
  name: string | undefined,
): Promise<ChosenSender> {
  return chooser(app)({ companyId, name });
}

/** The accepted sender of a company by its id or full name. Refuses `sender-not-found` and `sender-not-accepted`. */
export async function requireSender(
  db: Statements,
  companyId: string,
  idOrName: string,
): Promise<{ id: string; name: string }> {
  const found = await db.run(sql.listSendersNamed, [companyId, idOrName]);
  const chosen = choose(idOrName, found, "");
  if (chosen instanceof Refusal) throw chosen;
  return { id: chosen.id!, name: chosen.name };
}

/** The names of a company's accepted senders, in order; the limit of senders bounds them. */
export async function listAcceptedSenders(
  db: Statements,
  companyId: string,
): Promise<{ id: string; name: string }[]> {
  return db.run(sql.listAccepted, [companyId]);
}

/** The sender for a user who acts for no company: an accepted sender of any company of the user. Refuses as above. */
export async function chooseSenderOfUser(app: Runtime, userId: string, name: string): Promise<ChosenSender> {
  const found = await app.database.run(sql.listSendersOfUser, [userId, name]);
  const chosen = choose(name, found, app.config.defaultSender);
  if (chosen instanceof Refusal) throw chosen;
  return chosen;
}

function choose(
  name: string | undefined,
  found: readonly { id: string; name: string; status: string; exact: boolean }[],
  defaultSender: string,
): ChosenSender | Refusal {
  if (name === undefined) {
    return found.length === 1
      ? { id: found[0]!.id, name: found[0]!.name }
      : { id: null, name: defaultSender };
  }
  if (found.length === 0)
    return name.toUpperCase() === defaultSender.toUpperCase()
      ? { id: null, name: defaultSender }
      : new Refusal("sender-not-found");
  const accepted = found.filter((sender) => sender.status === "ACCEPTED");
  const best = accepted.find((sender) => sender.exact) ?? accepted[0];
  return best ? { id: best.id, name: best.name } : new Refusal("sender-not-accepted");
}

/** Deletes the senders of a company that has closed. It has few. */
export async function emptySenders(tx: Tx, companyId: string): Promise<void> {
  await tx.run(sql.deleteSenders, [companyId]);
}

// Receipts: finds the message of each, and what it proves of a message whose answer never came.
import { now } from "../kernel/clock.ts";
import type { Tx } from "../kernel/database.ts";
import { reportFailure } from "../kernel/outages.ts";
import type { Runtime } from "../kernel/runtime.ts";
import type { OperatorRow } from "../operators/operators.ts";
import {
  type AppliedReceipt,
  applyReceipts as applyByOperatorId,
  type Evidence,
  findUnknown,
  listUnknownByPhone,
  listUnknownPhones,
  type MessageOutcome,
  type QueuedMessage,
  type ReceiptSource,
  settleQueued,
  Tally,
} from "../sends/sends.ts";
import { type DeliverSm, deliveryAgeMs, normaliseMessageId, readReceipt } from "../smpp/smpp.ts";
import { isSamePhone, nameIn, phoneEnd } from "../sms/sms.ts";
import { announceEvents } from "../webhooks/webhooks.ts";
import type { Awaited } from "./awaited.ts";
import type { HeardReceipts } from "./heart/hearing.ts";
import * as sql from "./sql.ts";

export type FinalReceipt = AppliedReceipt & {
  sender: string;
  reference: number | null;
  /** How long ago it came. */
  waitedMs: number;
};

/** How an operator writes its receipts. */
type Dialect = Pick<OperatorRow, "message_id_form" | "receipt_time_zone" | "plain_receipts" | "settings">;

/** Reads a receipt that came now. Undefined for an interim one (ENROUTE, ACCEPTED), which changes nothing. */
export function finalReceiptOf(pdu: DeliverSm, dialect: Dialect): FinalReceipt | undefined {
  const receipt = readReceipt(pdu, dialect.plain_receipts);
  if (!receipt?.final) return undefined;
  const { state, messageId, userMessageReference = null } = receipt;
  // Where we send no reference, this is one of the operator's own, and would hide the message that it is about.
  const reference = dialect.settings.userMessageReference === false ? null : userMessageReference;
  const status = state === "DELIVERED" || state === "EXPIRED" || state === "REJECTED" ? state : "UNDELIVERED";
  const phone = pdu.sourceAddr;
  return {
    operatorMessageId:
      messageId === ""
        ? referenceId({ phone, reference })
        : normaliseMessageId(messageId, dialect.message_id_form === "case" ? "case" : "as-is"),
    status,
    error: status === "DELIVERED" ? null : receipt.errorCode || state,
    ageMs: deliveryAgeMs(receipt.doneAt, now(), dialect.receipt_time_zone),
    phone,
    sender: nameIn(pdu.destinationAddr),
    reference,
    waitedMs: 0,
  };
}

/**
 * The id of a message to which its operator gave none, or of a receipt that names none: our reference, if it has that,
 * and the end of the phone (S12).
 */
export function referenceId({ phone, reference }: { phone: string; reference: number | null }): string {
  return `${REFERENCE_MARK}${reference ?? ""}@${phoneEnd(phone)}`;
}

const REFERENCE_MARK = "#";

/** What is to be applied: see `HeardReceipts`. `awaited`: what a receipt that names no message may be about. */
type Said = { heard: HeardReceipts; awaited: Awaited };

/**
 * Applies what an operator said. What was answered before it is committed, so a receipt finds a message that was answered
 * just before. `known` is the number of receipts kept without a message; returns that number as it is then.
 */
export async function commitReceipts(
  tx: Tx,
  source: ReceiptSource,
  { heard, awaited }: Said,
  known: number,
  tally: Tally,
): Promise<number> {
  const { answered, hasLost, receipts } = heard;
  let orphans = known;
  if (orphans > 0) {
    orphans -= await adoptOrphans(tx, source, answered, tally);
    // An answer may be all that kept a receipt from proving another message to its phone.
    if (answered.length > 0 || hasLost) orphans -= await adoptOrphansOfUnknown(tx, source, awaited, tally);
  }
  // Of an account of several rows, other sessions keep receipts that are not counted here.
  return Math.max(0, orphans) + (await applyReceipts(tx, source, { receipts, awaited }, tally));
}

/** A message that an answer proves accepted, after the time for it was over. */
type Proven = { message: QueuedMessage; operatorMessageId: string };

/** `count` gets what each of its transactions showed. */
type Late = { hearingUnderWay: () => Promise<void> | undefined; count: (evidence: Evidence) => void };

type Settled = { told: boolean; evidence: Evidence };

/**
 * Settles a message by an answer that came late. If that fails, the message stays of unknown fate. What is being applied
 * meanwhile may keep the receipt as an orphan, since neither sees the other: once that is over, the receipt is looked for
 * again.
 */
export async function settleLate(
  app: Runtime,
  source: ReceiptSource,
  proven: Proven,
  { hearingUnderWay, count }: Late,
): Promise<void> {
  const commit = async (work: (tx: Tx) => Promise<Settled>) => {
    const { told, evidence } = await app.database.transaction(work);
    if (told) announceEvents(app);
    count(evidence);
    return evidence;
  };
  try {
    const settled = await commit((tx) => settleProven(tx, source, proven));
    // A message that is being sent again keeps its receipts: they prove it if that is lost too.
    if (settled.proven.length === 0) return;
    await hearingUnderWay();
    await commit((tx) => adoptProven(tx, source, proven));
  } catch (error) {
    reportFailure(app, error, "a late answer could not be recorded; its message stays of unknown fate");
  }
}

/** Settles a message unless it was sent again meanwhile. `told`: there are events to announce. */
async function settleProven(
  tx: Tx,
  source: ReceiptSource,
  { message, operatorMessageId }: Proven,
): Promise<Settled> {
  const tally = new Tally();
  const { evidence } = tally;
  const unknown = await findUnknown(tx, message);
  if (!unknown) return { told: false, evidence };
  const outcome: MessageOutcome = { message: unknown, status: "SENT", operatorMessageId, error: null };
  await settleQueued(tx, source.operatorId, [outcome], tally);
  evidence.proven.push({ operatorId: source.operatorId, phone: unknown.phone });
  await adoptOrphans(tx, source, [operatorMessageId], tally);
  return { told: await tally.write(tx), evidence };
}

/** Applies the receipts that were kept while a late answer was being committed. */
async function adoptProven(tx: Tx, source: ReceiptSource, { operatorMessageId }: Proven): Promise<Settled> {
  const tally = new Tally();
  await adoptOrphans(tx, source, [operatorMessageId], tally);
  return { told: await tally.write(tx), evidence: tally.evidence };
}

type Receipts = { receipts: readonly FinalReceipt[]; awaited: Awaited };

/** Applies final receipts, and keeps as orphans those that fit no message. Returns how many were kept. */
async function applyReceipts(tx: Tx, source: ReceiptSource, said: Receipts, tally: Tally): Promise<number> {
  if (said.receipts.length === 0) return 0;
  const orphans = await fitReceipts(tx, source, said, tally);
  if (orphans.length > 0) {
    await tx.run(sql.insertOrphanReceipts, [
      source.operatorId,
      orphans.map((receipt) => receipt.operatorMessageId),
      orphans.map((receipt) => receipt.status),
      orphans.map((receipt) => receipt.error),
      orphans.map((receipt) => receipt.phone),
      orphans.map((receipt) => receipt.sender),
      orphans.map((receipt) => receipt.reference),
    ]);
  }
  return orphans.length;
}

/**
 * Applies final receipts to accepted messages by the operator's id. Any other receipt is evidence for a message of
 * unknown fate, or fits none until its message is known. A receipt moves money only as evidence of acceptance. Returns
 * those that fit none.
 */
async function fitReceipts(
  tx: Tx,
  source: ReceiptSource,
  { receipts, awaited }: Receipts,
  tally: Tally,
): Promise<FinalReceipt[]> {
  const first = new Map<string, FinalReceipt>();
  for (const receipt of receipts) {
    // Some operators restart their count, and so give one id to messages of several phones.
    const key = `${receipt.operatorMessageId} ${phoneEnd(receipt.phone)}`;
    if (!first.has(key)) first.set(key, receipt);
  }
  const named = await applyByOperatorId(tx, source, [...first.values()], tally);
  const unmatched = await applyByReference(tx, source, named, tally);
  if (unmatched.length === 0) return [];
  const proven = await settleByEvidence(tx, source, { receipts: unmatched, awaited }, tally);
  // Another session may have settled one of these messages meanwhile, under another id.
  const missed = proven.length > 0 ? await applyByOperatorId(tx, source, proven, tally) : [];
  return unmatched.filter((receipt) => !proven.includes(receipt) || missed.includes(receipt));
}

/**
 * Applies orphans of an account of the last `withinMs` again, from the `offset`-th one on: what other sessions committed since may be
 * their message. Safe to repeat. Returns how many were looked at and how many were used, and whether there are events to
 * announce.
 */
export async function applyOrphansAgain(
  tx: Tx,
  operatorIds: readonly string[],
  awaited: Awaited,
  { offset, limit, withinMs }: { offset: number; limit: number; withinMs: number },
): Promise<{ looked: number; used: number; told: boolean; evidence: Evidence }> {
  const orphans = await tx.run(sql.listRecentOrphans, [operatorIds, limit, offset, withinMs]);
  const tally = new Tally();
  const used = await fitOrphans(tx, orphans, { operatorIds, awaited }, tally);
  const told = await tally.write(tx);
  // The last statement, so that nobody waits for these rows while this waits for others.
  if (used.length > 0)
    await tx.run(sql.deleteOrphanReceipts, [
      used.map((orphan) => orphan.operator_id),
      used.map((orphan) => orphan.operator_message_id),
    ]);
  return { looked: orphans.length, used: used.length, told, evidence: tally.evidence };
}

/** Applies receipts to messages whose answers had no id, by our reference. Returns those that fit none. */
async function applyByReference(
  tx: Tx,
  source: ReceiptSource,
  receipts: readonly FinalReceipt[],
  tally: Tally,
): Promise<FinalReceipt[]> {
  const said = new Map(
    receipts.filter(({ reference }) => reference !== null).map((receipt) => [byReference(receipt), receipt]),
  );
  if (said.size === 0) return [...receipts];
  const missed = await applyByOperatorId(tx, source, [...said.keys()], tally);
  const without = receipts.filter((receipt) => receipt.reference === null);
  return [...without, ...missed.map((receipt) => said.get(receipt)!)];
}

/** A receipt that has our reference, as one about a message whose answer had no id. */
function byReference(receipt: FinalReceipt): FinalReceipt {
  const { phone, reference } = receipt;
  return { ...receipt, operatorMessageId: referenceId({ phone, reference: reference! }) };
}

/**
 * Finds receipts that prove the acceptance of a message of unknown fate. Exactly one message must fit: see `isAbout`.
 * Settles these messages and returns the receipts.
 */
async function settleByEvidence(
  tx: Tx,
  source: ReceiptSource,
  { receipts, awaited }: Receipts,
  tally: Tally,
): Promise<FinalReceipt[]> {
  const ends = new Set(receipts.map((receipt) => phoneEnd(receipt.phone)));
  const unknown = await listUnknownByPhone(tx, source.operatorIds, [...ends]);
  const outcomes: MessageOutcome[] = [];
  const proven: FinalReceipt[] = [];
  for (const receipt of receipts) {
    if (receipt.reference === null && mayBeAboutAwaited(receipt, awaited)) continue;
    const candidates = unknown.filter((message) => isAbout(receipt, message));
    if (candidates.length !== 1) continue;
    const [message] = candidates;
    unknown.splice(unknown.indexOf(message!), 1);
    proven.push(receipt);
    const { operatorMessageId } = receipt;
    outcomes.push({ message: message!, status: "SENT", operatorMessageId, error: null });
  }
  await settleQueued(tx, source.operatorId, outcomes, tally);
  const { operatorId } = source;
  for (const { message } of outcomes) tally.evidence.proven.push({ operatorId, phone: message.phone });
  return proven;
}

/**
 * An operator may send the receipt before its answer. Then it is about the message that waits for the answer, which
 * another process may do too: whatever was awaited when the receipt came is known after a while.
 */
function mayBeAboutAwaited({ phone, waitedMs }: FinalReceipt, { ends, waitMs }: Awaited): boolean {
  return ends.has(phoneEnd(phone)) || waitedMs < waitMs;
}

/**
 * Whether a receipt can be about a message: it went to this phone, however that is written, and has our reference. Only
 * where the receipt has none, the sender must fit: operators write senders in forms of their own (S30).
 */
export function isAbout(receipt: FinalReceipt, { phone, sender, reference }: QueuedMessage): boolean {
  if (!isSamePhone(phone, receipt.phone)) return false;
  if (receipt.reference !== null) return receipt.reference === reference;
  return sender === receipt.sender || isSamePhone(sender, receipt.sender);
}

/** Applies the receipts that came before the answer of their message. Returns how many there were. */
async function adoptOrphans(
  tx: Tx,
  source: ReceiptSource,
  operatorMessageIds: readonly string[],
  tally: Tally,
): Promise<number> {
  if (operatorMessageIds.length === 0) return 0;
  const { operatorIds } = source;
  const receipts = (await tx.run(sql.takeOrphanReceipts, [operatorIds, operatorMessageIds])).map(
    receiptOfOrphan,
  );
  const nameless = operatorMessageIds.filter((id) => id.startsWith(REFERENCE_MARK));
  if (nameless.length > 0) {
    const ends = nameless.map(phoneEnd);
    const orphans = await tx.run(sql.takeOrphansByReference, [operatorIds, nameless, ends]);
    receipts.push(...orphans.map(receiptOfOrphan).map(byReference));
  }
  if (receipts.length > 0) await applyByOperatorId(tx, source, receipts, tally);
  return receipts.length;
}

/** The message was delivered before its receipt came, whenever that is applied. */
function receiptOfOrphan({ operator_message_id, waited_ms, ...receipt }: sql.OrphanReceipt): FinalReceipt {
  return { ...receipt, operatorMessageId: operator_message_id, ageMs: waited_ms, waitedMs: waited_ms };
}

/**
 * Settles messages that just became of unknown fate and whose receipts came first. They were accepted, so they must not
 * be sent again. A receipt may name another message to the phone, which was accepted after it was kept: then it is about
 * that one. Returns how many receipts were used.
 */
export async function adoptOrphansOfUnknown(
  tx: Tx,
  source: ReceiptSource,
  awaited: Awaited,
  tally: Tally,
): Promise<number> {
  const { operatorIds } = source;
  const phones = await listUnknownPhones(tx, operatorIds);
  if (phones.length === 0) return 0;
  const orphans = await tx.run(sql.listOrphansByPhone, [operatorIds, phones.map(phoneEnd)]);
  const used = await fitOrphans(tx, orphans, { operatorIds, awaited }, tally);
  const ids = used.map((orphan) => orphan.operator_message_id);
  return adoptOrphans(tx, source, ids, tally);
}

/** Applies orphans again, each as from the operator that sent it. Returns those that fit a message. */
async function fitOrphans(
  tx: Tx,
  orphans: readonly sql.SentReceipt[],
  { operatorIds, awaited }: { operatorIds: readonly string[]; awaited: Awaited },
  tally: Tally,
): Promise<sql.SentReceipt[]> {
  const used: sql.SentReceipt[] = [];
  for (const [operatorId, some] of Map.groupBy(orphans, (orphan) => orphan.operator_id)) {
    const receipts = some.map(receiptOfOrphan);
    const left = await fitReceipts(tx, { operatorId, operatorIds }, { receipts, awaited }, tally);
    used.push(...some.filter((_, i) => !left.includes(receipts[i]!)));
  }
  return used;
}

// Receipts: finds the message of each, and what it proves of a message whose answer never came.
import { now } from "../kernel/clock.ts";
import type { Tx } from "../kernel/database.ts";
import type { Runtime } from "../kernel/runtime.ts";
import type { OperatorRow } from "../operators/operators.ts";
import {
  type AppliedReceipt,
  applyReceipts as applyByOperatorId,
  findUnknown,
  listUnknownByPhone,
  listUnknownPhones,
  type MessageOutcome,
  type Move,
  type QueuedMessage,
  settleQueued,
  Tally,
} from "../sends/sends.ts";
import { type DeliverSm, deliveryAgeMs, normaliseMessageId, readReceipt } from "../smpp/smpp.ts";
import { isSamePhone, nameIn, phoneEnd } from "../sms/sms.ts";
import { announceEvents } from "../webhooks/webhooks.ts";
import * as sql from "./sql.ts";

export type FinalReceipt = AppliedReceipt & { sender: string; reference: number | null };

/** How an operator writes its receipts. */
type Dialect = Pick<OperatorRow, "message_id_form" | "receipt_time_zone" | "plain_receipts">;

/** Reads a receipt that came now. Undefined for an interim one (ENROUTE, ACCEPTED), which changes nothing. */
export function finalReceiptOf(pdu: DeliverSm, dialect: Dialect): FinalReceipt | undefined {
  const receipt = readReceipt(pdu, dialect.plain_receipts);
  if (!receipt?.final) return undefined;
  const { state, messageId, userMessageReference: reference = null } = receipt;
  const status = state === "DELIVERED" || state === "EXPIRED" || state === "REJECTED" ? state : "UNDELIVERED";
  const phone = pdu.sourceAddr;
  return {
    operatorMessageId:
      messageId === "" && reference !== null
        ? referenceId({ phone, reference })
        : normaliseMessageId(messageId, dialect.message_id_form === "case" ? "case" : "as-is"),
    status,
    error: status === "DELIVERED" ? null : receipt.errorCode || state,
    ageMs: deliveryAgeMs(receipt.doneAt, now(), dialect.receipt_time_zone),
    phone,
    sender: nameIn(pdu.destinationAddr),
    reference,
  };
}

/**
 * The id of a message to which its operator gave none, or of a receipt that names none: our reference and the end of the
 * phone (S12).
 */
export function referenceId({ phone, reference }: { phone: string; reference: number }): string {
  return `${REFERENCE_MARK}${reference}@${phoneEnd(phone)}`;
}

const REFERENCE_MARK = "#";

/** What a turn heard: see `Plan`. */
type Heard = {
  outcomes: readonly MessageOutcome[];
  moves: readonly Move[];
  receipts: readonly FinalReceipt[];
  awaited: Awaited;
};

/** The phones of messages that the operator has and owes an answer for, by their ends. */
type Awaited = ReadonlySet<string>;

/**
 * Applies the receipts of one turn, after its outcomes, so that a receipt finds a message that was answered just before
 * it. `known` is the number of receipts kept without a message, undefined before the first turn. Returns that number as
 * it is now.
 */
export async function commitReceipts(
  tx: Tx,
  operatorId: string,
  said: Heard,
  known: number | undefined,
  tally: Tally,
): Promise<number> {
  let orphans = known ?? (await tx.run(sql.countOrphanReceipts, [operatorId]))[0]!.count;
  if (orphans > 0) {
    const answered = said.outcomes.flatMap((outcome) => outcome.operatorMessageId ?? []);
    orphans -= await adoptOrphans(tx, operatorId, answered, tally);
    // An answer may be all that kept a receipt from proving another message to its phone.
    if (answered.length > 0 || said.moves.some((move) => move.fate === "unknown"))
      orphans -= await adoptOrphansOfUnknown(tx, operatorId, said.awaited, tally);
  }
  return orphans + (await applyReceipts(tx, operatorId, said, tally));
}

/** A message that an answer proves accepted, after the time for it was over. */
type Proven = { message: QueuedMessage; operatorMessageId: string };

/** Settles a message by an answer that came late. If that fails, the message stays of unknown fate. */
export async function settleLate(app: Runtime, operatorId: string, proven: Proven): Promise<void> {
  try {
    const told = await app.database.transaction((tx) => settleProven(tx, operatorId, proven));
    if (told) announceEvents(app);
  } catch (error) {
    app.log.warn({ err: error }, "a late answer could not be recorded; its message stays of unknown fate");
  }
}

/** Settles a message unless it was sent again meanwhile. Returns whether there are events to announce. */
async function settleProven(
  tx: Tx,
  operatorId: string,
  { message, operatorMessageId }: Proven,
): Promise<boolean> {
  const unknown = await findUnknown(tx, message);
  if (!unknown) return false;
  const outcome: MessageOutcome = { message: unknown, status: "SENT", operatorMessageId, error: null };
  const tally = new Tally();
  await settleQueued(tx, operatorId, [outcome], tally);
  await adoptOrphans(tx, operatorId, [operatorMessageId], tally);
  return tally.write(tx);
}

/**
 * Applies final receipts to accepted messages by the operator's id. Any other receipt is evidence for a message of
 * unknown fate, or is kept as an orphan until its message is known. A receipt moves money only as evidence of
 * acceptance. Returns how many orphans were kept.
 */
async function applyReceipts(
  tx: Tx,
  operatorId: string,
  { receipts, awaited }: Pick<Heard, "receipts" | "awaited">,
  tally: Tally,
): Promise<number> {
  if (receipts.length === 0) return 0;
  const first = new Map<string, FinalReceipt>();
  for (const receipt of receipts) {
    // Some operators restart their count, and so give one id to messages of several phones.
    const key = `${receipt.operatorMessageId} ${phoneEnd(receipt.phone)}`;
    if (!first.has(key)) first.set(key, receipt);
  }
  const named = await applyByOperatorId(tx, operatorId, [...first.values()], tally);
  const unmatched = await applyByReference(tx, operatorId, named, tally);
  if (unmatched.length === 0) return 0;
  const proven = await settleByEvidence(tx, operatorId, { receipts: unmatched, awaited }, tally);
  if (proven.length > 0) await applyByOperatorId(tx, operatorId, proven, tally);
  const orphans = unmatched.filter((receipt) => !proven.includes(receipt));
  if (orphans.length > 0) {
    await tx.run(sql.insertOrphanReceipts, [
      operatorId,
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

/** Applies receipts to messages whose answers had no id, by our reference. Returns those that fit none. */
async function applyByReference(
  tx: Tx,
  operatorId: string,
  receipts: readonly FinalReceipt[],
  tally: Tally,
): Promise<FinalReceipt[]> {
  const said = new Map<FinalReceipt, FinalReceipt>();
  for (const receipt of receipts) {
    const { phone, reference } = receipt;
    if (reference !== null)
      said.set({ ...receipt, operatorMessageId: referenceId({ phone, reference }) }, receipt);
  }
  if (said.size === 0) return [...receipts];
  const missed = await applyByOperatorId(tx, operatorId, [...said.keys()], tally);
  const without = receipts.filter((receipt) => receipt.reference === null);
  return [...without, ...missed.map((receipt) => said.get(receipt)!)];
}

/**
 * Finds receipts that prove the acceptance of a message of unknown fate. Exactly one message must fit: see `isAbout`.
 * Settles these messages and returns the receipts.
 */
async function settleByEvidence(
  tx: Tx,
  operatorId: string,
  { receipts, awaited }: Pick<Heard, "receipts" | "awaited">,
  tally: Tally,
): Promise<FinalReceipt[]> {
  const ends = new Set(receipts.map((receipt) => phoneEnd(receipt.phone)));
  const unknown = await listUnknownByPhone(tx, operatorId, [...ends]);
  const outcomes: MessageOutcome[] = [];
  const proven: FinalReceipt[] = [];
  for (const receipt of receipts) {
    // An operator may send the receipt before its answer. Then it is about the message that waits for the answer.
    if (receipt.reference === null && awaited.has(phoneEnd(receipt.phone))) continue;
    const candidates = unknown.filter((message) => isAbout(receipt, message));
    if (candidates.length !== 1) continue;
    const [message] = candidates;
    unknown.splice(unknown.indexOf(message!), 1);
    proven.push(receipt);
    const { operatorMessageId } = receipt;
    outcomes.push({ message: message!, status: "SENT", operatorMessageId, error: null });
  }
  await settleQueued(tx, operatorId, outcomes, tally);
  return proven;
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
  operatorId: string,
  operatorMessageIds: readonly string[],
  tally: Tally,
): Promise<number> {
  if (operatorMessageIds.length === 0) return 0;
  const orphans = await tx.run(sql.takeOrphanReceipts, [operatorId, operatorMessageIds]);
  const nameless = operatorMessageIds.filter((id) => id.startsWith(REFERENCE_MARK));
  if (nameless.length > 0)
    orphans.push(
      ...(await tx.run(sql.takeOrphansByReference, [operatorId, nameless, nameless.map(phoneEnd)])),
    );
  if (orphans.length > 0) await applyByOperatorId(tx, operatorId, orphans.map(receiptOfOrphan), tally);
  return orphans.length;
}

/** Drops the age: the message counts as sent, and so as delivered, when its answer is settled. */
function receiptOfOrphan({ operator_message_id, ...receipt }: sql.OrphanReceipt): FinalReceipt {
  return { ...receipt, operatorMessageId: operator_message_id, ageMs: 0 };
}

/**
 * Settles messages that just became of unknown fate and whose receipts came first. They were accepted, so they must not
 * be sent again. Returns how many receipts were used.
 */
export async function adoptOrphansOfUnknown(
  tx: Tx,
  operatorId: string,
  awaited: Awaited,
  tally: Tally,
): Promise<number> {
  const phones = await listUnknownPhones(tx, operatorId);
  if (phones.length === 0) return 0;
  const orphans = await tx.run(sql.listOrphansByPhone, [operatorId, phones.map(phoneEnd)]);
  if (orphans.length === 0) return 0;
  const receipts = orphans.map(receiptOfOrphan);
  const proven = await settleByEvidence(tx, operatorId, { receipts, awaited }, tally);
  const ids = proven.map((receipt) => receipt.operatorMessageId);
  return adoptOrphans(tx, operatorId, ids, tally);
}

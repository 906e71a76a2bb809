// Receipts: finds the message of each, and what it proves of a message whose answer never came.
import { now } from "../kernel/clock.ts";
import type { Tx } from "../kernel/database.ts";
import type { Runtime } from "../kernel/runtime.ts";
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
import { nameIn } from "../sms/sms.ts";
import { announceEvents } from "../webhooks/webhooks.ts";
import * as sql from "./sql.ts";

export type FinalReceipt = AppliedReceipt & { sender: string; reference: number | null };

/** Reads a receipt that came now. Undefined for an interim one (ENROUTE, ACCEPTED), which changes nothing. */
export function finalReceiptOf(pdu: DeliverSm): FinalReceipt | undefined {
  const receipt = readReceipt(pdu);
  if (!receipt?.final || receipt.messageId === "") return undefined;
  const { state } = receipt;
  const status = state === "DELIVERED" || state === "EXPIRED" || state === "REJECTED" ? state : "UNDELIVERED";
  return {
    operatorMessageId: normaliseMessageId(receipt.messageId, "as-is"),
    status,
    error: status === "DELIVERED" ? null : receipt.errorCode || state,
    ageMs: deliveryAgeMs(receipt.doneAt, now()),
    phone: pdu.sourceAddr,
    sender: nameIn(pdu.destinationAddr),
    reference: receipt.userMessageReference ?? null,
  };
}

/** What a turn heard: see `Plan`. */
type Heard = {
  outcomes: readonly MessageOutcome[];
  moves: readonly Move[];
  receipts: readonly FinalReceipt[];
  awaited: Awaited;
};

/** The phones of messages that the operator has and owes an answer for. */
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
    const key = `${receipt.operatorMessageId} ${receipt.phone}`;
    if (!first.has(key)) first.set(key, receipt);
  }
  const unmatched = await applyByOperatorId(tx, operatorId, [...first.values()], tally);
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

/**
 * Finds receipts that prove the acceptance of a message of unknown fate. Exactly one message must fit the phone, the
 * sender and our reference, if the receipt has one. Settles these messages and returns the receipts.
 */
async function settleByEvidence(
  tx: Tx,
  operatorId: string,
  { receipts, awaited }: Pick<Heard, "receipts" | "awaited">,
  tally: Tally,
): Promise<FinalReceipt[]> {
  const phones = new Set(receipts.map((receipt) => receipt.phone));
  const unknown = await listUnknownByPhone(tx, operatorId, [...phones]);
  const outcomes: MessageOutcome[] = [];
  const proven: FinalReceipt[] = [];
  for (const receipt of receipts) {
    // An operator may send the receipt before its answer. Then it is about the message that waits for the answer.
    if (receipt.reference === null && awaited.has(receipt.phone)) continue;
    const candidates = unknown.filter(
      (message) =>
        message.phone === receipt.phone &&
        message.sender === receipt.sender &&
        (receipt.reference === null || receipt.reference === message.reference),
    );
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

/** Applies the receipts that came before the answer of their message. Returns how many there were. */
async function adoptOrphans(
  tx: Tx,
  operatorId: string,
  operatorMessageIds: readonly string[],
  tally: Tally,
): Promise<number> {
  if (operatorMessageIds.length === 0) return 0;
  const orphans = await tx.run(sql.takeOrphanReceipts, [operatorId, operatorMessageIds]);
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
  const orphans = await tx.run(sql.listOrphansByPhone, [operatorId, phones]);
  if (orphans.length === 0) return 0;
  const receipts = orphans.map(receiptOfOrphan);
  const proven = await settleByEvidence(tx, operatorId, { receipts, awaited }, tally);
  const ids = proven.map((receipt) => receipt.operatorMessageId);
  return adoptOrphans(tx, operatorId, ids, tally);
}

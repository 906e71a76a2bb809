// Receipts: finds the message of each, and what it proves about a message whose answer never arrived.
import { announceEvents } from "../../events/webhooks/webhooks.ts";
import { reportFailure } from "../../platform/database/outages.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { phoneEnd } from "../../protocol/sms/phone.ts";
import { findUnknown, listUnknownPhones } from "../sends/queue/find.ts";
import { type Evidence, SettlementEffects } from "../sends/settlement/effects.ts";
import { applyReceipts as applyByOperatorId, type ReceiptSource } from "../sends/settlement/receipts.ts";
import { type MessageOutcome, settleQueued } from "../sends/settlement/settle.ts";
import type { Awaited } from "./awaited.ts";
import { type Receipts, settleByEvidence } from "./evidence.ts";
import {
  type FinalReceipt,
  partIdsOf,
  REFERENCE_MARK,
  receiptOfOrphan,
  referenceId,
} from "./finalreceipts.ts";
import type { Proven } from "./machine/items.ts";
import type { IncomingReceipts } from "./machine/receipts.ts";
import { countEvidence } from "./measures.ts";
import * as sql from "./sql.ts";

/** The receipts to apply: see `IncomingReceipts`. `awaited`: messages that a receipt without an id may belong to. */
type Incoming = { toApply: IncomingReceipts; awaited: Awaited };

/**
 * Applies incoming receipts. Earlier answers are committed already, so a receipt finds a message that was answered just
 * before it. `known` is the number of receipts stored without a message; returns that number afterwards.
 */
export async function commitReceipts(
  tx: Tx,
  source: ReceiptSource,
  { toApply, awaited }: Incoming,
  known: number,
  effects: SettlementEffects,
): Promise<number> {
  const { answered, hasLost, receipts } = toApply;
  let orphans = known;
  if (orphans > 0) {
    orphans -= await matchOrphans(tx, source, answered, effects);
    // A stored receipt may have matched nothing only because this answer was still awaited at its phone.
    if (answered.length > 0 || hasLost) orphans -= await matchOrphansOfUnknown(tx, source, awaited, effects);
  }
  // In an account of several rows, other sessions store receipts that are not counted here.
  return Math.max(
    0,
    Math.max(0, orphans) + (await applyReceipts(tx, source, { receipts, awaited }, effects)),
  );
}

/** What a transaction changed: whether there are events to announce, and what its receipts prove. */
type Settled = { hasEvents: boolean; evidence: Evidence };

/** After the commit of a transaction: announces its events, and counts its receipts. */
export function announceSettled(app: Runtime, { hasEvents, evidence }: Settled): void {
  if (hasEvents) announceEvents(app);
  countEvidence(app, evidence);
}

/**
 * Settles a message by a late answer. Returns whether it did: a message that is being sent again keeps its receipts,
 * which prove it if it is lost again. If it fails, the message stays of unknown fate.
 */
export async function settleLate(app: Runtime, source: ReceiptSource, proven: Proven): Promise<boolean> {
  const evidence = await commitLate(app, (tx) => settleProven(tx, source, proven));
  return evidence !== undefined && evidence.proven.length > 0;
}

/** Applies receipts that other transactions stored while a late answer was being committed: neither sees the other. */
export async function matchLate(app: Runtime, source: ReceiptSource, proven: Proven): Promise<void> {
  await commitLate(app, (tx) => matchProven(tx, source, proven));
}

/** Settles a message by a late answer that no link waits for, and applies the receipts that came meanwhile. */
export async function proveLate(app: Runtime, source: ReceiptSource, proven: Proven): Promise<void> {
  if (await settleLate(app, source, proven)) await matchLate(app, source, proven);
}

async function commitLate(app: Runtime, work: (tx: Tx) => Promise<Settled>): Promise<Evidence | undefined> {
  try {
    const settled = await app.database.transaction(work);
    announceSettled(app, settled);
    return settled.evidence;
  } catch (error) {
    reportFailure(app, error, "a late answer could not be recorded; its message stays of unknown fate");
    return undefined;
  }
}

/** Settles a message unless it was sent again meanwhile. */
async function settleProven(
  tx: Tx,
  source: ReceiptSource,
  { message, operatorMessageId }: Proven,
): Promise<Settled> {
  const effects = new SettlementEffects();
  const { evidence } = effects;
  const unknown = await findUnknown(tx, message);
  if (!unknown) return { hasEvents: false, evidence };
  const outcome: MessageOutcome = { message: unknown, status: "SENT", operatorMessageId, error: null };
  await settleQueued(tx, source.operatorId, [outcome], effects);
  evidence.proven.push({ operatorId: source.operatorId, phone: unknown.phone });
  await matchOrphans(tx, source, [operatorMessageId, ...partIdsOf(unknown)], effects);
  return { hasEvents: await effects.write(tx), evidence };
}

async function matchProven(
  tx: Tx,
  source: ReceiptSource,
  { message, operatorMessageId }: Proven,
): Promise<Settled> {
  const effects = new SettlementEffects();
  await matchOrphans(tx, source, [operatorMessageId, ...partIdsOf(message)], effects);
  return { hasEvents: await effects.write(tx), evidence: effects.evidence };
}

/** Applies final receipts, and stores those that match no message as orphans. Returns how many more are stored now. */
async function applyReceipts(
  tx: Tx,
  source: ReceiptSource,
  incoming: Receipts,
  effects: SettlementEffects,
): Promise<number> {
  if (incoming.receipts.length === 0) return 0;
  const { left, matched } = await fitReceipts(tx, source, incoming, effects);
  await keepOrphans(tx, source, left);
  return left.length - matched;
}

async function keepOrphans(
  tx: Tx,
  { operatorId }: ReceiptSource,
  orphans: readonly FinalReceipt[],
): Promise<void> {
  if (orphans.length === 0) return;
  const receipts = orphans.map((receipt) => ({ ...receipt, textId: receipt.otherIds?.[0] ?? null }));
  await tx.run(sql.insertOrphanReceipts, { operatorId, receipts });
}

/**
 * Applies final receipts to accepted messages by the operator's id. Any other receipt is evidence for a message of
 * unknown fate, or matches nothing until its message is known. A receipt moves credits only as evidence of acceptance.
 * Returns the receipts that match nothing, and how many stored receipts could be applied with them.
 */
async function fitReceipts(
  tx: Tx,
  source: ReceiptSource,
  { receipts, awaited }: Receipts,
  effects: SettlementEffects,
): Promise<{ left: FinalReceipt[]; matched: number }> {
  const first = new Map<string, FinalReceipt>();
  for (const receipt of receipts) {
    // Some operators restart their counter, and so give the same id to messages of several phones.
    const key = `${receipt.operatorMessageId} ${phoneEnd(receipt.phone)}`;
    if (!first.has(key)) first.set(key, receipt);
  }
  const named = await applyByOperatorId(tx, source, [...first.values()], effects);
  const unmatched = await applyByReference(tx, source, named, effects);
  if (unmatched.length === 0) return { left: [], matched: 0 };
  const evidence = { receipts: unmatched, awaited };
  const { proven, partIds } = await settleByEvidence(tx, source, evidence, effects);
  // Another session may have settled one of these messages meanwhile, under another id.
  const missed = proven.length > 0 ? await applyByOperatorId(tx, source, proven, effects) : [];
  const matched = await matchOrphans(tx, source, partIds, effects);
  const left = unmatched.filter((receipt) => !proven.includes(receipt) || missed.includes(receipt));
  return { left, matched };
}

/**
 * Applies orphans of an account of the last `withinMs` again, from the `offset`-th on: other sessions may have
 * committed their messages since. Safe to repeat. Returns how many were tried and how many were used, and whether there
 * are events to announce.
 */
export async function applyOrphansAgain(
  tx: Tx,
  operatorIds: readonly string[],
  awaited: Awaited,
  { offset, limit, withinMs }: { offset: number; limit: number; withinMs: number },
): Promise<Settled & { looked: number; used: number }> {
  const orphans = await tx.run(sql.listRecentOrphans, { operatorIds, withinMs, limit, offset });
  const effects = new SettlementEffects();
  const used = await fitOrphans(tx, orphans, { operatorIds, awaited }, effects);
  const hasEvents = await effects.write(tx);
  // The last statement, so that no other transaction waits for these rows while this one waits for others.
  if (used.length > 0)
    await tx.run(sql.deleteOrphanReceipts, {
      used: used.map((orphan) => ({
        operatorId: orphan.operator_id,
        operatorMessageId: orphan.operator_message_id,
      })),
    });
  return { looked: orphans.length, used: used.length, hasEvents, evidence: effects.evidence };
}

/** Applies receipts to messages whose answers had no id, by our reference. Returns those that match nothing. */
async function applyByReference(
  tx: Tx,
  source: ReceiptSource,
  receipts: readonly FinalReceipt[],
  effects: SettlementEffects,
): Promise<FinalReceipt[]> {
  const incoming = new Map(
    receipts.filter(({ reference }) => reference !== null).map((receipt) => [byReference(receipt), receipt]),
  );
  if (incoming.size === 0) return [...receipts];
  const missed = new Set(await applyByOperatorId(tx, source, [...incoming.keys()], effects));
  const without = receipts.filter((receipt) => receipt.reference === null);
  const left = [...incoming].filter(([named]) => missed.has(named));
  return [...without, ...left.map(([, receipt]) => receipt)];
}

/** Returns a receipt with our reference under the id of a message whose answer had none. */
function byReference(receipt: FinalReceipt): FinalReceipt {
  const { phone, reference } = receipt;
  return { ...receipt, operatorMessageId: referenceId({ phone, reference }) };
}

/** Applies the receipts that arrived before the answer of their message. Returns how many there were. */
async function matchOrphans(
  tx: Tx,
  source: ReceiptSource,
  operatorMessageIds: readonly string[],
  effects: SettlementEffects,
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
  if (receipts.length === 0) return 0;
  const missed = await applyByOperatorId(tx, source, receipts, effects);
  // The id in the text of these receipts belongs to a message to another phone.
  const left = missed.filter(({ otherIds }) => otherIds !== undefined);
  await keepOrphans(tx, source, left);
  return receipts.length - left.length;
}

/**
 * Settles messages that just became of unknown fate and whose receipts arrived first. They were accepted, so they must
 * not be sent again. If a receipt identifies another message to the phone, accepted after the receipt was stored, it
 * belongs to that one. Returns how many receipts were used.
 */
export async function matchOrphansOfUnknown(
  tx: Tx,
  source: ReceiptSource,
  awaited: Awaited,
  effects: SettlementEffects,
): Promise<number> {
  const { operatorIds } = source;
  const phones = await listUnknownPhones(tx, operatorIds);
  if (phones.length === 0) return 0;
  const orphans = await tx.run(sql.listOrphansByPhone, [operatorIds, phones.map(phoneEnd)]);
  const used = await fitOrphans(tx, orphans, { operatorIds, awaited }, effects);
  const ids = used.map((orphan) => orphan.operator_message_id);
  await matchOrphans(tx, source, ids, effects);
  return used.length;
}

/** Applies orphans again, each from the operator that sent it. Returns those that match a message. */
async function fitOrphans(
  tx: Tx,
  orphans: readonly sql.SentReceipt[],
  { operatorIds, awaited }: { operatorIds: readonly string[]; awaited: Awaited },
  effects: SettlementEffects,
): Promise<sql.SentReceipt[]> {
  const used: sql.SentReceipt[] = [];
  for (const [operatorId, some] of Map.groupBy(orphans, (orphan) => orphan.operator_id)) {
    const orphanOf = new Map(some.map((orphan) => [receiptOfOrphan(orphan), orphan]));
    const receipts = [...orphanOf.keys()];
    const { left } = await fitReceipts(tx, { operatorId, operatorIds }, { receipts, awaited }, effects);
    for (const receipt of left) orphanOf.delete(receipt);
    used.push(...orphanOf.values());
  }
  return used;
}

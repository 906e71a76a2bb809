// Evidence: receipts that prove the acceptance of messages whose answers never arrived.
import { one } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { isSamePhone, phoneEnd } from "../../protocol/sms/phone.ts";
import { carrierIdOf, isCarrierId, messageOfCarrierId } from "../operators/carriermessages.ts";
import { readPartReceipts } from "../operators/operatoraccounts.ts";
import { listUnknownByKey, listUnknownByPhone } from "../sends/queue/find.ts";
import type { QueuedMessage } from "../sends/queue/packed.ts";
import type { SettlementEffects } from "../sends/settlement/effects.ts";
import type { ReceiptSource } from "../sends/settlement/receipts.ts";
import { type MessageOutcome, settleQueued } from "../sends/settlement/settle.ts";
import type { Awaited } from "./awaited.ts";
import { type FinalReceipt, partIdsOf, receiptOfOrphan } from "./finalreceipts.ts";
import { countSessions, listOrphansByPhone } from "./sql.ts";

/** Final receipts, and the messages that a receipt without an id may belong to. */
export type Receipts = { receipts: readonly FinalReceipt[]; awaited: Awaited };

/** The receipts that were used, and the ids of further parts of the proven messages, whose receipts may be stored. */
export type Proof = { proven: FinalReceipt[]; partIds: string[] };

/**
 * Finds receipts that prove the acceptance of messages of unknown fate, and settles these. Exactly one message must
 * fit: see `isAbout`. If each part of a long text requests a receipt, and the receipts lack our reference, there must
 * be one for each part whose answer never arrived.
 */
export async function settleByEvidence(
  tx: Tx,
  source: ReceiptSource,
  { receipts, awaited }: Receipts,
  effects: SettlementEffects,
): Promise<Proof> {
  const ends = [...new Set(receipts.map((receipt) => phoneEnd(receipt.phone)))];
  const unknown = await listUnknown(tx, source, receipts, ends);
  const parts = new PartReceipts(tx, source, ends);
  const isComplete = unknown.length === 0 || (await areCurrent(tx, awaited.sessionIds));
  const mayCount = (receipt: FinalReceipt) =>
    receipt.reference !== null || hasOwnId(receipt) || (isComplete && !mayBeAboutAwaited(receipt, awaited));
  const come = receipts.filter(mayCount);
  const outcomes: MessageOutcome[] = [];
  const used = new Set<FinalReceipt>();
  for (const receipt of come) {
    if (used.has(receipt)) continue;
    const candidates = unknown.filter((message) => isAbout(receipt, message));
    const [message] = candidates;
    if (!message || candidates.length > 1) continue;
    const unused = come.filter((other) => !used.has(other));
    const others =
      receipt.reference === null && !hasOwnId(receipt)
        ? await parts.othersOf(message, receipt, unused, mayCount)
        : [];
    if (!others) continue;
    unknown.splice(unknown.indexOf(message), 1);
    for (const proof of [receipt, ...others]) used.add(proof);
    const partIds = [...partIdsOf(message), ...others.map((other) => other.operatorMessageId)];
    const { operatorMessageId } = receipt;
    outcomes.push({ message: { ...message, partIds }, status: "SENT", operatorMessageId, error: null });
  }
  await settleQueued(tx, source.operatorId, outcomes, effects);
  const { operatorId } = source;
  for (const { message } of outcomes) effects.evidence.proven.push({ operatorId, phone: message.phone });
  return {
    proven: receipts.filter((receipt) => used.has(receipt)),
    partIds: outcomes.flatMap(({ message }) => partIdsOf(message)),
  };
}

/** Lists the messages of unknown fate with these phones, and those whose ids the receipts contain. */
async function listUnknown(
  tx: Tx,
  { operatorIds }: ReceiptSource,
  receipts: readonly FinalReceipt[],
  ends: readonly string[],
): Promise<QueuedMessage[]> {
  const keys = receipts.flatMap((receipt) => idsIn(receipt).flatMap((id) => messageOfCarrierId(id) ?? []));
  const found = await Promise.all([
    listUnknownByPhone(tx, operatorIds, ends),
    keys.length > 0 ? listUnknownByKey(tx, operatorIds, keys) : [],
  ]);
  return [...new Map(found.flat().map((message) => [carrierIdOf(message), message])).values()];
}

/**
 * Whether no later session has recovered what these sessions left. Before that, no later session writes anything, so the
 * answers that these sessions await are all that are awaited.
 */
async function areCurrent(tx: Tx, sessionIds: readonly string[]): Promise<boolean> {
  return (await one(tx, countSessions, [sessionIds])).count === sessionIds.length;
}

/** Finds the receipts of the parts of a message. It reads from the database once, and only for long texts. */
class PartReceipts {
  readonly #tx: Tx;
  readonly #source: ReceiptSource;
  readonly #ends: readonly string[];
  #askedUpTo: number | undefined;
  #orphans: FinalReceipt[] | undefined;

  constructor(tx: Tx, source: ReceiptSource, ends: readonly string[]) {
    this.#tx = tx;
    this.#source = source;
    this.#ends = ends;
  }

  /**
   * Returns the receipts of other parts that a message of unknown fate needs beside one without our reference, out of
   * those received with it (`come`) and the stored ones. Undefined: too few, so some part may be with no operator.
   */
  async othersOf(
    message: QueuedMessage,
    receipt: FinalReceipt,
    come: readonly FinalReceipt[],
    mayCount: (receipt: FinalReceipt) => boolean,
  ): Promise<FinalReceipt[] | undefined> {
    if (message.segments === 1) return [];
    this.#askedUpTo ??= await readPartReceipts(this.#tx, this.#source.operatorIds);
    if (message.segments > this.#askedUpTo) return [];
    const others = message.segments - 1 - countBits(message.accepted);
    if (others <= 0) return [];
    this.#orphans ??= (await this.#tx.run(listOrphansByPhone, [this.#source.operatorIds, this.#ends])).map(
      receiptOfOrphan,
    );
    const byId = new Map<string, FinalReceipt>();
    for (const other of [...this.#orphans.filter(mayCount), ...come])
      if (other.reference === null && isAbout(other, message)) byId.set(other.operatorMessageId, other);
    byId.delete(receipt.operatorMessageId);
    return byId.size < others ? undefined : [...byId.values()].slice(-others);
  }
}

function countBits(bits: number): number {
  return bits === 0 ? 0 : (bits & 1) + countBits(bits >>> 1);
}

/**
 * An operator may send the receipt before its answer. Then the receipt belongs to the message that awaits the answer,
 * possibly in another process: after `waitMs`, every answer awaited when the receipt arrived is known.
 */
function mayBeAboutAwaited({ phone, waitedMs }: FinalReceipt, { ends, waitMs }: Awaited): boolean {
  return ends.has(phoneEnd(phone)) || waitedMs < waitMs;
}

/**
 * Whether a receipt can belong to a message, and to a part of it whose answer never arrived: it is for this phone, in
 * any notation, and has our reference or our id. Only if the receipt has neither, the sender must match, if the receipt
 * has one: operators write senders in forms of their own (S30).
 */
export function isAbout(receipt: FinalReceipt, message: QueuedMessage): boolean {
  const { phone, sender, reference, partIds } = message;
  // The id of a part ends with the number of the part.
  const ownId = carrierIdOf(message);
  if (hasOwnId(receipt)) return idsIn(receipt).some((id) => id === ownId || id.startsWith(`${ownId}-`));
  if (!isSamePhone(phone, receipt.phone) || partIds?.includes(receipt.operatorMessageId)) return false;
  if (receipt.reference !== null) return receipt.reference === reference;
  return receipt.sender === "" || sender === receipt.sender || isSamePhone(sender, receipt.sender);
}

/** Whether a receipt contains our id of its message, so that it belongs to no other one. */
function hasOwnId(receipt: FinalReceipt): boolean {
  return idsIn(receipt).some(isCarrierId);
}

function idsIn({ operatorMessageId, otherIds = [] }: FinalReceipt): string[] {
  return [operatorMessageId, ...otherIds];
}

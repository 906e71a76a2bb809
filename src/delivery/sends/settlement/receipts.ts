// Receipts: operators report the result of messages that they accepted.
import { one } from "../../../platform/database/query.ts";
import type { Tx } from "../../../platform/database/transaction.ts";
import { otherBasesOf } from "../../../protocol/smpp/receipts.ts";
import { isSamePhone } from "../../../protocol/sms/phone.ts";
import { isCarrierId } from "../../operators/carriermessages.ts";
import type { SettlementEffects } from "./effects.ts";
import * as partsSql from "./parts.sql.ts";
import { decideParts, LAST_PART, messageKeyOf, type PartReceipt } from "./parts.ts";
import * as sql from "./receipts.sql.ts";

/** The content of a final receipt for a message that the operator accepted. */
export type AppliedReceipt = {
  operatorMessageId: string;
  /** Another id in the receipt, which may be that of the message. */
  otherIds?: readonly string[];
  status: "DELIVERED" | "UNDELIVERED" | "EXPIRED" | "REJECTED";
  error: string | null;
  /** How long before the arrival of the receipt the message was delivered. */
  ageMs: number;
  /** As the operator writes it: see `isSamePhone`. */
  phone: string;
};

/** The operator that delivered receipts, and all operators of its account. */
export type ReceiptSource = { operatorId: string; operatorIds: readonly string[] };

/**
 * Applies final receipts to recorded messages by the operator's ids, and adds the changes to `effects`. Returns the
 * receipts whose ids match no message of a month that has its index for receipts. Only the first receipt for each part
 * of a message counts; `decideParts` combines those of several parts.
 *
 * Receipts arrive within days, but the id of a scheduled campaign that ran before migration 0029 may be 180 days old.
 * So `receipts_reach`, and not the clock, limits the sends that they may belong to. A separate statement reads it: a
 * subquery in the look-up would open every month before it knows which to skip.
 *
 * Two more statements, in forms that Citus accepts: 50 receipts cost 1.3 ms of CPU in this process and PostgreSQL
 * together, 300 cost 7.0 ms. One statement with a look-up for each receipt (LATERAL), which Citus refuses, costs 1.15
 * and 6.3 ms; one with DISTINCT ON compares each receipt with all, and 300 cost 12 ms (2 busy cores, 2026-11-22).
 * Further statements run only for receipts of long messages, and for those whose id no record has.
 */
export async function applyReceipts<Receipt extends AppliedReceipt>(
  tx: Tx,
  source: ReceiptSource,
  receipts: readonly Receipt[],
  effects: SettlementEffects,
): Promise<Receipt[]> {
  const reach = await one(tx, sql.findReceiptsReach);
  const fromId = reach.from_id;
  const { operatorIds } = source;
  const ids = receipts.map((receipt) => receipt.operatorMessageId);
  const answered = await tx.run(sql.listAnswered, { operatorIds, ids, fromId });
  const answeredBy = Map.groupBy(answered, (message) => message.operator_message_id);
  const matched = new Map<Receipt, PartReceipt<Receipt>>();
  for (const receipt of receipts) {
    const message = messageOf(receipt, source, answeredBy.get(receipt.operatorMessageId) ?? []);
    if (message) matched.set(receipt, { receipt, message, part: LAST_PART });
  }
  const uncertain = receipts.filter((receipt) => !isCertain(receipt, matched.get(receipt)));
  const further = uncertain.length > 0 ? await matchFurther(tx, source, uncertain, fromId) : [];
  for (const match of further) matched.set(match.receipt, match);
  await applyMatched(tx, [...matched.values()], fromId, effects);
  return receipts.filter((receipt) => !matched.has(receipt));
}

/** Whether no other id of a receipt can lead to a better message than this one. */
function isCertain<Receipt extends AppliedReceipt>(
  { otherIds, phone }: Receipt,
  match: PartReceipt<Receipt> | undefined,
): boolean {
  return match !== undefined && (!otherIds?.length || isSamePhone(match.message.phone, phone));
}

/**
 * Matches receipts by the ids of the parts of long messages, by their other ids, and by all these in another base. Such
 * an id may be the number of another message, so a message must be to the receipt's phone, unless its id is the first
 * one of the receipt, or one that we gave it ourselves.
 */
async function matchFurther<Receipt extends AppliedReceipt>(
  tx: Tx,
  source: ReceiptSource,
  receipts: readonly Receipt[],
  fromId: string,
): Promise<PartReceipt<Receipt>[]> {
  const { operatorIds } = source;
  const othersOf = new Map(receipts.map((receipt) => [receipt, otherIdsOf(receipt)]));
  const others = [...othersOf.values()].flat();
  const ids = [...receipts.map(({ operatorMessageId }) => operatorMessageId), ...others];
  const [parts, answered] = await Promise.all([
    tx.run(partsSql.listParts, { operatorIds, ids, fromId }),
    others.length > 0 ? tx.run(sql.listAnswered, { operatorIds, ids: others, fromId }) : [],
  ]);
  const messages = new Map(
    (await listMessagesOf(tx, parts)).map((message) => [messageKeyOf(message), message]),
  );
  const matched: PartReceipt<Receipt>[] = [];
  for (const [receipt, otherIds] of othersOf) {
    const { operatorMessageId } = receipt;
    const partOf = new Map<sql.AnsweredMessage, number>();
    for (const { operator_message_id: id, part, ...key } of parts) {
      const message = messages.get(messageKeyOf(key));
      if (!message || (id !== operatorMessageId && !otherIds.includes(id))) continue;
      const isSure = id === operatorMessageId || isCarrierId(id);
      if (isSure || isSamePhone(message.phone, receipt.phone)) partOf.set(message, part);
    }
    for (const message of answered) {
      const id = message.operator_message_id;
      if (otherIds.includes(id) && (isCarrierId(id) || isSamePhone(message.phone, receipt.phone)))
        partOf.set(message, LAST_PART);
    }
    const message = messageOf(receipt, source, [...partOf.keys()]);
    const part = message && partOf.get(message);
    if (message && part !== undefined) matched.push({ receipt, message, part });
  }
  return matched;
}

function otherIdsOf({ operatorMessageId, otherIds = [] }: AppliedReceipt): string[] {
  return [...otherIds, ...[operatorMessageId, ...otherIds].flatMap(otherBasesOf)];
}

async function listMessagesOf(tx: Tx, parts: readonly partsSql.PartRow[]): Promise<sql.AnsweredMessage[]> {
  if (parts.length === 0) return [];
  return tx.run(partsSql.listByKeys, {
    accountIds: parts.map((part) => part.account_id),
    sendIds: parts.map((part) => part.send_id),
    numbers: parts.map((part) => part.number),
  });
}

async function applyMatched(
  tx: Tx,
  matched: readonly PartReceipt<AppliedReceipt>[],
  fromId: string,
  effects: SettlementEffects,
): Promise<void> {
  const isInParts = ({ message, part }: PartReceipt<AppliedReceipt>) =>
    message.segments > 1 || part !== LAST_PART;
  const { first, fallen } = await decideParts(tx, matched.filter(isInParts), fromId);
  const whole = matched.filter((report) => !isInParts(report) && report.message.status === "SENT");
  const columnsOf = (reports: Reports): sql.Received => ({
    accountIds: reports.map(({ message }) => message.account_id),
    sendIds: reports.map(({ message }) => message.send_id),
    numbers: reports.map(({ message }) => message.number),
    statuses: reports.map(({ receipt }) => receipt.status),
    errors: reports.map(({ receipt }) => receipt.error),
    agesMs: reports.map(({ receipt }) => receipt.ageMs),
    fromId,
  });
  const received = [...whole, ...first];
  const changed = received.length > 0 ? await tx.run(sql.updateReceived, columnsOf(received)) : [];
  for (const send of changed) effects.addDelivered(send);
  if (fallen.length > 0)
    for (const send of await tx.run(sql.updateFallen, columnsOf(fallen))) effects.addFallen(send);
  for (const { receipt, message } of onlyChanged(received, changed))
    effects.evidence.receipts.push({
      operatorId: message.operator_id,
      phone: message.phone,
      status: receipt.status,
      sentAt: message.sent_at,
    });
}

/**
 * Returns as many of these reports as changed a message of their send, to their status. All of them do, unless another
 * session applied the same receipts a moment before.
 */
function onlyChanged(reports: Reports, sends: readonly sql.DeliveredSend[]): Reports {
  const left = new Map<string, number>();
  let changed = 0;
  for (const { send_id: sendId, status, delivered, undelivered } of sends) {
    const count = delivered + undelivered;
    const key = `${sendId} ${status}`;
    left.set(key, (left.get(key) ?? 0) + count);
    changed += count;
  }
  if (changed === reports.length) return reports;
  return reports.filter(({ receipt, message }) => {
    const key = `${message.send_id} ${receipt.status}`;
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count > 0;
  });
}

type Reports = readonly { receipt: AppliedReceipt; message: sql.AnsweredMessage }[];

/**
 * Returns the message of a receipt among those with its id. An operator may give one id to two messages: the message to
 * the receipt's phone comes first, then one without a receipt, then the older one. A message of another operator row
 * must be to the receipt's phone: rows may count as one account and number their ids separately.
 */
function messageOf(
  { phone }: AppliedReceipt,
  { operatorId }: ReceiptSource,
  answered: readonly sql.AnsweredMessage[],
): sql.AnsweredMessage | undefined {
  const fitting = answered.filter(
    (message) => message.operator_id === operatorId || isSamePhone(message.phone, phone),
  );
  const [message] = fitting.toSorted(
    (a, b) =>
      Number(isSamePhone(b.phone, phone)) - Number(isSamePhone(a.phone, phone)) ||
      Number(b.status === "SENT") - Number(a.status === "SENT") ||
      Number(a.sent_at) - Number(b.sent_at),
  );
  return message;
}

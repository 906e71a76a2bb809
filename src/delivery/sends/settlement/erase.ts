// Erasure: removes a person from the queue and the record, in steps; counts, prices and statuses stay.
import type { Tx } from "../../../platform/database/transaction.ts";
import { lowestId, timeOf } from "../../../platform/ids.ts";
import { ERASED_PHONE } from "../../../protocol/sms/phone.ts";
import { goneAmong, keyOf, queuedMessageOf } from "../queue/batches.ts";
import { type QueuedMessage, unpack } from "../queue/packed.ts";
import * as sql from "./erase.sql.ts";
import { listMonths } from "./months.sql.ts";
import { type MessageOutcome, settleOutcomes, withdraw } from "./settle.ts";

/** Returns those accounts whose messages to the person are to be erased. */
export type OursAmong = (tx: Tx, accountIds: readonly string[]) => Promise<ReadonlySet<string>>;

/** The result of one step: `next` is where the next one begins, undefined after the last. */
export type QueueStep = { next: string | undefined; canceled: number; waiting: number; hasEvents: boolean };

const BATCHES_AT_ONCE = 200;
const ROWS_AT_ONCE = 10_000;
/** A step begins this much before the end of the last one: a divided batch's rest has an id 1 ms lower (`splitBatches`). */
const OVERLAP_MS = 10;
/** After all ids, which are hexadecimal. */
const LAST = "g";

/**
 * Cancels messages to a phone that no gateway has, and counts those that must become final first (`waiting`): a gateway
 * has them, or their fate is unknown. The first step has the cursor "". Batches are read in order of their ids, then
 * the messages with rows of their own. A message that is moved gets a row, with a batch of a later id, and never
 * returns into a packed batch, so it is read later.
 */
export async function cancelQueuedTo(
  tx: Tx,
  phone: string,
  cursor: string,
  oursAmong: OursAmong,
): Promise<QueueStep> {
  const [part, id = "", position = "0"] = cursor.split(" ");
  return part === "rows"
    ? cancelRows(tx, phone, [id, Number(position)], oursAmong)
    : cancelPacked(tx, phone, id, oursAmong);
}

async function cancelPacked(tx: Tx, phone: string, after: string, oursAmong: OursAmong): Promise<QueueStep> {
  const batches = await tx.run(sql.listNaming, [after, `"${phone}"`, BATCHES_AT_ONCE]);
  const found = batches.flatMap(({ messages, ...batch }) =>
    messages === null
      ? []
      : unpack({ ...batch, messages })
          .filter((message) => message.phone === phone && (batch.held || message.position > batch.intent))
          .map((message) => ({ message, held: batch.held })),
  );
  const gone = await goneAmong(
    tx,
    found.map(({ message }) => message),
  );
  const open = found.filter(({ message }) => !gone.has(keyOf(message)));
  const step = await cancel(tx, open, oursAmong);
  const last = batches[BATCHES_AT_ONCE - 1]?.id;
  return { ...step, next: last === undefined ? "rows" : `folded ${idBefore(last, after) ?? last}` };
}

async function cancelRows(
  tx: Tx,
  phone: string,
  [batchId, position]: [string, number],
  oursAmong: OursAmong,
): Promise<QueueStep> {
  const [last] = await tx.run(sql.findQueueStep, [batchId, position, ROWS_AT_ONCE]);
  if (!last) return { next: undefined, canceled: 0, waiting: 0, hasEvents: false };
  const keys = { batchId, position, lastBatchId: last.batch_id, lastPosition: last.position };
  const rows = await tx.run(sql.lockQueuedTo, { ...keys, phone });
  const open = rows.map(({ held, ...row }) => ({ message: queuedMessageOf(row), held: held || row.unknown }));
  const step = await cancel(tx, open, oursAmong);
  if (last.count < ROWS_AT_ONCE) return { ...step, next: undefined };
  const before = idBefore(last.batch_id, batchId);
  return { ...step, next: before ? `rows ${before} 0` : `rows ${last.batch_id} ${last.position}` };
}

/** Returns where to read again from, after a step from one id to another; undefined if the next would not advance. */
function idBefore(last: string, after: string): string | undefined {
  const before = lowestId(timeOf(last) - OVERLAP_MS);
  return before > after ? before : undefined;
}

/** Cancels those messages that are not held. A packed one leaves its batch first, unless a gateway has taken it. */
async function cancel(
  tx: Tx,
  found: readonly { message: QueuedMessage; held: boolean }[],
  oursAmong: OursAmong,
): Promise<Omit<QueueStep, "next">> {
  if (found.length === 0) return { canceled: 0, waiting: 0, hasEvents: false };
  const ours = await oursAmong(tx, [...new Set(found.map(({ message }) => message.accountId))]);
  const outcomes: MessageOutcome[] = [];
  let waiting = 0;
  for (const { message, held } of found.filter(({ message }) => ours.has(message.accountId))) {
    if (held || (message.packed && !(await withdraw(tx, message)))) waiting++;
    else outcomes.push({ message, status: "CANCELED", operatorMessageId: null, error: null });
  }
  const hasEvents = outcomes.length > 0 && (await settleOutcomes(tx, outcomes));
  return { canceled: outcomes.length, waiting, hasEvents };
}

/** The result of one step of the record: the messages that lost their phone, and those with a webhook subscription. */
export type RecordStep = {
  next: string | undefined;
  erased: sql.RecordedKey[];
  subscribed: { send_id: string; endpoint_id: string }[];
};

const RECORDED_AT_ONCE = 1_000;

/**
 * Replaces a phone in the record by `ERASED_PHONE`, month by month and up to 1,000 messages at a time. The first step
 * has the cursor "".
 */
export async function eraseRecorded(
  tx: Tx,
  phone: string,
  cursor: string,
  oursAmong: OursAmong,
): Promise<RecordStep> {
  const [from = "", accountId = "", sendId = "", number = "0"] = cursor.split(" ");
  const to = await endOfPart(tx, from);
  const after = { accountId, sendId, number: Number(number) };
  const rows = await tx.run(sql.listRecordedTo, { phone, from, to, ...after, limit: RECORDED_AT_ONCE });
  const ours = await oursAmong(tx, [...new Set(rows.map((row) => row.account_id))]);
  const wanted = rows.filter((row) => ours.has(row.account_id));
  const keys = wanted.map((row) => ({ accountId: row.account_id, sendId: row.send_id, number: row.number }));
  const erased = await tx.run(sql.updateErased, { keys, phone: ERASED_PHONE, from, to });
  const subscribed = await tx.run(sql.listSubscribed, [erased.map((row) => row.send_id)]);
  const last = rows.at(-1);
  if (last && rows.length === RECORDED_AT_ONCE)
    return { erased, subscribed, next: `${from} ${last.account_id} ${last.send_id} ${last.number}` };
  return { erased, subscribed, next: to === LAST ? undefined : to };
}

/** Returns the lowest id of a send after the partition of the record that contains this one. */
async function endOfPart(tx: Tx, from: string): Promise<string> {
  const ends = (await tx.run(listMonths)).map(({ month }) => endOfMonth(month));
  return ends.find((end) => end > from) ?? LAST;
}

function endOfMonth(month: string): string {
  const first = new Date(month);
  return lowestId(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1));
}

const EMPTIED_AT_ONCE = 5_000;

/**
 * Replaces the phones of the next messages of a closed account. The first step has the cursor ""; `next` is where the
 * next one begins, undefined after the last.
 */
export async function emptyRecord(
  tx: Tx,
  accountId: string,
  cursor: string,
): Promise<{ next: string | undefined }> {
  const [sendId = "", number = "0"] = cursor.split(" ");
  const after = { accountId, sendId, number: Number(number) };
  const [last] = await tx.run(sql.eraseNext, { ...after, phone: ERASED_PHONE, limit: EMPTIED_AT_ONCE });
  return { next: last && `${last.send_id} ${last.number}` };
}

/**
 * Removes the `callbackData` of these sends. The rest of `about` stays, since it marks a subscribed send and receipts
 * may still arrive: their events no longer contain `callbackData`.
 */
export async function forgetCallbackData(tx: Tx, sendIds: readonly string[]): Promise<void> {
  if (sendIds.length > 0) await tx.run(sql.dropCallbackData, [sendIds]);
}

/**
 * Deletes the event data of one-time passwords, by their sends. Messages and credits stay. A message that becomes final
 * later, or its receipt, is counted like that of a send without a row, and no event is emitted.
 */
export async function forgetCodes(tx: Tx, sendIds: readonly string[]): Promise<void> {
  if (sendIds.length > 0) await tx.run(sql.deleteCodes, [sendIds]);
}

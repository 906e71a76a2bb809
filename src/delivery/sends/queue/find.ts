// Finds queued messages: of one send in the batches that pack it, or of unknown fate.

import type { Statements } from "../../../platform/database/query.ts";
import type { Tx } from "../../../platform/database/transaction.ts";
import { newId, timeOf } from "../../../platform/ids.ts";
import { queuedMessageOf } from "./batches.ts";
import * as sql from "./find.sql.ts";
import { type QueuedMessage, unpack } from "./packed.ts";

/** A message in the batch that packs it. `isHeld`: a session has the batch. `isWritten`: the operator may have it. */
export type Found = { message: QueuedMessage; isHeld: boolean; isWritten: boolean };

/** Lists the packed messages of a send with numbers in a range; some may be final. */
export async function listPacked(
  db: Statements,
  send: { id: string; total: number },
  first: number,
  last: number,
): Promise<Found[]> {
  if (last < first) return [];
  const batches = await db.run(sql.listPackedOf, [send.id, first, last]);
  if (batches.length > 0) {
    const found = batches.flatMap((batch) => foundIn(batch, send.id));
    return found.filter(({ message: { number } }) => number >= first && number <= last);
  }
  const single = send.total === 1 ? await findShared(db, send.id) : undefined;
  return single ? [single] : [];
}

/** Finds the message of a send to one phone, in the batch that packs it; it may be final. */
export async function findPacked(db: Statements, sendId: string): Promise<Found | undefined> {
  const [batch] = await db.run(sql.listPackedOf, [sendId, 1, 1]);
  // Batches of bulk are canceled as a whole.
  if (batch) return batch.size === 1 ? foundIn(batch, sendId)[0] : undefined;
  return findShared(db, sendId);
}

// The sends of a shared batch arrived within this time of each other: none waits longer to be accepted.
const SHARED_WITHIN_MS = 60_000;

/** Finds the message of a send in a shared batch. The id of such a batch is the lowest of its sends, so it is close. */
async function findShared(db: Statements, sendId: string): Promise<Found | undefined> {
  const oldest = newId(Math.max(0, timeOf(sendId) - SHARED_WITHIN_MS));
  for (let newest = sendId; ; ) {
    const batches = await db.run(sql.listSharedBatches, [newest, oldest]);
    for (const batch of batches) {
      // Most batches belong to other sends: the text is searched before it is parsed.
      const [found] = batch.messages.includes(sendId) ? foundIn(batch, sendId) : [];
      if (found) return found;
    }
    const last = batches.at(-1);
    if (!last || last.id === newest) return undefined;
    newest = last.id;
  }
}

/** Returns the messages of a send in a batch. */
function foundIn(batch: sql.PackedRow, sendId: string): Found[] {
  return findIn(batch, (message) => message.sendId === sendId);
}

/**
 * Returns some messages of a batch. If no session has it, messages up to its intent have left it: they are final, or
 * have their own rows.
 */
export function findIn(batch: sql.PackedRow, isWanted: (message: QueuedMessage) => boolean): Found[] {
  return unpack(batch)
    .filter((message) => isWanted(message) && (batch.held || message.position > batch.intent))
    .map((message) => ({
      message,
      isHeld: batch.held,
      isWritten: batch.held && message.position <= batch.intent,
    }));
}

/** Lists the messages of unknown fate of these operators whose phones end so: see `phoneEnd`. */
export async function listUnknownByPhone(
  tx: Tx,
  operatorIds: readonly string[],
  ends: readonly string[],
): Promise<QueuedMessage[]> {
  return (await tx.run(sql.listUnknownByPhone, [operatorIds, ends])).map(queuedMessageOf);
}

/** Lists those of these messages that are of unknown fate with these operators. */
export async function listUnknownByKey(
  tx: Tx,
  operatorIds: readonly string[],
  keys: readonly Pick<QueuedMessage, "sendId" | "number">[],
): Promise<QueuedMessage[]> {
  const [sendIds, numbers] = [keys.map(({ sendId }) => sendId), keys.map(({ number }) => number)];
  return (await tx.run(sql.listUnknownByKey, { operatorIds, sendIds, numbers })).map(queuedMessageOf);
}

/** Lists the phones of these operators' messages of unknown fate. */
export async function listUnknownPhones(tx: Tx, operatorIds: readonly string[]): Promise<string[]> {
  return (await tx.run(sql.listUnknownPhones, [operatorIds])).map((row) => row.phone);
}

/** Finds the message of a send if it is of unknown fate and no session has it. */
export async function findUnknown(
  tx: Tx,
  { sendId, number }: Pick<QueuedMessage, "sendId" | "number">,
): Promise<QueuedMessage | undefined> {
  return (await tx.run(sql.findUnknown, [sendId, number])).map(queuedMessageOf)[0];
}

/** Lists those of these messages that are of unknown fate and that no session has. */
export async function listUnknownOf(
  db: Statements,
  keys: readonly { send_id: string; number: number }[],
): Promise<(sql.UnknownRow & { operator_message_id: null })[]> {
  if (keys.length === 0) return [];
  const rows = await db.run(sql.listUnknownOf, [
    keys.map((key) => key.send_id),
    keys.map((key) => key.number),
  ]);
  return rows.map((row) => ({ ...row, operator_message_id: null }));
}

/** Finds a message that is of unknown fate because this operator lost it once: see `freeUnsent`. */
export async function lockUnsent(
  tx: Tx,
  operatorId: string,
  { send_id: sendId, number }: { send_id: string; number: number },
): Promise<QueuedMessage | undefined> {
  return (await tx.run(sql.lockUnsent, { operatorId, sendId, number })).map(queuedMessageOf)[0];
}

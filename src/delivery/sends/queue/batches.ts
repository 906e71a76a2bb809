// The life of a batch in the database: taken for a session, written up to an intent, given back, left behind.

import type { Statements } from "../../../platform/database/query.ts";
import type { Tx } from "../../../platform/database/transaction.ts";
import { newId, timeOf } from "../../../platform/ids.ts";
import * as sql from "./batches.sql.ts";
import { COUNTING, creditsOf, type PackedBatch, type QueuedMessage, unpack } from "./packed.ts";

/** A batch with its messages that are neither final nor moved. */
export type HeldBatch = {
  id: string;
  lane: number;
  prefix: string;
  /** Empty except for bulk. */
  accountId: string;
  expiresAt: Date;
  /** Messages up to this position may be written. */
  intent: number;
  canceled: boolean;
  /** How long it had waited when it was taken. */
  waitedMs: number;
  messages: QueuedMessage[];
};

/** The batches that a session wants: see `sql.takeBatches`. */
export type WantedBatches = {
  sessionId: string;
  operatorId: string;
  ranges: readonly WantedRange[];
  /** The maximum number of batches of single sends for each range; for bulk, each group has its own. */
  urgent: number;
  /** The free window slots: whole batches that fit get their intent. */
  slots: number;
  bulk: readonly { ranges: readonly WantedRange[]; accountId: string; most: number }[];
};

/** The batches of a prefix that have waited for at least `fromMs` and less than `toMs`. */
type WantedRange = { prefix: string; fromMs: number; toMs: number };

/** Takes free batches for a session. `withMessages` reads their messages after the commit. */
export function takeBatches(tx: Tx, wanted: WantedBatches): Promise<sql.BatchRow[]> {
  const { ranges, bulk, ...session } = wanted;
  return tx.run(sql.takeBatches, {
    ...session,
    prefixes: ranges.map(({ prefix }) => prefix),
    fromMs: ranges.map(({ fromMs }) => fromMs),
    toMs: ranges.map(limitOf),
    bulk: bulk.flatMap((group) =>
      group.ranges.map((range) => ({
        ...range,
        toMs: limitOf(range),
        accountId: group.accountId,
        most: group.most,
      })),
    ),
  });
}

/** Null: no limit. */
function limitOf({ toMs }: WantedRange): number | null {
  return Number.isFinite(toMs) ? toMs : null;
}

/** Lists up to `most` groups of waiting batches after a group. */
export function listWaiting(
  tx: Tx,
  most: number,
  [lane, prefix, accountId]: readonly [lane: number, prefix: string, accountId: string],
): Promise<sql.WaitingGroup[]> {
  return tx.run(sql.listWaiting, { most, lane, prefix, accountId });
}

/** Reads the messages of batches that a session has just taken, without those before the intent it took over. */
export async function withMessages(db: Statements, rows: readonly sql.BatchRow[]): Promise<HeldBatch[]> {
  const messagesOf = await readAll(db, rows);
  return rows.map((row) => {
    const all = messagesOf(row);
    const isWhole = row.intent === row.size;
    return heldBatchOf(row, isWhole ? all : all.filter((message) => message.position > row.intent));
  });
}

function heldBatchOf(row: sql.BatchRow, messages: QueuedMessage[]): HeldBatch {
  const { id, lane, prefix, intent, canceled } = row;
  return {
    id,
    lane,
    prefix,
    accountId: row.account_id,
    expiresAt: row.expires_at,
    intent,
    canceled,
    waitedMs: row.waited_ms,
    messages,
  };
}

/** Reads all messages of batches: packed in the batch, or in rows of their own. */
async function readAll(
  db: Statements,
  rows: readonly sql.BatchRow[],
): Promise<(row: sql.BatchRow) => QueuedMessage[]> {
  const loose = rows.filter((row) => !isPacked(row)).map((row) => row.id);
  const queued = loose.length === 0 ? [] : await db.run(sql.listQueued, [loose]);
  const queuedOf = Map.groupBy(queued, (row) => row.batchId);
  return (row) => (isPacked(row) ? unpack(row) : (queuedOf.get(row.id) ?? []).map(queuedMessageOf));
}

function isPacked(row: sql.BatchRow): row is sql.BatchRow & PackedBatch {
  return row.messages !== null;
}

/** Returns a message with a row of its own. The counting mode of its send is read when it is settled. */
export function queuedMessageOf(row: sql.QueuedRow): QueuedMessage {
  return { ...row, packed: false, counting: COUNTING.counted, kind: null };
}

/** The part of a batch that a session gives back: unwritten messages. `open`: how many messages are not final. */
export type GivenBack = { id: string; open: number; unwritten: readonly QueuedMessage[] };

/** Gives back the unwritten messages of batches. The session keeps those that were written. */
export async function giveBack(tx: Tx, sessionId: string, batches: readonly GivenBack[]): Promise<void> {
  const whole = batches.filter(({ open, unwritten }) => unwritten.length === open);
  const split = batches.filter(({ open, unwritten }) => unwritten.length < open);
  await Promise.all([
    whole.length > 0 && tx.run(sql.returnBatches, [sessionId, whole.map(({ id }) => id)]),
    split.length > 0 &&
      tx.run(sql.splitBatches, {
        sessionId,
        batches: split.map(({ id, unwritten }) => ({
          id,
          // One millisecond earlier: the new batch takes the place of the old one in the order.
          newId: newId(timeOf(id) - 1),
          newSegments: unwritten.reduce((sum, { segments }) => sum + segments, 0),
          held: creditsOf(unwritten.filter((message) => message.packed)),
        })),
      }),
  ]);
}

/** Gives back a batch that was created for a session, if nothing of it was written and the session still exists. */
export async function returnLeased(db: Statements, sessionId: string, id: string): Promise<void> {
  await db.run(sql.returnLeased, [sessionId, id]);
}

/** The last committed cycle of a session, and the term of its leases from now on. */
export type Decision = { cycle: number; term: number };

/**
 * Decides which cycles of a session, up to `cycle`, were committed. Waits for the session's transactions, and ensures
 * that a later one can neither be committed as one of these cycles nor create a batch for the session. `cycle` is then
 * the one before the next. Undefined: the session is over, or the database has forgotten its committed cycle `last`.
 */
export async function decideCycles(
  tx: Tx,
  sessionId: string,
  cycle: number,
  last: number,
): Promise<Decision | undefined> {
  const [session] = await tx.run(sql.decideCycles, { sessionId, cycle, last });
  return session;
}

/** Returns the canceled ones among these batches of a session. */
export async function canceledAmong(tx: Tx, sessionId: string, ids: readonly string[]): Promise<string[]> {
  return (await tx.run(sql.listCanceled, [sessionId, ids])).map((row) => row.id);
}

/** Returns the batches that a session has in addition to those it knows. */
export async function unknownBatchesOf(
  tx: Tx,
  session: { operatorId: string; sessionId: string },
  known: readonly string[],
): Promise<HeldBatch[]> {
  return withMessages(tx, await tx.run(sql.listHeldBatches, [session.operatorId, session.sessionId, known]));
}

/**
 * Begins a session: ends the earlier ones of its operator, and waits for their commits. Returns false if another
 * session owns the bind.
 */
export async function beginSession(tx: Tx, operatorId: string, sessionId: string): Promise<boolean> {
  if ((await tx.run(sql.lockBind, [operatorId, sessionId])).length === 0) return false;
  await tx.run(sql.deleteOtherSessions, [operatorId]);
  await tx.run(sql.insertSession, [sessionId, operatorId]);
  return true;
}

/** A batch of an earlier session, and the messages of it that the session may have written. */
export type LeftBatch = { id: string; lane: number; possiblyWritten: QueuedMessage[] };

/** Locks the batches that earlier sessions of an operator left behind. */
export async function lockLeftBatches(tx: Tx, operatorId: string): Promise<LeftBatch[]> {
  const rows = await tx.run(sql.listLeftBatches, [operatorId]);
  const messagesOf = await readAll(tx, rows);
  const left = rows.map((row) => {
    const { id, lane, intent } = row;
    return { id, lane, possiblyWritten: messagesOf(row).filter((message) => message.position <= intent) };
  });
  const gone = await goneAmong(
    tx,
    left.flatMap(({ possiblyWritten }) => possiblyWritten.filter((message) => message.packed)),
  );
  return left.map((batch) => ({
    ...batch,
    possiblyWritten: batch.possiblyWritten.filter((message) => !message.packed || !gone.has(keyOf(message))),
  }));
}

/** Returns the packed messages that have left their batch, as `keyOf`: they are final, or have rows of their own. */
export async function goneAmong(db: Statements, messages: readonly QueuedMessage[]): Promise<Set<string>> {
  if (messages.length === 0) return new Set();
  const rows = await db.run(sql.listGone, { messages });
  return new Set(rows.map((row) => keyOf({ sendId: row.send_id, number: row.number })));
}

export function keyOf({ sendId, number }: Pick<QueuedMessage, "sendId" | "number">): string {
  return `${sendId} ${number}`;
}

/** Frees batches that an earlier session left behind, after their possibly written messages were moved. */
export async function freeBatches(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.run(sql.freeBatches, [ids]);
}

/** Defers messages of unknown fate, so that the receipts of a new bind arrive before they are sent again. */
export async function deferUnknown(tx: Tx, operatorId: string, quarantineMs: number): Promise<void> {
  await tx.run(sql.deferUnknown, [operatorId, quarantineMs]);
}

/**
 * Locks up to `most` expired batches that no session has, except some, and returns them with their remaining messages.
 */
export async function lockExpired(tx: Tx, most: number, except: readonly string[]): Promise<HeldBatch[]> {
  return readWaiting(tx, await tx.run(sql.listExpired, [most, except]));
}

/** Reads the remaining messages of batches that no session has. */
export async function readWaiting(db: Statements, rows: readonly sql.BatchRow[]): Promise<HeldBatch[]> {
  const messagesOf = await readAll(db, rows);
  return rows.map((row) =>
    heldBatchOf(
      row,
      messagesOf(row).filter((message) => !message.packed || message.position > row.intent),
    ),
  );
}

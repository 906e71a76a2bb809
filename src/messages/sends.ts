// Sends as a whole: put into the queue at once or step by step, and canceled.

import { settleCredits } from "../credits/credits.ts";
import type { Tx } from "../kernel/database.ts";
import { newId } from "../kernel/ids.ts";
import type { Encoding } from "../sms/sms.ts";
import { emitEvents } from "../webhooks/webhooks.ts";
import * as sql from "./sends.sql.ts";
import { LANE, type Lane, settleOutcomes } from "./turn.ts";
import { endOf, textOfAbout, type Watch } from "./watch.ts";

/** One recipient of a send: `prefix` is the routing prefix of its phone, `price` in credits. */
export type Recipient = {
  phone: string;
  prefix: string;
  body: string;
  encoding: Encoding;
  segments: number;
  price: number;
};

/** A text to one or many people, paid by one pool; its id is the id of its hold and of its messages. */
export type Send = {
  id: string;
  accountId: string;
  poolId: string;
  lane: Lane;
  sender: string;
  expiresAt: Date;
  recipients: readonly Recipient[];
  /** How many people it is to in all; absent where an earlier step has said so. */
  total?: number;
  /** The number of its first recipient here: 1, or where the step before ended. */
  firstNumber?: number;
  /** Who is told what becomes of it; said where `total` is. */
  watch?: Watch;
};

// A batch is written and read whole: large enough that its cost per message vanishes, small enough to hold in memory.
const BATCH_AT_MOST = 500;

let lastReference = 0;

type Queued = { send: Send; recipient: Recipient; number: number; position: number };
type NewBatch = {
  id: string;
  lane: Lane;
  prefix: string;
  accountId: string;
  expiresAt: Date;
  queued: Queued[];
};

/**
 * Puts sends into the queue, inside the transaction that holds their price. Single sends that come together share a
 * batch; a large send is cut into batches of its own. Tell the gateways after the commit by `announceSends`.
 */
export async function enqueueSends(tx: Tx, sends: readonly Send[]): Promise<void> {
  const batches = batchesOf(sends);
  const rows = batches.flatMap((batch) => batch.queued.map((queued) => ({ batch, ...queued })));
  const counted = sends.filter((send) => send.total !== undefined);
  await tx.run(sql.insertQueued, [
    batches.map((batch) => batch.id),
    batches.map((batch) => batch.lane),
    batches.map((batch) => batch.prefix),
    batches.map((batch) => batch.accountId),
    batches.map((batch) => batch.queued.reduce((sum, { recipient }) => sum + recipient.segments, 0)),
    batches.map((batch) => batch.queued.length),
    batches.map((batch) => batch.expiresAt),
    counted.map((send) => send.id),
    counted.map((send) => send.total),
    rows.map((row) => row.batch.id),
    rows.map((row) => row.position),
    rows.map((row) => row.send.accountId),
    rows.map((row) => row.send.id),
    rows.map((row) => row.number),
    rows.map((row) => row.send.poolId),
    rows.map((row) => row.recipient.phone),
    rows.map((row) => row.send.sender),
    rows.map((row) => row.recipient.body),
    rows.map((row) => row.recipient.segments),
    rows.map((row) => row.recipient.price),
    rows.map(nextReference),
    counted.map(({ watch }) => watch?.endpointId ?? null),
    counted.map(({ watch }) => (watch ? textOfAbout(watch) : null)),
  ]);
}

function batchesOf(sends: readonly Send[]): NewBatch[] {
  const all: NewBatch[] = [];
  const open = new Map<string, NewBatch>();
  for (const send of sends) {
    // Single sends of all accounts go in order of arrival; accounts with bulk take turns. A one-time password is alone, so
    // that it can be withdrawn alone, and expires alone.
    const bulk = send.lane === LANE.bulk;
    const alone = send.lane !== LANE.single;
    for (const [i, recipient] of send.recipients.entries()) {
      const key = `${send.lane} ${recipient.prefix} ${alone ? send.id : ""}`;
      let batch = open.get(key);
      if (!batch || batch.queued.length === BATCH_AT_MOST) {
        const { lane, expiresAt } = send;
        batch = {
          id: newId(),
          lane,
          prefix: recipient.prefix,
          accountId: bulk ? send.accountId : "",
          expiresAt,
          queued: [],
        };
        open.set(key, batch);
        all.push(batch);
      }
      if (send.expiresAt > batch.expiresAt) batch.expiresAt = send.expiresAt;
      batch.queued.push({
        send,
        recipient,
        number: (send.firstNumber ?? 1) + i,
        position: batch.queued.length + 1,
      });
    }
  }
  return all;
}

/** Neighbours in time differ, so that a handset never joins segments of two messages, nor a receipt proves the wrong one. */
function nextReference(): number {
  lastReference = (lastReference + 1) & 0xffff;
  return lastReference;
}

/** A send of which a part is held but not queued yet: `remaining` credits, from `cursor` on. */
export type UnqueuedSend = {
  id: string;
  accountId: string;
  campaignId: string;
  poolId: string;
  remaining: number;
  nextNumber: number;
  cursor: string;
};

/** Leaves the rest of a send for later steps, inside the transaction that holds its price. */
export async function leaveUnqueued(tx: Tx, send: UnqueuedSend): Promise<void> {
  const { id, accountId, campaignId, poolId, remaining, nextNumber, cursor } = send;
  await tx.run(sql.insertUnqueued, [id, accountId, campaignId, poolId, remaining, nextNumber, cursor]);
}

/** The send whose next step has waited longest, for this transaction alone. */
export async function lockUnqueued(tx: Tx): Promise<UnqueuedSend | undefined> {
  const [row] = await tx.run(sql.lockUnqueued);
  return row;
}

/** One step further: `price` of the remaining credits went into the queue. More people than were counted may share them. */
export async function advanceUnqueued(
  tx: Tx,
  id: string,
  step: { price: number; nextNumber: number; cursor: string },
): Promise<void> {
  await tx.run(sql.updateUnqueued, [id, step.price, step.nextNumber, step.cursor]);
  await tx.run(sql.raiseTotal, [id, step.nextNumber - 1]);
}

/**
 * The last step is done: what nobody needed goes back, and the send is to as many people as were found; all of them may
 * have been sent to by now. Who watches it hears so by the deliverer's next look.
 */
export async function finishUnqueued(tx: Tx, send: UnqueuedSend): Promise<void> {
  await tx.run(sql.deleteUnqueued, [send.id]);
  const totals = await tx.run(sql.updateTotal, [send.id, send.nextNumber - 1]);
  await emitEvents(tx, totals.flatMap(endOf));
  if (send.remaining === 0) return;
  await settleCredits(tx, [{ holdId: send.id, poolId: send.poolId, captured: 0, released: send.remaining }]);
}

/**
 * Cancels what is not with the operator yet: what is not queued is released at once, batches are marked and their
 * credits come back as they are settled, those of a gateway with its next turn. Returns whether there was anything.
 */
export async function cancelSend(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const [unqueued] = await tx.run(sql.lockUnqueuedOf, [id]);
  const marked = await markBatches(tx, id);
  const singles = await tx.run(sql.listFreeSingles, [accountId, id]);
  await settleOutcomes(
    tx,
    null,
    singles.map((row) => ({
      batchId: row.batch_id,
      position: row.position,
      status: "CANCELED",
      operatorMessageId: null,
      error: null,
    })),
  );
  // Batches before totals, as in a turn of the gateway: in the other order the two deadlock.
  if (unqueued) await finishUnqueued(tx, unqueued);
  return unqueued !== undefined || marked || singles.length > 0;
}

/** Each look finds what gateways made of the batches of the look before; more of them than this is no coincidence. */
const LOOKS_AT_MOST = 100;

/**
 * Marks the batches of a send; returns whether there was any. A gateway that cuts or moves a batch holds its row, so
 * that we wait for it; what it made of the batch is seen by the next look only. It is over when a look finds nothing:
 * whoever would make something now waits for us, and copies the mark.
 */
async function markBatches(tx: Tx, id: string): Promise<boolean> {
  for (let looks = 0, marked = 0; looks < LOOKS_AT_MOST; looks++) {
    const open = await tx.run(sql.listBatchesToCancel, [id]);
    if (open.length === 0) return marked > 0;
    marked += (await tx.run(sql.markBatchesCanceled, [open.map((batch) => batch.batch_id)])).length;
  }
  throw new Error("the batches of a send do not come to rest");
}

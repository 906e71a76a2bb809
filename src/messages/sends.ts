// Whole sends: they are put into the queue, at once or step by step, and canceled.

import { settleCredits } from "../credits/credits.ts";
import type { Tx } from "../kernel/database.ts";
import { newId } from "../kernel/ids.ts";
import type { Encoding } from "../sms/sms.ts";
import { emitEvents } from "../webhooks/webhooks.ts";
import * as sql from "./sends.sql.ts";
import { LANE, type Lane, settleOutcomes } from "./turn.ts";
import { endOf, textOfAbout, type Watch } from "./watch.ts";

/** One recipient of a send. `prefix` is the routing prefix of its phone; `price` is in credits. */
export type Recipient = {
  phone: string;
  prefix: string;
  body: string;
  encoding: Encoding;
  segments: number;
  price: number;
};

/** A text to one or many people, paid by one pool. Its id is also the id of its hold and of its messages. */
export type Send = {
  id: string;
  accountId: string;
  poolId: string;
  lane: Lane;
  sender: string;
  expiresAt: Date;
  recipients: readonly Recipient[];
  /** The number of people of the whole send; absent where an earlier step has said it. */
  total?: number;
  /** The number of the first recipient here: 1 by default, or the next one after an earlier step. */
  firstNumber?: number;
  /** The endpoint that hears what becomes of the send; given together with `total`. */
  watch?: Watch;
};

// A batch is written and read whole. This size makes its cost per message negligible and fits in memory.
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
    // Single sends of all accounts go in order of arrival. Accounts with bulk take turns. A one-time password has a
    // batch of its own, so that it can be withdrawn and can expire alone.
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

/**
 * Gives messages that are near in time different references. So a handset never joins segments of two messages, and a
 * receipt never proves the wrong one.
 */
function nextReference(): number {
  lastReference = (lastReference + 1) & 0xffff;
  return lastReference;
}

/** A send of which a part is held but not queued yet: `remaining` credits, for the contacts from `cursor` on. */
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

/** Locks the send whose next step has waited longest. Undefined if there is none. */
export async function lockUnqueued(tx: Tx): Promise<UnqueuedSend | undefined> {
  const [row] = await tx.run(sql.lockUnqueued);
  return row;
}

/**
 * Records one step, which queued messages for `price` of the remaining credits. The total rises if more people were
 * found than were counted.
 */
export async function advanceUnqueued(
  tx: Tx,
  id: string,
  step: { price: number; nextNumber: number; cursor: string },
): Promise<void> {
  await tx.run(sql.updateUnqueued, [id, step.price, step.nextNumber, step.cursor]);
  await tx.run(sql.raiseTotal, [id, step.nextNumber - 1]);
}

/**
 * Ends a send after its last step. The remaining credits go back, and the total becomes the number of people found. All
 * of them may be tried by now; then this emits the event of its end, which the deliverer finds at its next look.
 */
export async function finishUnqueued(tx: Tx, send: UnqueuedSend): Promise<void> {
  await tx.run(sql.deleteUnqueued, [send.id]);
  const totals = await tx.run(sql.updateTotal, [send.id, send.nextNumber - 1]);
  await emitEvents(tx, totals.flatMap(endOf));
  if (send.remaining === 0) return;
  await settleCredits(tx, [{ holdId: send.id, poolId: send.poolId, captured: 0, released: send.remaining }]);
}

/**
 * Cancels what the operator does not have yet. The part that is not queued is released at once. Batches are marked, and
 * their credits come back as they are settled; a gateway settles its batches in its next turn. Returns whether there
 * was anything to cancel.
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
  // A turn of the gateway locks batches before totals. In the other order the two deadlock.
  if (unqueued) await finishUnqueued(tx, unqueued);
  return unqueued !== undefined || marked || singles.length > 0;
}

/** Each look finds what gateways made of the batches of the look before. So many looks mean a fault. */
const LOOKS_AT_MOST = 100;

/**
 * Marks the batches of a send as canceled; returns whether there was any. A gateway that cuts or moves a batch holds
 * its row, so this waits for the gateway. Only the next look sees the batches that the gateway made. It is over when a
 * look finds nothing: a gateway that would make a batch now waits for this, and copies the mark.
 */
async function markBatches(tx: Tx, id: string): Promise<boolean> {
  for (let looks = 0, marked = 0; looks < LOOKS_AT_MOST; looks++) {
    const open = await tx.run(sql.listBatchesToCancel, [id]);
    if (open.length === 0) return marked > 0;
    marked += (await tx.run(sql.markBatchesCanceled, [open.map((batch) => batch.batch_id)])).length;
  }
  throw new Error("the batches of a send do not come to rest");
}

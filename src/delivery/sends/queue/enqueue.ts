// Queues sends: divides each into batches, which carry its messages.

import type { Tx } from "../../../platform/database/transaction.ts";
import { newId } from "../../../platform/ids.ts";
import type { Runtime } from "../../../platform/runtime.ts";
import type { Encoding } from "../../../protocol/sms/encoding.ts";
import { announceSends } from "./announce.ts";
import * as sql from "./enqueue.sql.ts";
import { type Lease, leaseFor } from "./lease.ts";
import {
  asQueued,
  COUNTING,
  type CountingMode,
  creditsOf,
  type Kind,
  type NewMessage,
  pack,
} from "./packed.ts";
import { type Subscription, textOfAbout } from "./subscription.ts";

/** The lanes (priorities) of the queue. A lower one always goes first. */
export const LANE = { otp: 0, single: 1, bulk: 2 } as const;
type Lane = (typeof LANE)[keyof typeof LANE];

/** One recipient of a send. `prefix` is the routing prefix of its phone; `price` is in credits. */
export type Recipient = {
  phone: string;
  prefix: string;
  body: string;
  encoding: Encoding;
  segments: number;
  price: number;
};

/** A text to one or many people, paid by one pool. Its id is also that of its messages and, by default, of its hold. */
export type Send = {
  id: string;
  accountId: string;
  poolId: string;
  lane: Lane;
  /** The purpose; absent if no company sends it. */
  kind?: Kind;
  sender: string;
  expiresAt: Date;
  recipients: readonly Recipient[];
  /** The hold that pays, if it is not the send's own. */
  holdId?: string;
  /** True if the record of its only message is enough: the send gets no row, and no webhook may subscribe to it. */
  alone?: boolean;
  /** The number of people of the whole send; absent if an earlier step has stored it. */
  total?: number;
  /** The number of the first recipient here: 1 by default, or the next one after an earlier step. */
  firstNumber?: number;
  /** True if its messages wait until `releaseSends`. Only bulk can. */
  isKept?: boolean;
  /** The webhook subscription of the send; given together with `total`. */
  subscription?: Subscription;
  /** Whether an earlier step has stored a webhook subscription. */
  isSubscribed?: boolean;
};

// A batch is written and read whole. This size makes its cost per message negligible and fits in memory.
const BATCH_AT_MOST = 500;

let lastReference = 0;

/** A batch that is being filled. */
type NewBatch = {
  id: string;
  lane: Lane;
  prefix: string;
  accountId: string;
  expiresAt: Date;
  /** The send that it belongs to; null if sends to one phone share it. */
  sendId: string | null;
  segments: number;
  messages: NewMessage[];
  isKept: boolean;
  /** Whether it was created for the session of its lease. */
  isLeased: boolean;
};

/**
 * Queues sends, inside the transaction that holds their price. Single sends accepted together share a batch; a large
 * send is divided into batches of its own. Batches before bulk are leased to a link of this process that has room, and
 * written as soon as the transaction is committed. Gateways are notified of the others then.
 */
export async function enqueueSends(app: Runtime, tx: Tx, sends: readonly Send[]): Promise<void> {
  const batches = batchesOf(sends);
  const counted = sends.filter((send) => send.total !== undefined && !send.alone);
  const leases = batches.map((batch) => (batch.lane === LANE.bulk ? undefined : leaseOf(app, tx, batch)));
  const [leased] = await Promise.all([
    tx.run(sql.insertBatches, {
      ids: batches.map((batch) => batch.id),
      lanes: batches.map((batch) => batch.lane),
      prefixes: batches.map((batch) => batch.prefix),
      accountIds: batches.map((batch) => batch.accountId),
      segments: batches.map((batch) => batch.segments),
      sizes: batches.map((batch) => batch.messages.length),
      sessionIds: leases.map((lease) => lease?.sessionId ?? null),
      terms: leases.map((lease) => lease?.term ?? null),
      expiresAt: batches.map((batch) => batch.expiresAt),
      sendIds: batches.map((batch) => batch.sendId),
      firstNumbers: batches.map((batch) => numberAt(batch, 0)),
      lastNumbers: batches.map((batch) => numberAt(batch, -1)),
      held: batches.map((batch) => creditsOf(batch.messages)),
      messages: batches.map((batch) => pack(batch.messages)),
      areKept: batches.map((batch) => batch.isKept),
    }),
    counted.length > 0 &&
      tx.run(sql.insertSends, {
        ids: counted.map((send) => send.id),
        accountIds: counted.map((send) => send.accountId),
        totals: counted.map((send) => send.total),
        endpointIds: counted.map(({ subscription }) => subscription?.endpointId ?? null),
        listenerIds: counted.map(({ subscription }) => subscription?.listenerId ?? null),
        abouts: counted.map(({ subscription }) => (subscription ? textOfAbout(subscription) : null)),
      }),
  ]);
  for (const { id } of leased) {
    const batch = batches.find((one) => one.id === id);
    if (batch) batch.isLeased = true;
  }
  // Leases are registered first, so their batches are with their links when this is called.
  if (leased.length < batches.length) tx.onEnd((fate) => fate !== "undone" && announceSends(app));
}

/** Returns the number of a message of a batch that belongs to one send, from the beginning or (below 0) the end. */
function numberAt({ sendId, messages }: NewBatch, index: number): number | null {
  return sendId === null ? null : (messages.at(index)?.number ?? null);
}

/** Releases messages held for review, inside the transaction that records it. Announce them after the commit. */
export async function releaseSends(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.run(sql.releaseKept, [ids]);
}

/** Leases slots for a batch. After the transaction, the batch uses them or gives them up. */
function leaseOf(app: Runtime, tx: Tx, batch: NewBatch): Lease | undefined {
  const { id, lane, prefix, expiresAt } = batch;
  const lease = leaseFor(app, { batchId: id, lane, prefix, slots: batch.segments });
  if (!lease) return undefined;
  tx.onEnd((fate) => {
    if (fate === "unknown") lease.leaveInDoubt();
    else if (fate === "committed" && batch.isLeased)
      lease.receive({ id, lane, prefix, expiresAt, messages: asQueued(id, batch.messages) });
    else lease.giveUp();
  });
  return lease;
}

function batchesOf(sends: readonly Send[]): NewBatch[] {
  const all: NewBatch[] = [];
  const open = new Map<string, NewBatch>();
  for (const send of sends) {
    for (const [i, recipient] of send.recipients.entries()) {
      const key = `${send.lane} ${recipient.prefix} ${send.lane === LANE.single ? "" : send.id}`;
      let batch = open.get(key);
      if (!batch || batch.messages.length === BATCH_AT_MOST) {
        batch = newBatch(send, recipient.prefix);
        open.set(key, batch);
        all.push(batch);
      }
      if (send.expiresAt > batch.expiresAt) batch.expiresAt = send.expiresAt;
      if (batch.sendId === null && send.id < batch.id) batch.id = send.id;
      batch.segments += recipient.segments;
      batch.messages.push(messageOf(send, recipient, (send.firstNumber ?? 1) + i));
    }
  }
  return all;
}

/**
 * Single sends of all accounts go in order of arrival, in shared batches. Accounts with bulk take turns. A one-time
 * password has a batch of its own, so that it can be withdrawn and can expire alone.
 */
function newBatch(send: Send, prefix: string): NewBatch {
  const isShared = send.lane === LANE.single;
  return {
    id: isShared ? send.id : newId(),
    lane: send.lane,
    prefix,
    accountId: send.lane === LANE.bulk ? send.accountId : "",
    expiresAt: send.expiresAt,
    sendId: isShared ? null : send.id,
    segments: 0,
    messages: [],
    isKept: send.isKept === true,
    isLeased: false,
  };
}

function messageOf(send: Send, recipient: Recipient, number: number): NewMessage {
  return {
    accountId: send.accountId,
    sendId: send.id,
    counting: countingOf(send),
    kind: send.kind ?? null,
    number,
    poolId: send.poolId,
    holdId: send.holdId ?? send.id,
    phone: recipient.phone,
    sender: send.sender,
    body: recipient.body,
    segments: recipient.segments,
    price: recipient.price,
    reference: nextReference(),
  };
}

function countingOf(send: Send): CountingMode {
  if (send.subscription || send.isSubscribed) return COUNTING.subscribed;
  return send.alone ? COUNTING.alone : COUNTING.counted;
}

/**
 * Gives messages close in time different references. So a handset never joins segments of two messages, and a receipt
 * never proves the wrong one.
 */
function nextReference(): number {
  lastReference = (lastReference + 1) & 0xffff;
  return lastReference;
}

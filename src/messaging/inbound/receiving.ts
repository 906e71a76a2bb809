// The intake of incoming messages: each is routed, stored and acted upon in one transaction.
import type { HandsetMessage } from "../../delivery/gateway/handsets.ts";
import { isServed } from "../../delivery/operators/ported.ts";
import { announceEvents, emitToAccounts } from "../../events/webhooks/webhooks.ts";
import { mayNameSender, readRequest } from "../../phonebook/optouts/words.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { newId, timeOf } from "../../platform/ids.ts";
import { batcher } from "../../platform/jobs/batcher.ts";
import { Rates } from "../../platform/limits/rates.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { findNumberAt } from "./numbers.ts";
import * as parts from "./parts.sql.ts";
import { type Come, joinParts, takeWhole, type Whole } from "./parts.ts";
import { type Heard, isPhone, readDelivered, textOf } from "./reading.ts";
import { NOBODY, type Routed, routeMessages } from "./routing.ts";
import type { InboundNumber } from "./shapes.ts";
import * as sql from "./sql.ts";

/**
 * Messages to our numbers share transactions: 7,000/s over one session, 2,500/s of STOP and 800/s of segments (2 busy
 * cores, 2026-11-24).
 */
const TOGETHER = 200;
/**
 * Messages to names, and STOP and START to a number without a company, need a look-up of the last sender to the
 * handset, one at a time in each process: it takes 15 to 40 ms at 20 million messages (see
 * migrations/0009_optouts.sql), and many replies to a campaign must not take the connections that send. Beyond this
 * number, the operator has to deliver again later.
 */
const LOOKED_UP_AT_MOST = 500;

/** A deliver_sm before it is known whether its operator serves the handset. `isWish`: it may be a STOP or START. */
type Arrived = { heard: Heard; number: InboundNumber | undefined; isFlood: boolean; isWish: boolean };

const toNumbers = perRuntime((app) =>
  batcher<Arrived, undefined>({
    max: TOGETHER,
    async run(arrived) {
      await keepAll(app, arrived);
      return arrived.map(() => undefined);
    },
  }),
);

const lookedUp = perRuntime((app) => {
  const keep = batcher<Arrived, undefined>({
    max: 1,
    async run(arrived) {
      await keepAll(app, arrived);
      return [undefined];
    },
  });
  return { keep, waiting: 0 };
});

const handsets = perRuntime(
  ({ config: { limits } }) =>
    new Rates({ perSecond: limits.inboundPerHandset / 60, burst: limits.inboundPerHandset }),
);

/** Takes a message that no customer gets; returns whether it did. `text` is that of a message of one segment. */
export type Intercept = (heard: Heard, text: string) => Promise<boolean>;

/**
 * Stores an incoming message, unless `intercept` takes it. Resolves after the commit; only then is the operator's
 * deliver_sm acknowledged. A repeat within the operator's window (`repeatWindowS`), or within 2 minutes after its session
 * ended, is stored once, and so is a segment of a long message within 10 minutes. If the carrier gives ids, the same id
 * within a week is a repeat, and another id is another message. Rejects if the database is not available, or if too many
 * messages wait for the look-up; the operator then delivers it again.
 */
export async function receiveMessage(
  app: Runtime,
  message: HandsetMessage,
  intercept?: Intercept,
): Promise<void> {
  const heard = readDelivered(message);
  const text = heard.place === null ? textOf(heard.encoding, heard.octets) : undefined;
  if (text !== undefined && (await intercept?.(heard, text))) return;
  const number = await findNumberAt(app, heard);
  const isWish = text !== undefined && mayBeWish(text);
  const arrived = { heard, number, isFlood: handsets(app).take(heard.phone) > 0, isWish };
  const isLookedUp = !number || (number.companyId === null && isWish);
  if (isLookedUp) await receiveLookedUp(app, arrived);
  else await toNumbers(app)(arrived);
}

/** Whether a text is a STOP or START, or would be if one of its words is the name of a sender. */
function mayBeWish(text: string): boolean {
  return readRequest(text) !== null || mayNameSender(text);
}

async function receiveLookedUp(app: Runtime, arrived: Arrived): Promise<void> {
  const lane = lookedUp(app);
  if (lane.waiting >= LOOKED_UP_AT_MOST) throw new Error("too many messages wait to be looked up");
  lane.waiting++;
  try {
    await lane.keep(arrived);
  } finally {
    lane.waiting--;
  }
}

/**
 * Whether the operator that delivers a message may act for its handset: it serves the handset, or the number is one of
 * ours at this operator. Not checked if nothing depends on it.
 */
async function speaksFor(app: Runtime, { heard, number, isWish }: Arrived): Promise<boolean> {
  if (number?.operatorId) return true;
  const { operatorIds, phone } = heard;
  if (!isPhone(phone)) return false;
  const isAsked = !number || heard.place !== null || isWish;
  return isAsked && isServed(app.database, operatorIds, phone);
}

/** Stores incoming messages, and notifies the webhooks of companies. */
async function keepAll(app: Runtime, arrived: readonly Arrived[]): Promise<void> {
  const come: Come[] = [];
  for (const one of arrived) {
    const { heard, number, isFlood, isWish } = one;
    const address = number?.number ?? heard.address;
    come.push({
      ...heard,
      address,
      numberId: number?.id ?? null,
      isServed: await speaksFor(app, one),
      isFlood,
      isWish,
      isRepeat: false,
    });
  }
  const told = await app.database.transaction(async (tx) => {
    const fresh = await listUnrepeated(app, tx, come);
    return keepWhole(app, tx, await joinParts(tx, fresh));
  });
  if (told) announceEvents(app);
}

/**
 * Returns the messages that are not recent repeats. A repeated STOP or START without an id may have been written again,
 * since the opposite one may have come in between: it is carried out again without being stored.
 */
async function listUnrepeated(app: Runtime, tx: Tx, come: readonly Come[]): Promise<Come[]> {
  const { inboundRepeatMs, inboundPartsMs, inboundIdMs } = app.config.settings;
  const lifetimeOf = ({ hasId, place, repeatMs }: Come) =>
    hasId ? inboundIdMs : place ? inboundPartsMs : repeatMs;
  const byDigest = Map.groupBy(come, (one) =>
    app.secrets.digest("inbound", [one.phone, one.address, one.content].join("\0")),
  );
  const marks = [...byDigest].flatMap(([digest, [first]]) =>
    first ? { digest, lifetimeMs: lifetimeOf(first), sessionId: first.sessionId } : [],
  );
  const marked = await tx.run(sql.upsertMarks, { marks, repeatMs: inboundRepeatMs });
  const fresh = new Set(
    marked.filter(({ repeats }) => repeats === 0).map(({ digest }) => byDigest.get(digest)?.[0]),
  );
  return come
    .map((one) => ({ ...one, isRepeat: mayRepeat(one) && !fresh.has(one) }))
    .filter(({ isRepeat, isWish, hasId }) => !isRepeat || (isWish && !hasId));
}

/** Whether the same message again can be a repeat: with a window of 0 only a segment or a message with an id can. */
function mayRepeat({ hasId, place, repeatMs }: Come): boolean {
  return hasId || place !== null || repeatMs > 0;
}

/** Stores complete messages. Returns whether there may be events to announce after the commit. */
async function keepWhole(app: Runtime, tx: Tx, whole: readonly Whole[]): Promise<boolean> {
  // One order for all processes, so that they do not deadlock on opt-outs.
  const placeOf = ({ numberId, phone }: Whole) => `${numberId} ${phone}`;
  const ordered = whole.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  const routed = await routeMessages(app, tx, ordered);
  if (routed.length === 0) return false;
  const kept = routed.filter(({ isRepeat }) => !isRepeat).map((message) => ({ id: newId(), ...message }));
  if (kept.length > 0) await tx.run(sql.insertMessages, { messages: kept });
  const told = kept.filter(({ companyId, isFlood }) => companyId !== NOBODY && !isFlood);
  const queued = await emitToAccounts(tx, told.map(eventOf));
  // A STOP also queues an event of the opt-out.
  return queued > 0 || routed.some(({ keyword }) => keyword !== null);
}

type Kept = Routed & { id: string };

/** An event is 64 KiB at most, and a text in message_payload alone may be that long. */
const TOLD_AT_MOST = 10_000;

function eventOf(message: Kept) {
  const { id, phone, address, text, companyId, keyword, campaignId } = message;
  const data = {
    ...{
      messageId: id,
      from: phone,
      to: address,
      text: text.slice(0, TOLD_AT_MOST).toWellFormed(),
      keyword,
      campaignId,
    },
    receivedAt: new Date(timeOf(id)).toISOString(),
  };
  return { accountId: companyId, type: "message.received", data } as const;
}

const STALE_AT_ONCE = 1_000;

/**
 * Stores incomplete messages that have waited longer than 10 minutes for a segment, and the oldest if too many wait. A
 * job runs it. Several processes may run this at the same time.
 */
export async function keepIncomplete(app: Runtime, signal?: AbortSignal): Promise<void> {
  const { inboundPartsMs } = app.config.settings;
  for (let more = true; more && !signal?.aborted; ) {
    const wanted = [inboundPartsMs, app.config.limits.inboundParts, STALE_AT_ONCE];
    const groups = await app.database.run(parts.listStale, wanted);
    for (const group of groups) {
      if (signal?.aborted) return;
      const told = await app.database.transaction(async (tx) => {
        await tx.run(parts.lockHandset, [group.phone]);
        const whole = await takeWhole(tx, group);
        return whole !== undefined && keepWhole(app, tx, [whole]);
      });
      if (told) announceEvents(app);
    }
    more = groups.length > 0;
  }
}

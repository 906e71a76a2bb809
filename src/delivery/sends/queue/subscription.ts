// Subscribed sends: a webhook receives an event for each final message, and one when all of the send were tried.
import type { AboutSend, SendEvent, SubscriberEvent } from "../../../events/webhooks/events.ts";
import type { Tx } from "../../../platform/database/transaction.ts";
import type { Language } from "../../../platform/http/refusals.ts";
import { errorReasonOf } from "../../operators/failures.ts";
import * as sql from "./subscription.sql.ts";

/**
 * The subscription of a send: the webhook endpoint of an application, the webhooks of an account (`listenerId`), or
 * both; and the language in which events explain failures. The data of each event begins with `about`.
 */
export type Subscription = {
  endpointId: string | null;
  listenerId: string | null;
  language: Language;
  about: AboutSend;
  /** The request that sends, if its caller gave it an id. */
  requestId?: string | undefined;
};

const ABOUT_CHARACTERS_AT_MOST = 2_100;

/**
 * Returns the stored text of `about`, with the language. A text that is too long fails here, before anything is sent,
 * and not in a gateway's cycle.
 */
export function textOfAbout({ about, language, requestId }: Subscription): string {
  const text = JSON.stringify({ ...about, language, requestId });
  if (text.length > ABOUT_CHARACTERS_AT_MOST)
    throw new Error(`what events are to say of a send has ${text.length} characters`);
  return text;
}

/** The numbers of messages of one subscribed send that became final in a transaction. */
export type Finals = { accountId: string; numbers: number[] };

/**
 * Returns the events of subscribed sends (by id), to be emitted in the transaction that causes them. `counting` returns
 * their totals, whose rows stay locked.
 */
export async function findEvents(
  tx: Tx,
  sends: ReadonlyMap<string, Finals>,
  counting: Promise<sql.SubscribedTotal[]>,
): Promise<SubscriberEvent[]> {
  const keys = [...sends].flatMap(([sendId, { accountId, numbers }]) =>
    numbers.map((number) => ({ accountId, sendId, number })),
  );
  const [totals, messages, unqueued] = await Promise.all([
    counting,
    keys.length === 0 ? [] : tx.run(sql.listFinalMessages, { keys }),
    // This runs after the totals are locked. A step that queues the last of a send waits for them, or has committed.
    tx.run(sql.listUnqueuedAmong, [[...sends.keys()]]),
  ]);
  const growing = new Set(unqueued.map((send) => send.id));
  const messagesOf = Map.groupBy(messages, (message) => message.send_id);
  return totals.flatMap((total) => {
    const events = (messagesOf.get(total.send_id) ?? []).map((message) => eventOfMessage(total, message));
    if (total.settled && !growing.has(total.send_id)) events.push(...endOf(total));
    return events;
  });
}

/**
 * Returns the end event of a subscribed send that is wholly queued; empty while some messages are not tried, and for a
 * one-time password, which is no campaign.
 */
export function endOf(send: sql.SubscribedTotal): SubscriberEvent[] {
  const { total, sent, failed } = send;
  const { language: _, requestId: __, campaignId, ...rest } = send.about;
  if (sent + failed < total || campaignId === undefined) return [];
  const about = { ...rest, campaignId };
  const counts = { total, sent, failed };
  return sent > 0
    ? [heardOf(send, { type: "campaign.completed", data: { ...about, status: "SENT", ...counts } })]
    : [heardOf(send, { type: "campaign.failed", data: { ...about, status: "FAILED", ...counts } })];
}

function eventOfMessage(send: sql.SubscribedTotal, message: sql.FinalMessage): SubscriberEvent {
  const { language = "fr", requestId: _, ...about } = send.about;
  const { phone, status, error } = message;
  const messageId = `${message.send_id}-${message.number}`;
  if (status === "DELIVERED") {
    const data = { ...about, messageId, phone, status, error, errorReason: null };
    const deliveredAt = message.delivered_at.toISOString();
    return heardOf(send, { type: "message.delivered", data: { ...data, deliveredAt } });
  }
  const errorReason = errorReasonOf({ status, error, isTaken: message.taken }, language);
  return heardOf(send, {
    type: "message.failed",
    data: { ...about, messageId, phone, status, error, errorReason },
  });
}

function heardOf(send: sql.SubscribedTotal, event: SendEvent): SubscriberEvent {
  const { requestId, campaignId } = send.about;
  return {
    endpointId: send.endpoint_id,
    listenerId: send.listener_id,
    // The first send of a request has the request's id, and a campaign keeps it whatever sends it later.
    requestId: requestId ?? campaignId ?? send.send_id,
    ...event,
  };
}

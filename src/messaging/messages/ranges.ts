// Positions of messages in the order of sends and numbers, and the ranges that a list reads.
import { nowMs } from "../../platform/clock.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import { readInstant } from "../../platform/http/timestamps.ts";
import { lowestId } from "../../platform/ids.ts";
import { keyOfMessage, NUMBER_AT_MOST } from "./keys.ts";

const DAY_MS = 86_400_000;
const DAYS_AT_MOST = 92;

export type Period = { from?: string | undefined; to?: string | undefined };

/** The range of send ids: from the first to before the second. */
export type Range = readonly [string, string];

/** Returns the sends of a period, 92 days at most; without `from` it ends at `to` or now. Refuses `invalid-request`. */
export function rangeOf({ from, to }: Period): Range {
  const end = to === undefined ? nowMs() + DAY_MS : readInstant(to, "to").getTime();
  const begin = from === undefined ? end - DAYS_AT_MOST * DAY_MS : readInstant(from, "from").getTime();
  if (begin > end) refuseField("from", { fr: "est postérieur à to", en: "is after to" });
  if (end - begin > (DAYS_AT_MOST + 1) * DAY_MS)
    refuseField("from", {
      fr: `est antérieur à to de plus de ${DAYS_AT_MOST} jours`,
      en: `is more than ${DAYS_AT_MOST} days before to`,
    });
  return [lowestId(Math.max(0, begin)), lowestId(end)];
}

/** A position between messages: it comes after all earlier sends, and after the lower numbers of its own send. */
export type MessagePlace = { sendId: string; number: number };

/** Messages of sends with ids from `from` on, before a position. */
export type Span = { from: string; before: MessagePlace };

export function spanOfRange([from, to]: Range): Span {
  return { from, before: { sendId: to, number: 0 } };
}

export function spanOfSend(sendId: string): Span {
  return { from: sendId, before: { sendId, number: NUMBER_AT_MOST } };
}

/** Returns the position after a message, where a list continues. Refuses `invalid-request` for an invalid id. */
export function placeAfter(afterId: string): MessagePlace {
  return keyOfMessage(afterId) ?? refuseField("afterId", NO_MESSAGE_ID);
}

const NO_MESSAGE_ID = {
  fr: "n’est pas l’identifiant d’un message",
  en: "is not a message id",
};

/** Returns the parts of the spans, given newest first, that come before a position. */
export function spansBefore(spans: readonly Span[], place: MessagePlace): Span[] {
  return spans
    .filter(({ from }) => from <= place.sendId)
    .map((span) => (isBefore(place, span.before) ? { ...span, before: place } : span));
}

export function isBefore(one: MessagePlace, other: MessagePlace): boolean {
  return one.sendId === other.sendId ? one.number < other.number : one.sendId < other.sendId;
}

export function isIn({ from, before }: Span, place: MessagePlace): boolean {
  return place.sendId >= from && isBefore(place, before);
}

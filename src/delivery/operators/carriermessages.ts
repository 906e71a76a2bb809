// The requests of a message to a carrier over HTTP: one with the whole text, or one for each segment.
import type { CarrierMessage, OpenConnector } from "../../protocol/carriers/exchange.ts";
import { decodeGsm7 } from "../../protocol/sms/encoding.ts";
import { splitText } from "../../protocol/sms/segments.ts";
import type { Submission, Submittable, When } from "./carrier.ts";

/** How the carrier takes texts, and where it sends receipts. */
type CarrierTerms = Pick<OpenConnector, "splits" | "charactersAtMost"> &
  Pick<When, "leftMs"> & { receiptUrl: string };

/** A text that the carrier does not take. */
class TextTooLong extends Error {
  override readonly name = "TextTooLong";
}

/**
 * Returns our id of a message for its carrier: 36 characters at most, and the same in every attempt, so that a carrier
 * that recognizes repeats takes the message once.
 */
export function carrierIdOf({ sendId, number }: Pick<Submittable, "sendId" | "number">): string {
  return `${sendId}-${number}`;
}

/** Returns the message of one of our ids, or of the id of one of its parts; undefined: the id is none of ours. */
export function messageOfCarrierId(id: string): Pick<Submittable, "sendId" | "number"> | undefined {
  const [, sendId, number] = /^([0-9a-f]{24})-(\d{1,9})(?:-\d{1,3})?$/.exec(id) ?? [];
  return sendId === undefined ? undefined : { sendId, number: Number(number) };
}

/** Whether an id is one of ours: see `carrierIdOf`. */
export function isCarrierId(id: string): boolean {
  return messageOfCarrierId(id) !== undefined;
}

/** Throws `TextTooLong` for a text that is longer than the carrier takes. */
export function carrierMessagesOf(message: Submittable, terms: CarrierTerms): Submission {
  const { phone: to, sender: from, body: text, reference } = message;
  const { splits, charactersAtMost = Infinity, receiptUrl, leftMs } = terms;
  if ([...text].length > charactersAtMost) throw new TextTooLong(`more than ${charactersAtMost} characters`);
  const { encoding, parts } = splitText(text);
  const unicode = encoding === "UCS-2";
  const whole: CarrierMessage = {
    ...{ id: carrierIdOf(message), to, from, text, parts: parts.length, unicode, receiptUrl },
    ...(leftMs !== undefined && { leftMs }),
  };
  if (splits === "peer" || parts.length === 1) return { requests: [whole], parts: parts.length };
  const total = parts.length;
  const requests = parts.map((part, i) => ({
    ...whole,
    id: `${whole.id}-${i + 1}`,
    text: unicode ? new TextDecoder("utf-16be").decode(part) : decodeGsm7(part),
    part: { number: i + 1, total, reference },
  }));
  return { requests, parts: total };
}

// The messages that the simulated handsets received. Segments are joined into whole messages; the newest are kept.
import { decodeGsm7, decodeUcs2 } from "../../protocol/sms/encoding.ts";
import { nameIn } from "../../protocol/sms/sendernames.ts";
import type { Accepted } from "./journal.ts";
import type { InboxMessage } from "./shapes.ts";

/** How many messages are kept; at times twice as many. Older ones are only in the log. 200,000 take about 120 MB. */
const MAX_MESSAGES = 200_000;
/** The maximum number of incomplete messages; beyond it the oldest is dropped. */
const MAX_OPEN_GROUPS = 50_000;
/** After this a reference number (often 8 bits) may be reused for another message; a late segment starts a new one. */
const GROUP_LIFETIME_MS = 10 * 60_000;

/** The place of a segment in its message. */
interface SegmentPlace {
  reference: string;
  total: number;
  number: number;
}

type Parts = [Accepted, ...Accepted[]];

interface SegmentGroup {
  parts: (Accepted | undefined)[];
  missing: number;
  startedAt: number;
}

/**
 * A handset joins segments by sender, reference number and total. Tests rely on the rule for repetitions: a segment
 * goes to the oldest open message of its key that lacks it, and opens a new message if there is none. So a message that
 * was sent twice is in the inbox twice, whatever the order of its segments; and one segment that was sent twice leaves
 * an open message behind, counted in `incomplete`. Text is decoded when it is read, not on arrival.
 */
export class Inbox {
  readonly #atMost: number;
  readonly #open = new Map<string, SegmentGroup[]>();
  #messages: Parts[] = [];
  #openCount = 0;

  constructor(atMost = MAX_MESSAGES) {
    this.#atMost = Math.min(atMost, MAX_MESSAGES);
  }

  /** The number of messages that lack a segment. */
  get incomplete(): number {
    return this.#openCount;
  }

  /** Adds one accepted segment. */
  add(entry: Accepted): void {
    const place = segmentPlaceOf(entry);
    if (place === undefined) this.#keep([entry]);
    else this.#join(entry, place);
  }

  /** Returns whole messages, the newest first, at most `limit`; `phone` in any notation. */
  list(query: { phone?: string | undefined; limit?: number | undefined } = {}): InboxMessage[] {
    const limit = Math.min(query.limit ?? 100, 100_000);
    const phone = query.phone?.replace(/\D/g, "");
    const found: InboxMessage[] = [];
    for (let i = this.#messages.length - 1; i >= 0 && found.length < limit; i--) {
      const parts = this.#messages[i];
      if (parts && (phone === undefined || parts[0].to.replace(/\D/g, "") === phone)) found.push(read(parts));
    }
    return found;
  }

  #keep(parts: Parts): void {
    this.#messages.push(parts);
    // Trimming only at twice the limit makes its average cost negligible.
    if (this.#messages.length >= 2 * this.#atMost) this.#messages = this.#messages.slice(-this.#atMost);
  }

  #join(entry: Accepted, { reference, total, number }: SegmentPlace): void {
    const key = `${entry.from} ${entry.to} ${reference} ${total}`;
    const groups = (this.#open.get(key) ?? []).filter((group) => {
      const alive = entry.at - group.startedAt < GROUP_LIFETIME_MS;
      if (!alive) this.#openCount--;
      return alive;
    });
    let group = groups.find(({ parts }) => parts[number - 1] === undefined);
    if (group === undefined) {
      group = { parts: new Array(total).fill(undefined), missing: total, startedAt: entry.at };
      groups.push(group);
      this.#openCount++;
    }
    group.parts[number - 1] = entry;
    if (--group.missing === 0) {
      groups.splice(groups.indexOf(group), 1);
      this.#openCount--;
      this.#keep(group.parts as Parts);
    }
    if (groups.length > 0) this.#open.set(key, groups);
    else this.#open.delete(key);
    if (this.#open.size > MAX_OPEN_GROUPS) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [key, groups] = this.#open.entries().next().value ?? ["", []];
    this.#openCount -= groups.length;
    this.#open.delete(key);
  }
}

/** Returns the user data header: 3GPP TS 23.040, 9.2.3.24; elements 0 (8-bit reference) and 8 (16-bit) join parts. */
function udhOf(entry: Accepted): Buffer {
  if ((entry.esm & 0x40) === 0) return Buffer.alloc(0);
  const data = Buffer.from(entry.hex, "hex");
  return data.subarray(0, 1 + (data[0] ?? 0));
}

function segmentPlaceOf(entry: Accepted): SegmentPlace | undefined {
  const place = entry.sar === undefined ? placeInHeader(udhOf(entry)) : placeInSar(entry.sar);
  return place !== undefined && place.total > 1 && place.number >= 1 && place.number <= place.total
    ? place
    : undefined;
}

function placeInSar([reference, total, number]: [number, number, number]): SegmentPlace {
  return { reference: `sar${reference}`, total, number };
}

function placeInHeader(header: Buffer): SegmentPlace | undefined {
  for (let at = 1; at + 1 < header.length; at += 2 + header.readUInt8(at + 1)) {
    const element = header.subarray(at + 2, at + 2 + header.readUInt8(at + 1));
    const [total = 0, number = 0] = element.subarray(-2);
    if (header[at] === 0 && element.length === 3) return { reference: `8:${element[0]}`, total, number };
    if (header[at] === 8 && element.length === 4)
      return { reference: `16:${element.readUInt16BE(0)}`, total, number };
  }
  return undefined;
}

/** SMPP 3.4, section 5.2.19. */
const IA5_OR_LATIN_1: ReadonlySet<number> = new Set([1, 3]);

function read(parts: Parts): InboxMessage {
  const [first] = parts;
  // data_coding, general group: bits 3-2 are 10 for UCS-2, with or without a message class (3GPP TS 23.038, 4).
  const isUcs2 = (first.dcs & 0xcc) === 0x08;
  const data = Buffer.concat(parts.map((part) => Buffer.from(part.hex, "hex").subarray(udhOf(part).length)));
  return {
    id: first.id,
    to: first.to,
    from: nameIn(first.from),
    text: isUcs2 ? decodeUcs2(data) : decodePlain(data, first.dcs),
    encoding: isUcs2 ? "UCS-2" : "GSM-7",
    segments: first.http?.parts ?? parts.length,
    receivedAt: new Date(Math.max(...parts.map((part) => part.at))),
  };
}

function decodePlain(data: Buffer, dataCoding: number): string {
  return IA5_OR_LATIN_1.has(dataCoding) ? data.toString("latin1") : decodeGsm7(data);
}

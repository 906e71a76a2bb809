// Long messages: each segment is stored when it arrives, at any process; the message is joined when all are present.
import { one } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Place } from "../../protocol/smpp/userdata.ts";
import * as sql from "./parts.sql.ts";
import { type Heard, segmentsIn, textOf } from "./reading.ts";
import type { InboundEncoding } from "./shapes.ts";

/** A message as the handset wrote it. `missing`: segments that never arrived; marks in the text take their place. */
export type Whole = {
  phone: string;
  address: string;
  numberId: string | null;
  /** Whether the operator that delivered it serves this handset. */
  isServed: boolean;
  /** Whether the handset exceeds its rate. */
  isFlood: boolean;
  /** A STOP or START that repeats a recent one: it is carried out and not stored. */
  isRepeat: boolean;
  text: string;
  encoding: InboundEncoding;
  segments: number;
  missing: number;
};

/** An incoming segment with what is known about it. */
export type Come = Heard &
  Pick<Whole, "numberId" | "isServed" | "isFlood" | "isRepeat"> & {
    /** Whether it may be a STOP or START on its own. */
    isWish: boolean;
  };

/** A message has at most 255 segments. Above this number, each further segment of a handset is stored separately. */
const PARTS_OF_HANDSET_AT_MOST = 510;

/** Stores segments, and returns the messages that are now complete, including those of a single part. */
export async function joinParts(tx: Tx, come: readonly Come[]): Promise<Whole[]> {
  const handsets = new Set(come.filter(({ place }) => place !== null).map(({ phone }) => phone));
  for (const phone of [...handsets].sort()) await tx.run(sql.lockHandset, [phone]);
  const whole: Whole[] = [];
  for (const one of come) {
    const joined = one.place ? await storePart(tx, one, one.place) : aloneOf(one, 0);
    if (joined) whole.push(joined);
  }
  return whole;
}

function aloneOf(come: Come, missing: number): Whole {
  const { phone, address, numberId, isServed, isFlood, isRepeat, encoding, octets } = come;
  const text = textOf(encoding, octets);
  const segments = missing > 0 ? 1 : segmentsIn(text);
  return { phone, address, numberId, isServed, isFlood, isRepeat, text, encoding, segments, missing };
}

/** Stores a segment. Returns the message if this completes it, or if the handset has too many waiting segments. */
async function storePart(tx: Tx, come: Come, place: Place): Promise<Whole | undefined> {
  const { phone, address } = come;
  const { reference, total, number } = place;
  const waiting = await one(tx, sql.countParts, [phone, PARTS_OF_HANDSET_AT_MOST]);
  if (waiting.count >= PARTS_OF_HANDSET_AT_MOST) return aloneOf(come, total - 1);
  const there = await tx.run(sql.listParts, { phone, address, reference, total });
  const series = seriesLacking(there, number);
  const group = { phone, address, reference, total, series };
  const { encoding, octets, numberId, isServed } = come;
  await tx.run(sql.insertPart, { ...group, number, encoding, octets, numberId, isServed });
  const having = there.filter((part) => part.series === series).length + 1;
  if (having < total) return undefined;
  const joined = await takeWhole(tx, group);
  return joined && { ...joined, isFlood: come.isFlood };
}

/** Returns the first series of a reference that lacks this segment number, or else a new one. */
function seriesLacking(parts: readonly { series: number; number: number }[], number: number): number {
  const having = new Set(parts.filter((part) => part.number === number).map((part) => part.series));
  const lacking = parts.find(({ series }) => !having.has(series));
  return lacking?.series ?? (parts.at(-1)?.series ?? -1) + 1;
}

/** Takes the segments of a message, and joins those present. Undefined: another process has taken them. */
export async function takeWhole(tx: Tx, group: sql.Group): Promise<Whole | undefined> {
  const { phone, address, total } = group;
  const parts = await tx.run(sql.takeParts, group);
  const [first] = ofOneAlphabet(parts).sort((part, other) => part.number - other.number);
  if (!first) return undefined;
  return {
    phone,
    address,
    numberId: first.number_id,
    isServed: parts.every((part) => part.is_served),
    isFlood: false,
    isRepeat: false,
    text: joined(parts, total),
    encoding: first.encoding,
    segments: parts.length,
    missing: total - parts.length,
  };
}

/** The mark in place of missing segments. */
const GAP = "[…]";

type Part = { number: number; encoding: InboundEncoding; octets: Buffer };

/**
 * Gives segments that may be GSM-7 the encoding of those in their message that cannot be: a segment without accents
 * does not show that it is Latin-1.
 */
function ofOneAlphabet<One extends Part>(parts: readonly One[]): One[] {
  const isLatin = parts.some(({ encoding }) => encoding === "LATIN-1");
  return parts.map((part) =>
    isLatin && part.encoding === "GSM-7" ? { ...part, encoding: "LATIN-1" } : part,
  );
}

/** Returns the text of segments in order. Adjacent segments of one encoding are joined before they are decoded. */
function joined(parts: readonly Part[], total: number): string {
  let text = "";
  let run: Buffer[] = [];
  let encoding: InboundEncoding = "GSM-7";
  const byNumber = new Map(ofOneAlphabet(parts).map((part) => [part.number, part]));
  for (let number = 1; number <= total + 1; number++) {
    const part = byNumber.get(number);
    if (part && (part.encoding === encoding || run.length === 0)) {
      encoding = part.encoding;
      run.push(part.octets);
      continue;
    }
    if (run.length > 0) text += textOf(encoding, Buffer.concat(run));
    if (part) {
      encoding = part.encoding;
      run = [part.octets];
      continue;
    }
    if (number <= total && !text.endsWith(GAP)) text += GAP;
    run = [];
  }
  return text;
}

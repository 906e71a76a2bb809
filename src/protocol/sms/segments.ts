// Segments: how many short messages a text takes, which determines its price, and the payload of each.
import { countSeptets, type Encoding, ESCAPE, encodeGsm7, encodeUcs2, encodingOf } from "./encoding.ts";

/**
 * One short message carries 140 octets (3GPP TS 23.040, 9.2.3.24): 160 septets or 70 UCS-2 units. In a long text, each
 * segment spends 6 of them on the header that joins it to the others (9.2.3.24.1): 153 or 67 remain.
 */
const LIMITS = {
  "GSM-7": { alone: 160, joined: 153, octetsPerUnit: 1 },
  "UCS-2": { alone: 70, joined: 67, octetsPerUnit: 2 },
} as const;

/** `units` are septets (extension characters count 2) in GSM-7, 16-bit code units in UCS-2. */
export type Segments = { encoding: Encoding; segments: number; units: number };

/** `parts` are the payloads, one per segment, without the header: septets one per octet, or UTF-16BE. */
export type SplitText = { encoding: Encoding; parts: Uint8Array[] };

/**
 * Returns the encoding and the number of segments of a text as rendered for one recipient. An empty text counts 1: a
 * template such as `@firstName` may render to nothing, and no message is free.
 * 9 M/s with a 60-character text, 1.0 M/s with one of 3 segments, 0.2 M/s if those must be cut to be counted (2 cores,
 * Node 24.21, 2026-11-21).
 */
export function segmentsOf(text: string): Segments {
  const septets = countSeptets(text);
  const encoding = septets === undefined ? "UCS-2" : "GSM-7";
  const units = septets ?? text.length;
  return { encoding, segments: countSegments(text, encoding, units), units };
}

function countSegments(text: string, encoding: Encoding, units: number): number {
  const { alone, joined } = LIMITS[encoding];
  if (units <= alone) return 1;
  // A text with as many septets as characters has no escape pair, and its length determines its segments. Otherwise it
  // is cut to be counted, because a segment ends early if it would split a pair.
  const pairless = encoding === "GSM-7" && units === text.length;
  return pairless ? Math.ceil(units / joined) : splitText(text).parts.length;
}

/**
 * Cuts a text into the payloads of its segments, and never splits an escape pair or a surrogate pair. A header with a
 * 16-bit reference (9.2.3.24.8, `longHeader`) takes one more septet or UCS-2 unit of each segment. `asUcs2` is for an
 * operator that cannot take a text in GSM-7.
 */
export function splitText(text: string, { longHeader = false, asUcs2 = false } = {}): SplitText {
  const encoding = asUcs2 ? "UCS-2" : encodingOf(text);
  const payload = encoding === "GSM-7" ? encodeGsm7(text) : encodeUcs2(text);
  const { alone, octetsPerUnit } = LIMITS[encoding];
  const joined = LIMITS[encoding].joined - (longHeader ? 1 : 0);
  if (payload.length <= alone * octetsPerUnit) return { encoding, parts: [payload] };

  const parts: Uint8Array[] = [];
  for (let start = 0; start < payload.length; ) {
    let end = Math.min(start + joined * octetsPerUnit, payload.length);
    if (end < payload.length && opensPair(encoding, payload, end - octetsPerUnit)) end -= octetsPerUnit;
    parts.push(payload.subarray(start, end));
    start = end;
  }
  return { encoding, parts };
}

/** Whether the unit at this octet is the first of a pair: an escape or a high surrogate. */
function opensPair(encoding: Encoding, payload: Uint8Array, at: number): boolean {
  return encoding === "GSM-7" ? payload[at] === ESCAPE : ((payload[at] ?? 0) & 0xfc) === 0xd8;
}

// The user data of a short message: its octets without their header, and its position in a longer message.
import type { DeliverSm } from "./pdu.ts";

/** The position of a segment in its message. `reference` identifies the message among those of its sender. */
export type Place = { reference: string; total: number; number: number };

/** The octets of a message without their header. `place` is null for a message that is not a segment. */
type UserData = { octets: Buffer; place: Place | null };

// SMPP 3.4, section 5.2.12: the message begins with a user data header.
const UDHI = 0x40;

/**
 * Reads the user data of a deliver_sm: short_message, or message_payload if that is empty. A header that does not fit
 * into the octets is ignored, since some operators set UDHI without one. The position comes from a complete header, or
 * else from the optional parameters; an impossible position is ignored.
 */
export function userDataOf({ esmClass, shortMessage, tlvs }: Data): UserData {
  const data = shortMessage.length > 0 ? shortMessage : (tlvs?.messagePayload ?? shortMessage);
  const header = esmClass & UDHI ? data.subarray(0, headerLength(data)) : data.subarray(0, 0);
  const place = placeInHeader(header) ?? placeInTlvs(tlvs);
  const isPossible = place && place.total > 1 && place.number >= 1 && place.number <= place.total;
  return { octets: data.subarray(header.length), place: isPossible ? place : null };
}

type Data = Pick<DeliverSm, "esmClass" | "shortMessage" | "tlvs">;

/** The octets of a user data header (3GPP TS 23.040, section 9.2.3.24); 0 if they do not begin with a complete one. */
function headerLength(octets: Buffer): number {
  const end = 1 + (octets[0] ?? 0);
  let at = 1;
  while (at < end) at += 2 + (octets[at + 1] ?? octets.length);
  return at === end && end <= octets.length ? end : 0;
}

// 3GPP TS 23.040, section 9.2.3.24: concatenation with a reference of 8 bits (.1) and of 16 bits (.8).
const CONCATENATED_8 = 0x00;
const CONCATENATED_16 = 0x08;

function placeInHeader(header: Buffer): Place | undefined {
  for (let at = 1; at + 1 < header.length; at += 2 + header.readUInt8(at + 1)) {
    const element = header.subarray(at + 2, at + 2 + header.readUInt8(at + 1));
    const [total = 0, number = 0] = element.subarray(-2);
    if (header[at] === CONCATENATED_8 && element.length === 3)
      return { reference: `8 ${element[0]}`, total, number };
    if (header[at] === CONCATENATED_16 && element.length === 4)
      return { reference: `16 ${element.readUInt16BE(0)}`, total, number };
  }
  return undefined;
}

/** SMPP 3.4, sections 5.3.2.22 to 5.3.2.24. */
function placeInTlvs(tlvs: Data["tlvs"]): Place | undefined {
  const { sarMsgRefNum: reference, sarTotalSegments: total, sarSegmentSeqnum: number } = tlvs ?? {};
  if (reference === undefined || total === undefined || number === undefined) return undefined;
  return { reference: `sar ${reference}`, total, number };
}

/** Bits 3 and 2 of data_coding are 10 for UCS-2, with or without a message class (3GPP TS 23.038, section 4). */
export function isUcs2(dataCoding: number): boolean {
  return (dataCoding & 0xcc) === 0x08;
}

const BIG_ENDIAN_MARK = "feff";
const LITTLE_ENDIAN_MARK = "fffe";

/**
 * Returns UCS-2 octets in the order of SMPP 3.4, section 5.2.19 (big-endian), without their byte order mark. After a
 * mark of the other order, they are swapped. An odd last octet stays.
 */
export function bigEndianOf(octets: Buffer): Buffer {
  const mark = octets.toString("hex", 0, 2);
  if (mark === BIG_ENDIAN_MARK) return octets.subarray(2);
  return mark === LITTLE_ENDIAN_MARK ? swapped(octets.subarray(2)) : octets;
}

/** Whether UCS-2 octets are ASCII in little-endian order, as some operators write receipts without a mark. */
export function isLittleEndianAscii(octets: Buffer): boolean {
  const last = 2 * Math.min(octets.length >> 1, ASCII_PAIRS);
  for (let at = 0; at < last; at += 2) if (octets[at] === 0 || octets[at + 1] !== 0) return false;
  return last > 0;
}

/** This many characters decide: a receipt begins with the name of a word. */
const ASCII_PAIRS = 4;

/** Returns the octets with each pair swapped; an odd last octet stays. */
export function swapped(octets: Buffer): Buffer {
  const copy = Buffer.from(octets);
  copy.subarray(0, copy.length & ~1).swap16();
  return copy;
}

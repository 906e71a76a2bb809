// What a deliver_sm of a handset says: who wrote, to what, in which alphabet, and where it stands in a long message.

import type { HandsetMessage } from "../gateway/gateway.ts";
import type { DeliverSm } from "../smpp/smpp.ts";
import { decodeGsm7, decodeUcs2, nameIn, normalisePhone, segmentsOf } from "../sms/sms.ts";
import type { InboundEncoding } from "./shapes.ts";

/** Where a segment stands in its message. */
export type Place = { reference: string; total: number; number: number };

/** One deliver_sm, read. `phone`: who wrote, in international format where it is a phone. `octets` have no header. */
export type Heard = {
  operatorIds: readonly string[];
  phone: string;
  address: string;
  encoding: InboundEncoding;
  octets: Buffer;
  /** Null: a message of its own. */
  place: Place | null;
  /** All that tells it from another message of this handset to this address. */
  content: string;
};

/** Reads a deliver_sm. Any data_coding and any header is read somehow, because a message is never refused. */
export function readDelivered({ operatorIds, settings, from, to, pdu }: HandsetMessage): Heard {
  const data =
    pdu.shortMessage.length > 0 ? pdu.shortMessage : (pdu.tlvs?.messagePayload ?? pdu.shortMessage);
  const header = pdu.esmClass & UDHI ? data.subarray(0, 1 + (data[0] ?? 0)) : data.subarray(0, 0);
  return {
    operatorIds,
    phone: normalisePhone(from) ?? cleaned(nameIn(from)),
    address: cleaned(nameIn(to)),
    encoding: encodingOf(pdu, settings),
    octets: data.subarray(header.length),
    place: placeOf(pdu, header),
    content: contentOf(pdu, data),
  };
}

/**
 * The text of the octets of a message. What cannot be stored or shown, as NUL and other controls, becomes U+FFFD. The
 * octets of all segments are joined first, since a sender may cut a pair in two.
 */
export function textOf(encoding: InboundEncoding, octets: Buffer): string {
  return cleaned(DECODERS[encoding](octets));
}

/** Whether who wrote is a handset, and no short code or name. */
export function isPhone(from: string): boolean {
  return normalisePhone(from) === from;
}

/** How many segments a text of one deliver_sm took: one in message_payload may be long. */
export function segmentsIn(text: string): number {
  return segmentsOf(text).segments;
}

const DECODERS: Readonly<Record<InboundEncoding, (octets: Buffer) => string>> = {
  "GSM-7": decodeGsm7,
  "UCS-2": decodeUcs2,
  "LATIN-1": (octets) => octets.toString("latin1"),
};

// Line ends, tabs and the page break of GSM-7 stay.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is these that are replaced
const CONTROLS = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f]/g;

function cleaned(text: string): string {
  return text.replace(CONTROLS, "\ufffd");
}

// SMPP 3.4, sections 5.2.12 and 5.2.19.
const UDHI = 0x40;
const IA5 = 1;
const LATIN_1 = 3;

function encodingOf({ dataCoding }: DeliverSm, settings: HandsetMessage["settings"]): InboundEncoding {
  const isItsOwn = settings.alphabet !== "gsm-7" && dataCoding === settings.dataCoding;
  if (isItsOwn || dataCoding === IA5 || dataCoding === LATIN_1) return "LATIN-1";
  // Bits 3 and 2 are 10 for UCS-2, with or without a message class (3GPP TS 23.038, section 4).
  return (dataCoding & 0xcc) === 0x08 ? "UCS-2" : "GSM-7";
}

/**
 * The place that a whole header tells, or else the optional parameters. One that cannot be is none: the text counts alone.
 */
function placeOf({ tlvs }: DeliverSm, header: Buffer): Place | null {
  const place = placeInHeader(header) ?? placeInTlvs(tlvs);
  if (!place) return null;
  const { total, number } = place;
  return total > 1 && number >= 1 && number <= total ? place : null;
}

// 3GPP TS 23.040, 9.2.3.24: concatenation with a reference of 8 bits (.1) and of 16 bits (.8).
const CONCATENATED_8 = 0x00;
const CONCATENATED_16 = 0x08;

function placeInHeader(header: Buffer): Place | undefined {
  if (header.length <= (header[0] ?? 0)) return undefined;
  for (let at = 1; at + 1 < header.length; at += 2 + header[at + 1]!) {
    const element = header.subarray(at + 2, at + 2 + header[at + 1]!);
    if (header[at] === CONCATENATED_8 && element.length === 3)
      return { reference: `8 ${element[0]}`, total: element[1]!, number: element[2]! };
    if (header[at] === CONCATENATED_16 && element.length === 4)
      return { reference: `16 ${element.readUInt16BE(0)}`, total: element[2]!, number: element[3]! };
  }
  return undefined;
}

/** SMPP 3.4, sections 5.3.2.22 to 5.3.2.24. */
function placeInTlvs(tlvs: DeliverSm["tlvs"]): Place | undefined {
  const { sarMsgRefNum: reference, sarTotalSegments: total, sarSegmentSeqnum: number } = tlvs ?? {};
  if (reference === undefined || total === undefined || number === undefined) return undefined;
  return { reference: `sar ${reference}`, total, number };
}

function contentOf({ esmClass, dataCoding, tlvs }: DeliverSm, data: Buffer): string {
  const { sarMsgRefNum, sarTotalSegments, sarSegmentSeqnum, userMessageReference } = tlvs ?? {};
  const told = [esmClass, dataCoding, sarMsgRefNum, sarTotalSegments, sarSegmentSeqnum, userMessageReference];
  return [...told, data.toString("base64")].join(" ");
}

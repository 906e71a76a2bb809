// What a deliver_sm of a handset says: who wrote, to what, in which alphabet, and where it stands in a long message.
import type { HandsetMessage } from "../../delivery/gateway/gateway.ts";
import { bigEndianOf, type DeliverSm, isUcs2, type Place, userDataOf } from "../../protocol/smpp/smpp.ts";
import {
  decodeGsm7,
  decodeUcs2,
  nameIn,
  normalisePhone,
  phoneOfSource,
  segmentsOf,
} from "../../protocol/sms/sms.ts";
import type { InboundEncoding } from "./shapes.ts";

/** One deliver_sm, read. `phone`: who wrote, in international format where it is a phone. `octets` have no header. */
export type Heard = {
  sessionId: string | null;
  operatorIds: readonly string[];
  phone: string;
  address: string;
  encoding: InboundEncoding;
  octets: Buffer;
  /** Where a segment stands in its message. Null: a message of its own. */
  place: Place | null;
  /** All that tells it from another message of this handset to this address, and how long it does. */
  content: string;
  repeatMs: number;
};

/** Reads a deliver_sm. Any data_coding and any header is read somehow, because a message is never refused. */
export function readDelivered({
  sessionId,
  operatorIds,
  country,
  settings,
  from,
  to,
  pdu,
}: HandsetMessage): Heard {
  const { octets, place } = userDataOf(pdu);
  return {
    sessionId,
    operatorIds,
    phone: phoneOfSource(from, pdu.sourceAddrTon, country) ?? cleaned(nameIn(from)),
    address: cleaned(nameIn(to)),
    encoding: encodingOf(pdu, octets, settings),
    octets,
    place,
    content: contentOf(pdu),
    repeatMs: settings.repeatWindowS * 1000,
  };
}

/**
 * The text of the octets of a message. What cannot be stored or shown, as NUL and other controls, becomes U+FFFD. The
 * octets of all segments are joined first, since a sender may cut a pair in two.
 */
export function textOf(encoding: InboundEncoding, octets: Buffer): string {
  return cleaned(DECODERS[encoding](octets).replaceAll(BYTE_ORDER_MARK, ""));
}

/** A mark at the beginning of a text or of a segment, invisible in between. */
const BYTE_ORDER_MARK = "\ufeff";

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
  "UCS-2": (octets) => decodeUcs2(bigEndianOf(octets)),
  "LATIN-1": decodeLatin,
};

const utf8 = new TextDecoder("utf-8", { fatal: true });
/** Latin-1 with the quotes, the euro and the ligature that Windows has among its controls. */
const latin = new TextDecoder("windows-1252");

/** One octet a character, or UTF-8 where the octets are that: no text in Latin-1 happens to be. */
function decodeLatin(octets: Buffer): string {
  try {
    return utf8.decode(octets);
  } catch {
    return latin.decode(octets); // not UTF-8, which is usual
  }
}

/** Whether octets cannot be septets of GSM-7, one in each octet. */
function hasHighOctet(octets: Buffer): boolean {
  return octets.some((octet) => octet > 0x7f);
}

// Line ends, tabs and the page break of GSM-7 stay.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is these that are replaced
const CONTROLS = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f]/g;

function cleaned(text: string): string {
  return text.replace(CONTROLS, "\ufffd");
}

// SMPP 3.4, section 5.2.19.
const IA5 = 1;
const LATIN_1 = 3;

/** Operators deliver Latin-1 and UTF-8 under the data_coding of GSM-7: an octet above 0x7F is none of its septets. */
function encodingOf(
  { dataCoding }: DeliverSm,
  octets: Buffer,
  settings: HandsetMessage["settings"],
): InboundEncoding {
  if (isUcs2(dataCoding)) return "UCS-2";
  const isItsOwn = settings.alphabet !== "gsm-7" && dataCoding === settings.dataCoding;
  const isLatin = isItsOwn || dataCoding === IA5 || dataCoding === LATIN_1 || hasHighOctet(octets);
  return isLatin ? "LATIN-1" : "GSM-7";
}

function contentOf({ esmClass, dataCoding, shortMessage, tlvs }: DeliverSm): string {
  const { sarMsgRefNum, sarTotalSegments, sarSegmentSeqnum, userMessageReference } = tlvs ?? {};
  const told = [esmClass, dataCoding, sarMsgRefNum, sarTotalSegments, sarSegmentSeqnum, userMessageReference];
  const data = shortMessage.length > 0 ? shortMessage : (tlvs?.messagePayload ?? shortMessage);
  return [...told, data.toString("base64")].join(" ");
}

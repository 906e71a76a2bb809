// Reads a deliver_sm from a handset: sender, destination, encoding, and position in a long message.
import type { HandsetMessage } from "../../delivery/gateway/handsets.ts";
import type { DeliverSm } from "../../protocol/smpp/pdu.ts";
import { bigEndianOf, isUcs2, type Place, userDataOf } from "../../protocol/smpp/userdata.ts";
import { decodeGsm7, decodeUcs2 } from "../../protocol/sms/encoding.ts";
import { normalisePhone } from "../../protocol/sms/phone.ts";
import { segmentsOf } from "../../protocol/sms/segments.ts";
import { nameIn } from "../../protocol/sms/sendernames.ts";
import { phoneOfSource } from "../../protocol/sms/sources.ts";
import type { InboundEncoding } from "./shapes.ts";

/** A decoded deliver_sm. `phone`: the sender, in international format if it is a phone. `octets` exclude the header. */
export type Heard = {
  sessionId: string | null;
  operatorIds: readonly string[];
  phone: string;
  address: string;
  encoding: InboundEncoding;
  octets: Buffer;
  /** The position of a segment in its message. Null: it is a whole message. */
  place: Place | null;
  /** Whether the carrier gave it an id: the same message again is then certainly a repeat. */
  hasId: boolean;
  /** Distinguishes it from other messages of this handset to this address. */
  content: string;
  /** How long the same message again is a repeat, if it has no id. */
  repeatMs: number;
};

/** Reads a deliver_sm. Accepts any data_coding and any header, because a message is never refused. */
export function readDelivered({
  sessionId,
  messageId,
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
    hasId: messageId !== null,
    content: messageId === null ? contentOf(pdu) : identityOf(operatorIds, messageId, pdu),
    repeatMs: settings.repeatWindowS * 1000,
  };
}

/**
 * Returns the text of a message's octets. Characters that cannot be stored or shown, such as NUL, become U+FFFD. The
 * octets of all segments must be joined first, since a sender may split a surrogate pair.
 */
export function textOf(encoding: InboundEncoding, octets: Buffer): string {
  return cleaned(DECODERS[encoding](octets).replaceAll(BYTE_ORDER_MARK, ""));
}

/** A mark at the start of a text or segment, invisible within a text. */
const BYTE_ORDER_MARK = "\ufeff";

/** Whether the sender is a handset, not a short code or name. */
export function isPhone(from: string): boolean {
  return normalisePhone(from) === from;
}

/** Returns the number of segments of a text in one deliver_sm: message_payload may hold a long one. */
export function segmentsIn(text: string): number {
  return segmentsOf(text).segments;
}

const DECODERS: Readonly<Record<InboundEncoding, (octets: Buffer) => string>> = {
  "GSM-7": decodeGsm7,
  "UCS-2": (octets) => decodeUcs2(bigEndianOf(octets)),
  "LATIN-1": decodeLatin,
};

const utf8 = new TextDecoder("utf-8", { fatal: true });
/** Latin-1 with the quotes, the euro sign and the ligatures that Windows puts in place of its controls. */
const latin = new TextDecoder("windows-1252");

/** Decodes UTF-8 if the octets are valid, else Latin-1: Latin-1 text is practically never valid UTF-8. */
function decodeLatin(octets: Buffer): string {
  try {
    return utf8.decode(octets);
  } catch {
    return latin.decode(octets); // not UTF-8, the usual case
  }
}

/** Whether octets cannot be GSM-7 septets, one per octet. */
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

/** Operators deliver Latin-1 and UTF-8 with the data_coding of GSM-7: an octet above 0x7F cannot be a septet. */
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

/**
 * Identifies a message by the carrier's id. Ids of two carriers may be equal: the oldest operator of the account stands
 * for the account, because operators may be added to it before the carrier repeats the message. The octets belong to
 * the identity, because an id that does not identify one message must not lose another one.
 */
function identityOf(operatorIds: readonly string[], messageId: string, pdu: DeliverSm): string {
  const [oldest = ""] = operatorIds.toSorted();
  return [oldest, messageId, contentOf(pdu)].join("\0");
}

function contentOf({ esmClass, dataCoding, shortMessage, tlvs }: DeliverSm): string {
  const { sarMsgRefNum, sarTotalSegments, sarSegmentSeqnum, userMessageReference } = tlvs ?? {};
  const told = [esmClass, dataCoding, sarMsgRefNum, sarTotalSegments, sarSegmentSeqnum, userMessageReference];
  const data = shortMessage.length > 0 ? shortMessage : (tlvs?.messagePayload ?? shortMessage);
  return [...told, data.toString("base64")].join(" ");
}

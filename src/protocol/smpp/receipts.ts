// Delivery receipts in deliver_sm: reads them (parameters first, then text), writes them, makes message ids comparable.
import { readDate, writeDate } from "./donedate.ts";
import type { DeliverSm, OutgoingMessage, ShortMessage } from "./pdu.ts";
import { bigEndianOf, isLittleEndianAscii, isUcs2, swapped, userDataOf } from "./userdata.ts";

export type ReceiptState =
  | "ENROUTE"
  | "DELIVERED"
  | "EXPIRED"
  | "DELETED"
  | "UNDELIVERED"
  | "ACCEPTED"
  | "UNKNOWN"
  | "REJECTED";

/**
 * message_state (section 5.2.28), the `stat:` word (appendix B), and words that operators write instead, from the
 * manuals of SMS Central, Mblox, PSWinCom and Unifonic and from the code of libraries (2026-11-22).
 */
const STATE_TABLE: readonly [ReceiptState, number, string, ...string[]][] = [
  ["ENROUTE", 1, "ENROUTE", "BUFFERED", "BUFFRED", "SCHEDULED", "QUEUED", "PENDING", "ACKED", "SENT"],
  ["DELIVERED", 2, "DELIVRD", "DELIVERED", "DELIVERD", "DELIVRED"],
  ["EXPIRED", 3, "EXPIRED", "EXPIRD"],
  ["DELETED", 4, "DELETED", "CANCELED", "CANCELLED"],
  [
    "UNDELIVERED",
    5,
    "UNDELIV",
    ...[
      "UNDELIVERED",
      "UNDELIVERABLE",
      "UNDELIVERD",
      "UNDELIVRD",
      "NOTDELIVRD",
      "FAILED",
      "FAIL",
      "NACK",
      "NACKED",
    ],
    ...["ERROR", "SYSERR", "ABSENT", "NOROUTE", "SKIPPED"],
  ],
  ["ACCEPTED", 6, "ACCEPTD", "ACCEPTED"],
  ["UNKNOWN", 7, "UNKNOWN"],
  [
    "REJECTED",
    8,
    "REJECTD",
    "REJECTED",
    "REJECT",
    "BLOCKED",
    "BLACKLISTED",
    "BARRED",
    "BARREDA",
    "NOCRED",
    "ZEROBAL",
  ],
];
/** SMPP 5.0, section 4.7.15: the message was not sent. */
const SKIPPED = 9;
const STATES = new Map<number, ReceiptState>([
  ...STATE_TABLE.map(([state, number]) => [number, state] as const),
  [SKIPPED, "UNDELIVERED"],
]);
const STATE_BY_WORD = new Map(
  STATE_TABLE.flatMap(([state, , ...words]) => words.map((word) => [word, state] as const)),
);

/** The characters of a receipt's text that are read. A receipt takes about 120; the rest is the subscriber's text. */
const MAX_TEXT_CHARACTERS = 1024;

export interface Receipt {
  /** As the operator wrote it: compare by `normaliseMessageId`. Empty if the receipt gives only our reference. */
  messageId: string;
  /** The id in the text if it differs from receipted_message_id: either may be the id of the message (D13). */
  textId?: string;
  state: ReceiptState;
  /** No other state can follow; false also if the operator's word for the state is unknown. */
  final: boolean;
  /** The operator's `err:` word, or the network_error_code as "type:code"; empty if there is none. */
  errorCode: string;
  userMessageReference?: number;
  /** The `done date:`, read as UTC; without seconds, it is the last second of its minute. See `deliveryAgeMs`. */
  doneAt?: Date;
}

/**
 * Whether a deliver_sm is about an earlier message and not a message from a handset. esm_class bits 5-2 (section
 * 5.2.12) are 1 for a receipt and 8 for an intermediate notification (handsets write 2 and 4). Some operators leave
 * them 0 and give receipted_message_id. Others give only the text: it is accepted only if `plain` allows it, since a
 * person can write it too.
 */
export function isReceipt(pdu: DeliverSm, plain = false): boolean {
  const messageType = (pdu.esmClass >> 2) & 0x0f;
  if (messageType === 1 || messageType === 8 || pdu.tlvs?.receiptedMessageId !== undefined) return true;
  return plain && messageType === 0 && isReceiptText(textOf(pdu));
}

/**
 * Reads a receipt (sections 5.3.2.12 and 5.3.2.35, appendix B). Returns null if the deliver_sm is not a receipt or
 * names no message.
 * Never throws; the time is linear in the text, of which 1,024 characters are read (D07, D12).
 */
export function readReceipt(pdu: DeliverSm, plain = false): Receipt | null {
  if (!isReceipt(pdu, plain)) return null;
  const words = readWords(textOf(pdu));
  const { receiptedMessageId, messageState = 0, networkErrorCode, userMessageReference } = pdu.tlvs ?? {};
  const written = words.get("id") ?? "";
  const messageId = receiptedMessageId || written;
  if (messageId === "" && userMessageReference === undefined) return null;
  const told = STATES.get(messageState) ?? STATE_BY_WORD.get(words.get("stat")?.toUpperCase() ?? "");
  const isIntermediate = (pdu.esmClass & 0x20) !== 0 || told === "ENROUTE" || told === "ACCEPTED";
  const doneAt = readDate(words.get("donedate") ?? "");
  return {
    messageId,
    ...(written === messageId || written === "" ? {} : { textId: written }),
    state: told ?? "UNKNOWN",
    final: told !== undefined && !isIntermediate,
    errorCode: readNetworkError(networkErrorCode) ?? words.get("err") ?? "",
    ...(userMessageReference === undefined ? {} : { userMessageReference }),
    ...(doneAt === undefined ? {} : { doneAt }),
  };
}

/** The text of a receipt, without the NULs with which operators pad it. */
function textOf(pdu: DeliverSm): string {
  const { octets } = userDataOf(pdu);
  const text = isUcs2(pdu.dataCoding)
    ? wideText(octets.subarray(0, 2 * MAX_TEXT_CHARACTERS))
    : octets.toString("latin1", 0, MAX_TEXT_CHARACTERS);
  return text.replaceAll("\0", " ");
}

function wideText(octets: Buffer): string {
  const bigEndian = isLittleEndianAscii(octets) ? swapped(octets) : bigEndianOf(octets);
  return swapped(bigEndian.subarray(0, bigEndian.length & ~1)).toString("utf16le");
}

const KEYS = String.raw`(?:id|msg[ _]?id|message[ _]?id|sub|dlvrd|submit[\s_]{0,8}date|done[\s_]{0,8}date|stat(?:us)?|err(?:or)?|text)`;

/**
 * One word of the text form. Each word is searched on its own, so that order, case, spaces and missing words do not
 * matter. A value may contain colons, as some ids do, but is never the next key: in "id: sub:001" the id is empty.
 * Every repetition is bounded, so that backtracking is negligible.
 */
const WORD = new RegExp(
  String.raw`(?<![^\s,;])(${KEYS})\s{0,8}[:=](?:\s{0,8}(?!${KEYS}\s{0,8}[:=])([^\s,;]{1,80})(?![^\s,;]))?`,
  "gi",
);

/** Operators' other names for the words of appendix B. */
const NAMES: Readonly<Record<string, string>> = {
  msgid: "id",
  messageid: "id",
  status: "stat",
  error: "err",
};

function readWords(text: string): Map<string, string> {
  const words = new Map<string, string>();
  for (const [, key = "", value] of text.matchAll(WORD)) {
    const written = key.toLowerCase().replace(/[\s_]+/, "");
    const name = NAMES[written] ?? written;
    // The subscriber wrote the text after `text:`, so a "stat:" in it is ignored.
    if (name === "text") break;
    if (value !== undefined && !words.has(name)) words.set(name, unquoted(value));
  }
  return words;
}

/** Whether a text is a receipt and nothing else up to `text:`, with the words that every operator writes. */
function isReceiptText(text: string): boolean {
  const [told = ""] = text.split(/(?<![^\s,;])text\s{0,8}[:=]/i, 1);
  const words = readWords(told);
  const isWhole = ["id", "submitdate", "donedate", "stat"].every((name) => words.has(name));
  return isWhole && /^[\s,;]*$/.test(told.replace(WORD, ""));
}

/** Some operators write values in quotes. */
function unquoted(value: string): string {
  return /^(["']).*\1$/.test(value) && value.length > 2 ? value.slice(1, -1) : value;
}

/** network_error_code: one octet of network type, two of code (section 5.3.2.31). */
function readNetworkError(octets: Buffer | undefined): string | undefined {
  return octets?.length === 3 ? `${octets[0]}:${octets.readUInt16BE(1)}` : undefined;
}

/** How an operator writes message ids, and how those of its answers are made equal to those of its receipts. */
export type MessageIdForm = "as-is" | "quoted" | "hex-to-decimal" | "decimal-to-hex" | "case";

/**
 * Returns a message id in the form in which the id of a submit_sm_resp and the id of its receipt are equal (D06). If an
 * operator answers in hexadecimal and reports in decimal, use `hex-to-decimal` for answers and `as-is` for receipts.
 * Case and leading zeros are ignored, except with `case`; an id that is no number (a GUID) is never converted. Spaces
 * and quotes around an id are removed, and `_` may have arrived as its septet in GSM-7.
 */
export function normaliseMessageId(id: string, form: MessageIdForm): string {
  const written = unquoted(id.trim()).replaceAll(GSM_UNDERSCORE, "_");
  if (form === "case") return written;
  const word = written.toLowerCase();
  if (form === "hex-to-decimal" && /^[0-9a-f]{1,64}$/.test(word)) return BigInt(`0x${word}`).toString();
  if (form === "decimal-to-hex" && /^[0-9]{1,64}$/.test(word)) return BigInt(word).toString(16);
  return word.replace(/^0+(?=.)/, "");
}

/**
 * Returns a comparable id in its other bases, if it may be a number: an operator may answer in hexadecimal and report
 * in decimal, or the reverse, without its settings saying so. Short numbers have none: they are too often the id of
 * another message.
 */
export function otherBasesOf(id: string): string[] {
  return [
    ...(/^[0-9a-f]{6,16}$/.test(id) ? [BigInt(`0x${id}`).toString()] : []),
    ...(/^[0-9]{6,20}$/.test(id) ? [BigInt(id).toString(16)] : []),
  ];
}

/** 3GPP TS 23.038, section 6.2.1: the octet of `_` in a text in GSM-7 with one septet per octet. */
const GSM_UNDERSCORE = "\x11";

/** The report of an SMSC on one message. */
export interface ReceiptToWrite {
  messageId: string;
  state: ReceiptState;
  errorCode: string;
  submittedAt: Date;
  doneAt: Date;
  /** The message that the receipt is about: its addresses are exchanged. */
  message: Pick<
    ShortMessage,
    "sourceAddr" | "sourceAddrTon" | "sourceAddrNpi" | "destinationAddr" | "destAddrTon" | "destAddrNpi"
  >;
  text: string;
  userMessageReference?: number | undefined;
}

/** Returns the deliver_sm of a receipt, with the text of appendix B and parameters that say the same. */
export function writeReceipt(receipt: ReceiptToWrite): OutgoingMessage {
  const { messageId, state, message, userMessageReference } = receipt;
  const [, messageState, word] = STATE_TABLE.find(([name]) => name === state)!;
  const delivered = state === "DELIVERED" ? "001" : "000";
  const text =
    `id:${messageId} sub:001 dlvrd:${delivered} submit date:${writeDate(receipt.submittedAt)} ` +
    `done date:${writeDate(receipt.doneAt)} stat:${word} err:${receipt.errorCode} ` +
    `text:${receipt.text.slice(0, 20)}`;
  return {
    sourceAddrTon: message.destAddrTon,
    sourceAddrNpi: message.destAddrNpi,
    sourceAddr: message.destinationAddr,
    destAddrTon: message.sourceAddrTon,
    destAddrNpi: message.sourceAddrNpi,
    destinationAddr: message.sourceAddr,
    esmClass: 0x04,
    shortMessage: Buffer.from(text, "latin1"),
    tlvs: {
      receiptedMessageId: messageId,
      messageState,
      ...(userMessageReference === undefined ? {} : { userMessageReference }),
    },
  };
}

// Delivery receipts inside deliver_sm: read (parameters first, text second), written, and message ids made comparable.
import type { DeliverSm, OutgoingMessage, ShortMessage } from "./pdu.ts";

export type ReceiptState =
  | "ENROUTE"
  | "DELIVERED"
  | "EXPIRED"
  | "DELETED"
  | "UNDELIVERED"
  | "ACCEPTED"
  | "UNKNOWN"
  | "REJECTED";

/** message_state (section 5.2.28), the `stat:` word (appendix B), and words that operators write in its place. */
const STATE_TABLE: readonly [ReceiptState, number, string, ...string[]][] = [
  ["ENROUTE", 1, "ENROUTE", "BUFFERED"],
  ["DELIVERED", 2, "DELIVRD", "DELIVERED"],
  ["EXPIRED", 3, "EXPIRED"],
  ["DELETED", 4, "DELETED"],
  ["UNDELIVERED", 5, "UNDELIV", "UNDELIVERED", "UNDELIVERABLE", "FAILED"],
  ["ACCEPTED", 6, "ACCEPTD", "ACCEPTED"],
  ["UNKNOWN", 7, "UNKNOWN"],
  ["REJECTED", 8, "REJECTD", "REJECTED"],
];
const STATES = new Map(STATE_TABLE.map(([state, number]) => [number, state]));
const STATE_BY_WORD = new Map(
  STATE_TABLE.flatMap(([state, , ...words]) => words.map((word) => [word, state] as const)),
);

/** Characters of a receipt's text that are read. A receipt takes about 120; the rest is the subscriber's own text. */
const MAX_TEXT_BYTES = 1024;

export interface Receipt {
  /** As the operator wrote it: compare by `normaliseMessageId`. Empty when it only gives our reference. */
  messageId: string;
  state: ReceiptState;
  /** No other state can follow; false also when we do not know the operator's word for the state. */
  final: boolean;
  /** The operator's `err:` word, or the network_error_code as "type:code"; empty when there is none. */
  errorCode: string;
  userMessageReference?: number;
  /** The `done date:`, read as UTC; where it has no seconds, the last second of its minute. See `deliveryAgeMs`. */
  doneAt?: Date;
}

/**
 * Whether a deliver_sm tells of an earlier message; otherwise a person wrote it. esm_class bits 5-2 (section 5.2.12) are
 * 1 for a receipt and 8 for an intermediate notification (2 and 4 are written by handsets). Some operators leave them 0.
 */
export function isReceipt(pdu: Pick<DeliverSm, "esmClass" | "tlvs">): boolean {
  const messageType = (pdu.esmClass >> 2) & 0x0f;
  return messageType === 1 || messageType === 8 || pdu.tlvs?.receiptedMessageId !== undefined;
}

/**
 * Reads a receipt (section 5.3.2.12 and 5.3.2.35, appendix B), or null when the deliver_sm is none or names no message.
 * Never throws; the time is linear in the text, of which 1 KiB is read (D07).
 */
export function readReceipt(pdu: DeliverSm): Receipt | null {
  if (!isReceipt(pdu)) return null;
  const words = readWords(pdu);
  const { receiptedMessageId, messageState = 0, networkErrorCode, userMessageReference } = pdu.tlvs ?? {};
  const messageId = receiptedMessageId || words.get("id") || "";
  if (messageId === "" && userMessageReference === undefined) return null;
  const told = STATES.get(messageState) ?? STATE_BY_WORD.get(words.get("stat")?.toUpperCase() ?? "");
  const isIntermediate = (pdu.esmClass & 0x20) !== 0 || told === "ENROUTE" || told === "ACCEPTED";
  const doneAt = readDate(words.get("donedate") ?? "");
  return {
    messageId,
    state: told ?? "UNKNOWN",
    final: told !== undefined && !isIntermediate,
    errorCode: readNetworkError(networkErrorCode) ?? words.get("err") ?? "",
    ...(userMessageReference === undefined ? {} : { userMessageReference }),
    ...(doneAt === undefined ? {} : { doneAt }),
  };
}

/**
 * One word of the text form. Each is searched on its own, so order, case, spaces and missing ones do not matter; a value
 * has no colon, so that in "id: sub:001" the id is empty. Every repetition is bounded: no backtracking to speak of.
 */
const WORD =
  /(?<![^\s,;])(id|sub|dlvrd|submit\s{0,8}date|done\s{0,8}date|stat|err|text)\s{0,8}:(?:\s{0,8}([^\s,;:]{1,80})(?![^\s,;]))?/gi;

function readWords(pdu: DeliverSm): Map<string, string> {
  const bytes = pdu.shortMessage.length > 0 ? pdu.shortMessage : pdu.tlvs?.messagePayload;
  const words = new Map<string, string>();
  for (const [, key = "", value] of bytes?.toString("latin1", 0, MAX_TEXT_BYTES).matchAll(WORD) ?? []) {
    const name = key.toLowerCase().replace(/\s+/, "");
    // A person wrote what follows `text:`, so a "stat:" in it is ignored.
    if (name === "text") break;
    if (value !== undefined && !words.has(name)) words.set(name, value);
  }
  return words;
}

/** network_error_code: one octet of network type, two of code (section 5.3.2.31). */
function readNetworkError(octets: Buffer | undefined): string | undefined {
  return octets?.length === 3 ? `${octets[0]}:${octets.readUInt16BE(1)}` : undefined;
}

/** YYMMDDhhmm, or longer by seconds or a 4-digit year. */
function readDate(digits: string): Date | undefined {
  const hasLongYear = digits.length === 14 || (digits.length === 12 && digits.startsWith("20"));
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?$/.exec(hasLongYear ? digits : `20${digits}`);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second = "59"] = parts.slice(1);
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // JavaScript reads 30 February as 2 March.
  return date.getUTCDate() === Number(day) ? date : undefined;
}

/** How far the clock of an operator may be off. */
const CLOCK_ERROR_MS = 5 * 60_000;
/** The zones of the world are whole quarter hours, up to 14 hours, before and after UTC. */
const ZONE_STEP_MS = 15 * 60_000;
const ZONE_AT_MOST_MS = 14 * 3_600_000;

/**
 * How long before its receipt came a message was delivered, in milliseconds: 0 where the receipt gives no date that can
 * be true. The date of appendix B has no zone. It is read as UTC; a date in the future is the local time of an operator
 * further east, and is moved back by the fewest quarter hours that end before the receipt came.
 */
export function deliveryAgeMs(doneAt: Date | undefined, receivedAt: Date): number {
  if (doneAt === undefined) return 0;
  const aheadMs = doneAt.getTime() - receivedAt.getTime();
  const steps = Math.max(0, Math.ceil((aheadMs - CLOCK_ERROR_MS) / ZONE_STEP_MS));
  if (steps * ZONE_STEP_MS > ZONE_AT_MOST_MS) return 0;
  return Math.max(0, steps * ZONE_STEP_MS - aheadMs);
}

/** How one side of an operator writes its ids, and how to make them those of the other side. */
export type MessageIdForm = "as-is" | "hex-to-decimal" | "decimal-to-hex";

/**
 * A message id in the form in which the one of submit_sm_resp and the one of its receipt are equal (D06). Where an
 * operator answers in hexadecimal and reports in decimal, read answers by `hex-to-decimal` and receipts `as-is`.
 * Case and leading zeros never matter; what is no number (a GUID) is never converted.
 */
export function normaliseMessageId(id: string, form: MessageIdForm): string {
  const word = id.trim().toLowerCase();
  if (form === "hex-to-decimal" && /^[0-9a-f]{1,64}$/.test(word)) return BigInt(`0x${word}`).toString();
  if (form === "decimal-to-hex" && /^[0-9]{1,64}$/.test(word)) return BigInt(word).toString(16);
  return word.replace(/^0+(?=.)/, "");
}

/** What an SMSC reports of one message. */
export interface ReceiptToWrite {
  messageId: string;
  state: ReceiptState;
  errorCode: string;
  submittedAt: Date;
  doneAt: Date;
  /** Of the message reported on: its addresses are exchanged. */
  message: Pick<
    ShortMessage,
    "sourceAddr" | "sourceAddrTon" | "sourceAddrNpi" | "destinationAddr" | "destAddrTon" | "destAddrNpi"
  >;
  text: string;
  userMessageReference?: number | undefined;
}

/** The deliver_sm of a receipt, with the text of appendix B and the parameters that make reading it unnecessary. */
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

function writeDate(date: Date): string {
  return date.toISOString().replace(/\D/g, "").slice(2, 12);
}

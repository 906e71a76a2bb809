// The messages of a soak: each has a key that both the operator's log and the record can tell from it.
import type { SubmitSm } from "../../src/protocol/smpp/pdu.ts";
import type { Chance } from "../simulation/chance.ts";

/** Phones of the two operators, and those of one-time passwords, which either of them serves. */
export const PREFIX = { single: "22501", several: "22507", otp: "22505" } as const;
/** Phones below this number get many messages; all others get one. */
export const REGULARS = 2_000;

const TOKEN_DIGITS = 7;
const PREFIX_DIGITS = 4;

export function phoneOf(prefix: string, number: number): string {
  return prefix + String(number).padStart(8, "0");
}

/** Whether a phone may get several messages. */
export function isRegular(phone: string): boolean {
  return Number(phone.slice(-8)) < REGULARS;
}

/** The phone of a one-time password. Neighbours differ ahead of the last four digits, by which codes are guarded. */
export function otpPhone(token: number): string {
  const digits = String(token).padStart(2 * PREFIX_DIGITS, "0");
  return PREFIX.otp + digits.slice(PREFIX_DIGITS) + digits.slice(0, PREFIX_DIGITS);
}

function written(token: number): string {
  return `T${String(token).padStart(TOKEN_DIGITS, "0")}`;
}

/** A text of one to three parts, in GSM-7 or UCS-2. Each part has the whole token of its send somewhere. */
export function textOf(token: number, chance: Chance): string {
  const word = `${written(token)} `;
  if (chance.happens(0.05)) return word.repeat(chance.int(20, 45));
  if (chance.happens(0.03)) return `ŋ ${word.repeat(chance.int(9, 14))}`;
  return chance.happens(0.1) ? `${word}Akwaba ŋ` : `${word}Bonjour`;
}

/** The key of a message, by what the record has of it. Only one-time passwords have no token. */
export function keyOf(phone: string, body: string | null): string {
  if (phone.startsWith(PREFIX.otp)) return phone;
  return `${/T\d{7}/.exec(body ?? "")?.[0] ?? ""} ${phone}`;
}

const UDHI = 0x40;
const UDH8_OCTETS = 6;
const UCS2 = 8;

/** Which part of its message a submit_sm is, of how many; both count from 1. */
export function partOf({ esmClass, shortMessage, tlvs }: SubmitSm): { part: number; parts: number } {
  if (esmClass & UDHI) return { parts: shortMessage[4]!, part: shortMessage[5]! };
  return { parts: tlvs?.sarTotalSegments ?? 1, part: tlvs?.sarSegmentSeqnum ?? 1 };
}

/** The key of a message, by a submit_sm. */
export function keyOfSubmit({ destinationAddr, esmClass, dataCoding, shortMessage }: SubmitSm): string {
  const octets = esmClass & UDHI ? shortMessage.subarray(UDH8_OCTETS) : shortMessage;
  // GSM-7 has the letters and digits of ASCII at their octets.
  const text =
    dataCoding === UCS2 ? Buffer.from(octets).swap16().toString("utf16le") : octets.toString("latin1");
  return keyOf(destinationAddr, text);
}

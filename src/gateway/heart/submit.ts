// Makes the submit_sm of a message: addresses, coding, segments.

import type { OperatorRow } from "../../operators/operators.ts";
import type { OutgoingMessage } from "../../smpp/smpp.ts";
import { addressOf, splitText } from "../../sms/sms.ts";

// SMPP 3.4, sections 5.2.5 and 5.2.6.
const TON = { international: 1, networkSpecific: 3, alphanumeric: 5 } as const;
const NPI = { unknown: 0, isdn: 1 } as const;
// Section 5.2.12: the message begins with a user data header. Section 5.2.17: a receipt for success and failure.
const UDHI = 0x40;
const RECEIPT = 1;
const DATA_CODING = { "GSM-7": 0, "UCS-2": 8 } as const;
const SHORT_CODE_DIGITS_AT_MOST = 8;

export type Submittable = { phone: string; sender: string; body: string; reference: number };

/**
 * The submit_sm of each segment, in order. Only the last one asks for a receipt. Handsets assemble the segments, so its
 * delivery stands for the message's, and an operator sends one receipt per message instead of up to ten.
 * `validForSeconds` limits how long the operator keeps trying (validity_period, section 7.1.1).
 */
export function submitSmsOf(
  message: Submittable,
  concatenation: OperatorRow["concatenation"],
  validForSeconds?: number,
): OutgoingMessage[] {
  const { encoding, parts } = splitText(message.body, concatenation === "udh16");
  const common: OutgoingMessage = {
    ...sourceOf(message.sender),
    destAddrTon: TON.international,
    destAddrNpi: NPI.isdn,
    destinationAddr: message.phone,
    dataCoding: DATA_CODING[encoding],
  };
  if (validForSeconds !== undefined) common.validityPeriod = relativeTime(validForSeconds);
  const receipt = { registeredDelivery: RECEIPT, tlvs: { userMessageReference: message.reference } };
  if (parts.length === 1) return [{ ...common, ...receipt, shortMessage: Buffer.from(parts[0]!) }];
  if (concatenation === "payload") {
    const tlvs = { ...receipt.tlvs, messagePayload: Buffer.concat(parts) };
    return [{ ...common, ...receipt, tlvs }];
  }
  return parts.map((part, i) => {
    const last = i === parts.length - 1;
    const place = [message.reference, parts.length, i + 1] as const;
    const bySar = concatenation === "sar";
    const header = bySar ? [] : userDataHeader(concatenation, ...place);
    return {
      ...common,
      esmClass: bySar ? 0 : UDHI,
      shortMessage: Buffer.concat([Buffer.from(header), part]),
      registeredDelivery: last ? RECEIPT : 0,
      tlvs: { ...(bySar && sar(...place)), ...(last && receipt.tlvs) },
    };
  });
}

function sourceOf(sender: string): Pick<OutgoingMessage, "sourceAddrTon" | "sourceAddrNpi" | "sourceAddr"> {
  if (!/^\d+$/.test(sender))
    return { sourceAddrTon: TON.alphanumeric, sourceAddrNpi: NPI.unknown, sourceAddr: addressOf(sender) };
  const short = sender.length <= SHORT_CODE_DIGITS_AT_MOST;
  return {
    sourceAddrTon: short ? TON.networkSpecific : TON.international,
    sourceAddrNpi: short ? NPI.unknown : NPI.isdn,
    sourceAddr: sender,
  };
}

/** 3GPP TS 23.040, sections 9.2.3.24.1 (8-bit reference) and 9.2.3.24.8 (16-bit reference). */
function userDataHeader(form: "udh8" | "udh16", reference: number, total: number, number: number): number[] {
  return form === "udh8"
    ? [5, 0x00, 3, reference & 0xff, total, number]
    : [6, 0x08, 4, reference >> 8, reference & 0xff, total, number];
}

/** SMPP 3.4, sections 5.3.2.22 to 5.3.2.24. */
function sar(reference: number, total: number, number: number) {
  return { sarMsgRefNum: reference, sarTotalSegments: total, sarSegmentSeqnum: number };
}

/** Relative time format, section 7.1.1.2: YYMMDDhhmmss000R. */
function relativeTime(seconds: number): string {
  const whole = Math.max(1, Math.floor(seconds));
  const two = (value: number) => String(value).padStart(2, "0");
  const days = Math.floor(whole / 86_400);
  return `0000${two(days)}${two(Math.floor(whole / 3600) % 24)}${two(Math.floor(whole / 60) % 60)}${two(whole % 60)}000R`;
}

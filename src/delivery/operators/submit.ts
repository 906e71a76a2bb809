// Builds the submit_sm of a message: addresses, data coding, segments.

import type { OutgoingMessage } from "../../protocol/smpp/pdu.ts";
import { absoluteTime, relativeTime } from "../../protocol/smpp/times.ts";
import { decodeGsm7 } from "../../protocol/sms/encoding.ts";
import { splitText } from "../../protocol/sms/segments.ts";
import { addressOf } from "../../protocol/sms/sendernames.ts";
import type { Submission, Submittable, When } from "./carrier.ts";
import type { OperatorSettings, TonNpi } from "./settings.ts";
import type { OperatorRow } from "./sql.ts";

// SMPP 3.4, section 5.2.12: the message begins with a user data header.
const UDHI = 0x40;
const SHORT_CODE_DIGITS_AT_MOST = 8;
// Those of Côte d’Ivoire and Benin. With a country code, nearly all African numbers have eleven digits or more.
const NATIONAL_DIGITS_AT_MOST = 10;

type Form = OperatorRow["concatenation"];

/** The settings of an operator that shape its submit_sm. */
export type SubmitTerms = { operator: { concatenation: Form }; settings: OperatorSettings };

/**
 * Returns the submit_sm of each segment, in order. Each requests a receipt if the text has at most `partReceipts`
 * segments; for a longer text only the last one does, and its delivery stands for the message's. Only the last one
 * carries our reference, so a receipt with it proves that the operator accepted the whole text.
 */
export function submissionOf(
  message: Omit<Submittable, "sendId" | "number">,
  terms: SubmitTerms,
  when: When,
): Submission {
  const { settings } = terms;
  const { form, dataCoding, parts } = codedOf(message.body, terms);
  const { ton: destAddrTon, npi: destAddrNpi } = settings.destinationTonNpi;
  const common: OutgoingMessage = {
    ...sourceOf(message.sender, settings),
    destAddrTon,
    destAddrNpi,
    destinationAddr: message.phone,
    dataCoding,
  };
  if (settings.serviceType) common.serviceType = settings.serviceType;
  const validityPeriod = validityOf(settings, when);
  if (validityPeriod) common.validityPeriod = validityPeriod;
  const receipt = {
    registeredDelivery: settings.registeredDelivery,
    tlvs: settings.userMessageReference ? { userMessageReference: message.reference } : {},
  };
  const [first] = parts;
  if (first && parts.length === 1)
    return { requests: [{ ...common, ...receipt, shortMessage: Buffer.from(first) }], parts: 1 };
  if (form === "payload") {
    const tlvs = { ...receipt.tlvs, messagePayload: Buffer.concat(parts) };
    return { requests: [{ ...common, ...receipt, tlvs }], parts: parts.length };
  }
  const isEachAsked = parts.length <= settings.partReceipts;
  const requests = parts.map((part, i) => {
    const last = i === parts.length - 1;
    const place = [message.reference, parts.length, i + 1] as const;
    const bySar = form === "sar";
    const header = bySar ? [] : userDataHeader(form, ...place);
    return {
      ...common,
      esmClass: bySar ? 0 : UDHI,
      shortMessage: Buffer.concat([Buffer.from(header), part]),
      registeredDelivery: last || isEachAsked ? receipt.registeredDelivery : 0,
      tlvs: { ...(bySar && sar(...place)), ...(last && receipt.tlvs) },
    };
  });
  return { requests, parts: parts.length };
}

type Coded = { form: Form; dataCoding: number; parts: readonly Uint8Array[] };

/**
 * A text is charged in parts of 153 septets (67 UCS-2 units). `udh16` leaves room for one less, so a text that needs
 * more parts in that form is sent in the operator's alternative form, if it has one.
 */
function codedOf(text: string, { operator, settings }: SubmitTerms): Coded {
  const coded = codedIn(formFor(operator.concatenation, settings), text, settings);
  if (coded.form !== "udh16" || coded.parts.length === 1 || !settings.udh16Alternative) return coded;
  const other = codedIn(formFor(settings.udh16Alternative, settings), text, settings);
  return other.parts.length < coded.parts.length ? other : coded;
}

/** A peer of version 3.3 takes no optional parameters (SMPP 3.4, 2.6.4), without which these forms lose text. */
function formFor(form: Form, { interfaceVersion }: OperatorSettings): Form {
  return interfaceVersion === "3.3" && (form === "sar" || form === "payload") ? "udh8" : form;
}

/** The highest character of each alphabet. All below it are encoded as one octet of the same value. */
const HIGHEST = { "latin-1": 0xff, ia5: 0x7f } as const;

/**
 * Splits a text into parts in the operator's alphabet. The operator converts them to GSM-7 for the handset, so they are
 * the GSM-7 parts in other octets. A text with a character that the alphabet lacks is sent as UCS-2: it arrives as
 * written, but may take more parts.
 */
function codedIn(form: Form, text: string, settings: OperatorSettings): Coded {
  const { alphabet, dataCoding, ucs2DataCoding } = settings;
  const longHeader = form === "udh16";
  const { encoding, parts } = splitText(text, { longHeader });
  if (encoding === "UCS-2") return { form, dataCoding: ucs2DataCoding, parts };
  if (alphabet === "gsm-7") return { form, dataCoding, parts };
  if (isWithin(text, HIGHEST[alphabet]))
    return { form, dataCoding, parts: parts.map((part) => Buffer.from(decodeGsm7(part), "latin1")) };
  return { form, dataCoding: ucs2DataCoding, parts: splitText(text, { longHeader, asUcs2: true }).parts };
}

function isWithin(text: string, highest: number): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > highest) return false;
  return true;
}

type Source = Pick<OutgoingMessage, "sourceAddrTon" | "sourceAddrNpi" | "sourceAddr">;

function sourceOf(sender: string, settings: OperatorSettings): Source {
  const { ton: sourceAddrTon, npi: sourceAddrNpi } = tonNpiOf(sender, settings);
  return { sourceAddrTon, sourceAddrNpi, sourceAddr: addressOf(sender) };
}

/** No number with its country code begins with 0. */
function tonNpiOf(sender: string, settings: OperatorSettings): TonNpi {
  if (!/^\d+$/.test(sender)) return settings.nameTonNpi;
  if (sender.length <= SHORT_CODE_DIGITS_AT_MOST) return settings.shortCodeTonNpi;
  const isNational = sender.length <= NATIONAL_DIGITS_AT_MOST || sender.startsWith("0");
  return isNational ? settings.nationalTonNpi : settings.internationalTonNpi;
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

/** How long the operator keeps trying (validity_period, section 7.1.1); undefined: as long as the operator chooses. */
function validityOf(settings: OperatorSettings, { clock, leftMs }: When): string | undefined {
  const { validityPeriod, validityPeriodForm } = settings;
  const seconds = Math.min(validityPeriod ?? Infinity, leftMs === undefined ? Infinity : leftMs / 1000);
  if (validityPeriodForm === "none" || seconds === Infinity) return undefined;
  const whole = Math.max(1, Math.floor(seconds));
  return validityPeriodForm === "relative" ? relativeTime(whole) : absoluteTime(clock + whole * 1000);
}

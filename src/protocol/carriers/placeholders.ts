// The placeholders of requests beside the fields of a connector: what is known of one message.
import { encodeGsm7, encodeUcs2, encodingOf } from "../sms/encoding.ts";
import { callingCodeOf, hasTrunkZero } from "../sms/plans.ts";
import type { ConnectorField } from "./connector.ts";
import type { AskedMessage, CarrierMessage } from "./exchange.ts";
import type { ResolveName } from "./templates.ts";

const NUMERIC = /^\+?[0-9]+$/;
/** Longer numbers are no short codes, which have no country code. */
const INTERNATIONAL = /^\+?[1-9][0-9]{8,14}$/;

const hex = (octets: Uint8Array) => Buffer.from(octets).toString("hex").toUpperCase();
const octet = (value: number) => (value & 0xff).toString(16).padStart(2, "0").toUpperCase();

/** Concatenation header with an 8-bit reference (3GPP TS 23.040, 9.2.3.24.1); empty if we do not split. */
function udhHex({ part }: CarrierMessage): string {
  return part ? `050003${octet(part.reference)}${octet(part.total)}${octet(part.number)}` : "";
}

function national({ to }: CarrierMessage): string {
  const code = callingCodeOf(to);
  return (hasTrunkZero(code) ? "0" : "") + to.slice(code.length);
}

/** A validity shorter than one unit counts as one, so that it does not read as no validity. */
function validity(leftMs: number | undefined, unitMs: number): string {
  return leftMs === undefined ? "" : String(Math.max(1, Math.floor(leftMs / unitMs)));
}

const OF_MESSAGES: ReadonlyMap<string, (message: CarrierMessage) => string> = new Map([
  ["id", ({ id }) => id],
  ["to", ({ to }) => to],
  ["toPlus", ({ to }) => `+${to}`],
  ["toZeros", ({ to }) => `00${to}`],
  ["toNational", national],
  ["toTel", ({ to }) => `tel:+${to}`],
  ["from", ({ from }) => from],
  ["fromPlus", ({ from }) => (INTERNATIONAL.test(from) ? `+${from.replace("+", "")}` : from)],
  ["fromTel", ({ from }) => (NUMERIC.test(from) ? `tel:+${from.replace("+", "")}` : from)],
  ["text", ({ text }) => text],
  ["textUcs2Hex", ({ text }) => hex(encodeUcs2(text))],
  ["textGsm7Hex", ({ text }) => (encodingOf(text) === "GSM-7" ? hex(encodeGsm7(text)) : "")],
  ["coding", ({ unicode }) => (unicode ? "8" : "0")],
  ["parts", ({ parts }) => String(parts)],
  ["udhHex", udhHex],
  ["validityMinutes", ({ leftMs }) => validity(leftMs, 60_000)],
  ["validitySeconds", ({ leftMs }) => validity(leftMs, 1_000)],
  ["receiptUrl", ({ receiptUrl }) => receiptUrl],
  ["unicode", ({ unicode }) => (unicode ? "1" : "")],
  ["gsm7", ({ unicode }) => (unicode ? "" : "1")],
  ["long", ({ parts }) => (parts > 1 ? "1" : "")],
]);

/** The names that a request for sending knows beside the fields. */
export const MESSAGE_PLACEHOLDERS: ReadonlySet<string> = new Set(OF_MESSAGES.keys());
/** The names that a status query knows beside the fields: our id of the message, and the carrier's. */
export const STATUS_PLACEHOLDERS: ReadonlySet<string> = new Set(["id", "carrierId"]);

/** The values of all fields: as entered, or their defaults, or empty. Addresses have no slash at their end. */
export function fieldValues(
  fields: readonly ConnectorField[],
  given: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  return new Map(
    fields.map(({ name, default: usual = "", format }) => {
      const value = (Object.hasOwn(given, name) ? given[name] : undefined) || usual;
      return [name, format === "url" ? value.replace(/\/+$/, "") : value];
    }),
  );
}

/** Returns what the names of a request for sending stand for. */
export function ofMessages(values: ReadonlyMap<string, string>): ResolveName<CarrierMessage> {
  return (name) => values.get(name) ?? OF_MESSAGES.get(name) ?? "";
}

/** Returns what the names of a status query stand for. */
export function ofStatus(values: ReadonlyMap<string, string>): ResolveName<AskedMessage> {
  return (name) => {
    if (name === "id" || name === "carrierId") return (message) => message[name];
    return values.get(name) ?? "";
  };
}

/** Returns what names stand for where only the fields are known. */
export function ofFields(values: ReadonlyMap<string, string>): (name: string) => string {
  return (name) => values.get(name) ?? "";
}

// The text of a message from a handset: as the callback has it, or decoded from octets that the callback passes on.
import { decodeGsm7, decodeUcs2 } from "../sms/encoding.ts";
import type { InboundOctets, InboundRules } from "./connector.ts";
import { compileConditions, compileSource, type Test } from "./picking.ts";
import { type CarrierReading, decodeBody, octetsOfParameter } from "./reading.ts";

type PickOctets = (reading: CarrierReading, item: unknown) => Buffer | undefined;
type Decoding = { isUsed: Test; octetsIn: PickOctets; decode: (octets: Buffer) => string };

/**
 * Compiles the reading of a text. Of the entries for octets, the first whose conditions hold is used. If its octets are
 * absent or broken, the text is read as if there were no octets: a message is never refused for them.
 */
export function compileText({
  text,
  octets = [],
}: InboundRules): (reading: CarrierReading, item: unknown) => string {
  const textIn = compileSource(text);
  const decodings = octets.map(compileDecoding);
  return (reading, item) => {
    const used = decodings.find(({ isUsed }) => isUsed(reading, item));
    const found = used?.octetsIn(reading, item);
    return (used && found ? used.decode(found) : (textIn(reading, item) ?? "")).toWellFormed();
  };
}

function compileDecoding({ source, written, encoding, when }: InboundOctets): Decoding {
  return {
    isUsed: compileConditions(when),
    octetsIn: written === "hex" ? compileHex(source) : compileParameter(source),
    decode: DECODERS[encoding],
  };
}

const HEX = /^(?:[0-9a-f]{2})+$/i;

function compileHex(source: InboundOctets["source"]): PickOctets {
  const hexIn = compileSource(source);
  return (reading, item) => {
    const hex = hexIn(reading, item);
    return hex !== undefined && HEX.test(hex) ? Buffer.from(hex, "hex") : undefined;
  };
}

function compileParameter({ query = "" }: InboundOctets["source"]): PickOctets {
  return (reading) => octetsOfParameter(reading.search, query);
}

const DECODERS: Readonly<Record<InboundOctets["encoding"], (octets: Buffer) => string>> = {
  // Operators deliver Latin-1 and UTF-8 under the coding of GSM-7: an octet above 0x7F cannot be a septet.
  "gsm-7": (octets) => (octets.some((octet) => octet > 0x7f) ? decodeBody(octets, {}) : decodeGsm7(octets)),
  "ucs-2": decodeUcs2,
  "latin-1": (octets) => decodeBody(octets, {}),
};

// PDUs for tests that speak SMPP byte by byte.
import { encodedBytesAtMost, encodeInto } from "../src/protocol/smpp/codec.ts";
import type { Command, KnownPdu } from "../src/protocol/smpp/pdu.ts";

/** One PDU as bytes of its own. */
export function encode(pdu: Partial<KnownPdu> & { command: Command }): Buffer {
  const out = Buffer.allocUnsafe(encodedBytesAtMost(pdu));
  return out.subarray(0, encodeInto(out, 0, pdu.command, pdu.status ?? 0, pdu.sequence ?? 0, pdu));
}

// What people write back: a wish for no more messages, or for messages again, goes to the company that wrote to them last.
import type { Runtime } from "../kernel/runtime.ts";
import type { HandsetMessage } from "../messages/messages.ts";
import { heedWish, readWish } from "../optouts/optouts.ts";
import { decodeGsm7, decodeUcs2, normalisePhone } from "../sms/sms.ts";
import * as sql from "./sql.ts";

/**
 * Opts a handset that answers STOP out of the company that wrote to it last, under the name that it answers or, where
 * nobody did (a short code), under any. START ends that of the one that wrote last of those it is opted out of: by then
 * others may have written. One-time passwords are no campaigns: who sends only those has not written.
 */
export async function heedReply(app: Runtime, { from, to, pdu }: HandsetMessage): Promise<void> {
  const phone = normalisePhone(from);
  const wish = readWish(textOf(pdu));
  if (phone === null || wish === null) return;
  await app.database.transaction(async (tx) => {
    const [writer] = await tx.run(sql.findLastWriter, [phone, to, wish === "start"]);
    if (writer) await heedWish(tx, wish, writer.company_id, phone);
  });
}

// SMPP 3.4, sections 5.2.12 and 5.2.19.
const UDHI = 0x40;
const IA5 = 1;
const LATIN_1 = 3;

/** The text of a deliver_sm. Whatever its data_coding, it is read as something: a reply is not ours to refuse. */
function textOf({ esmClass, dataCoding, shortMessage, tlvs }: HandsetMessage["pdu"]): string {
  const data = shortMessage.length > 0 ? shortMessage : (tlvs?.messagePayload ?? shortMessage);
  const octets = esmClass & UDHI ? data.subarray(1 + (data[0] ?? 0)) : data;
  if (dataCoding === IA5 || dataCoding === LATIN_1) return octets.toString("latin1");
  // Bits 3 and 2 are 10 for UCS-2, with or without a message class (3GPP TS 23.038, section 4).
  return (dataCoding & 0xcc) === 0x08 ? decodeUcs2(octets) : decodeGsm7(octets);
}

// Replies of handsets: STOP and START go to the company that wrote to the handset last.

import type { HandsetMessage } from "../gateway/gateway.ts";
import { gather } from "../kernel/gather.ts";
import { perRuntime, type Runtime } from "../kernel/runtime.ts";
import { isServed } from "../operators/operators.ts";
import { erasedKeyOf, heedWish, readWish, type Wish } from "../optouts/optouts.ts";
import { decodeGsm7, decodeUcs2, maskPhone, nameIn, normalisePhone } from "../sms/sms.ts";
import { announceEvents } from "../webhooks/webhooks.ts";
import * as sql from "./sql.ts";

type HeededReply = Pick<HandsetMessage, "operatorIds"> & { phone: string; to: string; wish: Wish };

// One at a time in each process: the look-up takes 15 to 40 ms at 20 million messages (see migrations/0009_optouts.sql),
// and a campaign that many people answer must not take the connections that send.
const REPLIES_TOGETHER = 100;

const heeder = perRuntime((app) =>
  gather<HeededReply, undefined>({
    max: REPLIES_TOGETHER,
    async run(replies) {
      const results: (Error | undefined)[] = [];
      for (const reply of replies) results.push(await heed(app, reply).catch((error: Error) => error));
      return results;
    },
  }),
);

/**
 * STOP opts a handset out of the company that wrote to it last under the name that it answers, or under any name where
 * nobody wrote under that one (a short code). START ends the opt-out of the company that wrote last among those it is opted
 * out of, since others may have written meanwhile. Where no message under this name is left, since the person was erased,
 * both are for the company with this name that the erased person had opted out of, and where nobody wrote, for the last of
 * these. An operator speaks only for numbers that it serves. One-time passwords do not count as writing. Rejects when the
 * database is not available; the operator then delivers the reply again, and a repeat changes nothing.
 */
export async function heedReply(app: Runtime, { from, to, ...message }: HandsetMessage): Promise<void> {
  const phone = normalisePhone(from);
  const wish = readWish(decodeReply(message));
  const { operatorIds } = message;
  if (phone !== null && wish !== null) await heeder(app)({ operatorIds, phone, to: nameIn(to), wish });
}

async function heed(app: Runtime, { operatorIds, phone, to, wish }: HeededReply): Promise<undefined> {
  if (!(await isServed(app.database, operatorIds, phone))) {
    app.log.warn({ operatorIds, phone: maskPhone(phone), wish }, "an operator does not serve who replied");
    return;
  }
  await app.database.transaction(async (tx) => {
    const [writer] = await tx.run(sql.findLastWriter, [phone, to, wish === "start"]);
    const [erased] = writer?.is_named
      ? []
      : await tx.run(sql.findErasedOptout, [erasedKeyOf(app, phone), to]);
    // What is said to a company that has erased the person is not said to another one, though that has written last.
    const companyId = (erased?.is_named ? erased : (writer ?? erased))?.company_id;
    if (companyId) await heedWish(app, tx, wish, { companyId, phone });
  });
  announceEvents(app);
}

// SMPP 3.4, sections 5.2.12 and 5.2.19.
const UDHI = 0x40;
const IA5 = 1;
const LATIN_1 = 3;

/** The text of a deliver_sm. Any data_coding is read somehow, because a reply is never refused. */
function decodeReply({ pdu, settings }: Pick<HandsetMessage, "pdu" | "settings">): string {
  const { esmClass, dataCoding, shortMessage, tlvs } = pdu;
  const data = shortMessage.length > 0 ? shortMessage : (tlvs?.messagePayload ?? shortMessage);
  const octets = esmClass & UDHI ? data.subarray(1 + (data[0] ?? 0)) : data;
  const isItsOwn = settings.alphabet !== "gsm-7" && dataCoding === settings.dataCoding;
  if (isItsOwn || dataCoding === IA5 || dataCoding === LATIN_1) return octets.toString("latin1");
  // Bits 3 and 2 are 10 for UCS-2, with or without a message class (3GPP TS 23.038, section 4).
  return (dataCoding & 0xcc) === 0x08 ? decodeUcs2(octets) : decodeGsm7(octets);
}

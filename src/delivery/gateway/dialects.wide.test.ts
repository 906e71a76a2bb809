// Receipts as operators differ in them, from their bytes to the status of the message.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { encode } from "../../../test/pdu.ts";
import {
  accepted,
  allAre,
  assertBalanced,
  deliverReceipt,
  NEVER,
  phones,
  rows,
  type Scope,
  send,
  site,
  startScripted,
  statusesOf,
} from "../../../test/sending.ts";
import { type TestService, until } from "../../../test/testservice.ts";
import { type OutgoingMessage, STATUS, type SubmitSm } from "../../protocol/smpp/pdu.ts";

/** The words of a receipt about a message. */
function textOf(id: string, date = "2611210905"): string {
  return `id:${id} sub:001 dlvrd:001 submit date:${date} done date:${date} stat:DELIVRD err:000 text:`;
}

function addressesOf(pdu: SubmitSm) {
  return { sourceAddr: pdu.destinationAddr, destinationAddr: pdu.sourceAddr };
}

/** The session that takes messages and receipts, once there is one. */
function ableSession(here: TestService, but = ""): Promise<string> {
  const able = "SELECT session_id FROM operator_binds WHERE able_until > now() AND session_id <> $1";
  return until(async () => (await rows(here.app, able, [but]))[0]?.session_id);
}

/** Changes a setting of the operator once it is bound, and waits for the session that has it. */
async function renewed(here: TestService, column: string, value: string | boolean) {
  const before = await ableSession(here);
  await rows(here.app, `UPDATE operators SET ${column} = $1`, [value]);
  await ableSession(here, before);
}

/** A company with a message that an operator of these settings accepts as `id`, and the session that may report on it. */
async function sent(t: Scope, id: string, settings: Record<string, string | boolean> = {}) {
  const operator = await startScripted(t, () => accepted(id));
  const { here } = await site(t, operator.port);
  for (const [column, value] of Object.entries(settings)) await renewed(here, column, value);
  const company = await here.company({ credits: 10 });
  const campaign = await send(company, phones(1));
  await allAre("SENT", company, campaign);
  const session = operator.sessions.at(-1)!;
  return { here, operator, company, campaign, session, pdu: operator.received[0]! };
}

suite("dialects", { concurrency: 4 }, () => {
  const octets = Buffer.from(textOf("ab_1"));
  const forms: Record<string, OutgoingMessage> = {
    "in UCS-2": {
      destinationAddr: "",
      esmClass: 4,
      dataCoding: 8,
      shortMessage: Buffer.from(textOf("AB_1"), "utf16le").swap16(),
    },
    "after a user data header": {
      destinationAddr: "",
      esmClass: 0x44,
      shortMessage: Buffer.concat([Buffer.from("0500032a0101", "hex"), octets]),
    },
    "with a quoted id and a NUL at its end": {
      destinationAddr: "",
      esmClass: 4,
      shortMessage: Buffer.from('id:"ab_1" stat:DELIVRD\0'),
    },
    "with `_` as its septet": {
      destinationAddr: "",
      esmClass: 4,
      shortMessage: Buffer.from(textOf("ab\x111")),
    },
  };
  for (const [name, form] of Object.entries(forms)) {
    test(`D12: a receipt ${name} ends its message`, async (t) => {
      const { company, campaign, session, pdu } = await sent(t, "AB_1");
      assert.equal((await session.deliver({ ...form, ...addressesOf(pdu) })).status, STATUS.ESME_ROK);
      await allAre("DELIVERED", company, campaign);
    });
  }

  test("D12: a receipt by data_sm ends its message", async (t) => {
    const { operator, company, campaign, session, pdu } = await sent(t, "77");
    const incoming = {
      ...addressesOf(pdu),
      esmClass: 4,
      tlvs: { messagePayload: Buffer.from(textOf("77")) },
    };
    operator.socketOf(session).write(encode({ command: "data_sm", sequence: 1_000, ...incoming }));
    await allAre("DELIVERED", company, campaign);
  });

  test("D12: with esm_class 0, the text of a receipt counts only where `plainReceipts` is set", async (t) => {
    const { here, operator, company, campaign, session, pdu } = await sent(t, "77");
    const plain = { ...addressesOf(pdu), shortMessage: Buffer.from(textOf("77")) };
    assert.equal((await session.deliver(plain)).status, STATUS.ESME_ROK);
    assert.deepEqual(await statusesOf(company, campaign), ["SENT"], "a person can write that too");
    await renewed(here, "plain_receipts", true);
    assert.equal((await operator.sessions.at(-1)!.deliver(plain)).status, STATUS.ESME_ROK);
    await allAre("DELIVERED", company, campaign);
  });

  test("D06: by the form `case`, ids that differ in case alone are those of two messages", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(n === 1 ? "aB" : "Ab"));
    const { here } = await site(t, operator.port);
    await renewed(here, "message_id_form", "case");
    const company = await here.company({ credits: 10 });
    const ids = [await send(company, phones(1)), await send(company, phones(1))];
    for (const id of ids) await allAre("SENT", company, id);
    const second = operator.received[1]!;
    await deliverReceipt(operator.sessions.at(-1)!, { ...second, tlvs: {} }, "Ab");
    const statuses = [];
    for (const id of ids) statuses.push(...(await statusesOf(company, id)));
    assert.deepEqual(statuses.sort(), ["DELIVERED", "SENT"]);
    const [{ id }] = await rows(
      here.app,
      "SELECT operator_message_id AS id FROM messages WHERE status = 'DELIVERED'",
    );
    assert.equal(id, "Ab");
  });

  test("the done date in the operator's zone is the time of delivery", async (t) => {
    const { company, campaign, session, pdu, here } = await sent(t, "77", { receipt_time_zone: "-03:00" });
    await rows(here.app, "UPDATE messages SET sent_at = now() - interval '1 hour'");
    const before = Date.now();
    const local = new Date(before - 3 * 3_600_000 - 30 * 60_000)
      .toISOString()
      .replace(/\D/g, "")
      .slice(2, 14);
    await session.deliver({
      ...addressesOf(pdu),
      esmClass: 4,
      shortMessage: Buffer.from(textOf("77", local)),
    });
    await allAre("DELIVERED", company, campaign);
    const { data } = await company.call(`/v1/campaign/${campaign}/messages`);
    // West of UTC nothing could be guessed: the time at which the receipt came would count.
    assert.ok(Date.parse(data[0].deliveredAt) < before, `${data[0].deliveredAt}`);
  });

  for (const [order, isEarly] of [
    ["after", false],
    ["before", true],
  ] as const) {
    test(`S12: a receipt that comes ${order} an answer without an id ends its message by our reference`, async (t) => {
      const operator = await startScripted(t, async (pdu, session, n) => {
        if (isEarly) assert.equal(await deliverReceipt(session, pdu, n === 1 ? "" : "X2"), STATUS.ESME_ROK);
        return accepted("");
      });
      const { here } = await site(t, operator.port);
      const company = await here.company({ credits: 10 });
      const id = await send(company, phones(2));
      if (!isEarly) {
        await allAre("SENT", company, id);
        for (const [n, pdu] of operator.received.entries())
          await deliverReceipt(operator.sessions[0]!, pdu, n === 0 ? "" : "X2");
      }
      await allAre("DELIVERED", company, id);
      assert.deepEqual(await rows(here.app, "SELECT FROM orphan_receipts"), []);
      await assertBalanced(here);
    });
  }

  test("S30: receipts after a rebind prove acceptance, however they write the number or the sender", async (t) => {
    const operator = await startScripted(t, (_pdu, session, n) => {
      if (n === 5) session.abort("the operator crashes");
      return NEVER;
    });
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 10 });
    const id = await send(company, phones(5));
    await until(() => operator.sessions.length >= 2);
    const without = (pdu: SubmitSm) => ({ ...pdu, tlvs: {} });
    const written: ((pdu: SubmitSm) => SubmitSm)[] = [
      (pdu) => ({ ...without(pdu), destinationAddr: `+${pdu.destinationAddr}` }),
      (pdu) => ({ ...without(pdu), destinationAddr: `00${pdu.destinationAddr}` }),
      (pdu) => ({ ...without(pdu), destinationAddr: pdu.destinationAddr.slice(3) }),
      (pdu) => ({ ...pdu, destinationAddr: pdu.destinationAddr.slice(4) }),
      (pdu) => ({ ...pdu, sourceAddr: "22500" }),
    ];
    for (const [i, pdu] of operator.received.entries())
      assert.equal(
        await deliverReceipt(operator.sessions.at(-1)!, written[i]!(pdu), `R${i}`),
        STATUS.ESME_ROK,
      );
    await allAre("DELIVERED", company, id);
    assert.equal(operator.received.length, 5, "nothing was sent again");
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("S30: where we send no reference, one in a receipt is the operator's own, and phone and sender decide", async (t) => {
    const operator = await startScripted(t, (_pdu, session) => {
      session.abort("the operator crashes");
      return NEVER;
    });
    const { here } = await site(t, operator.port);
    await renewed(here, "settings", '{"userMessageReference":false}');
    const company = await here.company({ credits: 10 });
    const before = operator.sessions.length;
    const id = await send(company, phones(1));
    await until(() => operator.sessions.length > before);
    const [pdu] = operator.received;
    assert.equal(pdu!.tlvs?.userMessageReference, undefined);
    const itsOwn = { ...pdu!, tlvs: { userMessageReference: 0 } };
    assert.equal(await deliverReceipt(operator.sessions.at(-1)!, itsOwn, "R1"), STATUS.ESME_ROK);
    await allAre("DELIVERED", company, id);
    assert.equal(operator.received.length, 1, "nothing was sent again");
    assert.equal((await assertBalanced(here)).held, 0);
  });
});

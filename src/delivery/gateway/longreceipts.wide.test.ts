// Receipts of long texts: each id that the operator gave finds its message, and a part that fails fails it.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  accepted,
  allAre,
  assertBalanced,
  balanceOf,
  deliverReceipt,
  phones,
  rows,
  type Scope,
  type Script,
  send,
  site,
  startScripted,
  statusesOf,
} from "../../../test/sending.ts";
import { until } from "../../../test/testservice.ts";
import { type OutgoingMessage, STATUS, type SubmitSm } from "../../protocol/smpp/pdu.ts";
import { addCounters } from "../sends/counters/tallies.ts";

const LONG = "Bonjour ".repeat(25);
/** Its parts, and what it costs. */
const PARTS = 2;
const FOUR_PARTS = "Bonjour ".repeat(60);

const byNumber: Script = (_pdu, _session, n) => accepted(`P${n}`);

/** A company with a long message that the operator has accepted as P1 and P2, and what reports on it. */
async function sent(t: Scope, { script = byNumber, text = LONG, to = phones(1) } = {}) {
  const operator = await startScripted(t, script);
  const { here } = await site(t, operator.port);
  const company = await here.company({ credits: 100 });
  const campaign = await send(company, to, text);
  await allAre("SENT", company, campaign);
  const session = operator.sessions.at(-1)!;
  const report = (part: number, state: Parameters<typeof deliverReceipt>[3], id = `P${part}`) =>
    deliverReceipt(session, operator.received[part - 1]!, id, state);
  const stats = async () => (await company.call(`/v1/campaign/${campaign}`)).data.stats;
  return { here, operator, company, campaign, session, report, stats };
}

function receiptOf(pdu: SubmitSm, text: string | Buffer, more: Partial<OutgoingMessage> = {}) {
  const addresses = { sourceAddr: pdu.destinationAddr, destinationAddr: pdu.sourceAddr };
  return { ...addresses, esmClass: 4, shortMessage: Buffer.from(text), ...more };
}

suite("receipts of long texts", { concurrency: 4 }, () => {
  test("each part of a text of up to three asks for a receipt, and only the last one of a longer text", async (t) => {
    const { operator, company, campaign } = await sent(t);
    assert.deepEqual(
      operator.received.map((pdu) => pdu.registeredDelivery),
      [1, 1],
    );
    assert.equal(operator.received[0]!.tlvs?.userMessageReference, undefined, "it proves the whole text");
    await allAre("SENT", company, campaign);
    const longer = await sent(t, { text: FOUR_PARTS });
    assert.deepEqual(
      longer.operator.received.map((pdu) => pdu.registeredDelivery),
      [0, 0, 0, 1],
    );
  });

  for (const part of [1, 2])
    test(`D13: where the operator reports on part ${part} only, its receipt decides`, async (t) => {
      const { here, company, campaign, report, stats } = await sent(t);
      assert.equal(await report(part, "DELIVERED"), STATUS.ESME_ROK);
      await allAre("DELIVERED", company, campaign);
      assert.equal((await stats()).delivered, 1);
      assert.deepEqual(await rows(here.app, "SELECT FROM orphan_receipts"), []);
    });

  for (const [name, reports] of Object.entries({
    "the first part fails, then the last is delivered": [
      [1, "UNDELIVERED"],
      [2, "DELIVERED"],
    ],
    "the first part is delivered, then the last fails": [
      [1, "DELIVERED"],
      [2, "UNDELIVERED"],
    ],
    "the last part is delivered, then the first fails": [
      [2, "DELIVERED"],
      [1, "UNDELIVERED"],
    ],
  } as const))
    test(`D14: ${name}: the message failed, once, and money does not move`, async (t) => {
      const { here, company, campaign, report, stats } = await sent(t);
      for (const [part, state] of reports) assert.equal(await report(part, state), STATUS.ESME_ROK);
      await allAre("UNDELIVERED", company, campaign);
      assert.deepEqual(await stats(), { total: 1, queued: 0, sent: 0, delivered: 0, failed: 1, blocked: 0 });
      const { data } = await company.call(`/v1/campaign/${campaign}/messages`);
      assert.deepEqual([data[0].deliveredAt, data[0].error], [null, "000"]);
      // The statistics of its day and of its campaign, before and after they are added up.
      for (const isAdded of [false, true]) {
        if (isAdded) await addCounters(here.app);
        const [day] = (await company.call("/v1/statistics/days")).data.slice(-1);
        assert.deepEqual([day.sent, day.delivered, day.undelivered], [1, 0, 1], `${isAdded}`);
        const { byOperator } = (await company.call(`/v1/campaign/${campaign}/statistics`)).data;
        assert.deepEqual([byOperator[0].delivered, byOperator[0].failed], [0, 1]);
      }
      assert.equal(await balanceOf(company), 100 - PARTS);
      assert.equal((await assertBalanced(here)).held, 0);
    });

  test("D14 D04: a part that fails late counts once; a repeated report of a part changes nothing", async (t) => {
    const { operator, company, campaign, session, stats } = await sent(t, { to: phones(3) });
    const partOf = (pdu: SubmitSm) => pdu.shortMessage[5];
    for (const [i, pdu] of operator.received.entries())
      if (partOf(pdu) === PARTS) await deliverReceipt(session, pdu, `P${i + 1}`);
    await allAre("DELIVERED", company, campaign);
    for (const part of [PARTS, 1]) {
      const first = operator.received.findIndex((pdu) => partOf(pdu) === part);
      await deliverReceipt(session, operator.received[first]!, `P${first + 1}`, "UNDELIVERED");
      const failed = part === PARTS ? 0 : 1;
      const { delivered, failed: counted } = await stats();
      assert.deepEqual([delivered, counted], [3 - failed, failed]);
    }
  });

  test("D01 D14: a part's receipt that comes before the answer to the last part counts", async (t) => {
    const operator = await startScripted(t, async (pdu, session, n) => {
      if (n === 2) assert.equal(await deliverReceipt(session, pdu, "P1", "UNDELIVERED"), STATUS.ESME_ROK);
      return accepted(`P${n}`);
    });
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 100 });
    const campaign = await send(company, phones(1), LONG);
    await allAre("UNDELIVERED", company, campaign);
    await deliverReceipt(operator.sessions.at(-1)!, operator.received[1]!, "P2");
    assert.deepEqual(await statusesOf(company, campaign), ["UNDELIVERED"]);
    assert.deepEqual(await rows(here.app, "SELECT FROM orphan_receipts"), []);
  });

  const TLVS = { receiptedMessageId: "unknown-77" };
  const TEXT = "id:SMSC:12:P2 sub:001 dlvrd:001 stat:DELIVRD err:000 text:";
  const byColons: Script = (_pdu, _session, n) => accepted(`smsc:12:P${n}`);

  test("D13: where the operator's parameter has an id that nobody knows, that of the text finds the message", async (t) => {
    const { operator, company, campaign, session } = await sent(t, { script: byColons });
    await session.deliver(receiptOf(operator.received[1]!, TEXT, { tlvs: TLVS }));
    await allAre("DELIVERED", company, campaign);
  });

  test("D01 D13: the id of the text also finds a message whose answer comes later", async (t) => {
    const operator = await startScripted(t, async (pdu, session, n) => {
      if (n === 2) await session.deliver(receiptOf(pdu, TEXT, { tlvs: TLVS }));
      return accepted(`smsc:12:P${n}`);
    });
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 100 });
    const campaign = await send(company, phones(1), LONG);
    await allAre("DELIVERED", company, campaign);
    assert.deepEqual(await rows(here.app, "SELECT FROM orphan_receipts"), []);
  });

  test("D13: an id in another base than the answer's is found, to the same phone only", async (t) => {
    const { operator, company, campaign, session } = await sent(t, {
      script: (_pdu, _session, n) => accepted(`1A2B3C${n}`),
      text: "Bonjour",
    });
    const id = 0x1a2b3c1;
    const unauthenticated = { ...operator.received[0]!, destinationAddr: "2250799999999" };
    await session.deliver(receiptOf(unauthenticated, `id:${id} stat:UNDELIV err:000`));
    assert.deepEqual(await statusesOf(company, campaign), ["SENT"]);
    await session.deliver(receiptOf(operator.received[0]!, `id:${id} stat:DELIVRD err:000`));
    await allAre("DELIVERED", company, campaign);
  });

  for (const form of ["UDH", "SAR"])
    test(`D15: a receipt split over two deliver_sm by ${form} is put together, in whatever order its parts come`, async (t) => {
      const { here, operator, company, campaign, session } = await sent(t, { text: "Bonjour" });
      const text =
        "id:P1 sub:001 dlvrd:001 submit date:2611210904 done date:2611210905 stat:DELIVRD err:000 text:x";
      const halves = [text.slice(0, 70), text.slice(70)];
      const pdus = halves.map((half, i) =>
        form === "UDH"
          ? receiptOf(operator.received[0]!, Buffer.from([5, 0, 3, 42, 2, i + 1, ...Buffer.from(half)]), {
              esmClass: 0x44,
            })
          : receiptOf(operator.received[0]!, half, {
              tlvs: { sarMsgRefNum: 42, sarTotalSegments: 2, sarSegmentSeqnum: i + 1 },
            }),
      );
      if (form === "SAR") pdus.reverse();
      for (const pdu of pdus) assert.equal((await session.deliver(pdu)).status, STATUS.ESME_ROK);
      await allAre("DELIVERED", company, campaign);
      assert.deepEqual(await rows(here.app, "SELECT FROM receipt_parts"), []);
    });

  test("a part's receipt does not prove that the last part was accepted, whose answer never came", async (t) => {
    const operator = await startScripted(t, (_pdu, session, n) => {
      if (n === 2) session.abort("the operator crashes");
      return accepted(`P${n}`);
    });
    const { here } = await site(t, operator.port, { settings: { quarantineMs: 500 } });
    const company = await here.company({ credits: 100 });
    const campaign = await send(company, phones(1), LONG);
    await until(() => operator.sessions.length >= 2);
    await deliverReceipt(operator.sessions.at(-1)!, operator.received[0]!, "P1");
    await until(() => operator.received.length === 3);
    await allAre("DELIVERED", company, campaign);
    assert.deepEqual(operator.received[2]!.shortMessage, operator.received[1]!.shortMessage);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("the receipt of the last part, without our reference, proves a text whose other parts were answered", async (t) => {
    const operator = await startScripted(t, (_pdu, session, n) => {
      if (n === 2) session.abort("the operator crashes");
      return accepted(`P${n}`);
    });
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 100 });
    const campaign = await send(company, phones(1), LONG);
    await until(() => operator.sessions.length >= 2);
    const last = { ...operator.received[1]!, tlvs: {} };
    await deliverReceipt(operator.sessions.at(-1)!, last, "X9");
    await allAre("DELIVERED", company, campaign);
    assert.equal(operator.received.length, 2, "nothing was sent again");
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("where no part was answered, one receipt without our reference may be of any part and proves nothing", async (t) => {
    const operator = await startScripted(t, (_pdu, session, n) => {
      if (n === 1) session.abort("the operator crashes");
      return accepted(`P${n}`);
    });
    const { here } = await site(t, operator.port, { settings: { quarantineMs: 500 } });
    const company = await here.company({ credits: 100 });
    const campaign = await send(company, phones(1), LONG);
    await until(() => operator.sessions.length >= 2);
    await deliverReceipt(operator.sessions.at(-1)!, operator.received[0]!, "X1");
    await until(() => operator.received.length === 1 + PARTS);
    await allAre("SENT", company, campaign);
    assert.equal((await assertBalanced(here)).held, 0);
  });
});

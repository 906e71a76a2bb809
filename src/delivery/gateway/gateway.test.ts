// Each answer and each receipt of an operator leads to one status of a message. Its money moves once.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { encode } from "../../../test/pdu.ts";
import {
  accepted,
  allAre,
  assertBalanced,
  balanceOf,
  deliverReceipt,
  NEVER,
  phones,
  rows,
  send,
  settled,
  site,
  startScripted,
  statusesOf,
} from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";
import { STATUS, type SubmitSm } from "../../protocol/smpp/pdu.ts";
import { startSimulator } from "../simulator/simulator.ts";

const PHONE = "2250700001000";
const GSM = "Akwaba ! ".repeat(45);
const UCS2 = "Bonne fête à Ève 🎉 ".repeat(12);

suite("messages", { concurrency: 4 }, () => {
  test("the last four digits choose the outcome, and each outcome has its status and its money", async (t) => {
    const here = await testService(t);
    const company = await here.company({ credits: 100 });
    const ends = ["0001", "0002", "0003", "0004", "0006", "1000"];
    const id = await send(
      company,
      ends.map((end) => `225070000${end}`),
    );
    const expected = ["REJECTED", "UNDELIVERED", "SENT", "DELIVERED", "EXPIRED", "DELIVERED"];
    await until(async () => (await statusesOf(company, id)).join() === expected.join());
    const { data } = await company.call(`/v1/campaign/${id}`);
    assert.deepEqual(data.stats, { total: 6, queued: 0, sent: 1, delivered: 2, failed: 3, blocked: 0 });
    assert.deepEqual([data.status, data.creditUsed, data.creditRefunded], ["SENT", 6, 1]);
    assert.equal(await balanceOf(company), 95, "a receipt moves no money");
    assert.equal(here.simulator.stats().throttled, 2);
    const { data: messages } = await company.call(`/v1/campaign/${id}/messages`);
    assert.equal(messages[0].error, "ESME_RINVDSTADR");
    for (const end of ends.slice(1)) {
      assert.equal(here.simulator.inbox({ phone: `225070000${end}` }).length, 1, end);
    }
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("a campaign is FAILED and refunded whole if the operator accepts none of it", async (t) => {
    const here = await testService(t);
    const company = await here.company({ credits: 10 });
    const data = await settled(company, await send(company, ["2250700000001", "2250710000001"], GSM));
    assert.deepEqual([data.status, data.creditRefunded, await balanceOf(company)], ["FAILED", 6, 10]);
  });

  test("a text of more segments than a slow operator takes at once is sent, and what stands behind it", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
    const { here } = await site(t, operator.port, { tps: 5 });
    const company = await here.company({ credits: 100 });
    const ids = [await send(company, phones(2), GSM), await send(company, PHONE)];
    for (const id of ids) assert.equal((await settled(company, id)).status, "SENT");
    assert.equal(operator.received.length, 7);
  });

  test("S01: a message that is refused for speed again and again waits longer each time, and fails never", async (t) => {
    const seen = new Map<string, number[]>();
    const stray = "2250700000500";
    const operator = await startScripted(t, ({ destinationAddr: phone }, _session, n) => {
      const times = seen.get(phone) ?? [];
      seen.set(phone, [...times, performance.now()]);
      const isRefused = phone === stray && times.length < 3;
      return isRefused ? { status: STATUS.ESME_RTHROTTLED, messageId: "" } : accepted(`${n}`);
    });
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 1_000 });
    const id = await send(company, [...phones(400), stray]);
    assert.equal((await settled(company, id)).stats.failed, 0);
    const waits = seen.get(stray)!.map((at, i, all) => (i === 0 ? 0 : at - all[i - 1]!));
    for (const [i, least] of [0, 800, 1_600, 3_200].entries()) assert.ok(waits[i]! >= least, `${waits}`);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  for (const concatenation of ["udh8", "udh16", "sar", "payload"]) {
    test(`long messages arrive whole by ${concatenation}, and cost their segments`, async (t) => {
      const simulator = await startSimulator();
      t.after(() => simulator.stop());
      const { here } = await site(t, simulator.port, { concatenation });
      const company = await here.company({ credits: 100 });
      for (const [text, segments] of [
        [GSM, 3],
        [UCS2, 4],
      ] as const) {
        const id = await send(company, phones(2), text);
        await allAre("DELIVERED", company, id);
        const got = simulator.inbox({ limit: 2 });
        assert.deepEqual(
          got.map((message) => message.text),
          [text, text],
        );
        assert.equal(got[0]!.segments, concatenation === "payload" ? 1 : segments);
        assert.equal((await company.call(`/v1/campaign/${id}`)).data.creditUsed, 2 * segments);
      }
      assert.equal(simulator.inbox().length, 4);
      assert.equal(await balanceOf(company), 86);
    });
  }

  test("D01: the hold shows at once, and a receipt that comes before the answer to its message waits for that answer", async (t) => {
    let held: number | undefined;
    const operator = await startScripted(t, async (pdu, session) => {
      held = await balanceOf(company);
      assert.equal(await deliverReceipt(session, pdu, "A1"), STATUS.ESME_ROK);
      return accepted("A1");
    });
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 5 });
    await allAre("DELIVERED", company, await send(company, PHONE));
    assert.deepEqual([held, await balanceOf(company)], [4, 4]);
    assert.deepEqual(await rows(here.app, "SELECT * FROM orphan_receipts"), []);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("deliveredAt is the time in the receipt if that can be true, else the time of its arrival", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(`T${n}`));
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 10 });
    const id = await send(company, phones(4));
    await settled(company, id);
    await rows(here.app, "UPDATE messages SET sent_at = now() - interval '3 hours'");
    const now = Date.now();
    // The minutes before now that the receipt says, and the minutes that are believed.
    const cases = [
      ["an hour late", 60, 60],
      ["the local time of Benin", -60, 0],
      ["before the message was sent", 300, 0],
      ["a clock that is a minute slow", 181, 180],
    ] as const;
    for (const [i, [, incoming]] of cases.entries()) {
      const doneAt = new Date(now - incoming * 60_000);
      await deliverReceipt(operator.sessions[0]!, operator.received[i]!, `T${i + 1}`, "DELIVERED", doneAt);
    }
    const { data } = await company.call(`/v1/campaign/${id}/messages`);
    for (const [i, [name, , believed]] of cases.entries()) {
      const phone = operator.received[i]!.destinationAddr;
      const message = data.find((each: { phone: string }) => each.phone === phone);
      const deliveredAt = Date.parse(message.deliveredAt);
      assert.ok(deliveredAt >= Date.parse(message.sentAt), name);
      const offMinutes = Math.abs(deliveredAt - (now - believed * 60_000)) / 60_000;
      assert.ok(offMinutes < 10, `${name}: ${message.deliveredAt}`);
    }
  });

  test("D02 D03 D04 D05 D08: only the first final receipt counts, each one is answered, and none moves money", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(`B${n}`));
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 10 });
    const id = await send(company, PHONE);
    await settled(company, id);
    const [session] = operator.sessions;
    const [pdu] = operator.received as [SubmitSm];
    const tell = (state: Parameters<typeof deliverReceipt>[3], as = "B1") =>
      deliverReceipt(session!, pdu, as, state);
    assert.equal(await tell("ENROUTE"), STATUS.ESME_ROK);
    assert.deepEqual(await statusesOf(company, id), ["SENT"]);
    const same = await Promise.all([1, 2, 3, 4, 5].map(() => tell("DELIVERED")));
    assert.deepEqual(new Set(same), new Set([STATUS.ESME_ROK]));
    for (const state of ["DELIVERED", "ENROUTE", "UNDELIVERED"] as const) {
      assert.equal(await tell(state), STATUS.ESME_ROK);
      assert.deepEqual(await statusesOf(company, id), ["DELIVERED"]);
    }
    assert.equal(await tell("DELIVERED", "NOBODY"), STATUS.ESME_ROK);
    assert.equal(await tell("UNDELIVERED", "NOBODY"), STATUS.ESME_ROK);
    const orphans = await rows(here.app, "SELECT operator_message_id AS id, status FROM orphan_receipts");
    assert.deepEqual(orphans, [{ id: "nobody", status: "DELIVERED" }]);
    const { data } = await company.call(`/v1/campaign/${id}`);
    assert.deepEqual(data.stats, { total: 1, queued: 0, sent: 0, delivered: 1, failed: 0, blocked: 0 });
    assert.equal(await balanceOf(company), 9);
    await assertBalanced(here);
  });

  test("S04: a permanent error code rejects the message and releases its price once", async (t) => {
    const codes = [STATUS.ESME_RINVDSTADR, 0x01, 0x61, 0x66];
    const operator = await startScripted(t, (_pdu, _session, n) => ({
      status: codes[n - 1]!,
      messageId: "",
    }));
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 100 });
    const id = await send(company, phones(4));
    const data = await settled(company, id);
    assert.deepEqual([data.status, data.creditRefunded, await balanceOf(company)], ["FAILED", 4, 100]);
    assert.deepEqual(new Set(await statusesOf(company, id)), new Set(["REJECTED"]));
    assert.equal(operator.received.length, 4);
  });

  test("S14: a generic_nack with a sequence number refuses its message; the session and the others go on", async (t) => {
    const operator = await startScripted(t, (pdu, session, n) => {
      if (n !== 2) return accepted(`${n}`);
      const nack = {
        command: "generic_nack",
        status: STATUS.ESME_RINVCMDLEN,
        sequence: pdu.sequence,
      } as const;
      operator.socketOf(session).write(encode(nack));
      return NEVER;
    });
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 10 });
    const id = await send(company, phones(3));
    const data = await settled(company, id);
    assert.deepEqual([data.status, data.creditRefunded], ["SENT", 1]);
    assert.deepEqual((await statusesOf(company, id)).sort(), ["REJECTED", "SENT", "SENT"]);
    assert.equal(operator.sessions.length, 1);
  });

  test("S23: when the operator refuses the second segment, the third is not sent and the whole price comes back", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) =>
      n === 2 ? { status: STATUS.ESME_RINVDSTADR, messageId: "" } : accepted(`${n}`),
    );
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 10 });
    const id = await send(company, PHONE, GSM);
    const data = await settled(company, id);
    assert.deepEqual([data.status, data.creditUsed, data.creditRefunded], ["FAILED", 3, 3]);
    assert.equal(operator.received.length, 2);
    assert.equal(await balanceOf(company), 10);
  });

  test("S12 S13 S09: every message is captured once despite empty or repeated message ids and second answers", async (t) => {
    const here = await testService(t, { simulator: { receiptDelayMs: 300 } });
    const company = await here.company({ credits: 100 });
    Object.assign(here.simulator.faults, { emptyMessageId: 3, duplicateAnswer: 2 });
    const empty = await settled(company, await send(company, phones(30)));
    assert.deepEqual([empty.status, empty.creditRefunded], ["SENT", 0]);
    Object.assign(here.simulator.faults, { emptyMessageId: 0, duplicateAnswer: 0, repeatedMessageId: 2 });
    const twins = await send(company, phones(2, "22505"));
    const data = await settled(company, twins);
    assert.deepEqual([data.status, data.creditRefunded], ["SENT", 0]);
    await allAre("DELIVERED", company, twins);
    assert.equal(await balanceOf(company), 68);
    assert.equal(here.simulator.inbox({ limit: 100 }).length, 32);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("S03: a message is tried again 30 s after ESME_RSYSERR, three times at most, and then refused", async (t) => {
    const bad = new Set(["2250700001000"]);
    const operator = await startScripted(t, (pdu, _session, n) =>
      n > 2 && !bad.has(pdu.destinationAddr)
        ? accepted(`${n}`)
        : { status: STATUS.ESME_RSYSERR, messageId: "" },
    );
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 10 });
    const ids = [await send(company, "2250700001000"), await send(company, "2250700001001")];
    for (let retry = 1; retry <= 3; retry++) {
      const waiting = await until(async () => {
        const found = await rows(
          here.app,
          `SELECT phone, retries, batch.session_id IS NULL AS free,
                  extract(epoch FROM batch.not_before - now())::float8 AS seconds
           FROM message_queue queued LEFT JOIN batches batch ON batch.id = queued.batch_id
           WHERE retries = $1`,
          [retry],
        );
        return found.length === (retry === 1 ? 2 : 1) && found;
      });
      for (const { free, seconds } of waiting) {
        assert.ok(free);
        assert.ok(seconds > 5 && seconds <= 36, `${seconds}`);
      }
      await rows(here.app, "UPDATE batches SET not_before = now() WHERE session_id IS NULL");
    }
    const [refused, sent] = await Promise.all(ids.map((id) => settled(company, id)));
    assert.deepEqual([refused.status, refused.creditRefunded, sent.status], ["FAILED", 1, "SENT"]);
    assert.equal(operator.received.length, 6);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("M15: a message that cannot be encoded is rejected and released alone; the session goes on", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 10 });
    // No form accepts such a sender, but an old row of the database may have it. A source_addr has 20 characters.
    await rows(
      here.app,
      "INSERT INTO senders (company_id, id, name, description, status) VALUES ($1, 'x', $2, '', 'ACCEPTED')",
      [company.companyId, "A SENDER THAT IS FAR TOO LONG"],
    );
    const poison = await send(company, phones(3));
    await rows(here.app, "DELETE FROM senders");
    const data = await settled(company, poison);
    assert.deepEqual([data.status, data.creditRefunded], ["FAILED", 3]);
    assert.equal((await settled(company, await send(company, phones(3)))).status, "SENT");
    assert.equal(operator.sessions.length, 1);
    assert.equal((await assertBalanced(here)).held, 0);
  });
});

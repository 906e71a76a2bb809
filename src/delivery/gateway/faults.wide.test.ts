// After lost sessions, answers and commits, no message is lost. A message is sent a second time, once, only if its fate
// cannot be known.
import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { countWaiting } from "../../../test/locks.ts";
import {
  accepted,
  addOperator,
  allAre,
  assertBalanced,
  balanceOf,
  deliverReceipt,
  NEVER,
  phones,
  rows,
  type Script,
  send,
  settled,
  site,
  startBeside,
  startScripted,
  statusesOf,
} from "../../../test/sending.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";
import { query } from "../../platform/database/query.ts";
import type { SubmitAnswer } from "../../protocol/smpp/inflight.ts";
import { STATUS, type SubmitSm } from "../../protocol/smpp/pdu.ts";
import { expireMessages } from "../sends/settlement/expire.ts";
import { startSimulator } from "../simulator/simulator.ts";

const PHONE = "2250700001000";
const LONG = "Akwaba ! ".repeat(45);

/** How many times each phone was submitted. */
function countsOf(received: readonly { destinationAddr: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { destinationAddr: phone } of received) counts.set(phone, (counts.get(phone) ?? 0) + 1);
  return counts;
}

/** How many messages were submitted twice. Fails if one was submitted more often. */
function doubledIn(received: readonly SubmitSm[]): number {
  const counts = [...countsOf(received).values()];
  assert.ok(Math.max(...counts) <= 2, "no message more than twice");
  return counts.filter((count) => count === 2).length;
}

async function unknownIn(here: TestService): Promise<number> {
  return (await rows(here.app, "SELECT count(*) FROM message_queue WHERE unknown_since IS NOT NULL"))[0]
    .count;
}

suite("faults", { concurrency: 4 }, () => {
  test("S05: after a drop before reading, at most a window is of unknown fate, and each message is accepted once", async (t) => {
    const taken: SubmitSm[] = [];
    const operator = await startScripted(t, (pdu, session, n) => {
      if (operator.sessions.length === 1) {
        if (n === 3) session.abort("the operator crashes");
        return NEVER;
      }
      taken.push(pdu);
      return accepted(`${n}`);
    });
    const { here } = await site(t, operator.port, { window: 10, settings: { quarantineMs: 300 } });
    const company = await here.company({ credits: 100 });
    const id = await send(company, phones(40));
    const data = await settled(company, id);
    assert.deepEqual([data.status, data.stats.sent, data.creditRefunded], ["SENT", 40, 0]);
    assert.deepEqual(countsOf(taken), new Map(phones(40).map((phone) => [phone, 1])), "each accepted once");
    assert.ok(operator.received.length <= 50, `${operator.received.length - 40} extra of a window of 10`);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("S06: after a drop before the answers, receipts of the next bind prove acceptance: 0 duplicates", async (t) => {
    const here = await testService(t, { settings: { quarantineMs: 5_000 } });
    const company = await here.company({ credits: 100 });
    here.simulator.faults.dropAfterAccept = 20;
    const id = await send(company, phones(90));
    await allAre("DELIVERED", company, id);
    assert.ok(here.simulator.stats().binds > 1, "there were drops");
    assert.equal(here.simulator.stats().accepted, 90);
    assert.equal(await balanceOf(company), 10);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("S06: an operator that is away longer than the quarantine can still deliver its receipts first", async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), "atumpan-operator-"));
    const options = { logFile: join(dataDir, "log") };
    const first = await startSimulator({ ...options, faults: { dropAfterAccept: 10 } });
    const { here } = await site(t, first.port, { settings: { quarantineMs: 3_000 } });
    const company = await here.company({ credits: 100 });
    const stopped = until(() => first.stats().accepted >= 10).then(() => first.stop());
    const id = await send(company, phones(10));
    await stopped;
    await until(async () => (await unknownIn(here)) > 0);
    await rows(here.app, "UPDATE batches SET not_before = now() WHERE unknown");
    const second = await startSimulator({ ...options, port: first.port });
    t.after(() => second.stop());
    await allAre("DELIVERED", company, id);
    assert.equal(second.stats().accepted, 0, "nothing was sent again");
    assert.equal(await balanceOf(company), 90);
  });

  test("S06: a receipt that came before the session was lost proves its message too: 0 duplicates", async (t) => {
    const operator = await startScripted(t, async (pdu, session, n) => {
      assert.equal(await deliverReceipt(session, pdu, `C${n}`), STATUS.ESME_ROK);
      if (n === 3) session.abort("the operator crashes");
      return NEVER;
    });
    const { here } = await site(t, operator.port, { settings: { quarantineMs: 300 } });
    const company = await here.company({ credits: 10 });
    const id = await send(company, phones(3));
    await allAre("DELIVERED", company, id);
    assert.equal(operator.received.length, 3);
    assert.deepEqual(await rows(here.app, "SELECT * FROM orphan_receipts"), []);
    assert.equal(await balanceOf(company), 7);
  });

  test("S06: a receipt proves a lost message, also if the second submission was refused for speed", async (t) => {
    const operator = await startScripted(t, (_pdu, session, n) => {
      if (n === 2) return { status: STATUS.ESME_RMSGQFUL, messageId: "" };
      if (n === 1) session.abort("the operator crashes");
      return n === 1 ? NEVER : accepted(`${n}`);
    });
    const { here } = await site(t, operator.port, { settings: { quarantineMs: 200 } });
    const company = await here.company({ credits: 10 });
    const id = await send(company, PHONE);
    await until(() => operator.received.length === 2);
    const waiting = `SELECT FROM batches JOIN message_queue ON batch_id = id
      WHERE losses = 1 AND session_id IS NULL AND not_before > now() + interval '1 second'`;
    await until(async () => (await rows(here.app, waiting)).length === 1);
    const [pdu] = operator.received;
    assert.equal(await deliverReceipt(operator.sessions.at(-1)!, pdu!, "C1"), STATUS.ESME_ROK);
    await allAre("DELIVERED", company, id);
    assert.equal(operator.received.length, 2, "nothing was sent again");
    assert.equal(await balanceOf(company), 9);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("S07: without any receipt, each message is sent again exactly once after the quarantine, and charged once", async (t) => {
    const operator = await startScripted(t, (_pdu, session, n) => {
      if (n <= 5) {
        if (n === 5) session.abort("the operator crashes");
        return NEVER;
      }
      return accepted(`${n}`);
    });
    const { here } = await site(t, operator.port, { window: 5, settings: { quarantineMs: 300 } });
    const company = await here.company({ credits: 100 });
    const data = await settled(company, await send(company, phones(20)));
    assert.deepEqual([data.status, data.stats.sent], ["SENT", 20]);
    assert.equal(doubledIn(operator.received), 5);
    const second = operator.received
      .slice(5)
      .findIndex((pdu) => pdu.destinationAddr === operator.received[0]!.destinationAddr);
    assert.ok(second >= 10, "what was certainly not sent goes first");
    assert.equal(await balanceOf(company), 80);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("S07: a message lost twice is never sent again, shows UNKNOWN, and expires with its price released once", async (t) => {
    const operator = await startScripted(t, (_pdu, session) => {
      session.abort("the operator crashes");
      return NEVER;
    });
    const { here } = await site(t, operator.port, { settings: { quarantineMs: 200 } });
    const company = await here.company({ credits: 10 });
    const id = await send(company, PHONE);
    await until(
      async () => (await rows(here.app, "SELECT FROM message_queue WHERE losses = 2")).length === 1,
    );
    assert.deepEqual(await statusesOf(company, id), ["UNKNOWN"]);
    assert.equal((await assertBalanced(here)).held, 1);
    const [times] = await rows(
      here.app,
      "SELECT not_before = 'infinity' AS never, expires_at > now() + interval '23 hours' AS day FROM batches WHERE unknown",
    );
    assert.deepEqual(times, { never: true, day: true });
    await expireMessages(here.app);
    assert.equal((await assertBalanced(here)).held, 1, "not before its time");
    await rows(here.app, "UPDATE batches SET expires_at = now() WHERE unknown");
    await Promise.all([expireMessages(here.app), expireMessages(here.app)]);
    const { data } = await company.call(`/v1/campaign/${id}`);
    assert.deepEqual([data.status, data.creditRefunded], ["FAILED", 1]);
    assert.deepEqual(await statusesOf(company, id), ["UNKNOWN"]);
    assert.equal(operator.received.length, 2);
    await until(async () => (await rows(here.app, "SELECT FROM batches")).length === 0);
    // D08: a receipt after the refund changes nothing.
    await until(() => operator.sessions.length >= 3 && operator.sessions.at(-1)!.ready);
    const pdu = operator.received[1]!;
    assert.equal(await deliverReceipt(operator.sessions.at(-1)!, pdu, "D1"), STATUS.ESME_ROK);
    assert.equal(await balanceOf(company), 10);
    await assertBalanced(here);
  });

  test("S08: a late answer proves acceptance before the second submission, and changes nothing after it", async (t) => {
    const late: ((answer: SubmitAnswer) => void)[] = [];
    const operator = await startScripted(t, (_pdu, _session, n) =>
      n > 2 ? accepted(`${n}`) : new Promise((resolve) => void late.push(resolve)),
    );
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 10 });
    const ids = [await send(company, phones(1)), await send(company, phones(2)[1]!)];
    await until(async () => (await unknownIn(here)) === 2);
    late[0]!(accepted("E1"));
    await allAre("SENT", company, ids[0]!);
    await rows(here.app, "UPDATE batches SET not_before = now() WHERE unknown");
    await allAre("SENT", company, ids[1]!);
    late[1]!(accepted("E2"));
    assert.equal((await settled(company, await send(company, "2250700001002"))).status, "SENT");
    assert.deepEqual(
      operator.received.map((pdu) => pdu.destinationAddr.at(-1)),
      ["0", "1", "1", "2"],
    );
    const captures = await rows(here.app, "SELECT captured, total FROM holds");
    assert.ok(captures.every((hold) => hold.captured === 1 && hold.total === 1));
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("S08, D01: a receipt that is kept while a late answer is being committed counts all the same", async (t) => {
    const late: ((answer: SubmitAnswer) => void)[] = [];
    const operator = await startScripted(t, () => new Promise((resolve) => void late.push(resolve)));
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 10 });
    const id = await send(company, PHONE);
    await until(async () => (await unknownIn(here)) === 1);
    // While this one awaits its answer, a receipt without our reference proves nothing.
    await send(company, PHONE);
    await until(() => late.length === 2);
    const committing = Promise.withResolvers<void>();
    const locked = here.app.database.transaction(async (tx) => {
      await tx.run(query("test.lockOutcomes", "SELECT FROM pool_outcomes FOR UPDATE"));
      late[0]!(accepted("E1"));
      await committing.promise;
    });
    await until(async () => (await countWaiting(here.app)) === 1);
    const pdu = { ...operator.received[0]!, tlvs: {} };
    assert.equal(await deliverReceipt(operator.sessions[0]!, pdu, "E1"), STATUS.ESME_ROK);
    assert.equal((await rows(here.app, "SELECT FROM orphan_receipts")).length, 1);
    committing.resolve();
    await locked;
    late[1]!(accepted("E2"));
    await allAre("DELIVERED", company, id);
    assert.deepEqual(await rows(here.app, "SELECT FROM orphan_receipts"), []);
  });

  test("S08: a receipt without an answer proves acceptance when the time is up, and nothing is sent again", async (t) => {
    const operator = await startScripted(t, async (pdu, session, n) => {
      await deliverReceipt(session, pdu, `F${n}`);
      return NEVER;
    });
    const { here } = await site(t, operator.port, { settings: { quarantineMs: 100 } });
    const company = await here.company({ credits: 10 });
    const id = await send(company, phones(3));
    await until(async () => (await statusesOf(company, id)).join() === "DELIVERED,DELIVERED,DELIVERED");
    assert.equal(operator.received.length, 3);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("S14: a generic_nack with sequence 0 ends the session; what was in flight is sent again once", async (t) => {
    const operator = await startScripted(t, (_pdu, session, n) => {
      if (n > 3) return accepted(`${n}`);
      // command_length 16, generic_nack, ESME_RINVCMDLEN, sequence 0
      if (n === 3) operator.socketOf(session).write(Buffer.from("00000010800000000000000200000000", "hex"));
      return NEVER;
    });
    const { here } = await site(t, operator.port, { settings: { quarantineMs: 200 } });
    const company = await here.company({ credits: 10 });
    const id = await send(company, phones(3));
    assert.equal((await settled(company, id)).stats.sent, 3);
    assert.equal(doubledIn(operator.received), 3);
    assert.equal(operator.sessions.length, 2);
  });

  test("S21: never more than the window is outstanding, however slowly the operator answers", async (t) => {
    const simulator = await startSimulator({ latencyMs: 15 });
    t.after(() => simulator.stop());
    const { here } = await site(t, simulator.port, { window: 10 });
    const company = await here.company({ credits: 1_000 });
    const ids = [await send(company, phones(150)), await send(company, phones(20, "22505"), LONG)];
    for (const id of ids) await settled(company, id);
    assert.ok(simulator.stats().maxOutstanding <= 10, `${simulator.stats().maxOutstanding}`);
    assert.equal(simulator.stats().accepted, 210);
  });

  test("S24: after a drop within three segments, only the unknown ones are sent again, with the same reference", async (t) => {
    const script: Script = (_pdu, session, n) => {
      if (n !== 2) return accepted(`G${n}`);
      session.abort("the operator crashes");
      return NEVER;
    };
    const operator = await startScripted(t, script);
    const { here } = await site(t, operator.port, { settings: { quarantineMs: 200 } });
    const company = await here.company({ credits: 10 });
    const id = await send(company, PHONE, LONG);
    assert.equal((await settled(company, id)).stats.sent, 1);
    const headers = operator.received.map((pdu) => pdu.shortMessage.subarray(0, 6).toString("hex"));
    const reference = headers[0]!.slice(6, 8);
    assert.deepEqual(
      headers,
      [1, 2, 2, 3].map((number) => `050003${reference}030${number}`),
    );
    assert.equal(await balanceOf(company), 7);
  });

  test("S27: with one link down, the other takes what waits, and messages of unknown fate only after the quarantine", async (t) => {
    const quarantineMs = 1_000;
    let lostAt = 0;
    const bad = await startScripted(t, (_pdu, session) => {
      lostAt ||= performance.now();
      session.abort("the operator crashes");
      void bad.stop();
      return NEVER;
    });
    const { here, scope, gateway } = await site(t, bad.port, { window: 3, settings: { quarantineMs } });
    const company = await here.company({ credits: 100 });
    const id = await send(company, phones(30));
    await until(() => lostAt > 0);
    const arrived: number[] = [];
    const good = await startScripted(t, (_pdu, _session, n) => {
      arrived.push(performance.now());
      return accepted(`${n}`);
    });
    await addOperator(here, good.port);
    await gateway.stop();
    await startBeside(scope, here, ["gateway"]);
    await settled(company, id);
    const lost = new Set(bad.received.map((pdu) => pdu.destinationAddr));
    assert.ok(lost.size >= 1 && lost.size <= 3);
    assert.deepEqual(
      countsOf(good.received),
      new Map([...countsOf(good.received).keys()].map((phone) => [phone, 1])),
    );
    assert.equal(good.received.length, 30);
    for (const [i, pdu] of good.received.entries()) {
      if (lost.has(pdu.destinationAddr)) assert.ok(arrived[i]! - lostAt >= quarantineMs);
    }
  });
});

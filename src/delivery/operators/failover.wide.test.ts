// Several operators at once: who serves a number, who takes over when one is down or too slow, and what comes back.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import pg from "pg";
import { ableIs, receivedBy, simulate, testServiceWith } from "../../../test/operators.ts";
import {
  accepted,
  addOperator,
  allAre,
  assertBalanced,
  balanceOf,
  NEVER,
  phones,
  rows,
  type Scope,
  type Script,
  send,
  settled,
  startScripted,
} from "../../../test/sending.ts";
import { until } from "../../../test/testservice.ts";
import { living } from "../../platform/database/liveness.ts";
import { STATUS } from "../../protocol/smpp/pdu.ts";

/** Keeps a connection as a process of this name does, until `t` ends. */
async function liveAs(t: Scope, url: string, node: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {}); // the test service that ends drops its database
  await client.connect();
  t.after(() => client.end());
  await client.query(`SELECT ${living(node)}`);
}

suite("failover", { concurrency: 3 }, () => {
  test("S27: the first goes down in the middle of a campaign: all reach, at most a window twice; then it is first again", async (t) => {
    const window = 20;
    const first = await simulate(t, { latencyMs: 20 });
    const second = await simulate(t);
    const { here } = await testServiceWith(t, [
      { port: first.port, window },
      { port: second.port, window },
    ]);
    const company = await here.company({ credits: 10_000 });
    const to = phones(3_000);
    const id = await send(company, to);
    await until(() => first.stats().accepted >= 200);
    assert.equal(second.stats().accepted, 0, "the second waits while the first is able");
    await first.stop();
    const data = await settled(company, id);
    assert.deepEqual([data.status, data.stats.total, data.creditRefunded], ["SENT", 3_000, 0]);
    const received = [...receivedBy(first), ...receivedBy(second)];
    assert.deepEqual(new Set(received), new Set(to));
    assert.ok(received.length - to.length <= window, `${received.length - to.length} twice`);
    assert.equal(await balanceOf(company), 7_000);
    assert.equal((await assertBalanced(here)).held, 0);

    const back = await simulate(t, { port: first.port });
    await until(() => back.stats().binds === 1);
    // The second looks twice a second whether the first is back; from then on a whole campaign passes it by.
    await until(async () => {
      const before = second.stats().accepted;
      const rest = await settled(company, await send(company, phones(100)));
      assert.equal(rest.status, "SENT");
      return second.stats().accepted === before;
    });
    assert.ok(back.stats().accepted >= 100);
  });

  test("S01: throttling is no failure: a capped operator sends all of it, and the one that costs more nothing", async (t) => {
    const first = await simulate(t, { ratePerSecond: 100 });
    const second = await simulate(t);
    const { here } = await testServiceWith(t, [{ port: first.port, window: 50 }, { port: second.port }]);
    const company = await here.company({ credits: 10_000 });
    const data = await settled(company, await send(company, phones(500)));
    assert.deepEqual([data.status, data.creditRefunded], ["SENT", 0]);
    assert.deepEqual(receivedBy(first).toSorted(), phones(500).toSorted());
    assert.equal(second.stats().accepted, 0);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("what has waited longer than `overflowAfterS` goes to the next, even what the first had taken; nothing is sent twice", async (t) => {
    const first = await simulate(t, { ratePerSecond: 20 });
    const second = await simulate(t);
    const { here } = await testServiceWith(t, [
      { port: first.port, window: 50, overflowAfterS: 2 },
      { port: second.port },
    ]);
    const company = await here.company({ credits: 10_000 });
    const data = await settled(company, await send(company, phones(2_000)));
    assert.deepEqual([data.status, data.creditRefunded], ["SENT", 0]);
    const received = [...receivedBy(first), ...receivedBy(second)];
    assert.deepEqual(received.toSorted(), phones(2_000).toSorted());
    // At 20 a second the first alone would have taken 100 s.
    assert.ok(first.stats().accepted > 0 && second.stats().accepted > 1_000);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("where both are behind, the first goes on with what the second leaves", async (t) => {
    const first = await simulate(t, { ratePerSecond: 200 });
    const second = await simulate(t, { ratePerSecond: 200 });
    const { here } = await testServiceWith(t, [
      { port: first.port, window: 50, overflowAfterS: 1, tps: 200 },
      { port: second.port, window: 50, tps: 200 },
    ]);
    const company = await here.company({ credits: 10_000 });
    const id = await send(company, phones(3_000));
    await until(() => second.stats().accepted > 0);
    const { accepted: before } = first.stats();
    assert.equal((await settled(company, id)).status, "SENT");
    const received = [...receivedBy(first), ...receivedBy(second)];
    assert.deepEqual(received.toSorted(), phones(3_000).toSorted());
    // More than the window that it had on the wire when the next one began.
    assert.ok(first.stats().accepted - before > 50, `${before}, then ${first.stats().accepted}`);
  });

  test("a text of which one operator has a part goes out whole by the next, in its form", async (t) => {
    // It takes the first part, and says nothing of the second.
    const first = await startScripted(t, (_pdu, _session, n) => (n === 1 ? accepted("1") : NEVER));
    const second = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
    const { here } = await testServiceWith(t, [
      { port: first.port, concatenation: "udh16" },
      { port: second.port, concatenation: "udh8" },
    ]);
    const company = await here.company({ credits: 100 });
    const id = await send(company, "2250701020304", "x".repeat(300));
    await until(() => first.received.length === 2);
    await first.stop();
    assert.equal((await settled(company, id)).status, "SENT");
    const headers = second.received.map((pdu) => pdu.shortMessage.toString("hex", 0, 3));
    assert.deepEqual(headers, ["050003", "050003"]);
  });

  const THROTTLED = { status: STATUS.ESME_RTHROTTLED, messageId: "" };
  const LONG = "x".repeat(300);
  /** A message that is never sent again: receipts may still prove it. */
  const isLeft = `SELECT FROM message_queue queued JOIN batches ON batches.id = queued.batch_id
    WHERE queued.unknown_since IS NOT NULL AND batches.not_before = 'infinity'`;

  test("a segment is submitted twice at most: a text that two operators have in part, and one lost, no other begins", async (t) => {
    const first = await startScripted(t, (_pdu, _session, n) => (n === 1 ? accepted("1") : THROTTLED));
    const second = await startScripted(t, (_pdu, _session, n) => (n === 1 ? accepted("1") : NEVER));
    const third = await simulate(t);
    const { here } = await testServiceWith(t, [
      { port: first.port, window: 5, overflowAfterS: 1, priority: 0 },
      { port: second.port, window: 5, priority: 1 },
      { port: third.port, window: 5, priority: 2 },
    ]);
    const company = await here.company({ credits: 100 });
    const id = await send(company, "2250701020304", LONG);
    await until(() => second.received.length === 2);
    await Promise.all([first.stop(), second.stop()]);
    await until(async () => (await rows(here.app, isLeft)).length === 1);
    await allAre("UNKNOWN", company, id);
    assert.equal(third.stats().accepted, 0);
    assert.equal((await assertBalanced(here)).held, 2);
  });

  test("a segment is submitted twice at most: a text that was lost, and sent again in part, no other begins", async (t) => {
    const first = await startScripted(t, (_pdu, session, n) => {
      if (n > 1) return n === 2 ? accepted("2") : THROTTLED;
      session.abort("it falls with what it has");
      return NEVER;
    });
    const second = await simulate(t);
    const { here } = await testServiceWith(t, [{ port: first.port, window: 5, overflowAfterS: 1 }]);
    const company = await here.company({ credits: 100 });
    const id = await send(company, "2250701020304", LONG);
    // The other one comes when the first has sent again in part, however slow this machine is.
    await until(() => first.received.length >= 3);
    await addOperator(here, second.port, { window: 5 });
    await until(async () => (await rows(here.app, isLeft)).length === 1);
    await allAre("UNKNOWN", company, id);
    assert.equal(second.stats().accepted, 0);
    assert.equal((await assertBalanced(here)).held, 2);
  });

  test("S02: an operator whose queue is full for good loses to the next what has waited for it too long, the single send as well", async (t) => {
    const full: Script = () => ({ status: STATUS.ESME_RMSGQFUL, messageId: "" });
    const first = await startScripted(t, full);
    const second = await simulate(t);
    const { here } = await testServiceWith(t, [
      { port: first.port, window: 5, overflowAfterS: 1 },
      { port: second.port },
    ]);
    const company = await here.company({ credits: 1_000 });
    for (const to of [phones(700), "2250700001000"])
      assert.equal((await settled(company, await send(company, to))).status, "SENT");
    assert.equal(second.stats().accepted, 701);
    assert.deepEqual(
      receivedBy(second).toSorted(),
      [...phones(700), "2250700001000"].toSorted(),
      "nothing twice",
    );
  });

  test("S21: an operator that answers nothing stands aside before its answers are given up", async (t) => {
    const first = await startScripted(t, () => NEVER);
    const second = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
    const { here, ids } = await testServiceWith(t, [{ port: first.port, window: 5 }, { port: second.port }]);
    const company = await here.company({ credits: 100 });
    await send(company, phones(60));
    await ableIs(here, ids[0]!, false);
    const givenUp = "SELECT count(*) FROM message_queue WHERE unknown_since IS NOT NULL";
    assert.equal((await rows(here.app, givenUp))[0].count, 0);
    await until(() => second.received.length === 55);
    assert.equal(first.received.length, 5);
  });

  test("the longest prefix goes first whatever its priority, equals share, and what nobody serves is not accepted", async (t) => {
    const [ci, orange, twin] = [
      await simulate(t),
      await simulate(t, { latencyMs: 5 }),
      await simulate(t, { latencyMs: 5 }),
    ];
    const specific = { prefixes: ["22507", "22508"], priority: 9, window: 5 };
    const { here } = await testServiceWith(t, [
      { port: orange.port, ...specific },
      { port: twin.port, ...specific },
      { port: ci.port },
    ]);
    const company = await here.company({ credits: 10_000 });
    const to = [...phones(2_000), ...phones(100, "22505")];
    await settled(company, await send(company, to));
    assert.deepEqual(receivedBy(ci).toSorted(), phones(100, "22505").toSorted());
    assert.deepEqual([...receivedBy(orange), ...receivedBy(twin)].toSorted(), phones(2_000).toSorted());
    assert.ok(Math.min(orange.stats().accepted, twin.stats().accepted) > 50, "both have a part");
    const abroad = await company.call("/v1/campaign/create", { contacts: ["33612345678"], text: "Bonjour" });
    assert.equal(abroad.error, "no-recipient");
  });

  test("M10: a process that owns the first and has fallen silent holds the second back for seconds only", async (t) => {
    const [first, second] = [await simulate(t), await simulate(t)];
    const { here, ids } = await testServiceWith(t, [{ port: first.port }, { port: second.port }]);
    const company = await here.company({ credits: 100 });
    // As a process leaves it that was stopped: it has connections, its bind is owned, and it has said that it is able.
    await liveAs(t, here.ownerUrl, "stopped process");
    await rows(
      here.app,
      `UPDATE operator_binds SET session_id = 'stopped', node = 'stopped process', owned_until = now() + interval '10 minutes',
              able_until = now() + interval '4 seconds' WHERE operator_id = $1`,
      [ids[0]],
    );
    await rows(here.app, "DELETE FROM gateway_sessions WHERE operator_id = $1", [ids[0]]);
    const id = await send(company, phones(10));
    await settled(company, id);
    const gone =
      "SELECT able_until < now() AS gone, owned_until > now() AS owned FROM operator_binds WHERE operator_id = $1";
    assert.deepEqual(await rows(here.app, gone, [ids[0]]), [{ gone: true, owned: true }]);
    assert.equal(second.stats().accepted, 10);
  });
});

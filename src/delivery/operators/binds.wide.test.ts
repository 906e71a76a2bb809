// Several sessions with one operator: how they are shared, and that each message counts once whichever session has it.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  accepted,
  addOperator,
  allAre,
  assertBalanced,
  deliverReceipt,
  phones,
  rows,
  type Scope,
  send,
  settled,
  site,
  startBeside,
  startScripted,
} from "../../../test/sending.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";
import { Database } from "../../platform/database/database.ts";
import type { AnyDatabase } from "../../platform/runtime.ts";
import { STATUS } from "../../protocol/smpp/pdu.ts";
import { claimBind } from "./sql.ts";

/** A gateway beside the API, whose operator gets these settings before it is bound for good. */
async function sharing(t: Scope, port: number, settings: object, window = 10) {
  const here = await site(t, port, { window, settings: { quarantineMs: 1_000 } });
  const change = async (changes: object) => {
    const answer = await here.here.admin(`/v1/admin/operator/${here.operatorId}/update`, changes);
    assert.equal(answer.success, true, JSON.stringify(answer));
    return answer.data;
  };
  await change(settings);
  return { ...here, change };
}

async function boundIs(here: TestService, count: number) {
  await until(async () => {
    const { data } = await here.admin("/v1/admin/operator/list");
    return data[0].bound === count;
  });
}

/** How many binds each process has. */
const perNode = "SELECT node, count(*) FROM operator_binds WHERE state = 'BOUND' GROUP BY node ORDER BY node";

const HOUR_MS = 3_600_000;

suite("several binds", { concurrency: 3 }, () => {
  test("M11: a bind stays its owner's while one of its connections lives, whatever they are called, and is free at once after the last", async (t) => {
    const here = await testService(t, { config: { roles: new Set(["api"]), simulator: false } });
    const operatorId = await addOperator(here, 1);
    const claimFor = (database: AnyDatabase) => {
      const { node } = database;
      return database.run(claimBind, { operatorId, number: 0, sessionId: node, node, ownedForMs: HOUR_MS });
    };
    const owner = new Database({
      url: `${here.databaseUrl}?application_name=another`,
      max: 3,
      hasRoles: true,
      statementTimeoutMs: 60_000,
      onConnectionLost() {},
    });
    t.after(() => owner.close());
    assert.equal((await claimFor(owner)).length, 1);
    assert.deepEqual(await claimFor(here.app.database), []);
    await owner.transaction(async (tx) => {
      const { node } = owner;
      await tx.run(claimBind, { operatorId, number: 1, sessionId: "busy", node, ownedForMs: HOUR_MS });
      assert.deepEqual(await claimFor(here.app.database), [], "also beside a connection that is busy");
    });
    await owner.close();
    await until(async () => (await claimFor(here.app.database)).length === 1);
  });

  test("S29: messages go over all sessions, and a receipt counts whichever session brings it", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
    const { here } = await sharing(t, operator.port, { binds: 3 });
    await boundIs(here, 3);
    const company = await here.company({ credits: 1_000 });
    const id = await send(company, phones(300));
    await settled(company, id);
    assert.equal(operator.received.length, 300);
    const [one] = operator.sessions.filter((session) => session.ready);
    for (const [i, pdu] of operator.received.entries())
      assert.equal(await deliverReceipt(one!, pdu, `${i + 1}`), STATUS.ESME_ROK);
    await allAre("DELIVERED", company, id);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("the limit of the operator is for all sessions together", async (t) => {
    const times: number[] = [];
    const operator = await startScripted(t, (_pdu, _session, n) => {
      times.push(performance.now());
      return accepted(`${n}`);
    });
    const { here } = await sharing(t, operator.port, { binds: 4, tps: 40 });
    await boundIs(here, 4);
    const company = await here.company({ credits: 1_000 });
    await settled(company, await send(company, phones(120)));
    const seconds = (times.at(-1)! - times[0]!) / 1000;
    // Each of four sessions may begin with one message.
    assert.ok(times.length - 4 <= seconds * 40, `${times.length} messages in ${seconds} s`);
  });

  test("one session falls: its window at most is of unknown fate, and the others go on", async (t) => {
    const window = 5;
    let isCutting = false;
    const operator = await startScripted(t, (_pdu, session, n) => {
      if (isCutting && session === operator.sessions[0]) {
        session.abort("cut");
        return new Promise(() => {});
      }
      isCutting = n >= 50;
      return accepted(`${n}`);
    });
    const { here } = await sharing(t, operator.port, { binds: 2 }, window);
    await boundIs(here, 2);
    const company = await here.company({ credits: 1_000 });
    const to = phones(300);
    const { stats } = await settled(company, await send(company, to));
    assert.equal(stats.failed, 0);
    const reached = operator.received.map((pdu) => pdu.destinationAddr);
    assert.deepEqual(new Set(reached), new Set(to));
    assert.ok(reached.length - to.length <= window, `${reached.length - to.length} twice`);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("fewer binds are wanted: the rest is drained, and leaves nothing", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
    const { here, change } = await sharing(t, operator.port, { binds: 4 });
    await boundIs(here, 4);
    const company = await here.company({ credits: 1_000 });
    const id = await send(company, phones(500));
    const first = operator.sessions.find((session) => session.ready);
    await change({ binds: 1 });
    assert.equal((await settled(company, id)).stats.failed, 0);
    await until(async () => (await rows(here.app, "SELECT number FROM operator_binds")).length === 1);
    assert.equal(operator.received.length, 500, "nothing twice");
    assert.equal(first!.ready, true, "the first session goes on");
    await change({ binds: 2 });
    await boundIs(here, 2);
  });

  test("gateways share the binds; one that ends leaves them to the others", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
    const { here, scope, gateway } = await sharing(t, operator.port, { binds: 4 });
    await boundIs(here, 4);
    const other = await startBeside(scope, here, ["gateway"]);
    const counts = async () => (await rows(here.app, perNode)).map((row) => row.count);
    await until(async () => (await counts()).join() === "2,2");
    const company = await here.company({ credits: 1_000 });
    await settled(company, await send(company, phones(200)));
    await gateway.stop();
    await until(async () => (await counts()).join() === "4");
    assert.deepEqual(
      (await rows(here.app, perNode)).map((row) => row.node),
      [other.app.database.node],
    );
    await settled(company, await send(company, phones(200)));
    assert.equal(operator.received.length, 400);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("a transmitter submits, its receiver gets receipts, and neither stays without the other", async (t) => {
    const operator = await startScripted(t, (_pdu, session, n) => {
      assert.equal(session.bound!.command, "bind_transmitter");
      return accepted(`${n}`);
    });
    const { here, change } = await sharing(t, operator.port, { binds: 2, bindType: "transmitter+receiver" });
    const bySort = (command: string) =>
      operator.sessions.filter((session) => session.bound!.command === command && session.ready);
    const isWhole = () => bySort("bind_transmitter").length === 2 && bySort("bind_receiver").length === 2;
    await until(async () => isWhole());
    const company = await here.company({ credits: 1_000 });
    const id = await send(company, phones(50));
    await settled(company, id);
    for (const [i, pdu] of operator.received.entries())
      assert.equal(await deliverReceipt(bySort("bind_receiver")[0]!, pdu, `${i + 1}`), STATUS.ESME_ROK);
    await allAre("DELIVERED", company, id);
    const [left, fallen] = bySort("bind_receiver");
    fallen!.abort("cut");
    await until(async () => isWhole());
    assert.equal(left!.ready, true);
    await settled(company, await send(company, phones(50)));
    const before = operator.sessions.filter((session) => session.ready);
    await change({ serviceType: "CMT" });
    const ends = await Promise.all(before.map((session) => session.closed));
    assert.ok(
      ends.every(({ kind }) => kind === "peer-unbound"),
      "both sessions of a pair are unbound in order",
    );
    assert.equal((await assertBalanced(here)).held, 0);
  });
});

// Gateways that stop, stand by, and lose their database: one bind has one owner, and no message is lost or sent twice.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { cutDatabase, endConnections } from "../../../test/database.ts";
import { atLength } from "../../../test/length.ts";
import { countWaiting } from "../../../test/locks.ts";
import {
  accepted,
  addOperator,
  allAre,
  assertBalanced,
  balanceOf,
  deliverReceipt,
  phones,
  rows,
  send,
  settled,
  site,
  stacked,
  startBeside,
  startScripted,
  waitingMessages,
} from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";
import { query } from "../../platform/database/query.ts";
import { openLog } from "../../platform/log.ts";
import { STATUS } from "../../protocol/smpp/pdu.ts";
import { startSimulator } from "../simulator/simulator.ts";
import { startGateway } from "./gateway.ts";

/** Each has 42 messages, which two operators settle at once. */
const CAMPAIGNS = atLength({ short: 25, long: 60 });
const SILENT = { log: openLog("silent") };

function everyPhoneOnce(received: readonly { to: string }[], wanted: readonly string[]): void {
  assert.deepEqual(received.map((message) => message.to).sort(), wanted.toSorted());
}

suite("gateways", { concurrency: 4 }, () => {
  test("M14: a graceful stop under load leaves 0 of unknown fate; the rest waits, and the next start sends it", async (t) => {
    const simulator = await startSimulator({ latencyMs: 30 });
    t.after(() => simulator.stop());
    const { here, scope, gateway } = await site(t, simulator.port, {
      window: 20,
      settings: { quarantineMs: 60_000 },
    });
    const company = await here.company({ credits: 1_000 });
    const ids = [
      await send(company, phones(300)),
      await send(company, phones(10, "22505"), "Akwaba ! ".repeat(45)),
    ];
    await until(() => simulator.stats().accepted >= 60);
    await gateway.stop();
    assert.equal(simulator.stats().sessions, 0, "unbound");
    const left = await waitingMessages(here.app);
    assert.ok(left.length > 0, "it stopped in the middle");
    assert.deepEqual(
      left.filter((message) => message.unknown || message.isWritten),
      [],
    );
    assert.equal((await rows(here.app, "SELECT count(*) FROM messages"))[0].count, 310 - left.length);
    await assertBalanced(here);
    await startBeside(scope, here, ["gateway"]);
    for (const id of ids) await settled(company, id);
    everyPhoneOnce(simulator.inbox({ limit: 1_000 }), [...phones(300), ...phones(10, "22505")]);
    assert.equal(await balanceOf(company), 670);
  });

  test("a gateway that fails to start leaves nothing behind", async (t) => {
    const simulator = await startSimulator();
    t.after(() => simulator.stop());
    const scope = stacked(t);
    const here = await testService(scope, { config: { roles: new Set(["api"]), simulator: false } });
    await addOperator(here, simulator.port);
    const databaseUrl = "postgres://nobody@127.0.0.1:1/nothing";
    const starting = startGateway({ app: here.app, databaseUrl, onHandsetMessage: async () => {} });
    await assert.rejects(starting, { code: "ECONNREFUSED" });
    const gateway = await startBeside(scope, here, ["gateway"]);
    await until(() => simulator.stats().sessions === 1);
    await gateway.stop();
    assert.equal(simulator.stats().sessions, 0);
  });

  test("M11: of two gateways one owns the bind; when it stops the other takes over within seconds", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
    const { here, scope, gateway } = await site(t, operator.port);
    // On a busy machine the other gateway may be the faster one otherwise.
    const bound = "SELECT FROM operator_binds WHERE node = $1 AND state = 'BOUND'";
    await until(async () => (await rows(here.app, bound, [gateway.app.database.node])).length === 1);
    await startBeside(scope, here, ["gateway"]);
    const company = await here.company({ credits: 1_000 });
    for (let i = 0; i < 5; i++) {
      await settled(company, await send(company, phones(20)));
    }
    assert.equal(operator.sessions.length, 1);
    assert.equal((await rows(here.app, bound, [gateway.app.database.node])).length, 1);
    await gateway.stop();
    await settled(company, await send(company, phones(20)));
    assert.equal(operator.sessions.length, 2);
    assert.equal(operator.mostBound, 1);
    assert.equal(operator.received.length, 120);
  });

  test("M10: a gateway whose bind was taken over commits nothing and writes nothing more", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 100 });
    await settled(company, await send(company, phones(1)));
    await rows(
      here.app,
      "UPDATE operator_binds SET session_id = 'another', owned_until = now() + interval '1 hour', node = $1",
      [here.app.database.node],
    );
    await rows(here.app, "DELETE FROM gateway_sessions");
    const id = await send(company, phones(5));
    await operator.sessions[0]!.closed;
    assert.equal(operator.received.length, 1);
    assert.equal((await company.call(`/v1/campaign/${id}`)).data.stats.queued, 5);
    await rows(here.app, "UPDATE operator_binds SET owned_until = now()");
    await settled(company, id);
    assert.equal(operator.received.length, 6);
  });

  test("L16: two operators that settle the same campaigns and their receipts at once never deadlock", async (t) => {
    const operators = await Promise.all([
      startSimulator({ latencyMs: 1, receiptDelayMs: 20 }),
      startSimulator({ latencyMs: 5, receiptDelayMs: 5 }),
    ]);
    for (const operator of operators) t.after(() => operator.stop());
    const [one, two] = operators;
    const { here, scope, gateway } = await site(t, one!.port, { window: 50, prefixes: ["22505"] });
    await addOperator(here, two!.port, { window: 50, prefixes: ["22507"] });
    await gateway.stop();
    await startBeside(scope, here, ["gateway"]);
    await startBeside(scope, here, ["gateway"]);
    const company = await here.company({ credits: 10_000 });
    const ids: string[] = [];
    const refused = ["2250500000001", "2250700000001"];
    for (let i = 0; i < CAMPAIGNS; i++) {
      ids.push(await send(company, [...phones(20, "22505"), ...phones(20, "22507"), ...refused]));
    }
    for (const id of ids) {
      await until(async () => (await company.call(`/v1/campaign/${id}`)).data.stats.delivered === 40);
    }
    await rows(here.app, "SELECT pg_stat_force_next_flush()");
    const [found] = await rows(
      here.app,
      "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
    );
    assert.equal(found.deadlocks, 0);
    assert.equal(await balanceOf(company), 10_000 - 40 * CAMPAIGNS);
    await assertBalanced(here);
  });

  test("D10: receipts while the database refuses are answered as temporary, and come again: none is lost", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(`H${n}`));
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 10 });
    const id = await send(company, phones(3));
    await settled(company, id);
    const tell = () =>
      Promise.all(operator.received.map((pdu, i) => deliverReceipt(operator.sessions[0]!, pdu, `H${i + 1}`)));
    const restore = await cutDatabase(here.databaseUrl);
    assert.deepEqual(new Set(await tell()), new Set([STATUS.ESME_RX_T_APPN]));
    await restore();
    await until(async () => (await tell()).every((status) => status === STATUS.ESME_ROK));
    await allAre("DELIVERED", company, id);
    assert.equal(operator.sessions.length, 1, "the session lives on");
  });

  test("D10: receipts are answered as temporary also while nobody knows whether a turn was committed", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(`H${n}`));
    const { here } = await site(t, operator.port, SILENT);
    const company = await here.company({ credits: 10 });
    const id = await send(company, phones(1));
    await settled(company, id);
    const tell = () => deliverReceipt(operator.sessions[0]!, operator.received[0]!, "H1");
    const restored = Promise.withResolvers<() => Promise<void>>();
    const heldBatches = here.app.database.transaction(async (tx) => {
      // The next cycle waits for this row, its COMMIT sent with its statements, when the connections are cut.
      await tx.run(query("test.holdTurns", "SELECT FROM gateway_sessions FOR NO KEY UPDATE"));
      await send(company, phones(2, "22505"));
      await until(async () => (await countWaiting(here.app)) === 1);
      restored.resolve(await cutDatabase(here.databaseUrl));
    });
    await assert.rejects(heldBatches);
    const restore = await restored.promise;
    for (let i = 0; i < 3; i++) assert.equal(await tell(), STATUS.ESME_RX_T_APPN);
    await restore();
    await until(async () => (await tell()) === STATUS.ESME_ROK);
    await allAre("DELIVERED", company, id);
    await until(() => operator.received.length === 3);
    await until(async () => (await assertBalanced(here)).held === 0);
    assert.equal(operator.received.length, 3, "nothing is sent twice");
    assert.equal(operator.sessions.length, 1, "the session lives on");
  });

  test("M09: answers while the database refuses are kept and committed later: nothing is sent twice", async (t) => {
    const simulator = await startSimulator({ latencyMs: 20, receiptDelayMs: 100 });
    t.after(() => simulator.stop());
    const { here } = await site(t, simulator.port, {
      window: 30,
      settings: { quarantineMs: 60_000 },
      ...SILENT,
    });
    const company = await here.company({ credits: 500 });
    const id = await send(company, phones(400));
    await until(() => simulator.stats().accepted >= 50);
    const restore = await cutDatabase(here.databaseUrl);
    const before = simulator.stats().accepted;
    await assert.rejects(rows(here.app, "SELECT 1"));
    assert.equal((await company.call("/v1/credit/balance")).success, false);
    await restore();
    await until(async () => (await company.call("/v1/credit/balance")).success);
    await settled(company, id);
    assert.ok(before < 400, `${before} were submitted before the cut`);
    everyPhoneOnce(simulator.inbox({ limit: 1_000 }), phones(400));
    await until(async () => (await company.call(`/v1/campaign/${id}`)).data.stats.delivered === 400);
    assert.equal(await balanceOf(company), 100);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("M12: connections cut at any moment while it sends, even in COMMIT: each message once, each charged once", async (t) => {
    const here = await testService(t, {
      ...SILENT,
      settings: { quarantineMs: 60_000 },
      simulator: { latencyMs: 2 },
    });
    await until(() => here.simulator.stats().binds === 1);
    await rows(here.app, "UPDATE operators SET send_window = 20");
    await until(() => here.simulator.stats().binds === 2);
    const company = await here.company({ credits: 1_000 });
    const id = await send(company, phones(700));
    const mine =
      "application_name LIKE 'atumpan %' AND datname = current_database() AND pid <> pg_backend_pid()";
    const cut = () => rows(here.app, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${mine}`);
    let cuts = 0;
    const done = async () => {
      await cut().then(
        () => cuts++,
        () => {},
      );
      const answer = await company.call(`/v1/campaign/${id}`);
      return answer.success && answer.data.stats.queued === 0;
    };
    await until(done);
    await endConnections(here.databaseUrl);
    assert.ok(cuts > 5, `${cuts} cuts`);
    assert.equal(here.simulator.stats().binds, 2, "no session was lost");
    everyPhoneOnce(here.simulator.inbox({ limit: 10_000 }), phones(700));
    assert.equal(await balanceOf(company), 300);
    assert.equal((await assertBalanced(here)).held, 0);
  });
});

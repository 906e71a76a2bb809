// What metrics say of the links: each figure is that of what happened, and none needs a link or a database to be well.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { metricOf, readMetrics } from "../../../test/metrics.ts";
import { startProxy } from "../../../test/proxy.ts";
import {
  accepted,
  addOperator,
  allAre,
  deliverReceipt,
  NEVER,
  phones,
  rows,
  send,
  settled,
  site,
  stacked,
  startBeside,
  startScripted,
} from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";
import { openMetrics } from "../../platform/metrics.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { STATUS } from "../../protocol/smpp/pdu.ts";
import type { Routing } from "../operators/routing.ts";
import { expireWithoutGateway } from "./gateway.ts";
import { countEvidence, nameInMeasures } from "./measures.ts";

/** Messages of unknown fate are not sent again during a test. */
const PATIENT = { settings: { quarantineMs: 600_000 } };
const MORE = { prefixes: ["22507", "22505"] };

/** Reads metrics of one operator, `name{labels}` without the label of the operator. */
function readerOf(url: string, adminKey: string, port: number) {
  return (name: string, labels = "") =>
    metricOf(url, adminKey, `atumpan_${name}{operator="operator at ${port}"${labels && `,${labels}`}}`);
}

test("a process has series for 300 pairs of operator and prefix; the others count together, sent and delivered", async () => {
  const app = { metrics: openMetrics() } as Runtime;
  const routing = { servedPrefixOf: (phone: string) => phone } as Routing;
  nameInMeasures(app, { routing: () => routing, nameOf: (id) => (id === "gone" ? undefined : "orange") });
  const messages = Array.from({ length: 1_000 }, (_, i) => ({ operatorId: "a", phone: `${i}` }));
  const receipts = messages.map((message) => ({ ...message, status: "DELIVERED" as const, sentAt: null }));
  countEvidence(app, { proven: messages, receipts });
  countEvidence(app, { proven: [], receipts: [{ ...receipts[0]!, operatorId: "gone" }] });
  const lines = (await app.metrics.metrics()).split("\n");
  for (const name of ["sent", "delivered"]) {
    const series = lines.filter((line) => line.startsWith(`atumpan_prefix_${name}_total{operator="orange"`));
    assert.equal(series.length, 301);
    assert.ok(series.includes(`atumpan_prefix_${name}_total{operator="orange",prefix="other"} 700`));
  }
  assert.ok(lines.includes('atumpan_prefix_delivered_total{operator="(none)",prefix="other"} 1'));
});

suite("metrics of links", { concurrency: 4 }, () => {
  test("submits, answers, throttles, outcomes and receipts are counted, by prefix too", async (t) => {
    const [refused, throttled] = phones(2, "22507");
    const operator = await startScripted(t, ({ destinationAddr: phone }, _session, n) => {
      if (phone === refused) return { status: STATUS.ESME_RINVDSTADR, messageId: "" };
      const isSecond =
        operator.received.filter(({ destinationAddr }) => destinationAddr === phone).length > 1;
      return phone === throttled && !isSecond
        ? { status: STATUS.ESME_RTHROTTLED, messageId: "" }
        : accepted(`${n}`);
    });
    const { here, gateway } = await site(t, operator.port, MORE);
    const metric = readerOf(gateway.url, here.adminKey, operator.port);
    const company = await here.company({ credits: 100 });
    await settled(company, await send(company, [...phones(10, "22507"), ...phones(5, "22505")]));
    const [pdu] = operator.received.filter(({ destinationAddr }) => destinationAddr.startsWith("22505"));
    const number = operator.received.indexOf(pdu!) + 1;
    // The second receipt of a message says nothing new.
    for (let i = 0; i < 2; i++) await deliverReceipt(operator.sessions[0]!, pdu!, `${number}`);
    await until(async () => (await metric("receipts_total", 'outcome="DELIVERED"')) === 1);
    assert.equal(await metric("submits_total"), 16);
    const answers = ["accepted", "throttled", "rejected", "retry"].map((verdict) =>
      metric("answers_total", `verdict="${verdict}"`),
    );
    assert.deepEqual(await Promise.all(answers), [14, 1, 1, 0]);
    assert.equal(await metric("throttles_total", 'class="isolated"'), 1);
    assert.equal(await metric("throttles_total", 'class="too-fast"'), 0);
    assert.equal(await metric("messages_total", 'outcome="SENT"'), 14);
    assert.equal(await metric("messages_total", 'outcome="REJECTED"'), 1);
    assert.equal(await metric("prefix_sent_total", 'prefix="22507"'), 9);
    assert.equal(await metric("prefix_sent_total", 'prefix="22505"'), 5);
    assert.equal(await metric("prefix_delivered_total", 'prefix="22505"'), 1);
    assert.equal(await metric("prefix_delivered_total", 'prefix="22507"'), 0);
    assert.equal(await metric("binds", 'state="BOUND"'), 1);
    assert.equal(await metric("binds", 'state="REFUSED"'), 0);
    assert.equal(await metric("window_size"), 100);
    assert.equal(await metric("rate_learned_per_second"), undefined);
  });

  test("messages of unknown fate are counted, those that a receipt proves, and those that are sent again", async (t) => {
    const operator = await startScripted(t, (_pdu, session, n) =>
      session === operator.sessions[0] ? NEVER : accepted(`B${n}`),
    );
    const { here, gateway } = await site(t, operator.port, { window: 4, ...PATIENT });
    const metric = readerOf(gateway.url, here.adminKey, operator.port);
    const company = await here.company({ credits: 100 });
    const id = await send(company, phones(4));
    await until(async () => (await metric("window_on_wire")) === 4 && (await metric("window_slots")) === 4);
    operator.sessions[0]!.abort("the operator falls");
    await until(async () => (await metric("unknown_messages")) === 4);
    assert.equal(await metric("unknown_fate_total"), 4);
    await until(() => operator.sessions.length === 2);
    await until(async () => (await metric("binds", 'state="BOUND"')) === 1);
    await deliverReceipt(operator.sessions[1]!, operator.received[0]!, "A1");
    await deliverReceipt(operator.sessions[1]!, { ...operator.received[0]!, destinationAddr: "22999" }, "X");
    await until(async () => (await metric("orphan_receipts")) === 1);
    assert.equal(await metric("unknown_proven_total"), 1);
    await rows(here.app, "UPDATE batches SET not_before = now() WHERE unknown RETURNING id");
    await settled(company, id);
    await until(async () => (await metric("messages_total", 'outcome="SENT"')) === 4);
    assert.equal(await metric("unknown_resent_total"), 3);
    await until(async () => (await metric("unknown_messages")) === 0);
    assert.equal(await metric("prefix_sent_total", 'prefix="2"'), 4);
  });

  test("an answer that comes late is counted, and prevents a duplicate", async (t) => {
    const late = Promise.withResolvers<void>();
    const operator = await startScripted(t, async () => {
      await late.promise;
      return accepted("L1");
    });
    const { here, gateway, operatorId } = await site(t, operator.port, PATIENT);
    const metric = readerOf(gateway.url, here.adminKey, operator.port);
    await until(() => operator.binds.length === 1);
    await here.admin(`/v1/admin/operator/${operatorId}/update`, { submitTimeoutS: 1 });
    const company = await here.company({ credits: 100 });
    await until(() => operator.binds.length === 2);
    const id = await send(company, phones(1));
    await until(async () => (await metric("unknown_messages")) === 1);
    late.resolve();
    await allAre("SENT", company, id);
    await until(async () => (await metric("unknown_proven_total")) === 1);
    assert.equal(await metric("late_answers_total"), 1);
  });

  test("what waits is shown by lane and operator, with its age, while no link is bound", async (t) => {
    const operator = await startScripted(t, () => NEVER);
    await operator.stop();
    const { here, gateway } = await site(t, operator.port, MORE);
    const metric = readerOf(gateway.url, here.adminKey, operator.port);
    const company = await here.company({ credits: 100 });
    await send(company, [...phones(20, "22507"), ...phones(10, "22505")]);
    await send(company, phones(1));
    await until(async () => (await metric("queue_messages", 'lane="single"')) === 1);
    assert.equal(await metric("queue_messages", 'lane="bulk"'), 30);
    assert.equal(await metric("queue_messages", 'lane="otp"'), 0);
    await until(async () => (await metric("queue_age_seconds", 'lane="bulk"'))! > 1);
    assert.equal(await metric("binds", 'state="BOUND"'), 0);
  });

  test("messages that end while no link has them are counted by what became of them", async (t) => {
    const operator = await startScripted(t, () => NEVER);
    const { here, gateway } = await site(t, operator.port, { window: 4, ...PATIENT });
    const metric = readerOf(gateway.url, here.adminKey, operator.port);
    const company = await here.company({ credits: 100 });
    await send(company, phones(4));
    await until(async () => (await metric("window_on_wire")) === 4);
    await operator.stop();
    await until(async () => (await metric("unknown_messages")) === 4);
    await send(company, phones(3));
    const canceled = await send(company, phones(20));
    await company.call(`/v1/campaign/${canceled}/cancel`);
    await rows(here.app, "UPDATE batches SET expires_at = now()");
    await expireWithoutGateway(here.app);
    for (const [outcome, count] of Object.entries({ EXPIRED: 3, UNKNOWN: 4, CANCELED: 20 }))
      await until(async () => {
        const series = `atumpan_messages_total{operator="(none)",outcome="${outcome}"}`;
        return (await metricOf(here.url, here.adminKey, series)) === count;
      });
  });

  test("what a link has taken and not written is shown by lane", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
    const { here, gateway } = await site(t, operator.port, { tps: 1 });
    const metric = readerOf(gateway.url, here.adminKey, operator.port);
    const company = await here.company({ credits: 400 });
    await send(company, phones(400));
    const bulk = 'lane="bulk"';
    await until(async () => (await metric("shelf_messages", bulk))! > 0);
    await until(async () => (await metric("shelf_age_seconds", bulk))! > 0);
    assert.equal(await metric("shelf_messages", 'lane="otp"'), 0);
  });

  test("metrics are told while the database is silent, without what is read from it", async (t) => {
    const scope = stacked(t);
    const operator = await startScripted(scope, () => NEVER);
    const here = await testService(scope, { config: { roles: new Set(["api"]), simulator: false } });
    await addOperator(here, operator.port);
    const proxy = await startProxy(scope, here.databaseUrl);
    const gateway = await startBeside(scope, here, ["gateway"], proxy.url);
    await until(() => operator.sessions.length === 1);
    const metric = readerOf(gateway.url, here.adminKey, operator.port);
    assert.equal(await metricOf(gateway.url, here.adminKey, "atumpan_database_answers"), 1);
    assert.equal(await metric("orphan_receipts"), 0);
    proxy.fallSilent({ alsoNew: true });
    await until(async () => (await metricOf(gateway.url, here.adminKey, "atumpan_database_answers")) === 0);
    const text = await readMetrics(gateway.url, here.adminKey);
    assert.match(text, /^# HELP atumpan_queue_messages/m);
    assert.doesNotMatch(text, /^atumpan_queue_messages/m);
    assert.match(text, /^atumpan_submits_total\{/m);
    proxy.recover();
  });
});

// Test handsets: what is sent to them over one route, who confirms it, and what that says of the route.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { newNumber } from "../../../test/belongings.ts";
import { ERASE_PERSON, erased } from "../../../test/erasures.ts";
import {
  callbackOf,
  carrierService,
  createCarrier,
  providerOperator,
  startProvider,
} from "../../../test/httpprovider.ts";
import { addRoute, countedAre, qualityOf } from "../../../test/quality.ts";
import { assertBalanced, rows } from "../../../test/sending.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";
import { judgeRoutes } from "../../delivery/quality/suspects.ts";
import { endProbes } from "./confirming.ts";
import { forgetResults } from "./probes.ts";
import { sendDueProbes } from "./sending.ts";

const PHONE = "2250707070707";
const CONSENT = "Awa Koné, par écrit, le 28/11/2026";
const NOWHERE = "0".repeat(24);

function addHandset(here: TestService, more: object = {}) {
  const given = { phone: PHONE, name: "Awa", consent: CONSENT, ...more };
  return dataOf(here.admin("/v1/admin/probe/create", given));
}

function sendTo(here: TestService, probeId: string, operatorId: string) {
  return dataOf(here.admin(`/v1/admin/probe/${probeId}/send`, { operatorId }));
}

/** What was sent to a test handset: its result and its status, newest first. */
async function resultsOf(here: TestService, probeId: string): Promise<string[][]> {
  const all = await dataOf(here.admin(`/v1/admin/probe/${probeId}/results`, { limit: 100 }));
  return all.map(({ result, status }: Record<string, string>) => [result, status]);
}

suite("test handsets", { concurrency: 3 }, () => {
  test("H75: a message goes over this operator and asks for its marker; the reply confirms it once, and is no customer's", async (t) => {
    const here = await testService(t, { config: { simulator: false } });
    const first = await addRoute(here, t, "premier", ["225"]);
    const tested = await addRoute(here, t, "essayé", ["33"]);
    const company = await here.company({ credits: 10 });
    const number = newNumber();
    const given = { number, operatorId: tested.id, companyId: company.companyId };
    await dataOf(here.admin("/v1/admin/inbound/number/create", given));
    const { id } = await addHandset(here);
    const sent = await sendTo(here, id, tested.id);
    assert.deepEqual([sent.operator, sent.status, sent.result], ["essayé", "QUEUED", "PENDING"]);
    const text = await until(() => tested.simulator.inbox({ phone: PHONE })[0]?.text);
    assert.equal(text, `Test de réception SMS. Pour confirmer, envoyez ${sent.marker} au ${number}.`);
    assert.deepEqual(first.simulator.inbox(), []);
    await until(async () => (await resultsOf(here, id))[0]?.[1] === "DELIVERED");
    const say = (from: string, said: string, over = tested) =>
      over.simulator.reply({ from, to: number, text: said });
    // Another phone, or another marker, confirms nothing. These are messages of the company.
    await say("2250501020304", `stop ${sent.marker}`);
    await say(PHONE, "AT222222");
    assert.deepEqual(await resultsOf(here, id), [["PENDING", "DELIVERED"]]);
    for (let i = 0; i < 2; i++) await say(PHONE, `stop: ${sent.marker.toLowerCase()}`, first);
    assert.deepEqual(await resultsOf(here, id), [["CONFIRMED", "DELIVERED"]]);
    const { totals, prefixes } = await qualityOf(here, tested.id);
    assert.deepEqual(totals.probes, { sent: 1, confirmed: 1, share: 1 });
    assert.equal(prefixes[0].prefix, "225");
    const received = await dataOf(company.call("/v1/inbound/list", {}));
    assert.deepEqual(
      received.map((message: { text: string }) => message.text),
      ["AT222222", `stop ${sent.marker}`],
    );
    assert.equal((await here.admin("/v1/admin/inbound/list", {})).totalCount, 2);
    assert.deepEqual(await dataOf(company.call("/v1/optout/list", {})), []);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("H76: the app on the phone confirms by forwarding what it received, over HTTP too", async (t) => {
    const here = await carrierService(t, 1_000);
    const carrier = await startProvider(t);
    const operatorId = await createCarrier(here, providerOperator(carrier));
    const url = await callbackOf(here, operatorId);
    const { id } = await addHandset(here, { language: "en" });
    const { marker } = await sendTo(here, id, operatorId);
    await until(async () => (await resultsOf(here, id))[0]?.[1] !== "QUEUED");
    const forward = async (to: string) => {
      const text = `SMS delivery test. To confirm, reply ${marker}.`;
      const body = JSON.stringify({ type: "inbound", id: `in ${to}`, from: "ATUMPAN", to, text });
      const response = await fetch(url, {
        method: "POST",
        body,
        headers: { "Content-Type": "application/json" },
      });
      assert.equal(response.status, 200);
    };
    await forward("2250501020304");
    assert.equal((await resultsOf(here, id))[0]?.[0], "PENDING");
    await forward(`+${PHONE}`);
    assert.equal((await resultsOf(here, id))[0]?.[0], "CONFIRMED");
    const received = await dataOf(here.admin("/v1/admin/inbound/list", {}));
    assert.deepEqual(
      received.map(({ to }: { to: string }) => to),
      ["2250501020304"],
    );
  });

  test("H77: what nobody confirms counts against its route, but what the operator refused or reported as lost does not", async (t) => {
    const here = await testService(t, { config: { simulator: false }, settings: { probeWaitMs: 0 } });
    const route = await addRoute(here, t, "orange", ["225"]);
    const endings = ["0001", "0002", "1111"];
    const ids: string[] = [];
    for (const ending of endings) {
      const { id } = await addHandset(here, { phone: `225070707${ending}` });
      ids.push(id);
      await sendTo(here, id, route.id);
    }
    const statuses = ["REJECTED", "UNDELIVERED", "DELIVERED"];
    for (const [i, status] of statuses.entries())
      await until(async () => (await resultsOf(here, ids[i]!))[0]?.[1] === status);
    await until(async () => {
      await endProbes(here.app);
      return (await resultsOf(here, ids[2]!))[0]?.[0] === "UNCONFIRMED";
    });
    await endProbes(here.app);
    const { totals } = await qualityOf(here, route.id);
    assert.deepEqual(totals.probes, { sent: 1, confirmed: 0, share: 0 });
    await rows(here.app, "UPDATE probe_sends SET id = '0' || substr(id, 2) WHERE probe_id = $1", [ids[0]]);
    await forgetResults(here.app);
    assert.deepEqual(await Promise.all(ids.map(async (id) => (await resultsOf(here, id)).length)), [1, 1, 1]);
    await rows(here.app, "UPDATE probe_sends SET id = '00' || substr(id, 3) WHERE probe_id = $1", [ids[0]]);
    await forgetResults(here.app);
    assert.deepEqual(await resultsOf(here, ids[0]!), []);
  });

  test("H78: a route whose messages no handset confirms is flagged; one that is confirmed is not", async (t) => {
    const here = await testService(t, { config: { simulator: false } });
    const [honest, liar] = [await addRoute(here, t, "A", ["225"]), await addRoute(here, t, "B", ["225"])];
    const { id } = await addHandset(here);
    for (let i = 0; i < 10; i++) {
      const { marker } = await sendTo(here, id, honest.id);
      await sendTo(here, id, liar.id);
      await until(() => honest.simulator.inbox({ phone: PHONE }).length > i);
      await honest.simulator.reply({ from: PHONE, to: "36123", text: marker });
    }
    for (const route of [honest, liar]) await countedAre(here, route.id, { delivered: 10 });
    await judgeRoutes(here.app);
    assert.equal((await qualityOf(here, liar.id)).suspect, false);
    here.app.config.settings.probeWaitMs = 0;
    await until(async () => {
      await endProbes(here.app);
      return (await resultsOf(here, id)).every(([result]) => result !== "PENDING");
    });
    await judgeRoutes(here.app);
    assert.equal((await qualityOf(here, honest.id)).suspect, false);
    assert.deepEqual(
      (await qualityOf(here, liar.id)).suspects.map((one: { reason: string }) => one.reason),
      [
        "Préfixe 225 : les accusés de réception déclarent remis 100 % des messages, mais 0 % de ses messages de test ont été confirmés (0 sur 10), contre 100 % par les autres opérateurs.",
      ],
    );
  });

  test("H79: a handset with everyHours gets one message over each operator that serves it, when it is due", async (t) => {
    const here = await testService(t, { config: { simulator: false, roles: new Set(["api", "gateway"]) } });
    const routes = [
      await addRoute(here, t, "A", ["22507"]),
      await addRoute(here, t, "B", ["225"]),
      await addRoute(here, t, "C", ["22505"]),
    ];
    const { id, nextAt } = await addHandset(here, { everyHours: 24 });
    assert.ok(nextAt !== null);
    await addHandset(here, { phone: "2250707070708" });
    await Promise.all([sendDueProbes(here.app), sendDueProbes(here.app)]);
    await until(async () => (await resultsOf(here, id)).every(([, status]) => status === "DELIVERED"));
    assert.equal((await resultsOf(here, id)).length, 2);
    assert.deepEqual(
      routes.map(({ simulator }) => simulator.inbox().length),
      [1, 1, 0],
    );
    const { nextAt: later } = await dataOf(here.admin(`/v1/admin/probe/${id}`));
    assert.ok(Date.parse(later) > Date.now() + 23 * 3_600_000);
    await rows(here.app, "UPDATE probes SET next_at = now() WHERE id = $1", [id]);
    await dataOf(here.admin(`/v1/admin/operator/${routes[1]!.id}/hold`));
    await sendDueProbes(here.app);
    assert.equal((await resultsOf(here, id)).length, 3);
  });

  test("H79: test handsets: what they refuse, by error code; an erased person is none any more", async (t) => {
    const here = await testService(t, { config: { simulator: false }, limits: { probes: 2 } });
    const { id, ...made } = await addHandset(here);
    assert.deepEqual(
      [made.phone, made.consent, made.language, made.everyHours, made.nextAt],
      [PHONE, CONSENT, "fr", null, null],
    );
    const create = (body: object) => here.admin("/v1/admin/probe/create", { name: "Awa", ...body });
    assert.equal((await create({ phone: PHONE, consent: CONSENT })).error, "conflict");
    assert.equal((await create({ phone: "12", consent: CONSENT })).error, "invalid-phone-number");
    assert.equal((await create({ phone: "2250701010101" })).details?.[0]?.field, "consent");
    const send = (probeId: string, operatorId: string) =>
      here.admin(`/v1/admin/probe/${probeId}/send`, { operatorId });
    assert.equal((await send(id, NOWHERE)).error, "not-found");
    const account = {
      host: "127.0.0.1",
      port: 1,
      systemId: "a",
      password: "drum",
      prefixes: ["225"],
      enabled: false,
    };
    const { id: operatorId } = await dataOf(
      here.admin("/v1/admin/operator/create", { name: "A", ...account }),
    );
    const refused = await send(id, operatorId);
    assert.deepEqual([refused.error, refused.details?.[0]?.field], ["conflict", "operatorId"]);
    assert.equal((await send(NOWHERE, operatorId)).error, "not-found");
    assert.equal((await here.admin(`/v1/admin/probe/${NOWHERE}/results`)).error, "not-found");
    const { id: other } = await addHandset(here, { phone: "2250701010101" });
    assert.equal((await create({ phone: "2250701010102", consent: CONSENT })).error, "conflict");
    assert.equal((await dataOf(here.admin(`/v1/admin/probe/${other}/delete`))).id, other);
    await erased(here.admin, ERASE_PERSON, PHONE);
    assert.deepEqual(await dataOf(here.admin("/v1/admin/probe/list", {})), []);
  });
});

// Operators through their URLs: made, listed with live state, changed, deleted; refusals; and what a deleted one leaves.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  accepted,
  assertBalanced,
  balanceOf,
  NEVER,
  phones,
  rows,
  send,
  settled,
  startScripted,
  statusesOf,
} from "../../../test/sending.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";
import { newId } from "../../platform/ids.ts";
import { expireMessages } from "../sends/settlement/expire.ts";
import { startSimulator } from "../simulator/simulator.ts";
import { passwordPlace } from "./bind.ts";
import { settingsOf } from "./settings.ts";

const ORANGE = {
  name: "Orange CI",
  host: "127.0.0.1",
  port: 2775,
  systemId: "atumpan",
  password: "drum",
  prefixes: ["22507"],
};
const WITHOUT_SIMULATOR = { config: { simulator: false } };

async function listed(here: TestService, id: string) {
  const { data } = await here.admin("/v1/admin/operator/list", { limit: 100 });
  return data.find((operator: { id: string }) => operator.id === id);
}

async function create(here: TestService, input: object): Promise<string> {
  const answer = await here.admin("/v1/admin/operator/create", { ...ORANGE, ...input });
  assert.equal(answer.success, true, JSON.stringify(answer));
  return answer.data.id;
}

/** How many binds of an operator are kept, or may have left messages. */
async function bindsOf(here: TestService, id: string): Promise<number> {
  return (await rows(here.app, "SELECT FROM operator_binds WHERE operator_id = $1", [id])).length;
}

const reaches = (here: TestService, id: string, state: string) =>
  until(async () => {
    const operator = await listed(here, id);
    return operator?.state === state && operator;
  });

suite("operators", { concurrency: 4 }, () => {
  test("an operator has every field that was given or its default, and never shows its password", async (t) => {
    const here = await testService(t);
    const all = {
      ...ORANGE,
      port: 1,
      tls: true,
      systemType: "VMA",
      window: 32,
      tps: 50,
      prefixes: ["22507", "22508", "22507"],
      priority: 3,
      enabled: false,
      concatenation: "sar",
      messageIdForm: "hex-to-decimal",
      receiptTimeZone: "Africa/Lagos",
      plainReceipts: true,
      overflowAfterS: null,
      operatorGroup: "orange-ci",
    };
    const { data } = await here.admin("/v1/admin/operator/create", all);
    const { id, createdAt, ...shown } = data;
    assert.match(id, /^[0-9a-f]{24}$/);
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
    const { password, ...rest } = { ...all, tlsCa: null, tlsServerName: null, tlsCert: null };
    const idle = {
      kind: "smpp",
      connector: null,
      declaration: null,
      phone: null,
      connectorSettings: {},
      state: "DISABLED",
      able: false,
      suspect: false,
      bound: 0,
      inFlight: 0,
      rate: 0,
      error: null,
      boundAt: null,
      heldAt: null,
    };
    assert.deepEqual(shown, { ...rest, ...settingsOf({}), prefixes: ["22507", "22508"], ...idle });
    const emptied = { systemType: "", receiptTimeZone: "", operatorGroup: "" };
    const { data: updated } = await here.admin(`/v1/admin/operator/${id}/update`, emptied);
    const none = { systemType: null, receiptTimeZone: null, operatorGroup: null };
    assert.deepEqual(updated, { ...data, ...none });
    const [row] = await rows(here.app, "SELECT sealed_password AS sealed FROM operators WHERE id = $1", [id]);
    assert.equal(here.app.secrets.unseal(passwordPlace(id), row.sealed), password);

    const plain = await here.admin("/v1/admin/operator/create", { ...ORANGE, name: "MTN", enabled: false });
    const { tls, systemType, window, tps, priority, concatenation, messageIdForm } = plain.data;
    assert.deepEqual(
      [tls, systemType, window, tps, priority, concatenation, messageIdForm],
      [false, null, 100, null, 0, "udh8", "as-is"],
    );
    const { receiptTimeZone, plainReceipts, operatorGroup } = plain.data;
    assert.deepEqual([receiptTimeZone, plainReceipts, operatorGroup], [null, false, null]);
    const overflowOf = async (changes: object) =>
      (await here.admin(`/v1/admin/operator/${plain.data.id}/update`, changes)).data.overflowAfterS;
    assert.deepEqual(
      [
        plain.data.overflowAfterS,
        await overflowOf({ overflowAfterS: null }),
        await overflowOf({ tps: null }),
      ],
      [60, null, null],
      "null is a value here, and absent elsewhere",
    );
    assert.equal(await overflowOf({ overflowAfterS: 60 }), 60);
    const list = await here.admin("/v1/admin/operator/list");
    assert.deepEqual(
      list.data.map((operator: { name: string }) => operator.name),
      ["MTN", "Orange CI", "simulator"],
    );
    assert.deepEqual([list.totalCount, list.count, list.page, list.totalPage], [3, 3, 1, 1]);
    const oldest = await here.admin("/v1/admin/operator/list", { limit: 1, sort: "asc" });
    assert.equal(oldest.data[0].name, "simulator");
    assert.doesNotMatch(JSON.stringify([data, plain, list]), /drum|sealed|password/i);
  });

  test("what cannot be is refused by its field, and nothing is made of it", async (t) => {
    const here = await testService(t, WITHOUT_SIMULATOR);
    const wrong: Record<string, unknown[]> = {
      name: [undefined, "", "x".repeat(201), 5],
      host: [undefined, "", "a b", "http://smsc", "x".repeat(254)],
      port: [undefined, 0, 65_536, 1.5, "2775"],
      systemId: [undefined, "", "x".repeat(65), "é"],
      password: [undefined, "x".repeat(65), "é", 5],
      systemType: ["x".repeat(13), "\u007f"],
      tls: ["true"],
      window: [0, 1_001, 1.5],
      tps: [-1, 100_001, "50"],
      priority: [-1, 10_001],
      enabled: [1],
      concatenation: ["udh"],
      messageIdForm: ["hex"],
      receiptTimeZone: ["Lagos", "+25:00", 1],
      plainReceipts: ["true"],
      overflowAfterS: [0, 86_401, 1.5, "60"],
      operatorGroup: [5, "x".repeat(201)],
    };
    const prefixes = [undefined, [], "225", ["+225"], ["0225"], [""], ["2".repeat(16)], [225]];
    const tooMany = Array.from({ length: 1_001 }, (_, i) => `${1000 + i}`);
    const cases = Object.entries(wrong).flatMap(([field, values]) =>
      values.map((value) => ({ field, value })),
    );
    for (const value of [...prefixes, tooMany]) cases.push({ field: "prefixes", value });
    for (const { field, value } of cases) {
      const answer = await here.admin("/v1/admin/operator/create", { ...ORANGE, [field]: value });
      assert.equal(answer.error, "invalid-request", `${field}: ${value}`);
      assert.ok(
        answer.details!.every((detail) => detail.field.startsWith(field)),
        `${field}: ${value}`,
      );
    }
    assert.equal((await here.admin("/v1/admin/operator/list")).totalCount, 0);
    await create(here, {
      prefixes: tooMany.slice(1),
      enabled: false,
      password: "x".repeat(64),
      systemId: "x".repeat(64),
    });
  });

  test("names are unique, one is the simulated operator's; unknown ids and other callers are refused", async (t) => {
    const here = await testService(t, WITHOUT_SIMULATOR);
    const id = await create(here, { enabled: false });
    const other = await create(here, { name: "MTN", enabled: false });
    const at = (path: string, body: object) => here.admin(`/v1/admin/operator/${path}`, body);
    for (const [path, body, reason] of [
      ["create", ORANGE, /déjà ce nom/],
      ["create", { ...ORANGE, name: "simulator" }, /opérateur simulé/],
      [`${other}/update`, { name: "Orange CI" }, /déjà ce nom/],
      [`${other}/update`, { name: "simulator" }, /opérateur simulé/],
    ] as const) {
      const { error, details } = await at(path, body);
      assert.deepEqual([error, details?.[0]?.field], ["conflict", "name"]);
      assert.match(details![0]!.message, reason);
    }
    assert.equal((await at(`${other}/update`, { name: "MTN" })).success, true);
    for (const unknown of [newId(), "x"]) {
      assert.equal((await at(`${unknown}/update`, { port: 1 })).error, "not-found");
      assert.equal((await at(`${unknown}/delete`, {})).error, "not-found");
    }
    assert.equal((await at(`${id}/delete`, {})).data.name, "Orange CI");
    assert.equal((await at(`${id}/delete`, {})).error, "not-found");
    assert.equal((await at(`${id}/update`, { enabled: true })).error, "not-found");
    await create(here, { enabled: false });
    const company = await here.company();
    for (const path of ["create", "list", `${other}/update`, `${other}/delete`])
      assert.equal((await company.call(`/v1/admin/operator/${path}`, ORANGE)).error, "not-authenticated");
  });

  test("passwords of 9 to 64 octets, and a system_id as long, are sent as the operator handed them out", async (t) => {
    const operator = await startScripted(t, () => accepted("1"));
    const here = await testService(t, WITHOUT_SIMULATOR);
    for (const octets of [9, 33, 64]) {
      const [systemId, password] = ["s".repeat(octets), "~".repeat(octets)];
      await create(here, { name: `of ${octets}`, port: operator.port, systemId, password });
      await until(() =>
        operator.binds.some((bind) => bind.systemId === systemId && bind.password === password),
      );
    }
  });

  test("S19: a refused bind is shown with its reason, and a corrected password binds at once", async (t) => {
    const simulator = await startSimulator({ systemId: "atumpan", password: "drum" });
    t.after(() => simulator.stop());
    const here = await testService(t, WITHOUT_SIMULATOR);
    const id = await create(here, { port: simulator.port, password: "wrong" });
    assert.equal((await reaches(here, id, "REFUSED")).error, "ESME_RINVPASWD");
    await here.admin(`/v1/admin/operator/${id}/update`, { password: "drum" });
    const bound = await until(async () => (await reaches(here, id, "BOUND")).able && listed(here, id));
    assert.equal(bound.error, null);
    assert.ok(Math.abs(Date.parse(bound.boundAt) - Date.now()) < 60_000);
  });

  test("a change keeps the rest; prefixes and priority need no new bind, the window does; disabled it is unbound", async (t) => {
    const simulator = await startSimulator();
    t.after(() => simulator.stop());
    const here = await testService(t, WITHOUT_SIMULATOR);
    const id = await create(here, { port: simulator.port, tps: 7 });
    const update = async (changes: object) => {
      const { data } = await here.admin(`/v1/admin/operator/${id}/update`, changes);
      return data;
    };
    const before = await until(async () => (await reaches(here, id, "BOUND")).able && listed(here, id));
    const company = await here.company({ credits: 10 });
    const sendTo = (phone: string) =>
      company.call("/v1/campaign/create", { contacts: [phone], text: "Bonjour" });
    assert.equal((await sendTo("2250500001000")).error, "no-recipient", "unroutable");
    const changed = await update({
      prefixes: ["22505", "22505"],
      priority: 4,
      name: "Orange",
      systemType: null,
    });
    const { prefixes, priority, name } = { prefixes: ["22505"], priority: 4, name: "Orange" };
    const { inFlight, rate, ...kept } = before;
    assert.deepEqual(changed, {
      ...kept,
      inFlight: changed.inFlight,
      rate: changed.rate,
      prefixes,
      priority,
      name,
    });
    assert.equal((await sendTo("2250500001000")).success, true, "at once");
    await until(() => simulator.stats().accepted === 1);
    assert.equal(simulator.stats().binds, 1, "no new bind");
    assert.deepEqual([(await update({ tps: 0, window: 5 })).tps, (await update({})).window], [null, 5]);
    await until(() => simulator.stats().binds >= 2);
    assert.equal((await update({ enabled: false })).enabled, false);
    await reaches(here, id, "DISABLED");
    assert.equal(simulator.stats().sessions, 0);
    await update({ enabled: true });
    await reaches(here, id, "BOUND");
  });

  test("what a bind is doing is seen in the list: in flight, rate, and whether it can take more", async (t) => {
    const simulator = await startSimulator({ latencyMs: 200 });
    t.after(() => simulator.stop());
    const here = await testService(t, WITHOUT_SIMULATOR);
    const id = await create(here, { port: simulator.port, window: 20 });
    await reaches(here, id, "BOUND");
    const company = await here.company({ credits: 1_000 });
    await send(company, phones(600));
    const busy = await until(async () => {
      const operator = await listed(here, id);
      return operator.inFlight > 0 && operator.rate > 0 && operator;
    });
    assert.ok(busy.inFlight <= 20 && busy.rate <= 120, JSON.stringify(busy));
    await simulator.stop();
    const down = await until(async () => {
      const operator = await listed(here, id);
      return operator.state !== "BOUND" && operator.error && operator;
    });
    assert.deepEqual([down.able, down.boundAt], [false, null]);
    assert.match(down.error, /ECONNREFUSED/);
  });

  test("what waits for a deleted operator goes to one that serves a shorter prefix, campaigns and single sends", async (t) => {
    const here = await testService(t, WITHOUT_SIMULATOR);
    const simulator = await startSimulator();
    t.after(() => simulator.stop());
    // Nobody listens at its port: what is for it waits.
    const orange = await create(here, { port: 1 });
    const company = await here.company({ credits: 100 });
    const ids = [await send(company, phones(50)), await send(company, "2250700009999")];
    await create(here, { name: "Transit", port: simulator.port, prefixes: ["225"], enabled: false });
    await here.admin(`/v1/admin/operator/${orange}/delete`);
    assert.equal(await listed(here, orange), undefined);
    const transit = (await here.admin("/v1/admin/operator/list")).data[0].id;
    await here.admin(`/v1/admin/operator/${transit}/update`, { enabled: true });
    for (const id of ids) assert.equal((await settled(company, id)).status, "SENT");
    assert.equal(simulator.stats().accepted, 51);
    await until(async () => (await bindsOf(here, orange)) === 0);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("what a deleted operator never answered is sent again once by another after the quarantine, and charged once", async (t) => {
    const here = await testService(t, { ...WITHOUT_SIMULATOR, settings: { quarantineMs: 500 } });
    const deaf = await startScripted(t, () => NEVER);
    const good = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
    const orange = await create(here, { port: deaf.port, window: 3 });
    await reaches(here, orange, "BOUND");
    const company = await here.company({ credits: 100 });
    const id = await send(company, phones(10));
    await until(() => deaf.received.length === 3);
    await here.admin(`/v1/admin/operator/${orange}/delete`);
    await create(here, { name: "Transit", port: good.port, prefixes: ["225"] });
    // What was certainly not written goes at once; the rest when the session has drained and the quarantine is over.
    await until(() => good.received.length === 7);
    const data = await settled(company, id);
    assert.deepEqual([data.status, data.stats.sent, data.creditRefunded], ["SENT", 10, 0]);
    const again = good.received
      .slice(7)
      .map((pdu) => pdu.destinationAddr)
      .sort();
    assert.deepEqual(again, deaf.received.map((pdu) => pdu.destinationAddr).sort());
    assert.equal(deaf.received.length, 3);
    assert.equal(await balanceOf(company), 90);
    assert.equal((await assertBalanced(here)).held, 0);
    assert.equal(await bindsOf(here, orange), 0);
  });

  test("M10: deleted while its owner is dead: what that had is recovered all the same, and expires with its credits", async (t) => {
    const here = await testService(t, WITHOUT_SIMULATOR);
    const orange = await create(here, { port: 1 });
    const company = await here.company({ credits: 10 });
    const id = await send(company, phones(4));
    // As a process leaves it that was killed with two of four messages written.
    await until(async () => (await rows(here.app, "SELECT FROM operator_binds")).length === 1);
    await here.admin(`/v1/admin/operator/${orange}/update`, { enabled: false });
    await until(async () => (await rows(here.app, "SELECT FROM operator_binds")).length === 0);
    await rows(here.app, "UPDATE batches SET session_id = 'dead', operator_id = $1, intent = 2", [orange]);
    await rows(
      here.app,
      `INSERT INTO operator_binds (operator_id, session_id, node, owned_until, state)
       VALUES ($1, 'dead', 'a process that was killed', now() + interval '1 minute', 'BOUND')`,
      [orange],
    );
    await here.admin(`/v1/admin/operator/${orange}/delete`);
    await until(async () => (await bindsOf(here, orange)) === 0);
    const unknown = ["UNKNOWN", "UNKNOWN", "QUEUED", "QUEUED"];
    assert.deepEqual(await statusesOf(company, id), unknown);
    assert.equal((await assertBalanced(here)).held, 4);
    await rows(here.app, "UPDATE batches SET expires_at = now()");

    await expireMessages(here.app);
    assert.deepEqual(await statusesOf(company, id), ["UNKNOWN", "UNKNOWN", "EXPIRED", "EXPIRED"]);
    assert.equal(await balanceOf(company), 10);
    assert.equal((await assertBalanced(here)).held, 0);
  });
});

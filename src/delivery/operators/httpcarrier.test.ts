// An operator over HTTP, on carriers that the test scripts: sending, receipts, refusals, and the URLs of administrators.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DECLARATION, reply, startCarrier, testServiceOver } from "../../../test/httpcarrier.ts";
import { allAre, assertBalanced, balanceOf, phones, send, settled } from "../../../test/sending.ts";
import { until } from "../../../test/testservice.ts";

describe("an operator over HTTP", () => {
  test("takes a campaign, reports by callbacks before and after its answers, and each message is charged once", async (t) => {
    const carrier = await startCarrier(t, async ({ id, to, receiptUrl }, response, n) => {
      const receipt = { id: `m${n}`, own: id, to, status: "delivered" };
      // Some receipts arrive before the answer.
      if (n % 2 === 0) await post(receiptUrl, receipt);
      reply(response, 200, { ok: true, id: `m${n}` });
      if (n % 2 === 1) await post(receiptUrl, receipt);
    });
    const { here } = await testServiceOver(t, [{ url: carrier.url }]);
    const company = await here.company({ credits: 100 });
    const id = await send(company, phones(20), "Bonjour « Awa » & Kôrô \n{{x}} 🎉");
    await allAre("DELIVERED", company, id);
    assert.equal(carrier.taken.length, 20);
    assert.equal(carrier.taken[0]?.text, "Bonjour « Awa » & Kôrô \n{{x}} 🎉");
    assert.match(carrier.taken[0]?.to ?? "", /^\+22507/);
    assert.equal(await balanceOf(company), 80);
    await assertBalanced(here);
  });

  test("a refused message is refunded with a sentence, and an account without units gives way to the next operator", async (t) => {
    let hasUnits = true;
    const first = await startCarrier(t, ({ to }, response, n) => {
      if (!hasUnits) reply(response, 403, { error: "no-units", code: "POL0001" });
      else if (to.endsWith("1001")) reply(response, 400, { error: "number", code: 402 });
      else reply(response, 200, { ok: true, id: `a${n}` });
    });
    const second = await startCarrier(t, (_message, response, n) =>
      reply(response, 200, { ok: true, id: `b${n}` }),
    );
    const { here, ids } = await testServiceOver(t, [{ url: first.url }, { url: second.url }]);
    const company = await here.company({ credits: 100 });
    const one = await send(company, phones(3));
    await settled(company, one);
    const { data } = await company.call(`/v1/campaign/${one}/messages`, { limit: 10 });
    const refused = data.find((message: { phone: string }) => message.phone.endsWith("1001"));
    assert.equal(refused.status, "REJECTED");
    assert.equal(refused.error, "invalid-number:402");
    assert.match(refused.errorReason, /numéro/);
    assert.equal(await balanceOf(company), 98);

    hasUnits = false;
    const two = await send(company, phones(10, "22508"));
    await settled(company, two);
    assert.equal(second.taken.length, 10);
    const { data: operator } = await here.admin(`/v1/admin/operator/${ids[0]}`);
    assert.deepEqual([operator.state, operator.error, operator.able], ["REFUSED", "no-units:POL0001", false]);
    await assertBalanced(here);
  });

  test("a message whose answer is cut is of unknown fate, and its receipt settles it without a second try", async (t) => {
    // A receipt names the phone, or our id of the message and no phone.
    const carrier = await startCarrier(t, (message, response, n) => {
      response.socket?.destroy();
      const about = n === 1 ? { to: message.to } : { own: message.id };
      void post(message.receiptUrl, { id: `late ${n}`, ...about, status: "delivered" });
    });
    const { here } = await testServiceOver(t, [{ url: carrier.url }], {
      settings: { quarantineMs: 600_000 },
    });
    const company = await here.company({ credits: 10 });
    const id = await send(company, phones(2));
    await allAre("DELIVERED", company, id);
    assert.equal(carrier.taken.length, 2);
    assert.equal(await balanceOf(company), 8);
    await assertBalanced(here);
  });

  test("callbacks: wrong paths get 404, a broken body changes nothing, an incoming message is stored", async (t) => {
    const carrier = await startCarrier(t, (_message, response, n) =>
      reply(response, 200, { ok: true, id: `m${n}` }),
    );
    const { here, ids } = await testServiceOver(t, [{ url: carrier.url }]);
    const company = await here.company({ credits: 10 });
    await send(company, phones(1));
    await until(async () => carrier.taken.length === 1);
    const url = carrier.taken[0]?.receiptUrl ?? "";
    assert.ok(url.includes(`/v1/carrier/${ids[0]}/`));
    assert.equal((await post(`${here.url}/v1/carrier/${ids[0]}/wrong`, {})).status, 404);
    assert.equal((await post(url.slice(0, -1), {})).status, 404);
    const broken = await fetch(url, { method: "POST", body: "\u0000{{{" });
    assert.equal(broken.status, 200);
    assert.equal(await broken.text(), "ACK");
    const got = await fetch(`${url}?id=m1&status=failed`);
    assert.equal(got.status, 200);
  });
});

test("administrators see the connectors, try an operator dry without its secrets, and read and renew its address", async (t) => {
  const carrier = await startCarrier(t, (_message, response) => reply(response, 200, { ok: true, id: "1" }));
  const status = {
    request: { method: "GET", url: "{{baseUrl}}/status/{{id}}" },
    state: { json: "/state" },
    states: { done: "delivered" },
  };
  const more = { connector: { ...DECLARATION, status } };
  const { here, ids } = await testServiceOver(t, [{ url: carrier.url, more }]);
  const id = ids[0] ?? "";
  const { data: connectors } = await here.admin("/v1/admin/connector/list", { limit: 100 });
  const orange = connectors.find(({ name }: { name: string }) => name === "orange");
  assert.ok(
    orange.fields.some(
      ({ name, secret }: { name: string; secret: boolean }) => name === "clientSecret" && secret,
    ),
  );
  const response = { status: 403, body: '{"error":"no-units","code":"POL0001"}' };
  const dry = { phone: "2250701020304", text: "Bonjour", response };
  const { data: tried } = await here.admin(`/v1/admin/operator/${id}/dry-run`, dry);
  assert.equal(tried.requests[0].url, `${carrier.url}/messages`);
  assert.match(tried.requests[0].body, /"to":"\+2250701020304"/);
  assert.equal(tried.statusQuery.url, `${carrier.url}/status/${"0".repeat(24)}-1`);
  assert.ok(!JSON.stringify(tried).includes("tambour"));
  assert.deepEqual(tried.outcome, { is: "account", id: null, code: "no-units:POL0001", waitMs: null });
  assert.equal(carrier.taken.length, 0);
  const { data: balance } = await here.admin(`/v1/admin/operator/${id}/balance`);
  assert.deepEqual(balance, { units: "7", unit: "SMS" });
  const { data: before } = await here.admin(`/v1/admin/operator/${id}/callback`);
  const restrict = (callbackAddresses: string[]) =>
    here.admin(`/v1/admin/operator/${id}/update`, { callbackAddresses });
  for (const wrong of ["localhost", "10.0/8", "10.0.0.0/33", "10.0.0.0/8/8"])
    assert.equal((await restrict([wrong])).error, "invalid-request", wrong);
  await restrict(["203.0.113.0/24"]);
  await until(async () => (await post(before.url, {})).status === 404);
  await restrict(["203.0.113.0/24", "127.0.0.0/8", "::1"]);
  await until(async () => (await post(before.url, {})).status === 200);
  assert.ok(!JSON.stringify(tried).includes(before.url.split("/").at(-1)));
  const { data: after } = await here.admin(`/v1/admin/operator/${id}/callback/renew`);
  assert.notEqual(before.url, after.url);
  await until(async () => (await post(after.url, {})).status === 200);
  assert.equal((await post(before.url, {})).status, 404);
});

test("a request with members of the other kind, wrong settings or a private address is refused with sentences", async (t) => {
  const { here } = await testServiceOver(t, []);
  const refused = async (body: object) => {
    const answer = await here.admin("/v1/admin/operator/create", { name: "A", prefixes: ["225"], ...body });
    assert.equal(answer.error, "invalid-request", JSON.stringify(answer));
    return (answer.details ?? []).map(({ field }: { field: string }) => field);
  };
  assert.deepEqual(await refused({}), ["systemId", "password", "host", "port"]);
  assert.deepEqual(await refused({ kind: "http" }), ["connector"]);
  assert.deepEqual(await refused({ kind: "http", connector: "orange", host: "a.example" }), ["host"]);
  assert.deepEqual(await refused({ kind: "http", connector: "mango" }), ["connector"]);
  const orange = { kind: "http", connector: "orange" };
  const needed = ["clientId", "clientSecret", "country"].map((name) => `connectorSettings.${name}`);
  assert.deepEqual(await refused(orange), needed);
  assert.deepEqual(await refused({ ...orange, connectorSettings: { colour: "x" } }), [
    "connectorSettings.colour",
  ]);
  const known = { clientId: "a", clientSecret: "b", country: "+2250000" };
  const inside = { ...known, baseUrl: "https://169.254.169.254" };
  assert.deepEqual(await refused({ ...orange, connectorSettings: inside }), ["connectorSettings.baseUrl"]);
  const other = { clientId: "a", clientSecret: "b", senderAddress: "tel:+2270000" };
  assert.deepEqual(await refused({ ...orange, connectorSettings: other }), [
    "connectorSettings.senderAddress",
  ]);
  const broken = { ...DECLARATION, send: { method: "POST", url: "file:///etc/passwd" } };
  assert.deepEqual(await refused({ kind: "http", connector: broken }), ["connector.send.url"]);
});

function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

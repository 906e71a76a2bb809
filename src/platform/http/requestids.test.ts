// Request ids: every answer has one, whatever was asked, and what the request did can be found by it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { application, connected, dataOf } from "../../../test/applications.ts";
import { startReceiver } from "../../../test/receiver.ts";
import { rows } from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";
import { REQUEST_ID, RequestId } from "./requestids.ts";

const OURS = /^[0-9a-f]{24}$/;
const REACHED = "2250700001000";

test("every answer names its request, also of pages, of probes and of what is no request", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"] as const), simulator: false } });
  const asked = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(here.url + path, init);
    await response.text();
    return response.headers.get(REQUEST_ID) ?? "";
  };
  const JSON_TYPE = { "Content-Type": "application/json" };
  const ids = [
    await asked("/v1/contact/list", { method: "POST", headers: JSON_TYPE, body: "{}" }),
    await asked("/v1/contact/list", { method: "POST", headers: JSON_TYPE, body: "{" }),
    await asked("/v1/contact/list", { method: "POST", body: "{}" }),
    await asked("/v1/nowhere", { method: "POST" }),
    await asked("/v1/%zz"),
    await asked("/nowhere", { headers: { Accept: "text/html" } }),
    ...[
      await asked("/"),
      await asked("/pair"),
      await asked("/docs"),
      await asked("/healthz"),
      await asked("/readyz"),
    ],
  ];
  const socket = connect(Number(new URL(here.url).port), "127.0.0.1", () => socket.write("no HTTP\r\n\r\n"));
  const [bytes] = await once(socket, "data");
  ids.push(/^Atumpan-Request-Id: (.*)\r$/m.exec(String(bytes))?.[1] ?? "");
  for (const [i, id] of ids.entries()) assert.match(id, OURS, `${i}`);
  assert.equal(new Set(ids).size, ids.length, "no two have the same");

  const named = (name: string) =>
    asked("/v1/contact/list", { method: "POST", headers: { ...JSON_TYPE, [REQUEST_ID]: name }, body: "{}" });
  for (const sane of ["a", "facture-2026:17", "7f3c.1_b", "x".repeat(64)])
    assert.equal(await named(sane), sane);
  for (const odd of ["x".repeat(65), "a b", "a,b", "<b>", "é", ""]) assert.match(await named(odd), OURS, odd);
});

test("what a request sent, changed and was refused has its id: campaign, code, webhook, audit and request log", async (t) => {
  const here = await testService(t, {
    config: { webhookAllowCidrs: ["127.0.0.0/8"] },
    settings: { requestLogMs: 5 },
  });
  const company = await here.company({ credits: 100 });
  const receiver = await startReceiver(t);
  await dataOf(
    company.call("/v1/company/webhook/create", { url: receiver.url, events: ["message.delivered"] }),
  );
  const ask = async (path: string, body: object, name?: string) => {
    const response = await fetch(here.url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(name !== undefined && { [REQUEST_ID]: name }) },
      body: JSON.stringify({ apiKey: company.apiKey, companyId: company.companyId, ...body }),
    });
    return { id: response.headers.get(REQUEST_ID), ...((await response.json()) as { data: { id: string } }) };
  };
  const hears = async (messageId: string) => {
    const request = await until(() => receiver.received.find(({ body }) => body.includes(messageId)));
    return request.headers[REQUEST_ID.toLowerCase()];
  };

  const campaign = await ask("/v1/campaign/create", { contacts: [REACHED], text: "Bonjour" });
  assert.equal(campaign.data.id, campaign.id);
  assert.equal(await hears(`${campaign.id}-1`), campaign.id);
  const named = await ask("/v1/campaign/create", { contacts: [REACHED], text: "Bonjour" }, "facture-17");
  assert.equal(named.id, "facture-17");
  assert.equal(await hears(`${named.data.id}-1`), "facture-17");
  const again = await ask("/v1/campaign/create", { contacts: [REACHED], text: "Bonjour" }, "facture-17");
  assert.notEqual(
    again.data.id,
    named.data.id,
    "the id of a request is no idempotency key: the second request sends again",
  );

  const group = await ask("/v1/group/create", { name: "Clients" });
  const refused = await ask("/v1/campaign/create", { contacts: ["22501"], text: "Bonjour" });
  const audit = await dataOf(company.call("/v1/company/audit/list", { limit: 10 }));
  const created = audit.find(({ action }: { action: string }) => action === "group/create");
  assert.equal(created.requestId, group.id);
  const entries = await until(async () => {
    const found = await dataOf(company.call("/v1/company/request/list", { path: "/v1/campaign/create" }));
    return found.length >= 3 && found;
  });
  const logged = entries.map(({ id, requestId }: Record<string, string>) => [id, requestId]);
  for (const pair of [
    [refused.id, refused.id],
    [named.data.id, "facture-17"],
    [again.data.id, "facture-17"],
  ])
    assert.ok(JSON.stringify(logged).includes(JSON.stringify(pair)), `${pair} in ${JSON.stringify(logged)}`);
  const [proof] = await rows(here.app, "SELECT count(*) FROM audit_log WHERE request_id = $1", [group.id]);
  assert.equal(proof.count, 1);
});

test("the first send of a request has its id, also where a log line has asked for it before, or a first try came to nothing", () => {
  const asked = new RequestId({});
  const { requestId } = asked.labels;
  assert.equal(asked.take(Date.now()), requestId);
  assert.notEqual(asked.take(Date.now()), requestId, "two sends have two ids");

  const tried = new RequestId({ "atumpan-request-id": "caisse" });
  const first = tried.take(Date.now());
  tried.takeBack();
  assert.deepEqual([tried.take(Date.now()), tried.own, tried.shown], [first, first, "caisse"]);
});

test("a send by a connection that has just changed has the id of its request; that of an administrator is not shown", async (t) => {
  const here = await testService(t, { config: { webhookAllowCidrs: ["127.0.0.0/8"] } });
  const company = await here.company({ credits: 100 });
  const receiver = await startReceiver(t);
  await dataOf(
    company.call("/v1/company/webhook/create", { url: receiver.url, events: ["sender.accepted"] }),
  );
  const app = await application(here);
  // Its sender is accepted by an administrator.
  const connection = await connected(here, app, company);
  const accepted = await until(() => receiver.received.find(({ body }) => body.includes("sender.accepted")));
  assert.equal(accepted.headers[REQUEST_ID.toLowerCase()], undefined);

  const send = async () => {
    const response = await fetch(`${here.url}/v1/third-party-app/sms/send`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        connectionToken: connection.connectionToken,
        message: "Votre commande est prête",
        contacts: [{ phone: REACHED }],
      }),
    });
    const { data } = (await response.json()) as { data: { campaignId: string } };
    assert.equal(data.campaignId, response.headers.get(REQUEST_ID));
  };
  await send();
  for (const change of [{ dailyCreditCap: 1_000 }, { uncapped: true }]) {
    await dataOf(company.call(`/v1/third-party-app/connection/${connection.connectionId}/sender`, change));
    await send();
  }
});

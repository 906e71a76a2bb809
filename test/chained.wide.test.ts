// Two services in a chain: one sends over HTTP through a company of the other, whose webhooks are its receipts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ableIs } from "./operators.ts";
import { allAre, assertBalanced, balanceOf, phones, send, stacked } from "./sending.ts";
import { testService } from "./testservice.ts";

test("the connector atumpan sends through another Atumpan, once each, and its signed webhooks settle the messages", async (t) => {
  const scope = stacked(t);
  const upper = await testService(scope, { config: { webhookAllowCidrs: ["127.0.0.0/8"] } });
  const reseller = await upper.company({ credits: 100 });
  const { apiKey, companyId } = reseller;
  const here = await testService(scope, {
    config: { simulator: false, carrierAllowCidrs: ["127.0.0.0/8"] },
  });
  const connectorSettings = { baseUrl: upper.url, apiKey, companyId };
  const operator = { name: "Atumpan", kind: "http", connector: "atumpan", prefixes: ["225"] };
  const { data } = await here.admin("/v1/admin/operator/create", { ...operator, connectorSettings });
  const { data: callback } = await here.admin(`/v1/admin/operator/${data.id}/callback`);
  const events = ["message.delivered", "message.failed"];
  const { data: webhook } = await reseller.call("/v1/company/webhook/create", { url: callback.url, events });
  await here.admin(`/v1/admin/operator/${data.id}/update`, {
    connectorSettings: { webhookSecret: webhook.secret },
  });
  await ableIs(here, data.id, true);
  const company = await here.company({ credits: 100 });
  const text = "Bonjour « Awa », 100 % & plus 🎉";
  const delivered = await send(company, phones(5), text);
  await allAre("DELIVERED", company, delivered);
  const [inbox] = (await upper.admin("/v1/admin/simulator/inbox", { phone: phones(1)[0] })).data;
  assert.equal(inbox.text, text);
  // By the last digits: accepted, and then reported as undelivered.
  const failed = await send(
    company,
    phones(1, "22508").map((phone) => `${phone.slice(0, -4)}0002`),
  );
  await allAre("UNDELIVERED", company, failed);
  assert.equal(await balanceOf(company), 94);
  const { data: units } = await here.admin(`/v1/admin/operator/${data.id}/balance`);
  assert.deepEqual(units, { units: String(await balanceOf(reseller)), unit: "credits" });
  assert.equal(await balanceOf(reseller), 94);
  await assertBalanced(here);
  await assertBalanced(upper);
});

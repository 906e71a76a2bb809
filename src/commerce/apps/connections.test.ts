// Connections through their URLs, as the account sees them that pays: listed, changed, capped, ended.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  acceptedSender,
  application,
  connected,
  dataOf,
  provision,
  testServiceWithWebhooks,
} from "../../../test/applications.ts";
import { startReceiver } from "../../../test/receiver.ts";
import { reseller } from "../../../test/reselling.ts";
import { type Company, testService, until } from "../../../test/testservice.ts";

const LIST = "/v1/third-party-app/connection/list";
const SEND = "/v1/third-party-app/sms/send";
const text = { message: "Bonjour", contacts: [{ phone: "+2250700000001" }] };

const change = (company: Company, id: string, body: object) =>
  company.call(`/v1/third-party-app/connection/${id}/sender`, body);
const revoke = (company: Company, id: string) => company.call(`/v1/third-party-app/connection/${id}/revoke`);

test("connections of an account", async (t) => {
  const here = await testService(t);

  await t.test("the list names the application, the payer and the sender, and holds no token", async () => {
    const app = await application(here, { name: "Pagnes & Co" });
    const shop = await reseller(here);
    const customerId = await shop.customer();
    const senderId = await acceptedSender(here, shop.company, "PAGNES");
    const own = await dataOf(provision(app, shop.company, "boutique", { defaultSenderId: "PAGNES" }));
    const salon = await dataOf(
      app.call("/v1/third-party-app/provision", {
        externalAccountId: "salon",
        target: "partnerCustomer",
        partnerServerKey: shop.serverApiKey,
        partnerCustomerId: customerId,
      }),
    );
    const { data, totalCount } = await shop.company.call(LIST, { sort: "asc" });
    assert.equal(totalCount, 2);
    const shown = { app: { id: app.id, name: "Pagnes & Co", slug: app.slug }, status: "CONNECTED" };
    const more = { dailyCreditCap: null, revokedAt: null };
    const [{ createdAt, ...first }, { createdAt: _, ...second }] = data;
    assert.equal(new Date(createdAt).toISOString(), createdAt);
    const { connectionId } = own;
    const sender = { id: senderId, name: "PAGNES" };
    const ofOwn = { id: connectionId, connectionId, externalAccountId: "boutique", target: "company" };
    assert.deepEqual(first, { ...ofOwn, ...shown, ...more, sender, senderAssigned: true });
    const ofSalon = { id: salon.connectionId, connectionId: salon.connectionId, externalAccountId: "salon" };
    const none = { target: "partnerCustomer", customerId, sender: null, senderAssigned: false };
    assert.deepEqual(second, { ...ofSalon, ...none, ...shown, ...more });
    assert.deepEqual((await (await here.company()).call(LIST)).data, []);
  });

  await t.test(
    "without a sender nothing is sent; with one it is; a foreign or waiting one is refused",
    async () => {
      const [app, company, other] = [
        await application(here),
        await here.company({ credits: 10 }),
        await here.company(),
      ];
      const { connectionId, connectionToken } = await dataOf(provision(app, company, "client"));
      const send = () => here.call(SEND, { connectionToken, ...text });
      assert.equal((await send()).error, "sender-not-assigned");
      const balance = await here.call("/v1/third-party-app/balance", { connectionToken });
      assert.deepEqual(balance.data, { credits: 10 });
      await acceptedSender(here, other, "BANQUE");
      await acceptedSender(here, company, "PAGNES");
      await company.call("/v1/sender/create", { name: "ATTEND", description: "x" });
      assert.equal((await change(company, connectionId, { senderId: "BANQUE" })).error, "sender-not-found");
      assert.equal(
        (await change(company, connectionId, { senderId: "ATTEND" })).error,
        "sender-not-accepted",
      );
      assert.equal((await change(other, connectionId, { senderId: "BANQUE" })).error, "not-found");
      assert.equal((await send()).error, "sender-not-assigned");
      const changed = await dataOf(change(company, connectionId, { senderId: "PAGNES" }));
      assert.equal(changed.sender.name, "PAGNES");
      assert.equal((await dataOf(send())).contactCount, 1);
    },
  );

  await t.test("a cap is set and lifted, not both at once", async () => {
    const [app, company] = [await application(here), await here.company({ credits: 10 })];
    const { connectionId, call } = await connected(here, app, company);
    assert.equal((await dataOf(change(company, connectionId, { dailyCreditCap: 1 }))).dailyCreditCap, 1);
    assert.equal((await call(SEND, text)).error, null);
    assert.equal((await call(SEND, text)).error, "insufficient-credits");
    const both = await change(company, connectionId, { dailyCreditCap: 5, uncapped: true });
    assert.equal(`${both.error} ${both.details?.[0]?.field}`, "invalid-request uncapped");
    assert.equal((await dataOf(change(company, connectionId, { uncapped: true }))).dailyCreditCap, null);
    assert.equal((await call(SEND, text)).error, null);
  });

  await t.test(
    "revoked: the token is dead, a repeat is harmless; connected again, it has another",
    async () => {
      const [app, company] = [await application(here), await here.company({ credits: 10 })];
      const externalAccountId = "client";
      const begin = () => app.call("/v1/third-party-app/pairing/initiate", { externalAccountId });
      const status = () => app.call("/v1/third-party-app/pairing/status", { externalAccountId });
      const { pairingCode } = await dataOf(begin());
      await dataOf(company.call("/v1/third-party-app/pairing/confirm", { pairingCode }));
      const { connectionId, connectionToken } = await dataOf(status());
      assert.equal((await revoke(await here.company(), connectionId)).error, "not-found");
      const revoked = await dataOf(revoke(company, connectionId));
      assert.equal(revoked.status, "REVOKED");
      assert.deepEqual(await dataOf(revoke(company, connectionId)), revoked);
      for (const path of [SEND, "/v1/third-party-app/balance"])
        assert.equal((await here.call(path, { connectionToken, ...text })).error, "connection-revoked");
      assert.equal((await status()).error, "connection-revoked");
      assert.equal((await change(company, connectionId, { uncapped: true })).error, "connection-revoked");
      const again = await dataOf(provision(app, company, externalAccountId));
      assert.notEqual(again.connectionToken, connectionToken);
      const { connectionId: id, connectionToken: token } = again;
      assert.deepEqual((await status()).data, {
        status: "CONNECTED",
        connectionId: id,
        connectionToken: token,
      });
      assert.equal((await here.call(SEND, { connectionToken, ...text })).error, "connection-revoked");
    },
  );
});

test("an application that asks too often is refused; the account that it acts for is not", async (t) => {
  const here = await testService(t, { limits: { requestsPerSecond: 0.01, requestBurst: 20 } });
  const [app, company] = [await application(here), await here.company({ credits: 10 })];
  const { connectionId, call } = await connected(here, app, company);
  const asked = await Promise.all(Array.from({ length: 30 }, () => call("/v1/third-party-app/balance")));
  assert.equal(asked.filter(({ error }) => error === "too-many-requests").length, 10);
  assert.equal((await revoke(company, connectionId)).error, null);
  const more = await Promise.all(Array.from({ length: 10 }, () => call("/v1/third-party-app/balance")));
  assert.ok(more.every(({ error }) => error === "too-many-requests"));
});

test("a customer's send is accepted as the customer, and told, capped and read as any other", async (t) => {
  const here = await testServiceWithWebhooks(t);
  const receiver = await startReceiver(t);
  const app = await application(here, { webhookUrl: receiver.url });
  const shop = await reseller(here, { credits: 100 });
  await acceptedSender(here, shop.company, "SALON");
  const partnerCustomerId = await shop.customer();
  await dataOf(shop.grant(partnerCustomerId, 10));
  const { connectionId, connectionToken } = await dataOf(
    app.call("/v1/third-party-app/provision", {
      ...{ externalAccountId: "salon", target: "partnerCustomer", defaultSenderId: "SALON" },
      ...{ partnerServerKey: shop.serverApiKey, partnerCustomerId },
    }),
  );
  const path = `/v1/third-party-app/connection/${connectionId}/sender`;
  await dataOf(shop.company.call(path, { dailyCreditCap: 3 }));
  const send = (contacts: string[], more: object = {}) =>
    here.call("/v1/third-party-app/sms/send", { connectionToken, message: "Bonjour", contacts, ...more });
  const once = { idempotencyKey: "rendez-vous-1" };
  const phones = ["2250700097774", "2250700097775"];
  const sent = await dataOf(send(phones, once));
  assert.equal(sent.creditUsed, 2);
  assert.deepEqual(await dataOf(send(phones, once)), sent);
  assert.equal((await send(phones)).error, "insufficient-credits");
  await dataOf(shop.company.call(path, { uncapped: true }));
  const more = await dataOf(send(["2250700097776"], { idempotencyKey: "rendez-vous-2" }));
  await until(async () =>
    [sent, more].every(({ campaignId }) =>
      receiver.received.some(({ body }) => {
        const { type, data } = JSON.parse(body);
        return type === "campaign.completed" && data.campaignId === campaignId;
      }),
    ),
  );
  assert.equal(await shop.balanceOf(partnerCustomerId), 7);
  const campaigns = await dataOf(shop.call(`/v1/partner/customer/${partnerCustomerId}/campaigns`));
  assert.deepEqual(
    campaigns.map((campaign: { contactCount: number; status: string }) => [
      campaign.contactCount,
      campaign.status,
    ]),
    [
      [1, "SENT"],
      [2, "SENT"],
    ],
  );
  const movements = await dataOf(shop.call(`/v1/partner/customer/${partnerCustomerId}/statement`));
  assert.deepEqual(
    movements.map(({ kind, amount }: { kind: string; amount: number }) => [kind, amount]),
    [
      ["hold", -1],
      ["hold", -2],
      ["transfer", 10],
    ],
  );
});

// From submission to a delivered SMS, by each of the three ways to pair, with webhooks that a receiver verifies.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { Webhook as Svix } from "svix";
import {
  type Application,
  acceptedSender,
  application,
  connected,
  dataOf,
  provision,
  testServiceWithWebhooks,
} from "../../../test/applications.ts";
import { textAt } from "../../../test/codes.ts";
import { answerStatus, type Receiver, startReceiver } from "../../../test/receiver.ts";
import { reseller } from "../../../test/reselling.ts";
import { type Company, type TestService, testService, until } from "../../../test/testservice.ts";

// biome-ignore lint/suspicious/noExplicitAny: events of every shape
type Event = { id: string; type: string; timestamp: string; data: any };

/** What a receiver got, each verified with both libraries. */
function eventsAt(receiver: Receiver, secret: string): Event[] {
  return receiver.received.map(({ headers, body }) => {
    new Svix(secret).verify(body, headers);
    return new Webhook(secret).verify(body, headers) as Event;
  });
}

const eventOf = (receiver: Receiver, app: Application, type: string, campaignId?: string) =>
  until(async () =>
    eventsAt(receiver, app.webhookSecret!).find(
      (event) => event.type === type && (campaignId === undefined || event.data.campaignId === campaignId),
    ),
  );

const send = (here: TestService, connectionToken: string, contacts: unknown[], more: object = {}) =>
  here.call("/v1/third-party-app/sms/send", {
    connectionToken,
    message: "Votre commande est prête",
    contacts,
    ...more,
  });

test("three ways to a connection, and an SMS by each", async (t) => {
  const here = await testServiceWithWebhooks(t);
  const receiver = await startReceiver(t);
  const app = await application(here, { webhookUrl: receiver.url });
  const approved = await eventOf(receiver, app, "application.approved");
  assert.equal(approved.data.slug, app.slug);

  /** Pairs by a code as it is shown, typed or scanned; the token comes by webhook and by status alike. */
  async function pair(
    company: Company,
    externalAccountId: string,
    read: (begun: Record<string, string>) => string,
  ) {
    const begun = await dataOf(app.call("/v1/third-party-app/pairing/initiate", { externalAccountId }));
    const pairingCode = read(begun);
    await dataOf(company.call("/v1/third-party-app/pairing/details", { pairingCode }));
    const paired = await dataOf(company.call("/v1/third-party-app/pairing/confirm", { pairingCode }));
    assert.equal(paired.connectionToken, undefined);
    const event = await until(async () =>
      eventsAt(receiver, app.webhookSecret!).find(
        ({ type, data }) => type === "connection.paired" && data.connectionId === paired.connectionId,
      ),
    );
    const status = await dataOf(app.call("/v1/third-party-app/pairing/status", { externalAccountId }));
    const { connectionToken } = status;
    assert.deepEqual(event.data, { ...paired, externalAccountId, connectionToken });
    return connectionToken;
  }

  const ways: Record<string, (company: Company) => Promise<string>> = {
    "A, provisioning": async (company) =>
      (await dataOf(provision(app, company, "a", { defaultSenderId: "PAGNES" }))).connectionToken,
    "B, the link": (company) =>
      pair(company, "b", ({ universalLink }) => new URL(universalLink!).searchParams.get("code")!),
    "C, the QR code": (company) => pair(company, "c", ({ qrContent }) => qrContent!),
  };
  let n = 0;
  for (const [way, connect] of Object.entries(ways)) {
    await t.test(`${way}: priced, delivered, and told`, async () => {
      const company = await here.company({ credits: 10 });
      await acceptedSender(here, company, "PAGNES");
      const connectionToken = await connect(company);
      const phone = `225070002${n++}7777`;
      const { data } = await send(here, connectionToken, [{ phone: `+${phone}`, name: "Awa" }]);
      const { campaignId, ...rest } = data;
      assert.match(campaignId, /^[0-9a-f]{24}$/);
      assert.deepEqual(rest, { contactCount: 1, creditUsed: 1, blockedContacts: [] });
      assert.equal(await textAt(here, phone), "Votre commande est prête");
      assert.equal(here.simulator.inbox({ phone })[0]!.from, "PAGNES");
      const balance = await dataOf(here.call("/v1/third-party-app/balance", { connectionToken }));
      assert.deepEqual(balance, { credits: 9 });
      const delivered = await eventOf(receiver, app, "message.delivered", campaignId);
      assert.equal(delivered.data.phone, phone);
      await eventOf(receiver, app, "campaign.completed", campaignId);
      const [message] = await dataOf(company.call(`/v1/campaign/${campaignId}/messages`));
      assert.equal(delivered.data.deliveredAt, message.deliveredAt);
      const campaign = await dataOf(company.call(`/v1/campaign/${campaignId}`));
      assert.equal(campaign.name, "Boutique");
      assert.equal((await company.call("/v1/contact/list")).totalCount, 0);
    });
  }

  await t.test("W16: each event came exactly once per cause", () => {
    const counts = Map.groupBy(eventsAt(receiver, app.webhookSecret!), ({ type, data }) =>
      [type, data.connectionId, data.campaignId, data.phone].join(" "),
    );
    for (const [cause, events] of counts) assert.equal(new Set(events.map(({ id }) => id)).size, 1, cause);
  });

  await t.test("a send that the operator rejects is FAILED, and the credits are back", async () => {
    const company = await here.company({ credits: 10 });
    const connection = await connected(here, app, company, "REFUSE");
    const { data } = await send(here, connection.connectionToken, ["2250700050001"]);
    const failed = await eventOf(receiver, app, "campaign.failed", data.campaignId);
    assert.equal(failed.data.status, "FAILED");
    await eventOf(receiver, app, "message.failed", data.campaignId);
    assert.equal((await dataOf(company.call(`/v1/campaign/${data.campaignId}`))).status, "FAILED");
    assert.deepEqual(await dataOf(connection.call("/v1/third-party-app/balance")), { credits: 10 });
  });

  await t.test(
    "revoked: the token stops at once, the application is told, pairing makes a new one",
    async () => {
      const company = await here.company({ credits: 10 });
      const connection = await connected(here, app, company, "ADIEU");
      const path = `/v1/third-party-app/connection/${connection.connectionId}/revoke`;
      const revoked = await dataOf(company.call(path));
      assert.equal(revoked.status, "REVOKED");
      assert.deepEqual(await dataOf(company.call(path)), revoked);
      assert.equal(
        (await send(here, connection.connectionToken, ["2250700057777"])).error,
        "connection-revoked",
      );
      const event = await eventOf(receiver, app, "connection.revoked");
      assert.equal(event.data.connectionId, connection.connectionId);
      const again = await dataOf(provision(app, company, "boutique ADIEU"));
      assert.notEqual(again.connectionToken, connection.connectionToken);
      const change = path.replace("/revoke", "/sender");
      assert.equal((await company.call(change, { dailyCreditCap: 1 })).error, "connection-revoked");
      const unauthenticated = await here.company();
      assert.equal((await unauthenticated.call(path)).error, "not-found");
      assert.equal((await unauthenticated.call(change)).error, "not-found");
    },
  );
});

test("webhooks in the hands of the application's owner", async (t) => {
  const here = await testServiceWithWebhooks(t);
  let healthy = false;
  const receiver = await startReceiver(t, (response) =>
    healthy ? void response.end() : answerStatus(500)(response, receiver.received[0]!, 1),
  );
  const app = await application(here);
  const my = (path: string, body: object = {}) =>
    app.owner.call(`/v1/third-party-app/my/${app.id}/webhook/${path}`, body);
  assert.equal((await my("test")).error, "not-found");
  assert.equal((await my("update", { webhookUrl: "https://10.0.0.1/" })).error, "invalid-request");
  const updated = await dataOf(my("update", { webhookUrl: receiver.url }));
  assert.equal(updated.webhookEnabled, true);
  app.webhookSecret = updated.webhookSecret;

  await t.test("a test event, its failures, a replay under the same id", async () => {
    const { id } = await dataOf(my("test"));
    const [failing] = await until(async () => {
      const { data } = await my("deliveries");
      return data[0].attempts > 0 && data;
    });
    assert.equal(failing.status, "PENDING");
    assert.equal(failing.lastStatusCode, 500);
    healthy = true;
    await dataOf(my(`${id}/replay`));
    await until(async () => (await my("deliveries")).data[0].status === "DELIVERED");
    const events = eventsAt(receiver, app.webhookSecret!);
    assert.deepEqual(
      new Set(events.map((event) => `${event.type} ${event.id}`)),
      new Set([`webhook.test ${id}`]),
    );
    assert.equal((await my(`${"0".repeat(24)}/replay`)).error, "not-found");
  });

  await t.test("a new secret signs beside the old one", async () => {
    const { webhookSecret } = await dataOf(my("rotate-secret"));
    assert.notEqual(webhookSecret, app.webhookSecret);
    const before = receiver.received.length;
    await dataOf(my("test"));
    await until(async () => receiver.received.length > before);
    const { headers, body } = receiver.received.at(-1)!;
    for (const secret of [webhookSecret, app.webhookSecret!]) new Webhook(secret).verify(body, headers);
  });

  await t.test(
    "an address that is gone is disabled and its owner told; another address enables it",
    async () => {
      const gone = await startReceiver(t, answerStatus(410));
      const owned = await dataOf(my("update", { webhookUrl: gone.url }));
      assert.equal(owned.webhookUrl, gone.url);
      await dataOf(my("test"));
      await until(async () => (await my("test")).error === "conflict");
      const [listed] = await dataOf(app.owner.call("/v1/third-party-app/my/list"));
      assert.equal(listed.webhookEnabled, false);
      assert.equal((await dataOf(my("update", { webhookUrl: receiver.url }))).webhookEnabled, true);
    },
  );

  await t.test("nobody else's", async () => {
    const unauthenticated = await here.company();
    for (const path of ["test", "deliveries", "rotate-secret", `${"0".repeat(24)}/replay`]) {
      const answer = await unauthenticated.call(`/v1/third-party-app/my/${app.id}/webhook/${path}`);
      assert.equal(answer.error, "app-not-found", path);
    }
  });
});

test("what a connection may send", async (t) => {
  const here = await testService(t);
  const app = await application(here);

  await t.test(
    "phones that are none, twice there, or opted out are blocked; the others are reached",
    async () => {
      const company = await here.company({ credits: 100 });
      const connection = await connected(here, app, company, "BLOQUE");
      await company.call("/v1/optout/create", { phone: "2250700067772" });
      const contacts = [
        "+2250700067771",
        { phone: "2250700067771", name: "Awa" },
        "12",
        "2250700067772",
        "+33612345678",
      ];
      const { data } = await send(here, connection.connectionToken, contacts);
      assert.equal(data.contactCount, 2);
      // Five times as much outside the country.
      assert.equal(data.creditUsed, 1 + 5);
      const blocked = data.blockedContacts.map(
        ({ phone, code }: Record<string, string>) => `${phone} ${code}`,
      );
      assert.deepEqual(blocked.sort(), [
        "12 invalid-number",
        "2250700067771 duplicate",
        "2250700067772 opted-out",
      ]);
      assert.equal((await send(here, connection.connectionToken, ["12"])).error, "no-recipient");
      assert.equal((await send(here, connection.connectionToken, [])).error, "no-recipient");
    },
  );

  await t.test("why somebody is blocked is told in the language of the company", async () => {
    for (const [wanted, reason] of [
      [{ name: "FRANCAIS" }, "Ce n’est pas un numéro de téléphone."],
      [{ name: "ENGLISH", language: "en" }, "This is not a phone number."],
    ] as const) {
      const company = await here.company({ credits: 10, ...wanted });
      const { connectionToken } = await connected(here, app, company, wanted.name);
      const { data } = await send(here, connectionToken, ["2250700067773", "12"]);
      assert.deepEqual(data.blockedContacts, [{ phone: "12", name: null, code: "invalid-number", reason }]);
      const alone = await send(here, connectionToken, ["12"]);
      assert.deepEqual(alone.details, [{ field: "contacts[0].phone", message: reason }]);
    }
  });

  await t.test(
    "whatever is no phone is blocked, an empty one too; a text of any length is message-too-long",
    async () => {
      const company = await here.company({ credits: 100 });
      const connection = await connected(here, app, company, "LONGUE");
      const contacts = [{ phone: "", name: "Nobody" }, "", "+", "x".repeat(64), "2250700117771"];
      const { data } = await send(here, connection.connectionToken, contacts);
      assert.deepEqual([data.contactCount, data.creditUsed], [1, 1]);
      const blocked = data.blockedContacts.map(({ phone, name, code }: Record<string, string>) => ({
        phone,
        name,
        code,
      }));
      const code = "invalid-number";
      assert.deepEqual(blocked, [
        { phone: "", name: "Nobody", code },
        { phone: "", name: null, code },
        { phone: "+", name: null, code },
        { phone: "x".repeat(64), name: null, code },
      ]);
      for (const length of [1_531, 10_001, 100_000]) {
        const message = "x".repeat(length);
        const { error } = await send(here, connection.connectionToken, ["2250700117772"], { message });
        assert.equal(error, "message-too-long");
      }
    },
  );

  await t.test("who has an empty name is reached, and called by the phone", async () => {
    const company = await here.company({ credits: 10 });
    const connection = await connected(here, app, company, "ANONYME");
    const phone = "2250700127771";
    const contacts = [{ phone, name: "", firstName: "", lastName: "", sex: null }];
    const message = "Bonjour @name";
    const { data } = await send(here, connection.connectionToken, contacts, { message });
    assert.deepEqual([data.contactCount, data.blockedContacts], [1, []]);
    assert.equal(await textAt(here, phone), `Bonjour ${phone}`);
  });

  await t.test("too little in the pool: nothing is sent; without a sender neither", async () => {
    const company = await here.company({ credits: 1 });
    const { connectionToken } = await dataOf(provision(app, company, "pauvre"));
    const unassigned = await send(here, connectionToken, ["2250700077771"]);
    assert.equal(unassigned.error, "sender-not-assigned");
    assert.deepEqual(await dataOf(here.call("/v1/third-party-app/balance", { connectionToken })), {
      credits: 1,
    });
    await acceptedSender(here, company, "PAUVRE");
    const { connectionId } = (await dataOf(company.call("/v1/third-party-app/connection/list")))[0];
    const path = `/v1/third-party-app/connection/${connectionId}/sender`;
    assert.equal((await dataOf(company.call(path, { senderId: "PAUVRE" }))).sender.name, "PAUVRE");
    assert.equal((await company.call(path, { senderId: "INCONNU" })).error, "sender-not-found");
    const refused = await send(here, connectionToken, ["2250700077771", "2250700077772"]);
    assert.equal(refused.error, "insufficient-credits");
    assert.equal((await send(here, connectionToken, ["2250700077771"])).error, null);
    assert.equal((await company.call("/v1/campaign/list")).totalCount, 1);
  });

  await t.test("never more than the day's cap, however many at once", async () => {
    const company = await here.company({ credits: 100 });
    const connection = await connected(here, app, company, "PLAFOND");
    const path = `/v1/third-party-app/connection/${connection.connectionId}/sender`;
    assert.equal((await dataOf(company.call(path, { dailyCreditCap: 3 }))).dailyCreditCap, 3);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => send(here, connection.connectionToken, [`225070008777${i}`])),
    );
    const errors = answers.map(({ error }) => error ?? "sent").sort();
    assert.deepEqual(errors, [...Array(7).fill("insufficient-credits"), ...Array(3).fill("sent")]);
    assert.equal((await company.call("/v1/credit/balance")).data, 97);
    assert.equal((await dataOf(company.call(path, { uncapped: true }))).dailyCreditCap, null);
    assert.equal((await send(here, connection.connectionToken, ["2250700087799"])).error, null);
  });

  await t.test("a repeat with the same key is the same send", async () => {
    const company = await here.company({ credits: 100 });
    const connection = await connected(here, app, company, "UNEFOIS");
    const idempotency = (contacts: string[]) =>
      send(here, connection.connectionToken, contacts, { idempotencyKey: "commande-42" });
    const first = await idempotency(["2250700097771"]);
    assert.deepEqual(await idempotency(["2250700097771"]), first);
    assert.equal((await idempotency(["2250700097772"])).error, "idempotency-key-reused");
    assert.equal((await company.call("/v1/credit/balance")).data, 99);
    // The sender is gone: a new send is refused, but the repeat is of one that was accepted.
    const path = `/v1/third-party-app/connection/${connection.connectionId}/sender`;
    await dataOf(company.call(path, { senderId: "" }));
    assert.equal(
      (await send(here, connection.connectionToken, ["2250700097773"])).error,
      "sender-not-assigned",
    );
    assert.deepEqual(await idempotency(["2250700097771"]), first);
    assert.equal((await idempotency(["2250700097772"])).error, "idempotency-key-reused");
  });

  await t.test(
    "a customer of a reseller pays from its own pool; the reseller sees what was sent",
    async () => {
      const shop = await reseller(here, { credits: 50 });
      await acceptedSender(here, shop.company, "SALON");
      const customerId = await shop.customer();
      await shop.grant(customerId, 5);
      const { connectionToken } = await dataOf(
        app.call("/v1/third-party-app/provision", {
          externalAccountId: "salon",
          target: "partnerCustomer",
          partnerServerKey: shop.serverApiKey,
          partnerCustomerId: customerId,
          defaultSenderId: "SALON",
        }),
      );
      const { data } = await send(here, connectionToken, ["2250700107771"]);
      assert.equal(data.creditUsed, 1);
      assert.equal(await shop.balanceOf(customerId), 4);
      assert.equal((await shop.company.call("/v1/credit/balance")).data, 45);
      assert.equal((await shop.company.call("/v1/campaign/list")).totalCount, 0);
      const sent = await shop.call(`/v1/partner/customer/${customerId}/campaigns`);
      assert.deepEqual([sent.totalCount, sent.data[0].id, sent.data[0].userId], [1, data.campaignId, null]);
      const other = await reseller(here);
      const foreign = await other.call(`/v1/partner/customer/${customerId}/campaigns`);
      assert.equal(foreign.error, "customer-not-found");
    },
  );

  await t.test("the books balance", async () => {
    assert.equal((await here.admin("/v1/admin/credit/audit")).data.balanced, true);
  });
});

// Webhooks of applications through their URLs: addresses, secrets, deliveries, and the token that is put in on the way.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import {
  type Application,
  application,
  dataOf,
  provision,
  testServiceWithWebhooks,
} from "../../../test/applications.ts";
import {
  answerOk,
  answerStatus,
  type Received,
  type Receiver,
  startReceiver,
} from "../../../test/receiver.ts";
import { rows, stacked } from "../../../test/sending.ts";
import { type Company, until } from "../../../test/testservice.ts";

const NOWHERE = "http://127.0.0.1:1/hook";

const UNKNOWN = "0".repeat(24);

/** What an owner may do with the webhooks of an application. */
const update = ({ id, owner }: Application, webhookUrl: string) =>
  owner.call(`/v1/third-party-app/my/${id}/webhook/update`, { webhookUrl });
const rotate = ({ id, owner }: Application) =>
  owner.call(`/v1/third-party-app/my/${id}/webhook/rotate-secret`);
const list = ({ id, owner }: Application) =>
  owner.call(`/v1/third-party-app/my/${id}/webhook/deliveries`, { limit: 100 });
const sendTest = ({ id, owner }: Application) => owner.call(`/v1/third-party-app/my/${id}/webhook/test`);
const replay = ({ id, owner }: Application, deliveryId: string) =>
  owner.call(`/v1/third-party-app/my/${id}/webhook/${deliveryId}/replay`);
/** Those that need webhooks. */
const askAll = async (app: Application, deliveryId = UNKNOWN) =>
  (await Promise.all([sendTest(app), rotate(app), replay(app, deliveryId)])).map(({ error }) => error);

const eventIn = ({ body }: Received) => JSON.parse(body);
const ofType = ({ received }: Receiver, type: string) =>
  received.filter((request) => eventIn(request).type === type);

test("webhooks of applications", async (t) => {
  const scope = stacked(t);
  const here = await testServiceWithWebhooks(scope);
  const mine = async ({ owner }: Application) => (await dataOf(owner.call("/v1/third-party-app/my/list")))[0];
  const deliveries = (app: Application) => dataOf(list(app));
  const delivered = (app: Application, count: number) =>
    until(async () => {
      const all: { status: string }[] = await deliveries(app);
      return all.length === count && all.every(({ status }) => status === "DELIVERED") && all;
    });
  /** Pairs the external account with a company; the connection's id. */
  const pair = async (app: Application, company: Company, externalAccountId = "client") => {
    const { pairingCode } = await dataOf(
      app.call("/v1/third-party-app/pairing/initiate", { externalAccountId }),
    );
    return dataOf(company.call("/v1/third-party-app/pairing/confirm", { pairingCode }));
  };

  await t.test("an application without webhooks has none of all this, until it gets an address", async () => {
    const receiver = await startReceiver(scope);
    const app = await application(here);
    assert.equal((await mine(app)).webhookSecret, undefined);
    assert.deepEqual(await askAll(app), Array(3).fill("not-found"));
    assert.deepEqual(await deliveries(app), []);
    const refused = await update(app, "https://10.0.0.1/hook");
    assert.equal(`${refused.error} ${refused.details?.[0]?.field}`, "invalid-request webhookUrl");
    const updated = await dataOf(update(app, receiver.url));
    assert.equal(updated.webhookUrl, receiver.url);
    assert.equal(updated.webhookEnabled, true);
    assert.match(updated.webhookSecret, /^whsec_/);
    assert.deepEqual(await mine(app), updated);
    const sent = await dataOf(sendTest(app));
    assert.equal(sent.type, "webhook.test");
    await delivered(app, 1);
    const { body, headers } = receiver.received[0]!;
    new Webhook(updated.webhookSecret).verify(body, headers);
    assert.equal(headers["webhook-id"], sent.id);
  });

  await t.test(
    "approval is told; a rotated secret signs beside the old one; a replay has the same id",
    async () => {
      const receiver = await startReceiver(scope);
      const app = await application(here, { webhookUrl: receiver.url });
      await delivered(app, 1);
      const { id, slug } = app;
      const { data, type } = eventIn(receiver.received[0]!);
      assert.deepEqual(
        { type, data },
        { type: "application.approved", data: { appId: id, slug, name: "Boutique", status: "ACTIVE" } },
      );
      const { webhookSecret } = await dataOf(rotate(app));
      assert.notEqual(webhookSecret, app.webhookSecret);
      assert.equal((await mine(app)).webhookSecret, webhookSecret);
      const [approved] = await deliveries(app);
      assert.equal((await dataOf(replay(app, approved.id))).id, approved.id);
      const again = await until(() => receiver.received[1]);
      assert.equal(again.headers["webhook-id"], receiver.received[0]!.headers["webhook-id"]);
      for (const secret of [webhookSecret, app.webhookSecret!])
        new Webhook(secret).verify(again.body, again.headers);
      assert.equal((await replay(app, UNKNOWN)).error, "not-found");
    },
  );

  await t.test("an address that is gone is disabled, says so, and another one is enabled", async () => {
    const gone = await startReceiver(scope, answerStatus(410));
    const app = await application(here, { webhookUrl: gone.url });
    await until(async () => (await mine(app)).webhookEnabled === false);
    assert.equal((await sendTest(app)).error, "conflict");
    const [{ id }] = await deliveries(app);
    assert.equal((await replay(app, id)).error, "conflict");
    const receiver = await startReceiver(scope, answerOk);
    assert.equal((await dataOf(update(app, receiver.url))).webhookEnabled, true);
    await dataOf(sendTest(app));
    await until(() => ofType(receiver, "webhook.test").length === 1);
  });

  await t.test(
    "connection.paired brings the token, which stands nowhere else; revoked, it is not sent again",
    async () => {
      const receiver = await startReceiver(scope);
      const [app, company] = [await application(here, { webhookUrl: receiver.url }), await here.company()];
      const { connectionId } = await pair(app, company);
      const [paired] = await until(() => {
        const found = ofType(receiver, "connection.paired");
        return found.length > 0 && found;
      });
      const { connectionToken } = await dataOf(provision(app, company, "client"));
      assert.deepEqual(eventIn(paired!).data, {
        connectionId,
        connectionToken,
        status: "CONNECTED",
        target: "company",
        senderAssigned: false,
        externalAccountId: "client",
      });
      const listed = await deliveries(app);
      assert.equal(JSON.stringify(listed).includes(connectionToken), false);
      const stored = await rows(here.app, "SELECT row::text FROM webhook_deliveries row");
      assert.equal(JSON.stringify(stored).includes(connectionToken), false);
      await dataOf(company.call(`/v1/third-party-app/connection/${connectionId}/revoke`));
      await until(() => ofType(receiver, "connection.revoked").length === 1);
      const { id } = listed.find(({ type }: { type: string }) => type === "connection.paired");
      const read = (delivery: string) =>
        app.owner.call(`/v1/third-party-app/my/${app.id}/webhook/${delivery}`);
      const { payload, attempts, lastStatusCode } = await dataOf(read(id));
      const { connectionToken: _, ...known } = eventIn(paired!).data as Record<string, unknown>;
      assert.deepEqual([payload.id, payload.type, payload.data], [id, "connection.paired", known]);
      assert.ok(attempts >= 1 && lastStatusCode >= 200);
      assert.equal((await read(app.id)).error, "not-found");
      await dataOf(replay(app, id));
      await until(async () =>
        (await deliveries(app)).some(({ status }: { status: string }) => status === "CANCELED"),
      );
      assert.equal(ofType(receiver, "connection.paired").length, 1);
    },
  );

  await t.test("what waits for a deactivated application is canceled: no token leaves any more", async () => {
    const app = await application(here, { webhookUrl: NOWHERE });
    await pair(app, await here.company());
    await dataOf(here.admin(`/v1/admin/third-party-app/${app.id}/deactivate`));
    const paired = (await deliveries(app)).find(({ type }: { type: string }) => type === "connection.paired");
    assert.equal(paired.status, "CANCELED");
    assert.deepEqual(await askAll(app, paired.id), Array(3).fill("app-not-active"));
    assert.equal((await update(app, NOWHERE)).error, "app-not-active");
    // Back, it may have what it missed.
    await dataOf(here.admin(`/v1/admin/third-party-app/${app.id}/reactivate`));
    assert.equal((await dataOf(replay(app, paired.id))).status, "PENDING");
  });

  await t.test(
    "a token that was already on its way when the application was deactivated is not put in",
    async () => {
      const receiver = await startReceiver(scope);
      const app = await application(here, { webhookUrl: NOWHERE });
      await pair(app, await here.company());
      // As if another process had taken the delivery just before: it is not canceled, and its application is inactive.
      await rows(here.app, "UPDATE apps SET status = 'INACTIVE' WHERE id = $1", [app.id]);
      await rows(here.app, "UPDATE webhook_endpoints SET url = $2 WHERE id = $1", [app.id, receiver.url]);
      await rows(here.app, "UPDATE webhook_deliveries SET next_attempt_at = now() WHERE endpoint_id = $1", [
        app.id,
      ]);
      const ended = await until(async () => {
        const all: { type: string; status: string }[] = await deliveries(app);
        return all.every(({ status }) => status !== "PENDING") && all;
      });
      assert.equal(ended.find(({ type }) => type === "connection.paired")!.status, "CANCELED");
      assert.equal(ofType(receiver, "connection.paired").length, 0);
    },
  );

  await t.test("another company's application does not exist", async () => {
    const app = await application(here, { webhookUrl: NOWHERE });
    const unauthenticated = { ...app, owner: await here.company() };
    assert.deepEqual(await askAll(unauthenticated), Array(3).fill("app-not-found"));
    assert.equal((await list(unauthenticated)).error, "app-not-found");
    assert.equal((await update(unauthenticated, NOWHERE)).error, "app-not-found");
  });
});

// Webhooks: endpoints, their secrets, events, and deliveries as their owners see and repeat them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import {
  answerStatus,
  anyones,
  type Endpoint,
  type Hooks,
  hooks,
  startReceiver,
} from "../../../test/receiver.ts";
import { rows } from "../../../test/sending.ts";
import { until } from "../../../test/testservice.ts";
import { openLog } from "../../platform/log.ts";
import {
  announceEvents,
  cancelDeliveries,
  emitEvent,
  emitEvents,
  forgetOldDeliveries,
  readEndpoint,
  rotateEndpointSecret,
  updateEndpointUrl,
} from "./webhooks.ts";

const NOBODY = "http://127.0.0.1:9/hook";

async function read({ app }: Hooks, endpoint: Endpoint) {
  return (await readEndpoint(app.database, app.secrets, endpoint.id))!;
}

/** An endpoint that is enabled, with this address and the secret that it always had. */
function enabled({ secret }: Endpoint, url: string) {
  return { url, secret, enabled: true };
}

function replay(h: Hooks, endpoint: Endpoint, id: string) {
  return h.app.database.transaction((tx) => anyones.replay(tx, h.app, null, endpoint.id, id));
}

test("W13 after 5 days of failures the endpoint is disabled and its owner told; nothing vanishes meanwhile", async (t) => {
  const h = await hooks(t);
  let status = 500;
  const receiver = await startReceiver(h.scope, (response) => void response.writeHead(status).end());
  const endpoint = await h.endpoint(receiver.url);
  const told: string[] = [];
  h.deliver({ onDisabled: async (_, endpointId, reason) => void told.push(`${endpointId} ${reason}`) });
  const ids = await h.emit(endpoint, 3);
  await until(async () => (await h.deliveries(endpoint)).every(({ attempts }) => attempts === 1));
  const pass =
    "UPDATE webhook_endpoints SET failing_since = failing_since - $2 * interval '1 day' WHERE id = $1";
  await rows(h.app, pass, [endpoint.id, 4]);
  await h.makeDue(endpoint);
  await until(async () => (await h.deliveries(endpoint)).every(({ attempts }) => attempts === 2));
  assert.deepEqual(await read(h, endpoint), enabled(endpoint, receiver.url));
  await rows(h.app, pass, [endpoint.id, 1]);
  const [last] = await h.emit(endpoint);
  await until(() => told.length > 0);
  assert.deepEqual(told, [`${endpoint.id} FAILING`]);
  const { disabledAt, ...state } = await read(h, endpoint);
  assert.deepEqual(state, { ...enabled(endpoint, receiver.url), enabled: false, disabledReason: "FAILING" });
  assert.ok(Math.abs(Date.parse(disabledAt!) - Date.now()) < 60_000);

  // Nothing is tried while another endpoint is served.
  const before = receiver.received.length;
  await h.makeDue(endpoint);
  const other = await h.endpoint((await startReceiver(h.scope)).url);
  await h.emit(other);
  await h.delivery(other, ({ status }) => status === "DELIVERED");
  assert.equal(receiver.received.length, before);
  assert.deepEqual(await h.emit(endpoint), [], "while it is disabled there are no new events");
  await assert.rejects(replay(h, endpoint, last!), { code: "conflict" });
  await assert.rejects(
    h.app.database.transaction((tx) => anyones.test(tx, h.app, null, endpoint.id)),
    { code: "conflict" },
  );

  status = 200;
  await h.app.database.transaction((tx) => updateEndpointUrl(tx, h.app.secrets, endpoint.id, receiver.url));
  announceEvents(h.app);
  await until(async () => (await h.deliveries(endpoint)).every(({ status }) => status === "DELIVERED"));
  const { rows: deliveries, totalCount } = await anyones.list(h.app.database, null, endpoint.id, {
    limit: 10,
    page: 1,
    sort: "desc",
  });
  assert.deepEqual(
    deliveries.map(({ id }) => id),
    [...ids, last].sort().reverse(),
  );
  assert.equal(totalCount, 4);
  assert.deepEqual(await read(h, endpoint), enabled(endpoint, receiver.url));
});

test("W14 secrets are put in when it is sent; what must not be sent any more is canceled and never sent", async (t) => {
  const h = await hooks(t, { log: openLog("fatal") });
  const receiver = await startReceiver(h.scope);
  const endpoint = await h.endpoint(receiver.url);
  const connections = new Map([["c1", "ct_secret-of-c1"]]);
  let database: "up" | "down" = "down";
  h.deliver({
    async fill(_, event) {
      if (database === "down") throw new Error("the database is away");
      const { connectionId } = event.data as { connectionId: string };
      const connectionToken = connections.get(connectionId);
      return connectionToken ? { connectionId, connectionToken } : null;
    },
  });
  const [good] = await h.emit(endpoint, 1, { connectionId: "c1" });
  await until(
    async () => (await rows(h.app, "SELECT FROM webhook_deliveries WHERE leased_until > now()")).length === 1,
  );
  assert.equal((await h.delivery(endpoint)).attempts, 0, "not the receiver's failure");
  database = "up";
  await rows(h.app, "UPDATE webhook_deliveries SET leased_until = NULL");
  await h.delivery(endpoint, ({ status }) => status === "DELIVERED");
  const [revoked] = await h.emit(endpoint, 1, { connectionId: "c2" });
  await h.delivery(endpoint, ({ id, status }) => id === revoked && status === "CANCELED");
  assert.equal(receiver.received.length, 1);
  const sent = JSON.parse(receiver.received[0]!.body);
  assert.deepEqual(sent.data, { connectionId: "c1", connectionToken: "ct_secret-of-c1" });
  const kept = await rows(
    h.app,
    "SELECT delivery::text AS text FROM webhook_deliveries delivery WHERE id = $1",
    [good],
  );
  assert.doesNotMatch(kept[0].text, /ct_/);
});

test("W14 cancelDeliveries cancels all that waits at that moment, and nothing after", async (t) => {
  const h = await hooks(t);
  let status = 503;
  const receiver = await startReceiver(h.scope, (response) => void response.writeHead(status).end());
  const endpoint = await h.endpoint(receiver.url);
  const [old] = await h.emit(endpoint);
  h.deliver();
  await h.delivery(endpoint, ({ attempts }) => attempts === 1);
  status = 200;
  const fresh = await h.app.database.transaction(async (tx) => {
    await emitEvent(tx, { endpointId: endpoint.id, type: "webhook.test", data: { message: "before" } });
    await cancelDeliveries(tx, endpoint.id);
    return emitEvent(tx, { endpointId: endpoint.id, type: "webhook.test", data: { message: "after" } });
  });
  await h.makeDue(endpoint);
  await h.delivery(endpoint, ({ status }) => status === "DELIVERED");
  const statuses = (await h.deliveries(endpoint)).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), ["CANCELED", "CANCELED", "DELIVERED"]);
  assert.equal((await h.delivery(endpoint, ({ id }) => id === old)).nextAttemptAt, null);
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers["webhook-id"]),
    [old, fresh],
  );
  await until(
    async () => (await rows(h.app, "SELECT FROM webhook_deliveries WHERE status = 'PENDING'")).length === 0,
  );
  await replay(h, endpoint, old!);
  announceEvents(h.app);
  await h.delivery(endpoint, ({ id, status }) => id === old && status === "DELIVERED");
});

test("W15 after a rotation the old secret and the new one both sign, for 24 hours", async (t) => {
  const h = await hooks(t);
  const receiver = await startReceiver(h.scope);
  const endpoint = await h.endpoint(receiver.url);
  assert.match(endpoint.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const secret = await h.app.database.transaction((tx) => rotateEndpointSecret(tx, h.app, endpoint.id));
  assert.notEqual(secret, endpoint.secret);
  assert.equal((await read(h, endpoint)).secret, secret);
  h.deliver();
  await h.emit(endpoint);
  await h.delivery(endpoint, ({ status }) => status === "DELIVERED");
  const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
  assert.match(headers["webhook-signature"]!, /^v1,\S{44} v1,\S{44}$/);
  for (const key of [secret, endpoint.secret]) {
    new Webhook(key).verify(body, headers);
    new SvixWebhook(key).verify(body, headers);
  }
  const [{ hours }] = await rows(
    h.app,
    "SELECT extract(epoch FROM old_secret_until - now())::float / 3600 AS hours FROM webhook_endpoints WHERE id = $1",
    [endpoint.id],
  );
  assert.ok(hours > 23.9 && hours <= 24);
  await rows(h.app, "UPDATE webhook_endpoints SET old_secret_until = now() WHERE id = $1", [endpoint.id]);
  await h.emit(endpoint);
  await until(() => receiver.received.length === 2);
  const later = receiver.received[1]!;
  new Webhook(secret).verify(later.body, later.headers);
  assert.throws(() => new Webhook(endpoint.secret).verify(later.body, later.headers));
  const [kept] = await rows(h.app, "SELECT e::text AS text FROM webhook_endpoints e WHERE id = $1", [
    endpoint.id,
  ]);
  assert.ok(!kept.text.includes(secret) && !kept.text.includes("whsec_"));
});

test("W16 an event exists exactly if its transaction was committed", async (t) => {
  const h = await hooks(t);
  const endpoint = await h.endpoint(NOBODY);
  const event = { endpointId: endpoint.id, type: "webhook.test", data: { message: "Bonjour" } } as const;
  const undone = h.app.database.transaction(async (tx) => {
    assert.ok(await emitEvent(tx, event));
    throw new Error("the pairing failed");
  });
  await assert.rejects(undone, /the pairing failed/);
  assert.deepEqual(await h.deliveries(endpoint), []);
  const id = await h.app.database.transaction((tx) => emitEvent(tx, event));
  assert.deepEqual(
    (await h.deliveries(endpoint)).map((delivery) => delivery.id),
    [id],
  );
});

test("thousands of events go into one transaction; those without an endpoint go nowhere", async (t) => {
  const h = await hooks(t);
  const endpoints = await Promise.all([h.endpoint(NOBODY), h.endpoint(NOBODY)]);
  const ids = [...endpoints.map(({ id }) => id), "unknown"];
  const events = Array.from({ length: 9_000 }, (_, i) => ({
    endpointId: ids[i % 3]!,
    type: "webhook.test" as const,
    data: { message: `"\\ {${i}} é\u0000` },
  }));
  const emitted = await h.app.database.transaction((tx) => emitEvents(tx, events));
  assert.equal(new Set(emitted).size, 6_000);
  const { rows: deliveries, totalCount } = await anyones.list(h.app.database, null, endpoints[0]!.id, {
    limit: 2,
    page: 2,
    sort: "desc",
  });
  assert.deepEqual([deliveries.length, totalCount], [2, 3_000]);
  const [row] = await rows(h.app, "SELECT data FROM webhook_deliveries WHERE id = $1", [emitted[0]]);
  assert.deepEqual(row.data, events[0]!.data);
  const message = "x".repeat(65_536);
  const tooLarge = { endpointId: ids[0]!, type: "webhook.test", data: { message } } as const;
  await assert.rejects(
    h.app.database.transaction((tx) => emitEvent(tx, tooLarge)),
    /characters/,
  );
});

test("the owner can send a test event, and replay under the same id for 30 days", async (t) => {
  const h = await hooks(t);
  const receiver = await startReceiver(h.scope, answerStatus(200));
  const endpoint = await h.endpoint(receiver.url);
  const unauthenticated = await h.endpoint(receiver.url);
  h.deliver();
  const queued = await h.app.database.transaction((tx) => anyones.test(tx, h.app, null, endpoint.id));
  assert.deepEqual([queued.type, queued.status, queued.attempts], ["webhook.test", "PENDING", 0]);
  await h.delivery(endpoint, ({ status }) => status === "DELIVERED");
  // A receiver that asked to be left alone is tried all the same when the owner says so.
  await rows(h.app, "UPDATE webhook_endpoints SET not_before = now() + interval '1 hour'");
  assert.equal((await replay(h, endpoint, queued.id)).status, "PENDING");
  announceEvents(h.app);
  await until(() => receiver.received.length === 2);
  await h.delivery(endpoint, ({ status }) => status === "DELIVERED");
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers["webhook-id"]),
    [queued.id, queued.id],
  );

  await assert.rejects(replay(h, unauthenticated, queued.id), { code: "not-found" });
  await assert.rejects(replay(h, endpoint, "nothing"), { code: "not-found" });
  await assert.rejects(replay(h, { id: "nobody", secret: "" }, queued.id), { code: "not-found" });
  await rows(h.app, "UPDATE webhook_deliveries SET created_at = now() - interval '30 days 1 minute'");
  await assert.rejects(replay(h, endpoint, queued.id), { code: "not-found" });
});

test("deliveries older than 30 days are forgotten, those that still wait a month later", async (t) => {
  const h = await hooks(t);
  const endpoint = await h.endpoint(NOBODY);
  const [done, fresh, waiting, stuck] = await h.emit(endpoint, 4);
  const age = (id: string | undefined, days: number, status: string) =>
    rows(
      h.app,
      "UPDATE webhook_deliveries SET status = $3, created_at = now() - $2 * interval '1 day' WHERE id = $1",
      [id, days, status],
    );
  await age(done, 31, "DELIVERED");
  await age(fresh, 29, "EXHAUSTED");
  await age(waiting, 31, "PENDING");
  await age(stuck, 61, "PENDING");
  await forgetOldDeliveries(h.app, new AbortController().signal);
  assert.deepEqual((await h.deliveries(endpoint)).map(({ id }) => id).sort(), [waiting, fresh].sort());
});

test("another address starts enabled and gets what waits; unknown endpoints are refused", async (t) => {
  const h = await hooks(t);
  const gone = await startReceiver(h.scope, answerStatus(410));
  const receiver = await startReceiver(h.scope);
  const endpoint = await h.endpoint(gone.url);
  h.deliver();
  const [id] = await h.emit(endpoint);
  await until(async () => (await read(h, endpoint)).disabledReason === "GONE");
  await h.app.database.transaction((tx) => updateEndpointUrl(tx, h.app.secrets, endpoint.id, receiver.url));
  assert.deepEqual(await read(h, endpoint), enabled(endpoint, receiver.url));
  await h.makeDue(endpoint);
  await h.delivery(endpoint, ({ status }) => status === "DELIVERED");
  assert.equal(receiver.received[0]!.headers["webhook-id"], id);

  const { database, secrets } = h.app;
  assert.equal(await readEndpoint(database, secrets, "nobody"), undefined);
  for (const ask of [
    () => database.transaction((tx) => rotateEndpointSecret(tx, h.app, "nobody")),
    () => database.transaction((tx) => updateEndpointUrl(tx, secrets, "nobody", receiver.url)),
    () => database.transaction((tx) => anyones.test(tx, h.app, null, "nobody")),
  ])
    await assert.rejects(ask(), { code: "not-found" });
});

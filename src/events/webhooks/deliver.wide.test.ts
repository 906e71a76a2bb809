// Delivering: what receivers see, and what becomes of deliveries to those that are slow, broken or hostile.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { inLongRuns } from "../../../test/length.ts";
import { startProcess } from "../../../test/process.ts";
import { answerStatus, type Endpoint, hooks, type Receiver, startReceiver } from "../../../test/receiver.ts";
import { rows } from "../../../test/sending.ts";
import { until } from "../../../test/testservice.ts";
import { openLog } from "../../platform/log.ts";
import type { DeliverOptions } from "./deliver.ts";
import { signatureHeaders } from "./sign.ts";

const SECOND = 1;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** product.md, section 10: what is waited after each failure, in seconds. */
const DELAYS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
  24 * HOUR,
];

/** The receiver's requests, once there are this many. */
function requests(receiver: Receiver, count: number) {
  return until(() => receiver.received.length >= count && receiver.received);
}

test("W01 an event verifies with the libraries of others, and nothing else does", async (t) => {
  const h = await hooks(t);
  const receiver = await startReceiver(h.scope);
  const endpoint = await h.endpoint(receiver.url);
  h.deliver();
  const [id] = await h.emit(endpoint, 1, { phone: "2250700000000", text: "Ça va ? 😀" });
  const [{ headers, body }] = (await requests(receiver, 1)) as [Receiver["received"][0]];
  assert.equal(headers["webhook-id"], id);
  assert.equal(headers["content-type"], "application/json");
  const { timestamp, ...event } = JSON.parse(body);
  assert.deepEqual(event, {
    id,
    type: "message.delivered",
    data: { phone: "2250700000000", text: "Ça va ? 😀" },
  });
  assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 60_000);
  const other = (await h.endpoint(receiver.url)).secret;
  const seconds = Math.floor(Date.now() / 1_000) - 6 * MINUTE;
  const old = signatureHeaders([endpoint.secret], { id: id!, seconds, body });
  for (const Library of [Webhook, SvixWebhook]) {
    new Library(endpoint.secret).verify(body, headers);
    assert.throws(() => new Library(endpoint.secret).verify(body.replace("225", "226"), headers));
    assert.throws(() => new Library(other).verify(body, headers));
    assert.throws(() => new Library(endpoint.secret).verify(body, old));
  }
  const delivery = await h.delivery(endpoint, ({ status }) => status === "DELIVERED");
  assert.deepEqual([delivery.attempts, delivery.lastStatusCode, delivery.lastError], [1, 200, null]);
  assert.ok(delivery.deliveredAt && delivery.nextAttemptAt === null);
  assert.match(await h.app.metrics.metrics(), /^atumpan_webhook_tries_total\{status="DELIVERED"\} 1$/m);
});

test("W02 it is tried by the schedule ± 20 %, under one id, until the first 2xx", async (t) => {
  const h = await hooks(t);
  const receiver = await startReceiver(h.scope, (response, _, n) =>
    response.writeHead(n <= DELAYS.length ? 500 : 204).end(),
  );
  const endpoint = await h.endpoint(receiver.url);
  h.deliver();
  const [id] = await h.emit(endpoint);
  for (const [i, delay] of DELAYS.entries()) {
    await h.delivery(endpoint, ({ attempts }) => attempts === i + 1);
    const [{ wait }] = await rows(
      h.app,
      "SELECT extract(epoch FROM next_attempt_at - now())::float AS wait FROM webhook_deliveries WHERE id = $1",
      [id],
    );
    assert.ok(wait > delay * 0.8 - 3 && wait <= delay * 1.2, `after failure ${i + 1}: ${wait} s`);
    await h.makeDue(endpoint);
  }
  const delivery = await h.delivery(endpoint, ({ status }) => status === "DELIVERED");
  assert.deepEqual([delivery.attempts, delivery.lastStatusCode], [11, 204]);
  assert.equal(receiver.received.length, 11);
  for (const { headers, body } of receiver.received) {
    assert.equal(headers["webhook-id"], id);
    assert.ok(Math.abs(Number(headers["webhook-timestamp"]) - Date.now() / 1_000) < 60);
    new Webhook(endpoint.secret).verify(body, headers);
  }
  const [state] = await rows(h.app, "SELECT failing_since FROM webhook_endpoints WHERE id = $1", [
    endpoint.id,
  ]);
  assert.equal(state.failing_since, null);
});

test("D14: informational responses before the answer are no failure, and neither is a redirect of protocols a success", async (t) => {
  const h = await hooks(t);
  const patient = await startReceiver(h.scope, (response) => {
    for (let hint = 0; hint < 5; hint++) response.writeProcessing();
    response.writeEarlyHints({ link: "</style.css>; rel=preload" });
    response.writeHead(204).end();
  });
  const switching = await startReceiver(h.scope, ({ socket }) => {
    socket!.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
  });
  h.deliver();
  const outcomes = [patient, switching].map(async ({ url }) => {
    const endpoint = await h.endpoint(url);
    await h.emit(endpoint);
    const { status, lastStatusCode } = await h.delivery(endpoint, ({ attempts }) => attempts === 1);
    return [status, lastStatusCode];
  });
  assert.deepEqual(await Promise.all(outcomes), [
    ["DELIVERED", 204],
    ["PENDING", null],
  ]);
});

test("W02 after the eleventh failure a delivery is exhausted, and tried no more", async (t) => {
  const h = await hooks(t);
  const receiver = await startReceiver(h.scope, answerStatus(400));
  const endpoint = await h.endpoint(receiver.url);
  await h.emit(endpoint);
  await rows(h.app, "UPDATE webhook_deliveries SET attempts = 10 WHERE endpoint_id = $1", [endpoint.id]);
  h.deliver();
  const delivery = await h.delivery(endpoint, ({ status }) => status === "EXHAUSTED");
  assert.deepEqual([delivery.attempts, delivery.lastStatusCode, delivery.nextAttemptAt], [11, 400, null]);
});

test("W03 a receiver that hangs is given up in time, and holds nothing of the database", async (t) => {
  const h = await hooks(t, { settings: { webhookTimeoutMs: 1_000 } });
  const receiver = await startReceiver(h.scope, () => {});
  const endpoint = await h.endpoint(receiver.url);
  h.deliver();
  await h.emit(endpoint);
  await requests(receiver, 1);
  const busy = await rows(
    h.app,
    `SELECT state FROM pg_stat_activity
     WHERE application_name = $1 AND state LIKE 'idle in transaction%'`,
    [h.app.database.node],
  );
  assert.deepEqual(busy, []);
  await until(() => receiver.sockets.size === 0);
  const delivery = await h.delivery(endpoint, ({ attempts }) => attempts === 1);
  assert.deepEqual(
    [delivery.status, delivery.lastError, delivery.lastStatusCode],
    ["PENDING", "timeout", null],
  );
});

test("W03 500 hanging endpoints with more than one event each do not delay healthy ones", async (t) => {
  // As long as the test goes on, none of the hanging tries is given up.
  const h = await hooks(t, { settings: { webhookTimeoutMs: 600_000 } });
  const hanging = await startReceiver(h.scope, () => {});
  const healthy = await startReceiver(h.scope);
  const dead: Endpoint[] = [];
  for (let i = 0; i < 500; i++) dead.push(await h.endpoint(`${hanging.url}/${i}`));
  const alive = await Promise.all(Array.from({ length: 5 }, (_, i) => h.endpoint(`${healthy.url}/${i}`)));
  for (const endpoint of dead) await h.emit(endpoint, 3);
  h.deliver();
  await until(() => hanging.sockets.size === 500);
  const emittedAt = new Map<string, number>();
  for (let round = 0; round < 20; round++) {
    for (const endpoint of alive)
      for (const id of await h.emit(endpoint, 2)) emittedAt.set(id, performance.now());
  }
  const received = await requests(healthy, emittedAt.size);
  const latencies = received
    .map(({ headers, at }) => at - emittedAt.get(headers["webhook-id"]!)!)
    .sort((a, b) => a - b);
  const p99 = latencies[Math.floor(latencies.length * 0.99)]!;
  t.diagnostic(`p99 ${p99.toFixed(0)} ms`);
  assert.deepEqual(
    [hanging.received.length, hanging.sockets.size],
    [500, 500],
    "all healthy ones came first",
  );
});

test("W04 headers decide; a body that drips costs its connection long before a try would end", async (t) => {
  const h = await hooks(t, { settings: { webhookTimeoutMs: 600_000 } });
  const receiver = await startReceiver(h.scope, (response) => {
    response.writeHead(200).flushHeaders();
    const timer = setInterval(() => response.write("."), 50);
    response.on("close", () => clearInterval(timer));
  });
  const endpoint = await h.endpoint(receiver.url);
  h.deliver();
  await h.emit(endpoint);
  await requests(receiver, 1);
  await h.delivery(endpoint, ({ status }) => status === "DELIVERED");
  await until(() => receiver.sockets.size === 0);
});

test("a connection is kept for its endpoint alone, and one that went stale is no failure of the receiver", async (t) => {
  const h = await hooks(t);
  const receiver = await startReceiver(h.scope, (response, _, n) => {
    if (n === 3) response.socket!.destroy();
    else response.end("ok");
  });
  const [mine, other] = [await h.endpoint(receiver.url), await h.endpoint(receiver.url)];
  h.deliver();
  const deliverOne = async (endpoint: Endpoint) => {
    const [id] = await h.emit(endpoint);
    return h.delivery(endpoint, (delivery) => delivery.id === id && delivery.status === "DELIVERED");
  };
  await deliverOne(mine);
  await deliverOne(mine);
  assert.equal(receiver.connections, 1);
  assert.equal((await deliverOne(mine)).attempts, 1);
  assert.deepEqual([receiver.received.length, receiver.connections], [4, 2]);
  await deliverOne(other);
  assert.equal(receiver.connections, 3);
});

test("W05 bodies and headers without end are not read, and nothing is inflated", async (t) => {
  const h = await hooks(t);
  const mebibyte = Buffer.alloc(1024 * 1024);
  let written = 0;
  const pour = (response: import("node:http").ServerResponse) => {
    while (!response.destroyed && response.write(mebibyte)) written += mebibyte.length;
    response.once("drain", () => pour(response));
  };
  const huge = await startReceiver(h.scope, (response) => {
    response.writeHead(200, { "Content-Length": 10 * 1024 ** 3 });
    pour(response);
  });
  const bomb = await startReceiver(h.scope, (response) => {
    response.writeHead(200, { "Content-Encoding": "gzip" });
    pour(response);
  });
  const headers = await startReceiver(h.scope, ({ socket }) => {
    const line = `X-More: ${"x".repeat(1_000)}\r\n`;
    socket!.write("HTTP/1.1 200 OK\r\n");
    const timer = setInterval(() => socket!.write(line.repeat(10)), 1);
    socket!.on("close", () => clearInterval(timer));
  });
  const hints = await startReceiver(h.scope, ({ socket }) => {
    const timer = setInterval(() => socket!.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 1);
    socket!.on("close", () => clearInterval(timer));
  });
  const receivers = [huge, bomb, headers, hints];
  const endpoints = await Promise.all(receivers.map(({ url }) => h.endpoint(url)));
  h.deliver();
  const before = process.memoryUsage().rss;
  for (const endpoint of endpoints) await h.emit(endpoint);
  const answered = await Promise.all(
    endpoints.map((each) => h.delivery(each, ({ attempts }) => attempts === 1)),
  );
  assert.deepEqual(
    answered.map(({ status, lastError }) => lastError ?? status),
    ["DELIVERED", "DELIVERED", "response-invalid", "response-invalid"],
  );
  await until(() => receivers.every(({ sockets }) => sockets.size === 0));
  const grownMb = (process.memoryUsage().rss - before) / 1024 ** 2;
  t.diagnostic(`${grownMb.toFixed(1)} MB more, receivers' own buffers among them`);
  assert.ok(grownMb < 20, `${grownMb} MB`);
  // What a receiver could write is what the buffers of two sockets hold.
  assert.ok(written < 32 * 1024 ** 2, `${written} bytes`);
});

test("W11 410 disables the endpoint and its owner is told, again until that works", async (t) => {
  const h = await hooks(t, { log: openLog("fatal") });
  const receiver = await startReceiver(h.scope, answerStatus(410));
  const endpoint = await h.endpoint(receiver.url);
  const told: string[] = [];
  const onDisabled: DeliverOptions["onDisabled"] = async (_, endpointId, reason) => {
    told.push(`${endpointId} ${reason}`);
    if (told.length === 1) throw new Error("the mail server is away");
  };
  const first = h.deliver({ onDisabled });
  await h.emit(endpoint);
  await until(() => told.length === 1);
  await first.stop();
  const untold = "SELECT tell_owner_at FROM webhook_endpoints WHERE id = $1";
  assert.ok((await rows(h.app, untold, [endpoint.id]))[0].tell_owner_at > new Date());
  await rows(h.app, "UPDATE webhook_endpoints SET tell_owner_at = now() WHERE id = $1", [endpoint.id]);
  h.deliver({ onDisabled });
  await until(() => told.length === 2);
  assert.deepEqual(told, [`${endpoint.id} GONE`, `${endpoint.id} GONE`]);
  await until(async () => (await rows(h.app, untold, [endpoint.id]))[0].tell_owner_at === null);
  assert.deepEqual(await h.emit(endpoint), []);
});

test("W11 Retry-After of 429 and 503 is honoured between 1 s and 24 h, by the whole endpoint; nonsense is ignored", async (t) => {
  const h = await hooks(t);
  const date = new Date(Date.now() + HOUR * 1_000).toUTCString();
  const cases: [number, string, number, number][] = [
    [429, "30", 30, 30],
    [503, "30", 30, 30],
    [503, "-1", 4, 6],
    [429, "1e9", 4, 6],
    [429, "soon", 4, 6],
    [429, "1000000000", 24 * HOUR, 24 * HOUR],
    [429, date, HOUR, HOUR],
    [500, "3600", 4, 6],
  ];
  const receiver = await startReceiver(h.scope, (response, { path }) => {
    const [status, retryAfter] = cases[Number(path.split("/").at(-1))]!;
    response.writeHead(status, { "Retry-After": retryAfter }).end();
  });
  const endpoints = await Promise.all(cases.map((_, i) => h.endpoint(`${receiver.url}/${i}`)));
  h.deliver();
  for (const endpoint of endpoints) await h.emit(endpoint);
  for (const [i, endpoint] of endpoints.entries()) {
    await h.delivery(endpoint, ({ attempts }) => attempts === 1);
    const [{ wait, hold }] = await rows(
      h.app,
      `SELECT extract(epoch FROM next_attempt_at - now())::float AS wait,
              extract(epoch FROM greatest(not_before - now(), '0'))::float AS hold
       FROM webhook_deliveries JOIN webhook_endpoints endpoint ON endpoint.id = endpoint_id WHERE endpoint_id = $1`,
      [endpoint.id],
    );
    const [status, text, least, most] = cases[i]!;
    assert.ok(wait > least - 5 && wait <= most, `${status} ${text}: ${wait} s`);
    assert.equal(hold > 0, most > 6, `${status} ${text}: held for ${hold} s`);
  }
});

test(
  "W12 killed after the receiver has it and before the commit: it comes again under the same id",
  inLongRuns,
  async (t) => {
    const h = await hooks(t);
    let kill: Promise<void> | undefined;
    const receiver = await startReceiver(h.scope, (response, _, n) => {
      if (n === 1) kill = deliverer.end("SIGKILL").then(() => void response.end());
      else response.end();
    });
    const endpoint = await h.endpoint(receiver.url);
    const deliverer = await startProcess({
      DATABASE_URL: h.here.databaseUrl,
      DATA_DIR: h.app.config.dataDir,
      ROLES: "worker",
      SIMULATOR: "off",
      MASTER_KEY: h.app.config.keys!.masterKey,
      ADMIN_KEY: h.app.config.keys!.adminKey,
      WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
    });
    h.scope.after(() => deliverer.end("SIGKILL"));
    const [id] = await h.emit(endpoint);
    await requests(receiver, 1);
    await kill;
    h.deliver();
    const [taken] = await rows(
      h.app,
      "SELECT status, attempts, leased_until > now() AS leased FROM webhook_deliveries",
    );
    assert.deepEqual(taken, { status: "PENDING", attempts: 0, leased: true });
    await rows(h.app, "UPDATE webhook_deliveries SET leased_until = now()");
    await h.delivery(endpoint, ({ status }) => status === "DELIVERED");
    assert.deepEqual(
      receiver.received.map(({ headers }) => headers["webhook-id"]),
      [id, id],
    );
  },
);

test("two deliverers side by side deliver everything once; one that stops gives back what it has", async (t) => {
  const h = await hooks(t, { settings: { webhookTimeoutMs: 600_000 } });
  const receiver = await startReceiver(h.scope, (response, { path }) => {
    if (!path.endsWith("/hang")) response.end();
  });
  const endpoints = await Promise.all([1, 2, 3].map((i) => h.endpoint(`${receiver.url}/${i}`)));
  const hanging = await h.endpoint(`${receiver.url}/hang`);
  await h.emit(hanging);
  const first = h.deliver();
  await requests(receiver, 1);
  const second = h.deliver();
  const sent = (await Promise.all(endpoints.map((endpoint) => h.emit(endpoint, 500)))).flat();
  await requests(receiver, 1 + sent.length);
  await until(async () => {
    const [{ open }] = await rows(
      h.app,
      "SELECT count(*) AS open FROM webhook_deliveries WHERE status = 'PENDING'",
    );
    return open === 1;
  });
  assert.deepEqual(
    receiver.received
      .slice(1)
      .map(({ headers }) => headers["webhook-id"])
      .sort(),
    sent.sort(),
  );
  await first.stop();
  const [{ leased, attempts }] = await rows(
    h.app,
    "SELECT leased_until > now() AS leased, attempts FROM webhook_deliveries WHERE status = 'PENDING'",
  );
  assert.equal(attempts, 0);
  assert.notEqual(leased, true, "it waits for nobody");
  await second.stop();
});

// The intake of bodies: a body that is too large, too wide or too much for its network is refused and holds no memory.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { JSON_TYPE, type Served, send, serve } from "../../../test/listener.ts";
import { filled, stall, wide } from "../../../test/stalledbodies.ts";
import { readAnswer, until } from "../../../test/testservice.ts";
import { readConfig } from "../config.ts";
import type { Limits } from "../limits/limits.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const [ONE, OTHER] = ["203.0.113.7", "198.51.100.7"];

/** A listener behind a proxy, so that a caller may come from any network. */
function behindProxy(t: TestContext, limits: Partial<Limits> = {}): Promise<Served> {
  return serve(t, { trustProxy: ["127.0.0.1"], limits: { ...readConfig({}).limits, ...limits } });
}

const from = (ip: string) => ({ ...JSON_TYPE, "X-Forwarded-For": ip });

test("P02: a route takes 64 KiB, or 5 MiB for thousands of contacts; a byte more is refused with an answer", async (t) => {
  const { url } = await serve(t);
  for (const [path, most] of [
    ["/v1/echo", 64 * KIB],
    ["/v1/bulk", 5 * MIB],
  ] as const) {
    assert.equal((await send(url + path, filled(most))).success, true);
    assert.equal((await send(url + path, filled(most + 1))).error, "request-too-large");
    assert.equal((await send(`${url}/v1/echo`, filled(6 * MIB))).error, "request-too-large");
    const inChunks = new Blob([filled(most + 1)]).stream();
    const request = { method: "POST", headers: JSON_TYPE, body: inChunks, duplex: "half" } as const;
    assert.equal((await readAnswer(await fetch(url + path, request))).error, "request-too-large");
  }
});

test("a body is the same in one piece, in chunks and in small packets", async (t) => {
  const { url } = await serve(t);
  const body = JSON.stringify({
    phone: 'Awa "\\" é 😀',
    items: Array.from({ length: 300 }, () => ({ name: "Koné" })),
  });
  const bytes = Buffer.from(body);
  assert.deepEqual((await send(`${url}/v1/echo`, body)).data, JSON.parse(body));
  const { hostname, port } = new URL(url);
  for (const inChunks of [true, false]) {
    const socket = connect(Number(port), hostname).setNoDelay();
    const length = inChunks ? "Transfer-Encoding: chunked" : `Content-Length: ${bytes.length}`;
    socket.write(
      `POST /v1/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n${length}\r\n\r\n`,
    );
    for (let at = 0; at < bytes.length; at += 7) {
      const part = bytes.subarray(at, at + 7);
      await new Promise((done) =>
        socket.write(
          inChunks ? Buffer.concat([Buffer.from(`${part.length}\r\n`), part, Buffer.from("\r\n")]) : part,
          done,
        ),
      );
    }
    if (inChunks) socket.write("0\r\n\r\n");
    let said = "";
    socket.setEncoding("utf8").on("data", (text) => (said += text));
    await once(socket, "close");
    assert.deepEqual(JSON.parse(said.slice(said.indexOf("\r\n\r\n"))).data, JSON.parse(body));
  }
});

test("P05: an object of more than 64 members is refused where it stands, in a body of any size", async (t) => {
  const { url } = await serve(t);
  const refused = async (body: string) => (await send(`${url}/v1/bulk`, body)).details?.[0]?.field;
  for (const padding of ["", `"p":"${'x\\"{[:,'.repeat(KIB)}",`]) {
    assert.equal((await send(`${url}/v1/bulk`, `{${padding}"a":[${wide(64)},${wide(64)}]}`)).success, true);
    assert.equal(await refused(`{${padding}"a":[1,[{}],{"b":{"c":${wide(65)}}}]}`), "a[2].b.c");
    assert.equal(await refused(`{${padding}"a":${wide(100_000)}}`), "a");
  }
  assert.equal((await send(`${url}/v1/bulk`, wide(64))).success, true);
  for (const members of [65, 100_000, 300_000]) {
    assert.equal((await send(`${url}/v1/bulk`, wide(members))).error, "invalid-request");
  }
});

test("P05: a body that is too wide is refused before the rest of it comes", async (t) => {
  const listener = await behindProxy(t);
  const { hostname, port } = new URL(listener.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/bulk HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${5 * MIB}\r\n\r\n`,
  );
  socket.write(wide(2_000).slice(0, -1));
  let said = "";
  socket.on("data", (bytes) => (said += bytes));
  await once(socket, "close");
  assert.match(said, /"invalid-request"/);
});

test("P02: bodies that stall hold no more than the budget of their network, and others are served", async (t) => {
  const listener = await behindProxy(t, { bodyBytesInFlightPerNetwork: 4 * MIB });
  const { url } = listener;
  const stalled = await Promise.all(
    Array.from({ length: 20 }, () => stall(url, { path: "/v1/bulk", ip: ONE, declared: 5 * MIB, sent: MIB })),
  );
  // Three of them hold three quarters of the budget; the last quarter is for small bodies.
  await until(() => stalled.filter(({ said }) => said.includes('"too-many-requests"')).length >= 17);
  for (const { said } of stalled) if (said) assert.match(said, /\r\nRetry-After: [1-9]/i);
  const bulk = filled(2 * MIB);
  assert.equal((await send(`${url}/v1/bulk`, bulk, from(ONE))).error, "too-many-requests");
  assert.equal((await send(`${url}/v1/bulk`, bulk, from("203.0.113.250"))).error, "too-many-requests");
  assert.equal((await send(`${url}/v1/bulk`, filled(60 * KIB), from(ONE))).success, true);
  assert.equal((await send(`${url}/v1/bulk`, bulk, from(OTHER))).success, true);
  for (const { socket } of stalled) socket.destroy();
  await until(async () => (await send(`${url}/v1/bulk`, bulk, from(ONE))).success);
});

test("P02: all bodies together hold a bounded amount, small ones are still read, and a cut body gives its part back", async (t) => {
  const listener = await behindProxy(t, { bodyBytesInFlight: 4 * MIB, requestTimeoutMs: 5_000 });
  const { url } = listener;
  const ips = Array.from({ length: 10 }, (_, i) => `203.0.${i}.7`);
  const stalled = await Promise.all(
    ips.map((ip) => stall(url, { path: "/v1/bulk", ip, declared: 5 * MIB, sent: MIB })),
  );
  await until(() => stalled.filter(({ said }) => said.includes('"service-unavailable"')).length >= 7);
  const bulk = filled(2 * MIB);
  const refused = await send(`${url}/v1/bulk`, bulk, from(OTHER));
  assert.equal(refused.error, "service-unavailable");
  assert.equal((await send(`${url}/v1/bulk`, filled(60 * KIB), from(OTHER))).success, true);
  assert.equal((await send(`${url}/v1/echo`, "{}", from(OTHER))).success, true);
  await Promise.all(stalled.map(({ closed }) => closed));
  assert.equal((await send(`${url}/v1/bulk`, bulk, from(OTHER))).success, true);
});

test("a body counts until it is answered", async (t) => {
  const listener = await behindProxy(t, { bodyBytesInFlight: 4 * MIB });
  const bulk = () => send(`${listener.url}/v1/bulk`, filled(2 * MIB), from(OTHER));
  assert.equal((await bulk()).success, true);
  const worked = Array.from({ length: 60 }, () =>
    send(`${listener.url}/v1/gate`, filled(60 * KIB), from(ONE)),
  );
  await until(async () => (await bulk()).error === "service-unavailable");
  listener.openGate();
  await Promise.all(worked);
  assert.equal((await bulk()).success, true);
});

test("P05: a network with too many refused bytes is refused unread; its small bodies and other networks are not", async (t) => {
  const listener = await behindProxy(t, { refusedBytesPerSecond: KIB, refusedBytesAtOnce: 256 * KIB });
  const { url } = listener;
  const large = filled(60 * KIB);
  const refused = [
    large.slice(0, -1),
    large.replace("other", "phone"),
    `{"a":${wide(5_000)}}`,
    large.slice(0, -1),
  ];
  for (const body of refused)
    assert.match((await send(`${url}/v1/echo`, body, from(ONE))).error ?? "", /^invalid-/);
  await until(
    async () => (await send(`${url}/v1/echo`, refused[0]!, from(ONE))).error === "too-many-requests",
  );
  const unread = await stall(url, {
    path: "/v1/echo",
    ip: "203.0.113.99",
    declared: 60 * KIB,
    sent: 20,
  });
  await unread.closed;
  assert.match(unread.said, /Retry-After: [1-9]\d*\r\n[\s\S]*"too-many-requests"/i);
  assert.equal((await send(`${url}/v1/echo`, '{"phone":"1"}', from(ONE))).success, true);
  assert.equal((await send(`${url}/v1/echo`, large, from(OTHER))).success, true);
});

test("accepted bodies do not count as refused", async (t) => {
  const listener = await behindProxy(t, { refusedBytesPerSecond: KIB, refusedBytesAtOnce: 100 * KIB });
  for (let count = 0; count < 10; count++)
    assert.equal((await send(`${listener.url}/v1/echo`, filled(60 * KIB), from(ONE))).success, true);
});

test("a body that is refused because there are too many counts as refused", async (t) => {
  const listener = await behindProxy(t, {
    ...{ refusedBytesPerSecond: KIB, refusedBytesAtOnce: 100 * KIB },
    refusedPauseMs: 0,
  });
  const limited = () => send(`${listener.url}/v1/limited`, filled(60 * KIB), from(ONE));
  for (let count = 0; count < 2; count++) assert.equal((await limited()).error, "too-many-requests");
  const unread = await stall(listener.url, { path: "/v1/echo", ip: ONE, declared: 60 * KIB, sent: 20 });
  await unread.closed;
  assert.match(unread.said, /"too-many-requests"/);
  assert.equal((await send(`${listener.url}/v1/limited`, "{}", from(ONE))).error, "too-many-requests");
  assert.equal((await send(`${listener.url}/v1/echo`, filled(60 * KIB), from(OTHER))).success, true);
});

test("the answer to it is put off, while those to small bodies and to others are not", async (t) => {
  const listener = await behindProxy(t, { refusedPauseMs: 20_000 });
  const limited = (body: string) => send(`${listener.url}/v1/limited`, body, from(ONE));
  const asking = new AbortController();
  let isAnswered = false;
  const large = { method: "POST", headers: from(ONE), body: filled(60 * KIB), signal: asking.signal };
  const putOff = fetch(`${listener.url}/v1/limited`, large).then(
    () => {
      isAnswered = true;
    },
    () => {},
  );
  for (let count = 0; count < 50; count++) {
    assert.equal((await limited("{}")).error, "too-many-requests");
    assert.equal((await send(`${listener.url}/v1/echo`, filled(60 * KIB), from(OTHER))).success, true);
  }
  assert.equal(isAnswered, false);
  asking.abort();
  await putOff;
});

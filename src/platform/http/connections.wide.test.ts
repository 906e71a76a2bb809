// Connections: their number and their silence have limits, and one with too many requests still gets every answer.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { certificateFiles, writeCertificate } from "../../../test/certificates.ts";
import { ADMIN_KEY, serve } from "../../../test/listener.ts";
import { metricOf } from "../../../test/metrics.ts";
import { until } from "../../../test/testservice.ts";
import { readConfig } from "../config.ts";

const ASKED = 2_000;
const MIB = 1024 * 1024;

test("P07: a connection with too many open requests is read no further, and every request is answered", async (t) => {
  const { url, openGate } = await serve(t);
  const post = (path: string, more = "") =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}Content-Length: 2\r\n\r\n{}`;
  let said = "";
  const socket = connect(placeOf(url)).on("data", (bytes) => (said += bytes));
  const closed = once(socket, "close");
  // All other answers wait for the first.
  socket.write(post("/v1/gate") + post("/v1/echo").repeat(ASKED) + post("/v1/echo", "Connection: close\r\n"));
  const worked = () => countOf(url, 'atumpan_http_requests_total{path="/v1/echo",outcome="success"}');
  await until(worked);
  for (let looks = 0; looks < 20; looks++) {
    const count = await worked();
    assert.ok(count <= 100, `${count} requests worked at`);
  }
  assert.equal(said, "");
  openGate();
  await closed;
  assert.equal(said.split('"success":true').length - 1, ASKED + 2);
});

test("P07: requests whose answers nobody reads take a limited amount of memory, and others are served", async (t) => {
  const { limits } = readConfig({});
  const few = { ...limits, answerBytesPerNetwork: 8 * MIB, networksWithoutLimits: [] };
  const { url } = await serve(t, { limits: few });
  const flood = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1_500);
  const flooding = Array.from({ length: 10 }, () => {
    const socket = connect({ ...placeOf(url), localAddress: "127.0.9.1" }).on("error", () => {});
    socket.write(flood.repeat(20));
    return socket;
  });
  await until(async () => (await countOf(url, 'atumpan_connections_cut_total{reason="too-many-bytes"}')) > 0);
  assert.equal((await ask(url)).closed, false);
  for (const socket of flooding) socket.destroy();
});

const LARGE = `POST /v1/large HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;

test("P07: a connection with too many large answers that it does not read is cut", async (t) => {
  const { limits } = readConfig({});
  const few = { ...limits, answerBytesPerNetwork: 20_000_000, networksWithoutLimits: [] };
  const { url, post } = await serve(t, { limits: few });
  const unread = connect({ ...placeOf(url), localAddress: "127.0.9.1" }).on("error", () => {});
  unread.write(LARGE.repeat(20));
  await until(
    async () => (await countOf(url, 'atumpan_connections_cut_total{reason="too-many-bytes"}')) === 1,
  );
  for (let i = 0; i < 10; i++) assert.equal((await post("/v1/large", {})).success, true);
});

test("P07: a connection that does not read its answers for too long is closed", async (t) => {
  const { url } = await serve(t, { limits: { ...readConfig({}).limits, stallTimeoutMs: 1_000 } });
  connect(placeOf(url))
    .on("error", () => {})
    .write(LARGE.repeat(20));
  // On a busy machine the limit may end a look at the count as well, which then counts too.
  const cut = () => countOf(url, 'atumpan_connections_cut_total{reason="too-long"}').catch(() => 0);
  await until(async () => (await cut()) >= 1);
});

test("P07: a connection that sends nothing is closed without a word, before TLS and after; one that has sent a request stays", async (t) => {
  const limits = { ...readConfig({}).limits, headersTimeoutMs: 500 };
  const tls = certificateFiles(t);
  writeCertificate(tls, "here");
  const [plain, secure] = [await serve(t, { limits }), await serve(t, { limits, tls })];
  const kept = await ask(plain.url);
  const silent = [plain, secure].map(({ url }) => connect(placeOf(url)));
  const shaken = connectTls({ ...placeOf(secure.url), rejectUnauthorized: false });
  await once(shaken, "secureConnect");
  // A browser opens some in advance, and would take these bytes for the answer to its next request.
  const heard = [...silent, shaken].map(async (socket) => (await socket.toArray()).join(""));
  assert.deepEqual(await Promise.all(heard), ["", "", ""]);
  assert.equal(kept.closed, false);
});

test("P07: connections are limited in all, and per network unless the network has no limits", async (t) => {
  const { limits } = readConfig({});
  const few = { ...limits, sockets: 20, socketsPerNetwork: 5 };
  const { url } = await serve(t, { limits: { ...few, networksWithoutLimits: [] } });
  const served = (count: number, from?: string) =>
    Promise.all(Array.from({ length: count }, () => ask(url, from)));
  const [first] = await served(5);
  assert.equal((await ask(url)).closed, true);
  assert.equal((await ask(url, "127.0.0.250")).closed, true);
  await served(5, "127.0.1.1");
  first!.destroy();
  await once(first!, "close");
  await until(async () => !(await ask(url)).closed);
  await served(5, "127.0.2.1");
  await served(5, "127.0.3.1");
  assert.equal((await ask(url, "127.0.4.1")).closed, true);

  const behindProxy = await serve(t, { limits: few });
  const many = await Promise.all(Array.from({ length: 20 }, () => ask(behindProxy.url)));
  assert.ok(many.every(({ closed }) => !closed));
  assert.equal((await ask(behindProxy.url)).closed, true);
});

/** The value of a counter, which is 0 until it counts. */
async function countOf(url: string, counter: string): Promise<number> {
  return (await metricOf(url, ADMIN_KEY, counter)) ?? 0;
}

function placeOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

/** Sends a request on a new connection and keeps that open. It is `closed` if the listener closed it. */
async function ask(url: string, localAddress = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ ...placeOf(url), localAddress }).on("error", () => {});
  socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  await Promise.race([once(socket, "data"), once(socket, "close")]);
  return socket.resume();
}

// The listener: every request under /v1 is answered with HTTP 200, the envelope and the outcome.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { certificateFiles, writeCertificate } from "../../../test/certificates.ts";
import { ADMIN_KEY, JSON_TYPE, raw, send, serve } from "../../../test/listener.ts";
import { metricOf, readMetrics } from "../../../test/metrics.ts";
import { type Answered, readAnswer, until } from "../../../test/testservice.ts";
import { readConfig } from "../config.ts";

// A stop that waited for silent connections would last longer than its test may.
const PATIENT_MS = 200_000;
const timeout = 60_000;
test("P10: every request under /v1 is answered in the envelope", async (t) => {
  const { url, ...listener } = await serve(t);
  const here = `${url}/v1/echo`;
  const error = async (answered: Promise<Answered>) => (await answered).error;

  for (const method of ["GET", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
    assert.equal((await readAnswer(await fetch(here, { method }))).error, "not-found", method);
  }
  assert.equal((await fetch(here, { method: "HEAD" })).headers.get("atumpan-outcome"), "not-found");
  for (const path of [
    "/v1",
    "/v1/",
    "/v1/nothing",
    "/v1/echo/more",
    "/v1/%ff",
    `/v1/thing/${"x".repeat(300)}/update`,
  ]) {
    assert.equal(await error(send(url + path, "{")), "not-found", path);
  }
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "nonsense"]) {
    const { error, details } = await send(here, "{}", { "Content-Type": type });
    assert.equal(error, "invalid-request", type);
    assert.equal(details![0]!.field, "Content-Type");
  }
  for (const body of ["", "{", "nonsense", "{'a':1}", "[1,]", '{"a":01}', "\uFEFF", "{}\uFEFF"]) {
    assert.equal(await error(send(here, body)), "invalid-json", body);
  }
  for (const body of ["[]", '"text"', "5", "null", "true"]) {
    assert.equal(await error(send(here, body)), "invalid-request", body);
  }
  assert.equal(
    await error(send(here, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]))),
    "invalid-json",
  );
  assert.equal(
    await error(send(here, gzipSync("{}"), { ...JSON_TYPE, "Content-Encoding": "gzip" })),
    "invalid-json",
  );
  const withCharset = { "Content-Type": "Application/JSON; charset=utf-8" };
  assert.equal((await send(here, '{"phone":"1"}', withCharset)).data.phone, "1");
  assert.equal((await listener.post("/v1/kept", {})).error, "wrong-otp");
  assert.equal((await listener.post("/v1/limited", {})).error, "too-many-requests");
});

test("P10: bytes that are no HTTP are answered in the envelope too", async (t) => {
  const { url } = await serve(t);
  const broken = [
    "NONSENSE\r\n\r\n",
    "POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Length: nonsense\r\n\r\n",
    `POST /v1/echo HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(70_000)}\r\n\r\n`,
  ];
  for (const bytes of broken) {
    const answer = await raw(url, bytes);
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(answer, /Atumpan-Outcome: invalid-request\r\n/);
    assert.match(
      answer,
      /\r\n\r\n\{"success":false,"data":null,"error":"(invalid-request|request-too-large)"\}$/,
    );
  }
  // By itself node answers 400 without a Host and 417 to an unknown Expect. We do not let it.
  for (const header of ["X: y", "Host: x\r\nExpect: nonsense"]) {
    const bytes = `POST /v1/echo HTTP/1.1\r\n${header}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
    assert.match(await raw(url, bytes), /^HTTP\/1\.1 200 OK[\s\S]*"success":true/);
  }
});

test("a connection stays open after a refused body, and the requests behind it are answered", async (t) => {
  const { url } = await serve(t);
  const post = (body: string, more = "") =>
    `POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
  const answer = await raw(url, post("{") + post("null") + post("{}", "Connection: close\r\n"));
  const errors = [...answer.matchAll(/"error":(null|"[a-z-]+")/g)].map(([, error]) => error);
  assert.deepEqual(errors, ['"invalid-json"', '"invalid-request"', "null"]);
});

test("an answer says whether its connection stays, refused or not", async (t) => {
  const { url } = await serve(t);
  const post = (body: string, version: string, more = "") =>
    `POST /v1/echo HTTP/${version}\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
  const wishes = ["keep-alive", "close"];
  for (const body of ["{}", "{", "null", '{"count":"x"}'])
    for (const version of ["1.0", "1.1"]) {
      const bytes = wishes.map((wish) => post(body, version, `Host: x\r\nConnection: ${wish}\r\n`)).join("");
      const said = [...(await raw(url, bytes)).matchAll(/\r\nconnection: ([a-z-]+)/gi)].map(
        ([, what]) => what,
      );
      assert.deepEqual(said, wishes, `${body} ${version}`);
    }
});

test("a refusal while the listener stops says that the connection ends", async (t) => {
  const { limits } = readConfig({});
  const { url, stop } = await serve(t, { limits: { ...limits, requestTimeoutMs: 1_000 } });
  const { hostname, port } = new URL(url);
  const head = (path: string, more = "") =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}Content-Length: 2\r\n\r\n`;
  let said = "";
  const socket = connect(Number(port), hostname).on("data", (chunk) => (said += chunk));
  socket.write(head("/v1/slow", "Expect: 100-continue\r\n"));
  await until(() => said.includes("100 Continue"));
  const stopping = stop();
  await until(() =>
    fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    ),
  );
  socket.write(`{}${head("/v1/echo")}[]`);
  await Promise.all([once(socket, "close"), stopping]);
  assert.match(said, /"service-unavailable"[\s\S]*connection: close[\s\S]*"invalid-request"/i);
});

test("a broken request is answered after the requests before it, and never in their place", async (t) => {
  const { limits } = readConfig({});
  const { url } = await serve(t, { limits: { ...limits, requestTimeoutMs: 1_000, headersTimeoutMs: 500 } });
  const post = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
  for (const broken of ["NONSENSE\r\n\r\n", "POST /v1/echo HTTP/1.1\r\nContent-Le", `${POST_HEAD}{`]) {
    const answer = await raw(url, post("/v1/slow") + post("/v1/echo") + broken);
    const errors = [...answer.matchAll(/"error":(null|"[a-z-]+")/g)].map(([, error]) => error);
    assert.deepEqual(errors, ['"service-unavailable"', "null", '"invalid-request"'], broken);
  }
});

test("P02: a client that sends without end is refused and gets the answer", async (t) => {
  const { url } = await serve(t);
  const flooded = await flood(url);
  assert.match(flooded, /^HTTP\/1\.1 200 OK[\s\S]*"error":"request-too-large"\}$/);
});

test("a crash tells the caller an id and the log the rest, without secrets", async (t) => {
  const { url, lines } = await serve(t);
  const response = await fetch(`${url}/v1/crash`, { method: "POST", headers: JSON_TYPE, body: "{}" });
  const errorId = response.headers.get("atumpan-error-id");
  assert.equal(await response.text(), '{"success":false,"data":null,"error":"server-error"}');
  const line = lines.find((line) => line.includes("a handler crashed"));
  assert.ok(line?.includes(`"errorId":"${errorId}"`), line);
  assert.match(line ?? "", /secret of the house: psk_\*\*\*/);
});

test("a database that is down, and a handler that hangs, answer service-unavailable in time", async (t) => {
  const { limits } = readConfig({});
  const { post } = await serve(t, { limits: { ...limits, requestTimeoutMs: 1_500, headersTimeoutMs: 500 } });
  assert.equal((await post("/v1/database", {})).error, "service-unavailable");
  assert.equal((await post("/v1/slow", {})).error, "service-unavailable");
});

const POST_HEAD =
  "POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nContent-Type: application/json\r\n\r\n";

test("a caller who hangs up in the middle of a body is not reported as a fault of the database", async (t) => {
  const { url, lines } = await serve(t);
  const { hostname, port } = new URL(url);
  const said = (text: string) => lines.filter((line) => line.includes(text)).length;
  for (const [i, hangUp] of (["destroy", "resetAndDestroy"] as const).entries()) {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${POST_HEAD}{`, () => socket[hangUp]()),
    );
    await until(() => said("hung up") + said("not available") > i);
  }
  assert.equal(said("not available"), 0);
});

test("P07: a client that sends too slowly is cut off", async (t) => {
  const { limits } = readConfig({});
  const { url } = await serve(t, { limits: { ...limits, requestTimeoutMs: 1_000, headersTimeoutMs: 500 } });
  const slow = ["POST /v1/echo HT", `${POST_HEAD}{`];
  for (const answer of await Promise.all(slow.map((bytes) => raw(url, bytes)))) {
    assert.match(answer, /^HTTP\/1\.1 200 OK[\s\S]*Atumpan-Outcome: invalid-request/);
  }
});

test("P07: hundreds of clients that send byte by byte are cut off, and others are served meanwhile", async (t) => {
  const { limits } = readConfig({});
  const { url, post } = await serve(t, {
    limits: { ...limits, requestTimeoutMs: 1_000, headersTimeoutMs: 500 },
  });
  const slow = ["POST /v1/echo HTTP/1.1\r\nX: ", `${POST_HEAD}{`];
  let open = 400;
  const dripping = Array.from({ length: open }, (_, i) => drip(url, slow[i % 2]!).then(() => open--));
  let served = 0;
  for (; open > 0; served++) assert.equal((await post("/v1/echo", { phone: "1" })).success, true);
  await Promise.all(dripping);
  assert.ok(served > 0);
});

/** Sends a beginning, then a space every 100 ms until the other side closes. The reset loses the answer. */
function drip(url: string, beginning: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(beginning));
    const dripping = setInterval(() => socket.write(" "), 100);
    socket.on("error", () => {});
    socket.resume().on("close", () => {
      clearInterval(dripping);
      resolve();
    });
  });
}

test("healthz, readyz and metrics are what operators expect", async (t) => {
  const { url, post } = await serve(t);
  assert.deepEqual(await (await fetch(`${url}/healthz`)).json(), { status: "ok" });
  assert.equal((await fetch(`${url}/readyz`)).status, 503, "its database is down");
  assert.equal((await fetch(`${url}/nothing`)).status, 404);

  await post("/v1/thing/a1/update", {});
  for (const authorization of ["", "Bearer", "Bearer wrong", `Basic ${ADMIN_KEY}`, ADMIN_KEY]) {
    assert.equal((await fetch(`${url}/metrics`, { headers: { authorization } })).status, 401);
  }
  const text = await readMetrics(url, ADMIN_KEY);
  assert.match(text, /atumpan_http_requests_total\{path="\/v1\/thing\/\{id\}\/update",outcome="success"\} 1/);
  assert.match(text, /process_resident_memory_bytes/);
});

test("the metrics tell how long an answer took, also if the log says little", async (t) => {
  const limits = { ...readConfig({}).limits, requestTimeoutMs: 1_000 };
  const { url, post } = await serve(t, { limits, logLevel: "info" });
  assert.equal((await post("/v1/slow", {})).error, "service-unavailable");
  const seconds = await metricOf(url, ADMIN_KEY, 'atumpan_http_request_seconds_sum{path="/v1/slow"}');
  assert.ok(seconds! >= 1, `${seconds}`);
});

test("behind a proxy only requests over HTTPS are served", async (t) => {
  const { url } = await serve(t, { refusePlainHttp: true, trustProxy: ["127.0.0.1"] });
  const through = (headers: object) => send(`${url}/v1/echo`, "{}", { ...JSON_TYPE, ...headers });
  assert.equal((await through({ "X-Forwarded-Proto": "https" })).success, true);
  assert.equal((await through({ "X-Forwarded-Proto": "http" })).error, "not-authorized");
  assert.equal((await through({})).error, "not-authorized");
  const unauthenticated = await serve(t, { refusePlainHttp: true, trustProxy: ["10.0.0.1"] });
  const forged = await send(`${unauthenticated.url}/v1/echo`, "{}", {
    ...JSON_TYPE,
    "X-Forwarded-Proto": "https",
  });
  assert.equal(forged.error, "not-authorized");
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
});

test("what a trusted proxy calls plain HTTP is refused at a listener on loopback and behind a certificate too", async (t) => {
  const tls = certificateFiles(t);
  writeCertificate(tls, "listener");
  const served = [
    await serve(t, { trustProxy: ["127.0.0.1"] }),
    await serve(t, { trustProxy: ["127.0.0.1"], tls }),
  ];
  for (const { url } of served) {
    const ask = (more: string) =>
      raw(
        url,
        `POST /v1/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n${more}Content-Length: 2\r\n\r\n{}`,
      );
    for (const said of ["http", "HTTP", "https, http", "", "x"])
      assert.match(await ask(`X-Forwarded-Proto: ${said}\r\n`), /"not-authorized"/, said);
    for (const said of ["https", " HTTPS ", "http, https"])
      assert.match(await ask(`X-Forwarded-Proto: ${said}\r\n`), /"success":true/, said);
    assert.match(await ask(""), /"success":true/, "a program on this machine");
  }
  const untrusted = await serve(t, { trustProxy: ["10.0.0.1"] });
  const answer = await send(`${untrusted.url}/v1/echo`, "{}", { ...JSON_TYPE, "X-Forwarded-Proto": "http" });
  assert.equal(answer.success, true, "whom nobody trusts says nothing");
});

test("a path under /v1 is refused over plain HTTP and answered with HTTP 200, however it is written", async (t) => {
  const open = await serve(t);
  const closed = await serve(t, { refusePlainHttp: true, trustProxy: ["127.0.0.1"] });
  const ask = ({ url }: { url: string }, target: string) =>
    raw(
      url,
      `POST ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    );
  for (const target of ["/v1/echo", "http://any.host/v1/echo", "/%761/echo", "HTTPS://x/%76%31/echo?a"]) {
    assert.match(await ask(open, target), /^HTTP\/1\.1 200 OK[\s\S]*"success":true/, target);
    assert.match(await ask(closed, target), /"not-authorized"/, target);
  }
  for (const target of ["/v1/nope", "http://any.host/v1/nope", "/%76%31/nope", "/v1", "/v1?x", "/v1/%zz"]) {
    assert.match(await ask(open, target), /^HTTP\/1\.1 200 OK[\s\S]*"not-found"/, target);
  }
  for (const target of ["/nope", "http://v1/nope", "/v2/v1/", "/v10", "*", "/%zz"]) {
    assert.match(await ask(open, target), /^HTTP\/1\.1 404 Not Found/, target);
  }
});

test("with a certificate it speaks HTTPS, and takes a new one while it runs", async (t) => {
  const tls = certificateFiles(t);
  writeCertificate(tls, "first");
  const { url, reloadCertificate } = await serve(t, { tls });
  assert.match(url, /^https:/);
  assert.equal(await nameOf(url), "first");
  writeCertificate(tls, "second");
  reloadCertificate();
  assert.equal(await nameOf(url), "second");
});

/** Opens a connection that sends nothing. `closed` resolves when it is closed. */
async function connectSilently(url: string): Promise<{ closed: Promise<unknown> }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on("error", () => {});
  const closed = once(socket.resume(), "close");
  await once(socket, "connect");
  return { closed };
}

/** Sends a body without end until the listener closes the connection, and returns its answer. */
function flood(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const chunk = Buffer.concat([Buffer.from("100000\r\n"), Buffer.alloc(0x100000, " "), Buffer.from("\r\n")]);
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(port), hostname);
    const pour = () => {
      while (socket.writable && socket.write(chunk));
    };
    socket.write(`POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`);
    socket.write("Transfer-Encoding: chunked\r\n\r\n", pour);
    socket.on("drain", pour);
    socket.on("data", (bytes) => {
      answer += bytes;
    });
    socket.on("error", () => {}); // it hangs up on us
    socket.on("close", () => resolve(answer));
  });
}

/** The name in the certificate that the listener shows. */
function nameOf(url: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      `${url}/healthz`,
      { rejectUnauthorized: false, agent: false },
      (response) => {
        const { socket } = response as unknown as {
          socket: { getPeerCertificate(): { subject: { CN: string } } };
        };
        resolve(socket.getPeerCertificate().subject.CN);
        response.resume();
      },
    );
    request.on("error", reject).end();
  });
}

test("P07: a client that connects to HTTPS and never speaks TLS is cut off, and delays no stop", {
  timeout,
}, async (t) => {
  const tls = certificateFiles(t);
  writeCertificate(tls, "here");
  const { url, stop } = await serve(t, { tls, limits: { ...readConfig({}).limits, headersTimeoutMs: 500 } });
  await (await connectSilently(url)).closed;
  const patient = await serve(t, { tls, limits: { ...readConfig({}).limits, headersTimeoutMs: PATIENT_MS } });
  const silent = await connectSilently(patient.url);
  await Promise.all([patient.stop(), silent.closed, stop()]);
});

test("a stop lets requests in flight finish, and takes no new ones", async (t) => {
  const { url, stop, post } = await serve(t);
  await post("/v1/echo", {});
  const inFlight = Array.from({ length: 20 }, () => post("/v1/echo", { phone: "1" }));
  await inFlight[0];
  const stopping = stop();
  const answers = await Promise.allSettled(inFlight);
  await stopping;
  for (const answer of answers) if (answer.status === "fulfilled") assert.equal(answer.value.success, true);
  await assert.rejects(fetch(`${url}/healthz`));
});

test("a stop does not wait for a connection without a request under way", { timeout }, async (t) => {
  const limits = { ...readConfig({}).limits, requestTimeoutMs: 500, headersTimeoutMs: PATIENT_MS };
  const { url, stop } = await serve(t, { limits });
  const { hostname, port } = new URL(url);
  const silent = connect(Number(port), hostname);
  await once(silent, "connect");
  await fetch(`${url}/healthz`);
  // This is answered while the listener stops, and its client keeps the connection alive.
  const slow = send(`${url}/v1/slow`, "{}");
  await until(async () => (await fetch(`${url}/healthz`)).ok);
  await stop();
  assert.equal((await slow).error, "service-unavailable");
});

// The listener: whatever reaches /v1 is answered with HTTP 200, the envelope and the outcome, and nothing else.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { Type } from "typebox";
import { type Answered, readAnswer } from "../../test/world.ts";
import { type Config, readConfig } from "./config.ts";
import { Database, query } from "./database.ts";
import { paged } from "./envelope.ts";
import { type Listener, openListener } from "./http.ts";
import { openLog } from "./log.ts";
import { openMetrics } from "./metrics.ts";
import { Refusal, refuse } from "./refusals.ts";
import { anybody, post, route } from "./routes.ts";
import type { Runtime } from "./runtime.ts";
import { PageBody } from "./schemas.ts";
import { Secrets } from "./secrets.ts";

const ADMIN_KEY = "adm_0123456789abcdef";
const NOBODY_LISTENS = "postgres://nobody@127.0.0.1:1/nothing";
const ping = query("test.ping", "SELECT 1");

const echo = route({
  summary: "Answers what it understood",
  body: Type.Object({
    phone: Type.Optional(Type.String({ maxLength: 64 })),
    count: Type.Optional(Type.Integer()),
    items: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
  }),
  caller: anybody,
  run: async (_app, _caller, body) => body,
});
const doors = [
  post("/v1/echo", echo),
  post("/v1/thing/{id}/update", echo),
  post(
    "/v1/list",
    route({
      summary: "Answers a page",
      body: PageBody,
      caller: anybody,
      run: async (_app, _caller, page) => paged([1, 2], 12, page),
    }),
  ),
  post("/v1/crash", route({ summary: "Crashes", body: Type.Object({}), caller: anybody, run: crash })),
  post(
    "/v1/kept",
    route({
      summary: "Returns a refusal",
      body: Type.Object({}),
      caller: anybody,
      run: async () => new Refusal("wrong-otp"),
    }),
  ),
  post(
    "/v1/limited",
    route({
      summary: "Refuses for a while",
      body: Type.Object({}),
      caller: anybody,
      run: async () => refuse("too-many-requests", { retryAfterSeconds: 7 }),
    }),
  ),
  post(
    "/v1/database",
    route({
      summary: "Asks the database",
      body: Type.Object({}),
      caller: anybody,
      run: (app) => app.database.run(ping),
    }),
  ),
  post(
    "/v1/slow",
    route({
      summary: "Never answers",
      body: Type.Object({}),
      caller: anybody,
      run: () => new Promise(() => {}),
    }),
  ),
];

async function crash(): Promise<never> {
  throw new Error("secret of the house: psk_0123456789abcdef");
}

type Served = Listener & { lines: string[]; post: (path: string, body: unknown) => Promise<Answered> };

/** A listener without a database, whose log is kept. */
async function serve(t: TestContext, changes: Partial<Config> = {}, isReady = true): Promise<Served> {
  const config = { ...readConfig({ PORT: "0" }), ...changes };
  const lines: string[] = [];
  const database = new Database({
    url: NOBODY_LISTENS,
    max: 1,
    statementTimeoutMs: 1_000,
    onConnectionLost: () => {},
  });
  const app: Runtime = {
    config,
    database,
    log: openLog("debug", { write: (line) => lines.push(line) }),
    metrics: openMetrics(),
    secrets: new Secrets({ masterKey: "m".repeat(32), adminKey: ADMIN_KEY }),
    publicUrl: "",
  };
  const listener = await openListener(app, { doors, isReady: async () => isReady });
  t.after(async () => {
    await listener.stop();
    await database.close();
  });
  return {
    ...listener,
    lines,
    post: (path, body) => send(listener.url + path, JSON.stringify(body)),
  };
}

const JSON_TYPE = { "Content-Type": "application/json" };

async function send(url: string, body: string | Uint8Array, headers: object = JSON_TYPE): Promise<Answered> {
  return readAnswer(await fetch(url, { method: "POST", headers: { ...headers }, body: body as string }));
}

/** Writes bytes to a socket and reads until it closes. */
function raw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on("data", (chunk) => (answer += chunk));
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

test("P10: whatever reaches /v1 is answered in the envelope", async (t) => {
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
  for (const body of ["", "{", "nonsense", "{'a':1}", "[1,]", '{"a":01}', "\uFEFF{}"]) {
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

test("P10: what is not even HTTP is answered in the envelope too", async (t) => {
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
  // Node answers 400 without a Host and 417 to an unknown Expect by itself; we do not let it.
  for (const header of ["X: y", "Host: x\r\nExpect: nonsense"]) {
    const bytes = `POST /v1/echo HTTP/1.1\r\n${header}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
    assert.match(await raw(url, bytes), /^HTTP\/1\.1 200 OK[^]*"success":true/);
  }
});

test("P02: a body of 5 MiB is read, one of a byte more is refused, and its sender gets the answer", async (t) => {
  const { url } = await serve(t);
  const filled = (bytes: number) => `{"other":"${"x".repeat(bytes - 12)}"}`;
  const most = 5 * 1024 * 1024;
  assert.equal((await send(`${url}/v1/echo`, filled(most))).success, true);
  assert.equal((await send(`${url}/v1/echo`, filled(most + 1))).error, "request-too-large");
  const endless = new ReadableStream({
    pull: (stream) => stream.enqueue(new Uint8Array(1024 * 1024)),
  });
  const options = { method: "POST", headers: JSON_TYPE, body: endless, duplex: "half" };
  const response = await fetch(`${url}/v1/echo`, options as RequestInit).catch(() => undefined);
  if (response) assert.equal((await readAnswer(response)).error, "request-too-large");
});

test("P03: control characters and lone surrogates are refused in every text", async (t) => {
  const { url, post } = await serve(t);
  for (const code of [0, 1, 7, 8, 0x0b, 0x0c, 0x0e, 0x1f, 0xd800, 0xdbff, 0xdc00, 0xdfff]) {
    const bad = `a${String.fromCharCode(code)}b`;
    const bodies = [{ phone: bad }, { items: [{ name: bad }] }, { unknown: { deep: [bad] } }, { [bad]: 1 }];
    for (const body of bodies) assert.equal((await post("/v1/echo", body)).error, "invalid-request");
  }
  const named = await post("/v1/echo", { items: [{ name: "ok" }, { name: "\0" }] });
  assert.deepEqual(named.details, [{ field: "items[1].name", message: "has a forbidden character" }]);
  assert.equal((await send(`${url}/v1/thing/a%00b/update`, "{}")).error, "invalid-request");
  const fine = 'tab\t line\n return\r é 😀 \u007f "quoted" \\u0000';
  assert.equal((await post("/v1/echo", { phone: fine })).data.phone, fine);
});

test("P04: keys of the prototype change nothing", async (t) => {
  const { url } = await serve(t);
  const bodies = [
    '{"__proto__":{"phone":"x","isAdmin":true},"phone":"1"}',
    '{"constructor":{"prototype":{"isAdmin":true}},"phone":"1"}',
    '{"toString":1,"hasOwnProperty":2,"phone":"1","items":[{"__proto__":{"name":"x"},"name":"y"}]}',
  ];
  for (const body of bodies) assert.equal((await send(`${url}/v1/echo`, body)).data.phone, "1");
  assert.equal(
    (await send(`${url}/v1/echo`, '{"items":[{"__proto__":{"name":"x"}}]}')).error,
    "invalid-request",
  );
  assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
});

test("P05: what is too deep, too dense or too large a number is refused at once", async (t) => {
  const { url } = await serve(t);
  const deep = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  const keys = Array.from({ length: 500_000 }, (_, i) => `"${i.toString(36)}":1`).join();
  const hostile = [
    deep(16),
    deep(100_000),
    deep(2_000_000),
    `{${keys}}`,
    `{"a":[${"[],".repeat(1_000_000)}[]]}`,
    '{"count":1e400}',
    '{"other":{"a":[-1e999]}}',
    `{"count":${"9".repeat(1_000_000)}}`,
  ];
  for (const body of hostile) {
    const startMs = performance.now();
    assert.equal((await send(`${url}/v1/echo`, body)).error, "invalid-request");
    assert.ok(performance.now() - startMs < 1_000);
  }
  assert.equal((await send(`${url}/v1/echo`, deep(15))).success, true);
});

test("types are strict, null means absent, unknown members are ignored", async (t) => {
  const { post } = await serve(t);
  assert.deepEqual((await post("/v1/echo", { phone: null, other: 5, items: null })).data, { other: 5 });
  for (const body of [
    { count: "5" },
    { count: 1.5 },
    { count: true },
    { phone: 5 },
    { phone: ["5"] },
    { items: {} },
  ]) {
    assert.equal((await post("/v1/echo", body)).error, "invalid-request", JSON.stringify(body));
  }
  const { details } = await post("/v1/echo", {
    phone: 5,
    count: "5",
    items: [{}, { name: null }, { name: 5 }],
  });
  assert.deepEqual(
    details!.map((detail) => detail.field),
    ["phone", "count", "items[0].name", "items[1].name", "items[2].name"],
  );
});

test("a path's parameter wins, and a body that says otherwise is refused", async (t) => {
  const { post } = await serve(t);
  assert.equal((await post("/v1/thing/a1/update", {})).data.id, "a1");
  assert.equal((await post("/v1/thing/a1/update", { id: "a1" })).data.id, "a1");
  for (const id of ["a2", 5, ["a1"], { a: 1 }]) {
    const refused = await post("/v1/thing/a1/update", { id });
    assert.deepEqual(refused.details, [{ field: "id", message: "differs from the path" }]);
  }
});

test("P09: pages have defaults and bounds", async (t) => {
  const { post } = await serve(t);
  const { data, totalCount, count, page, totalPage } = await post("/v1/list", {});
  assert.deepEqual(
    { data, totalCount, count, page, totalPage },
    { data: [1, 2], totalCount: 12, count: 2, page: 1, totalPage: 2 },
  );
  assert.equal((await post("/v1/list", { limit: 100 })).totalPage, 1);
  for (const body of [
    { page: 0 },
    { page: -1 },
    { page: 1.5 },
    { page: 1e9 },
    { page: "2" },
    { limit: 0 },
    { limit: 101 },
    { sort: "up" },
  ]) {
    assert.equal((await post("/v1/list", body)).error, "invalid-request", JSON.stringify(body));
  }
});

test("P01: arbitrary JSON is never a server error", async (t) => {
  const { url } = await serve(t);
  const anything = fc.oneof(
    fc.json(),
    fc.string(),
    fc.object({ maxDepth: 4 }).map((value) => JSON.stringify(value)),
  );
  await fc.assert(
    fc.asyncProperty(
      anything,
      fc.constantFrom("/v1/echo", "/v1/list", "/v1/thing/x/update"),
      async (body, path) => {
        assert.notEqual((await send(url + path, body)).error, "server-error");
      },
    ),
    { numRuns: 500 },
  );
});

test("a crash tells the caller an id and the log the rest, without secrets", async (t) => {
  const { url, lines } = await serve(t);
  const response = await fetch(`${url}/v1/crash`, { method: "POST", headers: JSON_TYPE, body: "{}" });
  const errorId = response.headers.get("atumpan-error-id");
  assert.equal(await response.text(), '{"success":false,"data":null,"error":"server-error"}');
  const line = lines.find((line) => line.includes("a handler crashed"));
  assert.ok(line?.includes(`"errorId":"${errorId}"`));
  assert.match(line, /secret of the house: psk_\*\*\*/);
});

test("a database that is down, and a handler that hangs, answer service-unavailable in time", async (t) => {
  const { limits } = readConfig({});
  const { post } = await serve(t, { limits: { ...limits, requestTimeoutMs: 1_500, headersTimeoutMs: 500 } });
  const startMs = performance.now();
  assert.equal((await post("/v1/database", {})).error, "service-unavailable");
  assert.ok(performance.now() - startMs < 5_000);
  assert.equal((await post("/v1/slow", {})).error, "service-unavailable");
});

test("P07: who sends too slowly is cut off", async (t) => {
  const { limits } = readConfig({});
  const { url } = await serve(t, { limits: { ...limits, requestTimeoutMs: 1_000, headersTimeoutMs: 500 } });
  const slow = [
    "POST /v1/echo HT",
    "POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nContent-Type: application/json\r\n\r\n{",
  ];
  for (const answer of await Promise.all(slow.map((bytes) => raw(url, bytes)))) {
    assert.match(answer, /^HTTP\/1\.1 200 OK[^]*Atumpan-Outcome: invalid-request/);
  }
});

test("healthz, readyz and metrics are what operators expect", async (t) => {
  const { url, post } = await serve(t);
  const unready = await serve(t, {}, false);
  assert.deepEqual(await (await fetch(`${url}/healthz`)).json(), { status: "ok" });
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  assert.equal((await fetch(`${unready.url}/healthz`)).status, 200);
  assert.equal((await fetch(`${unready.url}/readyz`)).status, 503);
  assert.equal((await fetch(`${url}/nothing`)).status, 404);

  await post("/v1/thing/a1/update", {});
  for (const authorization of ["", "Bearer", "Bearer wrong", `Basic ${ADMIN_KEY}`, ADMIN_KEY]) {
    assert.equal((await fetch(`${url}/metrics`, { headers: { authorization } })).status, 401);
  }
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
  const text = await metrics.text();
  assert.match(text, /atumpan_http_requests_total\{path="\/v1\/thing\/\{id\}\/update",outcome="success"\} 1/);
  assert.match(text, /process_resident_memory_bytes/);
});

test("behind a proxy only what came over HTTPS is served", async (t) => {
  const { url } = await serve(t, { refusePlainHttp: true, trustProxy: ["127.0.0.1"] });
  const through = (headers: object) => send(`${url}/v1/echo`, "{}", { ...JSON_TYPE, ...headers });
  assert.equal((await through({ "X-Forwarded-Proto": "https" })).success, true);
  assert.equal((await through({ "X-Forwarded-Proto": "http" })).error, "not-authorized");
  assert.equal((await through({})).error, "not-authorized");
  const stranger = await serve(t, { refusePlainHttp: true, trustProxy: ["10.0.0.1"] });
  const forged = await send(`${stranger.url}/v1/echo`, "{}", { ...JSON_TYPE, "X-Forwarded-Proto": "https" });
  assert.equal(forged.error, "not-authorized");
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
});

test("with a certificate it speaks HTTPS, and takes a new one while it runs", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "atumpan-tls-"));
  const tls = { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") };
  const makeCertificate = (name: string) => {
    const key = [
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-keyout",
      tls.keyFile,
    ];
    execFileSync("openssl", ["req", "-x509", ...key, "-out", tls.certFile, "-subj", `/CN=${name}`], {
      stdio: "ignore",
    });
  };
  try {
    makeCertificate("first");
  } catch {
    return t.skip("there is no openssl here");
  }
  const { url, reloadCertificate } = await serve(t, { tls });
  assert.match(url, /^https:/);
  assert.equal(await nameOf(url), "first");
  makeCertificate("second");
  reloadCertificate();
  assert.equal(await nameOf(url), "second");
});

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

test("a stop lets what is in flight finish, and takes nothing new", async (t) => {
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

// An attack on /metrics: keys are guessed there without end, and a right one is taken where anybody can read it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BadConfiguration, readConfig } from "../../src/platform/config.ts";
import { ADMIN_KEY, serve } from "../listener.ts";
import { stacked } from "../sending.ts";
import { testService } from "../testservice.ts";

const TOKEN = "only-for-reading-metrics";
const FEW = 3;
const limits = { ...readConfig({}).limits, authFailuresPerMinute: FEW };
const [ONE, OTHER] = ["203.0.113.7", "198.51.100.7"];

/** The answer at /metrics to this key, asked for through a proxy by somebody with this address. */
async function ask(url: string, key: string, headers: Record<string, string>) {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}`, ...headers } });
  const isRead = (await answer.text()).includes("process_resident_memory_bytes");
  return { status: answer.status, isRead, wait: answer.headers.get("retry-after") };
}

const from = (ip: string) => ({ "X-Forwarded-For": ip });

test("H01 wrong keys at /metrics are limited for each network, and a right one is heard from anywhere", async (t) => {
  const { url } = await serve(t, { limits, trustProxy: ["127.0.0.1"] });
  const statuses: number[] = [];
  for (let i = 0; i < 2 * FEW; i++) statuses.push((await ask(url, `adm_guess${i}`, from(ONE))).status);
  assert.deepEqual(statuses, [401, 401, 401, 429, 429, 429]);
  assert.match((await ask(url, "adm_guess", from(ONE))).wait ?? "", /^[1-9]\d*$/);
  assert.equal((await ask(url, "adm_guess", from(OTHER))).status, 401);
  assert.equal((await ask(url, ADMIN_KEY, from(ONE))).status, 200);
});

test("H01 wrong keys at /metrics and under /v1 count together", async (t) => {
  const here = await testService(t, { limits, config: { trustProxy: ["127.0.0.1"] } });
  for (let i = 0; i < FEW; i++) assert.equal((await ask(here.url, "adm_guess", from(ONE))).status, 401);
  const calls = [
    ["/v1/admin/company/list", { adminKey: "adm_guess" }],
    ["/v1/credit/balance", { apiKey: "guess", companyId: "guess" }],
    ["/v1/auth/otp/get", { apiKey: "guess" }],
    ["/v1/third-party-app/balance", { connectionToken: "ct_guess" }],
    ["/v1/third-party-app/pairing/status", { apiSecret: "tps_guess" }],
    ["/v1/partner/customer/list", { serverApiKey: "psk_guess" }],
    ["/v1/payment/webhook/standard", {}],
  ] as const;
  for (const [path, body] of calls) {
    assert.equal((await here.call(path, body, from(ONE))).error, "too-many-requests", path);
    assert.equal((await here.call(path, body, from(`198.51.100.${path.length}`))).error, "not-authenticated");
  }
});

test("H02 /metrics has a token of its own, which opens nothing else; the administrator's key need not be given away", async (t) => {
  const here = await testService(t, { config: { metricsToken: TOKEN } });
  for (const key of [TOKEN, here.adminKey])
    assert.deepEqual(await ask(here.url, key, {}), { status: 200, isRead: true, wait: null });
  for (const key of ["", "undefined", TOKEN.slice(1), `${TOKEN}x`, TOKEN.toUpperCase()])
    assert.equal((await ask(here.url, key, {})).status, 401, key);
  const asAdmin = await here.call("/v1/admin/company/list", { adminKey: TOKEN });
  assert.equal(asAdmin.error, "not-authenticated");
});

test("H02 without METRICS_TOKEN no word opens /metrics but the administrator's key", async (t) => {
  const { url } = await serve(t);
  for (const key of ["", "undefined", "null"]) assert.equal((await ask(url, key, {})).status, 401, key);
});

test("H02 a METRICS_TOKEN that can be guessed, or is the administrator's key, is refused at the start", () => {
  const keys = { MASTER_KEY: "m".repeat(32), ADMIN_KEY };
  for (const token of [
    "short",
    "x".repeat(19),
    "two words are no bearer token",
    "x".repeat(201),
    ADMIN_KEY,
  ]) {
    assert.throws(
      () => readConfig({ ...keys, METRICS_TOKEN: token }),
      (error: Error) =>
        error instanceof BadConfiguration &&
        error.message.startsWith("METRICS_TOKEN") &&
        !error.message.includes(token),
    );
  }
  assert.equal(readConfig({ ...keys, METRICS_TOKEN: TOKEN }).metricsToken, TOKEN);
  assert.equal(readConfig({}).metricsToken, undefined);
});

test("H02 where HTTPS is required, no key is taken over plain HTTP, right or wrong", async (t) => {
  const closed = { refusePlainHttp: true, trustProxy: ["127.0.0.1"], metricsToken: TOKEN };
  const { url } = await serve(t, closed);
  const refused = { status: 403, isRead: false, wait: null };
  for (const key of [ADMIN_KEY, TOKEN, "adm_guess"]) {
    assert.deepEqual(await ask(url, key, {}), refused);
    assert.deepEqual(await ask(url, key, { "X-Forwarded-Proto": "http" }), refused);
  }
  for (const key of [ADMIN_KEY, TOKEN])
    assert.equal((await ask(url, key, { "X-Forwarded-Proto": "https" })).status, 200);
  assert.equal((await ask(url, "adm_guess", { "X-Forwarded-Proto": "https" })).status, 401);
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
});

test("H02 the listener for probes is for machines: no customer's request, no metrics without the token, and over plain HTTP from elsewhere no administrator's key", async (t) => {
  const closed = { refusePlainHttp: true, trustProxy: ["127.0.0.1"], metricsToken: TOKEN };
  for (const host of ["127.0.0.1", "0.0.0.0"]) {
    const here = await testService(stacked(t), {
      config: { ...closed, roles: new Set(["api"]), simulator: false, probes: { host, port: 0 } },
    });
    const { port } = new URL(here.probesUrl!);
    const url = `http://127.0.0.1:${port}`;
    const isOpen = host === "0.0.0.0";
    assert.equal((await ask(url, TOKEN, {})).status, 200);
    assert.equal((await ask(url, here.adminKey, {})).status, isOpen ? 401 : 200);
    assert.equal((await ask(url, "adm_guess", {})).status, 401);
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    assert.equal((await fetch(`${url}/readyz?role=api`)).status, 200);
    for (const path of ["/v1/contact/list", "/", "/docs", "/console"])
      assert.equal((await fetch(url + path, { method: "POST" })).status, 404, path);
    assert.equal((await ask(here.url, TOKEN, {})).status, 403, "the other listener is as it was");
  }
});

test("H02 a listener for probes that other machines reach needs a token, and its port is a port", () => {
  const refused = (environment: Record<string, string>, about: RegExp) =>
    assert.throws(
      () => readConfig(environment),
      (error: Error) => error instanceof BadConfiguration && about.test(error.message),
    );
  refused({ PROBE_PORT: "9080", PROBE_HOST: "0.0.0.0" }, /^PROBE_HOST=0\.0\.0\.0 needs METRICS_TOKEN/);
  refused({ PROBE_PORT: "x" }, /^PROBE_PORT=x is not a number/);
  const open = { PROBE_PORT: "9080", PROBE_HOST: "0.0.0.0", METRICS_TOKEN: TOKEN };
  assert.deepEqual(readConfig(open).probes, { host: "0.0.0.0", port: 9080 });
  assert.deepEqual(readConfig({ PROBE_PORT: "9080" }).probes, { host: "127.0.0.1", port: 9080 });
  assert.equal(readConfig({}).probes, undefined);
});

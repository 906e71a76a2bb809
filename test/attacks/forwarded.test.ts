// An attack on limits per network: an unauthenticated caller behind a proxy wants to be somebody new in each request, or
// our own machine.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { readConfig } from "../../src/platform/config.ts";
import { JSON_TYPE, type Served, send, serve } from "../listener.ts";
import { type TestService, testService } from "../testservice.ts";

const KIB = 1024;
const FEW = 3;
const limits = { authFailuresPerMinute: FEW };
const from = (entries: string) => ({ "X-Forwarded-For": entries });

/** Guesses a key once with each of these headers. Returns what was answered. */
async function guess(here: TestService, all: readonly Record<string, string>[]): Promise<(string | null)[]> {
  const answers = [];
  for (const headers of all)
    answers.push((await here.call("/v1/credit/balance", { apiKey: "guess", companyId: "x" }, headers)).error);
  return answers;
}

/** What somebody hears who is one network: the limit counts, whatever it calls itself. */
function oneNetwork(requests: number): string[] {
  return Array.from({ length: requests }, (_, i) => (i < FEW ? "not-authenticated" : "too-many-requests"));
}

test("H03 an address is the same whatever port, brackets or zone stand beside it", async (t) => {
  const here = await testService(t, { limits, config: { trustProxy: ["127.0.0.1"] } });
  for (const written of [
    ["203.0.113.7", "203.0.113.7:5678", "203.0.113.7:5679", " 203.0.113.7:5680 ", "::ffff:203.0.113.7"],
    ["[2001:db8::1]:443", "[2001:db8::1]:444", "2001:db8::1", "[2001:db8::1]", "2001:db8::1%a-1"],
    ["fe80::1%a-1", "fe80::1%a-2", "fe80::1%a-3", "[fe80::1%a-4]:5", "fe80::2%a-5"],
  ])
    assert.deepEqual(await guess(here, written.map(from)), oneNetwork(written.length), written[0]);
  assert.deepEqual(await guess(here, ["203.0.113.8:5678", "[2001:db8:0:1::1]:443"].map(from)), [
    "not-authenticated",
    "not-authenticated",
  ]);
});

test("H03 all entries that are no address are one network, and never our own machine", async (t) => {
  const here = await testService(t, { limits, config: { trustProxy: ["127.0.0.1"] } });
  const rubbish = ["unknown", "_a1", "_a2", "x", "localhost", "127.1", "0x7f.1", "2130706433", "1.2.3.4.5"];
  const more = ["999.1.1.1:1", "[::1", "[]:1", ":1", "203.0.113.9,", ",", '"203.0.113.9"', "for=203.0.113.9"];
  const written = [...rubbish, ...more];
  assert.deepEqual(await guess(here, written.map(from)), oneNetwork(written.length));
});

test("H03 what a stranger writes before its own address does not count, behind proxies with ports too", async (t) => {
  const here = await testService(t, { limits, config: { trustProxy: ["127.0.0.1", "10.0.0.0/8"] } });
  const chains = [1, 2, 3, 4, 5].map((i) => `198.51.100.${i}, 203.0.113.7:${i}, 10.0.0.5:44${i}, 10.0.0.6`);
  assert.deepEqual(await guess(here, chains.map(from)), oneNetwork(chains.length));
  assert.deepEqual(await guess(here, [from("203.0.113.8:1, 10.0.0.5:443")]), ["not-authenticated"]);
});

test("H03 a proxy that says that it speaks for our own machine has limits", async (t) => {
  const here = await testService(t, { limits, config: { trustProxy: ["127.0.0.1"] } });
  const claims = ["127.0.0.1", "127.0.0.1:80", "127.0.0.1, 127.0.0.1", "::ffff:127.0.0.1", "127.0.0.1"];
  assert.deepEqual(await guess(here, claims.map(from)), oneNetwork(claims.length));
  assert.equal((await here.company()).apiKey.length > 0, true, "who comes without a proxy is heard");
});

test("H03 behind a proxy on this machine that TRUST_PROXY does not name, all together have the limit of one", async (t) => {
  const here = await testService(t, { limits });
  const company = await here.company();
  const asked = [
    from("203.0.113.7"),
    from("203.0.113.8"),
    { Via: "1.1 proxy" },
    { Forwarded: "for=203.0.113.9" },
    { "X-Real-IP": "203.0.113.10" },
    { "X-Forwarded-Proto": "https" },
  ];
  assert.deepEqual(await guess(here, asked), oneNetwork(asked.length));
  const right = await company.call("/v1/credit/balance", {}, from("203.0.113.7"));
  assert.equal(right.success, true, "a right key is heard");
  const own = Array.from({ length: 2 * FEW }, () => ({}));
  assert.deepEqual(
    await guess(here, own),
    own.map(() => "not-authenticated"),
    "a program on this machine has no such limit",
  );
});

test("H03 the log says once that TRUST_PROXY does not name a proxy", async (t) => {
  const said = ({ lines }: Served) => lines.filter((line) => line.includes("TRUST_PROXY")).length;
  const ask = ({ url }: Served, headers: object) =>
    send(`${url}/v1/echo`, "{}", { ...JSON_TYPE, ...headers });
  const unnamed = await serve(t);
  await ask(unnamed, {});
  assert.equal(said(unnamed), 0);
  for (let i = 0; i < 3; i++) await ask(unnamed, from(`203.0.113.${i}`));
  assert.equal(said(unnamed), 1);
  const named = await serve(t, { trustProxy: ["127.0.0.1"] });
  await ask(named, from("203.0.113.7"));
  assert.equal(said(named), 0);
});

/** A listener that refuses a network's bodies unread after 64 KiB in refused ones. */
function strict(t: TestContext, trustProxy?: string[]): Promise<Served> {
  const refused = { refusedBytesPerSecond: KIB, refusedBytesAtOnce: 64 * KIB };
  return serve(t, { trustProxy, limits: { ...readConfig({}).limits, ...refused } });
}

/** Posts bodies of 60 KiB that are refused, twice as much as a network may. Returns the answer to the last. */
async function postInVain({ url }: Served, ip: string): Promise<string | null> {
  const broken = `{"phone":"${"x".repeat(60 * KIB)}`;
  await send(`${url}/v1/echo`, broken, { ...JSON_TYPE, ...from(ip) });
  await send(`${url}/v1/echo`, broken, { ...JSON_TYPE, ...from(ip) });
  return (await send(`${url}/v1/echo`, broken, { ...JSON_TYPE, ...from(ip) })).error;
}

/** Posts a good body of 60 KiB; true if it was read. */
async function isRead({ url }: Served, ip: string): Promise<boolean> {
  const large = JSON.stringify({ other: "x".repeat(60 * KIB) });
  return (await send(`${url}/v1/echo`, large, { ...JSON_TYPE, ...from(ip) })).success;
}

test("H03 one stranger's refused bodies do not close the door for others whose entries have ports too", async (t) => {
  const here = await strict(t, ["127.0.0.1"]);
  assert.equal(await postInVain(here, "203.0.113.7:1"), "too-many-requests");
  assert.equal(await isRead(here, "203.0.113.7:2"), false);
  assert.equal(await isRead(here, "198.51.100.7:1"), true);
});

test("H03 nor do they behind a proxy that TRUST_PROXY does not name", async (t) => {
  const here = await strict(t);
  assert.equal(await postInVain(here, "203.0.113.7"), "invalid-json");
  assert.equal(await isRead(here, "198.51.100.7"), true);
});

// The database falls silent or is away for long. The service says so, recovers by itself and loses nothing.
import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { cutDatabase } from "../../../test/database.ts";
import { startProxy } from "../../../test/proxy.ts";
import {
  addOperator,
  assertBalanced,
  phones,
  rows,
  send,
  settled,
  stacked,
  startBeside,
} from "../../../test/sending.ts";
import { type Company, caller, testService, until } from "../../../test/testservice.ts";
import type { Role } from "../../platform/config.ts";
import { settings } from "../../platform/limits/limits.ts";
import { openLog } from "../../platform/log.ts";
import type { Running } from "../../start.ts";
import { startSimulator } from "../simulator/simulator.ts";

const WINDOW = 10;
// A statement that waits for a lock of a silent connection ends by the service's own limit.
const SETTINGS = { quarantineMs: 1_000, statementTimeoutMs: settings.statementTimeoutMs };
const SILENT = { log: openLog("silent") };
// This is far more than is promised, because the machine may be busy.
const LIMIT_MS = 60_000;

async function readyz(url: string): Promise<number> {
  return (await fetch(`${url}/readyz`)).status;
}

/** Sends to `to` again and again until it is accepted. */
async function sendAtLast(company: Company, to: readonly string[]): Promise<string> {
  const answer = await until(async () => {
    const tried = await company.call("/v1/campaign/create", { contacts: to, text: "Bonjour" });
    assert.ok(tried.success || tried.error === "service-unavailable", JSON.stringify(tried));
    return tried.success && tried;
  }, LIMIT_MS);
  return answer.data.id;
}

/**
 * Silences every connection in the middle of a campaign, and proves what M17 promises. With `alsoNew` the database stays
 * silent until every process is seen as not ready. Otherwise a new connection works at once, and a process may be ready
 * again before anybody asks.
 */
async function fallSilentWhileSending(
  t: TestContext,
  { here, simulator, urls, proxies }: Awaited<ReturnType<typeof site>>,
  { alsoNew }: { alsoNew: boolean },
): Promise<void> {
  const company = await here.company({ credits: 10_000 });
  const first = await send(company, phones(300, "22505"));
  await until(() => simulator.stats().accepted >= 50);
  const silentAt = performance.now();
  const seconds = () => `${((performance.now() - silentAt) / 1_000).toFixed(1)} s`;
  for (const proxy of proxies) proxy.fallSilent({ alsoNew });
  if (alsoNew) {
    await Promise.all(urls.map((url) => until(async () => (await readyz(url)) === 503, LIMIT_MS)));
    t.diagnostic(`not ready after ${seconds()}`);
    for (const proxy of proxies) proxy.recover();
  }
  const second = await sendAtLast(company, phones(300, "22507"));
  t.diagnostic(`accepted again after ${seconds()}`);
  // The session stays where no statement of its gateway was under way when the silence began.
  const before = simulator.stats().accepted;
  await until(() => simulator.stats().accepted > before, LIMIT_MS);
  t.diagnostic(`sent again after ${seconds()}`);
  for (const url of urls) await until(async () => (await readyz(url)) === 200, LIMIT_MS);
  t.diagnostic(`ready again after ${seconds()}`);
  for (const id of [first, second]) {
    const data = await settled(company, id, LIMIT_MS);
    assert.deepEqual([data.status, data.stats.sent + data.stats.delivered], ["SENT", 300]);
  }
  const received = simulator.inbox({ limit: 10_000 }).map(({ to }) => to);
  assert.deepEqual([...new Set(received)].sort(), [...phones(300, "22505"), ...phones(300, "22507")]);
  const sessionsLost = simulator.stats().binds - 1;
  assert.ok(received.length - 600 <= WINDOW * sessionsLost, `${received.length - 600} duplicates`);
  assert.equal((await assertBalanced(here)).held, 0);
}

/** Processes on one database, each behind its own proxy. The first serves the interface. */
async function site(t: TestContext, roles: readonly Role[][]) {
  const scope = stacked(t);
  const simulator = await startSimulator({ latencyMs: 20 });
  scope.after(() => simulator.stop());
  const [first, ...others] = roles;
  const proxies: Awaited<ReturnType<typeof startProxy>>[] = [];
  const through = async (url: string) => {
    const proxy = await startProxy(scope, url);
    proxies.push(proxy);
    return proxy.url;
  };
  const here = await testService(scope, {
    config: { roles: new Set(first), simulator: false },
    settings: SETTINGS,
    through,
    ...SILENT,
  });
  await addOperator(here, simulator.port, { window: WINDOW });
  const beside: Running[] = [];
  for (const some of others) {
    beside.push(await startBeside(scope, here, some, await through(here.databaseUrl)));
  }
  return { here, simulator, proxies, beside, urls: [here.url, ...beside.map(({ url }) => url)] };
}

suite("silence", { concurrency: 4 }, () => {
  const TOGETHER: Role[][] = [["api", "worker", "gateway"]];
  const APART: Role[][] = [["api"], ["worker"], ["gateway"], ["gateway"]];
  for (const [roles, where] of [
    [TOGETHER, "one process with every role"],
    [APART, "each process of one role, two of them gateways at one operator,"],
  ] as const) {
    test(`M17: ${where} is not ready while the database is silent, then recovers: 0 lost, at most W sent twice`, async (t) => {
      await fallSilentWhileSending(t, await site(t, roles), { alsoNew: true });
    });

    test(`M17: ${where} recovers by itself where new connections work: 0 lost, at most W sent twice`, async (t) => {
      await fallSilentWhileSending(t, await site(t, roles), { alsoNew: false });
    });
  }

  test("M17: a gateway without the database is not ready, and its bind does not show as BOUND, until the database is back", async (t) => {
    const { here, proxies, urls } = await site(t, [["api"], ["gateway"]]);
    const stateIs = (wanted: boolean) =>
      until(async () => {
        const { data } = await here.admin("/v1/admin/operator/list");
        return (data[0].state === "BOUND") === wanted && data[0];
      }, LIMIT_MS);
    await stateIs(true);
    proxies[1]!.fallSilent({ alsoNew: true });
    await until(async () => (await readyz(urls[1]!)) === 503, LIMIT_MS);
    assert.equal(await readyz(urls[0]!), 200, "the other process is");
    const { able, inFlight } = await stateIs(false);
    assert.deepEqual([able, inFlight], [false, 0]);
    proxies[1]!.recover();
    await stateIs(true);
    await until(async () => (await readyz(urls[1]!)) === 200, LIMIT_MS);
    const company = await here.company({ credits: 1 });
    await settled(company, await send(company, phones(1)));
  });

  test("M17: a process ends when it is told to, while the database is silent and work is under way", async (t) => {
    const { here, proxies, beside, simulator } = await site(t, [["api"], ["api", "worker", "gateway"]]);
    const company = await here.company({ credits: 1_000 });
    await send(company, phones(300));
    await until(() => simulator.stats().accepted >= 50);
    proxies[1]!.fallSilent({ alsoNew: true });
    const [{ url, stop }] = beside as [Running];
    const { apiKey, companyId } = company;
    const asked = caller(url, { apiKey, companyId })("/v1/credit/balance");
    await until(async () => (await readyz(url)) === 503, LIMIT_MS);
    const startMs = performance.now();
    // What still waits for the database then would keep it from ending: nothing but this test's own limit cuts it off.
    await stop();
    t.diagnostic(`ended after ${((performance.now() - startMs) / 1_000).toFixed(1)} s`);
    assert.equal((await asked).error, "service-unavailable");
  });

  test("M09: the only gateway binds as soon as the database is back after a long outage, and logs what it awaited", async (t) => {
    const lines: string[] = [];
    const log = openLog("warn", { write: (line) => void lines.push(line) });
    const count = (text: string) => lines.filter((line) => line.includes(text)).length;
    const simulator = await startSimulator();
    t.after(() => simulator.stop());
    const here = await testService(t, { config: { simulator: false }, log });
    await addOperator(here, simulator.port);
    await until(() => simulator.stats().sessions === 1);
    const restore = await cutDatabase(here.databaseUrl);
    await until(() => count("the bind waits for it") >= 6, LIMIT_MS);
    const startMs = performance.now();
    await restore();
    await until(() => simulator.stats().sessions === 1, LIMIT_MS);
    t.diagnostic(`bound again after ${Math.round(performance.now() - startMs)} ms`);
    assert.equal(count("the operator could not be reached"), 0);
  });

  test("the audit does not balance while a message of the queue is in no batch", async (t) => {
    const here = await testService(t, { config: { roles: new Set(["api"]) }, ...SILENT });
    const company = await here.company({ credits: 10 });
    await send(company, phones(3));
    await assertBalanced(here);
    await rows(here.app, "DELETE FROM batches");
    const { data } = await here.admin("/v1/admin/credit/audit");
    const { balanced, held, inFlight, difference } = data;
    assert.deepEqual([balanced, held, inFlight, difference], [false, 3, 0, 3]);
  });
});

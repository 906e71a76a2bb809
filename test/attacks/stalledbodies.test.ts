// Unauthenticated callers send unfinished or useless requests to the whole service. That costs other callers little.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { newKey } from "../../src/platform/secrets/secrets.ts";
import { cloneDatabase } from "../database.ts";
import { atLength, inLongRuns } from "../length.ts";
import { JSON_TYPE, send } from "../listener.ts";
import { metricOf } from "../metrics.ts";
import { type Overrides, type Process, startProcess } from "../process.ts";
import { stacked } from "../sending.ts";
import { filled, stall, wide } from "../stalledbodies.ts";
import { until } from "../testservice.ts";

const MB = 1_000_000;
const STALLED = atLength({ short: 30, long: 200 });
const REQUEST_TIMEOUT_MS = atLength({ short: 8_000, long: 30_000 });
const ROUNDS = 5;
const ASKED = 60;

type Service = Process & { adminKey: string };

async function startService(t: TestContext, overrides: Overrides): Promise<Service> {
  const scope = stacked(t);
  const database = await cloneDatabase();
  scope.after(() => database.drop());
  const adminKey = newKey("adm_");
  const keys = { MASTER_KEY: newKey("") + newKey(""), ADMIN_KEY: adminKey };
  const started = await startProcess({ DATABASE_URL: database.url, ROLES: "api", ...keys }, overrides);
  scope.after(() => started.end("SIGKILL"));
  return { ...started, adminKey };
}

/** The resident memory of the service's process, in MB. */
async function residentMb({ url, adminKey }: Service): Promise<number> {
  const bytes = await metricOf(url, adminKey, "process_resident_memory_bytes");
  return bytes! / MB;
}

test("P07: unfinished bodies take less than 100 MB, do not block others, and are dropped in time", async (t) => {
  const service = await startService(t, { limits: { requestTimeoutMs: REQUEST_TIMEOUT_MS } });
  // At rest, after some work.
  for (let i = 0; i < 5; i++) await send(`${service.url}/v1/contact/create`, filled(4.75 * MB));
  const atRestMb = await residentMb(service);
  let open = STALLED;
  let isAnswered = 0;
  for (let i = 0; i < STALLED; i++) {
    void stall(service.url, { path: "/v1/contact/create", declared: 5 * 1024 * 1024, sent: 4.75 * MB }).then(
      async (stalled) => {
        await stalled.closed;
        open--;
        // Whoever is cut while it still writes may miss its answer.
        if (stalled.said !== "" || !stalled.isWritten) isAnswered++;
      },
    );
  }
  let mostMb = 0;
  await until(async () => {
    mostMb = Math.max(mostMb, await residentMb(service));
    const { error } = await send(`${service.url}/v1/credit/balance`, '{"apiKey":"nobody"}', JSON_TYPE);
    assert.equal(error, "not-authenticated");
    return open === 0;
  }, 4 * REQUEST_TIMEOUT_MS);
  t.diagnostic(`${Math.round(mostMb - atRestMb)} MB more than ${Math.round(atRestMb)}`);
  assert.ok(mostMb - atRestMb < 100, `${mostMb} MB, at rest ${atRestMb}`);
  assert.equal(isAnswered, STALLED);
});

test("P05: objects of 100,000 members, posted by eight connections, do not slow another tenant", {
  ...inLongRuns,
}, async (t) => {
  const limits = { requestsPerSecond: 1_000_000, requestBurst: 1_000_000 };
  const service = await startService(t, { limits });
  const { data } = await send(
    `${service.url}/v1/admin/company/create`,
    JSON.stringify({ adminKey: service.adminKey, name: "Boutique" }),
  );
  const good = JSON.stringify({ apiKey: data.apiKey, companyId: data.companyId });
  const medianMs = async () => {
    const times: number[] = [];
    while (times.length < ASKED) {
      const startMs = performance.now();
      assert.equal((await send(`${service.url}/v1/credit/balance`, good)).success, true);
      times.push(performance.now() - startMs);
    }
    return times.sort((a, b) => a - b)[ASKED / 2]!;
  };
  await medianMs();
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const quietMs = await medianMs();
    const attack = new AbortController();
    const attackers = Array.from({ length: 8 }, () => postInVain(service.url, attack.signal));
    const attackedMs = await medianMs();
    attack.abort();
    assert.deepEqual([...new Set((await Promise.all(attackers)).flat())], ["invalid-request"]);
    ratios.push(attackedMs / quietMs);
  }
  t.diagnostic(`the median takes ${ratios.map((ratio) => ratio.toFixed(1)).join(", ")} times as long`);
  // The least ratio counts, because the machine may be busy with something else at any moment.
  assert.ok(Math.min(...ratios) < 3, ratios.join());
});

/** Posts a wide object again and again. Resolves with the errors that came back. */
async function postInVain(url: string, signal: AbortSignal): Promise<string[]> {
  const errors: string[] = [];
  const body = `{"apiKey":"x","companyId":"y","contacts":[${wide(100_000)}]}`;
  while (!signal.aborted || errors.length === 0) {
    errors.push((await send(`${url}/v1/contact/create`, body)).error!);
  }
  return errors;
}

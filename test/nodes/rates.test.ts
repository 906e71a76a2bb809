// The rate of an account over eight processes, while some of them are killed and others take their place.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Process, startProcess } from "../process.ts";
import { asker, assertWithin, flood, PATIENT } from "../rates.ts";
import { stacked } from "../sending.ts";
import { testService } from "../testservice.ts";

const PROCESSES = 8;
/** A tenth of what product.md promises a second: a slow machine must ask for more than may pass. */
const RATE = { requestsPerSecond: 5, requestBurst: 1_000 };
const REQUESTS = 3 * RATE.requestBurst;
const KILLS = 3;

test(`the rate of an account holds over ${PROCESSES} processes, within 10 %`, async (t) => {
  const scope = stacked(t);
  const here = await testService(scope, { config: { roles: new Set(["api"]), simulator: false } });
  const start = () =>
    startProcess(
      {
        DATABASE_URL: here.databaseUrl,
        MASTER_KEY: here.app.config.keys!.masterKey,
        ADMIN_KEY: here.adminKey,
        ROLES: "api",
      },
      { limits: RATE, settings: PATIENT },
    );
  const processes: Process[] = [];
  scope.after(async () => {
    for (const one of processes) await one.end("SIGKILL");
  });
  // One after the other: each start takes a second of a core.
  for (let n = 0; n < PROCESSES; n++) processes.push(await start());

  const spreads: [string, (n: number) => number][] = [
    ["evenly", (n) => n % PROCESSES],
    ["a few to each, then all to one", (n) => (n < 10 * PROCESSES ? n % PROCESSES : 0)],
    // Each begins with a view that is old by then.
    ["all to one process after the other", (n) => Math.floor(n / 500) % PROCESSES],
  ];
  for (const [spread, processOf] of spreads)
    await t.test(`requests that go ${spread}`, async () => {
      const ask = asker(await here.company());
      const all = await flood(REQUESTS, (n) => processes[processOf(n)]!.url, ask);
      t.diagnostic(
        `${spread}: ${all.passed} of ${all.passed + all.refused} in ${Math.round(all.atMostMs)} ms`,
      );
      assertWithin(RATE, all);
    });

  await t.test(`requests beside ${KILLS} kills`, async () => {
    const ask = asker(await here.company());
    const killing = (async () => {
      for (let n = 0; n < KILLS; n++) {
        // What it has given out and not told dies with it.
        await processes.pop()!.end("SIGKILL");
        processes.unshift(await start());
      }
    })();
    const urlOf = (n: number) => processes[n % processes.length]!.url;
    // A request that its process did not live to answer is none that passed.
    const tryAsk = (url: string) =>
      ask(url).catch((error) => (error instanceof TypeError ? undefined : assert.fail(error)));
    assertWithin(RATE, await flood(REQUESTS, urlOf, tryAsk));
    await killing;
  });
});

// The rate of an account holds over all processes together, however its requests are spread over them.
import { test } from "node:test";
import { startProcess } from "../../../test/process.ts";
import { asker, assertWithin, flood, PATIENT } from "../../../test/rates.ts";
import { stacked } from "../../../test/sending.ts";
import { testService } from "../../../test/testservice.ts";

const PROCESSES = 3;
/** A tenth of what product.md promises a second: a slow machine must ask for more than may pass. */
const RATE = { requestsPerSecond: 5, requestBurst: 1_000 };
const REQUESTS = 3 * RATE.requestBurst;

const SPREADS: [string, (n: number) => number][] = [
  ["evenly", (n) => n % PROCESSES],
  ["all to one process", () => 0],
  // The others know the account too, and what they know is old.
  ["a few to each, then all to one", (n) => (n < 30 ? n % PROCESSES : 1)],
  ["19 of 20 to one process", (n) => (n % 20 === 0 ? 1 + ((n / 20) % (PROCESSES - 1)) : 0)],
];

test("the rate of an account holds over three processes together, within 10 %", async (t) => {
  const scope = stacked(t);
  const here = await testService(scope, { config: { roles: new Set(["api"]), simulator: false } });
  const environment = {
    DATABASE_URL: here.databaseUrl,
    MASTER_KEY: here.app.config.keys!.masterKey,
    ADMIN_KEY: here.adminKey,
    ROLES: "api",
  };
  const urls = await Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      const started = await startProcess(environment, { limits: RATE, settings: PATIENT });
      scope.after(() => started.end("SIGKILL"));
      return started.url;
    }),
  );
  for (const [spread, processOf] of SPREADS)
    await t.test(`requests that go ${spread}`, async () => {
      const ask = asker(await here.company());
      assertWithin(RATE, await flood(REQUESTS, (n) => urls[processOf(n)]!, ask));
    });
});

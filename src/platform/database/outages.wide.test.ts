// An outage of the database: what a process with every role logs of it, and which process says so.
import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { cutDatabase } from "../../../test/database.ts";
import { startProcess, tryCall } from "../../../test/process.ts";
import { startProxy } from "../../../test/proxy.ts";
import { addOperator, rows, stacked } from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";
import { startSimulator } from "../../delivery/simulator/simulator.ts";

type Line = { time: number; node: string; msg: string; [member: string]: unknown };

const AWAY = "the database does not answer";
const BACK = "the database answers again";
/** Lines of an outage that the test waits for. */
const LINES = 6;
/** By the clock of the machine, which the process does not go by. */
const APART_MS = 950;
const REQUESTS = 20;

/** Takes the database away, and returns what brings it back. */
type Cut = (proxy: Awaited<ReturnType<typeof startProxy>>, url: string) => Promise<() => Promise<void>>;

async function loggedDuring(t: TestContext, cut: Cut) {
  const scope = stacked(t);
  const simulator = await startSimulator();
  scope.after(() => simulator.stop());
  const here = await testService(scope, { config: { roles: new Set(["api"]), simulator: false } });
  const company = await here.company();
  const proxy = await startProxy(scope, here.databaseUrl);
  const service = await startProcess({
    DATABASE_URL: proxy.url,
    MASTER_KEY: here.app.config.keys!.masterKey,
    ADMIN_KEY: here.adminKey,
    ROLES: "api,worker,gateway",
    LOG_LEVEL: "warn",
  });
  scope.after(() => service.end("SIGKILL"));
  await addOperator(here, simulator.port);
  await until(() => simulator.stats().sessions === 1);
  const [{ node }] = await rows(here.app, "SELECT node FROM operator_binds");
  const lines = () => service.lines.map((line) => JSON.parse(line) as Line);
  const count = (msg: string) => lines().filter((line) => line.msg === msg).length;

  const restore = await cut(proxy, here.databaseUrl);
  const { apiKey, companyId } = company;
  const asked = Array.from({ length: REQUESTS }, () =>
    tryCall(`${service.url}/v1/credit/balance`, { apiKey, companyId }),
  );
  for (const answer of await Promise.all(asked)) assert.equal(answer?.error, "service-unavailable");
  await until(() => count(AWAY) >= LINES);
  await restore();
  await until(() => count(BACK) === 1);
  await until(() => simulator.stats().sessions === 1);
  return { node, lines: lines() };
}

/**
 * Whether a line is of a statement that was asked before the end of the outage and answered after it, while others still
 * failed. One that gets no answer has 5 s at least.
 */
function isAnswered({ msg, ms }: Line): boolean {
  return msg === "a statement took long" && (ms as number) < 5_000;
}

function assertTold(t: TestContext, node: string, lines: readonly Line[]): void {
  for (const line of lines) {
    assert.equal(line.node, node, JSON.stringify(line));
    assert.ok(!JSON.stringify(line).includes('"stack"'), JSON.stringify(line));
  }
  const away = lines.filter(({ msg }) => msg === AWAY);
  t.diagnostic(JSON.stringify(away.at(-1)));
  for (const [i, line] of away.entries()) {
    assert.ok(line.reason, "it says why");
    assert.ok(Date.parse(line.since as string) <= line.time);
    assert.ok(i === 0 || line.time - away[i - 1]!.time >= APART_MS, "one line a second");
    assert.ok(i === 0 || (line.failures as number) > (away[i - 1]!.failures as number));
  }
  const last = away.at(-1)!;
  const during = lines.filter(({ msg, time }) => msg !== AWAY && msg !== BACK && time <= last.time);
  const others = during.filter((line) => !isAnswered(line));
  const own = others.filter(({ msg }) => msg !== "the bind fell");
  assert.deepEqual(own, [], "nothing else is said of it");
  assert.ok(others.length <= 1, "the bind falls once");
  const all = lines.find(({ msg }) => msg === BACK)!;
  assert.equal(all.since, last.since);
  assert.ok((all.failures as number) >= REQUESTS);
}

suite("an outage of the database logs one line a second", { concurrency: 2 }, () => {
  test("M17: where it refuses every connection", async (t) => {
    const { node, lines } = await loggedDuring(t, (_proxy, url) => cutDatabase(url));
    assertTold(t, node, lines);
  });

  test("M17: where it says nothing any more", async (t) => {
    const { node, lines } = await loggedDuring(t, async (proxy) => {
      proxy.fallSilent({ alsoNew: true });
      return async () => proxy.recover();
    });
    assertTold(t, node, lines);
  });
});

// A PostgreSQL that is frozen, not dead: connections stay open, and nothing is ever answered.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { assertBalanced, phones, rows, send, settled, stacked } from "../../test/sending.ts";
import { type Answered, until, world } from "../../test/world.ts";
import { startEmbedded } from "./embedded.ts";
import { openLog } from "./log.ts";

const ANSWERED_WITHIN_MS = 5_000;
const COUNT = 3_000;
const ROUNDS = 3;

/** The pids of a server and of all of its processes. */
async function pidsOf(dataDir: string): Promise<number[]> {
  const pidFile = await readFile(join(dataDir, "postgres", "cluster", "postmaster.pid"), "utf8");
  const postmaster = Number(pidFile.split("\n")[0]);
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, "utf8");
  return [postmaster, ...children.split(" ").filter(Boolean).map(Number)];
}

test("M09: a frozen PostgreSQL: answers within 5 s, and everything goes on when it thaws", async (t) => {
  const scope = stacked(t);
  const dataDir = await mkdtemp(join(tmpdir(), "atumpan-frozen-"));
  scope.after(() => rm(dataDir, { recursive: true, force: true }));
  const log = openLog("fatal");
  const server = await startEmbedded({ dataDir, log, fsync: false });
  scope.after(() => server.stop());
  let frozen: number[] = [];
  const thaw = async () => {
    for (const pid of frozen.splice(0)) process.kill(pid, "SIGCONT");
  };
  const here = await world(scope, {
    log,
    config: { databaseUrl: server.url, roles: new Set(["api", "gateway"]) },
    settings: { quarantineMs: 1_000 },
    simulator: { latencyMs: 50, receipts: false },
  });
  scope.after(thaw);
  const company = await here.company({ credits: 2 * COUNT });

  // A statement that takes long is none that is not answered.
  await rows(here.app, "SELECT pg_sleep(2.5)");

  const id = await send(company, phones(COUNT));
  await until(() => here.simulator.stats().accepted > 300);
  frozen = await pidsOf(dataDir);
  for (const pid of frozen) process.kill(pid, "SIGSTOP");

  const timed = async (path: string, body: object = {}): Promise<Answered> => {
    const startedAt = performance.now();
    const answer = await company.call(path, body);
    const ms = performance.now() - startedAt;
    assert.ok(ms < ANSWERED_WITHIN_MS, `${path} took ${ms} ms`);
    return answer;
  };
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await Promise.all([
      timed("/v1/credit/balance"),
      timed("/v1/contact/create", { contacts: phones(100) }),
      timed("/v1/campaign/create", { contacts: phones(1, "22505"), text: "x" }),
      timed("/v1/campaign/list"),
      here.admin("/v1/admin/credit/audit"),
    ]);
    for (const answer of answers) assert.equal(answer.error, "service-unavailable");
  }

  await thaw();
  await until(async () => (await timed("/v1/credit/balance")).success);
  const done = await settled(company, id, 60_000);
  assert.deepEqual([done.status, done.stats.sent], ["SENT", COUNT]);
  const received = here.simulator.inbox({ limit: 100_000 }).map(({ to }) => to);
  const reached = new Set(received);
  assert.deepEqual(
    phones(COUNT).filter((phone) => !reached.has(phone)),
    [],
  );
  assert.ok(
    received.length - reached.size <= 100,
    `${received.length - reached.size} of a window of 100 twice`,
  );
  t.diagnostic(`${received.length - reached.size} sent twice`);
  await until(async () => (await assertBalanced(here)).held === 0);
});

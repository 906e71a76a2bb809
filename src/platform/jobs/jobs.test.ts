// Jobs: each runs by the clock, once in the whole cluster, even if a process dies.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rows, type Scope, stacked, startBeside } from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";
import type { Runtime } from "../runtime.ts";
import { type Job, startJobs, startTicks, type Tick } from "./jobs.ts";

const HOURLY = "0 * * * *";
const QUIET = { config: { roles: new Set(["api"] as const), simulator: false } };

async function runJobs(scope: Scope, app: Runtime, jobs: Job[]): Promise<void> {
  const running = await startJobs(app, jobs);
  scope.after(() => running.stop());
}

/** Sets the last run of every job to so long ago. */
async function sinceLastRun(app: Runtime, interval: string): Promise<void> {
  await rows(app, "UPDATE jobs SET ran_at = now() - $1::interval", [interval]);
}

test("a job runs with the process's runtime, and one that fails does not stop the others", async (t) => {
  const scope = stacked(t);
  const { app } = await testService(scope, QUIET);
  app.log.level = "silent";
  const ran: string[] = [];
  const job = (name: string, fails: boolean): Job => ({
    name,
    cron: HOURLY,
    async run(given, signal) {
      assert.equal(given, app);
      assert.equal(signal.aborted, false);
      ran.push(name);
      if (fails) throw new Error("a job that fails on purpose");
    },
  });
  await runJobs(scope, app, [job("bad-job", true), job("good-job", false)]);
  await sinceLastRun(app, "61 minutes");
  await until(() => ran.length >= 2);
  // A failed run is noted too, so the job is tried again at its next time and not at once.
  await until(
    async () =>
      (await rows(app, "SELECT FROM jobs WHERE ran_at > now() - interval '50 minutes'")).length === 2,
  );
  assert.deepEqual(ran.sort(), ["bad-job", "good-job"]);
});

test("a tick that fails, or whose first run does not end, keeps no other from starting", async (t) => {
  const scope = stacked(t);
  const { app } = await testService(scope, QUIET);
  app.log.level = "silent";
  const ran: string[] = [];
  const ending = Promise.withResolvers<void>();
  const tick = (name: string, run: () => Promise<void>): Tick => ({ name, pauseMs: 1, run });
  const ticking = startTicks(app, [
    tick("throws", () => {
      throw new Error("a tick that fails on purpose");
    }),
    tick("rejects", () => Promise.reject(new Error("a tick that fails on purpose"))),
    tick("lasts", () => ending.promise),
    tick("runs", async () => {
      ran.push("runs");
    }),
  ]);
  await until(() => ran.length >= 2);
  ending.resolve();
  await ticking.stop();
});

/** A job of this process alone. It tells a test that the process has looked at all of its jobs. */
function verifierOf(app: Runtime): { job: Job; looked: () => Promise<void> } {
  const name = `witness-${app.database.node.slice(-6)}`;
  let ran = 0;
  const job: Job = { name, cron: HOURLY, run: async () => void ran++ };
  const look = async () => {
    const before = ran;
    await rows(app, "UPDATE jobs SET ran_at = now() - interval '2 hours' WHERE name = $1", [name]);
    await until(() => ran > before);
    // Only then has the run been noted, which would undo what the next look sets.
    const noted = "SELECT FROM jobs WHERE name = $1 AND ran_at > now() - interval '1 hour'";
    await until(async () => (await rows(app, noted, [name])).length === 1);
  };
  return {
    job,
    async looked() {
      // All runs that the first look started are under way when the second look begins.
      await look();
      await look();
    },
  };
}

test("each occurrence of a job is run once in the cluster, and missed occurrences are made up for once", async (t) => {
  const scope = stacked(t);
  const here = await testService(scope, QUIET);
  const apps = [here.app, (await startBeside(scope, here, [])).app];
  const witnesses = apps.map(verifierOf);
  let ran = 0;
  const job: Job = { name: "once", cron: HOURLY, run: async () => void ran++ };
  for (const [i, app] of apps.entries()) await runJobs(scope, app, [job, witnesses[i]!.job]);
  await sinceLastRun(here.app, "5 hours");
  for (const verifier of witnesses) await verifier.looked();
  assert.equal(ran, 1);
});

test("no other process runs a job during a long run; when its process dies, another runs the job", async (t) => {
  const scope = stacked(t);
  const here = await testService(scope, QUIET);
  here.app.log.level = "silent";
  const there = (await startBeside(scope, here, [])).app;
  const verifier = verifierOf(there);
  const began: Runtime[] = [];
  const [lost, ends] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  scope.after(async () => ends.resolve());
  const job: Job = {
    name: "long",
    cron: HOURLY,
    async run(app, signal) {
      began.push(app);
      if (began.length > 1) return;
      // The run learns that its lock is lost. Its process would be free for another run at once, so it goes on.
      signal.addEventListener("abort", () => lost.resolve());
      await ends.promise;
    },
  };
  await runJobs(scope, here.app, [job]);
  await sinceLastRun(here.app, "2 hours");
  await until(() => began.length === 1);
  await runJobs(scope, there, [job, verifier.job]);
  await verifier.looked();
  assert.equal(began.length, 1);
  // The database sees only that the connection of a killed process is gone.
  await rows(
    here.app,
    `SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database ON pg_database.oid = database
     WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND datname = current_database()`,
  );
  await lost.promise;
  await until(() => began.length === 2);
  assert.ok(began[1] === there);
});

// Notices and jobs: a listener hears what was committed, also after its connection was lost; a job runs by its clock.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until, world } from "../../test/world.ts";
import { query } from "./database.ts";
import { startJobs } from "./jobs.ts";
import { announce, listen, listenHere } from "./notify.ts";

const endListeners = query(
  "test.endListeners",
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'atumpan-notices' AND datname = current_database()",
);
const runNow = query(
  "test.runNow",
  "INSERT INTO pgboss.job (name) SELECT name FROM pgboss.queue WHERE name = $1 RETURNING id",
);

test("news is heard here at once, by other processes soon, and again after a lost connection", async (t) => {
  const { app, databaseUrl } = await world(t);
  let here = 0;
  let there = 0;
  const local = listenHere(app, "Odd name", () => here++);
  const remote = await listen(databaseUrl, "Odd name", () => there++);
  try {
    announce(app, "another");
    announce(app, "Odd name");
    assert.equal(here, 1);
    await until(() => there === 1);
    await app.database.run(endListeners);
    await until(() => there === 2);
    for (let i = 0; i < 100; i++) announce(app, "Odd name");
    assert.equal(here, 101);
    await until(() => there >= 3);
    assert.ok(there <= 4, "a hundred pieces of news at once are one or two notices");
    local.stop();
    announce(app, "Odd name");
    assert.equal(here, 101);
  } finally {
    await remote.stop();
  }
  await assert.rejects(listen("postgres://nobody@127.0.0.1:1/x", "x", () => {}));
});

test("a job runs with the process's runtime, and one that fails does not stop the others", async (t) => {
  const { app, databaseUrl } = await world(t, { config: { roles: new Set(["api"]) } });
  const ran: string[] = [];
  const never = "0 0 1 1 *";
  const run = (name: string, fails: boolean) => async (given: typeof app) => {
    assert.equal(given, app);
    ran.push(name);
    if (fails) throw new Error("a job that fails on purpose");
  };
  app.log.level = "silent";
  const jobs = [
    { name: "bad-job", cron: never, run: run("bad-job", true) },
    { name: "good-job", cron: never, run: run("good-job", false) },
  ];
  const running = await startJobs(app, databaseUrl, jobs);
  try {
    for (const { name } of jobs) await app.database.run(runNow, [name]);
    await until(() => ran.includes("bad-job") && ran.includes("good-job"));
  } finally {
    await running.stop();
  }
});

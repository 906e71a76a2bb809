// The gauges of the database, the jobs and the audit: what a scrape tells of a process and its installation.
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { metricOf, readMetrics } from "../../../test/metrics.ts";
import { rows, type Scope, stacked, startBeside } from "../../../test/sending.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";
import { proveCredits } from "../../delivery/sends/record/audit.ts";
import { openLog } from "../log.ts";
import { query } from "./query.ts";

/** A connection of the owner, which ends with `t`. */
async function ownerOf(t: Scope, { ownerUrl }: TestService): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: ownerUrl });
  client.on("error", () => {}); // the database is dropped first
  await client.connect();
  t.after(() => client.end());
  return client;
}

/** Nobody may begin an hourly audit before this connection lets go of its lock. */
async function withoutAudits(t: Scope, here: TestService): Promise<pg.Client> {
  const client = await ownerOf(t, here);
  await client.query("SELECT pg_advisory_lock(hashtextextended('job credits-audit', 0))");
  return client;
}

test("a scrape tells how the connections to the database are used, and who waits for one", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"]) } });
  const { app, url, adminKey } = here;
  const pool = (name: string) => metricOf(url, adminKey, `atumpan_database_pool_${name}`);
  const size = (await pool("size"))!;
  assert.equal(size, 20);
  const client = await ownerOf(t, here);
  await client.query("BEGIN; LOCK TABLE low_balances");
  const wait = query("test.wait", "SELECT FROM low_balances");
  const waiting = Array.from({ length: size + 3 }, () => app.database.run(wait));
  await until(() => app.database.pool.waiting === 3);
  // The scrape itself pings the database, which waits too.
  assert.ok((await pool("waiting"))! >= 3);
  assert.equal(await pool("in_use"), size);
  assert.equal(await pool("idle"), 0);
  await client.query("COMMIT");
  await Promise.all(waiting);
  await until(async () => (await pool("waiting")) === 0 && (await pool("idle"))! > 0);
});

test("a scrape tells when each job last ran, and how late a job is", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["worker"]) } });
  const { app, url, adminKey } = here;
  const job = (what: string) => metricOf(url, adminKey, `atumpan_job_${what}_seconds{job="credits-audit"}`);
  await until(async () => (await job("age")) !== undefined);
  await until(async () => (await job("late")) === 0);
  // As if a run had hung.
  const client = await withoutAudits(t, here);
  await rows(app, "UPDATE jobs SET ran_at = now() - interval '3 hours' WHERE name = 'credits-audit'");
  await until(async () => ((await job("late")) ?? 0) > 7_200);
  assert.ok((await job("age"))! >= 10_800);
  await client.query("SELECT pg_advisory_unlock_all()");
  await until(async () => (await job("late")) === 0);
});

test("a scrape tells what the last hourly audit found, whichever process ran it, and when it last balanced", async (t) => {
  const scope = stacked(t);
  const here = await testService(scope, { config: { roles: new Set(["api"]) }, log: openLog("silent") });
  const { app, adminKey } = here;
  await withoutAudits(scope, here);
  const { url } = await startBeside(scope, here, ["worker"]);
  const audit = (what: string) => metricOf(url, adminKey, `atumpan_audit_${what}`);
  assert.equal(await audit("balanced_timestamp_seconds"), undefined, "no audit has run");
  await proveCredits(app);
  await until(async () => (await audit("balanced")) === 1);
  assert.equal(await audit("difference_credits"), 0);
  const balancedAt = (await audit("balanced_timestamp_seconds"))!;
  const [{ at }] = await rows(app, "SELECT balanced_at AS at FROM last_audit");
  assert.equal(balancedAt, at.getTime() / 1_000);

  await rows(app, "UPDATE pools SET available = available + 7 WHERE id = (SELECT min(id) FROM pools)");
  await assert.rejects(proveCredits(app), /does not balance/);
  await until(async () => (await audit("balanced")) === 0);
  assert.equal(await audit("difference_credits"), 7);
  assert.equal(await audit("balanced_timestamp_seconds"), balancedAt);
});

test("a scrape tells that no standby is attached, and what the service may not see", async (t) => {
  const { url, adminKey } = await testService(t, { config: { roles: new Set(["worker"]) } });
  const of = (what: string) => metricOf(url, adminKey, `atumpan_database_${what}`);
  assert.equal(await of("standbys"), 0);
  assert.equal(await of("synchronous"), 0);
  assert.equal(await of("standby_details"), 0);
  assert.equal(await of("synchronous_standbys"), undefined);
  assert.equal(await of("archive_fails"), undefined, "nothing is archived");
  assert.doesNotMatch(await readMetrics(url, adminKey), /^atumpan_database_standby_lag_\w+\{/m);
});

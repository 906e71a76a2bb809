// The ledger against a model: operations of every kind in random order, on real PostgreSQL, while it is being killed.
import assert from "node:assert/strict";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import {
  assertSame,
  Buy,
  emptyModel,
  Fund,
  Grant,
  Hold,
  insist,
  KINDS,
  makePools,
  Pay,
  type Real,
  Settle,
  Transfer,
} from "../../../test/ledger.ts";
import { atLength } from "../../../test/length.ts";
import { rows } from "../../../test/sending.ts";
import { testService } from "../../../test/testservice.ts";
import { readConfig } from "../../platform/config.ts";
import { startEmbedded } from "../../platform/embedded/embedded.ts";
import { openLog } from "../../platform/log.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey } from "../../platform/secrets/secrets.ts";
import { start } from "../../start.ts";
import { auditLedger } from "./audits.ts";

const OPERATIONS = atLength({ short: 1_000, long: 20_000, night: 130_000 });
/** Between two SIGKILLs of PostgreSQL; 0 for none. It is started again five times a minute at most. */
const KILL_EVERY_MS = atLength({ short: 0, long: 13_000 });
/** Something breaks in one operation of so many. */
const STRIKE_ONE_IN = atLength({ short: 60, long: 400 });
const OPERATIONS_PER_RUN = 50;
const RUNS_PER_AUDIT = 20;

const pool = fc.nat(KINDS.length - 1);
const customer = fc.integer({ min: 1, max: 2 });
const amount = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 2_000 }));
const part = fc.record({ pick: fc.nat(1_000), captured: fc.nat(2_000), released: fc.nat(2_000) });
/** True once in `n`. */
const seldom = (n: number) => fc.nat(n - 1).map((dice) => dice === 0);
const strikes = seldom(STRIKE_ONE_IN);

const operations = fc.commands(
  [
    fc.tuple(pool, fc.integer({ min: -500, max: 2_000 }), strikes).map((it) => new Grant(...it)),
    fc.tuple(pool, pool, amount, strikes).map((it) => new Transfer(...it)),
    fc
      .tuple(fc.array(fc.tuple(pool, amount), { minLength: 1, maxLength: 4 }), strikes)
      .map((it) => new Hold(...it)),
    fc
      .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), seldom(10), strikes)
      .map((it) => new Settle(...it)),
    fc.tuple(customer, amount, fc.nat(50), strikes).map((it) => new Buy(...it)),
    fc.tuple(fc.nat(1_000), fc.boolean(), seldom(10), strikes).map((it) => new Pay(...it)),
    strikes.map((it) => new Fund(it)),
  ],
  { maxCommands: 2 * OPERATIONS_PER_RUN, size: "max" },
);

/** Cuts all connections of this process but the one that says so, as a network or a proxy does. */
function cut(app: Runtime): void {
  const others =
    "application_name LIKE 'atumpan %' AND datname = current_database() AND pid <> pg_backend_pid()";
  rows(app, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`).catch(() => {});
}

/** The service on a PostgreSQL that may be killed: not the one that other tests use. */
async function startKillable(t: TestContext): Promise<{ app: Runtime; kill: () => Promise<boolean> }> {
  const dataDir = await mkdtemp(join(tmpdir(), "atumpan-ledger-"));
  const quiet = { info() {}, warn() {}, error: console.error };
  const server = await startEmbedded({ dataDir, log: quiet, fsync: false });
  t.after(() => server.stop());
  const environment = {
    PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: server.url,
    DATABASE_OWNER_URL: server.ownerUrl,
    ROLES: "api",
  };
  const keys = { MASTER_KEY: newKey("") + newKey(""), ADMIN_KEY: newKey("adm_") };
  const running = await start(readConfig({ ...environment, ...keys }), { log: openLog("fatal") });
  t.after(() => running.stop());
  const pidFile = join(dataDir, "postgres", "cluster", "postmaster.pid");
  return {
    app: running.app,
    async kill() {
      const [pid] = (await readFile(pidFile, "utf8")).split("\n");
      return process.kill(Number(pid), "SIGKILL");
    },
  };
}

async function startTestService(t: TestContext): Promise<Runtime> {
  const config = { roles: new Set(["api"] as const), simulator: false };
  return (await testService(t, { config, log: openLog("silent") })).app;
}

test("L01 L02: operations of every kind in random order leave exactly the balances of the model, whatever crashes", async (t) => {
  const { app, kill } =
    KILL_EVERY_MS > 0 ? await startKillable(t) : { app: await startTestService(t), kill: undefined };
  const count = { operations: 0, lost: 0, cuts: 0, kills: 0, audits: 0 };
  let killedAt = performance.now();
  const strike = () => {
    if (kill && performance.now() - killedAt > KILL_EVERY_MS) {
      killedAt = performance.now();
      // A file is read before: the blow comes somewhere in the operation. Where it is down already there is none.
      void kill().then(
        () => count.kills++,
        () => {},
      );
    } else {
      count.cuts++;
      cut(app);
    }
  };
  const audit = async () => {
    count.audits++;
    const { sum, wrong } = await insist(() => app.database.snapshot(auditLedger));
    assert.deepEqual({ sum, wrong }, { sum: 0, wrong: [] });
  };
  let runs = 0;
  const property = fc.asyncProperty(operations, async (commands) => {
    const pools = await insist(() => makePools(app));
    const [model, real]: [ReturnType<typeof emptyModel>, Real] = [
      emptyModel(),
      { app, pools, strike, count },
    ];
    await fc.asyncModelRun(() => ({ model, real }), commands);
    await assertSame(model, real);
    if (++runs % RUNS_PER_AUDIT === 0) await audit();
  });
  await fc.assert(property, { numRuns: Math.ceil(OPERATIONS / OPERATIONS_PER_RUN), endOnFailure: true });
  await audit();
  t.diagnostic(JSON.stringify(count));
});

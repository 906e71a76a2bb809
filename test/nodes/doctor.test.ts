// The doctor beside a real PostgreSQL: its synchronous standby, and a pooler in the wrong mode.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { migrate } from "../../src/platform/database/migrate.ts";
import { newKey } from "../../src/platform/secrets/secrets.ts";
import { examined } from "../examined.ts";
import { type Scope, stacked } from "../sending.ts";
import { DATABASE, Installation, LOGIN, makeDatabase, OWNER } from "./installation.ts";
import { needsPgBouncer, startPgBouncer } from "./pgbouncer.ts";
import { needsPostgres, type PostgresNode, startPrimary } from "./postgres.ts";

/** A database that is migrated, and the environment of a process on it. */
async function installed(
  scope: Scope,
): Promise<{ primary: PostgresNode; environment: Record<string, string> }> {
  const primary = await startPrimary(scope);
  await makeDatabase(primary);
  await migrate(primary.url(DATABASE, OWNER), { login: LOGIN });
  const DATA_DIR = await mkdtemp(join(tmpdir(), "atumpan-doctor-"));
  scope.after(() => rm(DATA_DIR, { recursive: true }));
  const environment = {
    DATA_DIR,
    DATABASE_URL: primary.url(DATABASE, LOGIN),
    MASTER_KEY: newKey("") + newKey(""),
    ADMIN_KEY: newKey("adm_"),
  };
  return { primary, environment };
}

/** How many things are wrong, beside the missing fsync of the servers of the tests. */
function wrongIn(lines: readonly string[]): number {
  return lines.filter((line) => line.startsWith("wrong") && !line.includes("fsync is off")).length;
}

test(
  "the doctor tells whether a synchronous standby is named, and whether it is attached",
  needsPostgres,
  async (t) => {
    const scope = stacked(t);
    const { primary, environment } = await installed(scope);
    const about = async () => {
      const { lines, level } = await examined(environment);
      return [wrongIn(lines), level("synchronous standby")];
    };
    assert.deepEqual(await about(), [0, "warn"]);
    const standby = await primary.addStandby("second");
    await primary.setSynchronous("second");
    assert.deepEqual(await about(), [0, "ok"], "it may see how many there are");
    await primary.run("GRANT pg_monitor TO atumpan_service");
    assert.deepEqual(await about(), [0, "ok"]);
    await standby.kill();
    await primary.run("SELECT pg_terminate_backend(pid) FROM pg_stat_replication");
    assert.deepEqual(await about(), [1, "wrong"], "it writes nothing, so it waits for nobody");
    await primary.setSynchronous("");
  },
);

test(
  "the doctor tells of a pooler that shares connections between transactions",
  needsPgBouncer,
  async (t) => {
    const scope = stacked(t);
    const { primary, environment } = await installed(scope);
    const before = { before: primary.port, logins: [LOGIN, OWNER], settings: { default_pool_size: 50 } };
    const sessions = await startPgBouncer(scope, { ...before, mode: "session" });
    const good = await examined({ ...environment, DATABASE_URL: sessions.url(DATABASE, LOGIN) });
    assert.deepEqual([wrongIn(good.lines), good.level("sessions")], [0, "ok"]);
    const transactions = await startPgBouncer(scope, { ...before, mode: "transaction" });
    const bad = await examined({ ...environment, DATABASE_URL: transactions.url(DATABASE, LOGIN) });
    assert.deepEqual([wrongIn(bad.lines), bad.code, bad.level("sessions")], [1, 1, "wrong"]);
  },
);

test(
  "the doctor finds a pooler whose pool is too small, closes what it opened, and leaves a living process ready",
  needsPgBouncer,
  async (t) => {
    const scope = stacked(t);
    const { primary, environment } = await installed(scope);
    const before = { before: primary.port, mode: "session", logins: [LOGIN, OWNER] } as const;
    const poolOf = async (size: number) => {
      const pooler = await startPgBouncer(scope, { ...before, settings: { default_pool_size: size } });
      return { ...environment, DATABASE_URL: pooler.url(DATABASE, LOGIN) };
    };
    const small = await poolOf(22);
    const findingOf = async (settings: Record<string, string>) => {
      const { lines } = await examined(settings);
      return lines.find((line) => line.slice(7).startsWith("pooler: "));
    };
    assert.match(
      (await findingOf(small))!,
      /^wrong .* allows only 22 of the 23 connections that 1 processes .* default_pool_size to 23 or more/,
    );
    assert.match(
      (await findingOf(small))!,
      /allows only 22 of the 23/,
      "the first one has given back what it opened",
    );
    const large = await poolOf(23);
    assert.match((await findingOf(large))!, /^ok .* room for the 23 connections/);
    const ownerUrl = primary.url(DATABASE, OWNER);
    const here = await Installation.open(scope, { databaseUrl: large.DATABASE_URL, ownerUrl });
    const { url } = await here.begin("api,worker,gateway");
    // What the process has open counts. Where it and the doctor have all of them open, there is nothing to try.
    assert.match((await findingOf(large)) ?? "ok", /^ok/);
    assert.ok((await fetch(`${url}/readyz`)).ok);
    assert.equal(await findingOf(environment), undefined, "without a pooler nothing is said of it");
  },
);

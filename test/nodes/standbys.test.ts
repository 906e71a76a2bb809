// Standbys of a real PostgreSQL, as the metrics of a worker show them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { metricOf } from "../metrics.ts";
import { stacked } from "../sending.ts";
import { until } from "../testservice.ts";
import { DATABASE, Installation, LOGIN, makeDatabase, OWNER } from "./installation.ts";
import { needsPostgres, startPrimary } from "./postgres.ts";

/** A COMMIT is given up after the limit of a statement and a second. */
const WAIT_MS = 120_000;

test(
  "the metrics tell of standbys, whether a COMMIT waits for one, and how far each is behind",
  needsPostgres,
  async (t) => {
    const scope = stacked(t);
    const primary = await startPrimary(scope);
    await makeDatabase(primary);
    const addresses = { databaseUrl: primary.url(DATABASE, LOGIN), ownerUrl: primary.url(DATABASE, OWNER) };
    const installation = await Installation.open(scope, addresses);
    const process = await installation.begin("worker", { LOG_LEVEL: "warn" });
    const { url } = process;
    const of = (name: string) => metricOf(url, installation.credentials.adminKey, `atumpan_database_${name}`);
    const is = (name: string, value: number) => until(async () => (await of(name)) === value);
    await is("standbys", 0);

    const standby = await primary.addStandby("second");
    await is("standbys", 1);
    await is("synchronous", 0);
    assert.equal(await of("standby_details"), 0);
    assert.equal(await of("synchronous_standbys"), undefined);
    assert.equal(await of('standby_lag_bytes{standby="second"}'), undefined);

    await primary.run("GRANT pg_monitor TO atumpan_service");
    await is("standby_details", 1);
    await is("synchronous_standbys", 0);
    await primary.setSynchronous("second");
    await is("synchronous", 1);
    await is("synchronous_standbys", 1);
    await until(async () => (await of('standby_lag_bytes{standby="second"}')) !== undefined);

    await standby.run("SELECT pg_wal_replay_pause()");
    // It receives what is committed, so no COMMIT waits, and does not replay it.
    await until(async () => (await of('standby_lag_bytes{standby="second"}'))! > 0);
    await standby.run("SELECT pg_wal_replay_resume()");
    await standby.kill();
    await is("standbys", 0);
    await is("synchronous_standbys", 0);

    // Every COMMIT waits now, and the log says for what.
    const warning = () => process.lines.find((line) => line.includes("no standby confirms"));
    await until(warning, WAIT_MS);
    await primary.setSynchronous("");
    await until(() => process.lines.some((line) => line.includes("the database answers again")), WAIT_MS);
  },
);

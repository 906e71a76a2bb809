// Shared rates: what several processes give out of one bucket, together, apart, and while the database is away.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { cutDatabase } from "../../../test/database.ts";
import { PATIENT } from "../../../test/rates.ts";
import { rows } from "../../../test/sending.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";
import { openMetrics } from "../metrics.ts";
import type { Runtime } from "../runtime.ts";
import { deleteSurplusRates } from "./rates.sql.ts";
import { forgetRates, SharedRates, stopSharing } from "./sharedrates.ts";

const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing) await close();
});
let here: TestService;
before(async () => {
  here = await testService(
    { after: (close) => closing.push(close) },
    { config: { roles: new Set(["api"]), simulator: false }, settings: PATIENT },
  );
});

/** The runtime of one more process on the same database. */
const beside = (app: Runtime = here.app): Runtime => ({ ...app, metrics: openMetrics() });

const PROCESSES = 4;
const HOUR = 3_600;
const DAY = 24 * HOUR;
let named = 0;

/** A rate as several processes have it. It gives nothing back while a test lasts, unless told so. */
function rateOf(burst: number, perSecond = burst / DAY, processes = PROCESSES): SharedRates[] {
  const name = `rate ${++named}`;
  return Array.from({ length: processes }, () => new SharedRates(beside(), { name, perSecond, burst }));
}

/** Takes from each, one after the other, `times` times; the numbers that were given out. */
async function takeInTurn(rates: readonly SharedRates[], times: number): Promise<number[]> {
  const given = rates.map(() => 0);
  for (let n = 0; n < times; n++)
    for (const [i, rate] of rates.entries()) given[i]! += Number((await rate.take("key")) === 0);
  return given;
}

/** Whether this is the time to wait, as told by a machine that may have been slow. */
const isAbout = (seconds: number, wanted: number) => seconds > wanted - HOUR && seconds <= wanted + 1;

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

async function exchangesOf(app: Runtime, outcome: "shared" | "alone"): Promise<number> {
  const metric = await app.metrics.getSingleMetric("atumpan_rate_exchanges_total")!.get();
  return metric.values.find(({ labels }) => labels.outcome === outcome)!.value;
}

test("a small rate is exact over all processes, also when all ask at the same moment", async () => {
  const inTurn = rateOf(5);
  assert.equal(sum(await takeInTurn(inTurn, 5)), 5);
  const atOnce = rateOf(5);
  const waits = await Promise.all(Array.from({ length: 40 }, (_, n) => atOnce[n % PROCESSES]!.take("key")));
  assert.equal(waits.filter((seconds) => seconds === 0).length, 5);
  assert.ok(
    waits.every((seconds) => seconds === 0 || isAbout(seconds, DAY / 5)),
    `${waits}`,
  );
  assert.equal(await atOnce[0]!.take("another"), 0);
});

test("a large rate is exact within a hundredth for each process, and all of it can be had at one", async () => {
  const spread = sum(await takeInTurn(rateOf(1_000), 500));
  assert.ok(spread >= 1_000 && spread <= 1_000 + 10 * PROCESSES, `${spread}`);
  const [one, ...others] = rateOf(1_000);
  const few = sum(await takeInTurn(others, 3));
  const many = sum(await takeInTurn([one!], 2_000));
  assert.ok(few + many >= 1_000 && few + many <= 1_000 + 10 * PROCESSES, `${few} + ${many}`);
});

test("who takes little of a large rate waits for no answer of the database, and one statement tells of many", async () => {
  const app = beside();
  const rate = new SharedRates(app, { name: "little", perSecond: 1_000 / DAY, burst: 1_000 });
  for (let n = 0; n < 8; n++)
    for (const key of ["a", "b", "c"]) assert.equal(rate.take(key), 0, "at once, without a promise");
  const isTold = async () => (await rows(app, "SELECT FROM rates WHERE name = 'little'")).length === 3;
  await until(isTold);
  assert.equal(await exchangesOf(app, "shared"), 1);
});

test("a process that ends tells what it has given out", async () => {
  const app = beside();
  const rate = new SharedRates(app, { name: "the last", perSecond: 1_000 / DAY, burst: 1_000 });
  for (let n = 0; n < 7; n++) assert.equal(rate.take("key"), 0);
  await stopSharing(app);
  const [{ told }] = await rows(app, "SELECT told FROM rates WHERE name = 'the last'");
  assert.equal(Math.round(told), 7, "but for what the rate has given back");
});

test("keys that are asked for at the same moment share one statement", async () => {
  const app = beside();
  const rate = new SharedRates(app, { name: "many keys", perSecond: 1, burst: 1 });
  const taken = await Promise.all(Array.from({ length: 300 }, (_, n) => rate.take(`key ${n}`)));
  assert.equal(sum(taken), 0);
  assert.equal(await exchangesOf(app, "shared"), 1);
});

test("what is given back at one process can be had at another", async () => {
  const [one, other] = rateOf(1, 1 / DAY, 2);
  assert.equal(await one!.take("key"), 0);
  one!.giveBack("key");
  const isGivenBack = async () =>
    (await rows(here.app, "SELECT FROM rates WHERE name = $1 AND full_at <= now()", [`rate ${named}`]))
      .length === 1;
  await until(isGivenBack);
  assert.equal(await other!.take("key"), 0);
  assert.notEqual(await one!.take("key"), 0);
});

test("a bucket owes no more than its burst where the database's clock was set back", async () => {
  const [rate] = rateOf(10, 10 / DAY, 1);
  assert.equal(await rate!.take("key"), 0);
  await rows(here.app, "UPDATE rates SET full_at = now() + interval '1 year' WHERE name = $1", [
    `rate ${named}`,
  ]);
  // It owes ten, and has one once it has given back eleven.
  assert.ok(isAbout(await rate!.take("key"), 1.1 * DAY));
});

test("buckets that are full again are forgotten, and those beyond the most that are kept", async () => {
  const [rate] = rateOf(3, 1 / HOUR, 1);
  for (const key of ["a", "b", "c"]) assert.equal(await rate!.take(key), 0);
  const name = `rate ${named}`;
  const kept = async () =>
    (await rows(here.app, "SELECT count(*) AS count FROM rates WHERE name = $1", [name]))[0].count;
  await forgetRates(here.app);
  assert.equal(await kept(), 3);
  await here.app.database.run(deleteSurplusRates, [name, 2, 10]);
  assert.equal(await kept(), 2);
  await rows(here.app, "UPDATE rates SET full_at = now() - interval '1 second' WHERE name = $1", [name]);
  await forgetRates(here.app);
  assert.equal(await kept(), 0);
});

test("while the database is away each process counts for itself, and what it gave out counts afterwards", async (t) => {
  const apart = await testService(t, { config: { roles: new Set(["api"]), simulator: false } });
  const [app, other] = [beside(apart.app), beside(apart.app)];
  const options = { name: "away", perSecond: 20 / DAY, burst: 20 };
  const [rate, otherRate] = [new SharedRates(app, options), new SharedRates(other, options)];
  const restore = await cutDatabase(apart.ownerUrl);
  assert.equal(sum(await takeInTurn([rate], 30)), 20);
  assert.equal(sum(await takeInTurn([otherRate], 5)), 5);
  assert.ok((await exchangesOf(app, "alone")) >= 1);
  assert.equal(await exchangesOf(app, "shared"), 0);
  await restore();
  for (const one of [app, other]) await until(async () => (await exchangesOf(one, "shared")) >= 1);
  const fresh = new SharedRates(beside(apart.app), options);
  assert.ok((await fresh.take("key")) > 0, "nothing is left");
});

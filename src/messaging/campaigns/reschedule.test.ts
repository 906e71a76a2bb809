// Rescheduling: another time before the first one has come, and each occurrence once, whoever is faster.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { newPhone } from "../../../test/codes.ts";
import { countWaiting } from "../../../test/locks.ts";
import { addOperator, balanceOf, rows } from "../../../test/sending.ts";
import {
  type Answered,
  type Company,
  type TestService,
  testService,
  until,
} from "../../../test/testservice.ts";
import { nowMs } from "../../platform/clock.ts";
import { runDueCampaigns } from "./due.ts";

const DAY_MS = 24 * 3_600_000;
/** A midnight to come, so many days from now. */
const midnight = (days: number) => new Date(Math.ceil(nowMs() / DAY_MS) * DAY_MS + days * DAY_MS);
const EVERY_DAY = Object.fromEntries(
  ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map((day) => [day, "00:00"]),
);

test("rescheduling", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"]), simulator: false } });
  await addOperator(here, 1);

  const scheduled = (company: Company, date: Date) =>
    create(company, { type: "SCHEDULED", scheduledDate: date.toISOString() });
  const series = (company: Company) => create(company, { type: "RECURRING", recurring: EVERY_DAY });
  async function create(company: Company, times: object): Promise<string> {
    const body = { contacts: [newPhone()], text: "Bonjour", ...times };
    return (await dataOf(company.call("/v1/campaign/create", body))).id;
  }
  const reschedule = (company: Company, id: string, times: object) =>
    company.call(`/v1/campaign/${id}/reschedule`, times);
  const runsOf = async (id: string): Promise<string[]> => {
    const found = await rows(here.app, "SELECT occurrence FROM campaign_runs WHERE campaign_id = $1", [id]);
    return found.map(({ occurrence }) => occurrence.toISOString()).sort();
  };

  await t.test("a scheduled campaign goes at its new time alone, and by the rules of creation", async () => {
    const company = await here.company({ credits: 10 });
    const id = await scheduled(company, midnight(1));
    const date = midnight(3).toISOString();
    const { data } = await reschedule(company, id, { scheduledDate: date });
    assert.deepEqual([data.scheduledDate, data.status], [date, "PENDING"]);
    await runDueCampaigns(here.app, midnight(2));
    assert.deepEqual(await runsOf(id), []);
    const wrong: object[] = [
      {},
      { scheduledDate: "2020-01-01T00:00:00Z" },
      { scheduledDate: date.replace("00:00.000", "01:00.000") },
      { recurring: EVERY_DAY },
      { scheduledDate: midnight(400).toISOString() },
    ];
    for (const times of wrong)
      assert.equal((await reschedule(company, id, times)).error, "invalid-schedule", JSON.stringify(times));
    await runDueCampaigns(here.app, midnight(3));
    assert.deepEqual(await runsOf(id), [date]);
    assert.equal(await balanceOf(company), 9);
    assert.equal((await reschedule(company, id, { scheduledDate: midnight(5) })).error, "conflict");
  });

  await t.test("a series goes on by its new days", async () => {
    const company = await here.company({ credits: 10 });
    const id = await series(company);
    const day = new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" }).format(midnight(2));
    const { data } = await reschedule(company, id, { recurring: { [day.toLowerCase()]: "00:15" } });
    assert.deepEqual(data.recurring, { [day.toLowerCase()]: "00:15" });
    assert.equal(new Date(data.nextRunAt).getTime(), midnight(2).getTime() + 15 * 60_000);
    assert.equal((await reschedule(company, id, { recurring: {} })).error, "invalid-schedule");
    await dataOf(company.call(`/v1/campaign/${id}/cancel`));
    assert.equal((await reschedule(company, id, { recurring: EVERY_DAY })).error, "conflict");
    const { id: sent } = await dataOf(
      company.call("/v1/campaign/create", { contacts: [newPhone()], text: "Bonjour" }),
    );
    assert.equal((await reschedule(company, sent, { recurring: EVERY_DAY })).error, "conflict");
    assert.equal((await reschedule(company, "none", {})).error, "campaign-not-found");
  });

  await t.test("T01 whose time has come is not moved any more", async () => {
    const company = await here.company({ credits: 10 });
    const id = await scheduled(company, midnight(1));
    await rows(here.app, "UPDATE campaigns SET next_at = now() WHERE id = $1", [id]);
    const moved = await reschedule(company, id, { scheduledDate: midnight(3).toISOString() });
    assert.equal(moved.error, "conflict");
    await runDueCampaigns(here.app, null);
    assert.equal((await runsOf(id)).length, 1);
  });

  await t.test("T01 while a node runs a campaign, the other way round waits, and finds it gone", async () => {
    const company = await here.company({ credits: 10 });
    const [id, weekly] = [await scheduled(company, midnight(1)), await series(company)];
    const first = (await dataOf(company.call(`/v1/campaign/${weekly}`))).nextRunAt as string;
    const during = await runWhile(here, company, () => [
      reschedule(company, id, { scheduledDate: midnight(3).toISOString() }),
      reschedule(company, weekly, { recurring: EVERY_DAY }),
    ]);
    assert.deepEqual(
      during.map(({ error }) => error),
      ["conflict", null],
    );
    const { nextRunAt } = during[1]!.data;
    assert.equal(new Date(nextRunAt).getTime(), midnight(2).getTime(), "not the occurrence that has run");
    assert.ok(new Date(first) < new Date(nextRunAt));
    await runDueCampaigns(here.app, midnight(2));
    assert.deepEqual(
      [(await runsOf(id)).length, new Set(await runsOf(weekly)).size, (await runsOf(weekly)).length],
      [1, 3, 3],
    );
  });

  await t.test("T01 many reschedules against several nodes: each occurrence runs once", async () => {
    const company = await here.company({ credits: 100 });
    const ids = await Promise.all(Array.from({ length: 6 }, () => scheduled(company, midnight(1))));
    const weekly = await Promise.all(Array.from({ length: 4 }, () => series(company)));
    const [moves] = await Promise.all([
      Promise.all([
        ...ids.map((id) => reschedule(company, id, { scheduledDate: midnight(2).toISOString() })),
        ...weekly.map((id) => reschedule(company, id, { recurring: EVERY_DAY })),
      ]),
      ...[1, 2, 3].map(() => runDueCampaigns(here.app, midnight(1))),
    ]);
    await runDueCampaigns(here.app, midnight(1));
    for (const [i, id] of ids.entries()) {
      assert.deepEqual(await runsOf(id), moves[i]!.success ? [] : [midnight(1).toISOString()]);
    }
    await runDueCampaigns(here.app, midnight(2));
    for (const id of ids) assert.equal((await runsOf(id)).length, 1);
    for (const id of weekly)
      assert.deepEqual(
        await runsOf(id),
        [0, 1, 2].map((days) => midnight(days).toISOString()),
      );
    // The first occurrence of each series was a day late, so it is recorded as missed.
    assert.equal(await balanceOf(company), 100 - 6 - 4 * 2);
  });
});

/** Runs what is due at the second midnight to come, and asks while the runs wait for the company's pool. */
async function runWhile(
  here: TestService,
  company: Company,
  ask: () => Promise<Answered>[],
): Promise<Answered[]> {
  const { running, asked } = await here.app.database.transaction(async (tx) => {
    await tx.run({ name: "test.lockPool", text: "SELECT FROM pools WHERE id = $1 FOR UPDATE" }, [
      company.companyId,
    ]);
    // Two nodes: each holds a campaign and waits for the pool.
    const running = [1, 2].map(() => runDueCampaigns(here.app, midnight(1)));
    await until(async () => (await countWaiting(here.app)) === 2);
    const asked = ask();
    await until(async () => (await countWaiting(here.app)) === 4);
    return { running, asked };
  });
  await Promise.all(running);
  return Promise.all(asked);
}

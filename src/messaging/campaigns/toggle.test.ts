// Series that their company pauses and resumes (D17).
import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { type Company, type TestService, testService } from "../../../test/testservice.ts";
import { runDueCampaigns } from "./due.ts";
import { WEEKDAYS } from "./schedule.ts";

const DAY_MS = 24 * 3_600_000;
const QUARTER_MS = 15 * 60_000;
/** The first occurrence: hours from now, so that nothing is due by itself. */
const FIRST = new Date(Math.ceil(Date.now() / QUARTER_MS) * QUARTER_MS + 8 * 3_600_000);
const DAILY = Object.fromEntries(WEEKDAYS.map((day) => [day, FIRST.toISOString()]));
const dayAfter = (days: number) => new Date(FIRST.getTime() + days * DAY_MS);

suite("a series", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let company: Company;

  before(async () => {
    w = await testService({ after: (close) => closing.push(close) });
    company = await w.company({ credits: 100 });
  });
  test.after(async () => {
    for (const close of closing) await close();
  });

  const make = async (more: object) => {
    const body = { contacts: ["2250700001234"], text: "Bonjour", ...more };
    return (await company.call("/v1/campaign/create", body)).data.id as string;
  };
  const read = async (id: string) => (await company.call(`/v1/campaign/${id}`)).data;
  const toggle = (id: string) => company.call(`/v1/campaign/${id}/toggle-enable`);
  const balance = async () => (await company.call("/v1/credit/balance")).data;

  test("D17: paused, its occurrences are skipped, recorded and not charged, and resumed it runs again", async () => {
    const id = await make({ type: "RECURRING", recurring: DAILY });
    const first = await read(id);
    assert.equal(first.isEnabled, true);
    const paused = await toggle(id);
    assert.deepEqual([paused.data.id, paused.data.isEnabled, paused.data.status], [id, false, "ACTIVE"]);
    const { error, details } = await company.call(`/v1/campaign/${id}/resume`);
    assert.equal(error, "conflict");
    assert.match(details![0]!.message, /toggle-enable/);
    const credits = await balance();
    for (const day of [0, 1, 2, 3, 4]) await runDueCampaigns(w.app, dayAfter(day));
    const skipped = await read(id);
    assert.deepEqual(
      skipped.runs.map((run: Record<string, unknown>) => [run.status, run.error, run.creditUsed]),
      Array.from({ length: 5 }, () => ["MISSED", "paused", 0]),
    );
    assert.equal(await balance(), credits);
    assert.equal(skipped.nextRunAt, dayAfter(5).toISOString());
    assert.equal((await toggle(id)).data.isEnabled, true);
    await runDueCampaigns(w.app, dayAfter(5));
    assert.equal((await read(id)).runs[0].error, null);
    assert.equal(await balance(), credits - 1);
  });

  test("D17: nothing but a series that is not canceled is paused, and nobody else pauses it", async () => {
    const once = await make({});
    assert.equal((await read(once)).isEnabled, true);
    const later = await make({ type: "SCHEDULED", scheduledDate: FIRST.toISOString() });
    const series = await make({ type: "RECURRING", recurring: DAILY });
    const other = await w.company();
    assert.equal((await other.call(`/v1/campaign/${series}/toggle-enable`)).error, "campaign-not-found");
    await company.call(`/v1/campaign/${series}/cancel`);
    assert.equal((await read(series)).isEnabled, false);
    for (const id of [once, later, series]) assert.equal((await toggle(id)).error, "campaign-not-cancelable");
  });
});

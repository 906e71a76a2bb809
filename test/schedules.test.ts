// Schedules under killed processes. In virtual days each occurrence runs once, whichever process dies.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { nextOccurrence, WEEKDAYS, type Week } from "../src/messaging/campaigns/schedule.ts";
import { QUOTAS } from "./fixtures.ts";
import { atLength, inLongRuns } from "./length.ts";
import { addOperator, assertBalanced, phones, rows, stacked, waitingMessages } from "./sending.ts";
import { type Company, type TestService, testService, until } from "./testservice.ts";
import { makeClock, startVirtualWorker, type VirtualWorker } from "./virtual-worker.ts";

const QUARTER_MS = 15 * 60_000;
const DAY_QUARTERS = 96;
const QUARTERS = atLength({ short: 1, long: 2, night: 7 }) * DAY_QUARTERS;
const WORKERS = 4;
// The number of recurring campaigns at each quarter of an hour, every day of the week.
const PER_QUARTER = 2;
const CONTACTS = 10;
// A worker is killed at every so many quarters, which is every few seconds. Then this many more campaigns are due.
const KILL_EVERY = 16;
const AT_A_KILL = 12;
// More than the 10,000 that are queued at once. The rest goes in steps, which other processes take over from those that
// die.
const LARGE = 22_000;
const LIMIT_MS = 60_000;

type Occurrence = string;
type Site = { here: TestService; company: Company; setClock: (now: Date) => Promise<void> };

async function siteOf(t: TestContext): Promise<Site & { startWorker: () => Promise<VirtualWorker> }> {
  const scope = stacked(t);
  const limits = { requestsPerSecond: 100_000, requestBurst: 100_000, quotas: QUOTAS };
  const here = await testService(scope, { config: { roles: new Set(["api"]), simulator: false }, limits });
  // The phones need an operator, though nothing is sent here.
  await addOperator(here, 1);
  const company = await here.company({ credits: 10_000_000 });
  const setClock = await makeClock(here.app);
  return {
    here,
    company,
    setClock,
    async startWorker() {
      const worker = await startVirtualWorker(here);
      scope.after(worker.kill);
      return worker;
    },
  };
}

async function create(company: Company, body: object): Promise<void> {
  const answer = await company.call("/v1/campaign/create", { text: "Bonjour", ...body });
  assert.equal(answer.success, true, JSON.stringify(answer));
}

/** Creates campaigns at each quarter of an hour of every day. */
async function createRecurring(company: Company, perQuarter: number): Promise<void> {
  const contacts = phones(CONTACTS);
  const creating = Array.from({ length: DAY_QUARTERS * perQuarter }, (_, i) => {
    const time = new Date((i % DAY_QUARTERS) * QUARTER_MS).toISOString();
    const recurring = Object.fromEntries(WEEKDAYS.map((day) => [day, `2027-01-01${time.slice(10)}`]));
    return create(company, { contacts, type: "RECURRING", recurring });
  });
  await Promise.all(creating);
}

/** Every occurrence from the campaigns' next ones to `end`, as the calendar has them. */
async function occurrencesUntil({ here }: Site, end: Date): Promise<Occurrence[]> {
  const waiting = await rows(here.app, "SELECT id, week, next_at FROM campaigns");
  return waiting
    .flatMap(({ id, week, next_at }: { id: string; week: Week | null; next_at: Date }) => {
      const found: Occurrence[] = [];
      for (let at: Date | null = next_at; at && at <= end; at = week && nextOccurrence(week, at))
        found.push(`${id} ${at.toISOString()}`);
      return found;
    })
    .sort();
}

async function firstOccurrence({ here }: Site): Promise<Date> {
  const [first] = await rows(here.app, "SELECT min(next_at) AS at FROM campaigns");
  return first.at;
}

/** Waits until everything due at this time has run or is recorded as missed. */
function allRun({ here }: Site, now: Date): Promise<boolean> {
  const due = "SELECT FROM campaigns WHERE next_at <= $1 LIMIT 1";
  return until(async () => (await rows(here.app, due, [now])).length === 0, LIMIT_MS);
}

/**
 * Asserts that each run was sent once: its send, hold and messages, for the price of its contacts. Returns all runs.
 */
async function assertEachSentOnce({ here }: Site) {
  const runs = await rows(
    here.app,
    `SELECT run.campaign_id, run.occurrence, run.send_id, run.failure, run.contact_count, run.credit_used, hold.total AS held,
            totals.total
     FROM campaign_runs run
     LEFT JOIN holds hold ON hold.id = run.send_id
     LEFT JOIN sends totals ON totals.id = run.send_id`,
  );
  const queued = Map.groupBy(await waitingMessages(here.app), (message) => message.sendId);
  const sent = runs.filter((run) => run.failure === null);
  for (const { send_id: id, contact_count: each, credit_used, held, total } of sent) {
    const numbers = (queued.get(id) ?? []).map((message) => message.number);
    const counts = [credit_used, held, total, numbers.length, new Set(numbers).size];
    assert.deepEqual(counts, [each, each, each, each, each]);
  }
  assert.equal(new Set(sent.map((run) => run.send_id)).size, sent.length);
  // Every hold and every send belongs to a run.
  const [all] = await rows(
    here.app,
    "SELECT (SELECT count(*) FROM holds) AS holds, (SELECT count(*) FROM sends) AS sends",
  );
  assert.deepEqual(all, { holds: sent.length, sends: sent.length });
  const messages = sent.reduce((sum, run) => sum + run.contact_count, 0);
  assert.equal((await assertBalanced(here)).held, messages);
  return runs;
}

function occurrenceOf(run: { campaign_id: string; occurrence: Date }): Occurrence {
  return `${run.campaign_id} ${run.occurrence.toISOString()}`;
}

test("T01: four workers, killed one after another, run each quarter-hourly occurrence of several days once", {
  ...inLongRuns,
  timeout: 600_000,
}, async (t) => {
  const site = await siteOf(t);
  const { company, setClock, startWorker } = site;
  await createRecurring(company, PER_QUARTER);
  const start = await firstOccurrence(site);
  const quarter = (n: number) => new Date(start.getTime() + n * QUARTER_MS);
  const isKill = (n: number) => n % KILL_EVERY === KILL_EVERY - 1;
  for (let n = 0; n < QUARTERS; n++) {
    const scheduled = {
      contacts: phones(CONTACTS),
      type: "SCHEDULED",
      scheduledDate: quarter(n).toISOString(),
    };
    if (isKill(n)) await Promise.all(Array.from({ length: AT_A_KILL }, () => create(company, scheduled)));
  }
  await createLarge(company, quarter(2 * KILL_EVERY - 1));
  const expected = await occurrencesUntil(site, quarter(QUARTERS - 1));
  const times = new Set(expected.map((occurrence) => occurrence.split(" ")[1]));
  assert.equal(times.size, QUARTERS);

  const workers = await Promise.all(Array.from({ length: WORKERS }, startWorker));
  const startedAt = performance.now();
  let [kills, amid] = [0, 0];
  for (let n = 0; n < QUARTERS; n++) {
    await setClock(quarter(n));
    if (isKill(n)) {
      const victim = kills++ % WORKERS;
      if (await workers[victim]!.killAmid()) amid++;
      await allRun(site, quarter(n));
      workers[victim] = await startWorker();
    }
    await allRun(site, quarter(n));
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const { app } = site.here;
  await until(async () => (await rows(app, "SELECT FROM unqueued_sends")).length === 0, LIMIT_MS);

  const runs = await assertEachSentOnce(site);
  assert.deepEqual(runs.map(occurrenceOf).sort(), expected);
  assert.deepEqual([...new Set(runs.map((run) => run.failure))], [null]);
  assert.ok(amid > 0, "no worker was killed within a transaction");
  const pace = `${seconds.toFixed(0)} s, one kill every ${(seconds / kills).toFixed(1)} s`;
  t.diagnostic(
    `${runs.length} occurrences, each once; ${kills} SIGKILLs, ${amid} within a transaction; ${pace}`,
  );
});

/** Creates a campaign to a group that is too large to be queued at once. */
async function createLarge(company: Company, date: Date): Promise<void> {
  const group = (await company.call("/v1/group/create", { name: "Tous" })).data.id;
  const all = phones(LARGE, "22505");
  for (let at = 0; at < LARGE; at += 10_000) {
    const { data } = await company.call("/v1/contact/create", { contacts: all.slice(at, at + 10_000) });
    const contactIds = data.map((contact: { id: string }) => contact.id);
    await company.call(`/v1/group/${group}/contacts/add`, { contactIds });
  }
  await create(company, { groupsIds: [group], type: "SCHEDULED", scheduledDate: date.toISOString() });
}

test("T02: after three hours without workers, runs up to an hour late are sent; others are missed and free", {
  ...inLongRuns,
  timeout: 600_000,
}, async (t) => {
  const site = await siteOf(t);
  await createRecurring(site.company, 1);
  const start = await firstOccurrence(site);
  const quarter = (n: number) => new Date(start.getTime() + n * QUARTER_MS);
  const [before, down, after] = [4, 12, 4];
  const expected = await occurrencesUntil(site, quarter(before + down + after - 1));
  let workers = await Promise.all(Array.from({ length: WORKERS }, site.startWorker));
  for (let n = 0; n < before; n++) {
    await site.setClock(quarter(n));
    await allRun(site, quarter(n));
  }
  await Promise.all(workers.map((worker) => worker.kill()));
  const back = quarter(before + down - 1);
  await site.setClock(back);
  workers = await Promise.all(Array.from({ length: WORKERS }, site.startWorker));
  await allRun(site, back);
  for (let n = before + down; n < before + down + after; n++) {
    await site.setClock(quarter(n));
    await allRun(site, quarter(n));
  }

  const runs = await assertEachSentOnce(site);
  assert.deepEqual(runs.map(occurrenceOf).sort(), expected);
  const late = (run: { occurrence: Date }) => back.getTime() - run.occurrence.getTime();
  const isDown = (run: { occurrence: Date }) => run.occurrence >= quarter(before) && run.occurrence <= back;
  const missed = runs.filter((run) => run.failure === "missed");
  assert.deepEqual(
    missed,
    runs.filter((run) => isDown(run) && late(run) > 3_600_000),
  );
  assert.equal(missed.length, 7);
  for (const { send_id, credit_used } of missed) assert.deepEqual([send_id, credit_used], [null, 0]);
  t.diagnostic(`${runs.length} occurrences, ${missed.length} of them missed`);
});

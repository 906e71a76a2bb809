// The counts beside lists of campaigns and opt-outs: exact, whoever writes side by side, and for what was there before.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { type Company, testService, until } from "../../../test/testservice.ts";
import { migrate } from "../../platform/database/migrate.ts";
import { loginOf } from "../../platform/database/rights.ts";
import { runDueCampaigns } from "./due.ts";

const MIGRATIONS = join(import.meta.dirname, "../../../migrations");
const UNDO = `DROP TABLE campaign_counts, optout_counts; DROP INDEX campaign_runs_by_send;
  DROP FUNCTION count_optouts, count_optouts_off CASCADE`;
// Later migrations count campaigns by the statement that writes them, and in one row.
const REDO = "DROP FUNCTION count_campaigns CASCADE";

test("lists count exactly what there is", async (t) => {
  const w = await testService(t);

  async function senderOf(company: Company, name: string): Promise<string> {
    const { data } = await company.call("/v1/sender/create", { name, description: "test" });
    await w.admin(`/v1/admin/sender/${data.id}/accept`, { reason: "Test" });
    return data.id;
  }

  const company = await w.company({ credits: 60 });
  const poor = await w.company({ credits: 5 });
  const [one, two] = [await senderOf(company, "AWA"), await senderOf(company, "KOFFI")];
  const create = (who: Company, body: object = {}) =>
    who.call("/v1/campaign/create", { contacts: ["2250700000101"], text: "x", ...body });
  const totals = async () => [
    (await company.call("/v1/campaign/list")).totalCount,
    (await company.call(`/v1/sender/${one}/campaign`)).totalCount,
    (await company.call(`/v1/sender/${two}/campaign`)).totalCount,
    (await poor.call("/v1/campaign/list")).totalCount,
    (await company.call("/v1/optout/list")).totalCount,
  ];

  await t.test(
    "campaigns of two companies, gathered, refused and of every type; opt-outs twice",
    async () => {
      assert.deepEqual(await totals(), [0, 0, 0, 0, 0]);
      const scheduledDate = "2027-01-04T10:00:00Z";
      const later = { type: "RECURRING", recurring: { monday: scheduledDate }, senderId: "KOFFI" };
      await Promise.all([
        ...Array.from({ length: 30 }, (_, i) => create(company, { senderId: i % 3 === 0 ? "AWA" : "KOFFI" })),
        ...Array.from({ length: 12 }, () => create(poor)),
        ...Array.from({ length: 4 }, () => create(company, later)),
        ...Array.from({ length: 8 }, (_, i) =>
          company.call("/v1/optout/create", { phone: `225070000020${i % 5}` }),
        ),
      ]);
      await company.call("/v1/optout/delete", { phone: "2250700000204" });
      await company.call("/v1/optout/delete", { phone: "2250700000209" });
      assert.deepEqual(await totals(), [34, 10, 24, 5, 4]);
    },
  );

  await t.test("pages are the same from either end", async () => {
    const page = async (body: object) =>
      (await company.call("/v1/campaign/list", body)).data.map((row: { id: string }) => row.id);
    const all = await page({ limit: 100 });
    assert.deepEqual(all, [...all].sort().reverse());
    for (const number of [1, 2, 3, 4, 5]) {
      const part = all.slice((number - 1) * 7, number * 7);
      assert.deepEqual(await page({ limit: 7, page: number }), part);
      const ascending = all.toReversed().slice((number - 1) * 7, number * 7);
      assert.deepEqual(await page({ limit: 7, page: number, sort: "asc" }), ascending);
    }
    assert.deepEqual(await page({ page: 5 }), []);
  });

  await t.test("messages are listed as the campaign numbers them, or from the last", async () => {
    const contacts = Array.from({ length: 7 }, (_, i) => `225070000030${i}`);
    const sending = await w.company({ credits: 10 });
    const { id } = (await create(sending, { contacts })).data;
    const page = async (body: object) => {
      const { data, count } = await sending.call(`/v1/campaign/${id}/messages`, { limit: 3, ...body });
      assert.equal(count, data.length);
      return data.map((message: { phone: string }) => message.phone.at(-1)).join("");
    };
    for (const [sort, pages] of [
      [null, ["012", "345", "6", ""]],
      ["asc", ["012", "345", "6", ""]],
      ["desc", ["654", "321", "0", ""]],
    ] as const) {
      for (const [i, phones] of pages.entries())
        assert.equal(await page({ sort, page: i + 1 }), phones, `${sort}`);
    }
  });

  await t.test(
    "a series counts all of its runs, and shows the messages of any, also beyond the newest 100",
    async () => {
      const series = await w.company({ credits: 200 });
      const recurring = { monday: "1970-01-01T09:00:00Z" };
      // The operator refuses this number: every run is paid back.
      const { id } = (await create(series, { contacts: ["2250700000001"], type: "RECURRING", recurring }))
        .data;
      const read = async () => (await series.call(`/v1/campaign/${id}`)).data;
      const sends: string[] = [];
      while (sends.length < 102) {
        await runDueCampaigns(w.app, new Date((await read()).nextRunAt));
        sends.push((await read()).runs[0].id);
      }
      assert.equal(new Set(sends).size, 102);
      const full = await until(async () => {
        const data = await read();
        return data.stats.failed === 102 && data;
      });
      assert.deepEqual(full.stats, { total: 102, queued: 0, sent: 0, delivered: 0, failed: 102, blocked: 0 });
      assert.deepEqual([full.creditUsed, full.creditRefunded, full.runs.length], [102, 102, 100]);
      const first = await series.call(`/v1/campaign/${id}/messages`, { runId: sends[0] });
      assert.deepEqual([first.totalCount, first.data[0].status], [1, "REJECTED"]);
      const newest = await series.call(`/v1/campaign/${id}/messages`);
      assert.equal(newest.totalCount, 1);
      const unknown = await series.call(`/v1/campaign/${id}/messages`, { runId: id });
      assert.equal(unknown.error, "campaign-not-found");
    },
  );

  await t.test("X02: what a version before had written is counted by the migration", async () => {
    const client = new pg.Client({ connectionString: w.ownerUrl });
    await client.connect();
    const [counts, oneCount] = await Promise.all(
      ["0014_counts.sql", "0031_one_count.sql"].map((name) => readFile(join(MIGRATIONS, name), "utf8")),
    );
    await client.query(`BEGIN; ${UNDO}; ${counts}; ${REDO}; ${oneCount}; COMMIT`);
    await client.end();
    await migrate(w.ownerUrl, { login: loginOf(w.databaseUrl) }); // the tables are new, so they are granted again
    assert.deepEqual(await totals(), [34, 10, 24, 5, 4]);
    assert.equal((await create(company, { senderId: "AWA" })).success, true);
    assert.deepEqual(await totals(), [35, 11, 24, 5, 4]);
  });
});

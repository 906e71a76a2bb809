// Credits by day: each day's end is reckoned back from now, exactly, and no request reads a whole history.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { balanceOf, inBulk, phones, rows, send, settled } from "../../../test/sending.ts";
import { type Company, testService } from "../../../test/testservice.ts";

const DAY_MS = 86_400_000;
const REJECTED = "2250700000001";

const stats = (company: Company, body: object = {}) => company.call("/v1/transaction/stats", body);

test("credits by day add up, for a company that grants, spends and takes back", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 100 });
  const other = await here.company({ credits: 5 });
  const campaign = await send(company, [REJECTED, ...phones(3)]);
  await settled(company, campaign);
  await settled(company, await send(company, phones(1)));
  await send(other, phones(1));

  const [today, ...before] = await dataOf(stats(company));
  assert.deepEqual([today.creditAvailable, today.creditUsed], [96, 4]);
  assert.equal(await balanceOf(company), 96);
  assert.equal(before.length, 29);
  assert.deepEqual([before[0].creditAvailable, before[0].creditUsed], [0, 0]);
  assert.match(today.createdAt, /T00:00:00\.000Z$/, "midnight in Abidjan");

  await t.test("what was given and spent on earlier days stands there", async () => {
    const at = (days: number) => new Date(Date.parse(today.createdAt) - days * DAY_MS + DAY_MS / 2);
    const entry = `INSERT INTO entries (key, kind, from_pool, to_pool, amount, created_at) VALUES ($1, $2, $3, $4, $5, $6)`;
    const { companyId } = company;
    await rows(here.app, entry, ["g", "grant", "world", companyId, 60, at(3)]);
    await rows(here.app, entry, ["c", "correction", companyId, "world", 10, at(2)]);
    await rows(
      here.app,
      "INSERT INTO message_days (account_id, day, operator_id, sent, credits) VALUES ($1, $2, 'gone', 20, 20), ($1, $2, 'other', 1, 5)",
      [companyId, at(2).toISOString().slice(0, 10)],
    );
    await rows(here.app, "UPDATE pools SET available = available + 25 WHERE id = $1", [companyId]);
    const found = await dataOf(stats(company, { limit: 5 }));
    assert.deepEqual(
      found.map((row: Record<string, number>) => [row.creditAvailable, row.creditUsed]),
      [
        [121, 4],
        [25, 0],
        [25, 25],
        [60, 0],
        [0, 0],
      ],
    );
    const range = { from: at(3).toISOString().slice(0, 10), to: at(2).toISOString().slice(0, 10) };
    const two = await stats(company, { ...range, sort: "asc", page: 2, limit: 1 });
    assert.deepEqual([two.totalCount, two.data], [2, [found[2]]]);
  });

  await t.test(
    "beyond 100,000 entries of the ledger the days end, and a range that is none is refused",
    async () => {
      const day = (days: number) => new Date(Date.parse(today.createdAt) - days * DAY_MS);
      await inBulk(
        here.app,
        `INSERT INTO entries (key, kind, from_pool, to_pool, amount, created_at)
       SELECT 'r' || i, 'release', $1, $1, 1, $2::timestamptz + i * interval '1 millisecond' FROM generate_series(1, 100000) i`,
        [other.companyId, day(2)],
      );
      assert.equal((await stats(other)).totalCount, 3, "today, yesterday, and the day that was reached");
      for (const body of [
        { from: "2026-02-30" },
        { from: "2026-01-02", to: "2026-01-01" },
        { from: "2024-01-01", to: "2024-02-01" },
        { from: day(100).toISOString().slice(0, 10) },
      ])
        assert.equal((await stats(other, body)).error, "invalid-request", JSON.stringify(body));
      const long = { from: day(300).toISOString().slice(0, 10), to: day(280).toISOString().slice(0, 10) };
      assert.equal((await stats(company, long)).totalCount, 21);
      const future = { from: day(-1).toISOString().slice(0, 10), to: day(-2).toISOString().slice(0, 10) };
      assert.deepEqual((await stats(company, future)).data, []);
    },
  );
});

// Statistics: they count exactly what became of messages, by the days of the company, added up or not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rows, send } from "../../../test/sending.ts";
import { type Company, testService, until } from "../../../test/testservice.ts";
import { addCounters } from "../../delivery/sends/counters/tallies.ts";

// The simulator delivers 1000 to 9999, and says otherwise of others.
const to = (ends: readonly string[]) => ends.map((end) => `225070000${end}`);

test("statistics count what became of messages, whether it is added up or not", async (t) => {
  const w = await testService(t);
  const company = await w.company({ credits: 100 });
  const other = await w.company({ credits: 10 });
  const day = new Date().toISOString().slice(0, 10);
  const daysOf = async (who: Company, body: object = {}) =>
    (await who.call("/v1/statistics/days", { from: day, to: day, ...body })).data;

  const final = async (id: string) => {
    const { stats } = (await company.call(`/v1/campaign/${id}`)).data;
    return stats.queued + stats.sent === 0;
  };
  const several = await send(company, to(["1001", "1002", "1003"]));
  const single = await send(company, to(["1004"]));
  await until(async () => (await final(several)) && (await final(single)));
  const expected = {
    day,
    sent: 4,
    delivered: 4,
    undelivered: 0,
    failed: 0,
    expired: 0,
    canceled: 0,
    credits: 4,
  };
  const check = async () => {
    const [{ byOperator, ...found }] = await daysOf(company);
    assert.deepEqual(found, expected);
    assert.deepEqual(
      byOperator.map(({ operator, ...row }: { operator: string }) => row),
      [{ sent: 4, delivered: 4, undelivered: 0, failed: 0 }],
    );
  };
  await check();
  await addCounters(w.app);
  await check();
  assert.equal((await daysOf(other))[0].sent, 0);

  await t.test("a campaign says what became of its messages, and why", async () => {
    const [{ operator }] = (await daysOf(company))[0].byOperator;
    for (const [id, count] of [
      [several, 3],
      [single, 1],
    ] as const) {
      const { data } = await company.call(`/v1/campaign/${id}/statistics`);
      assert.deepEqual(data.byOperator, [
        { operator, total: count, delivered: count, failed: 0, waiting: 0 },
      ]);
      assert.deepEqual(data.byReason, []);
      const { at, ...end } = data.curve.at(-1);
      assert.deepEqual(end, { sent: count, delivered: count });
    }
    const failed = [
      ["CANCELED", null, false, 4],
      ["REJECTED", "ESME_RINVDSTADR", false, 5],
      ["UNDELIVERED", "011", true, 6],
      ["SENT", null, false, 6],
    ] as const;
    await rows(
      w.app,
      `INSERT INTO tallies (account_ids, send_ids, operator_ids, statuses, errors, quarters, counts, credits)
       SELECT array_agg($1::text), array_agg($2::text), array_agg(NULL::text), array_agg(status), array_agg(error),
              array_agg(CASE WHEN taken THEN 0 END), array_agg(count), array_agg(0)
       FROM unnest($3::text[], $4::text[], $5::boolean[], $6::int[]) AS line (status, error, taken, count)`,
      [
        ...[company.companyId, several],
        ...([0, 1, 2, 3] as const).map((column) => failed.map((line) => line[column])),
      ],
    );
    for (const isAdded of [false, true]) {
      if (isAdded) await addCounters(w.app);
      const { data } = await company.call(`/v1/campaign/${several}/statistics`);
      assert.deepEqual(
        data.byReason.map((row: Record<string, unknown>) => [row.status, row.code, row.count]),
        [
          ["UNDELIVERED", "011", 6],
          ["REJECTED", "ESME_RINVDSTADR", 5],
          ["CANCELED", null, 4],
        ],
      );
      for (const { reason } of data.byReason) assert.ok(reason.length > 10);
      assert.deepEqual(data.byOperator[1], {
        operator: null,
        total: 15,
        delivered: 0,
        failed: 15,
        waiting: 0,
      });
    }
    const nothing = await other.call(`/v1/campaign/${several}/statistics`);
    assert.equal(nothing.error, "campaign-not-found");
  });

  await t.test(
    "days are those of the company's country, also for late receipts and before the adding",
    async () => {
      await rows(w.app, "UPDATE companies SET country = 'IN' WHERE id = $1", [other.companyId]);
      // 18:30 in UTC is midnight in India.
      const quarter = Date.parse("2026-03-01T18:30:00Z") / 900_000;
      await rows(
        w.app,
        `INSERT INTO tallies (at, account_ids, send_ids, operator_ids, statuses, errors, quarters, counts, credits) VALUES
       ('2026-03-01 18:29:59Z', ARRAY[$1], ARRAY[NULL], ARRAY['gone'], ARRAY['SENT'], ARRAY[NULL], ARRAY[NULL]::int[], '{1}', '{2}'),
       ('2026-03-01 18:30:00Z', ARRAY[$1, $1], ARRAY[NULL, NULL], ARRAY['gone', NULL], ARRAY['SENT', 'EXPIRED'], ARRAY[NULL, 'expired'], ARRAY[NULL, NULL]::int[], '{3,4}', '{6,0}'),
       ('2026-03-03 00:00:00Z', ARRAY[$1], ARRAY[NULL], ARRAY['gone'], ARRAY['DELIVERED'], ARRAY[NULL], ARRAY[$2]::int[], '{1}', '{0}')`,
        [other.companyId, quarter],
      );
      const range = { from: "2026-03-01", to: "2026-03-03" };
      const expected = [
        [1, 0, 0, 0, 2],
        [3, 1, 4, 4, 6],
        [0, 0, 0, 0, 0],
      ];
      for (const isAdded of [false, true]) {
        if (isAdded) await addCounters(w.app);
        for (const found of [
          await daysOf(other, range),
          (await w.admin("/v1/admin/statistics/days", range)).data,
          (await w.admin("/v1/admin/statistics/days", { ...range, companyId: other.companyId })).data,
        ])
          assert.deepEqual(
            found.map((row: Record<string, number>) => [
              ...[row.sent, row.delivered, row.failed, row.expired, row.credits],
            ]),
            expected,
          );
      }
      const ofOne = { ...range, operatorId: "gone" };
      assert.equal((await w.admin("/v1/admin/statistics/days", ofOne)).data[1].failed, 0);
      assert.equal((await daysOf(other, { ...range, operator: "Nobody" }))[0].sent, 0);
    },
  );

  await t.test("a range that is none is refused", async () => {
    for (const body of [
      { from: "2026-02-30" },
      { from: "2026-01-02", to: "2026-01-01" },
      { from: "2026-01-01", to: "2026-04-03" },
    ])
      assert.equal((await company.call("/v1/statistics/days", body)).error, "invalid-request");
    assert.equal((await daysOf(company, { from: "2026-01-01", to: "2026-04-02" })).length, 92);
    const nobody = await w.admin("/v1/admin/statistics/days", { companyId: "nobody" });
    assert.equal(nobody.error, "not-found");
  });
});

// The messages of a campaign with one status: each once, in both directions, recorded or waiting.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atLength } from "../../../../test/length.ts";
import { addOperator, inBulk, phones, rows, send } from "../../../../test/sending.ts";
import { testService } from "../../../../test/testservice.ts";

const TOTAL = atLength({ short: 10_000, long: 40_000, night: 1_000_000 });
/** One in so many is rejected; the last 10 are expired. */
const RARE = 97;

test("a status finds its messages page by page, at a bounded cost", async (t) => {
  const w = await testService(t, { config: { roles: new Set(["api"]), simulator: false } });
  await addOperator(w, 1);
  const company = await w.company({ credits: 5_000 });
  const id = await send(company, phones(2));
  const call = async (body: object) => company.call(`/v1/campaign/${id}/messages`, body);
  await inBulk(
    w.app,
    `INSERT INTO messages (account_id, send_id, number, phone, status, segments, price, error, sent_at)
     SELECT $1, $2, number, (2250100000000 + number)::text,
            CASE WHEN number > $3 - 10 THEN 'EXPIRED' WHEN number % ${RARE} = 0 THEN 'REJECTED' ELSE 'SENT' END, 1, 1,
            CASE WHEN number > $3 - 10 THEN 'expired' WHEN number % ${RARE} = 0 THEN 'ESME_RINVDSTADR' END,
            CASE WHEN number <= $3 - 10 AND number % ${RARE} > 0 THEN now() END
     FROM generate_series(3, $3::int) AS number`,
    [company.companyId, id, TOTAL],
  );
  const rejected = Math.floor((TOTAL - 10) / RARE);
  await rows(w.app, "UPDATE sends SET total = $2, failed = $3, sent = $2::int - $3::int - 2 WHERE id = $1", [
    ...[id, TOTAL, rejected + 10],
  ]);

  async function all(body: { sort: "asc" | "desc" }, status: string): Promise<string[]> {
    const found: string[] = [];
    let afterNumber: number | undefined;
    for (let pages = 0; pages < TOTAL / 100; pages++) {
      const answer = await call({ ...body, status, limit: 100, afterNumber });
      assert.equal(answer.success, true);
      found.push(...answer.data.map((message: { phone: string }) => message.phone));
      if (answer.next === null) break;
      afterNumber = answer.next;
    }
    return found;
  }

  const expected = Array.from({ length: rejected }, (_, i) => `${2_250_100_000_000 + (i + 1) * RARE}`);
  assert.deepEqual(await all({ sort: "asc" }, "REJECTED"), expected);
  assert.deepEqual(await all({ sort: "desc" }, "REJECTED"), expected.toReversed());
  assert.equal((await all({ sort: "asc" }, "EXPIRED")).length, 10);
  assert.deepEqual(await all({ sort: "asc" }, "CANCELED"), []);

  const second = await call({ status: "REJECTED", limit: 10, page: 2 });
  assert.deepEqual(
    second.data.map((message: { phone: string }) => message.phone),
    expected.slice(10, 20),
  );
  const sent = await call({ status: "SENT", limit: 5, page: 3 });
  assert.equal(sent.totalCount, TOTAL - rejected - 10 - 2);
  assert.equal((await call({ status: "SENT", limit: 100, page: 101 })).error, "invalid-request");
  assert.equal((await call({})).totalCount, TOTAL);

  // Two of the first campaign wait, before many that do not; of the next one all do.
  assert.equal((await all({ sort: "asc" }, "QUEUED")).length, 2);
  assert.equal((await all({ sort: "desc" }, "QUEUED")).length, 2);
  const waiting = await send(company, phones(1_200));
  const queued = await company.call(`/v1/campaign/${waiting}/messages`, {
    status: "QUEUED",
    limit: 100,
    page: 12,
  });
  assert.equal(queued.data.at(-1).phone, phones(1_200).at(-1));
  const behind = await company.call(`/v1/campaign/${waiting}/messages`, {
    ...{ status: "QUEUED", sort: "desc", afterNumber: 2 },
  });
  assert.deepEqual([behind.data.length, behind.next], [1, null]);
});

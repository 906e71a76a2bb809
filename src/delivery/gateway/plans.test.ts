// Receipts without a message: what an account reads does not depend on others, and all old rows are deleted.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { pagesOf } from "../../../test/cost.ts";
import { asOwner, inBulk, rows } from "../../../test/sending.ts";
import { type TestService, testService } from "../../../test/testservice.ts";
import { forgetOrphanReceipts } from "./gateway.ts";
import { listRecentOrphans } from "./sql.ts";

const ROWS = 20_000;
const MINUTES_20 = 20 * 60_000;

const insert = (here: TestService, operatorId: string, count: number, age: string) =>
  inBulk(
    here.app,
    `INSERT INTO orphan_receipts (operator_id, operator_message_id, status, phone, sender, received_at)
     SELECT $1, $3 || i, 'DELIVERED', '22507' || i, 'AWA', now() - $3::interval FROM generate_series(1, $2::int) AS i`,
    [operatorId, count, age],
  );

suite("receipts without a message", () => {
  test("H108: recent ones of an account are read alone, not with old ones or those of others", async (t) => {
    const here = await testService(t, { config: { simulator: false } });
    for (const other of ["a", "c"]) await insert(here, other, ROWS, "1 minute");
    await insert(here, "b", ROWS, "2 days");
    await insert(here, "b", 5, "1 minute");
    await asOwner(here.app, "ANALYZE orphan_receipts");
    const recent = { withinMs: MINUTES_20, limit: 500, offset: 0 };
    for (const operatorIds of [["b"], ["b", "d"], ["d"]]) {
      const pages = await pagesOf(here.app.database, listRecentOrphans, { operatorIds, ...recent });
      assert.ok(pages < 40, `${operatorIds}: ${pages} pages`);
    }
  });

  test("H108: old ones, old parts and old status queries are deleted, however many there are", async (t) => {
    const here = await testService(t, { config: { simulator: false } });
    await insert(here, "a", ROWS + 1, "8 days");
    await insert(here, "a", 2, "6 days");
    await inBulk(
      here.app,
      `INSERT INTO receipt_parts (operator_id, phone, address, reference, total, number, octets, received_at)
       SELECT 'a', '22507' || i, '22507', 'r', 2, 1, '', now() - CASE WHEN i <= $1 THEN 60 ELSE 1 END * interval '1 minute'
       FROM generate_series(1, $1::int + 1) AS i`,
      [ROWS + 1],
    );
    await inBulk(
      here.app,
      `INSERT INTO status_queries (operator_id, account_id, send_id, number, unknown, due_at, wait_ms)
       SELECT 'a', 'company', CASE WHEN i <= $1 THEN '0' ELSE 'f' END, i, false, now(), 1000
       FROM generate_series(1, $1::int + 3) AS i`,
      [ROWS + 1],
    );
    await forgetOrphanReceipts(here.app);
    const counts: number[] = [];
    for (const table of ["orphan_receipts", "receipt_parts", "status_queries"])
      counts.push((await rows(here.app, `SELECT count(*) FROM ${table}`))[0].count);
    assert.deepEqual(counts, [2, 1, 3]);
  });
});

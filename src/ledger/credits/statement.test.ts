// Statements: every change of a balance, newest first, with the balance after it, whatever happens at the same time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { reseller } from "../../../test/reselling.ts";
import { balanceOf, inBulk, phones, send, settled } from "../../../test/sending.ts";
import { type Call, testService } from "../../../test/testservice.ts";
import type { Movement } from "./shapes.ts";

/** All movements, page by page. */
async function readAll(call: Call, path: string, limit: number): Promise<Movement[]> {
  const all: Movement[] = [];
  for (let page = 1; ; page++) {
    const { data, totalCount, count, totalPage } = await call(path, { page, limit });
    all.push(...data);
    assert.equal(totalPage, Math.ceil(totalCount / limit));
    if (count < limit) {
      assert.equal(all.length, totalCount);
      return all;
    }
  }
}

/** Each balance is the one before and the amount, from nothing to what there is. */
function assertAddsUp(movements: readonly Movement[], balance: number): void {
  let sum = 0;
  for (const movement of movements.toReversed()) {
    sum += movement.amount;
    assert.equal(movement.balanceAfter, sum);
    assert.ok(sum >= 0, "in the order in which it happened no balance was below zero");
  }
  assert.equal(sum, balance);
}

test("a statement tells grants, corrections, transfers, holds and releases, each with the balance after it", async (t) => {
  const here = await testService(t);
  const shop = await reseller(here);
  const { company } = shop;
  const { companyId } = company;
  assert.deepEqual((await company.call("/v1/credit/statement")).data, []);
  const grant = (credit: number, reason: string) =>
    here.admin("/v1/admin/credit/grant", { companyId, credit, reason });
  const granted = await grant(100, "Recharge");
  await grant(-10, "Erreur");
  const customerId = await shop.customer();
  const given = await shop.grant(customerId, 5, { reason: "Cadeau" });
  const campaign = await send(company, ["2250700000001", ...phones(3)]); // the first is rejected by the operator
  await settled(company, campaign);
  const movements = await readAll(company.call, "/v1/credit/statement", 2);
  const [release, hold, transfer, correction, first] = movements;
  assert.deepEqual(
    [release!.kind, hold!.kind, hold!.id, transfer!.id, correction!.reason, first!.id],
    ["release", "hold", campaign, given.data.transactionId, "Erreur", granted.data.transactionId],
  );
  assert.match(release!.id, /^[0-9a-f]{24}$/);
  assert.deepEqual(
    movements.map(({ amount }) => amount),
    [1, -4, -5, -10, 100],
  );
  assertAddsUp(movements, await balanceOf(company));
  assertAddsUp(await readAll(shop.call, `/v1/partner/customer/${customerId}/statement`, 10), 5);
});

test("under load the statement adds up, in the order in which the balance changed, and never below zero", async (t) => {
  const here = await testService(t);
  const shop = await reseller(here, { credits: 30 });
  const { company } = shop;
  const customerId = await shop.customer();
  const { companyId } = company;
  await Promise.all([
    ...Array.from({ length: 30 }, () => shop.grant(customerId, 7)),
    ...phones(30).map((phone) => company.call("/v1/campaign/create", { contacts: [phone], text: "Bonjour" })),
    ...Array.from({ length: 30 }, () =>
      here.admin("/v1/admin/credit/grant", { companyId, credit: 5, reason: "x" }),
    ),
  ]);
  const { data, totalCount } = await company.call("/v1/credit/statement", { limit: 100 });
  assert.ok(totalCount > 31, "all grants, and some of what they paid for");
  assertAddsUp(data, await balanceOf(company));
  const theirs = await readAll(shop.call, `/v1/partner/customer/${customerId}/statement`, 7);
  assertAddsUp(theirs, await shop.balanceOf(customerId));
});

test("the newest 100,000 movements can be read, whatever the history, and a page further back is refused", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"] as const), simulator: false } });
  const company = await here.company({ credits: 150_000 });
  await inBulk(
    here.app,
    `WITH made AS (INSERT INTO holds (id, pool_id, total) SELECT lpad(i::text, 24, '0'), $1, 1 FROM generate_series(1, 120000) i)
     UPDATE pools SET available = available - 120000, held_ever = held_ever + 120000 WHERE id = $1`,
    [company.companyId],
  );
  const read = (body: object) => company.call("/v1/credit/statement", body);
  const newest = await read({ limit: 1 });
  assert.deepEqual([newest.totalCount, newest.data[0].balanceAfter], [100_000, 30_000]);
  const oldest = await read({ limit: 100, page: 1_000 });
  assert.equal(oldest.data.at(-1).balanceAfter, 30_000 + 99_999);
  const beyond = await read({ limit: 100, page: 1_001 });
  assert.deepEqual([beyond.error, beyond.details?.[0]?.field], ["invalid-request", "page"]);
  for (const body of [{ limit: 101 }, { limit: 0 }, { page: 0 }, { page: "2" }, { page: 1.5 }])
    assert.equal((await read(body)).error, "invalid-request");
});

// Offers and purchases: credit and bonus move together, once, when they are paid and their reseller can fund them.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { movedTo, reasonsOf, reseller, resellerService, succeeded, tell } from "../../../test/reselling.ts";
import { assertBalanced, balanceOf, rows } from "../../../test/sending.ts";
import { until } from "../../../test/testservice.ts";
import { fundPurchases } from "./purchases.ts";

suite("purchases", { concurrency: 3 }, () => {
  test("an offer is made, listed, archived; its numbers are whole and bounded", async (t) => {
    const here = await resellerService(t);
    const shop = await reseller(here);
    const create = (body: object) => shop.company.call("/v1/partner/app/offers/create", body);
    const pack = { name: "Petit pack", price: 5_000, credit: 200 };
    const { data } = await create(pack);
    const { id, createdAt, ...rest } = data;
    assert.deepEqual(rest, { ...pack, bonusCredit: 0, archivedAt: null });
    assert.match(createdAt, /Z$/);
    const free = await create({ ...pack, price: 0, credit: 1, bonusCredit: 999_999_999 });
    assert.equal(free.data.bonusCredit, 999_999_999);
    for (const bad of [
      { price: -1 },
      { price: 0.5 },
      { price: "5000" },
      { price: 1e9 + 1 },
      { credit: 0 },
      { credit: 1.5 },
      { credit: 1e9 + 1 },
      { bonusCredit: -1 },
      { credit: 5e8 + 1, bonusCredit: 5e8 },
      { name: "" },
    ])
      assert.equal((await create({ ...pack, ...bad })).error, "invalid-request", JSON.stringify(bad));
    const archive = () => shop.company.call(`/v1/partner/app/offers/${id}/archive`);
    const archived = await archive();
    assert.match(archived.data.archivedAt, /Z$/);
    assert.deepEqual(await archive(), archived, "again is harmless");
    const list = await shop.company.call("/v1/partner/app/offers/list");
    assert.deepEqual(list.data, [free.data, archived.data]);
    assert.equal(list.totalCount, 2);
    const body = { customerId: await shop.customer(), offerId: id };
    assert.equal((await shop.call("/v1/partner/offer/purchase", body)).error, "conflict");
  });

  test("a purchase waits for its payment, then credit and bonus move together, once", async (t) => {
    const here = await resellerService(t);
    const shop = await reseller(here, { credits: 1_000 });
    const customerId = await shop.customer();
    const offerId = await shop.offer();
    const { data: bought } = await shop.call("/v1/partner/offer/purchase", { customerId, offerId });
    const { purchaseId, amount, reference, status } = bought;
    assert.deepEqual([status, amount], ["PENDING", 5_000]);
    assert.match(reference, /^[A-Za-z0-9.=-]{8,}$/);
    await shop.company.call(`/v1/partner/app/offers/${offerId}/archive`);
    const answer = await tell(here, succeeded(purchaseId, amount));
    assert.deepEqual(answer.data, { status: "ACCEPTED", reason: "accepted" });
    const { data: paid } = await shop.call(`/v1/partner/purchase/${purchaseId}`);
    assert.equal(paid.status, "GRANTED");
    assert.ok(paid.paidAt <= paid.grantedAt);
    assert.deepEqual(await movedTo(shop, customerId), [200, 20]);
    const { data: statement } = await shop.call(`/v1/partner/customer/${customerId}/statement`);
    assert.deepEqual(
      statement.map((it: { reason: string; balanceAfter: number }) => [it.reason, it.balanceAfter]),
      [
        ["Petit pack (bonus)", 220],
        ["Petit pack", 200],
      ],
    );
    assert.equal(await balanceOf(shop.company), 780);
    assert.deepEqual(await reasonsOf(here), ["accepted"]);
    await assertBalanced(here);
  });

  test("a request with a key makes one purchase, however often it comes", async (t) => {
    const here = await resellerService(t);
    const shop = await reseller(here);
    const [customerId, offerId, other] = [await shop.customer(), await shop.offer(), await shop.offer()];
    const buy = (body: object) =>
      shop.call("/v1/partner/offer/purchase", { customerId, offerId, idempotencyKey: "cart-1", ...body });
    const answers = await Promise.all([buy({}), buy({})]);
    const [made] = answers.filter(({ success }) => success);
    for (const { success, error } of answers) assert.ok(success || error === "idempotency-in-progress");
    assert.deepEqual(await buy({}), made);
    assert.equal((await buy({ offerId: other })).error, "idempotency-key-reused");
    assert.notEqual((await buy({ idempotencyKey: "cart-2" })).data.reference, made!.data.reference);
    const ids = await rows(here.app, "SELECT id FROM purchases WHERE customer_id = $1", [customerId]);
    assert.equal(ids.length, 2);
  });

  test("a price of nothing and a bonus of nothing are whole numbers too", async (t) => {
    const here = await resellerService(t);
    const shop = await reseller(here, { credits: 10 });
    const customerId = await shop.customer();
    const { purchaseId, amount } = await shop.purchase(customerId, { price: 0, credit: 10, bonusCredit: 0 });
    assert.equal(amount, 0);
    await tell(here, succeeded(purchaseId, 0));
    assert.deepEqual(await movedTo(shop, customerId), [10]);
  });

  test("paid and not funded: granted when the reseller's pool is topped up, in order of payment, each once", async (t) => {
    const here = await resellerService(t);
    const shop = await reseller(here, { credits: 100 });
    const { companyId } = shop.company;
    const customers = await Promise.all([1, 2, 3].map(() => shop.customer()));
    const bought: { purchaseId: string }[] = [];
    for (const [i, customerId] of customers.entries()) {
      const purchase = await shop.purchase(customerId, { credit: [200, 300, 50][i]!, bonusCredit: 20 });
      assert.equal(
        (await tell(here, succeeded(purchase.purchaseId, purchase.amount))).data.reason,
        "accepted",
      );
      assert.equal(
        await shop.statusOf(purchase.purchaseId),
        "PAID",
        "also the third, which could be funded: not its turn",
      );
      bought.push(purchase);
    }
    const statuses = () => Promise.all(bought.map(({ purchaseId }) => shop.statusOf(purchaseId)));
    const topUp = (credit: number) =>
      here.admin("/v1/admin/credit/grant", { companyId, credit, reason: "Recharge" });
    const fund = () => Promise.all(Array.from({ length: 8 }, () => fundPurchases(here.app)));
    await fund();
    assert.deepEqual(await statuses(), ["PAID", "PAID", "PAID"]);
    await topUp(200);
    await fund();
    assert.deepEqual(await statuses(), ["GRANTED", "PAID", "PAID"]);
    assert.equal(await balanceOf(shop.company), 80);
    await Promise.all([topUp(100), topUp(100), topUp(90), topUp(50), fund(), fund()]);
    await fund();
    assert.deepEqual(await statuses(), ["GRANTED", "GRANTED", "GRANTED"]);
    const moved = await Promise.all(customers.map((customerId) => movedTo(shop, customerId)));
    assert.deepEqual(moved, [
      [200, 20],
      [300, 20],
      [50, 20],
    ]);
    assert.equal(await balanceOf(shop.company), 100 + 200 + 340 - 610);
    await assertBalanced(here);
  });

  test("a worker grants what waits a moment after the top-up, without being asked", async (t) => {
    const here = await resellerService(t, { config: { roles: new Set(["api", "worker"] as const) } });
    const shop = await reseller(here);
    const customerId = await shop.customer();
    const { purchaseId, amount } = await shop.purchase(customerId);
    await tell(here, succeeded(purchaseId, amount));
    assert.equal(await shop.statusOf(purchaseId), "PAID");
    const grant = { companyId: shop.company.companyId, credit: 220, reason: "Recharge" };
    await here.admin("/v1/admin/credit/grant", grant);
    await until(async () => (await shop.statusOf(purchaseId)) === "GRANTED");
    assert.deepEqual(await movedTo(shop, customerId), [200, 20]);
    assert.equal(await balanceOf(shop.company), 0);
  });

  test("a reseller whose grants fail does not hold up the others, and the failure is told", async (t) => {
    const here = await resellerService(t);
    const shops = [await reseller(here), await reseller(here)];
    const ids: string[] = [];
    for (const shop of shops) {
      const customerId = await shop.customer();
      const { purchaseId, amount } = await shop.purchase(customerId);
      await tell(here, succeeded(purchaseId, amount));
      ids.push(customerId);
    }
    // As much as a pool can hold: the first customer can take nothing more.
    await here.admin("/v1/admin/credit/grant", { customerId: ids[0], credit: 1, reason: "x" });
    await rows(here.app, "UPDATE pools SET available = 9007199254740991 WHERE id = $1", [ids[0]]);
    for (const { company } of shops)
      await here.admin("/v1/admin/credit/grant", { companyId: company.companyId, credit: 220, reason: "x" });
    await assert.rejects(fundPurchases(here.app), AggregateError);
    assert.deepEqual(await movedTo(shops[1]!, ids[1]!), [200, 20]);
    assert.equal(await balanceOf(shops[0]!.company), 220);
  });
});

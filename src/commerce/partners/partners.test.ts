// Resellers through their URLs: who may do what, and credits that move to customers, never made, never lost.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Reseller, reseller } from "../../../test/reselling.ts";
import { assertBalanced, balanceOf, phones, rows, send } from "../../../test/sending.ts";
import { readAnswer, type TestService, testService } from "../../../test/testservice.ts";
import { Refusal } from "../../platform/http/refusals.ts";
import { newId } from "../../platform/ids.ts";
import { customerOf } from "./customers.ts";

const HEX_24 = /^[0-9a-f]{24}$/;
const API_ONLY = { config: { roles: new Set(["api"] as const) } };

async function entryCount(here: TestService): Promise<number> {
  return (await rows(here.app, "SELECT count(*) FROM entries"))[0].count;
}

suite("resellers", { concurrency: 4 }, () => {
  test("an administrator makes a company a reseller; before that it is not-authorized, and its keys do nothing", async (t) => {
    const here = await testService(t, API_ONLY);
    const company = await here.company();
    const paths = ["server-key", "offers/create", "offers/list", `offers/${newId()}/archive`];
    for (const end of paths) {
      const path = `/v1/partner/app/${end}`;
      assert.equal((await company.call(path)).error, "not-authorized", end);
      assert.equal((await here.call(path)).error, "not-authenticated", end);
    }
    const { companyId } = company;
    const enable = () => here.admin("/v1/admin/partner/enable", { companyId });
    assert.deepEqual((await enable()).data, { companyId, partner: true });
    assert.deepEqual((await enable()).data, { companyId, partner: true }, "again is harmless");
    assert.equal((await company.call("/v1/partner/app/offers/list")).success, true);
    const { data } = await here.admin("/v1/admin/company/list");
    assert.equal(data[0].partner, true);
    const nobody = await here.admin("/v1/admin/partner/enable", { companyId: newId() });
    assert.equal(nobody.error, "not-found");
  });

  test("one server key lives: a new one kills the old at once, and the database knows neither", async (t) => {
    const here = await testService(t, API_ONLY);
    const shop = await reseller(here);
    assert.match(shop.serverApiKey, /^psk_[\w-]{32}$/);
    assert.equal((await shop.call("/v1/partner/customer/list")).success, true);
    const fresh = (await shop.company.call("/v1/partner/app/server-key")).data.serverApiKey;
    assert.equal((await shop.call("/v1/partner/customer/list")).error, "not-authenticated");
    const again = await shop.call("/v1/partner/customer/list", { serverApiKey: fresh });
    assert.equal(again.success, true);
    const keys = await Promise.all(
      Array.from({ length: 12 }, () => shop.company.call("/v1/partner/app/server-key")),
    );
    const tried = keys.map(({ data }) => shop.call("/v1/partner/customer/list", data));
    const alive = (await Promise.all(tried)).filter((answer) => answer.success);
    assert.equal(alive.length, 1, "made at once, one lives");
    const [row] = await rows(here.app, "SELECT partners::text AS row FROM partners");
    for (const { data } of keys) assert.equal(row.row.includes(data.serverApiKey.slice(4)), false);
    assert.ok(row.row.includes(shop.company.userId), "who made it is kept");
  });

  test("A01 A05 A06: a server key opens the reseller's doors and no other; other keys do not open them", async (t) => {
    const here = await testService(t, API_ONLY);
    const shop = await reseller(here, { credits: 10 });
    const { apiKey, companyId } = shop.company;
    for (const path of [
      "/v1/contact/list",
      "/v1/campaign/list",
      "/v1/sender/list",
      "/v1/group/list",
      "/v1/credit/balance",
      "/v1/credit/statement",
      "/v1/partner/app/offers/list",
      "/v1/partner/app/server-key",
    ]) {
      const { serverApiKey } = shop;
      for (const body of [{ serverApiKey }, { apiKey: serverApiKey, companyId }, { serverApiKey, companyId }])
        assert.equal((await here.call(path, body)).error, "not-authenticated", path);
    }
    assert.equal(
      (await here.call("/v1/admin/payment/list", { adminKey: shop.serverApiKey })).error,
      "not-authenticated",
    );
    const seen = new Set<string>();
    for (const serverApiKey of [apiKey, here.adminKey, "psk_", 5, [shop.serverApiKey], "x".repeat(60_000)])
      for (const path of ["customer/list", "grant-credit", "offer/purchase"])
        seen.add(JSON.stringify(await here.call(`/v1/partner/${path}`, { serverApiKey, apiKey, companyId })));
    const wanted = "cette URL exige serverApiKey, ou apiKey et companyId d’un revendeur, dans le corps";
    const details = JSON.stringify([{ field: "serverApiKey", message: wanted }]);
    assert.deepEqual(
      [...seen],
      [`{"success":false,"data":null,"error":"not-authenticated","details":${details}}`],
    );
  });

  test("A06: people of a reseller sell by their own keys, as their roles allow, and no other company does", async (t) => {
    const here = await testService(t, API_ONLY);
    const [shop, other] = [await reseller(here, { credits: 100 }), await here.company()];
    const { company } = shop;
    const { data: made } = await company.call("/v1/partner/customer/create", { name: "Awa" });
    const customerId = made.id;
    const sold = { customerId, credit: 30, idempotencyKey: "once" };
    for (const serverApiKey of ["", null, undefined]) {
      const { data } = await company.call("/v1/partner/grant-credit", { ...sold, serverApiKey });
      assert.deepEqual([data.customerBalance, data.partnerBalance], [30, 70], "an empty server key is none");
    }
    const { data: entries } = await company.call("/v1/company/audit/list", {
      action: "partner/grant-credit",
    });
    assert.deepEqual(
      entries.map(({ actor }: { actor: { kind: string; id: string } }) => [actor.kind, actor.id]),
      [["user", company.userId]],
    );
    const offerId = await shop.offer();
    const { data: bought } = await company.call("/v1/partner/offer/purchase", { customerId, offerId });
    const reads = ["customer/list", `customer/${customerId}`, `customer/${customerId}/statement`];
    reads.push(`customer/${customerId}/campaigns`, `purchase/${bought.id}`);
    const { data: key } = await company.call("/v1/company/key/create", { name: "Suivi", scopes: ["read"] });
    const { apiKey } = key;
    for (const path of reads)
      assert.equal((await company.call(`/v1/partner/${path}`, { apiKey })).success, true, path);
    for (const path of ["customer/create", "grant-credit", "offer/purchase"])
      assert.equal((await company.call(`/v1/partner/${path}`, { apiKey })).error, "not-authorized", path);
    for (const path of [...reads, "customer/create", "grant-credit", "offer/purchase"])
      assert.equal((await other.call(`/v1/partner/${path}`)).error, "not-authorized", path);
    assert.equal(await shop.balanceOf(customerId), 30);
  });

  test("customers are made, listed and read with their balances; an externalId is the reseller's once", async (t) => {
    const here = await testService(t, API_ONLY);
    const [shop, other] = [await reseller(here, { credits: 100 }), await reseller(here)];
    const create = (by: Reseller, body: object) => by.call("/v1/partner/customer/create", body);
    const { data: awa } = await create(shop, { name: "Awa", externalId: "client-7", balance: 9, id: "x" });
    assert.match(awa.customerId, HEX_24);
    assert.deepEqual(
      { ...awa, createdAt: "" },
      {
        id: awa.customerId,
        customerId: awa.customerId,
        name: "Awa",
        externalId: "client-7",
        balance: 0,
        createdAt: "",
      },
    );
    for (const name of ["Awa", "Binta"])
      assert.equal((await create(shop, { name, externalId: "client-7" })).error, "conflict");
    assert.equal((await create(other, { name: "Awa", externalId: "client-7" })).success, true);
    const race = Array.from({ length: 8 }, () => create(shop, { name: "Yao", externalId: "client-8" }));
    assert.equal((await Promise.all(race)).filter((answer) => answer.success).length, 1);
    const yao = await shop.customer("Chantal");
    await shop.grant(awa.customerId, 30);
    const list = await shop.call("/v1/partner/customer/list", { limit: 2 });
    assert.deepEqual([list.totalCount, list.count, list.totalPage], [3, 2, 2]);
    assert.equal(list.data[0].id, yao, "newest first");
    const oldest = await shop.call("/v1/partner/customer/list", { limit: 1, sort: "asc" });
    assert.deepEqual(oldest.data, [{ ...awa, balance: 30 }]);
    assert.deepEqual((await shop.call(`/v1/partner/customer/${awa.customerId}`)).data, {
      ...awa,
      balance: 30,
    });
    for (const body of [{}, { name: "" }, { name: 5 }, { name: "x".repeat(201) }])
      assert.equal((await create(shop, body)).error, "invalid-request");
  });

  test("grant-credit moves credits at price 0 and tells both balances; the customer's statement and the reseller's agree", async (t) => {
    const here = await testService(t, API_ONLY);
    const shop = await reseller(here, { credits: 100 });
    const customerId = await shop.customer();
    const { data } = await shop.grant(customerId, 40, { reason: "Bienvenue" });
    const { transactionId, ...rest } = data;
    assert.match(transactionId, HEX_24);
    assert.deepEqual(rest, { customerId, credit: 40, customerBalance: 40, partnerBalance: 60 });
    const first = (await shop.call(`/v1/partner/customer/${customerId}/statement`)).data;
    const { createdAt, ...movement } = first[0];
    assert.deepEqual(
      [movement],
      [{ id: transactionId, kind: "transfer", amount: 40, balanceAfter: 40, reason: "Bienvenue" }],
    );
    const own = (await shop.company.call("/v1/credit/statement")).data;
    assert.deepEqual(own[0], { ...movement, amount: -40, balanceAfter: 60, createdAt });
    assert.equal(own[1].kind, "grant");
    const [entry] = await rows(
      here.app,
      "SELECT kind, from_pool, to_pool, amount FROM entries WHERE key = $1",
      [transactionId],
    );
    assert.deepEqual(entry, {
      kind: "transfer",
      from_pool: shop.company.companyId,
      to_pool: customerId,
      amount: 40,
    });
    await assertBalanced(here);
  });

  test("L04: of 40 concurrent grants over a pool that affords 9 exactly 9 pass, and the sums hold", async (t) => {
    const here = await testService(t, API_ONLY);
    const shop = await reseller(here, { credits: 95 });
    const customers = [await shop.customer(), await shop.customer(), await shop.customer()];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => shop.grant(customers[i % 3]!, 10)),
    );
    const won = answers.filter((answer) => answer.success);
    assert.equal(won.length, 9);
    assert.ok(answers.every(({ success, error }) => success || error === "insufficient-credits"));
    assert.deepEqual(
      won.map(({ data }) => data.partnerBalance).sort((a, b) => a - b),
      [5, 15, 25, 35, 45, 55, 65, 75, 85],
    );
    const theirs = await Promise.all(customers.map(shop.balanceOf));
    assert.equal(theirs[0]! + theirs[1]! + theirs[2]!, 90);
    assert.equal(await balanceOf(shop.company), 5);
    assert.equal(await entryCount(here), 1 + 9);
    await assertBalanced(here);
  });

  test("L05: a bad number of credits is an invalid-request and moves nothing", async (t) => {
    const here = await testService(t, API_ONLY);
    const shop = await reseller(here, { credits: 100 });
    const customerId = await shop.customer();
    const before = await entryCount(here);
    for (const credit of [
      "0",
      "-1",
      "1.5",
      "null",
      '"5"',
      "1e400",
      "9007199254740992",
      "-0",
      "true",
      "[5]",
      "{}",
      "1000000001",
    ]) {
      const response = await fetch(`${here.url}/v1/partner/grant-credit`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: `{"serverApiKey":"${shop.serverApiKey}","customerId":"${customerId}","credit":${credit},"reason":"x"}`,
      });
      assert.equal((await readAnswer(response)).error, "invalid-request", credit);
    }
    assert.equal((await shop.grant(customerId, 5, { reason: "x".repeat(501) })).error, "invalid-request");
    assert.equal((await shop.grant(customerId, 5, { reason: "a\u0000b" })).error, "invalid-request");
    assert.equal(await entryCount(here), before);
  });

  test("L06 A02: another reseller's customer, the reseller itself, another company, nobody: the same bytes, nothing moved", async (t) => {
    const here = await testService(t, API_ONLY);
    const [shop, other] = [await reseller(here, { credits: 100 }), await reseller(here, { credits: 100 })];
    const [mine, theirs] = [await shop.customer(), await other.customer()];
    const offerId = await shop.offer();
    const bought = await other.purchase(theirs);
    const unauthenticatedCallers = [
      theirs,
      shop.company.companyId,
      other.company.companyId,
      shop.company.userId,
      newId(),
      "world",
      "x",
    ];
    const before = await entryCount(here);
    const seen = new Set<string>();
    for (const customerId of unauthenticatedCallers) {
      const answers = [
        await shop.grant(customerId, 5),
        await shop.call(`/v1/partner/customer/${customerId}`),
        await shop.call(`/v1/partner/customer/${customerId}/statement`),
        await shop.call("/v1/partner/offer/purchase", { customerId, offerId }),
      ];
      for (const answer of answers) seen.add(JSON.stringify(answer));
      const { serverApiKey: partnerServerKey } = shop;
      await assert.rejects(
        customerOf(here.app, { partnerServerKey, partnerCustomerId: customerId }),
        (error) => error instanceof Refusal && error.code === "customer-not-found",
      );
    }
    assert.deepEqual([...seen], ['{"success":false,"data":null,"error":"customer-not-found"}']);
    assert.equal(await entryCount(here), before);
    const foreignOffer = { customerId: mine, offerId: await other.offer() };
    assert.equal((await shop.call("/v1/partner/offer/purchase", foreignOffer)).error, "offer-not-found");
    const foreignPurchase = await shop.call(`/v1/partner/purchase/${bought.purchaseId}`);
    assert.equal(foreignPurchase.error, "purchase-not-found");
    const archive = await shop.company.call(`/v1/partner/app/offers/${foreignOffer.offerId}/archive`);
    assert.equal(archive.error, "offer-not-found");
    const unknown = await shop.company.call(`/v1/partner/app/offers/${newId()}/archive`);
    assert.deepEqual(archive, unknown);
  });

  test("a third party's customer is checked by the reseller's live key, on every call", async (t) => {
    const here = await testService(t, API_ONLY);
    const shop = await reseller(here);
    const customerId = await shop.customer();
    const given = { partnerServerKey: shop.serverApiKey, partnerCustomerId: customerId };
    assert.deepEqual(await customerOf(here.app, given), { customerId, companyId: shop.company.companyId });
    await shop.company.call("/v1/partner/app/server-key");
    assert.equal(await customerOf(here.app, given), null);
  });

  test("an administrator's grant reaches a customer's pool too", async (t) => {
    const here = await testService(t, API_ONLY);
    const shop = await reseller(here);
    const customerId = await shop.customer();
    const grant = { customerId, credit: 12, reason: "Geste" };
    const { data } = await here.admin("/v1/admin/credit/grant", grant);
    assert.equal(data.balance, 12);
    assert.equal(await shop.balanceOf(customerId), 12);
    const correction = await here.admin("/v1/admin/credit/grant", { ...grant, credit: -2 });
    assert.equal(correction.data.balance, 10);
    const { data: statement } = await shop.call(`/v1/partner/customer/${customerId}/statement`);
    assert.deepEqual(
      statement.map((it: { kind: string; amount: number; balanceAfter: number }) => [
        it.kind,
        it.amount,
        it.balanceAfter,
      ]),
      [
        ["correction", -2, 10],
        ["grant", 12, 12],
      ],
    );
    await assertBalanced(here);
  });

  test("L11: a grant with an idempotency key happens once, whoever repeats it, and is told the same way", async (t) => {
    const here = await testService(t, API_ONLY);
    const shop = await reseller(here, { credits: 1_000 });
    const customerId = await shop.customer();
    const idempotencyKey = "recharge-1";
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => shop.grant(customerId, 10, { idempotencyKey })),
    );
    const first = answers.find((answer) => answer.success)!;
    for (const answer of answers)
      if (answer.error !== "idempotency-in-progress") assert.deepEqual(answer, first);
    assert.deepEqual(await shop.grant(customerId, 10, { idempotencyKey }), first);
    // A new server key is the same reseller.
    const { data } = await shop.company.call("/v1/partner/app/server-key");
    const again = { customerId, credit: 10, reason: "test", ...data };
    const headers = { "Idempotency-Key": idempotencyKey };
    assert.deepEqual(await here.call("/v1/partner/grant-credit", again, headers), first);
    const changed = await here.call("/v1/partner/grant-credit", { ...again, credit: 11 }, headers);
    assert.equal(changed.error, "idempotency-key-reused");
    const other = await reseller(here, { credits: 50 });
    const theirs = await other.grant(await other.customer(), 10, { idempotencyKey });
    assert.equal(theirs.success, true, "another reseller's key is another key");
    assert.equal(await balanceOf(shop.company), 990);
    // The administrator's grant keeps the same promise.
    const grant = () =>
      here.admin("/v1/admin/credit/grant", { customerId, credit: 5, reason: "x", idempotencyKey });
    assert.deepEqual(await grant(), await grant());
    await assertBalanced(here);
  });

  test("L16: grants to customers and sends and settlements of their reseller at once never deadlock", async (t) => {
    const here = await testService(t);
    const shop = await reseller(here, { credits: 10_000 });
    const customers = await Promise.all(Array.from({ length: 4 }, () => shop.customer()));
    const grants = Array.from({ length: 80 }, (_, i) => shop.grant(customers[i % 4]!, 1 + (i % 7)));
    const sends = Array.from({ length: 20 }, (_, i) => send(shop.company, phones(5, `2250${i % 10}`)));
    assert.ok((await Promise.all(grants)).every((answer) => answer.success));
    await Promise.all(sends);
    await assertBalanced(here);
  });
});

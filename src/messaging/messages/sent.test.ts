// What a company sent, whatever the phone: every message once, newest first, page by page, and nothing of others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { atLength, inShortRuns } from "../../../test/length.ts";
import { inBulk, phones, rows, send, settled } from "../../../test/sending.ts";
import { type Company, testService, until } from "../../../test/testservice.ts";
import { newId } from "../../platform/ids.ts";

const REJECTED = "2250700000001";
/** More than a step of the search looks at. */
const MANY = atLength({ short: 9_000, long: 250_000, night: 1_000_000 });

const list = (who: Company, body: object = {}) => who.call("/v1/message/list", body);

/** All messages by following `next`, and the number of pages that it took. */
async function follow(who: Company, body: object) {
  const all: Record<string, unknown>[] = [];
  let pages = 0;
  for (let afterId: string | null = null; pages === 0 || afterId !== null; pages++) {
    const found = await list(who, { ...body, ...(afterId !== null && { afterId }) });
    assert.equal(found.success, true, JSON.stringify(found));
    all.push(...found.data);
    afterId = found.next as string | null;
  }
  return { all, pages };
}

test("a company lists all that it sent, by status, campaign and period, without a phone", async (t) => {
  const w = await testService(t);
  const company = await w.company({ credits: 100 });
  const other = await w.company({ credits: 20 });
  const first = await send(company, [REJECTED, ...phones(4)], "Bonjour @name");
  await settled(company, first);
  const single = await send(company, phones(1));
  await company.call("/v1/auth/otp/get", { phoneNumber: phones(1)[0] });
  await settled(other, await send(other, phones(3), "secret"));
  await until(async () => (await list(company, { status: "DELIVERED" })).totalCount === 6);

  const found = await list(company);
  assert.deepEqual(
    found.data.map(({ kind, campaignId, status }: Record<string, unknown>) => [kind, campaignId, status]),
    [
      ["otp", null, "DELIVERED"],
      ["campaign", single, "DELIVERED"],
      ...[5, 4, 3, 2].map(() => ["campaign", first, "DELIVERED"]),
      ["campaign", first, "REJECTED"],
    ],
  );
  assert.deepEqual([found.totalCount, found.next, found.contact, found.optout], [7, null, null, null]);
  assert.equal(found.data[6].phone, REJECTED);
  assert.equal((await list(other)).totalCount, 3);

  for (const limit of [1, 2, 3, 7]) {
    assert.deepEqual((await follow(company, { limit })).all, found.data, `${limit} at a time`);
    const paged = await list(company, { limit, page: 2 });
    assert.deepEqual(paged.data, found.data.slice(limit, 2 * limit));
  }
  const ofCampaign = await list(company, { campaignId: first, status: "REJECTED" });
  assert.deepEqual(ofCampaign.data, found.data.slice(6));
  assert.deepEqual((await follow(company, { campaignId: first, limit: 2 })).all, found.data.slice(2));
  assert.equal((await list(other, { campaignId: first })).error, "campaign-not-found");
  const past = { from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z" };
  for (const body of [past, { ...past, campaignId: first }])
    assert.deepEqual([(await list(company, body)).data, (await list(company, body)).totalCount], [[], 0]);

  const toPhone = await list(company, { phone: REJECTED, status: "REJECTED", campaignId: first });
  assert.deepEqual(toPhone.data, found.data.slice(6));
  assert.deepEqual((await list(company, { phone: REJECTED, status: "SENT" })).data, []);
  for (const body of [{ afterId: "x" }, { status: "GONE" }, { page: 101, limit: 100 }, { from: "x" }])
    assert.equal((await list(company, body)).error, "invalid-request", JSON.stringify(body));

  await t.test("an administrator lists what one company sent", async () => {
    const ask = (body: object) => w.admin("/v1/admin/message/list", body);
    const { companyId } = company;
    assert.equal((await ask({ companyId })).totalCount, 7);
    assert.equal((await ask({ companyId, campaignId: first, limit: 1 })).data[0].companyId, companyId);
    for (const body of [{}, { campaignId: first, phone: REJECTED }])
      assert.equal((await ask(body)).error, "invalid-request");
  });

  await t.test("a rare status among many messages is found by pages that look at few of them", async () => {
    const id = newId();
    await inBulk(
      w.app,
      `INSERT INTO messages (account_id, send_id, number, phone, status, segments, price, sent_at)
       SELECT $1, $2, number, (2250100000000 + number)::text, CASE WHEN number % 3000 = 1 THEN 'UNDELIVERED' ELSE 'SENT' END, 1, 1, now()
       FROM generate_series(1, $3::int) AS number`,
      [company.companyId, id, MANY],
    );
    const rare = await follow(company, { status: "UNDELIVERED", limit: 100 });
    assert.equal(rare.all.length, Math.ceil(MANY / 3000));
    assert.equal(new Set(rare.all.map((row) => row.id)).size, rare.all.length);
    const none = await follow(company, { status: "EXPIRED" });
    assert.deepEqual(none.all, []);
    assert.ok(none.pages <= 1 + MANY / 100_000, `${none.pages} pages`);
    const { totalCount, next } = await list(company);
    assert.deepEqual([totalCount, next], [Math.min(10_000, MANY + 7), `${id}-${MANY - 9}`]);
    const deep = await list(company, { afterId: `${id}-11` });
    assert.deepEqual(deep.data.map((row: { id: string }) => row.id).slice(0, 2), [`${id}-10`, `${id}-9`]);
  });
});

test(
  "what waits stands where it will stand, once, and a queue that is too long is said",
  inShortRuns,
  async (t) => {
    const w = await testService(t, { config: { roles: new Set(["api"] as const) } });
    const company = await w.company({ credits: 100 });
    const other = await w.company({ credits: 100 });
    const bulk = await send(company, phones(5));
    const single = await send(company, phones(1));
    await send(other, phones(1));
    await rows(w.app, "UPDATE batches SET session_id = 's', intent = 2 WHERE send_id = $1", [bulk]);
    await rows(
      w.app,
      `INSERT INTO messages (account_id, send_id, number, phone, status, segments, price, sent_at)
     VALUES ($1, $2, 2, '2250700000002', 'SENT', 1, 1, now())`,
      [company.companyId, bulk],
    );
    const found = await list(company);
    assert.deepEqual(
      found.data.map(({ id, status }: Record<string, unknown>) => [id, status]),
      [
        [`${single}-1`, "QUEUED"],
        [`${bulk}-5`, "QUEUED"],
        [`${bulk}-4`, "QUEUED"],
        [`${bulk}-3`, "QUEUED"],
        [`${bulk}-2`, "SENT"],
        [`${bulk}-1`, "SENDING"],
      ],
    );
    assert.deepEqual([found.queueSearched, found.next], [true, null]);
    for (const limit of [1, 2, 4]) assert.deepEqual((await follow(company, { limit })).all, found.data);
    assert.deepEqual((await follow(company, { status: "QUEUED", limit: 3 })).all, found.data.slice(0, 4));
    assert.equal((await list(company, { status: "SENT" })).totalCount, 1);
    for (const { id, status, phone } of found.data) {
      const one = await dataOf(company.call(`/v1/message/${id}`));
      assert.deepEqual([one.status, one.phone], [status, phone]);
      assert.equal((await other.call(`/v1/message/${id}`)).error, "not-found");
    }
    await inBulk(
      w.app,
      `INSERT INTO batches (id, lane, prefix, account_id, segments, size, expires_at, messages)
     SELECT 'f' || lpad(to_hex(n), 23, '0'), 2, '', $1, 1, 1, now(), '' FROM generate_series(1, 5000) n`,
      [other.companyId],
    );
    assert.equal((await list(company)).queueSearched, false);
  },
);

// The search by phone: it finds what was sent to a number, of this company alone, however much it sends.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atLength } from "../../../test/length.ts";
import { inBulk, rows, send } from "../../../test/sending.ts";
import { type Company, testService, until } from "../../../test/testservice.ts";

const PHONE = "2250700001234";
/** More than are read to find those to one phone. */
const MANY = atLength({ short: 2_500, night: 200_000 });

test("a search by phone finds campaigns and codes, newest first, and nothing of others", async (t) => {
  const w = await testService(t);
  const company = await w.company({ credits: 20, name: "Awa" });
  const other = await w.company({ credits: 20 });
  const find = async (who: Company, body: object = {}) =>
    who.call("/v1/message/list", { phone: "+225 07 00 00 12 34", ...body });

  await company.call("/v1/contact/create", { phone: PHONE, name: "Yao" });
  const campaign = await send(company, [PHONE, "2250700001235"], "Bonjour @name");
  await send(other, PHONE, "secret");
  const otp = await company.call("/v1/auth/otp/get", { phoneNumber: PHONE });
  assert.equal(otp.success, true);
  await until(async () => {
    const { data } = await w.admin("/v1/admin/message/list", { phone: PHONE });
    return data.filter(({ status }: { status: string }) => status === "DELIVERED").length === 3;
  });
  await company.call("/v1/optout/create", { phone: PHONE });

  async function check() {
    const found = await find(company);
    assert.deepEqual([found.totalCount, found.optout, found.contact.name], [2, "COMPANY", "Yao"]);
    const [code, first] = found.data;
    assert.deepEqual([code.kind, code.text, code.campaignId], ["otp", null, null]);
    assert.deepEqual(
      [first.kind, first.text, first.campaignId, first.status, first.credits],
      ["campaign", "Bonjour @name", campaign, "DELIVERED", 1],
    );
    assert.ok(first.operator && first.sentAt && first.deliveredAt);
    const last = await find(company, { page: 2, limit: 1 });
    assert.deepEqual(last.data, [first]);
    assert.equal((await find(other)).data.length, 1);
    assert.equal((await w.admin("/v1/admin/message/list", { phone: PHONE })).data.length, 3);
    const ofOne = await w.admin("/v1/admin/message/list", { phone: PHONE, companyId: company.companyId });
    assert.deepEqual(
      ofOne.data.map((row: { companyName: string }) => row.companyName),
      ["Awa", "Awa"],
    );
  }
  await check();
  await inBulk(
    w.app,
    `INSERT INTO messages (account_id, send_id, number, phone, status, segments, price, sent_at)
     SELECT $1, $2, number, (2250100000000 + number)::text, 'SENT', 1, 1, now() FROM generate_series(3, $3::int) AS number`,
    [company.companyId, campaign, MANY],
  );
  await check();

  const before = await find(company, { from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z" });
  assert.deepEqual([before.data, before.totalCount], [[], 0]);
  for (const body of [{ from: "x" }, { from: "2026-01-01T00:00:00Z", to: "2026-07-01T00:00:00Z" }])
    assert.equal((await find(company, body)).error, "invalid-request");
  assert.equal((await find(company, { phone: "0" })).error, "invalid-phone-number");

  const { data: key } = await w.admin("/v1/admin/key/create", { name: "support", role: "support" });
  const hidden = await w.call("/v1/admin/message/list", { adminKey: key.adminKey, phone: PHONE });
  assert.equal(hidden.success, true);
  assert.ok(!JSON.stringify(hidden).includes("Bonjour"), "support reads no text");
});

test("a search by phone finds what waits, whatever carries it, and says where it cannot search it all", async (t) => {
  const w = await testService(t, { config: { roles: new Set(["api"] as const) } });
  const company = await w.company({ credits: 20 });
  const other = await w.company({ credits: 20 });
  const single = await send(company, PHONE);
  const bulk = await send(company, ["2250700001235", PHONE, "2250700001236"]);
  const moved = await send(company, PHONE);
  const lost = await send(company, PHONE);
  await send(other, PHONE, "secret");
  await send(other, ["2250700001235", PHONE]);
  // A gateway has the bulk, and may have written its first two messages; two others have left their batches.
  await rows(w.app, "UPDATE batches SET session_id = 's', intent = 2 WHERE send_id = $1", [bulk]);
  for (const [id, since] of [
    [moved, null],
    [lost, "2026-11-23T00:00:00Z"],
  ])
    await rows(
      w.app,
      `WITH gone AS (
         DELETE FROM batches WHERE messages LIKE '%' || $1 || '%' RETURNING *
       ),
       made AS (INSERT INTO batches (id, lane, prefix, account_id, segments, size, expires_at)
         SELECT id, lane, prefix, account_id, 1, 1, expires_at FROM gone)
       INSERT INTO message_queue (batch_id, position, account_id, send_id, number, pool_id, phone, sender, body, segments, price, reference, unknown_since)
       SELECT id, 1, $2, $1, 1, $2, $3, 'S', 'Bonjour', 1, 1, 1, $4::timestamptz FROM gone`,
      [id, company.companyId, PHONE, since],
    );
  const find = (who: Company) => who.call("/v1/message/list", { phone: PHONE });
  const found = await find(company);
  assert.deepEqual(
    found.data.map(({ campaignId, status, sentAt }: Record<string, unknown>) => [campaignId, status, sentAt]),
    [
      [lost, "UNKNOWN", null],
      [moved, "QUEUED", null],
      [bulk, "SENDING", null],
      [single, "QUEUED", null],
    ],
  );
  assert.deepEqual([found.totalCount, found.queueSearched], [4, true]);
  assert.equal((await find(other)).totalCount, 2);
  const all = await w.admin("/v1/admin/message/list", { phone: PHONE });
  assert.deepEqual([all.totalCount, all.queueSearched], [6, true]);

  await rows(
    w.app,
    `INSERT INTO messages (account_id, send_id, number, phone, status, segments, price, sent_at)
     VALUES ($1, $2, 2, $3, 'SENT', 1, 1, now())`,
    [company.companyId, bulk, PHONE],
  );
  const settled = await find(company);
  assert.deepEqual(
    settled.data.map(({ status }: { status: string }) => status),
    ["UNKNOWN", "QUEUED", "SENT", "QUEUED"],
    "a message that is settled while its batch is held is told once",
  );

  await inBulk(
    w.app,
    `INSERT INTO batches (id, lane, prefix, account_id, segments, size, expires_at, messages)
     SELECT 'f' || lpad(to_hex(n), 23, '0'), 2, '', $1, 1, 1, now(), '' FROM generate_series(1, 5000) n`,
    [other.companyId],
  );
  for (const who of [company, other]) assert.equal((await find(who)).queueSearched, false);
});

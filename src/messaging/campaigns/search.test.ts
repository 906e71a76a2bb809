// The filtered list of campaigns: what is found shows what was asked for, and a large company's is bounded.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { newPhone } from "../../../test/codes.ts";
import { inBulk, rows, settled } from "../../../test/sending.ts";
import { type Company, testService, until } from "../../../test/testservice.ts";
import { lowestId } from "../../platform/ids.ts";
import { startOfDay } from "../../platform/zones.ts";

const REJECTED = "2250700000001";
const DAY_MS = 24 * 3_600_000;
const list = (company: Company, filter: object) =>
  company.call("/v1/campaign/list", { limit: 100, ...filter });

test("a day begins at the time of its country", () => {
  assert.equal(startOfDay("CI", "2026-11-22")?.toISOString(), "2026-11-22T00:00:00.000Z");
  assert.equal(startOfDay("FR", "2026-03-29", 1)?.toISOString(), "2026-03-29T22:00:00.000Z");
  assert.equal(startOfDay("FR", "2026-03-29")?.toISOString(), "2026-03-28T23:00:00.000Z");
  for (const none of ["2026-02-30", "demain", "2026-1-1"]) assert.equal(startOfDay("CI", none), undefined);
});

test("campaigns by status, type, name and day", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 100 });
  const create = async (name: string, body: object = {}): Promise<string> =>
    (
      await dataOf(
        company.call("/v1/campaign/create", { contacts: [newPhone()], text: "Bonjour", name, ...body }),
      )
    ).id;
  const scheduledDate = new Date(Math.ceil(Date.now() / DAY_MS) * DAY_MS + DAY_MS).toISOString();
  const weekly = { type: "RECURRING", recurring: { monday: "08:00" } };
  const sent = [
    await create("Rentrée 100 %"),
    await create("RENTRÉE des classes", { contacts: [newPhone(), newPhone()] }),
    await create("Refus", { contacts: [REJECTED] }),
  ];
  const [waiting, series, canceled] = [
    await create("Fête", { type: "SCHEDULED", scheduledDate }),
    await create("Chaque lundi", weekly),
    await create("Plus jamais", weekly),
  ];
  await dataOf(company.call(`/v1/campaign/${canceled}/cancel`));
  const paused = await create("Sans crédits", weekly);
  await rows(here.app, "UPDATE campaigns SET next_at = NULL, paused_at = now() WHERE id = $1", [paused]);
  for (const id of sent) await settled(company, id);
  await until(async () =>
    (await list(company, {})).data.every(({ status }: { status: string }) => status !== "SENDING"),
  );
  const all = (await list(company, {})).data as { id: string; status: string; type: string }[];

  await t.test("each status and type finds those that show it", async () => {
    for (const status of ["PENDING", "SENDING", "SENT", "FAILED", "CANCELED", "ACTIVE"])
      for (const type of [undefined, "SMS", "SCHEDULED", "RECURRING"]) {
        const { data, totalCount } = await list(company, { status, type });
        const wanted = all.filter((one) => one.status === status && (!type || one.type === type));
        assert.deepEqual([data, totalCount], [wanted, wanted.length], `${status} ${type}`);
      }
    assert.deepEqual(
      ["SENT", "FAILED", "PENDING", "ACTIVE", "CANCELED"].map(
        (status) => all.filter((one) => one.status === status).length,
      ),
      [2, 2, 1, 1, 1],
    );
    const { data } = await list(company, { type: "RECURRING", sort: "asc" });
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      [series, canceled, paused],
    );
    assert.equal((await list(company, { type: "SCHEDULED" })).data[0].id, waiting);
  });

  await t.test("a part of the name finds it, whatever its case, and is no pattern", async () => {
    const found = async (search: string) => (await list(company, { search })).totalCount;
    assert.deepEqual(
      await Promise.all(["rentree", "0 %", "%", "_", "classes", ""].map(found)),
      [2, 1, 1, 0, 1, 7],
    );
    const second = await company.call("/v1/campaign/list", { search: "rentrée", limit: 1, page: 2 });
    assert.deepEqual([second.data[0].id, second.totalPage], [sent[0], 2]);
  });

  await t.test("days are those of the company's country, both included", async () => {
    const old = lowestId(Date.parse("2026-01-31T23:59:59Z"));
    await rows(here.app, "UPDATE campaigns SET id = $2 WHERE id = $1", [sent[2], old]);
    const count = async (filter: object) => (await list(company, filter)).totalCount;
    assert.deepEqual(
      [
        await count({ from: "2026-01-31", to: "2026-01-31" }),
        await count({ to: "2026-01-30" }),
        await count({ from: "2026-02-01" }),
        await count({ from: "2026-02-01", type: "RECURRING" }),
        await count({ to: "2026-01-31", status: "CANCELED" }),
        await count({ to: "2026-01-31", type: "SMS" }),
      ],
      [1, 0, 6, 3, 0, 1],
    );
    assert.equal((await list(company, { from: "2026-02-30" })).error, "invalid-request");
  });

  await t.test("of 12,000 campaigns the newest 10,000 are looked at, and a time counts all", async () => {
    const large = await here.company();
    const many = `INSERT INTO campaigns (company_id, id, user_id, name, body, sender_name, contact_count, credit_used)
      SELECT $1, '00000000' || lpad(to_hex(n), 16, '0'), '', CASE n WHEN 1 THEN 'Première' ELSE 'Promo' END, '', 'A', 1, 1
      FROM generate_series(1, 12000) n`;
    await inBulk(here.app, many, [large.companyId]);
    const count = async (filter: object) => (await list(large, filter)).totalCount;
    assert.deepEqual(
      [
        await count({ search: "promo" }),
        await count({ search: "première" }),
        await count({ from: "1970-01-01" }),
      ],
      [10_000, 0, 12_000],
    );
    assert.equal(await count({ status: "PENDING" }), 10_000);
  });
});

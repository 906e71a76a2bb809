// What a list or a step of received messages reads does not grow with what all companies received.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pagesOf } from "../../../test/cost.ts";
import { inBulk } from "../../../test/sending.ts";
import { testService } from "../../../test/testservice.ts";
import type { Query } from "../../platform/database/query.ts";
import * as sql from "./sql.ts";

/** Those of others; the company has 1 of 1,000, as many as a page or two. */
const MESSAGES = 20_000;
const MINE = MESSAGES / 1_000;
/** A row is looked at in the index and in its page, and so are its contact and its campaign. */
const PAGES_AT_MOST = 50 + 12 * MINE;

test("lists, erasures, closings and retention read their own messages alone", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"] as const) } });
  const { companyId } = await here.company();
  await inBulk(
    here.app,
    `INSERT INTO inbound_messages (company_id, id, phone, address, keyword, body, encoding, segments, is_sought, campaign_id)
     SELECT CASE WHEN n % 1000 = 0 THEN $1 ELSE lpad(to_hex(n % 50), 24, '0') END, lpad(to_hex(n), 24, '0'), '22507' || (10000000 + n % 1000),
       '98765', 'PROMO', CASE WHEN n % 1000 = 1 THEN 'x' END, 'GSM-7', 1, n % 1000 <> 2, 'campaign'
     FROM generate_series(1, $2::int) n`,
    [companyId, MESSAGES],
  );
  await inBulk(here.app, "ANALYZE inbound_messages");
  const range = { companyId, fromId: "0", beforeId: "g" };
  const page = { limit: 10, from: 0 };
  const later = { limit: 10, from: ["0000000000000000000fffff"] };
  const phone = "2250710000000";
  const one = { ...range, phone, campaignId: "campaign", keyword: "PROMO", number: "98765" };
  const any = { ...range, phone: null, number: null };
  const statements: [Query<unknown, object>, object][] = [
    ...Object.values(sql.listsBy).flatMap(({ desc, count }): [Query<unknown, object>, object][] => [
      [desc.numbered, { ...one, ...page }],
      [desc.after, { ...one, ...later }],
      [count, one],
    ]),
    [sql.listsOfAny.ofOne.desc.numbered, { ...any, ...page }],
    [sql.listsOfAny.ofOne.desc.after, { ...any, ...later }],
    [sql.listsOfAny.ofOne.count, any],
    [sql.listsOfAny.ofAll.desc.numbered, { ...any, ...page }],
    [sql.listsOfAny.ofAll.desc.after, { ...any, ...later }],
    [sql.findMessage, { companyId, id: "1" }],
    [sql.listUnsought, [100]],
    [sql.emptyOldTexts, ["g", 10]],
    [sql.deleteOldMessages, ["g", 10]],
    [sql.deleteOfPhone, [[companyId], phone, 5_000]],
    [sql.deleteOfCompany, [companyId, 5_000]],
  ];
  for (const [statement, values] of statements) {
    const pages = await pagesOf(here.app.database, statement, values);
    assert.ok(pages <= PAGES_AT_MOST, `${statement.name}: ${pages} pages`);
  }
});

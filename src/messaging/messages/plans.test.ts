// A page of what an account sent reads no more than it lists, however much it has sent, in whatever month.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import pg from "pg";
import { cloneDatabase, type TestDatabase } from "../../../test/database.ts";
import { atLength } from "../../../test/length.ts";
import { valuesOf } from "../../platform/database/query.ts";
import { newId } from "../../platform/ids.ts";
import * as sent from "./sent.sql.ts";

const MONTHS = 24;
const MESSAGES = atLength({ short: 20_000, long: 200_000, night: 2_000_000 });
const [COMPANY, OTHER] = ["company", "other"];
/** As the connections of the service have it, and `planByValues`. */
const SETTINGS =
  "-c plan_cache_mode=force_custom_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off";

type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
};

suite("plans of what an account sent", () => {
  let database: TestDatabase;
  let client: pg.Client;
  let large: string;
  const ids: string[] = [];

  before(async () => {
    database = await cloneDatabase();
    client = new pg.Client({ connectionString: database.url, options: SETTINGS });
    await client.connect();
    const { rows } = await client.query(
      `SELECT extract(epoch FROM month)::float8 AS seconds
       FROM generate_series(date_trunc('month', now() AT TIME ZONE 'UTC'), now() AT TIME ZONE 'UTC' + $1::int * interval '1 month', '1 month') AS month
       ORDER BY month LIMIT $1`,
      [MONTHS],
    );
    for (const [i, { seconds }] of rows.entries()) {
      if (i > 2) await client.query("SELECT make_record_month(to_timestamp($1)::date)", [seconds]);
      ids.push(newId(seconds * 1_000 + 24 * 3_600_000));
    }
    large = ids[MONTHS - 2]!;
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  async function fill(): Promise<void> {
    const insert = `INSERT INTO messages (account_id, send_id, number, phone, status, segments, price, sent_at)
      SELECT account_id, send_id, number, '22507' || number, CASE WHEN number % 1000 = 0 THEN 'UNDELIVERED' ELSE 'SENT' END, 1, 1, now()
      FROM unnest($1::text[]) AS account_id, unnest($2::text[]) AS send_id, generate_series(1, $3::int) AS number`;
    await client.query(insert, [[COMPANY, OTHER], ids.filter((id) => id !== large), 100]);
    await client.query(insert, [[COMPANY, OTHER], [large], MESSAGES]);
  }

  /** How many rows of the record a query reads, and whether it sorts any. */
  async function readBy(text: string, values: readonly unknown[]) {
    await client.query(`PREPARE looked AS ${text}`);
    const literals = values.map((value) => pg.escapeLiteral(String(value))).join(", ");
    const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE looked(${literals})`);
    await client.query("DEALLOCATE looked");
    let read = 0;
    let sorts = false;
    const visit = (plan: Plan): void => {
      const { "Actual Rows": got, "Actual Loops": loops, "Rows Removed by Filter": removed = 0 } = plan;
      if (plan["Relation Name"]?.startsWith("messages_")) read += (got + removed) * loops;
      sorts ||= plan["Node Type"] === "Sort";
      plan.Plans?.forEach(visit);
    };
    visit(rows[0]["QUERY PLAN"][0].Plan);
    return { read, sorts };
  }

  test("with and without knowledge of the tables", async () => {
    await fill();
    const all = { accountId: COMPANY, fromId: ids[0]!, sendId: ids.at(-1)!, number: 1_000_000 };
    const inLarge = { ...all, sendId: large, number: MESSAGES - 5_000 };
    const last = { lastSendId: large, lastNumber: MESSAGES - 9_000 };
    for (const isKnown of [false, true]) {
      if (isKnown) await client.query("ANALYZE messages");
      for (const [name, query, values, most] of [
        ["a page over all months", sent.listNewest, { ...all, limit: 100 }, 100],
        ["a page in the middle of a send", sent.listNewest, { ...inLarge, limit: 10 }, 10],
        ["a step", sent.findStep, { ...inLarge, offset: 3_999 }, 4_000],
        [
          "a step of a status",
          sent.listNewestOfStatus,
          { ...inLarge, ...last, status: "UNDELIVERED", limit: 10 },
          4_000,
        ],
        [
          "a page of a frequent status",
          sent.listNewestOfStatus,
          { ...inLarge, ...last, status: "SENT", limit: 10 },
          11,
        ],
        ["a count", sent.countNewest, { ...all, limit: 10_000 }, 10_000],
      ] as const) {
        const { read, sorts } = await readBy(query.text, valuesOf(query, values));
        assert.ok(read <= most + MONTHS + 1, `${name} reads ${read} rows, known: ${isKnown}`);
        assert.equal(sorts, false, name);
      }
    }
  });
});

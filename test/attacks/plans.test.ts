// H22: row-level security costs the service nothing, and keeps no statement of an account from its index.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import pg from "pg";
import { cloneDatabase, type TestDatabase } from "../database.ts";
import { allQueries } from "../queries.ts";
import { listMutants } from "./mutants.ts";

const PLANS_AT_LEAST = 400;
/** Statements that name accounts and never run in a transaction of one. */
const OF_SERVICE: Record<string, string> = {
  "operators.listRegistrations": "it names operators, which are no rows of a company",
  "sends.listTallies":
    "statistics of one account are read by the service, from rows that several accounts share",
  "accounts.listUsersOfAlone": "an administrator suspends a company",
  "campaigns.lockDueCampaign": "a tick runs what is due, and reads what was forgotten",
  "sends.listQueuedSends": "a job looks for what stopped connections have queued",
  ...Object.fromEntries(
    ["lockWordsMark", "insertNextWords", "updateWordsMark", "deleteWordsMark"].map((name) => [
      `contacts.${name}`,
      "a job adds the words of old contacts",
    ]),
  ),
};

// As the connections of the service have it.
const SETTINGS = `SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off;
  SET enable_mergejoin = off; SET jit = off; SET timezone = 'UTC'; SET "atumpan.account" = '*'`;

suite("plans", () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await cloneDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(SETTINGS);
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  async function planOf(text: string): Promise<string[]> {
    const isPlanned = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(text);
    if (!isPlanned) return [];
    const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN, COSTS OFF) ${text}`);
    return rows.map((row) => row["QUERY PLAN"]);
  }

  test("what is done for all accounts has the plans that it has without row-level security", async () => {
    const others: string[] = [];
    let planned = 0;
    for (const { query } of await allQueries()) {
      await client.query("RESET ROLE");
      const without = (await planOf(query.text)).map(inOrder);
      await client.query("SET ROLE atumpan_service");
      const withIt = (await planOf(query.text)).map(inOrder);
      if (without.length > 0) planned++;
      if (withIt.join("\n") !== without.join("\n")) others.push(query.name);
    }
    assert.deepEqual(others, []);
    assert.ok(planned >= PLANS_AT_LEAST, `${planned} plans`);
  });

  test("what is done for one account uses the indexes that it uses without row-level security", async () => {
    const others: string[] = [];
    for (const { name, honest } of await listMutants()) {
      if (name in OF_SERVICE) continue;
      await client.query("RESET ROLE");
      const without = indexesOf(await planOf(honest));
      await client.query("SET ROLE atumpan_tenant");
      const withIt = indexesOf(await planOf(honest));
      const missing = [...without].filter((index) => !withIt.has(index));
      if (missing.length > 0) others.push(`${name}: ${missing} is not among ${[...withIt]}`);
    }
    assert.deepEqual(others, []);
  });

  for (const contacts of [3, 50_000])
    test(`with ${contacts} contacts, a phone book is read and written by the plans without row-level security`, async () => {
      await client.query("RESET ROLE");
      await client.query("SET session_replication_role = replica"); // nothing is counted
      for (const text of BOOK) await client.query(text, [contacts]);
      await client.query("ANALYZE");
      const others: string[] = [];
      for (const { folder, query } of await allQueries()) {
        if (!["contacts", "groups", "optouts"].includes(folder) || query.name in OF_SERVICE) continue;
        await client.query("RESET ROLE");
        const without = await planOf(query.text);
        await client.query("SET ROLE atumpan_tenant");
        const withIt = await planOf(query.text);
        if (shapeOf(withIt) !== shapeOf(without)) others.push(query.name);
      }
      assert.deepEqual(others, []);
    });
});

/** The phone books of three companies, with $1 contacts in all. */
const BOOK = [
  `INSERT INTO contacts (company_id, id, phone, name, first_name)
   SELECT 'c' || i % 3, 'i' || i, 'p' || i, 'n' || i, 'f' || i FROM generate_series(1, $1::int) i ON CONFLICT DO NOTHING`,
  `INSERT INTO groups (company_id, id, name)
   SELECT 'c' || i % 3, 'g' || i, 'n' || i FROM generate_series(1, $1::int / 100 + 3) i ON CONFLICT DO NOTHING`,
  `INSERT INTO group_members (company_id, group_id, contact_id)
   SELECT 'c' || i % 3, 'g' || i % 50, 'i' || i FROM generate_series(1, $1::int) i ON CONFLICT DO NOTHING`,
  `INSERT INTO optouts (company_id, phone, source)
   SELECT 'c' || i % 3, 'p' || i, 'COMPANY' FROM generate_series(1, $1::int) i ON CONFLICT DO NOTHING`,
];

/** A plan without its filters. */
function shapeOf(plan: readonly string[]): string {
  return plan.filter((line) => !/^ *Filter:/.test(line)).join("\n");
}

/** The conditions of a filter in one order: those that may tell of rows (`lower(…)`) come last behind a policy. */
function inOrder(line: string): string {
  return /^ *Filter:/.test(line)
    ? line
        .replaceAll(/[()]/g, "")
        .split(/Filter: | AND /)
        .sort()
        .join(" ")
    : line;
}

/** The indexes that a plan reads; `Seq Scan` for a table that it reads whole. */
function indexesOf(plan: readonly string[]): Set<string> {
  const names = plan.flatMap((line) => /(?:using|Bitmap Index Scan on) (\w+)/.exec(line)?.[1] ?? []);
  return new Set(names);
}

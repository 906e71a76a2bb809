// On Citus (`npm run test:citus`): it takes every statement of the service, as all who run it, with the values that it gets.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import pg from "pg";
import { DISTRIBUTED_SESSION } from "../../src/platform/database/citus.ts";
import { SERVICE_ROLE, TENANT_ROLE } from "../../src/platform/database/rights.ts";
import { askOwner, cloneDatabase, type TestDatabase } from "../database.ts";
import { allQueries } from "../queries.ts";

/** A value of each type that a statement takes. */
const VALUES: Record<string, string> = {
  text: "'x'",
  smallint: "1",
  integer: "1",
  bigint: "1",
  boolean: "false",
  date: "'2031-01-01'",
  bytea: "'x'",
  jsonb: "'{}'",
  interval: "'1 minute'",
  "double precision": "1",
  "double precision[]": "'{1,2}'",
  "timestamp with time zone": "now()",
  "date[]": "'{2031-01-01,2031-02-01}'",
  "text[]": "'{x,y}'",
  "smallint[]": "'{1,2}'",
  "integer[]": "'{1,2}'",
  "bigint[]": "'{1,2}'",
  "boolean[]": "'{f,f}'",
  "bytea[]": "'{x,y}'",
  "jsonb[]": "ARRAY['{}', '{}']::jsonb[]",
  "timestamp with time zone[]": "ARRAY[now(), now()]",
};
/** What Citus refuses has one of these codes: a feature that it lacks, or an error within it. */
const REFUSED = ["0A000", "XX000"];
/** Why an account runs no such statement. */
const OF_SERVICE: Record<string, string> = {
  "sends.settlePacked": "the gateway settles",
};

let database: TestDatabase;
before(async () => {
  database = await cloneDatabase();
});
after(() => database.drop());

/** The statements that Citus refuses to a role, with the reason; and how many it ran. */
async function refusedTo(role: string, begin: string): Promise<{ refused: string[]; ran: number }> {
  const settings = Object.entries({ ...DISTRIBUTED_SESSION, role }).map(
    ([name, value]) => `-c ${name}=${value}`,
  );
  const client = new pg.Client({ connectionString: database.serviceUrl, options: settings.join(" ") });
  await client.connect();
  const refused: string[] = [];
  const queries = await allQueries();
  for (const { query } of queries) {
    await client.query(begin);
    await client.query(`PREPARE looked AS ${query.text}`);
    const { rows } = await client.query(
      "SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'looked'",
    );
    const values = rows[0].types.map((type: string) => VALUES[type] ?? assert.fail(`VALUES has no ${type}`));
    const given = values.length > 0 ? `(${values.join(", ")})` : "";
    await client.query(`EXECUTE looked${given}`).catch((error: pg.DatabaseError) => {
      if (REFUSED.includes(error.code ?? "")) refused.push(`${query.name}: ${error.message}`);
      else assert.ok(error.code, `${query.name}: ${error.message}`);
    });
    await client.query("ROLLBACK; DEALLOCATE ALL");
  }
  await client.end();
  return { refused, ran: queries.length };
}

suite("statements on Citus", () => {
  test("the record is distributed", async () => {
    const [row] = await askOwner(database.url, [
      "SELECT count(DISTINCT nodename || nodeport)::int AS workers FROM citus_shards WHERE table_name = 'messages'::regclass",
    ]);
    assert.ok(Number(row!.workers) > 1, `the record lies on ${row!.workers} workers`);
  });

  test("the service runs every statement", async () => {
    const { refused, ran } = await refusedTo(SERVICE_ROLE, "BEGIN");
    assert.deepEqual(refused, []);
    assert.ok(ran > 900, `${ran} statements`);
  });

  test("an account runs every statement that is its own", async () => {
    const { refused } = await refusedTo(
      SERVICE_ROLE,
      `BEGIN; SET LOCAL atumpan.account = 'x'; SET LOCAL ROLE ${TENANT_ROLE}`,
    );
    const names = refused.map((one) => one.slice(0, one.indexOf(":")));
    assert.deepEqual(names, Object.keys(OF_SERVICE), refused.join("\n"));
  });
});

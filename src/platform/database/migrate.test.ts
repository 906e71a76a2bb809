// Migrations: each is applied once, whichever node starts, and files that do not fit the database are refused.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import pg from "pg";
import { cloneDatabase, type TestDatabase } from "../../../test/database.ts";
import { MigrationError, migrate } from "./migrate.ts";

let database: TestDatabase;
let client: pg.Client;
let folder: string;

before(async () => {
  database = await cloneDatabase("template0");
});
after(() => database.drop());

// Each test begins with an empty schema and two files.
beforeEach(async () => {
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  folder = await mkdtemp(join(tmpdir(), "atumpan-migrations-"));
  await write("0001_first.sql", "CREATE TABLE first (id integer); CREATE TABLE steps (name text);");
  await write("0002_second.sql", "INSERT INTO steps VALUES ('second');");
});
afterEach(async () => {
  await client.end();
  await rm(folder, { recursive: true });
});

const write = (name: string, sql: string): Promise<void> => writeFile(join(folder, name), sql);
const apply = () => migrate(database.url, { folder });

async function listApplied(): Promise<number[]> {
  const { rows } = await client.query("SELECT number FROM schema_migrations ORDER BY number");
  return rows.map((row) => row.number);
}

/** Checks that an error is a `MigrationError` with the words that tell the operator what to do. */
function refusal(words: RegExp) {
  return (error: Error) => error instanceof MigrationError && words.test(error.message);
}

test("nodes that start at once apply each file once, in order", async () => {
  await Promise.all([apply(), apply(), apply(), apply()]);
  await apply();
  assert.deepEqual(await listApplied(), [1, 2]);
  assert.deepEqual((await client.query("SELECT name FROM steps")).rows, [{ name: "second" }]);
  await write("0003_third.sql", "INSERT INTO steps VALUES ('third');");
  await apply();
  assert.deepEqual(await listApplied(), [1, 2, 3]);
});

test("a file that fails leaves nothing behind, and its line is named", async () => {
  await write("0003_third.sql", "INSERT INTO steps VALUES ('third');\nSELECT nonsense;");
  await assert.rejects(
    apply(),
    refusal(/^migration 0003_third\.sql:2 failed: column "nonsense" does not exist$/),
  );
  assert.deepEqual(await listApplied(), [1, 2]);
  assert.deepEqual((await client.query("SELECT name FROM steps")).rows, [{ name: "second" }]);
});

test("an applied file that was changed is refused, unless only its line ends differ", async () => {
  await write("0003_third.sql", "SELECT 1;\nSELECT 2;\n");
  await apply();
  await write("0003_third.sql", "SELECT 1;\r\nSELECT 2;\r\n");
  await apply();
  await write("0003_third.sql", "SELECT 3;\n");
  await assert.rejects(apply(), refusal(/0003_third\.sql was changed after it was applied/));
});

test("a database newer than the program is refused", async () => {
  await apply();
  await client.query("INSERT INTO schema_migrations (number, name, checksum) VALUES (7, 'future', 'x')");
  await assert.rejects(apply(), refusal(/the database is newer than this program: 0007_future\.sql/));
});

test("a file added before an applied one is refused", async () => {
  await rm(join(folder, "0001_first.sql"));
  await write("0002_second.sql", "SELECT 2;");
  await apply();
  await write("0001_first.sql", "SELECT 1;");
  await assert.rejects(apply(), refusal(/0001_first\.sql was added before 0002_second\.sql/));
});

test("a file with a wrong name or a number used twice is refused", async () => {
  await write("0002_other.sql", "SELECT 1;");
  await assert.rejects(apply(), refusal(/two migrations have the number 0002/));
  await rm(join(folder, "0002_other.sql"));
  await write("0002b.sql", "SELECT 1;");
  await assert.rejects(apply(), refusal(/name it NNNN_name\.sql/));
});

// What a transaction reports when something of it fails: never "committed" for a part, nor "undone" for the whole.
import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { cloneDatabase } from "../../../test/database.ts";
import { Database } from "./database.ts";
import { query } from "./query.ts";
import { CommitUnknown, type Fate } from "./transaction.ts";

const insert = query("test.insert", "INSERT INTO pools (id, kind) VALUES ($1, 'company')");
const list = query<{ id: string }>(
  "test.list",
  "SELECT id FROM pools WHERE id = ANY($1::text[]) ORDER BY id",
);
const dated = query("test.dated", "SELECT $1::timestamptz");
const allDated = query("test.all-dated", "SELECT $1::timestamptz[]");
const impossible = query("test.impossible", "SELECT 1 / $1::int");
const tenth = query("test.tenth", "SELECT pg_sleep(0.1)");
const NO_DATE = new Date(Number.NaN);

async function open(t: TestContext, { max = 1, parameters = "" } = {}): Promise<Database> {
  const clone = await cloneDatabase();
  t.after(() => clone.drop());
  const url = `${clone.url}${parameters}`;
  const database = new Database({ url, max, statementTimeoutMs: 10_000, onConnectionLost() {} });
  t.after(() => database.close());
  return database;
}

suite("failures of transactions", { concurrency: true }, () => {
  for (const waits of [true, false])
    test(`a value that cannot be sent undoes the transaction, ${waits ? "also" : "even"} if its statement is ${waits ? "" : "not "}awaited`, async (t) => {
      const database = await open(t);
      const fates: Fate[] = [];
      const failing = database.transaction(async (tx) => {
        tx.onEnd((fate) => fates.push(fate));
        const answers = [tx.run(insert, ["a"]), tx.run(dated, [NO_DATE]), tx.run(insert, ["b"])];
        if (waits) await Promise.all(answers);
        tx.commitNow();
      });
      await assert.rejects(failing, RangeError);
      assert.deepEqual(fates, ["undone"]);
      assert.deepEqual(await database.run(list, [["a", "b"]]), []);
      await assert.rejects(database.run(allDated, [[NO_DATE, new Date(0)]]), RangeError);
    });

  test("a statement behind one that failed gets the cause, also if it should have been prepared there", async (t) => {
    const database = await open(t);
    const failing = database.transaction(async (tx) => {
      void tx.run(impossible, [0]);
      void tx.run(list, [["a"]]);
      await new Promise(setImmediate);
      await tx.run(list, [["a"]]);
    });
    await assert.rejects(failing, { code: "22012" });
  });

  test("a second commit is refused, and so is a statement after the commit", async (t) => {
    const database = await open(t);
    for (const more of ["commit", "statement"] as const) {
      const failing = database.transaction(async (tx) => {
        const written = tx.run(insert, [more]);
        tx.commitNow();
        await written;
        if (more === "commit") tx.commitNow();
        else await tx.run(insert, ["later"]);
      });
      await assert.rejects(failing, CommitUnknown);
    }
    assert.deepEqual(await database.run(list, [["commit", "statement", "later"]]), [
      { id: "commit" },
      { id: "statement" },
    ]);
  });

  test("an error of another connection does not say that a committed transaction is undone", async (t) => {
    const database = await open(t, { max: 2 });
    const fates: Fate[] = [];
    const failing = database.transaction(async (tx) => {
      tx.onEnd((fate) => fates.push(fate));
      const written = tx.run(insert, ["a"]);
      tx.commitNow();
      await written;
      await database.run(impossible, [0]);
    });
    await assert.rejects(failing, CommitUnknown);
    assert.deepEqual(fates, ["unknown"]);
    assert.deepEqual(await database.run(list, [["a"]]), [{ id: "a" }]);
  });

  test("a query_timeout of the address ends with each answer", async (t) => {
    const database = await open(t, { parameters: "?query_timeout=600" });
    await database.transaction(async (tx) => {
      for (let i = 0; i < 10; i++) await tx.run(tenth);
    });
    assert.deepEqual(await database.run(list, [["a"]]), []);
  });
});

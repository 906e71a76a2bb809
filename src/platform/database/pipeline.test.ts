// Statements that travel together: all or nothing, within their account, and prepared once.
import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { cloneDatabase } from "../../../test/database.ts";
import { Database } from "./database.ts";
import { query } from "./query.ts";
import { isServerError, type Tx } from "./transaction.ts";

const insert = query("test.insert", "INSERT INTO pools (id, kind) VALUES ($1, 'company')");
const list = query<{ id: string }>(
  "test.list",
  "SELECT id FROM pools WHERE id = ANY($1::text[]) ORDER BY id",
);
const impossible = query("test.impossible", "SELECT 1 / $1::int");
const whose = query<{ account: string; role: string }>(
  "test.whose",
  "SELECT current_setting('atumpan.account') AS account, current_user::text AS role",
);
const transactionId = query<{ id: string }>("test.transaction-id", "SELECT pg_current_xact_id()::text AS id");
const large = query<{ large: number }>("test.large", "SELECT 9007199254740993::bigint AS large");

/** A database with one connection. */
async function oneConnection(t: TestContext): Promise<Database> {
  const clone = await cloneDatabase();
  t.after(() => clone.drop());
  const options = {
    url: clone.url,
    max: 1,
    hasRoles: true,
    statementTimeoutMs: 10_000,
    onConnectionLost() {},
  };
  const database = new Database(options);
  t.after(() => database.close());
  return database;
}

/** Runs statements that travel together with the commit. */
const together = (database: Pick<Database, "transaction">, work: (tx: Tx) => Promise<unknown>[]) =>
  database.transaction((tx) => {
    const answers = work(tx);
    tx.commitNow();
    return Promise.all(answers);
  });

suite("pipelines", { concurrency: true }, () => {
  test("a transaction in one pipeline is committed whole, or not at all", async (t) => {
    const database = await oneConnection(t);
    await together(database, (tx) => [tx.run(insert, ["a"]), tx.run(insert, ["b"])]);
    const failing = together(database, (tx) => [tx.run(insert, ["c"]), tx.run(insert, ["a"])]);
    await assert.rejects(failing, { code: "23505" });
    assert.deepEqual(await database.run(list, [["a", "b", "c"]]), [{ id: "a" }, { id: "b" }]);
  });

  test("a transaction that first reads is committed whole, or not at all", async (t) => {
    const database = await oneConnection(t);
    const begun = (ids: string[]) =>
      database.transaction(async (tx) => {
        assert.deepEqual(await tx.run(list, [ids]), []);
        const answers = ids.map((id) => tx.run(insert, [id]));
        tx.commitNow();
        await Promise.all(answers);
      });
    await begun(["a", "b"]);
    await assert.rejects(begun(["c", "c"]), { code: "23505" });
    assert.deepEqual(await database.run(list, [["a", "b", "c"]]), [{ id: "a" }, { id: "b" }]);
  });

  test("the account and the role of a transaction end with it, however it travels and ends", async (t) => {
    const database = await oneConnection(t);
    const service = [{ account: "*", role: "atumpan_service" }];
    const tenant = [{ account: "a1", role: "atumpan_tenant" }];
    const account = database.of("a1");
    assert.deepEqual(await account.run(whose), tenant);
    assert.deepEqual(await database.run(whose), service);
    assert.deepEqual(await account.transaction((tx) => tx.run(whose)), tenant);
    assert.deepEqual(await database.run(whose), service);
    for (const begins of [false, true]) {
      const failing = account.transaction(async (tx) => {
        if (begins) await tx.run(whose);
        const answers = [tx.run(whose), tx.run(impossible, [0])];
        tx.commitNow();
        return Promise.all(answers);
      });
      await assert.rejects(failing, { code: "22012" });
      assert.deepEqual(await database.run(whose), service);
    }
  });

  test("what was to be prepared behind a statement that failed is prepared by the next one", async (t) => {
    const database = await oneConnection(t);
    for (const commits of [false, true]) {
      const failing = database.transaction((tx) => {
        const answers = [tx.run(impossible, [0]), tx.run(whose), tx.run(list, [["a"]])];
        if (commits) tx.commitNow();
        return Promise.all(answers);
      });
      await assert.rejects(failing, { code: "22012" });
    }
    assert.equal((await database.run(whose)).length, 1);
    assert.deepEqual(await database.run(list, [["a"]]), []);
  });

  test("statements that are given after an answer run in the same transaction", async (t) => {
    const database = await oneConnection(t);
    const ids = await database.transaction(async (tx) => [
      await tx.run(transactionId),
      await tx.run(transactionId),
    ]);
    assert.deepEqual(ids[0], ids[1]);
    assert.notDeepEqual(await database.run(transactionId), ids[0]);
  });

  test("a value that cannot be read fails its statement, and the connection goes on", async (t) => {
    const database = await oneConnection(t);
    await assert.rejects(
      database.run(large),
      (error) => !isServerError(error) && /out of range/.test(`${error}`),
    );
    assert.equal((await database.run(whose)).length, 1);
    const reused = { name: whose.name, text: "SELECT 1" };
    await assert.rejects(database.run(reused), /is the name of another statement/);
  });

  test("a transaction without statements is committed", async (t) => {
    const database = await oneConnection(t);
    const fates: string[] = [];
    await database.transaction(async (tx) => tx.onEnd((fate) => fates.push(fate)));
    assert.deepEqual(fates, ["committed"]);
  });
});

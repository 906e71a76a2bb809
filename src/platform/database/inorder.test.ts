// Transactions in order on one connection: each is sent before the one before it is answered, and none overtakes it.
import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { cloneDatabase } from "../../../test/database.ts";
import { stacked } from "../../../test/sending.ts";
import { until } from "../../../test/testservice.ts";
import { Database } from "./database.ts";
import { query } from "./query.ts";
import { CommitUnknown, type Tx } from "./transaction.ts";

const lock = query("test.inorder.lock", "SELECT pg_advisory_xact_lock(1)");
const note = query("test.inorder.note", "INSERT INTO noted (what) VALUES ($1)");
const fail = query("test.inorder.fail", "SELECT 1 / $1::int");
const noted = query<{ what: string }>("test.inorder.noted", "SELECT what FROM noted ORDER BY id");
const WAITING = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
const waiting = query<{ count: number }>("test.inorder.waiting", `SELECT count(*) ${WAITING}`);
const end = query("test.inorder.end", `SELECT pg_terminate_backend(pid) ${WAITING}`);

/** A database with a table, and a lock that keeps transactions waiting until `release`. */
async function held(test: TestContext) {
  const t = stacked(test);
  const clone = await cloneDatabase();
  t.after(() => clone.drop());
  const options = { url: clone.url, max: 5, statementTimeoutMs: 60_000, onConnectionLost() {} };
  const database = new Database(options);
  t.after(() => database.close());
  await database.run(query("test.inorder.table", "CREATE TABLE noted (id serial, what text)"));
  const released = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const holding = database.transaction(async (tx) => {
    await tx.run(lock);
    isHeld.resolve();
    await released.promise;
  });
  await isHeld.promise;
  const release = async () => {
    released.resolve();
    await holding;
  };
  t.after(release);
  const isWaiting = () => until(async () => (await database.run(waiting))[0]!.count === 1);
  const found = async () => (await database.run(noted)).map(({ what }) => what);
  return { database, run: database.inOrder(), release, isWaiting, found };
}

/** Work in one trip, which says when it was begun. */
function inOneTrip(what: string, begun: string[], first = note, values: unknown[] = [what]) {
  return async (tx: Tx) => {
    begun.push(what);
    const running = [tx.run(first, values), tx.run(note, [what])];
    tx.commitNow();
    await Promise.all(running);
  };
}

suite("transactions in order", () => {
  test("one is sent while the one before it waits, and is committed after it on the same connection", async (t) => {
    const { run, release, isWaiting, found } = await held(t);
    const begun: string[] = [];
    const first = run(inOneTrip("first", begun, lock, []));
    const second = run(inOneTrip("second", begun));
    await isWaiting();
    assert.deepEqual(begun, ["first", "second"]);
    await release();
    await Promise.all([first, second]);
    assert.deepEqual(await found(), ["first", "second", "second"]);
  });

  test("one that reads before it commits is not overtaken", async (t) => {
    const { run, release, isWaiting, found } = await held(t);
    const begun: string[] = [];
    const first = run(async (tx) => {
      await tx.run(lock);
      assert.deepEqual(begun, []);
      await tx.run(note, ["first"]);
    });
    const second = run(inOneTrip("second", begun));
    await isWaiting();
    await release();
    await Promise.all([first, second]);
    assert.deepEqual(await found(), ["first", "second", "second"]);
  });

  test("one that fails leaves those behind it to themselves", async (t) => {
    const { run, found } = await held(t);
    const begun: string[] = [];
    // What is prepared in a transaction that fails is not there for those behind it.
    await run(inOneTrip("before", begun));
    const all = [
      run(inOneTrip("first", begun, fail, [0])),
      run(inOneTrip("second", begun)),
      run(async () => assert.fail("the third")),
      run(inOneTrip("fourth", begun)),
    ];
    const ends = (await Promise.allSettled(all)).map(({ status }) => status);
    assert.deepEqual(ends, ["rejected", "fulfilled", "rejected", "fulfilled"]);
    assert.deepEqual(await found(), ["before", "before", "second", "second", "fourth", "fourth"]);
  });

  test("of all that were sent over a connection that breaks nobody knows, and the next go over another", async (t) => {
    const { database, run, release, isWaiting, found } = await held(t);
    const begun: string[] = [];
    const all = [run(inOneTrip("first", begun, lock, [])), run(inOneTrip("second", begun))];
    const ends = Promise.allSettled(all);
    await isWaiting();
    await database.run(end);
    for (const ended of await ends) {
      assert.equal(ended.status, "rejected");
      assert.ok(ended.reason instanceof CommitUnknown, String(ended.reason));
    }
    await release();
    await run(inOneTrip("third", begun));
    assert.deepEqual(await found(), ["third", "third"]);
  });
});

// An address of several servers: each is asked within the limit of one attempt, and only one that takes writes is kept.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { cloneDatabase, runAsAdmin } from "../../../test/database.ts";
import { startProxy } from "../../../test/proxy.ts";
import { until } from "../../../test/testservice.ts";
import { isUnavailable } from "../http/envelope.ts";
import { Database } from "./database.ts";
import { listen } from "./notify.ts";
import { query } from "./query.ts";
import { loginOf } from "./rights.ts";
import type { Tx } from "./transaction.ts";

const NOBODY = "127.0.0.1:1";
const one = query<{ one: number }>("test.one", "SELECT 1 AS one");
const backend = query<{ pid: number }>("test.backend", "SELECT pg_backend_pid() AS pid");
const turnReadOnly = query("test.turnReadOnly", "SET default_transaction_read_only = on");
const write = query("test.write", "DELETE FROM jobs");

/** A database with the addresses of other servers before its own, and parameters behind. */
async function reached(t: TestContext, { before = [] as string[], parameters = "" }) {
  const clone = await cloneDatabase();
  t.after(() => clone.drop());
  const url = new URL(clone.url);
  const urlOf = (...hosts: string[]) =>
    `postgres://${url.username}:${url.password}@${hosts.join(",")}${url.pathname}${parameters}`;
  const address = urlOf(...before, url.host);
  return { url: address, host: url.host, name: url.pathname.slice(1), database: open(t, address), urlOf };
}

function open(t: TestContext, url: string): Database {
  const database = new Database({ url, max: 1, statementTimeoutMs: 60_000, onConnectionLost() {} });
  t.after(() => database.close());
  return database;
}

test("M17: a server that is gone, and one that says nothing, are passed over, and asked no more while another answers", async (t) => {
  let calls = 0;
  const silent = createServer((socket) => {
    calls++;
    socket.resume();
    socket.on("error", () => {}); // it is cut by whoever waits
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  t.after(() => new Promise((resolve) => silent.close(resolve)));
  const { port } = silent.address() as { port: number };
  const { database, url } = await reached(t, { before: [NOBODY, `127.0.0.1:${port}`] });
  assert.equal(loginOf(url), "postgres");
  assert.deepEqual(await database.run(one), [{ one: 1 }]);
  assert.equal(calls, 1);
  const end = query("test.end", "SELECT pg_terminate_backend(pg_backend_pid())");
  await assert.rejects(database.run(end));
  assert.deepEqual(await database.run(one), [{ one: 1 }]);
  assert.equal(calls, 1, "the server that answered last is asked first");
});

test("notices are heard from the one server of a list that answers", async (t) => {
  const { url, database } = await reached(t, { before: [NOBODY] });
  let heard = 0;
  const listening = await listen({ url, channel: "news" }, () => heard++);
  t.after(() => listening.stop());
  await database.run(query("test.notify", "NOTIFY news"));
  await until(() => heard === 1);
});

test("where no server answers, the error has the reason of each, and says that the database is not available", async (t) => {
  const { urlOf } = await reached(t, {});
  const refused = (error: Error) => {
    assert.equal(error.message, "connect ECONNREFUSED 127.0.0.1:1; connect ECONNREFUSED 127.0.0.1:2");
    return isUnavailable(error);
  };
  await assert.rejects(open(t, urlOf(NOBODY, "127.0.0.1:2")).run(one), refused);
  await assert.rejects(open(t, urlOf(NOBODY)).run(one), { code: "ECONNREFUSED" });
});

for (const target of ["", "?target_session_attrs=read-write"]) {
  test(`a server that takes no writes is refused${target && `, also by ${target}`}, until it takes them`, async (t) => {
    const { database, name, host, urlOf } = await reached(t, { parameters: target });
    await runAsAdmin(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await assert.rejects(database.run(one), (error: Error) => {
      assert.equal(error.message, `the server ${host} is read-only`);
      return isUnavailable(error);
    });
    const primary = `${urlOf(host).split("?")[0]}?target_session_attrs=primary`;
    assert.deepEqual(await open(t, primary).run(one), [{ one: 1 }], "it is no standby");
    await runAsAdmin(`ALTER DATABASE ${name} SET default_transaction_read_only = off`);
    assert.deepEqual(await database.run(one), [{ one: 1 }]);
  });
}

test("a connection whose server takes no writes any more is not kept, in a transaction or outside", async (t) => {
  const { database } = await reached(t, {});
  const isWritten = (fails: boolean, work: () => Promise<unknown>) =>
    fails ? assert.rejects(work(), { code: "25006" }) : work();
  const inTransaction = (commitsAtOnce: boolean) => () =>
    database.transaction(async (tx: Tx) => {
      const done = tx.run(write);
      if (commitsAtOnce) tx.commitNow();
      await done;
    });
  for (const work of [() => database.run(write), inTransaction(false), inTransaction(true)]) {
    const [before] = await database.run(backend);
    await database.run(turnReadOnly);
    await isWritten(true, work);
    await isWritten(false, work);
    const [after] = await database.run(backend);
    assert.notEqual(after!.pid, before!.pid);
  }
});

test("a server that refused to write is not asked again while another one of the list answers", async (t) => {
  const clone = await cloneDatabase();
  t.after(() => clone.drop());
  const proxy = await startProxy(t, clone.url);
  const [first, second] = [new URL(proxy.url), new URL(clone.url)];
  const database = open(t, clone.url.replace(second.host, `${first.host},${second.host}`));
  await database.run(turnReadOnly);
  assert.equal(proxy.speaking, 1);
  await assert.rejects(database.run(write), { code: "25006" });
  await database.run(write);
  await until(() => proxy.speaking === 0);
});

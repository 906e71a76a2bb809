// The pool: a connection that ends at the worst moment or falls silent fails its own statements and no others.
import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { type TestContext, test } from "node:test";
import { cloneDatabase } from "../../../test/database.ts";
import { startProxy } from "../../../test/proxy.ts";
import { isSilent, Silent } from "./connection.ts";
import { Database } from "./database.ts";
import { query } from "./query.ts";
import { CommitUnknown, type Tx } from "./transaction.ts";

// The compiler refuses the database itself where a transaction is needed.
false satisfies Database extends Tx ? true : false;

const one = query<{ one: number }>("test.one", "SELECT 1 AS one");
// ReadyForQuery while idle, and an ErrorResponse "FATAL 57P01" (PostgreSQL's frontend/backend protocol, chapter 55).
const READY = Buffer.from("5a0000000549", "hex");
const FIELDS = Buffer.from("SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0", "latin1");
const FATAL = Buffer.concat([Buffer.from("E"), lengthOf(FIELDS), FIELDS]);

function lengthOf(fields: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(fields.length + 4);
  return length;
}

test("M12: a connection that ends in the packet that makes it ready fails its transaction, and the next one works", async (t) => {
  const clone = await cloneDatabase();
  t.after(() => clone.drop());
  const target = new URL(clone.url);
  let endings = 1;
  const proxy = net.createServer((client) => {
    const server = net.connect(Number(target.port), target.hostname);
    client.pipe(server);
    client.on("error", () => server.destroy());
    server.on("error", () => client.destroy());
    server.on("end", () => client.end());
    server.on("data", (data) => {
      if (!data.subarray(-READY.length).equals(READY) || endings === 0) return client.write(data);
      endings--;
      return client.end(Buffer.concat([data, FATAL]));
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  t.after(() => proxy.close());
  const url = new URL(clone.url);
  url.host = `127.0.0.1:${(proxy.address() as net.AddressInfo).port}`;
  const database = new Database({ url: url.href, max: 1, statementTimeoutMs: 5_000, onConnectionLost() {} });
  t.after(() => database.close());
  await assert.rejects(database.transaction((tx) => tx.run(one)));
  assert.deepEqual(await database.transaction((tx) => tx.run(one)), [{ one: 1 }]);
});

const CONNECTIONS = 10;
const longerThanConnecting = query("test.longer-than-connecting", "SELECT pg_sleep(3.5)");
const slow = query("test.slow", "SELECT pg_sleep(0.4)");
const slower = query("test.slower", "SELECT pg_sleep(60)");
const impossible = query("test.impossible", "SELECT 1 / $1::int");

/** A database behind a proxy that can fall silent. */
async function reached(t: TestContext, statementTimeoutMs: number) {
  const clone = await cloneDatabase();
  t.after(() => clone.drop());
  const proxy = await startProxy(t, clone.url);
  const database = new Database({
    url: proxy.url,
    max: CONNECTIONS,
    statementTimeoutMs,
    onConnectionLost() {},
  });
  t.after(() => database.close());
  return { proxy, database };
}

test("M17: a connection that falls silent fails its statements, a COMMIT as unknown, and the next one works", async (t) => {
  const { proxy, database } = await reached(t, 500);
  const silenced = database.transaction(async (tx) => {
    await tx.run(one);
    proxy.fallSilent();
    await Promise.all([tx.run(one), tx.run(one)]);
  });
  await assert.rejects(silenced, Silent);
  const unsure = database.transaction(async (tx) => {
    await tx.run(one);
    proxy.fallSilent();
  });
  await assert.rejects(unsure, (error) => error instanceof CommitUnknown && isSilent(error));
  assert.deepEqual(await database.run(one), [{ one: 1 }]);
});

test("M17: after a ping without an answer no older connection is trusted", async (t) => {
  const { proxy, database } = await reached(t, 60_000);
  const used = database.transaction(async (tx) => {
    await tx.run(one);
    await Promise.all(Array.from({ length: 5 }, () => database.run(one)));
    proxy.fallSilent();
    await assert.rejects(database.ping(300), Silent);
    assert.equal(proxy.speaking, 0);
    await Promise.all(Array.from({ length: 5 }, () => database.run(one)));
    await tx.run(one);
  });
  await assert.rejects(used, Silent, "long before its own limit");
  await database.transaction((tx) => tx.run(one));
});

test("M17: statements that wait for each other in a pipeline are not taken for silence", async (t) => {
  const { database } = await reached(t, 500);
  await database.transaction((tx) => Promise.all(Array.from({ length: 6 }, () => tx.run(slow))));
  await assert.rejects(database.run(slower), { code: "57014" }, "the server ends a statement first");
});

test("the wait for a free connection may last as long as a statement, and not only as a connection attempt", async (t) => {
  const { database } = await reached(t, 10_000);
  const busy = Array.from({ length: CONNECTIONS }, () => database.run(longerThanConnecting));
  assert.deepEqual(await database.run(one), [{ one: 1 }]);
  await Promise.all(busy);
});

test("M17: closing does not wait for silent connections", async (t) => {
  const { proxy, database } = await reached(t, 60_000);
  await database.run(one);
  proxy.fallSilent({ alsoNew: true });
  const asked = Array.from({ length: 3 }, () => assert.rejects(database.run(one)));
  await database.close();
  await Promise.all(asked);
});

test("M13: when statements travel together, the error of the one that failed is thrown, however deep its caller is", async (t) => {
  const { database } = await reached(t, 60_000);
  const deep = async (tx: Tx, depth: number): Promise<unknown> =>
    depth === 0 ? tx.run(impossible, [0]) : await deep(tx, depth - 1);
  await assert.rejects(
    database.transaction((tx) => Promise.all([deep(tx, 20), tx.run(one), tx.run(one)])),
    { code: "22012" },
  );
  const ignored = database.transaction(async (tx) => {
    await tx.run(impossible, [0]).catch(() => {});
    await assert.rejects(tx.run(one), { code: "22012" });
  });
  await assert.rejects(ignored, { code: "22012" });
  assert.deepEqual(await database.run(one), [{ one: 1 }]);
});

// The pool: a connection that the server ends at the worst moment fails what was asked of it, never the process.
import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { test } from "node:test";
import { cloneDatabase } from "../../test/database.ts";
import { Database, query } from "./database.ts";

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

test("M12: a connection that ends in the packet that hands it over fails its transaction, and the next one works", async (t) => {
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

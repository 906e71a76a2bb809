// On Citus (`npm run test:citus`): what is stored moves to the workers, and is kept apart there.
import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import { Database } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { query } from "../../src/platform/database/query.ts";
import { loginOf } from "../../src/platform/database/rights.ts";
import { askOwner, cloneDatabase } from "../database.ts";

const count = query<{ account_id: string; count: number }>(
  "test.count",
  "SELECT account_id, count(*) AS count FROM messages GROUP BY account_id ORDER BY account_id",
);
const insert = query(
  "test.insert",
  `INSERT INTO messages (account_id, send_id, number, phone, status, segments, price, sent_at)
   SELECT account_id, '0', number, '22507', 'SENT', 1, 1, now() FROM unnest($1::text[]) AS account_id, generate_series(1, $2::int) AS number`,
);
const change = query(
  "test.change",
  "UPDATE messages SET price = 2 WHERE account_id = ANY($1::text[]) RETURNING 1",
);

const ACCOUNTS = ["a", "b", "c", "d"];

suite("the record on Citus", async () => {
  const database = await cloneDatabase();
  after(() => database.drop());

  const open = (isDistributed: boolean) => {
    const url = database.serviceUrl;
    const options = { url, hasRoles: true, isDistributed, max: 2, statementTimeoutMs: 60_000 };
    const db = new Database({ ...options, onConnectionLost: () => {} });
    after(() => db.close());
    return db;
  };

  test("what one PostgreSQL has recorded moves to the workers, and nothing of it stays behind", async () => {
    await askOwner(database.url, ["SELECT undistribute_table('messages')"]);
    const local = open(false);
    await local.run(insert, [ACCOUNTS, 100]);
    const migrated = () => migrate(database.url, { login: loginOf(database.serviceUrl) });
    const rights = await Promise.all([migrated(), migrated()]);
    assert.deepEqual(
      rights.map(({ isDistributed }) => isDistributed),
      [true, true],
    );
    const each = ACCOUNTS.map((account_id) => ({ account_id, count: 100 }));
    assert.deepEqual(await open(true).run(count), each);
    const [left] = await askOwner(database.url, [
      "SET citus.override_table_visibility = off",
      "SELECT sum(pg_relation_size(inhrelid))::int AS bytes FROM pg_inherits WHERE inhparent = 'messages'::regclass",
    ]);
    assert.equal(left!.bytes, 0);
    assert.equal((await migrated()).isDistributed, true);
  });

  test("a worker shows and lets write an account its own messages alone", async () => {
    const db = open(true);
    for (const account of [...ACCOUNTS, "e"]) {
      const own = ACCOUNTS.includes(account) ? [{ account_id: account, count: 100 }] : [];
      assert.deepEqual(await db.of(account).run(count), own);
      assert.equal((await db.of(account).run(change, [ACCOUNTS])).length, own.length * 100);
    }
    // After an account, the same connections serve everybody again.
    assert.equal((await db.run(count)).length, ACCOUNTS.length);
  });
});

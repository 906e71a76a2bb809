// A running installation is upgraded in the middle of its campaigns: what the version before had queued goes on.
import assert from "node:assert/strict";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { cloneDatabase } from "../../../../test/database.ts";
import {
  accepted,
  addOperator,
  assertBalanced,
  deliverReceipt,
  rows,
  type Scope,
  stacked,
  startBeside,
  startScripted,
} from "../../../../test/sending.ts";
import { testService, until } from "../../../../test/testservice.ts";
import { nowMs } from "../../../platform/clock.ts";
import { migrate } from "../../../platform/database/migrate.ts";
import { newId, timeOf } from "../../../platform/ids.ts";
import { COUNTING, type NewMessage, pack } from "../queue/packed.ts";

const MIGRATIONS = join(import.meta.dirname, "../../../../migrations");
/** The ids of a campaign of six, which was scheduled long before it ran, and of a single send. */
const CAMPAIGN = newId(nowMs() - 180 * 24 * 3_600_000);
const SINGLE = newId();

/** They were paid, and two of the six are final. The other four wait, and so does the single send. */
const PAID = `
  INSERT INTO companies (id, name, country) VALUES ('company', 'Awa', 'CI');
  INSERT INTO pools (id, kind, available, held_ever) VALUES ('company', 'company', 93, 7);
  INSERT INTO pool_outcomes (pool_id, captured) VALUES ('company', 2);
  INSERT INTO entries (key, kind, from_pool, to_pool, amount) VALUES ('g', 'grant', 'world', 'company', 100),
    ('c', 'capture', 'company', 'company', 2);
  UPDATE pools SET available = -100 WHERE id = 'world';
  INSERT INTO holds (id, pool_id, total, captured) VALUES ('${CAMPAIGN}', 'company', 6, 2), ('${SINGLE}', 'company', 1, 0);
  INSERT INTO campaigns (company_id, id, user_id, body, sender_name, contact_count, credit_used)
    VALUES ('company', '${CAMPAIGN}', 'user', 'Bonjour', 'AWA', 6, 6), ('company', '${SINGLE}', 'user', 'Bonsoir', 'AWA', 1, 1);
  INSERT INTO messages (account_id, campaign_id, number, phone, status, segments, price, operator_message_id, sent_at)
    VALUES ('company', '${CAMPAIGN}', 1, '2250700000001', 'SENT', 1, 1, 'a', now()),
           ('company', '${CAMPAIGN}', 2, '2250700000002', 'SENT', 1, 1, 'b', now());`;

/**
 * Each message that waits has a row, as processes up to migration 0027 leave them. One of the four may have been written
 * by a session that is over.
 */
const WITH_ROWS = `
  INSERT INTO send_totals (campaign_id, total, sent) VALUES ('${CAMPAIGN}', 6, 2), ('${SINGLE}', 1, 0);
  INSERT INTO message_batches (id, lane, prefix, account_id, segments, size, intent, session_id, operator_id, expires_at)
    VALUES ('taken', 2, '2', 'company', 4, 4, 3, 'over', 'operator', now() + interval '1 day'),
           ('free', 2, '2', 'company', 2, 2, 0, NULL, NULL, now() + interval '1 day'),
           ('shared', 1, '2', '', 1, 1, 0, NULL, NULL, now() + interval '1 day');
  INSERT INTO message_queue (batch_id, position, account_id, campaign_id, number, pool_id, phone, sender, body, segments, price, reference)
    VALUES ('taken', 3, 'company', '${CAMPAIGN}', 3, 'company', '2250700000003', 'AWA', 'Bonjour', 1, 1, 3),
           ('taken', 4, 'company', '${CAMPAIGN}', 4, 'company', '2250700000004', 'AWA', 'Bonjour', 1, 1, 4),
           ('free', 1, 'company', '${CAMPAIGN}', 5, 'company', '2250700000005', 'AWA', 'Bonjour', 1, 1, 5),
           ('free', 2, 'company', '${CAMPAIGN}', 6, 'company', '2250700000006', 'AWA', 'Bonjour', 1, 1, 6),
           ('shared', 1, 'company', '${SINGLE}', 1, 'company', '2250700000007', 'AWA', 'Bonsoir', 1, 1, 7)`;

/** Some wait in batches that carry them, others have rows, as processes of migration 0028 leave them. */
const FOLDED = `
  INSERT INTO sends (id, total, sent) VALUES ('${CAMPAIGN}', 6, 2);
  INSERT INTO batches (id, lane, prefix, account_id, segments, size, intent, session_id, operator_id, expires_at,
                       send_id, first_number, last_number, held, messages)
    VALUES ('taken', 2, '2', 'company', 2, 2, 1, 'over', 'operator', now() + interval '1 day',
            '${CAMPAIGN}', 3, 4, 2, '${packed([3, 4], CAMPAIGN)}'),
           ('moved', 2, '2', 'company', 2, 2, 0, NULL, NULL, now() + interval '1 day', NULL, NULL, NULL, 0, NULL),
           ('${SINGLE}', 1, '2', '', 1, 1, 0, NULL, NULL, now() + interval '1 day', NULL, NULL, NULL, 1, '${packed([7], SINGLE)}');
  INSERT INTO message_queue (batch_id, position, account_id, campaign_id, number, pool_id, phone, sender, body, segments, price, reference)
    VALUES ('moved', 1, 'company', '${CAMPAIGN}', 5, 'company', '2250700000005', 'AWA', 'Bonjour', 1, 1, 5),
           ('moved', 2, 'company', '${CAMPAIGN}', 6, 'company', '2250700000006', 'AWA', 'Bonjour', 1, 1, 6)`;

/** The text of a batch that carries messages of a send to phones with these last digits. */
function packed(lasts: readonly number[], sendId: string): string {
  const isSingle = sendId === SINGLE;
  return pack(
    lasts.map((last): NewMessage => {
      const payer = { accountId: "company", poolId: "company", holdId: sendId };
      const send = { sendId, counting: isSingle ? COUNTING.alone : COUNTING.counted };
      const phone = `225070000000${last}`;
      const text = { sender: "AWA", body: "Bonjour", segments: 1, price: 1, reference: last };
      return { ...payer, ...send, ...text, kind: null, phone, number: isSingle ? 1 : last };
    }),
  );
}

/** Makes the database of an earlier version, whose last migration is `last`, and runs `filled` in it. */
async function databaseBefore(scope: Scope, last: string, filled: string): Promise<string> {
  const database = await cloneDatabase("template0");
  scope.after(() => database.drop());
  const folder = await mkdtemp(join(tmpdir(), "atumpan-before-"));
  scope.after(() => rm(folder, { recursive: true }));
  for (const file of await readdir(MIGRATIONS))
    if (file.slice(0, last.length) <= last) await cp(join(MIGRATIONS, file), join(folder, file));
  await migrate(database.url, { folder });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(filled);
  await client.end();
  return database.url;
}

/** Starts this version on such a database, waits until everything is settled, and proves that each message went once. */
async function goesOn(t: Scope, last: string, filled: string): Promise<void> {
  const scope = stacked(t);
  const url = await databaseBefore(scope, last, filled);
  const operator = await startScripted(scope, (_pdu, _session, n) => accepted(`${n}`));
  const here = await testService(scope, {
    config: { roles: new Set(["api"]), simulator: false },
    settings: { quarantineMs: 100 },
    through: async () => url,
  });
  await assertBalanced(here);
  const id = await addOperator(here, operator.port);
  await rows(here.app, "UPDATE batches SET operator_id = $1 WHERE id = 'taken'", [id]);
  await rows(here.app, "UPDATE messages SET operator_id = $1", [id]);
  await startBeside(scope, here, ["gateway"]);
  await until(async () => (await assertBalanced(here)).held === 0);

  const phones = operator.received.map((pdu) => pdu.destinationAddr).sort();
  assert.deepEqual(
    phones,
    [3, 4, 5, 6, 7].map((last) => `225070000000${last}`),
  );
  const totals = await rows(here.app, "SELECT total, sent, failed FROM sends WHERE id = $1", [CAMPAIGN]);
  assert.deepEqual(totals, [{ total: 6, sent: 6, failed: 0 }]);
  assert.deepEqual(await rows(here.app, "SELECT id, captured FROM holds ORDER BY captured DESC"), [
    { id: CAMPAIGN, captured: 6 },
    { id: SINGLE, captured: 1 },
  ]);
  assert.deepEqual(await rows(here.app, "SELECT FROM batches"), []);

  const [session] = operator.sessions;
  for (const [i, pdu] of operator.received.entries())
    assert.equal(await deliverReceipt(session!, pdu, `${i + 1}`), 0);
  for (const [i, messageId] of ["a", "b"].entries()) {
    const pdu = { ...operator.received[0]!, destinationAddr: `225070000000${i + 1}` };
    assert.equal(await deliverReceipt(session!, pdu, messageId), 0);
  }
  const recorded = await rows(here.app, "SELECT DISTINCT status, count(*) OVER () FROM messages");
  assert.deepEqual(recorded, [{ status: "DELIVERED", count: 7 }], "receipts find what either version sent");
}

test("what processes of migration 0027 had queued, taken and recorded is sent once and settled", (t) =>
  goesOn(t, "0027", `${PAID}${WITH_ROWS}`));

test("what processes of migration 0028 had queued, taken and recorded is sent once and settled", (t) =>
  goesOn(t, "0028", `${PAID}${FOLDED}`));

test("what was recorded under an id of a time to come is in the part of its month", async (t) => {
  const scope = stacked(t);
  const ahead = newId(nowMs() + 40 * 24 * 3_600_000);
  const url = await databaseBefore(
    scope,
    "0028",
    `${PAID} UPDATE messages SET campaign_id = '${ahead}' WHERE number = 1`,
  );
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: found } = await client.query(
    `SELECT number, tableoid::regclass::text AS part, table_of_month(to_timestamp($1::float8 / 1000)::date) AS expected
     FROM messages ORDER BY number LIMIT 1`,
    [timeOf(ahead)],
  );
  assert.deepEqual([found[0].number, found[0].part], [1, found[0].expected]);
  await client.end();
});

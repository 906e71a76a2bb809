// A running installation is upgraded in the middle of its campaigns: what the version before had queued goes on.
import assert from "node:assert/strict";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { cloneDatabase } from "../../test/database.ts";
import {
  accepted,
  addOperator,
  assertBalanced,
  rows,
  stacked,
  startBeside,
  startScripted,
} from "../../test/sending.ts";
import { until, world } from "../../test/world.ts";
import { migrate } from "../kernel/migrate.ts";

const MIGRATIONS = join(import.meta.dirname, "..", "..", "migrations");
/** The last file of the version whose batches had a row for each message. */
const LAST_BEFORE = "0027";

/**
 * A campaign of six and a single send, as a process leaves them that was stopped for the upgrade. Of the six, two are
 * final, one may have been written by a session that is over, and three wait; the single send waits too.
 */
const HALF_SENT = `
  INSERT INTO companies (id, name, country) VALUES ('company', 'Awa', 'CI');
  INSERT INTO pools (id, kind, available, held_ever) VALUES ('company', 'company', 93, 7);
  INSERT INTO pool_outcomes (pool_id, captured) VALUES ('company', 2);
  INSERT INTO entries (key, kind, from_pool, to_pool, amount) VALUES ('g', 'grant', 'world', 'company', 100),
    ('c', 'capture', 'company', 'company', 2);
  UPDATE pools SET available = -100 WHERE id = 'world';
  INSERT INTO holds (id, pool_id, total, captured) VALUES ('campaign', 'company', 6, 2), ('single', 'company', 1, 0);
  INSERT INTO campaigns (company_id, id, user_id, body, sender_name, contact_count, credit_used)
    VALUES ('company', 'campaign', 'user', 'Bonjour', 'AWA', 6, 6), ('company', 'single', 'user', 'Bonsoir', 'AWA', 1, 1);
  INSERT INTO send_totals (campaign_id, total, sent) VALUES ('campaign', 6, 2), ('single', 1, 0);
  INSERT INTO messages (account_id, campaign_id, number, phone, status, segments, price, operator_message_id, sent_at)
    VALUES ('company', 'campaign', 1, '2250700000001', 'SENT', 1, 1, 'a', now()),
           ('company', 'campaign', 2, '2250700000002', 'SENT', 1, 1, 'b', now());
  INSERT INTO message_batches (id, lane, prefix, account_id, segments, size, intent, session_id, operator_id, expires_at)
    VALUES ('taken', 2, '2', 'company', 4, 4, 3, 'over', '{operator}', now() + interval '1 day'),
           ('free', 2, '2', 'company', 2, 2, 0, NULL, NULL, now() + interval '1 day'),
           ('shared', 1, '2', '', 1, 1, 0, NULL, NULL, now() + interval '1 day');
  INSERT INTO message_queue (batch_id, position, account_id, campaign_id, number, pool_id, phone, sender, body, segments, price, reference)
    VALUES ('taken', 3, 'company', 'campaign', 3, 'company', '2250700000003', 'AWA', 'Bonjour', 1, 1, 3),
           ('taken', 4, 'company', 'campaign', 4, 'company', '2250700000004', 'AWA', 'Bonjour', 1, 1, 4),
           ('free', 1, 'company', 'campaign', 5, 'company', '2250700000005', 'AWA', 'Bonjour', 1, 1, 5),
           ('free', 2, 'company', 'campaign', 6, 'company', '2250700000006', 'AWA', 'Bonjour', 1, 1, 6),
           ('shared', 1, 'company', 'single', 1, 'company', '2250700000007', 'AWA', 'Bonsoir', 1, 1, 7)`;

test("what the version before had queued, taken and recorded is sent once and settled after the upgrade", async (t) => {
  const scope = stacked(t);
  const database = await cloneDatabase("template0");
  scope.after(() => database.drop());
  const folder = await mkdtemp(join(tmpdir(), "atumpan-before-"));
  scope.after(() => rm(folder, { recursive: true }));
  for (const file of await readdir(MIGRATIONS))
    if (file.slice(0, 4) <= LAST_BEFORE) await cp(join(MIGRATIONS, file), join(folder, file));
  await migrate(database.url, folder);

  const operator = await startScripted(scope, (_pdu, _session, n) => accepted(`${n}`));
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(HALF_SENT.replaceAll("{operator}", "operator"));
  await client.end();

  const here = await world(scope, {
    config: { roles: new Set(["api"]), simulator: false },
    settings: { quarantineMs: 100 },
    through: async () => database.url,
  });
  await assertBalanced(here);
  const id = await addOperator(here, operator.port);
  await rows(here.app, "UPDATE batches SET operator_id = $1 WHERE id = 'taken'", [id]);
  await startBeside(scope, here, ["gateway"]);
  await until(async () => (await assertBalanced(here)).held === 0);

  const phones = operator.received.map((pdu) => pdu.destinationAddr).sort();
  assert.deepEqual(
    phones,
    [3, 4, 5, 6, 7].map((last) => `225070000000${last}`),
  );
  const totals = await rows(here.app, "SELECT id, total, sent, failed FROM sends ORDER BY id");
  assert.deepEqual(totals, [
    { id: "campaign", total: 6, sent: 6, failed: 0 },
    { id: "single", total: 1, sent: 1, failed: 0 },
  ]);
  assert.deepEqual(await rows(here.app, "SELECT id, captured FROM holds ORDER BY id"), [
    { id: "campaign", captured: 6 },
    { id: "single", captured: 1 },
  ]);
  assert.deepEqual(await rows(here.app, "SELECT FROM batches"), []);
});

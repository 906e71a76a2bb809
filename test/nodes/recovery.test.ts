// The database comes back without its last commits: a standby that was behind takes over, or a backup is restored. Nothing
// is sent a second time unless an administrator says so, and then it is counted.
import assert from "node:assert/strict";
import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Process, tryCall } from "../process.ts";
import { type Scope, stacked } from "../sending.ts";
import { until } from "../testservice.ts";
import { createCampaigns, DATABASE, Installation, LOGIN, makeDatabase, OWNER } from "./installation.ts";
import { Backups, needsPgBackRest } from "./pgbackrest.ts";
import { folderOfPostgres, giveToPostgres, needsPostgres, PostgresNode, startPrimary } from "./postgres.ts";

const CAMPAIGNS = 6;
const PER_CAMPAIGN = 50;
const MESSAGES = CAMPAIGNS * PER_CAMPAIGN;
/** The operator owes its receipts until it is started again. */
const LATE = { receiptDelayMs: 24 * 3_600_000 };

/** What became of the messages, and what they cost. */
const JUDGED = `SELECT
  (SELECT count(*) FROM message_queue) + (SELECT coalesce(sum(held), 0) FROM batches) AS waiting,
  (SELECT count(*) FROM messages WHERE status = 'DELIVERED') AS delivered,
  (SELECT coalesce(sum(captured), 0) FROM holds) AS charged,
  (SELECT coalesce(sum(total - captured - released), 0) FROM holds) AS held`;

type Sent = { here: Installation; api: Process; logFile: string };

/** A service whose database may be any of these servers. It has accepted all messages, and no gateway runs yet. */
async function acceptAll(scope: Scope, servers: readonly PostgresNode[]): Promise<Sent> {
  const urlOf = (login: string) =>
    `postgres://${login}@${servers.map(({ host }) => host)}/${DATABASE}?target_session_attrs=read-write`;
  const logFile = join(await folderOfPostgres(scope), "operator.jsonl");
  const addresses = { databaseUrl: urlOf(LOGIN), ownerUrl: urlOf(OWNER) };
  const here = await Installation.open(scope, addresses, { logFile, ...LATE });
  const api = await here.begin("api,worker");
  await here.addOperator(api, { window: 50 });
  const company = await here.company(api, MESSAGES);
  const creation = { campaigns: CAMPAIGNS, perCampaign: PER_CAMPAIGN };
  assert.equal((await createCampaigns(() => api.url, company, creation)).size, CAMPAIGNS);
  return { here, api, logFile };
}

/** Starts a gateway and waits until the operator has all messages, and the database knows it. */
async function sendAll({ here }: Sent, primary: PostgresNode): Promise<void> {
  await here.begin("gateway");
  const settled = "SELECT FROM messages HAVING count(*) = $1".replace("$1", `${MESSAGES}`);
  await until(async () => (await primary.run(settled, DATABASE)).length === 1);
  assert.equal(here.simulator.stats().accepted, MESSAGES);
}

async function heldFor({ here, api }: Sent, reasons: readonly string[]): Promise<void> {
  const { messages } = await until(async () => {
    const answer = await tryCall(`${api.url}/v1/admin/recovery/read`, here.credentials);
    return answer?.success && reasons.includes(answer.data.reason) && answer.data;
  });
  assert.equal(messages, MESSAGES);
}

const decided = async ({ here, api }: Sent, decision: "resume" | "unknown") => {
  const answer = await here.admin(api, `/v1/admin/recovery/${decision}`);
  assert.deepEqual([answer.success, answer.data?.messages], [true, MESSAGES], JSON.stringify(answer));
  return until(async () => (await here.admin(api, "/v1/admin/recovery/read")).data.state === "NORMAL");
};

/** Waits until all messages are delivered, and asserts that each was charged once and reached its handset `times`. */
async function assertDelivered(t: TestContext, sent: Sent, node: PostgresNode, times: number): Promise<void> {
  const judged = await until(async () => {
    const [found] = await node.run(JUDGED, DATABASE);
    return found.delivered === MESSAGES && found;
  });
  assert.deepEqual(judged, { waiting: 0, delivered: MESSAGES, charged: MESSAGES, held: 0 });
  const handsets = sent.here.simulator.inbox({ limit: 100_000 }).map(({ to }) => to);
  assert.deepEqual([handsets.length, new Set(handsets).size], [times * MESSAGES, MESSAGES]);
  const { data } = await sent.here.admin(sent.api, "/v1/admin/credit/audit");
  assert.deepEqual([data.balanced, data.difference], [true, 0]);
  const doubled = (times - 1) * MESSAGES;
  t.diagnostic(`1 kill of the primary, ${MESSAGES} messages, 0 lost, ${doubled} doubled, 0 charged twice`);
}

/** An asynchronous standby that has the acceptances and none of the sendings takes over. */
async function loseTail(scope: Scope): Promise<{ sent: Sent; standby: PostgresNode }> {
  const primary = await startPrimary(scope);
  await makeDatabase(primary);
  const standby = await primary.addStandby("second");
  const sent = await acceptAll(scope, [primary, standby]);
  await standby.untilLevelWith(primary);
  await standby.kill();
  await sendAll(sent, primary);
  await primary.kill();
  await standby.start();
  await standby.promote();
  await heldFor(sent, ["LOST"]);
  return { sent, standby };
}

test(
  "M20: a standby that lost its tail takes over: nothing is sent again, and the receipts prove what was",
  needsPostgres,
  async (t) => {
    const { sent, standby } = await loseTail(stacked(t));
    await sent.here.restartOperator({ logFile: sent.logFile });
    await until(() => sent.here.simulator.stats().receiptsAcknowledged === MESSAGES);
    await decided(sent, "unknown");
    await assertDelivered(t, sent, standby, 1);
  },
);

test(
  "M20: a standby that lost its tail takes over: after `resume` all is sent again, and it was said how much",
  needsPostgres,
  async (t) => {
    const { sent, standby } = await loseTail(stacked(t));
    await sent.here.restartOperator({ logFile: sent.logFile });
    await until(() => sent.here.simulator.stats().receiptsAcknowledged === MESSAGES);
    await decided(sent, "resume");
    await assertDelivered(t, sent, standby, 2);
  },
);

/** A primary whose log is archived. */
async function startArchived(scope: Scope): Promise<{ backups: Backups; primary: PostgresNode }> {
  const backups = await Backups.make(scope);
  const primary = await startPrimary(scope, backups.ofServer);
  await backups.open(primary);
  return { backups, primary };
}

/** Waits until all is archived that a server has written by now. */
async function archiveAll(primary: PostgresNode): Promise<void> {
  // A file in which nothing stands is not finished.
  await primary.run("SELECT pg_create_restore_point('all')");
  const [{ name }] = await primary.run("SELECT pg_walfile_name(pg_switch_wal()) AS name");
  const archived = `SELECT FROM pg_stat_archiver WHERE last_archived_wal >= '${name}'`;
  await until(async () => (await primary.run(archived)).length === 1);
}

test(
  "X01: a backup and the archive give back what there was at a moment, and sending is held",
  needsPgBackRest,
  async (t) => {
    const scope = stacked(t);
    const { backups, primary } = await startArchived(scope);
    await makeDatabase(primary);
    const restored = await PostgresNode.make(scope, "restored");
    await backups.program("backup", primary);
    const sent = await acceptAll(scope, [primary, restored]);
    const [{ moment }] = await primary.run("SELECT now()::text AS moment");
    // What comes now is in the archive too, and behind the moment.
    await sendAll(sent, primary);
    await archiveAll(primary);
    const [{ failures }] = await primary.run("SELECT failed_count AS failures FROM pg_stat_archiver");
    assert.equal(Number(failures), 0);
    await primary.kill();
    const to = ["--type=time", `--target=${moment}`, "--target-action=promote", "--archive-mode=off"];
    await backups.run([`--pg1-path=${restored.data}`, ...to, "restore"]);
    await restored.recover();
    await heldFor(sent, ["PROMOTED", "LOST"]);
    await sent.here.restartOperator({ logFile: sent.logFile });
    await until(() => sent.here.simulator.stats().receiptsAcknowledged === MESSAGES);
    await decided(sent, "unknown");
    await assertDelivered(t, sent, restored, 1);
  },
);

test(
  "X01: the primary's machine alone makes backups, and of two files of one name the second is kept and reported",
  needsPgBackRest,
  async (t) => {
    const scope = stacked(t);
    const { backups, primary } = await startArchived(scope);
    const standby = await primary.addStandby("second");
    await backups.program("backup", standby);
    assert.equal(await backups.count(), 0);
    await backups.program("backup", primary);
    assert.equal(await backups.count(), 1);

    const [{ name }] = await primary.run("SELECT pg_walfile_name(pg_current_wal_lsn()) AS name");
    await archiveAll(primary);
    const path = join(backups.folder, name);
    await copyFile(join(primary.data, "pg_wal", name), path);
    await giveToPostgres(path);
    // PostgreSQL asks again after a crash.
    assert.match(
      await backups.program("archive", primary, [path]),
      /already exists .* with the same checksum/,
    );
    const other = await readFile(path);
    other[other.length - 1]! ^= 1;
    await writeFile(path, other);
    for (let times = 0; times < 2; times++)
      assert.match(await backups.program("archive", primary, [path]), /the archive has another 0000/);
    const forked = join(backups.place, "forked");
    assert.deepEqual(
      (await readdir(forked)).map((file) => file.split(".")[0]),
      [name],
    );
    await assert.rejects(backups.program("backup", primary), /the log has forked/);
    assert.equal(await backups.count(), 2);
    await assert.rejects(backups.program("archive", primary, [join(backups.folder, "none")]));
  },
);

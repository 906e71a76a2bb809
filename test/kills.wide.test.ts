// Processes die at any moment. Acknowledged campaigns are sent, nothing is lost, and nobody pays twice.
// The operator's own log tells what really happened.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { expireMessages } from "../src/delivery/sends/settlement/expire.ts";
import { startSimulator } from "../src/delivery/simulator/simulator.ts";
import { atLength, inLongRuns } from "./length.ts";
import { type Process, startProcess, tryCall } from "./process.ts";
import { addOperator, assertBalanced, phones, rows, stacked } from "./sending.ts";
import { type TestService, testService, until } from "./testservice.ts";

const KILLS = atLength({ short: 1, long: 10 });
const MESSAGES = atLength({ short: 1_000, long: 20_000 });
const QUARANTINE_MS = atLength({ short: 2_000, long: 5_000 });
/** How many campaigns are created while PostgreSQL is killed, and then the service. */
const CAMPAIGNS = 30;
const PER_CAMPAIGN = 100;
const WINDOW = 25;
const LATENCY_MS = 20;
const LIMIT_MS = 240_000;
// So many campaigns are created ahead of the sending, so that every kill hits both.
const AHEAD = atLength({ short: 3, long: 8 });
const SETTINGS = { quarantineMs: QUARANTINE_MS };

type Creation = {
  /** The service's address at the moment. */
  urlNow: () => string;
  credentials: object;
  count: number;
  /** The number of messages that have reached their handsets. */
  received: () => Promise<number>;
};

/** Creates campaigns one after another, whatever happens to the service. Resolves to those that were acknowledged. */
function createCampaigns(t: TestContext, { urlNow, credentials, count, received }: Creation) {
  const acknowledged = new Map<string, string[]>();
  const all = phones(count * PER_CAMPAIGN);
  let over = false;
  t.after(() => {
    over = true;
  });
  const create = async () => {
    for (let i = 0; i < count && !over; i++) {
      const contacts = all.slice(i * PER_CAMPAIGN, (i + 1) * PER_CAMPAIGN);
      const enough = (acknowledged.size - AHEAD) * PER_CAMPAIGN;
      await until(async () => over || (await received()) >= enough, LIMIT_MS);
      const body = { ...credentials, contacts, text: "Bonjour" };
      const answer = await tryCall(`${urlNow()}/v1/campaign/create`, body);
      if (answer?.success) acknowledged.set(answer.data.id, contacts);
      // While the service is down, this waits until it is back and does not collect refusals.
      else await until(async () => over || (await isBack()), LIMIT_MS);
    }
    return acknowledged;
  };
  const isBack = async () => (await tryCall(`${urlNow()}/v1/credit/balance`, credentials))?.success;
  const creating = create();
  // A test that fails elsewhere does not wait for this promise.
  creating.catch(() => {});
  return creating;
}

/** How many times each handset got its message. */
function timesOf(inbox: readonly { to: string }[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { to } of inbox) times.set(to, (times.get(to) ?? 0) + 1);
  return times;
}

/** Waits until only messages that were lost twice are left, and gives these up. Returns their phones. */
async function finish(here: TestService): Promise<Set<string>> {
  const rest = `SELECT (SELECT count(*) FROM message_queue WHERE losses < 2 OR unknown_since IS NULL)
    + (SELECT count(*) FROM batches WHERE held > 0) AS count`;
  await until(async () => (await rows(here.app, rest))[0].count === 0, LIMIT_MS);
  const lost = await rows(here.app, "SELECT phone FROM message_queue");
  await rows(here.app, "UPDATE batches SET expires_at = now() WHERE unknown");
  await expireMessages(here.app);
  return new Set(lost.map((row) => row.phone));
}

test(`L10 M01 M05 M06 M07 M08: after ${KILLS} SIGKILLs of the service, ${MESSAGES} messages are accounted for and paid once`, async (t) => {
  const scope = stacked(t);
  const simulator = await startSimulator({ latencyMs: LATENCY_MS, receipts: false });
  scope.after(() => simulator.stop());
  // The judge is a process that only reads, and another process dies.
  const here = await testService(scope, { config: { roles: new Set(["api"]), simulator: false } });
  await addOperator(here, simulator.port, { window: WINDOW });
  const company = await here.company({ credits: 2 * MESSAGES });
  const environment = {
    DATABASE_URL: here.databaseUrl,
    MASTER_KEY: here.app.config.keys!.masterKey,
    ADMIN_KEY: here.adminKey,
    ROLES: "api,gateway",
  };
  const startService = () => startProcess(environment, { settings: SETTINGS });
  let service: Process = await startService();
  scope.after(() => service.end("SIGKILL"));

  const campaigns = Math.ceil(MESSAGES / PER_CAMPAIGN);
  const { apiKey, companyId } = company;
  const received = async () => simulator.stats().accepted;
  const creating = createCampaigns(t, {
    urlNow: () => service.url,
    credentials: { apiKey, companyId },
    count: campaigns,
    received,
  });
  for (let kill = 1; kill <= KILLS; kill++) {
    await until(() => simulator.stats().accepted >= (kill * MESSAGES * 0.8) / (KILLS + 1), LIMIT_MS);
    await service.end("SIGKILL");
    await assertBalanced(here);
    service = await startService();
    await assertBalanced(here);
  }
  const acknowledged = await creating;
  const lost = await finish(here);

  const known = await rows(here.app, "SELECT id, contact_count, credit_used FROM campaigns");
  const ids = new Set(known.map((campaign) => campaign.id));
  assert.deepEqual(
    [...acknowledged.keys()].filter((id) => !ids.has(id)),
    [],
    "acknowledged, and gone",
  );
  const times = timesOf(simulator.inbox({ limit: 100_000 }));
  const unreached = [...acknowledged.values()]
    .flat()
    .filter((phone) => !times.has(phone) && !lost.has(phone));
  assert.deepEqual(unreached, [], "acknowledged, and not at its handset");
  const extra = [...times.values()].filter((count) => count > 1);
  assert.ok(
    extra.every((count) => count === 2),
    "more than two submissions",
  );
  // What a process had written, and what it had committed ahead of that.
  const intended = 2 * WINDOW;
  assert.ok(
    extra.length <= KILLS * intended,
    `${extra.length} duplicates of ${KILLS} kills, window ${WINDOW}`,
  );
  await assertPaidOnce(here, 2 * MESSAGES, companyId);
  t.diagnostic(
    `${extra.length} duplicates, ${lost.size} lost twice, ${acknowledged.size} of ${campaigns} acknowledged`,
  );
});

/** Asserts that exactly the price of what the operator has was captured, and that everything else is back. */
async function assertPaidOnce(here: TestService, credits: number, companyId: string): Promise<void> {
  const [sent] = await rows(
    here.app,
    "SELECT coalesce(sum(price), 0) AS price FROM messages WHERE status IN ('SENT', 'DELIVERED', 'UNDELIVERED', 'EXPIRED')",
  );
  const [holds] = await rows(
    here.app,
    "SELECT sum(captured) AS captured, sum(total - captured - released) AS open FROM holds",
  );
  const [pool] = await rows(here.app, "SELECT available FROM pools WHERE id = $1", [companyId]);
  assert.deepEqual({ ...holds, ...pool }, { captured: sent.price, open: 0, available: credits - sent.price });
  assert.equal((await assertBalanced(here)).held, 0);
}

test(
  "L10 M09: every acknowledged campaign is sent despite SIGKILLs of PostgreSQL and of the service under load",
  inLongRuns,
  async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), "atumpan-kills-"));
    const environment = { DATA_DIR: dataDir, ROLES: "api,gateway", DEMO: "on", SIMULATOR: "on" };
    const overrides = { settings: SETTINGS, simulator: { latencyMs: LATENCY_MS } };
    let service = await startProcess(environment, overrides);
    t.after(async () => {
      await service.end("SIGTERM");
      await rm(dataDir, { recursive: true, force: true });
    });
    const { adminKey, apiKey, companyId } = JSON.parse(
      await readFile(join(dataDir, "quickstart.json"), "utf8"),
    );
    const credentials = { apiKey, companyId };
    const admin = async (path: string, body = {}) => {
      const answer = await tryCall(service.url + path, { adminKey, ...body });
      return answer?.success ? answer.data : undefined;
    };
    // The demo has written to its own contacts, to some of them more than once.
    const pages = [1, 2].map((page) =>
      tryCall(`${service.url}/v1/contact/list`, { ...credentials, page, limit: 100 }),
    );
    const ofDemo = new Set(
      (await Promise.all(pages)).flatMap((page) => page!.data).map(({ phone }) => phone),
    );
    const inbox = async (): Promise<{ to: string }[]> => {
      const all = (await admin("/v1/admin/simulator/inbox", { limit: 100_000 })) ?? [];
      return all.filter(({ to }: { to: string }) => !ofDemo.has(to));
    };
    const alive = () => until(() => admin("/v1/admin/credit/audit"), LIMIT_MS);
    const count = CAMPAIGNS;
    const received = async () => (await inbox()).length;
    const creating = createCampaigns(t, { urlNow: () => service.url, credentials, count, received });

    await until(async () => (await received()) >= count * 10, LIMIT_MS);
    const postmaster = await readFile(join(dataDir, "postgres", "cluster", "postmaster.pid"), "utf8");
    process.kill(Number(postmaster.split("\n")[0]), "SIGKILL");
    assert.equal((await alive()).balanced, true);

    const before = await received();
    await until(async () => (await received()) >= before + count * 10, LIMIT_MS);
    await service.end("SIGKILL");
    service = await startProcess(environment, overrides);
    assert.equal((await alive()).balanced, true);

    const acknowledged = await creating;
    for (const id of acknowledged.keys()) {
      const campaign = await until(async () => {
        const answer = await tryCall(`${service.url}/v1/campaign/${id}`, credentials);
        assert.notEqual(answer?.error, "campaign-not-found", "acknowledged, and gone");
        return answer?.success && answer.data.stats.queued === 0 && answer.data;
      }, LIMIT_MS);
      assert.deepEqual([campaign.status, campaign.creditRefunded], ["SENT", 0]);
    }
    const audit = await until(async () => {
      const found = await admin("/v1/admin/credit/audit");
      return found?.held === 0 && found;
    }, LIMIT_MS);
    assert.deepEqual([audit.balanced, audit.difference], [true, 0]);
    const times = timesOf(await inbox());
    assert.deepEqual(
      [...acknowledged.values()].flat().filter((phone) => !times.has(phone)),
      [],
    );
    const extra = [...times.values()].filter((count) => count > 1);
    // The simulated operator died with the service. Started again, it delivers the receipts that it owes, which prove
    // acceptance.
    assert.ok(extra.length <= 100 && extra.every((count) => count === 2), `${extra.length} duplicates`);
    t.diagnostic(`${extra.length} duplicates, ${acknowledged.size} of ${count} acknowledged`);
  },
);

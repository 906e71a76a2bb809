// The primary dies under load and a standby takes its place. The service finds it by itself, by the list of hosts in its
// address: everything that was accepted is sent once and charged once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stacked } from "../sending.ts";
import { until } from "../testservice.ts";
import { createCampaigns, DATABASE, Installation, LOGIN, makeDatabase, OWNER } from "./installation.ts";
import { needsPostgres, type PostgresNode, startPrimary } from "./postgres.ts";

const CAMPAIGNS_AT_MOST = 2_000;
const PER_CAMPAIGN = 50;
const WINDOW = 50;
/** So many are sent before each kill. */
const MESSAGES = 500;

/** What was stored of the messages, and what they cost. */
const JUDGED = `SELECT
  (SELECT count(*) FROM batches) + (SELECT count(*) FROM message_queue) AS waiting,
  (SELECT count(*) FROM messages WHERE status = 'DELIVERED') AS delivered,
  (SELECT count(*) FROM messages) AS recorded,
  (SELECT coalesce(sum(captured), 0) FROM holds) AS charged,
  (SELECT coalesce(sum(total - captured - released), 0) FROM holds) AS held,
  (SELECT coalesce(sum(contact_count), 0) FROM campaigns) AS accepted`;

test(
  "the primary is killed twice under load: the service goes on with whichever server takes writes, and sends and charges once",
  needsPostgres,
  async (t) => {
    const scope = stacked(t);
    const first = await startPrimary(scope);
    await makeDatabase(first);
    const second = await first.addStandby("second");
    await first.setSynchronous("*");
    const urlOf = (login: string) =>
      `postgres://${login}@${first.host},${second.host}/${DATABASE}?target_session_attrs=read-write`;
    const addresses = { databaseUrl: urlOf(LOGIN), ownerUrl: urlOf(OWNER) };
    const here = await Installation.open(scope, addresses, { latencyMs: 20 });
    const service = await here.begin("api,worker,gateway");
    await here.addOperator(service, { window: WINDOW });
    const company = await here.company(service, CAMPAIGNS_AT_MOST * PER_CAMPAIGN);

    let isEnough = false;
    const creating = createCampaigns(() => service.url, company, {
      campaigns: CAMPAIGNS_AT_MOST,
      perCampaign: PER_CAMPAIGN,
      isEnough: () => isEnough,
    });
    creating.catch(() => {}); // A test that fails elsewhere does not wait for it.
    const seconds: string[] = [];
    /** Kills the primary, promotes the standby, and waits until more is sent than was written before. */
    const failOver = async (primary: PostgresNode, standby: PostgresNode) => {
      const killedAt = performance.now();
      await primary.kill();
      const sent = here.simulator.stats().accepted;
      await standby.promote();
      await until(() => here.simulator.stats().accepted > sent + 2 * WINDOW);
      seconds.push(((performance.now() - killedAt) / 1000).toFixed(1));
    };
    await until(() => here.simulator.stats().accepted >= MESSAGES);
    await failOver(first, second);
    await first.follow(second);
    await second.setSynchronous("*");
    // The service looks every 3 s whether commits wait for a standby. Before it knows that, it waits 10 s after a failover.
    const [{ now }] = await second.run("SELECT now()::text");
    const seen = `SELECT FROM nodes WHERE seen_at > '${now}'`;
    await until(async () => (await second.run(seen, DATABASE)).length === 1);
    const since = here.simulator.stats().accepted;
    await until(() => here.simulator.stats().accepted >= since + MESSAGES);
    await failOver(second, first);
    isEnough = true;
    const acknowledged = await creating;

    const judged = await until(async () => {
      const [found] = await first.run(JUDGED, DATABASE);
      return found.waiting === 0 && found.delivered === found.recorded && found;
    });
    const known = await first.run("SELECT id FROM campaigns", DATABASE);
    const ids = new Set(known.map(({ id }) => id));
    const lost = [...acknowledged.keys()].filter((id) => !ids.has(id));
    assert.deepEqual(lost, [], "acknowledged, and gone");
    const handsets = here.simulator.inbox({ limit: 100_000 }).map(({ to }) => to);
    const reached = new Set(handsets);
    const unreached = [...acknowledged.values()].flat().filter((phone) => !reached.has(phone));
    assert.deepEqual(unreached, [], "acknowledged, and not at its handset");
    const { accepted } = judged;
    assert.deepEqual(
      { handsets: handsets.length, phones: reached.size, ...judged },
      {
        handsets: accepted,
        phones: accepted,
        waiting: 0,
        delivered: accepted,
        recorded: accepted,
        charged: accepted,
        held: 0,
        accepted,
      },
    );
    const audit = await here.admin(service, "/v1/admin/credit/audit");
    assert.deepEqual([audit.data.balanced, audit.data.difference], [true, 0]);
    t.diagnostic(
      `2 kills of the primary, ${seconds.join(" s and ")} s to recovery, ${accepted} messages, 0 lost, 0 doubled, 0 charged twice`,
    );
  },
);

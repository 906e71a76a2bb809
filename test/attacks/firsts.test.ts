// An attack by a new company: its first campaigns go to thousands before anybody has looked at them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { expireMessages } from "../../src/delivery/sends/settlement/expire.ts";
import { runDueCampaigns } from "../../src/messaging/campaigns/due.ts";
import { queueLargeSends } from "../../src/messaging/campaigns/runs.ts";
import { nowMs } from "../../src/platform/clock.ts";
import { dataOf } from "../applications.ts";
import { WEEK } from "../fixtures.ts";
import { assertBalanced, balanceOf, phones, rows, settled } from "../sending.ts";
import { type Company, type TestService, testService, until } from "../testservice.ts";

const PEOPLE = 60;
const QUARTER_MS = 900_000;

const reviewingService = (t: Parameters<typeof testService>[0], holdFirstCampaigns = 3) =>
  testService(t, { config: { holdFirstCampaigns } });

async function campaign(company: Company, count = PEOPLE, more: object = {}): Promise<string> {
  const body = { contacts: phones(count), text: "Vous avez gagné", ...more };
  return (await dataOf(company.call("/v1/campaign/create", body))).id;
}

const statusOf = async (company: Company, id: string) =>
  (await dataOf(company.call(`/v1/campaign/${id}`))).status;

const release = (here: TestService, { companyId }: Company, id: string) =>
  here.admin(`/v1/admin/campaign/${id}/release`, { companyId });

/** The ids of the campaigns that wait. */
async function waiting(here: TestService): Promise<string[]> {
  const { data } = await here.admin("/v1/admin/campaign/held/list", { limit: 100 });
  return data.map(({ id }: { id: string }) => id);
}

/** Everything that may be sent has been: a small campaign of another company, made later, is over. */
async function othersWent(here: TestService): Promise<void> {
  const other = await here.company({ credits: 10 });
  await settled(other, await campaign(other, 1));
}

test("H17 without the setting nothing waits", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 100 });
  await settled(company, await campaign(company));
  assert.deepEqual(await waiting(here), []);
});

test("H17 the first campaigns of a company are accepted and paid, and wait for an administrator", async (t) => {
  const here = await reviewingService(t);
  const company = await here.company({ credits: 1_000 });
  const ids = [];
  for (let i = 0; i < 4; i++) ids.push(await campaign(company));
  const small = await campaign(company, 50);
  await settled(company, small);
  await othersWent(here);
  assert.equal(here.simulator.inbox({}).filter(({ text }) => text.startsWith("Vous")).length, 51);
  for (const id of ids) assert.equal(await statusOf(company, id), "PENDING");
  assert.equal(await balanceOf(company), 1_000 - 4 * PEOPLE - 50);
  assert.equal((await assertBalanced(here)).held, 4 * PEOPLE);
  assert.deepEqual(await waiting(here), ids);
  const { data } = await here.admin("/v1/admin/campaign/held/list", { limit: 1 });
  const { companyId, companyName, text, senderName, contactCount } = data[0];
  assert.deepEqual(
    { companyId, companyName, text, senderName, contactCount },
    {
      companyId: company.companyId,
      companyName: "Boutique Awa",
      ...{ text: "Vous avez gagné", senderName: "ATUMPAN", contactCount: PEOPLE },
    },
  );

  for (const id of ids.slice(0, 3)) {
    assert.equal((await release(here, company, id)).error, null);
    await settled(company, id);
    assert.equal(await statusOf(company, id), "SENT");
  }
  assert.equal((await release(here, company, ids[0]!)).error, null, "a repeat changes nothing");
  assert.deepEqual(await waiting(here), ids.slice(3), "what waits is still looked at");
  await settled(company, await campaign(company));
  assert.equal((await release(here, company, small)).error, "conflict");
  assert.equal((await release(here, company, "0".repeat(24))).error, "campaign-not-found");
});

test("H17 what is canceled is paid back and makes a company no better known; what nobody releases expires", async (t) => {
  const here = await reviewingService(t, 1);
  const company = await here.company({ credits: 1_000 });
  const canceled = await campaign(company);
  const { companyId } = company;
  assert.equal((await here.admin(`/v1/admin/campaign/${canceled}/cancel`, { companyId })).error, null);
  await until(async () => (await balanceOf(company)) === 1_000);
  assert.equal(await statusOf(company, canceled), "CANCELED");
  assert.equal((await release(here, company, canceled)).error, "conflict");
  const expired = await campaign(company);
  await dataOf(company.call(`/v1/campaign/${await campaign(company)}/cancel`));
  assert.deepEqual(await waiting(here), [expired]);
  await rows(here.app, "UPDATE batches SET expires_at = now() WHERE send_id = $1", [expired]);
  await rows(here.app, "UPDATE first_campaigns SET kept_at = kept_at - interval '72 hours'");
  await expireMessages(here.app);
  await until(async () => (await balanceOf(company)) === 1_000);
  assert.equal(await statusOf(company, expired), "FAILED");
  assert.deepEqual(await waiting(here), []);
  assert.equal((await assertBalanced(here)).held, 0);
  const next = await campaign(company);
  assert.deepEqual(await waiting(here), [next]);
});

test("H17 scheduled and recurring campaigns wait when they run", async (t) => {
  const here = await reviewingService(t);
  const company = await here.company({ credits: 1_000 });
  const at = new Date((Math.floor(nowMs() / QUARTER_MS) + 2) * QUARTER_MS);
  const scheduled = await campaign(company, PEOPLE, {
    ...{ type: "SCHEDULED", scheduledDate: at.toISOString() },
  });
  assert.deepEqual(await waiting(here), [], "nothing of it would go yet");
  await runDueCampaigns(here.app, at);
  await othersWent(here);
  assert.equal(await statusOf(company, scheduled), "PENDING");
  assert.deepEqual(await waiting(here), [scheduled]);
  assert.equal((await release(here, company, scheduled)).error, null);
  await settled(company, scheduled);

  const recurring = await campaign(company, PEOPLE, { type: "RECURRING", recurring: WEEK });
  await rows(here.app, "UPDATE campaigns SET next_at = $2 WHERE id = $1", [recurring, at]);
  await runDueCampaigns(here.app, at);
  await othersWent(here);
  assert.deepEqual(await waiting(here), [recurring]);
  const runs = async () => (await dataOf(company.call(`/v1/campaign/${recurring}`))).runs;
  assert.equal((await runs())[0].status, "PENDING");
  assert.equal((await release(here, company, recurring)).error, null);
  await until(async () => (await runs())[0].status === "SENT");
});

test("H17 a campaign of several steps waits whole, and goes whole", async (t) => {
  const here = await reviewingService(t);
  const company = await here.company({ credits: 20_000 });
  const { id: group } = await dataOf(company.call("/v1/group/create", { name: "Tous" }));
  const count = 10_600;
  const all = phones(count);
  for (let from = 0; from < count; from += 5_300)
    await dataOf(
      company.call(`/v1/group/${group}/contacts/add`, {
        contacts: all.slice(from, from + 5_300).map((phone) => ({ phone })),
      }),
    );
  const { id } = await dataOf(
    company.call("/v1/campaign/create", { groupsIds: [group], text: "Vous avez gagné" }),
  );
  await queueLargeSends(here.app);
  await until(async () => (await rows(here.app, "SELECT FROM unqueued_sends")).length === 0);
  await othersWent(here);
  const taken = await rows(here.app, "SELECT FROM batches WHERE send_id = $1 AND not_before <> 'infinity'", [
    id,
  ]);
  assert.equal(taken.length, 0);
  assert.equal(await statusOf(company, id), "PENDING");
  assert.equal((await release(here, company, id)).error, null);
  await settled(company, id);
  const { stats } = await dataOf(company.call(`/v1/campaign/${id}`));
  assert.equal(stats.total, count);
});

test("H17 a company whose large campaigns went before the setting goes on", async (t) => {
  const here = await reviewingService(t);
  const company = await here.company({ credits: 1_000 });
  const old = await campaign(company);
  await dataOf(release(here, company, old));
  await rows(here.app, "DELETE FROM first_campaigns");
  await settled(company, await campaign(company));
});

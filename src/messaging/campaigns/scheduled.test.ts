// The send of a scheduled campaign is made when it runs, with an id of that time; callers see no difference.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { addOperator, assertBalanced, balanceOf, rows, settled, statusesOf } from "../../../test/sending.ts";
import { type Company, type TestService, testService, until } from "../../../test/testservice.ts";
import { nowMs } from "../../platform/clock.ts";
import { lowestId } from "../../platform/ids.ts";
import { runDueCampaigns } from "./due.ts";

const DAY_MS = 24 * 3_600_000;
const REACHED = "2250700001234";
const REJECTED = "2250700000001";

/** Makes a campaign for a midnight to come and runs it. Returns its id, and the id of its send. */
async function runScheduled(here: TestService, company: Company): Promise<{ id: string; sendId: string }> {
  // Schedules are in quarters of an hour.
  const scheduledDate = new Date(Math.ceil(nowMs() / DAY_MS) * DAY_MS + DAY_MS);
  const { id } = await dataOf(
    company.call("/v1/campaign/create", {
      contacts: [REACHED, REJECTED],
      text: "Bonjour",
      type: "SCHEDULED",
      scheduledDate: scheduledDate.toISOString(),
    }),
  );
  assert.deepEqual(await statusesOf(company, id), []);
  const before = lowestId(nowMs());
  await runDueCampaigns(here.app, scheduledDate);
  const [campaign] = await rows(here.app, "SELECT send_id FROM campaigns WHERE id = $1", [id]);
  assert.ok(campaign.send_id > before, "the id of the send tells when it ran");
  return { id, sendId: campaign.send_id };
}

test("messages, statistics, refund and a STOP of a scheduled campaign follow its send", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 10 });
  const { id, sendId } = await runScheduled(here, company);
  await settled(company, id);
  await until(async () => (await statusesOf(company, id)).includes("DELIVERED"));
  assert.deepEqual(await statusesOf(company, id), ["DELIVERED", "REJECTED"]);
  const detail = await dataOf(company.call(`/v1/campaign/${id}`));
  assert.deepEqual(
    [detail.status, detail.creditUsed, detail.creditRefunded, detail.stats],
    ["SENT", 2, 1, { total: 2, queued: 0, sent: 0, delivered: 1, failed: 1, blocked: 0 }],
  );
  const [listed] = await dataOf(company.call("/v1/campaign/list"));
  assert.deepEqual([listed.id, listed.status], [id, "SENT"]);
  const sends =
    "SELECT (SELECT array_agg(id) FROM holds) AS holds, (SELECT array_agg(id) FROM sends) AS sends";
  assert.deepEqual(await rows(here.app, sends), [{ holds: [sendId], sends: [sendId] }]);
  await here.admin("/v1/admin/simulator/reply", { from: REACHED, to: "ATUMPAN", text: "STOP" });
  await until(async () => (await company.call("/v1/optout/list")).totalCount === 1);
});

test("a scheduled campaign that has run is canceled by its own id, and paid back", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"]), simulator: false } });
  await addOperator(here, 1);
  const company = await here.company({ credits: 10 });
  const { id } = await runScheduled(here, company);
  assert.equal(await balanceOf(company), 8);
  assert.equal((await company.call(`/v1/campaign/${id}/cancel`)).success, true);
  await until(async () => (await balanceOf(company)) === 10);
  assert.deepEqual(await statusesOf(company, id), ["CANCELED", "CANCELED"]);
  const detail = await dataOf(company.call(`/v1/campaign/${id}`));
  assert.deepEqual([detail.status, detail.creditRefunded], ["CANCELED", 2]);
  await assertBalanced(here);
});

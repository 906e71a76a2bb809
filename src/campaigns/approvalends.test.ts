// What ends an approval: a decision, or the end of the campaign before one; and who is notified.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../../test/applications.ts";
import { approvedCompany, campaignBy, type Person } from "../../test/approvers.ts";
import { balanceOf, rows } from "../../test/sending.ts";
import { until, type World, world } from "../../test/world.ts";
import { nowMs } from "../kernel/clock.ts";
import { expireMessages } from "../sends/sends.ts";

const CREDITS = 1_000;
const QUARTER_MS = 900_000;

suite("the end of an approval", () => {
  const closing: (() => Promise<void>)[] = [];
  let here: World;
  before(async () => {
    here = await world({ after: (close) => void closing.push(close) });
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  const approvalOf = async (by: Person, id: string) => (await dataOf(by.call(`/v1/campaign/${id}`))).approval;
  const waiting = async (by: Person) =>
    (await dataOf(by.call("/v1/campaign/approval/list"))).map(({ id }: { id: string }) => id);
  const later = () => ({
    type: "SCHEDULED",
    scheduledDate: new Date((Math.floor(nowMs() / QUARTER_MS) + 40) * QUARTER_MS).toISOString(),
  });

  test("a campaign that was canceled or failed before a decision leaves the list, and its approval says so", async () => {
    const { made, members, owner } = await approvedCompany(here, CREDITS);
    const [approver] = members as [Person];
    const ends: [id: string, status: string][] = [];
    for (const more of [{}, later()]) {
      const { id } = await campaignBy(owner, 2, more);
      await dataOf(owner.call(`/v1/campaign/${id}/cancel`));
      ends.push([id, "CANCELED"]);
    }
    const { id: byAdmin } = await campaignBy(owner, 2, later());
    const { companyId } = made;
    await dataOf(here.admin(`/v1/admin/campaign/${byAdmin}/cancel`, { companyId }));
    const { id: unpaid } = await campaignBy(owner, 2, later());
    await rows(
      here.app,
      "UPDATE campaigns SET failure = 'insufficient-credits', next_at = NULL WHERE id = $1",
      [unpaid],
    );
    const { id: expired } = await campaignBy(owner, 2);
    const old = "UPDATE campaigns SET created_at = created_at - interval '72 hours' WHERE id = $1";
    await rows(here.app, old, [expired]);
    await rows(here.app, "UPDATE batches SET expires_at = now() WHERE send_id = $1", [expired]);
    await expireMessages(here.app);
    await until(async () => (await balanceOf(made)) === CREDITS);
    ends.push([byAdmin, "CANCELED"], [unpaid, "FAILED"], [expired, "FAILED"]);
    for (const [id, status] of ends) {
      const approval = await approvalOf(owner, id);
      assert.deepEqual([approval.status, approval.decidedBy, approval.decidedAt], [status, null, null]);
      for (const decide of ["approve", "decline"] as const)
        assert.equal(
          (await approver.call(`/v1/campaign/${id}/${decide}`, { reason: "Non" })).error,
          "conflict",
          `${status} ${decide}`,
        );
    }
    const { id: approved } = await campaignBy(owner, 2, later());
    await dataOf(approver.call(`/v1/campaign/${approved}/approve`));
    await dataOf(owner.call(`/v1/campaign/${approved}/cancel`));
    assert.equal((await approvalOf(owner, approved)).status, "APPROVED", "a decision stays what it was");
    assert.deepEqual(await waiting(approver), []);
  });
});

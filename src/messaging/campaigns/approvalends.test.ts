// What ends an approval: a decision, or the end of the campaign before one; and who is notified.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { approvedCompany, campaignBy, type Person } from "../../../test/approvers.ts";
import { balanceOf, rows } from "../../../test/sending.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";
import { expireMessages } from "../../delivery/sends/settlement/expire.ts";
import { nowMs } from "../../platform/clock.ts";
import { notifyOfApprovals } from "./approvalnotices.ts";

const CREDITS = 1_000;
const QUARTER_MS = 900_000;

suite("the end of an approval", () => {
  const closing: (() => Promise<void>)[] = [];
  let here: TestService;
  before(async () => {
    here = await testService({ after: (close) => void closing.push(close) });
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

  test("a reason that shows nothing is refused where a reason is asked for, and spaces around one do not count", async () => {
    const { members, owner } = await approvedCompany(here, CREDITS);
    const [approver] = members as [Person];
    const { id } = await campaignBy(owner, 2);
    for (const reason of ["", "   ", " \u200b\n", "\u2800"]) {
      const asked = [
        approver.call(`/v1/campaign/${id}/decline`, { reason }),
        here.admin("/v1/admin/sender/none/refuse", { reason }),
        here.admin("/v1/admin/third-party-app/none/reject", { rejectionReason: reason }),
      ];
      for (const { error, details } of await Promise.all(asked)) {
        assert.equal(error, "invalid-request", JSON.stringify(reason));
        assert.match(`${details![0]!.field} ${details![0]!.message}`, /reason ne doit pas être vide/i);
      }
    }
    assert.equal((await approvalOf(owner, id)).status, "PENDING");
    await dataOf(approver.call(`/v1/campaign/${id}/decline`, { reason: " Trop cher \n" }));
    assert.equal((await approvalOf(owner, id)).reason, "Trop cher");
  });

  test("the author of a declined campaign is notified once, with the reason and the address of the campaign", async () => {
    const { members, owner } = await approvedCompany(here, CREDITS, { roles: ["approver", "approver"] });
    const [author, other] = members as [Person, Person];
    const notify = () => notifyOfApprovals(here.app);
    const inbox = (person: Person) =>
      here.simulator
        .inbox({ phone: person.phone! })
        .map(({ text }: { text: string }) => text)
        .filter((text: string) => text.includes("refusée"));
    const { id } = await campaignBy(author, 2, { name: "Soldes d’été" });
    await notify();
    await dataOf(owner.call(`/v1/campaign/${id}/decline`, { reason: "Prix faux" }));
    await Promise.all([notify(), notify()]);
    await until(() => inbox(author).length > 0);
    const [text] = inbox(author);
    assert.match(
      text!,
      /^La campagne Soldes d.été a été refusée et annulée.*\/campaigns\/[0-9a-f]+ Motif : Prix faux$/,
    );
    assert.ok(text!.includes(`/campaigns/${id}`));
    await notify();
    // A second campaign, which somebody else changed: both are its authors, and the one who declines is not notified.
    const { id: moved } = await campaignBy(author, 2, later());
    const scheduledDate = new Date((Math.floor(nowMs() / QUARTER_MS) + 50) * QUARTER_MS).toISOString();
    await dataOf(other.call(`/v1/campaign/${moved}/reschedule`, { scheduledDate }));
    await dataOf(owner.call(`/v1/campaign/${moved}/decline`, { reason: "Non" }));
    await Promise.all([notify(), notify()]);
    await until(() => inbox(author).length === 2 && inbox(other).length === 1);
    const { id: approved } = await campaignBy(author, 2, later());
    await dataOf(owner.call(`/v1/campaign/${approved}/approve`));
    await notify();
    assert.deepEqual([inbox(author).length, inbox(other).length], [2, 1]);
  });

  test("with SENDER_NOTICES=off the author is not notified", async (t) => {
    const quiet = await testService(t, { config: { senderNotices: false } });
    const { members, owner } = await approvedCompany(quiet, CREDITS);
    const [author] = members as [Person];
    const { id } = await campaignBy(author, 2);
    await dataOf(owner.call(`/v1/campaign/${id}/decline`, { reason: "Non" }));
    await notifyOfApprovals(quiet.app);
    const mine = "SELECT kind FROM entries WHERE to_pool = 'service'";
    assert.deepEqual(await rows(quiet.app, mine), []);
  });

  test("the list says when each campaign was asked for and created, and what it says is taken by a decision", async () => {
    const { members, owner } = await approvedCompany(here, CREDITS);
    const [approver] = members as [Person];
    const { id, createdAt } = await campaignBy(owner, 2, later());
    const listed = async () => (await dataOf(approver.call("/v1/campaign/approval/list")))[0];
    const first = await listed();
    const scheduledDate = new Date((Math.floor(nowMs() / QUARTER_MS) + 50) * QUARTER_MS).toISOString();
    await dataOf(owner.call(`/v1/campaign/${id}/reschedule`, { scheduledDate }));
    const second = await listed();
    assert.deepEqual([first.createdAt, second.createdAt], [createdAt, createdAt]);
    assert.ok(second.askedAt > first.askedAt, "a change asks again");
    const decide = (askedAt: string) => approver.call(`/v1/campaign/${id}/approve`, { askedAt });
    assert.equal((await decide(first.askedAt)).error, "conflict");
    assert.equal((await decide(second.askedAt)).error, null);
  });
});

// Approval by a second person: what waits is decided once, by another person, and is paid or given back whole.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { approvedCompany, campaignBy, type Person } from "../../../test/approvers.ts";
import { newPhone } from "../../../test/codes.ts";
import { WEEK } from "../../../test/fixtures.ts";
import { assertBalanced, balanceOf, phones, rows, settled } from "../../../test/sending.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";
import { expireMessages } from "../../delivery/sends/settlement/expire.ts";
import type { MemberRole } from "../../identity/accounts/permissions.ts";
import { nowMs } from "../../platform/clock.ts";
import { notifyOfApprovals } from "./approvalnotices.ts";
import { runDueCampaigns } from "./due.ts";

const CREDITS = 1_000;
const QUARTER_MS = 900_000;

suite("approval of campaigns", () => {
  const closing: (() => Promise<void>)[] = [];
  let here: TestService;
  before(async () => {
    const limits = { approvalNoticesPerDay: 2 };
    here = await testService({ after: (close) => void closing.push(close) }, { limits });
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  const company = (rule: object = {}, roles: readonly MemberRole[] = ["approver", "approver"]) =>
    approvedCompany(here, CREDITS, { rule, roles });
  const statusOf = async (by: Person, id: string) => (await dataOf(by.call(`/v1/campaign/${id}`))).status;
  const waiting = async (by: Person) =>
    (await dataOf(by.call("/v1/campaign/approval/list"))).map(({ id }: { id: string }) => id);

  test("what a person makes waits, paid, until another person approves it; machines and small ones go", async () => {
    const { made, members, owner } = await company({ approvalThreshold: 2 }, ["approver", "reader"]);
    const [approver, reader] = members as [Person, Person];
    const { id, awaitsApproval, status } = await campaignBy(approver);
    assert.deepEqual([awaitsApproval, status], [true, "PENDING"]);
    assert.equal(await balanceOf(made), CREDITS - 3);
    const quoted = async (count: number) =>
      (await dataOf(approver.call("/v1/campaign/quote", { contacts: phones(count), text: "Soldes" })))
        .awaitsApproval;
    assert.deepEqual([await quoted(3), await quoted(1)], [true, undefined], "a quote says so before");
    const small = await campaignBy(approver, 1);
    assert.equal(small.awaitsApproval, undefined);
    await settled(made, small.id);
    const key = await dataOf(made.call("/v1/company/key/create", { name: "Caisse", scopes: ["send"] }));
    const machine: Person = {
      id: "",
      phone: null,
      call: (path, more = {}) => made.call(path, { ...(more as object), apiKey: key.apiKey }),
    };
    const byMachine = await campaignBy(machine);
    assert.equal(byMachine.awaitsApproval, undefined);
    await settled(made, byMachine.id);
    assert.deepEqual(await waiting(reader), [id]);
    assert.equal(await statusOf(owner, id), "PENDING");
    const noted = async () => (await made.call("/v1/company/audit/list")).totalCount;
    const before = await noted();
    const rule = await dataOf(made.call("/v1/company/approval/update"));
    assert.deepEqual([rule.approvalThreshold, await noted()], [2, before], "a body without members reads");
    for (const [by, field] of [
      [approver, "apiKey"],
      [reader, "apiKey"],
      [machine, "apiKey"],
    ] as const) {
      const { error, details } = await by.call(`/v1/campaign/${id}/approve`);
      assert.deepEqual([error, details?.[0]?.field], ["not-authorized", field]);
    }
    assert.equal((await owner.call(`/v1/campaign/${small.id}/approve`)).error, "conflict");
    assert.equal((await owner.call(`/v1/campaign/${"0".repeat(24)}/approve`)).error, "campaign-not-found");
    const { approval } = await dataOf(owner.call(`/v1/campaign/${id}/approve`));
    assert.deepEqual(
      [approval.status, approval.madeBy, approval.decidedBy],
      ["APPROVED", approver.id, owner.id],
    );
    await settled(made, id);
    assert.deepEqual(await waiting(reader), []);
    await dataOf(made.call("/v1/company/approval/update", { approvalOfKeys: true, approvalThreshold: 1 }));
    assert.deepEqual(await dataOf(made.call("/v1/company/approval/update")), {
      ...{ approval: "campaigns", approvalThreshold: 1, approvalOfKeys: true },
    });
    // To one person too, whose messages share batches with others where they do not wait.
    const { id: single } = await campaignBy(machine, 1);
    assert.deepEqual(await waiting(reader), [single]);
    assert.equal((await approver.call(`/v1/campaign/${single}/approve`)).error, null);
    await settled(made, single);
    await assertBalanced(here);
  });

  test("two who decide at once decide once; a declined one is canceled and paid back", async () => {
    const { made, members, owner } = await company();
    const [one, two] = members as [Person, Person];
    const approve = (by: Person, id: string) => by.call(`/v1/campaign/${id}/approve`);
    const decline = (by: Person, id: string) => by.call(`/v1/campaign/${id}/decline`, { reason: "Non" });
    for (const decide of [approve, decline]) {
      const { id } = await campaignBy(owner);
      const errors = (await Promise.all([approve(one, id), decide(two, id)])).map(({ error }) => error);
      assert.deepEqual(errors.toSorted(), ["conflict", null].toSorted(), `${errors}`);
      const { approval, status } = await dataOf(owner.call(`/v1/campaign/${id}`));
      assert.equal(approval.status === "DECLINED", status === "CANCELED");
      if (status !== "CANCELED") await settled(made, id);
    }
    await until(async () => (await assertBalanced(here)).held === 0);
    const before = await balanceOf(made);
    const { id: unwanted } = await campaignBy(owner);
    await dataOf(decline(one, unwanted));
    await until(async () => (await balanceOf(made)) === before);
    const { approval, status } = await dataOf(owner.call(`/v1/campaign/${unwanted}`));
    assert.deepEqual([status, approval.status, approval.reason], ["CANCELED", "DECLINED", "Non"]);
    // Its maker may take it back; that and an approval at once end in one of the two.
    const { id: taken } = await campaignBy(owner);
    const [canceled, approved] = await Promise.all([
      owner.call(`/v1/campaign/${taken}/cancel`),
      approve(one, taken),
    ]);
    assert.ok(canceled.success || approved.success);
    await until(async () => (await assertBalanced(here)).held === 0);
    assert.equal((await approve(two, taken)).error, "conflict");
  });

  test("a later campaign waits too, also when its groups are small now; an approval before its time lets it run", async () => {
    const { made, members, owner } = await company({ approvalThreshold: 100 }, ["approver"]);
    const [approver] = members as [Person];
    const { id: groupId } = await dataOf(
      made.call("/v1/group/create", { name: "Tous", contacts: phones(2).map((phone) => ({ phone })) }),
    );
    const at = new Date((Math.floor(nowMs() / QUARTER_MS) + 2) * QUARTER_MS);
    const later = { contacts: [], groupsIds: [groupId], type: "SCHEDULED", scheduledDate: at.toISOString() };
    const [approved, late] = [await campaignBy(owner, 0, later), await campaignBy(owner, 0, later)];
    const weekly = { contacts: [], groupsIds: [groupId], type: "RECURRING", recurring: WEEK };
    const { id: series } = await campaignBy(owner, 0, weekly);
    assert.deepEqual(await waiting(owner), [approved.id, late.id, series]);
    await dataOf(approver.call(`/v1/campaign/${approved.id}/approve`));
    await rows(here.app, "UPDATE campaigns SET next_at = $2 WHERE id = $1", [series, at]);
    await runDueCampaigns(here.app, at);
    await settled(made, approved.id);
    assert.equal(await statusOf(owner, late.id), "PENDING");
    await dataOf(approver.call(`/v1/campaign/${late.id}/approve`));
    await settled(made, late.id);
    await dataOf(approver.call(`/v1/campaign/${series}/approve`));
    const run = async () => (await dataOf(made.call(`/v1/campaign/${series}`))).runs[0].status;
    await until(async () => (await run()) === "SENT");
  });

  test("what nobody approves in time fails and is paid back, and is approved no more", async () => {
    const { made, members, owner } = await company();
    const { id } = await campaignBy(owner);
    await rows(here.app, "UPDATE batches SET expires_at = now() WHERE send_id = $1", [id]);
    await rows(here.app, "UPDATE campaigns SET created_at = created_at - interval '72 hours' WHERE id = $1", [
      id,
    ]);
    await expireMessages(here.app);
    await until(async () => (await balanceOf(made)) === CREDITS);
    assert.equal(await statusOf(owner, id), "FAILED");
    assert.deepEqual(await waiting(owner), []);
    assert.equal((await members[0]!.call(`/v1/campaign/${id}/approve`)).error, "conflict");
  });

  test("an approval that nobody could give is refused, as a rule and by a change of members", async () => {
    const made = await here.company({ credits: CREDITS });
    const rule = (approval: string) => made.call("/v1/company/approval/update", { approval });
    const refused = await rule("campaigns");
    assert.deepEqual([refused.error, refused.details![0]!.field], ["conflict", "approval"]);
    assert.equal((await dataOf(made.call("/v1/company/approval/update"))).approval, "none");
    const body = { name: "Yao", phone: newPhone(), role: "approver" };
    const { id } = await dataOf(made.call("/v1/company/member/create", body));
    await dataOf(rule("campaigns"));
    const demoted = await made.call(`/v1/company/member/${id}/update`, { role: "editor" });
    const removed = await made.call(`/v1/company/member/${id}/remove`);
    assert.deepEqual(
      [demoted, removed].map(({ error, details }) => [error, details![0]!.field]),
      [
        ["conflict", "role"],
        ["conflict", "id"],
      ],
    );
    await dataOf(rule("none"));
    await dataOf(made.call(`/v1/company/member/${id}/remove`));
  });

  test("an administrator's review and an approval both have to let it go, in any order", async (t) => {
    const config = { holdFirstCampaigns: 9 };
    const strict = await testService(t, { config, limits: { peopleBeforeReview: 2 } });
    const made = await strict.company({ credits: CREDITS });
    const body = { name: "Yao", phone: newPhone(), role: "approver" };
    const { apiKey } = await dataOf(made.call("/v1/company/member/create", body));
    await dataOf(made.call("/v1/company/approval/update", { approval: "campaigns" }));
    const { companyId } = made;
    const approve = (id: string) => dataOf(made.call(`/v1/campaign/${id}/approve`, { apiKey }));
    const release = (id: string) => dataOf(strict.admin(`/v1/admin/campaign/${id}/release`, { companyId }));
    for (const steps of [
      [approve, release],
      [release, approve],
    ]) {
      const { id } = await campaignBy({ id: "", phone: null, call: made.call });
      await steps[0]!(id);
      const kept = "SELECT FROM batches WHERE send_id = $1 AND not_before = 'infinity'";
      assert.equal((await rows(strict.app, kept, [id])).length, 1);
      await steps[1]!(id);
      await settled(made, id);
    }
  });

  const statusOfApproval = async (by: Person, id: string) =>
    (await dataOf(by.call(`/v1/campaign/${id}`))).approval?.status;
  const times = (quarters: number) => new Date((Math.floor(nowMs() / QUARTER_MS) + quarters) * QUARTER_MS);
  const scheduled = (quarters: number) => ({ scheduledDate: times(quarters).toISOString() });

  test("an approved campaign that gets another time waits for another approval, by whatever URL", async () => {
    const { made, members, owner } = await company();
    const [one, two] = members as [Person, Person];
    const key = await dataOf(made.call("/v1/company/key/create", { name: "Caisse", scopes: ["send"] }));
    const machine: Person = {
      id: owner.id,
      phone: null,
      call: (path, more = {}) => made.call(path, { ...(more as object), apiKey: key.apiKey }),
    };
    const week = { monday: times(2).toISOString(), sunday: times(3).toISOString() };
    const changes: [by: Person, path: string, later: object, change: object][] = [
      [owner, "reschedule", { type: "SCHEDULED", ...scheduled(100) }, scheduled(2)],
      [one, "reschedule", { type: "SCHEDULED", ...scheduled(100) }, scheduled(2)],
      [machine, "reschedule", { type: "SCHEDULED", ...scheduled(100) }, scheduled(2)],
      [owner, "update", { type: "SCHEDULED", ...scheduled(100) }, { name: "Autre", ...scheduled(2) }],
      [owner, "reschedule", { type: "RECURRING", recurring: WEEK }, { recurring: week }],
      [owner, "update", { type: "RECURRING", recurring: WEEK }, { recurring: week }],
    ];
    for (const [by, path, later, change] of changes) {
      const { id } = await campaignBy(owner, 2, later);
      await dataOf(one.call(`/v1/campaign/${id}/approve`));
      const { approval } = await dataOf(by.call(`/v1/campaign/${id}/${path}`, change));
      assert.deepEqual([approval.status, approval.madeBy, approval.decidedBy], ["PENDING", by.id, null]);
      assert.equal((await waiting(two)).includes(id), true);
      await rows(here.app, "UPDATE campaigns SET next_at = $2 WHERE id = $1", [id, times(2)]);
      await runDueCampaigns(here.app, times(2));
      const kept =
        "SELECT FROM batches WHERE not_before = 'infinity' AND send_id IN (SELECT send_id FROM campaign_runs WHERE campaign_id = $1)";
      assert.equal((await rows(here.app, kept, [id])).length, 1, `${path} ${JSON.stringify(change)}`);
      assert.equal((await by.call(`/v1/campaign/${id}/approve`)).error, "not-authorized");
      await dataOf(two.call(`/v1/campaign/${id}/approve`));
      const sent = async () =>
        (await dataOf(made.call(`/v1/campaign/${id}`))).stats.sent +
        (await dataOf(made.call(`/v1/campaign/${id}`))).stats.delivered;
      await until(async () => (await sent()) === 2);
      await dataOf(made.call(`/v1/campaign/${id}/cancel`)).catch(() => undefined);
    }
  });

  test("whoever changes a campaign while it waits does not approve it, and its author may take the change back", async () => {
    const { members, owner } = await company({}, ["approver"]);
    const [approver] = members as [Person];
    const { id } = await campaignBy(owner, 2, { type: "SCHEDULED", ...scheduled(100) });
    const { approval } = await dataOf(approver.call(`/v1/campaign/${id}/reschedule`, scheduled(90)));
    assert.deepEqual([approval.madeBy, approval.changedBy], [owner.id, approver.id]);
    for (const by of [approver, owner])
      assert.equal((await by.call(`/v1/campaign/${id}/approve`)).error, "not-authorized");
    await dataOf(owner.call(`/v1/campaign/${id}/reschedule`, scheduled(95)));
    await dataOf(approver.call(`/v1/campaign/${id}/approve`));
    assert.equal(await statusOfApproval(owner, id), "APPROVED");
  });

  test("a group that grows by more than a tenth after the approval makes its campaign wait again", async () => {
    const { made, members, owner } = await company({}, ["approver"]);
    const [approver] = members as [Person];
    const people = (count: number) => Array.from({ length: count }, () => ({ phone: newPhone() }));
    const { id: groupId } = await dataOf(
      made.call("/v1/group/create", { name: "Tous", contacts: people(10) }),
    );
    const grow = async (count: number) => {
      const added = await dataOf(made.call("/v1/contact/create", { contacts: people(count) }));
      const contactIds = (added.contacts ?? added).map((contact: { id: string }) => contact.id);
      await dataOf(made.call(`/v1/group/${groupId}/contacts/add`, { contactIds }));
    };
    const { id } = await campaignBy(owner, 0, {
      contacts: [],
      groupsIds: [groupId],
      type: "RECURRING",
      recurring: WEEK,
    });
    await dataOf(approver.call(`/v1/campaign/${id}/approve`));
    const runAt = async (quarters: number) => {
      await rows(here.app, "UPDATE campaigns SET next_at = $2 WHERE id = $1", [id, times(quarters)]);
      await runDueCampaigns(here.app, times(quarters));
      return statusOfApproval(owner, id);
    };
    await grow(1);
    assert.equal(await runAt(2), "APPROVED");
    await grow(1);
    assert.equal(await runAt(3), "PENDING");
    await dataOf(approver.call(`/v1/campaign/${id}/approve`));
    assert.equal(await runAt(4), "APPROVED", "the approval is for the people of now");
  });

  test("nobody approves what they did not see: a change while the page is open is a conflict", async () => {
    const { members, owner } = await company({}, ["approver"]);
    const [approver] = members as [Person];
    const { id } = await campaignBy(owner, 2, { type: "SCHEDULED", ...scheduled(100) });
    const askedAt = async () => (await dataOf(approver.call(`/v1/campaign/${id}`))).approval.askedAt;
    const seen = await askedAt();
    await dataOf(owner.call(`/v1/campaign/${id}/reschedule`, scheduled(104)));
    const late = await approver.call(`/v1/campaign/${id}/approve`, { askedAt: seen });
    assert.deepEqual([late.error, late.details![0]!.field], ["conflict", "askedAt"]);
    assert.equal(
      (await approver.call(`/v1/campaign/${id}/approve`, { askedAt: "hier" })).error,
      "invalid-request",
    );
    const declined = { reason: "Trop tôt", askedAt: seen };
    assert.equal((await approver.call(`/v1/campaign/${id}/decline`, declined)).error, "conflict");
    assert.equal(await statusOfApproval(owner, id), "PENDING");
    await dataOf(approver.call(`/v1/campaign/${id}/approve`, { askedAt: await askedAt() }));
    assert.equal(await statusOfApproval(owner, id), "APPROVED");
  });

  test("what changes nothing of what was approved asks nobody again, and the text of an approved campaign stays", async () => {
    const { made, members, owner } = await company({}, ["approver"]);
    const [approver] = members as [Person];
    const { id } = await campaignBy(owner, 2, { type: "SCHEDULED", ...scheduled(100) });
    await dataOf(approver.call(`/v1/campaign/${id}/approve`));
    await dataOf(owner.call(`/v1/campaign/${id}/update`, { name: "Autre nom" }));
    const copy = await dataOf(owner.call(`/v1/campaign/${id}/duplicate`));
    assert.equal(await statusOfApproval(owner, id), "APPROVED");
    for (const change of [{ text: "Autre" }, { contacts: phones(2) }])
      assert.equal((await owner.call(`/v1/campaign/${id}/update`, change)).error, "conflict");
    assert.equal(await statusOfApproval(owner, id), "APPROVED");
    const again = await campaignBy(owner, 2, { draftId: copy.id ?? copy.draft?.id });
    assert.equal(again.awaitsApproval, true, "a copy waits for an approval of its own");
    await dataOf(made.call("/v1/company/approval/update", { approval: "none" }));
    assert.equal(await statusOfApproval(owner, again.id), "PENDING", "a change of the rule releases nothing");
  });

  test("the others are told once of a campaign, and of few in a day", async () => {
    const { members, owner } = await company();
    const told = async () =>
      (
        await rows(here.app, "SELECT told FROM campaign_approvals WHERE made_by = $1 ORDER BY campaign_id", [
          owner.id,
        ])
      ).map(({ told }) => Number(told));
    for (let i = 0; i < 3; i++) await campaignBy(owner);
    await Promise.all([notifyOfApprovals(here.app), notifyOfApprovals(here.app)]);
    await until(async () => (await told()).filter((count) => count > 0).length === 2);
    await notifyOfApprovals(here.app);
    assert.deepEqual((await told()).toSorted(), [0, members.length, members.length]);
  });
});

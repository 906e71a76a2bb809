// Tests of the deletion of all contacts of a group (F29): in batches, safe to repeat, and recorded once with the number.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { phones, rows } from "../../../test/sending.ts";
import { type Company, type TestService, testService } from "../../../test/testservice.ts";
import { forgetDeletions, runDeletions } from "./deletions.ts";

const signal = new AbortController().signal;

suite("deleting the contacts of a group", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;

  before(async () => {
    // Without ticks, so that the tests themselves say when a job works.
    w = await testService(
      { after: (close) => closing.push(close) },
      { config: { roles: new Set(["api"]), simulator: false } },
    );
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  const grouped = async (company: Company, contacts: readonly unknown[]) =>
    (await dataOf(company.call("/v1/group/create", { name: "Clients", contacts }))).id as string;
  const remaining = async (company: Company) => (await company.call("/v1/contact/list")).totalCount;

  test("F29: up to 1,000 go at once, others stay, and the activity log has the number once", async () => {
    const company = await w.company();
    await dataOf(company.call("/v1/contact/create", { phone: "2250709999999", name: "Zoé" }));
    const groupId = await grouped(company, phones(3));
    await dataOf(company.call("/v1/optout/create", { phone: phones(1)[0] }));
    const refused = await company.call("/v1/contact/delete-many", { groupId, count: 2 });
    assert.deepEqual([refused.error, refused.details![0]!.field], ["conflict", "count"]);
    const { id, ...deletion } = await dataOf(company.call("/v1/contact/delete-many", { groupId, count: 3 }));
    assert.deepEqual(deletion, { groupId, status: "DONE", total: 3, deleted: 3 });
    assert.deepEqual(await dataOf(company.call(`/v1/contact/delete-many/${id}`)), { id, ...deletion });
    assert.equal(await remaining(company), 1);
    assert.equal((await dataOf(company.call(`/v1/group/${groupId}`))).contactCount, 0);
    assert.equal((await company.call("/v1/optout/list")).totalCount, 1);
    const log = await dataOf(company.call("/v1/company/audit/list", { limit: 100 }));
    const entries = log.filter(({ action }: { action: string }) => action === "contact/delete-many");
    assert.deepEqual(
      entries.map(({ after }: { after: unknown }) => after),
      [{ deleted: 3 }],
    );
  });

  test("F29: a group of exactly as many contacts as one batch takes is gone when the request is answered", async () => {
    const company = await w.company();
    const groupId = await grouped(company, phones(1_000));
    const { status, deleted } = await dataOf(company.call("/v1/contact/delete-many", { groupId }));
    assert.deepEqual([status, deleted], ["DONE", 1_000]);
  });

  test("F29: a larger group goes in batches by the job, and whoever is created meanwhile stays", async () => {
    const company = await w.company();
    const groupId = await grouped(company, phones(1_500));
    const begun = await dataOf(company.call("/v1/contact/delete-many", { groupId }));
    assert.deepEqual([begun.status, begun.total], ["RUNNING", 1_500]);
    const again = await dataOf(company.call("/v1/contact/delete-many", { groupId }));
    assert.equal(again.id, begun.id, "a repeat is the same deletion");
    const late = { contacts: [{ phone: "2250709999999" }] };
    await dataOf(company.call(`/v1/group/${groupId}/contacts/add`, late));
    // Two processes at once, as two nodes have them.
    await Promise.all([runDeletions(w.app, signal), runDeletions(w.app, signal)]);
    await runDeletions(w.app, signal);
    const done = await dataOf(company.call(`/v1/contact/delete-many/${begun.id}`));
    assert.deepEqual([done.status, done.deleted], ["DONE", 1_500]);
    assert.equal(await remaining(company), 1);
    const old = "UPDATE contact_deletions SET created_at = now() - interval '31 days' WHERE id = $1";
    await rows(w.app, old, [begun.id]);
    await forgetDeletions(w.app, signal);
    assert.equal((await company.call(`/v1/contact/delete-many/${begun.id}`)).error, "not-found");
  });

  test("F29: another company's group and deletion are not found", async () => {
    const [company, neighbour] = [await w.company(), await w.company()];
    const groupId = await grouped(company, phones(1));
    const { id } = await dataOf(company.call("/v1/contact/delete-many", { groupId }));
    assert.equal((await neighbour.call("/v1/contact/delete-many", { groupId })).error, "group-not-found");
    assert.equal((await neighbour.call(`/v1/contact/delete-many/${id}`)).error, "not-found");
  });
});

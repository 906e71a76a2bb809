// Submitted drafts: the members who may send are notified of each submission of what is new, once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { approvedCompany, type Person } from "../../../test/approvers.ts";
import { phones } from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";
import { notifyOfSubmissions } from "./submissions.ts";

test("a draft that is submitted again after a change notifies again; unchanged, it notifies once", async (t) => {
  const here = await testService(t);
  const { members } = await approvedCompany(here, 10, { roles: ["approver", "editor", "editor"] });
  const [approver, editor, other] = members as [Person, Person, Person];
  const save = (body: object) => dataOf(editor.call("/v1/campaign/draft/save", body));
  const { id } = await save({ text: "Soldes", contacts: phones(2) });
  const submit = (by: Person) => dataOf(by.call(`/v1/campaign/draft/${id}/submit`));
  const notices = () => here.simulator.inbox({ phone: approver.phone! }).length;
  const notified = async (count: number) => {
    await Promise.all([notifyOfSubmissions(here.app), notifyOfSubmissions(here.app)]);
    await until(() => notices() >= count);
    assert.equal(notices(), count);
  };
  const first = await submit(editor);
  await notified(1);
  assert.deepEqual(await submit(other), first, "nothing is new");
  await notified(1);
  const { submittedAt } = await save({ id, text: "Soldes d’hiver", contacts: phones(2) });
  assert.equal(submittedAt, first.submittedAt, "a save submits nothing");
  await notified(1);
  const second = await submit(other);
  assert.deepEqual([second.submittedBy, second.submittedAt > first.submittedAt], [other.id, true]);
  await notified(2);
  assert.deepEqual(await submit(editor), second);
  await notified(2);
});

// Tests of imports that are undone (F29): what an import created and nobody changed goes, everything else stays.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { WEEK } from "../../../test/fixtures.ts";
import { importFile, shownImport, uploadFile } from "../../../test/importing.ts";
import { addOperator, rows } from "../../../test/sending.ts";
import { type Company, type TestService, testService } from "../../../test/testservice.ts";
import { isGroupPlanned } from "../../messaging/campaigns/waiting.ts";
import { forgetImports } from "./keeping.ts";
import { undoImports } from "./undo.ts";

const signal = new AbortController().signal;
const QUARTER_MS = 900_000;
const fileOf = (...lines: string[]) => Buffer.from(["telephone;nom", ...lines].join("\n"));

suite("undoing an import", () => {
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

  const imported = (company: Company, lines: string[], more: object = {}) =>
    importFile(w.app, company, fileOf(...lines), more);
  const namesOf = async (company: Company) =>
    (await dataOf(company.call("/v1/contact/list", { limit: 100, orderBy: "name" }))).map(
      ({ name }: { name: string }) => name,
    );
  const undo = async (company: Company, id: string) => {
    await dataOf(company.call(`/v1/contact/import/${id}/undo`));
    await undoImports(w.app, signal, isGroupPlanned);
    return shownImport(company, id);
  };

  test("F29: removes the contacts that the import created and its empty group, and keeps those that existed", async () => {
    const company = await w.company();
    await dataOf(company.call("/v1/contact/create", { phone: "2250700000001", name: "Awa" }));
    // The second row of a number is the import's own change.
    const lines = ["0700000001;Awa Koné", "0700000002;Binta", "0700000003;Ali", "0700000002;Binta K"];
    const found = await imported(company, lines, { groupName: "Clients" });
    assert.ok(Date.parse(found.undoableUntil) > Date.parse(found.endedAt));
    await dataOf(company.call("/v1/contact/delete", { contactsIds: [await idOf(company, "Awa Koné")] }));
    const undone = await undo(company, found.id);
    assert.deepEqual(undone.undo, { status: "DONE", removed: 2, kept: 0 });
    assert.equal(undone.undoableUntil, null);
    assert.deepEqual(await namesOf(company), []);
    assert.equal((await company.call(`/v1/group/${found.groupId}`)).error, "group-not-found");
    const words = await rows(w.app, "SELECT FROM contact_words WHERE company_id = $1", [company.companyId]);
    const made = await rows(w.app, "SELECT FROM import_contacts WHERE import_id = $1", [found.id]);
    assert.deepEqual([words, made], [[], []]);
    assert.equal((await company.call("/v1/contact/list")).totalCount, 0);
  });

  test("F29: contacts that were updated, or added to another group, stay, and so does a group that has members", async () => {
    const company = await w.company();
    await dataOf(company.call("/v1/contact/create", { phone: "2250700000009", name: "Zoé" }));
    const other = await dataOf(company.call("/v1/group/create", { name: "VIP" }));
    const lines = ["1;Awa", "2;Binta", "3;Chérif", "4;Drissa", "5;Eve", "6;Fanta", "7;Gora", "9;Zoé K"].map(
      (one) => `070000000${one}`,
    );
    const found = await imported(company, lines, { groupName: "Clients" });
    const [awa, binta] = [await idOf(company, "Awa"), await idOf(company, "Binta")];
    await dataOf(company.call(`/v1/contact/${awa}/update`, { name: "Awa Koné" }));
    await dataOf(company.call(`/v1/group/${other.id}/contacts/add`, { contactIds: [binta] }));
    // Whoever is imported or created again stays too, whether that changes anything or not.
    await imported(company, ["0700000003;Chérif Traoré", "0700000004;Drissa"]);
    await dataOf(company.call("/v1/contact/create", { phone: "2250700000006", name: "Fanta" }));
    await dataOf(company.call("/v1/optout/create", { phone: "2250700000005" }));
    const undone = await undo(company, found.id);
    assert.deepEqual(undone.undo, { status: "DONE", removed: 2, kept: 5 });
    const kept = ["Awa Koné", "Binta", "Chérif Traoré", "Drissa", "Fanta", "Zoé K"];
    assert.deepEqual(await namesOf(company), kept);
    const group = await dataOf(company.call(`/v1/group/${found.groupId}`));
    assert.equal(group.contactCount, 6);
    const optouts = await dataOf(company.call("/v1/optout/list"));
    assert.deepEqual(
      optouts.map(({ phone }: { phone: string }) => phone),
      ["2250700000005"],
    );
  });

  test("F29: an import that was stopped can be undone; a group that existed stays, though it is empty", async () => {
    const company = await w.company();
    const group = await dataOf(company.call("/v1/group/create", { name: "Clients" }));
    const found = await imported(company, ["0700000001;Awa"], { groupId: group.id });
    await rows(w.app, "UPDATE imports SET status = 'CANCELED' WHERE id = $1", [found.id]);
    assert.equal((await undo(company, found.id)).undo.removed, 1);
    assert.equal((await dataOf(company.call(`/v1/group/${group.id}`))).contactCount, 0);
  });

  test("F29: the group that the import created stays for a campaign that is still to run, or a paused series", async () => {
    await addOperator(w, 1);
    const scheduledDate = new Date((Math.floor(Date.now() / QUARTER_MS) + 9) * QUARTER_MS).toISOString();
    const cases: [keeps: boolean, campaign: object, end?: string][] = [
      [true, { type: "SCHEDULED", scheduledDate }],
      [true, { type: "RECURRING", recurring: WEEK }],
      [
        true,
        { type: "RECURRING", recurring: WEEK },
        "UPDATE campaigns SET paused_at = now(), next_at = NULL WHERE id = $1",
      ],
      [
        false,
        { type: "SCHEDULED", scheduledDate },
        "UPDATE campaigns SET canceled_at = now(), next_at = NULL WHERE id = $1",
      ],
    ];
    for (const [keeps, planned, end] of cases) {
      const company = await w.company();
      const { id, groupId } = await imported(company, ["0700000001;Awa"], { groupName: "Clients" });
      const wanted = { contacts: [], groupsIds: [groupId], text: "Bonjour", ...planned };
      const campaign = await dataOf(company.call("/v1/campaign/create", wanted));
      if (end !== undefined) await rows(w.app, end, [campaign.id]);
      assert.deepEqual((await undo(company, id)).undo, { status: "DONE", removed: 1, kept: 0 });
      const group = await company.call(`/v1/group/${groupId}`);
      assert.equal(group.error, keeps ? null : "group-not-found", JSON.stringify(planned));
      if (keeps) assert.equal(group.data.contactCount, 0);
    }
  });

  test("F29: a repeat changes nothing, and batches that are interrupted go on", async () => {
    const company = await w.company();
    const lines = Array.from({ length: 1_200 }, (_, i) => `0709${String(i).padStart(6, "0")};Client ${i}`);
    const found = await imported(company, lines);
    await dataOf(company.call(`/v1/contact/import/${found.id}/undo`));
    const again = await dataOf(company.call(`/v1/contact/import/${found.id}/undo`));
    assert.equal(again.undo.status, "RUNNING");
    // Two processes at once, as two nodes have them.
    await Promise.all([
      undoImports(w.app, signal, isGroupPlanned),
      undoImports(w.app, signal, isGroupPlanned),
    ]);
    await undoImports(w.app, signal, isGroupPlanned);
    const undone = await undo(company, found.id);
    assert.deepEqual(undone.undo, { status: "DONE", removed: 1_200, kept: 0 });
    assert.deepEqual(await namesOf(company), []);
  });

  test("F29: refuses an import that is not over, created nobody, or ended more than 24 hours ago, and forgets its contacts", async () => {
    const company = await w.company();
    const refused = async (id: string) => (await company.call(`/v1/contact/import/${id}/undo`)).error;
    assert.equal(await refused(await uploadFile(company, fileOf("0700000001;Awa"))), "conflict");
    const found = await imported(company, ["0700000001;Awa"]);
    const same = await imported(company, ["0700000001;Awa"]);
    assert.equal(await refused(same.id), "conflict");
    await rows(w.app, "UPDATE imports SET ended_at = now() - interval '25 hours' WHERE id = $1", [found.id]);
    assert.equal(await refused(found.id), "conflict");
    await forgetImports(w.app, signal);
    assert.deepEqual(await rows(w.app, "SELECT FROM import_contacts WHERE import_id = $1", [found.id]), []);
    const neighbour = await w.company();
    assert.equal((await neighbour.call(`/v1/contact/import/${found.id}/undo`)).error, "not-found");
  });

  async function idOf(company: Company, search: string): Promise<string> {
    const [found] = await dataOf(company.call("/v1/contact/list", { search }));
    return found.id;
  }
});

// Drafts, templates and duplicates: what is not finished is kept as it is, and sent once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { newPhone } from "../../../test/codes.ts";
import { ERASE, erased } from "../../../test/erasures.ts";
import { balanceOf, rows, settled } from "../../../test/sending.ts";
import { type Company, testService } from "../../../test/testservice.ts";
import { forgetDrafts } from "./drafts.ts";
import { emptyCampaigns } from "./erase.ts";

const { signal } = new AbortController();
const SAVE = "/v1/campaign/draft/save";
const CREATE = "/v1/campaign/create";
const draftOf = (company: Company, id: string) => dataOf(company.call(`/v1/campaign/draft/${id}`));

test("drafts", async (t) => {
  const here = await testService(t);

  await t.test("a draft keeps what is not right yet, and a save replaces all of it", async () => {
    const company = await here.company();
    const wrong = {
      text: "x".repeat(2_000),
      contacts: [{ phone: "07 00", name: "Awa" }, "2250700004321"],
      type: "SCHEDULED",
      scheduledDate: "demain",
      recurring: { monday: "8h" },
      senderId: "Pas encore",
    };
    const made = await dataOf(company.call(SAVE, wrong));
    assert.deepEqual([made.revision, made.name, made._count], [1, null, { contacts: 2, groups: 0 }]);
    const { contacts, groupsIds, ...rest } = await draftOf(company, made.id);
    assert.deepEqual(contacts, [{ phone: "07 00", name: "Awa" }, { phone: "2250700004321" }]);
    assert.deepEqual([rest, groupsIds], [made, []]);
    for (const [name, value] of Object.entries(wrong))
      if (name !== "contacts") assert.deepEqual(made[name], value, name);
    const { warnings, data } = await company.call(SAVE, { id: made.id, text: "Oui", groupsIds: ["gone"] });
    assert.deepEqual([data.revision, data.senderId, data.type], [2, null, "SMS"]);
    assert.deepEqual(
      warnings!.map(({ field }) => field),
      ["groupsIds"],
    );
    assert.equal((await company.call("/v1/campaign/draft/list")).data[0].text, "Oui");
    const many = Array.from({ length: 10_001 }, () => "2250700004321");
    assert.equal((await company.call(SAVE, { contacts: many })).error, "too-many-contacts");
    assert.equal((await company.call(SAVE, { text: "x".repeat(10_001) })).error, "invalid-request");
    assert.deepEqual(await dataOf(company.call(`/v1/campaign/draft/${made.id}/delete`)), { count: 1 });
    for (const path of [`/v1/campaign/draft/${made.id}`, `/v1/campaign/draft/${made.id}/delete`])
      assert.equal((await company.call(path)).error, "not-found");
  });

  await t.test("of two tabs, the one that did not see the other's save is refused", async () => {
    const company = await here.company();
    const { id, revision } = await dataOf(company.call(SAVE, { text: "un" }));
    const saves = await Promise.all(
      ["deux", "trois"].map((text) => company.call(SAVE, { id, revision, text })),
    );
    assert.deepEqual(saves.map(({ error }) => error).sort(), ["conflict", null]);
    assert.equal((await draftOf(company, id)).revision, 2);
    assert.equal((await company.call(SAVE, { id: "none", revision })).error, "not-found");
  });

  await t.test("L02 a draft is sent once, whatever number of requests ask for it", async () => {
    const company = await here.company({ credits: 10 });
    const contacts = [newPhone()];
    const { id: draftId } = await dataOf(company.call(SAVE, { contacts }));
    const campaign = { contacts, text: "Bonjour", draftId };
    assert.equal((await company.call(CREATE, { ...campaign, contacts: [] })).error, "no-recipient");
    assert.equal((await draftOf(company, draftId)).id, draftId, "a refusal keeps it");
    const sent = await Promise.all([1, 2, 3].map(() => company.call(CREATE, campaign)));
    assert.deepEqual(sent.map(({ error }) => error).sort(), ["not-found", "not-found", null]);
    assert.equal(await balanceOf(company), 9);
    assert.equal((await company.call(`/v1/campaign/draft/${draftId}`)).error, "not-found");
    assert.equal((await company.call(SAVE, { id: draftId })).error, "not-found");
  });

  await t.test("a person who is erased leaves drafts, and a tab does not bring them back", async () => {
    const company = await here.company();
    const [phone, other] = [newPhone(), newPhone()];
    const alone = await dataOf(company.call(SAVE, { contacts: [phone], text: "Chère Awa" }));
    const both = await dataOf(company.call(SAVE, { contacts: ["07", `+${phone}`, { phone: other }] }));
    await erased(company.call, ERASE, phone);
    assert.equal((await company.call(`/v1/campaign/draft/${alone.id}`)).error, "not-found");
    assert.deepEqual((await draftOf(company, both.id)).contacts, [{ phone: "07" }, { phone: other }]);
    const again = { id: both.id, revision: both.revision, contacts: [phone] };
    assert.equal((await company.call(SAVE, again)).error, "conflict");
  });

  await t.test("drafts that nobody saves are forgotten, and a closed company loses its own", async () => {
    const company = await here.company();
    const [old, kept] = [await dataOf(company.call(SAVE)), await dataOf(company.call(SAVE))];
    const aged = "UPDATE campaign_drafts SET updated_at = now() - interval '91 days' WHERE id = $1";
    await rows(here.app, aged, [old.id]);
    await forgetDrafts(here.app, signal);
    const left = "SELECT id FROM campaign_drafts WHERE company_id = $1";
    assert.deepEqual(await rows(here.app, left, [company.companyId]), [{ id: kept.id }]);
    await dataOf(company.call("/v1/campaign/template/create", { name: "Rappel", text: "Bonjour" }));
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const at: string = cursor;
      const emptied = await here.app.database.transaction((tx) => emptyCampaigns(tx, company.companyId, at));
      cursor = emptied.next;
    }
    const all = `${left} UNION ALL SELECT id FROM campaign_templates WHERE company_id = $1`;
    assert.deepEqual(await rows(here.app, all, [company.companyId]), []);
  });

  await t.test("templates have names of their own, and quotas bound them and drafts", async () => {
    const company = await here.company();
    const quotas = { drafts: 1, templates: 2 };
    await dataOf(here.admin(`/v1/admin/company/${company.companyId}/update`, { quotas }));
    await dataOf(company.call(SAVE));
    assert.equal((await company.call(SAVE)).error, "conflict");
    const create = (name: string, text = "Bonjour @name") =>
      company.call("/v1/campaign/template/create", { name, text });
    const [first, { id }] = [await dataOf(create("B")), await dataOf(create("A"))];
    assert.equal((await create("C")).error, "conflict");
    const change = (body: object) => company.call(`/v1/campaign/template/${id}/update`, body);
    assert.equal((await change({ name: "B" })).error, "conflict");
    assert.equal((await change({ text: "x".repeat(10_001) })).error, "message-too-long");
    assert.equal((await dataOf(change({ text: "Bonsoir" }))).name, "A");
    const { data, totalCount } = await company.call("/v1/campaign/template/list");
    assert.deepEqual(
      [totalCount, ...data.map(({ name, text }: { name: string; text: string }) => `${name} ${text}`)],
      [2, "A Bonsoir", "B Bonjour @name"],
    );
    const remove = () => company.call(`/v1/campaign/template/${first.id}/delete`);
    assert.deepEqual([(await remove()).success, (await remove()).error], [true, "not-found"]);
    assert.equal((await create("A")).error, "conflict");
  });

  await t.test("a duplicate has the text, the groups and the contacts that are still there", async () => {
    const company = await here.company({ credits: 10 });
    const [named, gone, member] = [newPhone(), newPhone(), newPhone()];
    const contacts = [{ phone: named, name: "Awa" }, gone];
    const { id: group } = await dataOf(
      company.call("/v1/group/create", { name: "Amis", contacts: [{ phone: member }] }),
    );
    const create = (body: object) => dataOf(company.call(CREATE, { text: "Bonjour @name", ...body }));
    const [plain, grouped, weekly] = [
      await create({ contacts, name: "Rentrée" }),
      await create({ contacts, groupsIds: [group] }),
      await create({ contacts: [named], type: "RECURRING", recurring: { monday: "08:30" } }),
    ];
    await settled(company, plain.id);
    const list = await dataOf(company.call("/v1/contact/list"));
    const { id: goneId } = list.find(({ phone }: { phone: string }) => phone === gone);
    await dataOf(company.call("/v1/contact/delete", { contactsIds: [goneId] }));
    const duplicate = async (id: string) => {
      const { data, warnings } = await company.call(`/v1/campaign/${id}/duplicate`);
      assert.deepEqual(await draftOf(company, data.id), data);
      return { ...data, warned: warnings?.map(({ field }) => field) };
    };
    const copy = await duplicate(plain.id);
    assert.deepEqual(
      [copy.name, copy.text, copy.contacts, copy.warned],
      ["Rentrée (copie)", "Bonjour @name", [{ phone: named }], ["contacts"]],
    );
    const withGroup = await duplicate(grouped.id);
    assert.deepEqual(
      [withGroup.contacts, withGroup.groupsIds],
      [[{ phone: named, name: "Awa" }], [group]],
      "members of groups are not named",
    );
    const series = await duplicate(weekly.id);
    assert.deepEqual([series.type, series.recurring], ["RECURRING", { monday: "08:30" }]);
    assert.equal((await company.call("/v1/campaign/none/duplicate")).error, "campaign-not-found");
  });
});

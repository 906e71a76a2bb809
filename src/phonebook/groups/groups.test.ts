// Groups through their URLs, in the words of the interface document.
import assert from "node:assert/strict";
import { test } from "node:test";
import { QUOTAS } from "../../../test/fixtures.ts";
import { atLength } from "../../../test/length.ts";
import { type Company, testService } from "../../../test/testservice.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { newId } from "../../platform/ids.ts";
import { createContacts, deleteContacts, updateContact } from "../contacts/contacts.ts";
import { readContacts } from "../contacts/given.ts";
import { addToGroup, readGroupMembers, removeFromGroup, requireGroups, updateGroup } from "./groups.ts";

const HEX_24 = /^[0-9a-f]{24}$/;

const phonesFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => String(2_250_700_000_000 + first + i));

/** Makes contacts and answers their ids, in the order of the phones. */
async function contactsOf(company: Company, phones: readonly string[]): Promise<string[]> {
  const { data } = await company.call("/v1/contact/create", { contacts: phones });
  return data.map((contact: { id: string }) => contact.id);
}

async function groupOf(company: Company, body: object = {}): Promise<string> {
  return (await company.call("/v1/group/create", { name: "Clients", ...body })).data.id;
}

/** The phones of a group's contacts, ascending. */
async function phonesIn(company: Company, id: string): Promise<string[]> {
  const { data } = await company.call(`/v1/group/${id}/contacts/list`, { limit: 100 });
  return data.map((contact: { phone: string }) => contact.phone).sort();
}

const callerOf = (company: Company): CompanyCaller => ({
  userId: company.userId,
  companyId: company.companyId,
  country: "CI",
  language: "fr",
  senderLimit: 3,
  isPartner: false,
  quotas: QUOTAS,
});

test("groups", async (t) => {
  const w = await testService(t);

  await t.test("create: a name is enough, and a group may be empty", async () => {
    const company = await w.company();
    const { data } = await company.call("/v1/group/create", { name: "Clients" });
    const { id, createdAt, ...rest } = data;
    assert.match(id, HEX_24);
    assert.equal(new Date(createdAt).toISOString(), createdAt);
    assert.deepEqual(rest, { name: "Clients", description: null, contactCount: 0 });
    const detail = (await company.call(`/v1/group/${id}`)).data;
    assert.deepEqual(detail, { ...data, contacts: [] });
  });

  await t.test("create: contactIds are its first members, each once", async () => {
    const company = await w.company();
    const [a, b] = await contactsOf(company, phonesFrom(0, 3));
    const { data } = await company.call("/v1/group/create", {
      name: "Clients",
      description: "Abidjan",
      contactIds: [a, b, a],
    });
    assert.equal(data.description, "Abidjan");
    assert.equal(data.contactCount, 2);
    assert.deepEqual(await phonesIn(company, data.id), phonesFrom(0, 2));
  });

  await t.test("create: contacts as objects are created, or updated where the phone exists", async () => {
    const company = await w.company();
    await contactsOf(company, phonesFrom(0, 1));
    const id = await groupOf(company, {
      contacts: [{ phone: "+225 07 00 00 00 00", name: "Awa" }, { phone: "2250700000001" }, "2250700000001"],
    });
    const { data, totalCount } = await company.call("/v1/contact/list", { orderBy: "phone" });
    assert.equal(totalCount, 2);
    assert.equal(data[0].name, "Awa");
    assert.deepEqual(await phonesIn(company, id), phonesFrom(0, 2));
  });

  await t.test("list: newest first by default, ascending by name, with its counts", async () => {
    const company = await w.company();
    for (const name of ["Clients", "Amis", "Banque"]) await company.call("/v1/group/create", { name });
    const by = async (body: object) =>
      (await company.call("/v1/group/list", body)).data.map((row: { name: string }) => row.name);
    assert.deepEqual(await by({}), ["Banque", "Amis", "Clients"]);
    assert.deepEqual(await by({ sort: "asc" }), ["Clients", "Amis", "Banque"]);
    assert.deepEqual(await by({ orderBy: "name" }), ["Amis", "Banque", "Clients"]);
    assert.deepEqual(await by({ orderBy: "name", sort: "desc" }), ["Clients", "Banque", "Amis"]);
    const { data, totalCount, count, page, totalPage } = await company.call("/v1/group/list", {
      page: 2,
      limit: 2,
    });
    assert.deepEqual(Object.keys(data[0]), ["id", "name", "description", "createdAt", "contactCount"]);
    assert.deepEqual(
      { totalCount, count, page, totalPage },
      { totalCount: 3, count: 1, page: 2, totalPage: 2 },
    );
  });

  await t.test("update: what is not said stays; contactIds are the new list, even an empty one", async () => {
    const company = await w.company();
    const ids = await contactsOf(company, phonesFrom(0, 4));
    const id = await groupOf(company, { description: "Abidjan", contactIds: ids.slice(0, 2) });
    const update = async (body: object) => (await company.call(`/v1/group/${id}/update`, body)).data;
    const { createdAt, ...renamed } = await update({ name: "VIP", description: null });
    assert.deepEqual(renamed, { id, name: "VIP", description: "Abidjan", contactCount: 2 });
    assert.equal((await update({ contactIds: ids.slice(1) })).contactCount, 3);
    assert.deepEqual(await phonesIn(company, id), phonesFrom(1, 3));
    assert.equal((await update({ contacts: ["2250700000009"] })).contactCount, 1);
    assert.deepEqual(await phonesIn(company, id), ["2250700000009"]);
    assert.equal((await update({ contactIds: [] })).contactCount, 0);
    assert.deepEqual((await company.call(`/v1/group/${id}`)).data.createdAt, createdAt);
  });

  await t.test("contacts/add and contacts/remove, by id or by phone; a repeat changes nothing", async () => {
    const company = await w.company();
    const ids = await contactsOf(company, phonesFrom(0, 4));
    const id = await groupOf(company);
    const add = async (body: object) =>
      (await company.call(`/v1/group/${id}/contacts/add`, body)).data.contactCount;
    const remove = async (body: object) =>
      (await company.call(`/v1/group/${id}/contacts/remove`, body)).data.contactCount;
    assert.equal(await add({ contactIds: ids.slice(0, 3) }), 3);
    assert.equal(await add({ contactIds: ids.slice(1, 4) }), 4);
    assert.equal(await add({ contacts: [{ phone: "2250700000008" }, "2250700000000"] }), 5);
    assert.equal(await remove({ contactIds: [ids[0], ids[0], newId()] }), 4);
    assert.equal(await remove({ contactIds: [ids[0]] }), 4);
    assert.equal(await remove({ contacts: ["+2250700000008", "2250799999999"] }), 3);
    assert.deepEqual(await phonesIn(company, id), phonesFrom(1, 3));
    assert.equal((await company.call("/v1/contact/list")).totalCount, 5, "removing makes and deletes nobody");
  });

  await t.test("contacts/list: contact records, those created last first", async () => {
    const company = await w.company();
    const id = await groupOf(company);
    for (const phone of phonesFrom(0, 5)) {
      await company.call(`/v1/group/${id}/contacts/add`, { contacts: [{ phone, firstName: "Awa" }] });
    }
    const list = (body: object) => company.call(`/v1/group/${id}/contacts/list`, body);
    const phones = async (body: object) =>
      (await list(body)).data.map((row: { phone: string }) => row.phone.slice(-1)).join("");
    assert.equal(await phones({}), "43210");
    assert.equal(await phones({ sort: "asc" }), "01234");
    assert.equal(await phones({ limit: 2, page: 2 }), "21");
    assert.equal(await phones({ limit: 2, page: 3 }), "0");
    assert.equal(await phones({ limit: 2, page: 4 }), "");
    const { data, totalCount, count, page, totalPage } = await list({ limit: 1, page: 5 });
    assert.deepEqual(data, [(await company.call(`/v1/contact/${data[0].id}`)).data]);
    assert.deepEqual(
      { totalCount, count, page, totalPage },
      { totalCount: 5, count: 1, page: 5, totalPage: 5 },
    );
  });

  await t.test("delete: the group is gone, its contacts stay", async () => {
    const company = await w.company();
    const id = await groupOf(company, { contacts: phonesFrom(0, 2) });
    assert.deepEqual((await company.call(`/v1/group/${id}/delete`)).data, { count: 1 });
    assert.equal((await company.call(`/v1/group/${id}`)).error, "group-not-found");
    assert.equal((await company.call(`/v1/group/${id}/delete`)).error, "group-not-found");
    assert.equal((await company.call("/v1/group/list")).totalCount, 0);
    assert.equal((await company.call("/v1/contact/list")).totalCount, 2);
  });

  await t.test("a contact that is deleted leaves its groups, which know how many are left", async () => {
    const company = await w.company();
    const ids = await contactsOf(company, phonesFrom(0, 4));
    const groups = [
      await groupOf(company, { contactIds: ids }),
      await groupOf(company, { contactIds: ids.slice(2) }),
    ];
    await company.call("/v1/contact/delete", { contactsIds: ids.slice(1, 3) });
    const counts = groups.map(async (id) => (await company.call(`/v1/group/${id}`)).data.contactCount);
    assert.deepEqual(await Promise.all(counts), [2, 1]);
    assert.deepEqual(await phonesIn(company, groups[1]!), phonesFrom(3, 1));
  });

  await t.test("what a group cannot be, by error code; nothing is changed", async () => {
    const company = await w.company();
    const [own] = await contactsOf(company, phonesFrom(0, 1));
    const id = await groupOf(company, { contactIds: [own] });
    const tooMany = Array.from({ length: 10_001 }, () => own);
    const members: [object, string][] = [
      [{ contactIds: [own, newId()] }, "contact-not-found"],
      [{ contactIds: ["x"] }, "contact-not-found"],
      [{ contactIds: tooMany }, "too-many-contacts"],
      [{ contacts: tooMany.map(() => "2250700000001") }, "too-many-contacts"],
      [{ contacts: ["2250700000001", "abc"] }, "invalid-phone-number"],
      [{ contactIds: [own], contacts: ["2250700000001"] }, "invalid-request"],
      [{ contactIds: own }, "invalid-request"],
      [{ contactIds: [5] }, "invalid-request"],
      [{ contacts: [{ name: "no phone" }] }, "invalid-request"],
    ];
    for (const [body, code] of members) {
      const shown = JSON.stringify(body).slice(0, 60);
      assert.equal((await company.call("/v1/group/create", { name: "x", ...body })).error, code, shown);
      assert.equal((await company.call(`/v1/group/${id}/update`, { name: "x", ...body })).error, code, shown);
      assert.equal((await company.call(`/v1/group/${id}/contacts/add`, body)).error, code, shown);
    }
    assert.equal((await company.call(`/v1/group/${id}/contacts/add`)).error, "invalid-request");
    const remove = async (body: object) =>
      (await company.call(`/v1/group/${id}/contacts/remove`, body)).error;
    assert.equal(await remove({}), "invalid-request");
    assert.equal(await remove({ contactIds: tooMany }), "too-many-contacts");
    assert.equal(await remove({ contacts: ["abc"] }), "invalid-phone-number");
    for (const body of [{}, { name: "" }, { name: 5 }, { name: "x".repeat(201) }]) {
      assert.equal((await company.call("/v1/group/create", body)).error, "invalid-request");
    }
    const long = { name: "x", description: "x".repeat(1001) };
    assert.equal((await company.call("/v1/group/create", long)).error, "invalid-request");
    assert.equal((await company.call(`/v1/group/${id}`, { id: newId() })).error, "invalid-request");
    const { data, totalCount } = await company.call("/v1/group/list");
    assert.equal(totalCount, 1);
    assert.deepEqual([data[0].name, data[0].contactCount], ["Clients", 1]);
    assert.equal((await company.call("/v1/contact/list")).totalCount, 1);
  });

  await t.test("P09: pages, limits and orders that are none are refused", async () => {
    const company = await w.company();
    const id = await groupOf(company);
    const pages = [-1, 0, 1.5, 1e9, "2"].map((page) => ({ page }));
    const none = [...pages, { limit: 0 }, { limit: 101 }];
    for (const body of [...none, { orderBy: "id; DROP TABLE" }, { orderBy: "phone" }]) {
      assert.equal((await company.call("/v1/group/list", body)).error, "invalid-request");
    }
    for (const body of none) {
      assert.equal((await company.call(`/v1/group/${id}/contacts/list`, body)).error, "invalid-request");
    }
  });

  await t.test("A02: another company's group and contacts answer like ones that do not exist", async () => {
    const [owner, unauthenticated] = [await w.company(), await w.company()];
    const [foreign] = await contactsOf(owner, phonesFrom(0, 1));
    const [own] = await contactsOf(unauthenticated, phonesFrom(0, 1));
    const id = await groupOf(owner, { contactIds: [foreign] });
    const ownGroup = await groupOf(unauthenticated);
    const onGroup = (group: string) =>
      Promise.all([
        unauthenticated.call(`/v1/group/${group}`),
        unauthenticated.call(`/v1/group/${group}/update`, { name: "x", contactIds: [own] }),
        unauthenticated.call(`/v1/group/${group}/contacts/list`),
        unauthenticated.call(`/v1/group/${group}/contacts/add`, { contactIds: [own] }),
        unauthenticated.call(`/v1/group/${group}/contacts/remove`, { contactIds: [own] }),
        unauthenticated.call(`/v1/group/${group}/delete`),
      ]);
    const answers = await onGroup(id);
    assert.deepEqual(answers, await onGroup(newId()));
    assert.ok(answers.every(({ error }) => error === "group-not-found"));
    const withContact = async (contact: string) => {
      const contactIds = [own, contact];
      return [
        await unauthenticated.call("/v1/group/create", { name: "x", contactIds }),
        await unauthenticated.call(`/v1/group/${ownGroup}/update`, { contactIds }),
        await unauthenticated.call(`/v1/group/${ownGroup}/contacts/add`, { contactIds }),
        await unauthenticated.call(`/v1/group/${ownGroup}/contacts/remove`, { contactIds: [contact] }),
      ];
    };
    const named = await withContact(foreign!);
    assert.deepEqual(named, await withContact(newId()));
    assert.deepEqual(
      named.map(({ error }) => error),
      ["contact-not-found", "contact-not-found", "contact-not-found", null],
    );
    assert.equal((await owner.call(`/v1/group/${id}`)).data.contactCount, 1);
    assert.equal((await unauthenticated.call("/v1/group/list")).totalCount, 1);
  });

  await t.test("A04: a body sets neither id, company, time nor count", async () => {
    const [company, other] = [await w.company(), await w.company()];
    const extra = { contactCount: 99, createdAt: "2001-01-01T00:00:00.000Z", company_id: other.companyId };
    const { data } = await company.call("/v1/group/create", { name: "x", id: "a".repeat(24), ...extra });
    assert.notEqual(data.id, "a".repeat(24));
    assert.deepEqual((await company.call(`/v1/group/${data.id}/update`, extra)).data, data);
    assert.deepEqual([data.contactCount, data.createdAt > "2026"], [0, true]);
    assert.equal((await other.call("/v1/group/list")).totalCount, 0);
  });

  await t.test(
    "P08: whatever changes the same contacts and groups in opposite order never deadlocks",
    async () => {
      const company = await w.company();
      const caller = callerOf(company);
      const phones = phonesFrom(0, 400);
      const ids = await contactsOf(company, phones);
      const groups = [
        await groupOf(company, { contactIds: ids }),
        await groupOf(company, { contactIds: ids }),
      ];
      const doomed = await contactsOf(company, phonesFrom(1000, 400));
      for (const id of groups) await company.call(`/v1/group/${id}/contacts/add`, { contactIds: doomed });
      // A deadlock would be tried again, and never be seen by a client: so tries are counted.
      let calls = 0;
      let tries = 0;
      const run = (work: (tx: Tx) => Promise<unknown>) => {
        calls++;
        return w.app.database.transaction((tx) => {
          tries++;
          return work(tx);
        });
      };
      const turned = <T>(list: readonly T[], i: number) => (i % 2 ? [...list] : list.toReversed());
      const turn = async (i: number) => {
        const [one, two] = turned(groups, i);
        const going = turned(doomed.slice((i >> 2) * 80, (i >> 2) * 80 + 80), i);
        const add = () => run((tx) => addToGroup(tx, caller, one!, { contactIds: going }));
        await Promise.all([
          run((tx) => updateGroup(tx, caller, two!, { contactIds: turned(ids, i) })),
          run((tx) => addToGroup(tx, caller, one!, { contacts: turned(phones, i) })),
          run((tx) => removeFromGroup(tx, caller, one!, { contactIds: turned(ids, i) })),
          run((tx) => createContacts(tx, caller, readContacts(turned(phones, i + 1), "CI"))),
          add().catch((refusal) => assert.equal(refusal.code, "contact-not-found")),
          run((tx) => deleteContacts(tx, caller, going)),
          run((tx) => updateContact(tx, caller, ids[i]!, { firstName: `${i}` })),
        ]);
      };
      for (const from of [0, 10]) await Promise.all(Array.from({ length: 10 }, (_, i) => turn(from + i)));
      assert.equal(tries, calls);
      for (const id of groups) {
        const { totalCount } = await company.call(`/v1/group/${id}/contacts/list`);
        const members = await readGroupMembers(w.app.database, company.companyId, [id], "", 10_000);
        assert.equal(totalCount, members.length);
      }
      assert.equal((await company.call("/v1/contact/list")).totalCount, phones.length);
    },
  );

  await t.test("a campaign reads the members of its groups in steps, each contact once", async () => {
    const company = await w.company();
    const { companyId } = company;
    const db = w.app.database;
    const ids = await contactsOf(company, phonesFrom(0, 500));
    await company.call(`/v1/contact/${ids[0]}/update`, { firstName: "Awa", lastName: "Koné" });
    // The members of two overlapping groups are looked up. Those of thirty, or of most contacts, are met on a walk.
    const overlapping = await Promise.all(
      Array.from({ length: 30 }, (_, i) => groupOf(company, { contactIds: ids.slice(i, i + 20) })),
    );
    const most = await groupOf(company, { contactIds: ids.slice(50) });
    for (const [groups, expected] of [
      [[most], ids.slice(50)],
      [
        [most, overlapping[0]!],
        [...ids.slice(0, 20), ...ids.slice(50)],
      ],
      [overlapping.slice(0, 1), ids.slice(0, 20)],
      [[...overlapping.slice(0, 2), overlapping[0]!], ids.slice(0, 21)],
      [overlapping, ids.slice(0, 49)],
      [[], []],
    ] as const) {
      const read: string[] = [];
      for (;;) {
        const step = await readGroupMembers(db, companyId, groups, read.at(-1) ?? "", 7);
        assert.ok(step.length <= 7);
        if (step.length === 0) break;
        read.push(...step.map((member) => member.id));
      }
      assert.deepEqual(read, [...expected].sort());
    }
    const [id] = overlapping;
    const members = await readGroupMembers(db, companyId, [id!], "", 100);
    const awa = { name: "Awa Koné", firstName: "Awa", lastName: "Koné" };
    assert.deepEqual(
      members.find((member) => member.id === ids[0]),
      { id: ids[0], phone: phonesFrom(0, 1)[0], ...awa, fields: null },
    );
    await requireGroups(db, companyId, [id!, id!]);
    await assert.rejects(requireGroups(db, companyId, [id!, newId()]), { code: "group-not-found" });
    const unauthenticated = await w.company();
    await assert.rejects(requireGroups(db, unauthenticated.companyId, [id!]), { code: "group-not-found" });
    assert.deepEqual(await readGroupMembers(db, unauthenticated.companyId, [id!], "", 100), []);
  });

  await t.test("a group has no limit: members come 10,000 at a time", async () => {
    const company = await w.company();
    const total = atLength({ short: 20_000, night: 1_000_000 });
    const id = await groupOf(company);
    for (let from = 0; from < total; from += 10_000) {
      const contacts = phonesFrom(from, 10_000);
      const { data } = await company.call(`/v1/group/${id}/contacts/add`, { contacts });
      assert.equal(data.contactCount, from + 10_000);
    }
    for (const page of [1, total / 20, total / 10]) {
      const { count, totalCount } = await company.call(`/v1/group/${id}/contacts/list`, { page });
      assert.deepEqual([count, totalCount], [10, total]);
    }
    const read = new Set<string>();
    for (let after: string | undefined = ""; after !== undefined; ) {
      const step = await readGroupMembers(w.app.database, company.companyId, [id], after, 5_000);
      for (const { phone } of step) read.add(phone);
      after = step.at(-1)?.id;
    }
    assert.equal(read.size, total);
    assert.deepEqual((await company.call(`/v1/group/${id}/delete`)).data, { count: 1 });
  });
});

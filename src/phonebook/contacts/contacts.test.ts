// Contacts through their URLs, in the words of the interface document.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Company, testService } from "../../../test/testservice.ts";
import { readPagedFromNearerEnd } from "../../platform/database/pages.ts";
import { newId } from "../../platform/ids.ts";
import * as sql from "./sql.ts";

const HEX_24 = /^[0-9a-f]{24}$/;

/** Makes one contact and answers it. */
async function contactOf(company: Company, contact: object) {
  return (await company.call("/v1/contact/create", contact)).data[0];
}

test("contacts", async (t) => {
  const w = await testService(t);

  await t.test("a contact is created with its defaults", async () => {
    const company = await w.company();
    const { data } = await company.call("/v1/contact/create", {
      contacts: [{ phone: "+225 07 00 00 00 01" }],
    });
    const [contact] = data;
    assert.match(contact.id, HEX_24);
    assert.equal(new Date(contact.createdAt).toISOString(), contact.createdAt);
    const { id, createdAt, ...rest } = contact;
    assert.deepEqual(rest, {
      name: "2250700000001",
      firstName: null,
      lastName: null,
      phone: "2250700000001",
      sex: null,
      fields: {},
    });
    assert.deepEqual((await company.call(`/v1/contact/${id}`)).data, { id, createdAt, ...rest });
  });

  await t.test("the count is of the contacts of one company, and follows every change", async () => {
    const [company, other] = [await w.company(), await w.company()];
    const countOf = async ({ call }: Company) => (await call("/v1/contact/count")).data;
    assert.deepEqual(await countOf(company), { count: 0 });
    const contacts = ["2250700000001", "2250700000002", "2250700000001"].map((phone) => ({ phone }));
    const { data } = await company.call("/v1/contact/create", { contacts });
    assert.deepEqual([await countOf(company), await countOf(other)], [{ count: 2 }, { count: 0 }]);
    await company.call("/v1/contact/delete", { contactsIds: [data[0].id] });
    assert.deepEqual(await countOf(company), { count: 1 });
  });

  await t.test("the single-contact form", async () => {
    const company = await w.company();
    const { data } = await company.call("/v1/contact/create", {
      phone: "2250700000001",
      name: "Awa",
      sex: "F",
    });
    assert.equal(data.length, 1);
    assert.equal(data[0].name, "Awa");
    assert.equal(data[0].sex, "F");
  });

  await t.test(
    "a phone that exists is updated instead of duplicated, and keeps what is not said",
    async () => {
      const company = await w.company();
      const [before] = (
        await company.call("/v1/contact/create", { phone: "2250700000001", name: "Awa", sex: "F" })
      ).data;
      const [after] = (
        await company.call("/v1/contact/create", {
          phone: "+2250700000001",
          firstName: "Awa",
          lastName: "Koné",
        })
      ).data;
      assert.equal(after.id, before.id);
      assert.equal(after.name, "Awa Koné");
      assert.equal(after.sex, "F");
      assert.equal((await company.call("/v1/contact/list")).totalCount, 1);
    },
  );

  await t.test("a phone twice in one request is one contact, in the order of the request", async () => {
    const company = await w.company();
    const contacts = [
      "2250700000002",
      { phone: "2250700000001", name: "Awa" },
      { phone: "+2250700000001", sex: "F" },
    ];
    const { data } = await company.call("/v1/contact/create", { contacts });
    assert.deepEqual(
      data.map(({ phone, name, sex }: { phone: string; name: string; sex: string | null }) => [
        phone,
        name,
        sex,
      ]),
      [
        ["2250700000002", "2250700000002", null],
        ["2250700000001", "Awa", "F"],
      ],
    );
  });

  await t.test("a list is by any order, newest first by default, with its counts", async () => {
    const company = await w.company();
    for (const [i, name] of ["Chantal", "Awa", "Binta"].entries()) {
      await company.call("/v1/contact/create", {
        phone: `225070000000${i}`,
        firstName: name,
        lastName: `${9 - i}`,
      });
    }
    const by = async (body: object) =>
      (await company.call("/v1/contact/list", body)).data.map((row: { firstName: string }) => row.firstName);
    assert.deepEqual(await by({}), ["Binta", "Awa", "Chantal"]);
    assert.deepEqual(await by({ orderBy: "createdAt", sort: "asc" }), ["Chantal", "Awa", "Binta"]);
    assert.deepEqual(await by({ orderBy: "firstName" }), ["Awa", "Binta", "Chantal"]);
    assert.deepEqual(await by({ orderBy: "lastName" }), ["Binta", "Awa", "Chantal"]);
    assert.deepEqual(await by({ orderBy: "phone", sort: "desc" }), ["Binta", "Awa", "Chantal"]);
    const { totalCount, count, page, totalPage } = await company.call("/v1/contact/list", {
      page: 2,
      limit: 2,
    });
    assert.deepEqual(
      { totalCount, count, page, totalPage },
      { totalCount: 3, count: 1, page: 2, totalPage: 2 },
    );
  });

  await t.test("P09: pages and limits that are none are refused", async () => {
    const company = await w.company();
    for (const body of [
      { page: -1 },
      { page: 0 },
      { page: 1.5 },
      { page: "2" },
      { limit: 0 },
      { limit: 101 },
      { orderBy: "id; DROP TABLE" },
    ]) {
      assert.equal(
        (await company.call("/v1/contact/list", body)).error,
        "invalid-request",
        JSON.stringify(body),
      );
    }
  });

  await t.test("what a contact cannot be, by error code", async () => {
    const company = await w.company();
    const create = async (body: object) => (await company.call("/v1/contact/create", body)).error;
    assert.equal(await create({}), "invalid-request");
    assert.equal(await create({ contacts: [] }), "invalid-request");
    assert.equal(await create({ contacts: [{ name: "no phone" }] }), "invalid-request");
    assert.equal(await create({ phone: "2250700000001", sex: "X" }), "invalid-request");
    assert.equal(await create({ phone: "abc" }), "invalid-phone-number");
    assert.equal(
      await create({ contacts: Array.from({ length: 10_001 }, () => "2250700000001") }),
      "too-many-contacts",
    );
    assert.equal((await company.call("/v1/contact/list")).totalCount, 0);
  });

  await t.test("what is wrong with a contact is said once, where it is", async () => {
    const company = await w.company({ language: "en" });
    const phone = "2250700000001";
    for (const [contact, field, message] of [
      [5, "contacts[0]", "must be a string or an object"],
      [null, "contacts[0]", "must be a string or an object"],
      ["", "contacts[0].phone", "is not a phone number"],
      [{ phone: "" }, "contacts[0].phone", "is not a phone number"],
      [{}, "contacts[0].phone", "is required"],
      [{ phone: 5 }, "contacts[0].phone", "must be a string"],
      [{ phone, sex: "m" }, "contacts[0].sex", "must be one of M, F"],
    ]) {
      const answer = await company.call("/v1/contact/create", { contacts: [contact] });
      assert.deepEqual(answer.details, [{ field, message }]);
    }
  });

  await t.test("every page of a list, from whichever end it is read", async () => {
    const company = await w.company();
    for (let i = 0; i < 7; i++)
      await contactOf(company, {
        phone: `225070000000${i}`,
        firstName: i % 2 ? `${9 - i}` : null,
        name: String((i * 3) % 7),
        sex: ["F", "M", null][i % 3],
      });
    for (const [order, expected] of [
      [{}, "6543210"],
      [{ sort: "asc" }, "0123456"],
      [{ orderBy: "phone" }, "0123456"],
      // Those without a first name come last, and first the other way round.
      [{ orderBy: "firstName" }, "5310246"],
      [{ orderBy: "firstName", sort: "desc" }, "6420135"],
      [{ orderBy: "name" }, "0531642"],
      [{ orderBy: "name", sort: "desc" }, "2461350"],
      [{ orderBy: "sex" }, "0361425"],
      [{ orderBy: "sex", sort: "desc" }, "5241630"],
    ] as const) {
      const pages: string[] = [];
      for (let page = 1; page <= 4; page++) {
        const { data } = await company.call("/v1/contact/list", { ...order, page, limit: 2 });
        pages.push(data.map((row: { phone: string }) => row.phone.at(-1)).join(""));
      }
      assert.deepEqual(pages, expected.match(/..?/g), JSON.stringify(order));
    }
    const beyond = await company.call("/v1/contact/list", { page: 1_000_000, limit: 100 });
    assert.deepEqual([beyond.data, beyond.totalCount, beyond.totalPage], [[], 7, 1]);
  });

  await t.test("P09: a page is read from the nearer end, and refused too far from both", async () => {
    const read = async (page: number, totalCount: number) => {
      const asked: unknown[] = [];
      const list = sql.listContacts.phone;
      const db = {
        async run(statement: unknown, ...[span]: unknown[]) {
          const { limit, from } = span as { limit: number; from: number };
          asked.push(statement === list.asc.numbered ? "asc" : "desc", limit, from);
          return [];
        },
      };
      await readPagedFromNearerEnd(db, list, { sort: "asc", page, limit: 100 }, totalCount, {
        companyId: "",
      });
      return asked;
    };
    assert.deepEqual(await read(1, 2_000_000), ["asc", 100, 0]);
    assert.deepEqual(await read(10_000, 2_000_000), ["asc", 100, 999_900]);
    assert.deepEqual(await read(10_001, 2_000_000), ["desc", 100, 999_900]);
    assert.deepEqual(await read(20_000, 1_999_950), ["desc", 50, 0]);
    assert.deepEqual(await read(20_001, 2_000_000), []);
    await assert.rejects(read(15_000, 3_000_000), { code: "invalid-request" });
  });

  await t.test("totalCount follows what creates and deletes contacts, and nothing else", async () => {
    const company = await w.company({ credits: 10 });
    const count = async () => (await company.call("/v1/contact/list")).totalCount;
    assert.equal(await count(), 0);
    const first = await contactOf(company, { contacts: ["2250700000101", "2250700000102"] });
    await company.call("/v1/contact/create", { contacts: ["2250700000102", "2250700000103"] });
    assert.equal(await count(), 3);
    const contacts = ["2250700000103", "2250700000104"];
    await company.call("/v1/campaign/create", { contacts, text: "Bonjour" });
    await company.call("/v1/campaign/create", { contacts, text: "Bonjour" });
    assert.equal(await count(), 4);
    await company.call("/v1/contact/delete", { contactsIds: [first.id] });
    await company.call("/v1/contact/delete", { contactsIds: [first.id] });
    await company.call(`/v1/contact/${newId()}/update`, { name: "x" });
    assert.equal(await count(), 3);
  });

  await t.test("an empty name in a list says nothing, as an empty cell of a spreadsheet", async () => {
    const company = await w.company();
    const contact = { phone: "2250700000001", name: "", firstName: "", lastName: "Koné" };
    const made = await contactOf(company, contact);
    assert.deepEqual([made.name, made.firstName, made.lastName], ["2250700000001", null, "Koné"]);
    const again = await contactOf(company, { ...contact, name: "Awa", lastName: "" });
    assert.deepEqual([again.name, again.firstName, again.lastName], ["Awa", null, "Koné"]);
  });

  await t.test("update: what is said changes, what is absent or null stays", async () => {
    const company = await w.company();
    const { id, createdAt, ...before } = await contactOf(company, {
      phone: "2250700000001",
      name: "Awa",
      firstName: "Awa",
      lastName: "Koné",
      sex: "F",
    });
    const update = async (body: object) => (await company.call(`/v1/contact/${id}/update`, body)).data;
    const { updatedAt, ...same } = await update({ phone: null, name: null, firstName: null, sex: null });
    assert.equal(new Date(updatedAt).toISOString(), updatedAt);
    assert.ok(updatedAt >= createdAt);
    assert.deepEqual(same, { id, ...before });
    assert.equal((await update({ sex: "M" })).sex, "M");
    assert.equal((await update({ phone: "+225 07 00 00 00 02" })).phone, "2250700000002");
    const { data } = await company.call(`/v1/contact/${id}`);
    assert.deepEqual(data, { ...before, id, createdAt, sex: "M", phone: "2250700000002" });
  });

  await t.test("update: a first or last name makes the name, whatever name is given too", async () => {
    const company = await w.company();
    const { id } = await contactOf(company, { phone: "2250700000001" });
    const nameAfter = async (body: object) =>
      (await company.call(`/v1/contact/${id}/update`, body)).data.name;
    assert.equal(await nameAfter({ phone: "2250700000002" }), "2250700000002", "still nothing but its phone");
    assert.equal(await nameAfter({ lastName: "Koné" }), "Koné");
    assert.equal(await nameAfter({ firstName: "Awa" }), "Awa Koné");
    assert.equal(await nameAfter({ name: "Tantie" }), "Tantie");
    assert.equal(await nameAfter({ phone: "2250700000003", sex: "F" }), "Tantie");
    assert.equal(await nameAfter({ firstName: "Aya", name: "Tantie" }), "Aya Koné");
    assert.equal(await nameAfter({ firstName: "Aya", lastName: "Touré" }), "Aya Touré");
  });

  await t.test("update: what it cannot be, by error code", async () => {
    const company = await w.company();
    const { id } = await contactOf(company, { phone: "2250700000001", name: "Awa" });
    await contactOf(company, { phone: "2250700000002" });
    const update = (body: object) => company.call(`/v1/contact/${id}/update`, body);
    assert.equal((await update({ phone: "+2250700000002", name: "x" })).error, "contact-phone-taken");
    const bad = await update({ phone: "abc" });
    assert.deepEqual([bad.error, bad.details?.[0]?.field], ["invalid-phone-number", "phone"]);
    for (const body of [{ sex: "X" }, { firstName: 5 }, { phone: 5 }, { id: newId() }]) {
      assert.equal((await update(body)).error, "invalid-request", JSON.stringify(body));
    }
    assert.equal((await company.call(`/v1/contact/${id}`)).data.name, "Awa");
    assert.equal((await update({ phone: "2250700000001" })).success, true, "its own phone is not taken");
  });

  await t.test("delete: counts the company's own contacts, each once", async () => {
    const company = await w.company();
    const { data } = await company.call("/v1/contact/create", {
      contacts: ["2250700000001", "2250700000002"],
    });
    const [a, b] = data.map((contact: { id: string }) => contact.id);
    const remove = (body: object) => company.call("/v1/contact/delete", body);
    assert.deepEqual((await remove({ contactsIds: [] })).data, { count: 0 });
    assert.deepEqual((await remove({ contactsIds: [a, a, newId()] })).data, { count: 1 });
    assert.deepEqual((await remove({ contactIds: [a, b] })).data, { count: 1 });
    assert.equal((await company.call(`/v1/contact/${b}`)).error, "contact-not-found");
    // `delete` is never read as the id of a contact.
    for (const body of [{}, { contactsIds: "x" }, { contactsIds: [5] }, { id: "delete" }]) {
      assert.equal((await remove(body)).error, "invalid-request");
    }
    const tooMany = Array.from({ length: 10_001 }, () => a);
    assert.equal((await remove({ contactsIds: tooMany })).error, "too-many-contacts");
  });

  await t.test("A02: another company's contact answers like one that does not exist", async () => {
    const [owner, unauthenticated] = [await w.company(), await w.company()];
    const contact = await contactOf(owner, { phone: "2250700000001" });
    const answers = async (id: string) => [
      await unauthenticated.call(`/v1/contact/${id}`),
      await unauthenticated.call(`/v1/contact/${id}/update`, { name: "x" }),
      await unauthenticated.call("/v1/contact/delete", { contactsIds: [id] }),
    ];
    const foreign = await answers(contact.id);
    assert.deepEqual(foreign, await answers(newId()));
    assert.deepEqual(
      foreign.map(({ error, data }) => error ?? data),
      ["contact-not-found", "contact-not-found", { count: 0 }],
    );
    assert.deepEqual((await owner.call(`/v1/contact/${contact.id}`)).data, contact);
    await contactOf(unauthenticated, { phone: "2250700000002" });
    const { id } = await contactOf(unauthenticated, { phone: "2250700000003" });
    const moved = await unauthenticated.call(`/v1/contact/${id}/update`, { phone: "2250700000001" });
    assert.equal(moved.success, true, "a phone is taken within its company only");
  });

  await t.test("A04: a body sets neither id, company nor time", async () => {
    const [company, other] = [await w.company(), await w.company()];
    const extra = {
      createdAt: "2001-01-01T00:00:00.000Z",
      updatedAt: "2001-01-01T00:00:00.000Z",
      company_id: other.companyId,
    };
    const given = { phone: "2250700000001", id: "a".repeat(24), ...extra };
    const contact = await contactOf(company, { contacts: [given] });
    assert.notEqual(contact.id, given.id);
    const { data } = await company.call(`/v1/contact/${contact.id}/update`, extra);
    assert.deepEqual([contact.createdAt > "2026", data.updatedAt > "2026"], [true, true]);
    assert.deepEqual((await company.call(`/v1/contact/${contact.id}`)).data, contact);
    assert.equal((await other.call("/v1/contact/list")).totalCount, 0);
  });
});

// Contacts through their URLs, in the words of the interface document.
import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../../test/world.ts";
import { newId } from "../kernel/ids.ts";

const HEX_24 = /^[0-9a-f]{24}$/;

test("contacts", async (t) => {
  const w = await world(t);

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
    });
    assert.deepEqual((await company.call(`/v1/contact/${id}`)).data, { id, createdAt, ...rest });
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

  await t.test("A02: another company's contact answers like one that does not exist", async () => {
    const [owner, stranger] = [await w.company(), await w.company()];
    const [contact] = (await owner.call("/v1/contact/create", { phone: "2250700000001" })).data;
    const foreign = await stranger.call(`/v1/contact/${contact.id}`);
    assert.deepEqual(foreign, await stranger.call(`/v1/contact/${newId()}`));
    assert.equal(foreign.error, "contact-not-found");
  });

  await t.test("P08: two large requests in opposite order never deadlock", async () => {
    const company = await w.company();
    const phones = Array.from({ length: 2000 }, (_, i) => String(2_250_700_000_000 + i));
    const rounds = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        company.call("/v1/contact/create", { contacts: i % 2 ? phones : phones.toReversed() }),
      ),
    );
    assert.ok(rounds.every((answer) => answer.success));
    assert.equal((await company.call("/v1/contact/list")).totalCount, phones.length);
  });
});

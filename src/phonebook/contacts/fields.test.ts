// Own fields of contacts, through the URLs of contacts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newPhone } from "../../../test/codes.ts";
import { type Company, testService } from "../../../test/testservice.ts";

const names = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `field${from + i}`);
const filled = (all: readonly string[]) => Object.fromEntries(all.map((name) => [name, "x"]));

/** Makes one contact and answers it. */
async function contactOf(company: Company, contact: object) {
  const answer = await company.call("/v1/contact/create", { phone: "2250700000001", ...contact });
  assert.equal(answer.error, null, JSON.stringify(answer));
  return answer.data[0];
}

test("own fields of contacts", async (t) => {
  const w = await testService(t);

  await t.test("a contact has what was said, and {} where nothing was", async () => {
    const company = await w.company();
    const { id, fields } = await contactOf(company, { fields: { city: "Bouaké", note: "  2 pagnes\n" } });
    assert.deepEqual(fields, { city: "Bouaké", note: "  2 pagnes\n" });
    assert.deepEqual((await company.call(`/v1/contact/${id}`)).data.fields, fields);
    const other = await contactOf(company, { phone: "2250700000002" });
    assert.deepEqual(other.fields, {});
    const { data } = await company.call("/v1/contact/list", { orderBy: "phone" });
    assert.deepEqual(
      data.map((one: { fields: object }) => one.fields),
      [fields, {}],
    );
  });

  await t.test(
    "a phone that exists keeps the fields that are not said; an empty text says nothing",
    async () => {
      const company = await w.company();
      await contactOf(company, { fields: { city: "Bouaké", size: "M" } });
      const { fields } = await contactOf(company, { fields: { city: "Daloa", size: "", shop: "Cocody" } });
      assert.deepEqual(fields, { city: "Daloa", size: "M", shop: "Cocody" });
      assert.deepEqual((await contactOf(company, { fields: { city: "Daloa" } })).fields, fields);
      assert.deepEqual((await contactOf(company, {})).fields, fields);
    },
  );

  await t.test("an update sets the fields given, and null or an empty text removes one", async () => {
    const company = await w.company();
    const { id } = await contactOf(company, { fields: { city: "Bouaké", size: "M", shop: "Cocody" } });
    const update = (fields: unknown) => company.call(`/v1/contact/${id}/update`, { fields });
    const changed = await update({ city: "Man", size: null, shop: "", none: null });
    assert.deepEqual(changed.data.fields, { city: "Man" });
    for (const nothing of [{}, null, undefined])
      assert.deepEqual((await update(nothing)).data.fields, { city: "Man" });
    assert.deepEqual((await company.call(`/v1/contact/${id}`)).data.fields, { city: "Man" });
  });

  await t.test("a group says the fields of those in it, and takes those of new ones", async () => {
    const company = await w.company();
    const contacts = [{ phone: "2250700000003", fields: { city: "Man" } }];
    const { data } = await company.call("/v1/group/create", { name: "Ouest", contacts });
    const { data: group } = await company.call(`/v1/group/${data.id}`);
    assert.deepEqual(group.contacts[0].fields, { city: "Man" });
  });

  await t.test("names that mean something else, and values that are no texts, are refused", async () => {
    const company = await w.company();
    const { id } = await contactOf(company, { fields: { city: "Man" } });
    const long = "a".repeat(31);
    const refusedAt = async (fields: unknown) => {
      const single = await company.call("/v1/contact/create", { phone: newPhone(), fields });
      const listed = await company.call("/v1/contact/create", {
        contacts: [newPhone(), { phone: newPhone(), fields }],
      });
      const updated = await company.call(`/v1/contact/${id}/update`, { fields });
      for (const { error } of [single, listed, updated]) assert.equal(error, "invalid-request");
      assert.deepEqual(single.details![0]!.field, updated.details![0]!.field);
      assert.equal(listed.details![0]!.field, `contacts[1].${single.details![0]!.field}`);
      return single.details![0]!.field;
    };
    for (const name of ["name", "nom_complet", "firstName", "lastName", "phone", "_city", "__defineGetter__"])
      assert.equal(await refusedAt({ [name]: "x" }), `fields.${name}`);
    for (const name of ["ville-centre", "prénom", "2024", long])
      assert.match(await refusedAt({ ok: "x", [name]: "x" }), /^fields/);
    for (const name of ["a b", "", "a.b", "@city", "a\nb"])
      assert.equal(await refusedAt({ [name]: "x" }), `fields[${JSON.stringify(name)}]`);
    for (const value of [5, true, ["x"], { nested: "x" }, { toString: "x" }])
      assert.equal(await refusedAt({ city: value }), "fields.city");
    assert.equal(await refusedAt({ city: "x".repeat(101) }), "fields.city");
    for (const fields of ["city", ["city"], 5, true]) assert.equal(await refusedAt(fields), "fields");
    assert.equal((await company.call("/v1/contact/list")).totalCount, 1);
  });

  await t.test("names of JavaScript's own are fields like any other, and __proto__ is nothing", async () => {
    const company = await w.company();
    const own = {
      constructor: "x",
      toString: "y",
      hasOwnProperty: "z",
      valueOf: "v",
      toJSON: "j",
      length: "9",
    };
    assert.deepEqual({ ...(await contactOf(company, { fields: own })).fields }, own);
    const hostile = JSON.parse('{"__proto__": {"city": "x"}, "size": "M"}');
    const { id, fields } = await contactOf(company, { phone: newPhone(), fields: hostile });
    assert.deepEqual(Object.entries(fields), [["size", "M"]]);
    const nothing = JSON.parse('{"__proto__": null}');
    assert.deepEqual(
      (await company.call(`/v1/contact/${id}/update`, { fields: nothing })).data.fields,
      fields,
    );
  });

  await t.test("a contact has 20 fields at most, also with those that it had", async () => {
    const company = await w.company();
    const phone = newPhone();
    const tooMany = await company.call("/v1/contact/create", { phone, fields: filled(names(21)) });
    assert.equal(tooMany.error, "invalid-request");
    assert.equal(tooMany.details![0]!.field, "fields");
    const { id } = await contactOf(company, { phone, fields: filled(names(20)) });
    const contacts = [{ phone: newPhone() }, { phone, fields: { onemore: "x" } }];
    const beyond = await company.call("/v1/contact/create", { contacts });
    assert.deepEqual([beyond.error, beyond.details![0]!.field], ["invalid-request", "contacts[1].fields"]);
    const update = (fields: object) => company.call(`/v1/contact/${id}/update`, { fields });
    assert.equal((await update({ onemore: "x" })).error, "invalid-request");
    const swapped = await update({ onemore: "x", field0: null });
    assert.deepEqual(swapped.data.fields, { ...filled(names(19, 1)), onemore: "x" });
  });

  await t.test("a company has 100 names of fields at most", async () => {
    const company = await w.company();
    for (let from = 0; from < 100; from += 20)
      await contactOf(company, { phone: newPhone(), fields: filled(names(20, from)) });
    const beyond = await company.call("/v1/contact/create", { phone: newPhone(), fields: { onemore: "x" } });
    assert.deepEqual([beyond.error, beyond.details![0]!.field], ["conflict", "fields"]);
    const { id } = await contactOf(company, { phone: newPhone(), fields: { field99: "x" } });
    const update = await company.call(`/v1/contact/${id}/update`, { fields: { onemore: "x" } });
    assert.equal(update.error, "conflict");
    const other = await w.company();
    const listed = await company.call("/v1/contact/field/list", { limit: 3, sort: "desc" });
    assert.deepEqual(listed.data, [{ name: "field99" }, { name: "field98" }, { name: "field97" }]);
    assert.equal(listed.totalCount, 100);
    const remove = (of: Company) => of.call("/v1/contact/field/delete", { name: "field99" });
    assert.equal((await remove(other)).error, "not-found");
    assert.deepEqual((await remove(company)).data, { count: 1 });
    assert.equal((await remove(company)).error, "not-found");
    assert.deepEqual((await company.call(`/v1/contact/${id}`)).data.fields, { field99: "x" });
    const room = await company.call(`/v1/contact/${id}/update`, { fields: { onemore: "x" } });
    assert.deepEqual(room.data.fields, { field99: "x", onemore: "x" });
    assert.deepEqual((await contactOf(other, { fields: { onemore: "x" } })).fields, { onemore: "x" });
  });
});

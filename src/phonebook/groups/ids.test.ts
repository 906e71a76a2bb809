// The list of groups tells of given ids, which a page asks for by name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { testService } from "../../../test/testservice.ts";

test("group/list tells of the groups that have one of the given ids, of 100 at most", async (t) => {
  const w = await testService(t);
  const company = await w.company();
  const make = async (name: string) => (await company.call("/v1/group/create", { name })).data.id as string;
  const [id] = [await make("Amis"), await make("Banque")];
  const by = async (body: object) =>
    (await company.call("/v1/group/list", body)).data.map((row: { name: string }) => row.name);
  assert.deepEqual(await by({ groupsIds: [id, "0".repeat(24)] }), ["Amis"]);
  assert.deepEqual(await by({ groupsIds: [id], search: "banque" }), []);
  assert.deepEqual(await by({ groupsIds: [] }), []);
  const unauthenticated = await w.company();
  assert.deepEqual((await unauthenticated.call("/v1/group/list", { groupsIds: [id] })).data, []);
  const many = await company.call("/v1/group/list", { groupsIds: Array(101).fill(id) });
  assert.equal(many.error, "invalid-request");
});

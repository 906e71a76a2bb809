// Searches of a console: contacts, groups and opt-outs by what somebody types.
import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../../test/world.ts";

test("a search finds contacts by the beginning of phone or name, groups and opt-outs too", async (t) => {
  const w = await world(t);
  const [company, other] = [await w.company(), await w.company()];
  const contacts = [
    { phone: "2250700000011", name: "Awa Koné" },
    { phone: "2250700000012", name: "AWA" },
    { phone: "2250500000013", name: "Élodie" },
  ];
  await company.call("/v1/contact/create", { contacts });
  await other.call("/v1/contact/create", { contacts: contacts.slice(0, 1) });
  const found = async (search: string, body: object = {}) => {
    const { data, totalCount } = await company.call("/v1/contact/list", { search, ...body });
    return [totalCount, ...data.map(({ phone }: { phone: string }) => phone.slice(-2)).sort()];
  };
  for (const search of ["awa", "AWA", "Aw"]) assert.deepEqual(await found(search), [2, "11", "12"], search);
  assert.deepEqual(await found("awa koné"), [1, "11"]);
  assert.deepEqual(await found("élo"), [1, "13"]);
  assert.deepEqual(await found("Koné"), [0], "of who has no last name the name is one text");
  for (const search of ["07 00", "+225 07", "22507"])
    assert.deepEqual(await found(search), [2, "11", "12"], search);
  assert.deepEqual(await found("0", { limit: 2, page: 2, orderBy: "name" }), [3, "13"].slice(0, 2));

  const last = [
    { phone: "2250700000021", name: "Fatou Koné", lastName: "Koné" },
    { phone: "2250700000022", firstName: "Yao", lastName: "KONE" },
    { phone: "2250700000023", firstName: "Awa", lastName: "N’Guessan" },
    { phone: "2250700000024", name: "Bérété", lastName: "Traoré" },
  ];
  await company.call("/v1/contact/create", { contacts: last });
  for (const [search, ends] of [
    ["koné", ["21", "22"]],
    ["kone", ["21", "22"]],
    ["fatou kone", ["21"]],
    ["N'G", ["23"]],
    ["n’guessan", ["23"]],
    ["traore", ["24"]],
    ["berete", ["24"]],
  ] as const)
    assert.deepEqual(await found(search), [ends.length, ...ends], search);

  await company.call("/v1/group/create", { name: "Clients fidèles" });
  await company.call("/v1/group/create", { name: "Amis" });
  const groups = await company.call("/v1/group/list", { search: "FID" });
  assert.deepEqual([groups.totalCount, groups.data[0].name], [1, "Clients fidèles"]);

  await company.call("/v1/optout/create", { phone: "2250700000011" });
  const out = async (phone: string) => (await company.call("/v1/optout/list", { phone })).totalCount;
  assert.deepEqual([await out("0700000011"), await out("0700000012")], [1, 0]);
});

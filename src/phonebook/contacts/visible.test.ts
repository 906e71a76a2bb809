// Names and own fields as they are kept: without invisible characters, and with ordinary spaces.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importFile } from "../../../test/importing.ts";
import { testService } from "../../../test/testservice.ts";

test("names are kept without invisible characters, which would make their messages UCS-2", async (t) => {
  const w = await testService(t);

  const company = await w.company({ credits: 10 });
  const contact = {
    phone: "2250700000001",
    name: "\u200bAwa\u00ad",
    firstName: "\ufeff",
    lastName: "K\u200eoné",
  };
  const made = (await company.call("/v1/contact/create", contact)).data[0];
  assert.deepEqual([made.name, made.firstName, made.lastName], ["Awa", null, "Koné"]);
  const update = async (change: object) => (await company.call(`/v1/contact/${made.id}/update`, change)).data;
  assert.equal((await update({ firstName: "A\u2060da" })).name, "Ada Koné");
  assert.equal((await update({ firstName: "\u200b" })).firstName, null);
  assert.equal((await update({ name: "Awa\u00a0Ko\u3164né" })).name, "Awa Koné", "other spaces are spaces");
  assert.deepEqual((await update({ fields: { ville: "Abi\u200bdjan\u202f1" } })).fields, {
    ville: "Abidjan 1",
  });
  const other = await w.company();
  const { data: blank } = await other.call("/v1/contact/create", {
    phone: "2250700000004",
    name: " ",
    fields: { ville: "\u061c" },
  });
  assert.deepEqual([blank[0].name, blank[0].fields], ["2250700000004", {}]);
  const woman = "\u{1f469}\u200d\u{1f4bb}";
  assert.equal((await update({ name: woman })).name, woman, "a joiner is a part of an emoji");
  await importFile(w.app, company, Buffer.from("2250700000002;Y\u200bao\n"), {
    columns: ["phone", "name"],
  });
  const { data: listed } = await company.call("/v1/contact/list", { orderBy: "name", limit: 1 });
  assert.equal(listed[0].name, "Yao");
  const quote = {
    contacts: [{ phone: "2250700000003", name: "Zo\u200bé" }, "2250700000002"],
    text: "Hi @name",
  };
  const { data: quoted } = await company.call("/v1/campaign/quote", quote);
  assert.deepEqual(quoted.encodings["UCS-2"].messages, 0);
});

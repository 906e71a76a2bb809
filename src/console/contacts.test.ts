// Tests of the pages of contacts: they say what was done, and of others' contacts that there are none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../test/applications.ts";
import { newPhone } from "../../test/codes.ts";
import { formsOf, ownedCompany, Visitor } from "../../test/visitor.ts";
import { world } from "../../test/world.ts";

test("a contact that is not the company's, or is gone, is not said to be deleted", async (t) => {
  const here = await world(t);
  const phone = newPhone();
  const [company, other] = [await ownedCompany(here, phone), await ownedCompany(here, newPhone())];
  const [[own], [foreign]] = [
    await dataOf(company.call("/v1/contact/create", { phone: newPhone() })),
    await dataOf(other.call("/v1/contact/create", { phone: newPhone() })),
  ];
  const owner = new Visitor(here);
  await owner.signInToConsole(here, phone);
  const page = await owner.open(`/contacts/${own.id}/delete`);
  const { fields } = formsOf(page.text).find(({ action }) => action === `/contacts/${own.id}/delete`)!;
  const remove = (id: string) =>
    owner.open(`/contacts/${id}/delete`, { method: "POST", body: new URLSearchParams(fields) });

  assert.equal((await remove(foreign.id)).status, 404);
  await dataOf(other.call(`/v1/contact/${foreign.id}`));
  const removed = await remove(own.id);
  assert.match(removed.text, /Le contact est supprimé/);
  assert.equal((await remove(own.id)).status, 404, "the second press of a button deletes nothing more");
});

test("own fields of a contact are shown, changed, removed and added in its form", async (t) => {
  const here = await world(t);
  const phone = newPhone();
  const company = await ownedCompany(here, phone);
  const [{ id }] = await dataOf(
    company.call("/v1/contact/create", {
      phone: newPhone(),
      fields: { city: "Man", size: "M", constructor: "x" },
    }),
  );
  const owner = new Visitor(here);
  await owner.signInToConsole(here, phone);
  const at = `/contacts/${id}`;
  const fieldsOf = async () => (await dataOf(company.call(`/v1/contact/${id}`))).fields;
  const page = await owner.open(at);
  assert.match(page.text, /@city/);
  const saved = await owner.send(page, at, {
    ...{ "own.city": "Daloa", "own.size": "", newField: "shop", newValue: "Cocody" },
  });
  assert.match(saved.text, /Les changements sont enregistrés/);
  assert.deepEqual({ ...(await fieldsOf()) }, { city: "Daloa", constructor: "x", shop: "Cocody" });
  const refused = await owner.send(await owner.open(at), at, { newField: "name", newValue: "Awa" });
  assert.match(refused.text, /pas un nom de champ/);
  assert.match(refused.text, /value="Awa"/);

  const form = await owner.open("/contacts/new");
  const made = await owner.send(form, "/contacts/new", { phone: newPhone(), "own.city": "Man" });
  assert.match(made.text, /Le contact est enregistré/);
  assert.match(made.text, /value="Man"/);
});

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

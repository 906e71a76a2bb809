// Tests of the pages of contacts: they say what was done, and of others' contacts that there are none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../../test/applications.ts";
import { newPhone } from "../../../../test/codes.ts";
import { testService } from "../../../../test/testservice.ts";
import { formsOf, ownedCompany, unescaped, Visitor } from "../../../../test/visitor.ts";

test("a contact that is not the company's, or is gone, is not said to be deleted", async (t) => {
  const here = await testService(t);
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
  assert.match(removed.text, /Contact supprimé/);
  assert.equal((await remove(own.id)).status, 404, "the second press of a button deletes nothing more");
});

test("own fields of a contact are shown, changed, removed and added in its form", async (t) => {
  const here = await testService(t);
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
  assert.match(saved.text, /Modifications enregistrées/);
  assert.deepEqual({ ...(await fieldsOf()) }, { city: "Daloa", constructor: "x", shop: "Cocody" });
  const refused = await owner.send(await owner.open(at), at, { newField: "name", newValue: "Awa" });
  assert.match(refused.text, /pas un nom de champ/);
  assert.match(refused.text, /value="Awa"/);

  const form = await owner.open("/contacts/new");
  const made = await owner.send(form, "/contacts/new", { phone: newPhone(), "own.city": "Man" });
  assert.match(made.text, /Contact enregistré/);
  assert.match(made.text, /value="Man"/);
});

test("F29: several contacts are deleted at once, after a question that says the number", async (t) => {
  const here = await testService(t);
  const phone = newPhone();
  const company = await ownedCompany(here, phone);
  const named = (...names: string[]) => names.map((name) => ({ phone: newPhone(), name }));
  const made = await dataOf(
    company.call("/v1/contact/create", {
      contacts: named("Awa Un", "Awa Deux", "Awa Trois", "Binta", "Ali"),
    }),
  );
  const owner = new Visitor(here);
  await owner.signInToConsole(here, phone);
  const words = (text: string) => unescaped(text.replace(/<[^>]*>/g, " ")).replace(/\s+/g, " ");
  const names = async () =>
    (await dataOf(company.call("/v1/contact/list", { orderBy: "name" }))).map(
      ({ name }: { name: string }) => name,
    );

  const list = await owner.open("/contacts");
  assert.equal(list.text.match(/type="checkbox" name="id"/g)!.length, 5);
  assert.match(words((await owner.open("/contacts/delete")).text), /Cochez les contacts à supprimer/);
  const ticked = new URLSearchParams([
    ["id", made[3].id],
    ["id", made[4].id],
  ]);
  const asked = await owner.open(`/contacts/delete?${ticked}`);
  assert.match(words(asked.text), /Supprimer 2 contacts \?/);
  const body = new URLSearchParams();
  for (const [, name, value] of asked.text.matchAll(/type="hidden" name="(csrf|count|id)" value="([^"]*)"/g))
    body.append(name!, value!);
  const removed = await owner.open("/contacts/delete", { method: "POST", body });
  assert.match(words(removed.text), /2 contacts supprimés\./);
  assert.deepEqual(await names(), ["Awa Deux", "Awa Trois", "Awa Un"]);

  // All that a search finds: somebody who came since is shown before anybody goes.
  assert.match(words((await owner.open("/contacts?search=awa")).text), /Supprimer les 3 contacts trouvés/);
  const found = await owner.open("/contacts/delete?search=awa&all=yes");
  assert.match(words(found.text), /Supprimer 3 contacts \?.*Tous les résultats de la recherche « awa »/);
  await dataOf(company.call("/v1/contact/create", { contacts: named("Awa Quatre") }));
  const again = await owner.send(found, "/contacts/delete");
  assert.match(
    words(again.text),
    /Aucun contact n’a été supprimé : le nombre de contacts a changé.*Supprimer 4 contacts/,
  );
  assert.match(words((await owner.send(again, "/contacts/delete")).text), /4 contacts supprimés\./);
  assert.deepEqual(await names(), []);

  const group = await dataOf(
    company.call("/v1/group/create", { name: "VIP", contacts: named("Zoé", "Yao") }),
  );
  const at = `/groups/${group.id}/contacts/delete`;
  assert.ok((await owner.open(`/groups/${group.id}`)).text.includes(`href="${at}"`));
  const question = await owner.open(at);
  assert.match(words(question.text), /Supprimer les 2 contacts de « VIP » \?/);
  assert.match(words((await owner.send(question, at)).text), /Cochez la case pour confirmer/);
  const gone = await owner.send(question, at, { sure: "yes" });
  assert.match(words(gone.text), /2 contacts supprimés\./);
  assert.deepEqual(await names(), []);
});

// Own fields in the pages of contacts and of a message, without a script.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../test/applications.ts";
import { newPhone } from "../../test/codes.ts";
import { formsOf, ownedCompany, Visitor } from "../../test/visitor.ts";
import { world } from "../../test/world.ts";

test("own fields in the console", async (t) => {
  const here = await world(t);
  const phone = newPhone();
  const company = await ownedCompany(here, phone);
  const visitor = new Visitor(here);
  await visitor.signInToConsole(here, phone);
  const read = async (id: string) => (await dataOf(company.call(`/v1/contact/${id}`))).fields;
  const fieldsOf = (text: string, action: string) =>
    formsOf(text).find((form) => form.action === action)!.fields;

  await t.test("a form adds a contact with a field, and offers that field for the next contact", async () => {
    const blank = await visitor.open("/contacts/new");
    const typed = { phone: "0700000001", firstName: "Awa", newField: "ville", newValue: " Bouaké " };
    const made = await visitor.send(blank, "/contacts/new", typed);
    assert.match(made.text, /Le contact est enregistré/);
    const id = new URL(made.url).pathname.split("/").at(-1)!;
    assert.deepEqual(await read(id), { ville: "Bouaké" });
    assert.match(made.text, /<dt>ville<\/dt>\s*<dd>Bouaké<\/dd>/);
    const next = await visitor.open("/contacts/new");
    assert.equal(fieldsOf(next.text, "/contacts/new").own_ville, "");
    const second = { phone: "0700000002", own_ville: "Man" };
    const other = new URL((await visitor.send(next, "/contacts/new", second)).url).pathname
      .split("/")
      .at(-1)!;
    assert.deepEqual(await read(other), { ville: "Man" });
  });

  await t.test("a form changes and removes fields, and leaves those that it does not touch", async () => {
    const fields = { ville: "Man", points: "12", note: "deux\nlignes" };
    const [{ id }] = await dataOf(company.call("/v1/contact/create", { phone: newPhone(), fields }));
    const page = await visitor.open(`/contacts/${id}`);
    const typed = {
      own_ville: "",
      own_points: "13",
      own_note: "deuxlignes",
      newField: "taille",
      newValue: "M",
    };
    const saved = await visitor.send(page, `/contacts/${id}`, typed);
    assert.match(saved.text, /Les changements sont enregistrés/);
    assert.deepEqual(await read(id), { points: "13", note: "deux\nlignes", taille: "M" });
  });

  await t.test(
    "what is wrong with a field is said beside it, and what was typed stands there again",
    async () => {
      const [{ id }] = await dataOf(company.call("/v1/contact/create", { phone: newPhone() }));
      const action = `/contacts/${id}`;
      const page = await visitor.open(action);
      const bad = await visitor.send(page, action, { newField: "code postal", newValue: "01" });
      assert.match(bad.text, /Un nom de champ commence par une lettre/);
      assert.equal(fieldsOf(bad.text, action).newField, "code postal");
      const nameless = await visitor.send(page, action, { newField: "", newValue: "01" });
      assert.match(nameless.text, /Donnez un nom à ce champ\./);
      assert.equal(fieldsOf(nameless.text, action).newValue, "01");
      assert.deepEqual(await read(id), {});
    },
  );

  await t.test("a field with the markup of a page is a text", async () => {
    const fields = { ville: '"><script>alert(1)</script>' };
    const [{ id }] = await dataOf(company.call("/v1/contact/create", { phone: newPhone(), fields }));
    const { text } = await visitor.open(`/contacts/${id}`);
    assert.doesNotMatch(text, /<script>alert/);
    assert.equal(fieldsOf(text, `/contacts/${id}`).own_ville, fields.ville);
  });

  await t.test(
    "the composer offers the company's fields, and shows and counts the text with them",
    async () => {
      const contacts = [{ phone: newPhone(), name: "Awa", fields: { ville: "Bouaké", seul: "x" } }];
      const draft = { text: "Bonjour @name de @ville, @seul, @rue", contacts };
      const { id } = await dataOf(company.call("/v1/campaign/draft/save", draft));
      const { text } = await visitor.open(`/campaigns/drafts/${id}/message`);
      for (const name of ["name", "ville", "seul"]) assert.ok(text.includes(`<code>@${name}</code>`), name);
      assert.match(text, /Bonjour Awa de Bouaké, x, @rue/);
      assert.match(text, /Ces mots restent tels quels\u00a0: <code>@rue<\/code>/);
    },
  );
});

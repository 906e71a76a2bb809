// Tests of pasted lists in the console: every number is its own person, and what is not clear is shown and kept.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../../test/applications.ts";
import { newPhone } from "../../../../test/codes.ts";
import { testService } from "../../../../test/testservice.ts";
import { formsOf, ownedCompany, Visitor } from "../../../../test/visitor.ts";

const plain = (text: string) => text.replaceAll("\u00a0", " ").replaceAll("&amp;", "&");

test("pasted lists in the console", async (t) => {
  const w = await testService(t);
  const phone = newPhone();
  const { call } = await ownedCompany(w, phone);
  const owner = new Visitor(w);
  await owner.signInToConsole(w, phone);

  await t.test("three numbers in one line are three recipients of a campaign", async () => {
    const numbers = "0700003003, 0700003004, 0700003005";
    const next = await owner.send(await owner.open("/campaigns/new"), "/campaigns/new", { numbers });
    const [, id] = /\/campaigns\/drafts\/(\w+)\/message$/.exec(next.url)!;
    const { contacts } = await dataOf(call(`/v1/campaign/draft/${id}`));
    assert.deepEqual(
      contacts,
      ["0700003003", "0700003004", "0700003005"].map((one) => ({ phone: one })),
    );
  });

  await t.test(
    "an unclear line is shown, holds the step, and stays through a reload until it is clear",
    async () => {
      const numbers = "Awa Koné 0700003003\n0700003004, Yao, 0700003005\n0700003006 0700003007";
      const asked = await owner.send(await owner.open("/campaigns/new"), "/campaigns/new", { numbers });
      const url = new URL(asked.url);
      assert.match(url.pathname, /\/recipients$/);
      const wanted = "3 numéros reconnus, 1 ligne à vérifier : « 0700003004, Yao, 0700003005 ».";
      for (const page of [asked, await owner.open(url.pathname)]) {
        assert.ok(plain(page.text).includes(wanted));
        const { fields } = formsOf(page.text).find(({ action }) => action === url.pathname)!;
        assert.deepEqual(fields.numbers!.split("\n"), [
          ...["0700003003 ; Awa Koné", "0700003006", "0700003007", "0700003004, Yao, 0700003005"],
        ]);
      }
      // An unclear line is no recipient: nothing is priced or sent to it.
      const [, id] = /drafts\/(\w+)\//.exec(url.pathname)!;
      const { contacts } = await dataOf(call(`/v1/campaign/draft/${id}`));
      assert.equal((await call("/v1/campaign/quote", { contacts, text: "x" })).error, "invalid-phone-number");
      const clear = await owner.send(await owner.open(url.pathname), url.pathname, {
        numbers: "0700003003 ; Awa Koné\n0700003004, Yao\n0700003005",
      });
      assert.match(clear.url, /\/message$/);
    },
  );

  await t.test("a long list keeps its numbers while the unclear lines are mended", async () => {
    const many = Array.from({ length: 301 }, (_, at) => `07000${String(10_000 + at)}`);
    const prose = `Bonjour, voici la liste ${"très ".repeat(60)}longue`;
    const asked = await owner.send(await owner.open("/campaigns/new"), "/campaigns/new", {
      numbers: [...many, prose].join("\n"),
    });
    const url = new URL(asked.url).pathname;
    assert.match(plain(asked.text), /301 numéros reconnus, 2 lignes à vérifier/);
    const { fields } = formsOf(asked.text).find(({ action }) => action === url)!;
    assert.equal(fields.numbers!.replaceAll("\n", ""), prose);
    const done = await owner.send(asked, url, { numbers: "0700003009" });
    const [, id] = /drafts\/(\w+)\//.exec(done.url)!;
    assert.equal((await dataOf(call(`/v1/campaign/draft/${id}`))).contacts.length, 302);
  });

  await t.test(
    "groups and opt-outs read lists in the same way, and do nothing while a line is unclear",
    async () => {
      const name = "Quartier";
      const page = await owner.open("/groups/new");
      const asked = await owner.send(page, "/groups/new", { name, numbers: "0700003003, 12345" });
      assert.ok(plain(asked.text).includes("1 numéro reconnu, 1 ligne à vérifier : ligne 1 « 12345 »."));
      assert.equal((await call("/v1/group/list", { search: name })).totalCount, 0);
      const made = await owner.send(asked, "/groups/new", {
        name,
        numbers: "0700003003, 0700003004 ; 0700003005",
      });
      const group = new URL(made.url).pathname;
      assert.equal((await dataOf(call(`/v1/group/${group.split("/").at(-1)}`))).contactCount, 3);
      await owner.send(made, group, { numbers: "0700003006 0700003007" });
      assert.equal((await dataOf(call(`/v1/group/${group.split("/").at(-1)}`))).contactCount, 5);

      const optout = await owner.open("/optouts/new");
      const wrong = await owner.send(optout, "/optouts/new", { phone: "0700003003 et 12/05/1990" });
      assert.ok(plain(wrong.text).includes("ligne 1 « 12/05/1990 »"));
      assert.equal((await call("/v1/optout/list")).totalCount, 0);
      const done = await owner.send(optout, "/optouts/new", {
        phone: "0700003003, 0700003004\n+33 6 12 34 56 78",
      });
      assert.ok(plain(done.text).includes("Numéros désinscrits."));
      assert.equal((await call("/v1/optout/list")).totalCount, 3);
    },
  );
});

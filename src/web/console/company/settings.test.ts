// Tests of what a company chooses of itself, and of how many senders it may have.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../../../../test/applications.ts";
import { newPhone } from "../../../../test/codes.ts";
import type { Company, TestService } from "../../../../test/testservice.ts";
import { formsOf, signedInOwner, Visitor } from "../../../../test/visitor.ts";

suite("the settings of a company", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let company: Company;
  let owner: Visitor;

  before(async () => {
    const scope = { after: (close: () => Promise<void>) => closing.push(close) };
    ({ w, company, owner } = await signedInOwner(scope));
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  test("the owner changes the name, the language and the threshold; an empty threshold tells nobody", async () => {
    const read = async () => {
      const { name, language, lowBalance } = await dataOf(company.call("/v1/company/read"));
      return [name, language, lowBalance];
    };
    const page = await owner.open("/settings/company");
    const changes = { name: "Chez Awa", language: "en", lowBalance: "1 500" };
    const saved = await owner.send(page, "/settings/company", changes);
    assert.match(saved.text, /Au-dessous de 1\s500\scrédits/);
    assert.deepEqual(await read(), ["Chez Awa", "en", 1_500]);
    const again = await owner.open("/settings/company");
    assert.match(formsOf(again.text)[0]!.fields.lowBalance!, /^1\s500$/);
    for (const [lowBalance, sentence] of [
      ["beaucoup", /nombre entier/],
      ["0", /role="alert"/],
    ] as const) {
      const refused = await owner.send(again, "/settings/company", { name: "Autre", lowBalance });
      assert.equal(refused.status, 400);
      assert.match(refused.text, sentence);
      assert.match(refused.text, /value="Autre"/);
    }
    assert.deepEqual(await read(), ["Chez Awa", "en", 1_500]);
    await owner.send(again, "/settings/company", { lowBalance: "" });
    assert.deepEqual(await read(), ["Chez Awa", "en", null]);
  });

  test("the owner chooses the countries that the company reaches", async () => {
    const read = async () => (await dataOf(company.call("/v1/company/countries"))).countries;
    assert.match((await owner.open("/settings")).text, /Tous les pays/);
    const page = await owner.open("/settings/countries");
    const saved = await owner.send(page, "/settings/countries", {
      reach: "chosen",
      countries: "SN",
      others: "DZ",
    });
    assert.match(saved.text, /Côte d’Ivoire, Sénégal, Algérie/);
    assert.deepEqual(await read(), ["CI", "SN", "DZ"]);
    const again = await owner.open("/settings/countries");
    assert.deepEqual(
      again.text.match(/value="[A-Z]{2}" checked/g)?.map((one) => one.slice(7, 9)),
      ["SN", "DZ"],
    );
    await owner.send(again, "/settings/countries", { reach: "all" });
    assert.deepEqual(await read(), []);
  });

  test("whoever may only read sees the settings, and no way to change them", async () => {
    const phone = newPhone();
    await dataOf(company.call("/v1/company/member/create", { name: "Yao", phone, role: "reader" }));
    const reader = new Visitor(w);
    await reader.signInToConsole(w, phone);
    const { text } = await reader.open("/settings");
    assert.ok(/Chez Awa/.test(text) && !text.includes("/settings/company"));
    const refused = await reader.send(await reader.open("/settings/company"), "/settings/company");
    assert.equal(refused.status, 400);
    assert.match(refused.text, /Vous n’avez pas l’autorisation nécessaire/);
  });

  test("the senders say how many more may be asked for, and the form says so when none is left", async () => {
    const id = company.companyId;
    const limit = (senderLimit: number) => dataOf(w.admin(`/v1/admin/company/${id}/update`, { senderLimit }));
    await limit(2);
    const asked = { name: "BOUTIQUE", description: "Promotions de la boutique Awa" };
    const first = await dataOf(company.call("/v1/sender/create", asked));
    assert.match((await owner.open("/senders")).text, /encore demander 1\sexpéditeur sur 2\./);
    await owner.send(await owner.open("/senders/new"), "/senders/new", { ...asked, name: "ECOLE" });
    const full = await owner.open("/senders");
    assert.ok(/nombre maximal d’expéditeurs \(2\)/.test(full.text) && !full.text.includes("/senders/new"));
    const none = await owner.open("/senders/new");
    assert.match(none.text, /nombre maximal d’expéditeurs/);
    assert.ok(!formsOf(none.text).some(({ action }) => action === "/senders/new"));
    // A refused one makes room.
    await dataOf(w.admin(`/v1/admin/sender/${first.id}/refuse`, { reason: "Trop général" }));
    assert.match((await owner.open("/senders/new")).text, /encore demander 1/);
  });
});

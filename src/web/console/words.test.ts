// Tests of what the console says: whole sentences, beside the fields that they concern, about what is so.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { codeAt, codesAt, newPhone } from "../../../test/codes.ts";
import { OPEN } from "../../../test/fixtures.ts";
import { uploadFile } from "../../../test/importing.ts";
import { pass } from "../../../test/signins.ts";
import { type Company, type TestService, testService } from "../../../test/testservice.ts";
import { CHECKOUT_URL, topUp } from "../../../test/topping.ts";
import { formsOf, ownedCompany, type Shown, Visitor } from "../../../test/visitor.ts";

/** The sentence beside a field, which has to point at it. */
function besideField({ text }: Shown, name: string): string | undefined {
  const beside = new RegExp(`id="${name}-wrong">.*?<span>([^<]*)</span>`).exec(text)?.[1];
  const isTold = new RegExp(`id="${name}"[^>]* aria-describedby="${name}-wrong[ "]`).test(text);
  assert.equal(isTold, beside !== undefined, name);
  return beside;
}

/** The sentences of the summary, with the fields to which they lead. */
function summaryOf({ text }: Shown): string[][] {
  const [summary = ""] = /<div class="problem" role="alert"[\s\S]*?<\/div>/.exec(text) ?? [];
  return [...summary.matchAll(/<a href="#(\w+)">([^<]*)<\/a>/g)].map(([, field, sentence]) => [
    field!,
    sentence!.replaceAll(/[\u00a0\u202f]/g, " "),
  ]);
}

suite("the words of the console", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let company: Company;
  let phone: string;
  let owner: Visitor;

  before(async () => {
    w = await testService({ after: (close) => closing.push(close) }, OPEN);
    phone = newPhone();
    company = await ownedCompany(w, phone, { name: "Établissements Koffi" });
    owner = new Visitor(w);
    await owner.signInToConsole(w, phone);
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  test("all that is wrong with a form stands beside its fields and in the summary, in the order of the form", async () => {
    const visitor = new Visitor(w);
    const page = await visitor.open("/sign-up");
    assert.equal(besideField(page, "phone"), undefined);
    const refused = await visitor.send(page, "/sign-up", { phone: "+2250700000001" });
    assert.equal(besideField(refused, "companyName"), "Remplissez ce champ.");
    assert.equal(besideField(refused, "name"), "Remplissez ce champ.");
    assert.equal(besideField(refused, "phone"), undefined);
    assert.deepEqual(summaryOf(refused), [
      ["companyName", "« Nom de l’entreprise » : remplissez ce champ."],
      ["name", "« Votre nom » : remplissez ce champ."],
    ]);
    const wrong = await visitor.send(page, "/sign-up", { phone: "12", companyName: "Awa", name: "Awa" });
    assert.match(besideField(wrong, "phone")!, /n’est pas valable\. Par exemple 07 07 00 00 01/);
  });

  test("what the interface tells in a fragment is a whole sentence, with its numbers grouped, in both languages", async () => {
    const page = await owner.open("/settings/company");
    const sent = { lowBalance: "99 999 999 999" };
    const refused = await owner.send(page, "/settings/company", sent);
    assert.match(besideField(refused, "lowBalance")!, /^La valeur maximale est 1\s000\s000\s000\.$/);
    await owner.open("/language/en?back=/");
    const english = await owner.send(page, "/settings/company", sent);
    assert.equal(besideField(english, "lowBalance"), "The maximum value is 1,000,000,000.");
    await owner.open("/language/fr?back=/");
    assert.doesNotMatch(
      refused.text + english.text,
      /est incorrecte|is incorrect|n’est pas valide|ne convient pas|is not right/,
    );
  });

  test("an empty file is told to be empty", async () => {
    const page = await owner.open("/contacts/import");
    const csrf = formsOf(page.text)[0]!.fields.csrf!;
    const body = new URLSearchParams({ csrf, fileName: "a.csv", bytes: "0", fingerprint: "1" });
    const begun = await owner.open("/contacts/import/begin", { method: "POST", body });
    assert.match(begun.text, /data-problem="Ce fichier est vide\."/);
  });

  test("a newcomer is told where the code goes, finds what was typed on the way back, and may ask for another code", async () => {
    const [visitor, mine] = [new Visitor(w), newPhone()];
    const typed = { phone: `+${mine}`, companyName: "Chez Awa", name: "Awa Koné" };
    const asked = await visitor.send(await visitor.open("/sign-up"), "/sign-up", typed);
    assert.match(asked.text, /Si ce numéro peut recevoir nos SMS, un code arrive au/);
    assert.doesNotMatch(asked.text, /associé à un compte/);
    const back = await visitor.open("/sign-up");
    const form = formsOf(back.text).find(({ action }) => action === "/sign-up")!;
    const { phone: number, companyName, name } = form.fields;
    assert.deepEqual({ phone: number, companyName, name }, typed);
    await pass(w);
    const before = codesAt(w, mine).length;
    const again = await visitor.send(asked, "/sign-in/again");
    assert.match(again.text, /seul le dernier est valable/);
    const otp = await codeAt(w, mine, before + 1);
    const home = await visitor.send(again, "/sign-in/code", { otp });
    assert.deepEqual([new URL(home.url).pathname, /Chez Awa/.test(home.text)], ["/", true]);
  });

  test("a draft and a template are deleted by a page that asks, and not by a tap in their list", async () => {
    const { id: draft } = await dataOf(company.call("/v1/campaign/draft/save", { text: "Bonjour" }));
    const { id: template } = await dataOf(
      company.call("/v1/campaign/template/create", { name: "Fête", text: "Bonne fête" }),
    );
    for (const [list, id, name] of [
      ["/campaigns/drafts", draft, "Bonjour"],
      ["/campaigns/templates", template, "Fête"],
    ] as const) {
      const action = `${list}/${id}/delete`;
      const { text } = await owner.open(list);
      assert.ok(!formsOf(text).some((form) => form.action === action) && text.includes(`href="${action}"`));
      const asking = await owner.open(action);
      assert.ok(asking.text.includes(name));
      assert.ok(!(await owner.send(asking, action)).text.includes(id));
    }
  });

  test("a new member is told by the one who invites, with a text to copy and without a key", async () => {
    const typed = { name: "Yao", phone: "+2250700000077", role: "editor" };
    const { text } = await owner.send(await owner.open("/members/new"), "/members/new", typed);
    assert.match(text, /Aucun SMS n’est envoyé/);
    assert.ok(text.includes(`Ouvrez ${w.app.publicUrl}/sign-in et saisissez votre numéro`));
    assert.doesNotMatch(text, /<code>\w{32}<\/code>/);
    assert.equal(w.simulator.inbox({ phone: "2250700000077" }).length, 0);
  });

  test("old numbers are converted on request alone, and the form counts the first rows that seem to have one", async () => {
    const rows = "08091011;Awa\n07080910;Yao\n2250700000001;Adjoua\n";
    const id = await uploadFile(company, Buffer.from(rows));
    const { text } = await owner.open(`/contacts/import/${id}`);
    const form = formsOf(text).find(({ action }) => action === `/contacts/import/${id}/run`)!;
    assert.equal(form.fields.old, undefined);
    assert.match(text, /2\sdes premières lignes semblent contenir un ancien numéro/);
    assert.match(text, /Le fichier n’a pas de titres/);
    const picture = await uploadFile(company, Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1"));
    assert.doesNotMatch((await owner.open(`/contacts/import/${picture}`)).text, /choix de colonnes/);
  });

  test("whoever cannot pay here is told whom to ask, and a receipt comes with the payment", async (t) => {
    const { topup } = await topUp(w, company);
    const receipt = await owner.open(`/credits/topups/${topup}/receipt`);
    assert.match(receipt.text, /Le reçu sera disponible après le paiement/);
    const other = newPhone();
    await ownedCompany(w, other);
    const visitor = new Visitor(w);
    await visitor.signInToConsole(w, other);
    const isOffered = async () => />Recharger</.test((await visitor.open("/credits/topups")).text);
    assert.equal(await isOffered(), true);
    t.after(() => Object.assign(w.app.config, { paymentCheckoutUrl: CHECKOUT_URL }));
    Object.assign(w.app.config, { paymentCheckoutUrl: undefined });
    assert.equal(await isOffered(), false);
    assert.match((await visitor.open("/credits/topups")).text, /Demandez des crédits à/);
  });

  test("a second group of the same name is made, and its page says so", async () => {
    const make = async (name: string) =>
      owner.send(await owner.open("/groups/new"), "/groups/new", { name, numbers: "+2250700000001" });
    assert.doesNotMatch((await make("Fidèles")).text, /Un autre groupe/);
    assert.doesNotMatch((await make("Fidèles du marché")).text, /Un autre groupe/);
    assert.match(
      (await make("Fidèles")).text,
      /Un autre groupe s’appelle déjà «\s*Fidèles\s*» \(1\scontact\)/,
    );
  });
});

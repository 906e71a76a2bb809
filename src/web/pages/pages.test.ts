// Pairing on its page: from the link to a token that works, in both languages, without a script.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Application,
  acceptedSender,
  application,
  dataOf,
  provision,
} from "../../../test/applications.ts";
import { codeAt, newPhone } from "../../../test/codes.ts";
import { type TestService, testService } from "../../../test/testservice.ts";
import { formsOf, ownedCompany, unescaped, Visitor } from "../../../test/visitor.ts";

const begin = (app: Application, externalAccountId = "client") =>
  dataOf(app.call("/v1/third-party-app/pairing/initiate", { externalAccountId }));
const status = (app: Application, externalAccountId = "client") =>
  dataOf(app.call("/v1/third-party-app/pairing/status", { externalAccountId }));

/** The page of a pairing's decision, as a person reaches it. */
async function decision(here: TestService, phone: string, link: string, visitor = new Visitor(here)) {
  const page = await visitor.signIn(here, await visitor.open(link), phone);
  return { visitor, page };
}

test("pairing on its page", async (t) => {
  const here = await testService(t, {
    limits: { signInsPerTenMinutes: 1_000, signInGuessesPerTenMinutes: 1_000 },
    settings: { signInAnswerMs: 0 },
  });
  const linked = async (options: { name?: string } = {}) => {
    const [app, phone] = [await application(here, options), newPhone()];
    const company = await ownedCompany(here, phone);
    const { pairingCode, universalLink } = await begin(app);
    return { app, phone, company, code: pairingCode as string, link: universalLink as string };
  };

  await t.test("from the link to a connection whose token sends", async () => {
    const { app, phone, company, code, link } = await linked({ name: "Pagnes & <b>Co</b>" });
    const senderId = await acceptedSender(here, company, "PAGNES");
    const visitor = new Visitor(here);
    const first = await visitor.open(link);
    assert.equal(first.status, 200);
    assert.match(first.text, /<html lang="fr">/);
    assert.match(first.text, /Votre numéro de téléphone/);
    assert.doesNotMatch(first.text, /Pagnes/, "a stranger learns nothing of a code");
    const page = await visitor.signIn(here, first, phone);
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, /<b>Co<\/b>/);
    const text = unescaped(page.text);
    assert.match(text, /Pagnes & <b>Co<\/b> demande à envoyer des SMS en votre nom/);
    for (const part of [
      app.slug,
      "Vend des pagnes en ligne",
      "Boutique Awa",
      "PAGNES",
      "vos crédits",
      "dans 10 minutes",
    ])
      assert.ok(text.includes(part), part);
    assert.equal(formsOf(page.text)[0]!.fields.sender, senderId, "the first sender is chosen");
    const done = await visitor.send(page, "/pair/answer", { answer: "approve" });
    assert.equal(done.status, 200);
    assert.match(done.url, /\/pair\/done$/);
    assert.match(done.text, /Accès approuvé/);
    assert.match(done.text, /déconnecté de cette page/);
    assert.match((await visitor.open("/pair/done")).text, /Accès approuvé/, "the result can be reloaded");
    const { status: became, connectionToken } = await status(app);
    assert.equal(became, "CONNECTED");
    const sent = await here.call("/v1/third-party-app/sms/send", {
      connectionToken,
      message: "Bonjour",
      contacts: [{ phone: newPhone() }],
    });
    assert.equal(sent.error, null);
    const again = await visitor.open(link);
    assert.match(again.text, /Votre numéro de téléphone/, "whoever comes next is not signed in");
    assert.equal((await dataOf(company.call("/v1/third-party-app/connection/list"))).length, 1);
    assert.ok(!done.url.includes(code));
  });

  await t.test(
    "a code can be typed in, in any case, with spaces; what cannot be one is told at once",
    async () => {
      const { phone, code } = await linked();
      const visitor = new Visitor(here);
      const start = await visitor.open("/pair");
      assert.match(start.text, /Code de jumelage/);
      const wrong = await visitor.send(start, "/pair", { code: "<ABC" });
      assert.equal(wrong.status, 400);
      assert.match(wrong.text, /role="alert"/);
      assert.match(wrong.text, /<title>Erreur\s: /);
      assert.match(wrong.text, /value="&lt;ABC"/);
      const typed = `${code.slice(0, 5)} ${code.slice(5)}`.toLowerCase();
      const page = await visitor.signIn(here, await visitor.send(wrong, "/pair", { code: typed }), phone);
      assert.match(page.text, /Boutique/);
    },
  );

  await t.test("refused: the application gets nothing, and the code is used up", async () => {
    const { app, phone, link } = await linked();
    const { visitor, page } = await decision(here, phone, link);
    const done = await visitor.send(page, "/pair/answer", { answer: "refuse" });
    assert.match(done.text, /Accès refusé/);
    assert.deepEqual(await status(app), { status: "DENIED" });
  });

  await t.test("in English by the browser's language or the switch, which stays", async () => {
    const { link } = await linked();
    const english = new Visitor(here, { "Accept-Language": "en-GB,en;q=0.9,fr;q=0.5" });
    assert.match((await english.open(link)).text, /<html lang="en">[\s\S]*Your phone number/);
    const asFrench = new Visitor(here, { "Accept-Language": "de, fr;q=0.3, en;q=0.2" });
    const page = await asFrench.open(link);
    assert.match(page.text, /<html lang="fr">/);
    const switchUrl = unescaped(page.text.match(/href="([^"]+lang=en)"/)![1]!);
    const switched = await asFrench.open(switchUrl);
    assert.match(switched.text, /Your phone number/);
    const asked = await asFrench.send(switched, "/pair/phone", { phone: "12" });
    assert.match(asked.text, /This phone number is not valid/);
    const sent = await asFrench.send(asked, "/pair/phone", { phone: `+${newPhone()}` });
    assert.match(sent.text, /Enter the code you received/);
  });

  await t.test("O15: no sender, one, or one of several; none means none", async () => {
    for (const { names, choose, assigned } of [
      { names: [], choose: undefined, assigned: false },
      { names: ["PAGNES"], choose: undefined, assigned: true },
      { names: ["PAGNES"], choose: "none", assigned: false },
      { names: ["PAGNES", "TISSUS"], choose: undefined, assigned: true },
    ]) {
      const { phone, company, link } = await linked();
      for (const name of names) await acceptedSender(here, company, name);
      const { visitor, page } = await decision(here, phone, link);
      assert.equal(/n’avez pas encore de nom/.test(page.text), names.length === 0);
      const typed = { answer: "approve", ...(choose && { sender: choose }) };
      const done = await visitor.send(page, "/pair/answer", typed);
      assert.equal(/dès que vous lui attribuerez/.test(done.text), !assigned);
      const [connection] = await dataOf(company.call("/v1/third-party-app/connection/list"));
      assert.equal(connection.senderAssigned, assigned);
    }
  });

  await t.test("A07: a foreign sender is refused with a sentence; the code still waits", async () => {
    const { phone, company, link } = await linked();
    await acceptedSender(here, company, "PAGNES");
    const foreign = await acceptedSender(here, await here.company(), "BANQUE");
    const { visitor, page } = await decision(here, phone, link);
    const refused = await visitor.send(page, "/pair/answer", { answer: "approve", sender: foreign });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /href="#sender">Ce nom d’expéditeur n’est plus disponible/);
    assert.doesNotMatch(refused.text, /BANQUE/);
    const done = await visitor.send(page, "/pair/answer", { answer: "approve" });
    assert.match(done.text, /Accès approuvé/);
    assert.match(done.text, /déconnecté de cette page/);
  });

  await t.test("A09: of several companies one is chosen, and only of one's own", async () => {
    const { app, phone, company, link } = await linked();
    const second = await ownedCompany(here, phone, { name: "Tissus du Plateau", credits: 0 });
    const unauthenticated = await ownedCompany(here, newPhone());
    const visitor = new Visitor(here);
    const choosing = await visitor.signIn(here, await visitor.open(link), phone);
    assert.match(choosing.text, /Pour quelle entreprise/);
    assert.equal(formsOf(choosing.text)[0]!.fields.company, company.companyId);
    const foreign = await visitor.send(choosing, "/pair", { company: unauthenticated.companyId });
    assert.match(foreign.text, /Pour quelle entreprise/);
    const page = await visitor.send(choosing, "/pair", { company: second.companyId });
    assert.match(page.text, /au nom de Tissus du Plateau/);
    assert.match(page.text, /Changer d’entreprise/);
    const stolen = await visitor.send(page, "/pair/answer", {
      answer: "approve",
      company: unauthenticated.companyId,
    });
    assert.equal(stolen.status, 403);
    await visitor.send(page, "/pair/answer", { answer: "approve" });
    assert.equal((await status(app)).status, "CONNECTED");
    assert.equal((await dataOf(second.call("/v1/third-party-app/connection/list"))).length, 1);
  });

  await t.test("H25: who is a member and no owner is told so, also once the role is lost", async () => {
    const { app, company, link } = await linked();
    const phone = newPhone();
    const path = "/v1/company/member";
    const member = { name: "Yao", phone, role: "approver" };
    const { id } = await dataOf(company.call(`${path}/create`, member));
    const visitor = new Visitor(here);
    const told = await visitor.signIn(here, await visitor.open(link), phone);
    assert.equal(told.status, 403);
    assert.match(told.text, /seul un propriétaire \(owner\) de l’entreprise/);
    assert.match(told.text, /Boutique Awa/);
    assert.match((await visitor.open(`${link}&lang=en`)).text, /only an owner of the company/);
    await dataOf(company.call(`${path}/${id}/update`, { role: "owner" }));
    const page = await visitor.open(link);
    assert.match(page.text, /demande à envoyer des SMS en votre nom/);
    await dataOf(company.call(`${path}/${id}/update`, { role: "editor" }));
    for (const answer of ["approve", "refuse"])
      assert.match((await visitor.send(page, "/pair/answer", { answer })).text, /seul un propriétaire/);
    assert.equal((await status(app)).status, "PENDING");
    const owned = await ownedCompany(here, phone, { name: "Tissus du Plateau" });
    assert.match(
      (await visitor.open(link)).text,
      /au nom de Tissus du Plateau/,
      "the others are not offered",
    );
    const done = await visitor.send(await visitor.open(link), "/pair/answer", { answer: "approve" });
    assert.match(done.text, /Accès approuvé/);
    assert.match(done.text, /déconnecté de cette page/);
    assert.equal((await dataOf(owned.call("/v1/third-party-app/connection/list"))).length, 1);
  });

  await t.test(
    "O14: a decision that is sent twice, at once or again, is taken once and answered the same",
    async () => {
      const { app, phone, company, link } = await linked();
      await acceptedSender(here, company, "PAGNES");
      const { visitor, page } = await decision(here, phone, link);
      const { fields } = formsOf(page.text).find(({ action }) => action === "/pair/answer")!;
      const body = new URLSearchParams({ ...fields, answer: "approve" });
      const headers = { Cookie: visitor.cookie! };
      const send = () =>
        fetch(`${here.url}/pair/answer`, { method: "POST", body, headers, redirect: "manual" });
      const answers = await Promise.all(Array.from({ length: 5 }, send));
      for (const answer of [...answers, await send()])
        assert.equal(answer.headers.get("location"), "/pair/done", String(answer.status));
      assert.equal((await dataOf(company.call("/v1/third-party-app/connection/list"))).length, 1);
      assert.equal((await status(app)).status, "CONNECTED");
      body.set("answer", "refuse");
      const late = await send();
      assert.equal(late.headers.get("location"), "/pair/done");
      assert.equal((await status(app)).status, "CONNECTED");
    },
  );

  await t.test(
    "a button that is pressed again while the next page is on its way only leads there",
    async () => {
      const { app, phone, link } = await linked();
      const visitor = new Visitor(here);
      const asked = await visitor.send(await visitor.open(link), "/pair/phone", { phone });
      const page = await visitor.send(asked, "/pair/otp", { otp: await codeAt(here, phone) });
      const again = await visitor.send(asked, "/pair/otp", { otp: "000000" });
      assert.match(again.text, /demande à envoyer des SMS/);
      await visitor.send(page, "/pair/answer", { answer: "refuse" });
      const late = await visitor.send(page, "/pair/answer", { answer: "approve" });
      assert.match(late.text, /Accès refusé/);
      assert.deepEqual(await status(app), { status: "DENIED" });
      const other = await visitor.send(page, "/pair/answer", { answer: "approve", code: "ABCDEFGHJK" });
      assert.equal(other.status, 403);
    },
  );

  await t.test(
    "O13: wrong, used and old codes are one sentence; after ten of them even the right one waits",
    async () => {
      const { phone, link } = await linked();
      const { visitor, page } = await decision(here, phone, link);
      assert.equal(page.status, 200);
      for (let i = 0; i < 10; i++) {
        const wrong = await visitor.open(`/pair?code=ZZZZZZZZ2${2 + (i % 8)}`);
        assert.equal(wrong.status, 400);
        assert.match(wrong.text, /href="#code">Ce code n’est pas valable/);
      }
      const late = await visitor.open(link);
      assert.equal(late.status, 429);
      assert.match(late.headers.get("retry-after")!, /^\d+$/);
      assert.match(late.text, /Trop de tentatives/);
      const brief = await testService(t, { settings: { pairingLifetimeMs: 1, signInAnswerMs: 0 } });
      const owner = newPhone();
      await ownedCompany(brief, owner);
      const old = await begin(await application(brief));
      const { page: expired } = await decision(brief, owner, old.universalLink);
      assert.match(expired.text, /Ce code n’est pas valable/);
    },
  );

  await t.test("an account that another company has is a conflict, in a sentence", async () => {
    const [app, phone] = [await application(here), newPhone()];
    await ownedCompany(here, phone);
    await dataOf(provision(app, await here.company(), "client"));
    const { universalLink } = await begin(app);
    const { visitor, page } = await decision(here, phone, universalLink);
    const refused = await visitor.send(page, "/pair/answer", { answer: "approve" });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /déjà connecté à une autre entreprise/);
  });
});

// Tests of the console as a browser without a script sees it: who gets in, and what a form may do.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { newPhone } from "../../../test/codes.ts";
import { OPEN } from "../../../test/fixtures.ts";
import { settled } from "../../../test/sending.ts";
import { type Company, type TestService, testService, until } from "../../../test/testservice.ts";
import { CHECKOUT_URL, offerOf } from "../../../test/topping.ts";
import { formsOf, ownedCompany, type Shown, Visitor } from "../../../test/visitor.ts";

const MARKUP = `"><img src=x onerror=alert(1)>'`;

suite("the console", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let company: Company;
  let phone: string;
  let owner: Visitor;
  let home: Shown;

  before(async () => {
    w = await testService({ after: (close) => closing.push(close) }, OPEN);
    phone = newPhone();
    company = await ownedCompany(w, phone, { name: `Boutique ${MARKUP}`, credits: 1_000 });
    owner = new Visitor(w);
    home = await owner.signInToConsole(w, phone);
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  test("a code by SMS opens the home page, and signing out ends the session for every copy of its cookie", async () => {
    assert.equal(home.status, 200);
    assert.match(home.text, /1\s000\scrédits/);
    const other = newPhone();
    await ownedCompany(w, other);
    const visitor = new Visitor(w);
    await visitor.signInToConsole(w, other);
    const copy = new Visitor(w);
    copy.cookie = visitor.cookie;
    assert.equal(new URL((await copy.open("/account")).url).pathname, "/account");
    await visitor.send(await visitor.open("/account"), "/sign-out");
    assert.equal(new URL((await copy.open("/account")).url).pathname, "/sign-in");
    assert.equal(new URL((await owner.open("/account")).url).pathname, "/account");
  });

  test("a wrong code opens nothing, and a sign-in leads back to our own pages only", async () => {
    const visitor = new Visitor(w);
    for (const next of [
      "//evil.example/",
      "/\\evil.example",
      "https://evil.example/",
      "javascript:alert(1)",
    ]) {
      const page = await visitor.open(`/sign-in?next=${encodeURIComponent(next)}`);
      assert.equal(formsOf(page.text)[0]!.fields.next, "/", next);
    }
    const asked = await visitor.send(await visitor.open("/sign-in"), "/sign-in", { phone: newPhone() });
    const wrong = await visitor.send(asked, "/sign-in/code", { otp: "000000" });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /role="alert"/);
    assert.equal(new URL((await visitor.open("/campaigns")).url).pathname, "/sign-in");
  });

  test("a campaign goes from recipients to the handsets, once, however often its button is pressed", async () => {
    const to = newPhone();
    const message = await owner.send(await owner.open("/campaigns/new"), "/campaigns/new", {
      numbers: `+${to} ; Awa Koné`,
    });
    const [, id] = /\/campaigns\/drafts\/(\w+)\/message$/.exec(message.url)!;
    const at = (step: string) => `/campaigns/drafts/${id}/${step}`;
    const when = await owner.send(message, at("message"), { text: "Bonjour @name" });
    const checked = await owner.send(when, at("when"));
    assert.equal(new URL(checked.url).pathname, at("check"));
    assert.match(checked.text, /Envoyer 1 SMS/);
    const sent = await owner.send(checked, at("send"));
    assert.match(new URL(sent.url).pathname, /^\/campaigns\/\w{24}$/);
    await owner.send(checked, at("send"));
    await settled(company, new URL(sent.url).pathname.split("/").at(-1)!);
    assert.deepEqual(
      w.simulator.inbox({ phone: to }).map(({ text }) => text),
      ["Bonjour Awa Koné"],
    );
  });

  test("a number that is none is named by its line, and nothing that was typed is lost", async () => {
    const shown = await owner.send(await owner.open("/campaigns/new"), "/campaigns/new", {
      numbers: "0707000001 ; Awa\nabc",
    });
    assert.match(shown.text, /1\u00a0numéro reconnu, 1\u00a0ligne à vérifier\u00a0: «\u00a0abc\u00a0»\./);
    const draft = formsOf(shown.text).find(({ action }) => action.endsWith("/recipients"))!;
    assert.equal(draft.fields.numbers, "0707000001 ; Awa\nabc");
  });

  test("a browser that asks for what is not there gets a page, a program the answer of the interface", async () => {
    const page = await owner.open("/nothing-here", { headers: { accept: "text/html" } });
    assert.equal(page.status, 404);
    assert.match(page.text, /<h1>Introuvable<\/h1>/);
    const answer = await owner.open("/v1/nothing-here", { headers: { accept: "text/html" } });
    assert.equal(JSON.parse(answer.text).error, "not-found");
  });

  test("a file of contacts comes in without a script: sent, columns said, rejected rows told, and sent again", async () => {
    const send = async (text: string, csrf?: string) => {
      const page = await owner.open("/contacts/import");
      const { fields } = formsOf(page.text).find(({ action }) => action === "/contacts/import/file")!;
      const body = new FormData();
      body.append("csrf", csrf ?? fields.csrf!);
      body.append("file", new Blob([text]), "clients.csv");
      return owner.open("/contacts/import/file", { method: "POST", body });
    };
    assert.equal((await send("2250700000001", "x.y")).status, 403);
    assert.match((await send("")).text, /Ce fichier est vide/);
    const columns = await send("Téléphone;Nom\n2250700008801;Awa\nfaux;Yao\n");
    assert.match(columns.text, /Windows-1252|UTF-8/);
    const url = new URL(columns.url).pathname;
    const wrong = await owner.send(columns, `${url}/run`, { column0: "" });
    assert.deepEqual([wrong.status, /role="alert"/.test(wrong.text)], [400, true]);
    const running = await owner.send(columns, `${url}/run`, { groupName: "Marché" });
    assert.equal(new URL(running.url).pathname, url);
    const { text } = await until(async () => {
      const shown = await owner.open(`${url}/live`);
      return shown.headers.get("atumpan-live") === "over" && owner.open(url);
    });
    for (const told of [/Terminé/, /Ligne 3/, /faux/, /n’est pas un numéro de téléphone/, /Marché/])
      assert.match(text, told);
    assert.match((await send("Téléphone;Nom\n2250700008802;Yao\n")).text, /reprennent votre dernier choix/);
  });

  test("a file comes in parts for the island, and the same file goes on where it was", async () => {
    const { fields } = formsOf((await owner.open("/contacts/import")).text).find(
      ({ action }) => action === "/contacts/import/file",
    )!;
    const post = (path: string, more: Record<string, string>) => {
      const body = new URLSearchParams({ csrf: fields.csrf!, ...more });
      return owner.open(`/contacts/import${path}`, { method: "POST", body });
    };
    const file = { fileName: "a.csv", bytes: "28", fingerprint: "1" };
    const begun = await post("/begin", file);
    const [, id] = /data-id="(\w+)" data-received="0"/.exec(begun.text)!;
    assert.equal((await post("/begin", file)).text, begun.text);
    const refused = await post(`/${id}/part`, { offset: "1", data: "MjI1" });
    assert.match(refused.text, /data-problem="/);
    const data = Buffer.from("2250700008803\n2250700008804\n").toString("base64");
    const taken = await post(`/${id}/part`, { offset: "0", data });
    assert.deepEqual(
      [/data-received="28"/.test(taken.text), taken.headers.get("atumpan-live")],
      [true, "over"],
    );
    assert.match((await post("/begin", { fileName: "b.csv", bytes: "999999999" })).text, /data-problem="/);
  });

  test("an offer has a button for each provider by which it can be bought", async (t) => {
    await offerOf(w, { name: "Grand pack" });
    const waysOf = (text: string) =>
      [...text.matchAll(/name="provider" value="(\w+)"/g)].map(([, way]) => way);
    const page = await owner.open("/credits");
    assert.deepEqual(waysOf(page.text), ["standard"]);
    const begun = await owner.send(page, "/credits/topups", { provider: "standard" });
    assert.match(new URL(begun.url).pathname, /^\/credits\/topups\/\w{24}$/);
    t.after(() =>
      Object.assign(w.app.config, { paystackSecretKey: undefined, paymentCheckoutUrl: CHECKOUT_URL }),
    );
    Object.assign(w.app.config, { paystackSecretKey: "sk_test_drum" });
    assert.deepEqual(waysOf((await owner.open("/credits")).text), ["paystack", "standard"]);
    Object.assign(w.app.config, { paystackSecretKey: undefined, paymentCheckoutUrl: undefined });
    assert.match((await owner.open("/credits")).text, /Le paiement en ligne n’est pas disponible/);
  });
});

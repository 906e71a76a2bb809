// Tests of the pages for developers: what became of their requests, and of the webhooks to their applications.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { applicationOf, dataOf } from "../../../../test/applications.ts";
import { newPhone } from "../../../../test/codes.ts";
import { OPEN } from "../../../../test/fixtures.ts";
import { startReceiver } from "../../../../test/receiver.ts";
import { rows } from "../../../../test/sending.ts";
import { type Company, type TestService, testService, until } from "../../../../test/testservice.ts";
import { ownedCompany, unescaped, Visitor } from "../../../../test/visitor.ts";

suite("the pages for developers", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let company: Company;
  let owner: Visitor;

  before(async () => {
    const settings = { ...OPEN.settings, requestLogMs: 5 };
    w = await testService({ after: (close) => closing.push(close) }, { ...OPEN, settings });
    const phone = newPhone();
    company = await ownedCompany(w, phone);
    owner = new Visitor(w);
    await owner.signInToConsole(w, phone);
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  test("the request log says what was refused and why, by the name of the key, and nothing of what was said", async () => {
    const phone = newPhone();
    const { apiKey } = await dataOf(company.call("/v1/company/key/create", { name: "Caisse" }));
    await company.call("/v1/contact/create", { apiKey, contacts: [{ phone, name: 5 }] });
    await company.call("/v1/contact/66f0c0ffee00000000000001", { apiKey });
    const page = await until(async () => {
      const shown = await owner.open("/developer/requests");
      return /contact\/create/.test(shown.text) && /contact-not-found/.test(shown.text) && shown;
    });
    for (const said of [/contacts\[0\]\.name/, /Requête incorrecte/, /Ce contact n’existe pas/, /Caisse/])
      assert.match(page.text, said);
    for (const secret of [phone, apiKey, company.apiKey]) assert.ok(!page.text.includes(secret));
    const filtered = async (query: string) => (await owner.open(`/developer/requests?${query}`)).text;
    const missing = await filtered("outcome=not-found");
    assert.ok(/contact\/\{id\}/.test(missing) && !/contact\/create/.test(missing));
    // An address as it was called is found by the name of its URL.
    const called = await filtered("path=contact/66f0c0ffee00000000000001&period=hour");
    assert.ok(/contact\/\{id\}/.test(called) && !/contact\/create</.test(called));
    assert.match(await filtered("path=/v1/nothing"), /Aucune requête ne correspond/);
    assert.match((await owner.open("/developer")).text, /href="\/developer\/requests"/);
  });

  test("a new key with nothing ticked is asked what it may do, and all is a choice of its own", async () => {
    const url = "/developer/keys/new";
    const count = async () => (await dataOf(company.call("/v1/company/key/list"))).length;
    const before = await count();
    const asked = await owner.send(await owner.open(url), url, {
      name: "Sans choix",
      networks: "",
      expiresAt: "",
    });
    assert.match(asked.text, /Cochez au moins un droit/);
    assert.equal(await count(), before);
    for (const [scopes, kept] of [
      ["send", ["send"]],
      ["everything", null],
    ] as const) {
      await owner.send(await owner.open(url), url, {
        name: `Clé ${scopes}`,
        networks: "",
        expiresAt: "",
        scopes,
      });
      const [made] = await dataOf(company.call("/v1/company/key/list"));
      assert.deepEqual([made.name, made.scopes, made.networks], [`Clé ${scopes}`, kept, []]);
    }
  });

  test("a delivery of a webhook is shown with what was posted, as text, and sent again", async (t) => {
    const receiver = await startReceiver(t);
    const { id: app } = await applicationOf(w, company, { webhookUrl: receiver.url });
    const sent = await dataOf(company.call(`/v1/third-party-app/my/${app}/webhook/test`));
    const url = `/developer/apps/${app}/deliveries/${sent.id}`;
    const attempts = async () => {
      const answer = await company.call(`/v1/third-party-app/my/${app}/webhook/${sent.id}`);
      return answer.data.status === "DELIVERED" ? answer.data.attempts : 0;
    };
    await until(async () => (await attempts()) === 1);
    assert.ok((await owner.open(`/developer/apps/${app}`)).text.includes(`href="${url}"`));
    // As if somebody had a name of markup.
    const data = JSON.stringify({ name: "<img src=x onerror=alert(1)>" });
    await rows(w.app, "UPDATE webhook_deliveries SET data = $2 WHERE id = $1", [sent.id, data]);
    const page = await owner.open(url);
    assert.match(page.text, /Livré</);
    assert.match(unescaped(page.text), /"name": "<img src=x onerror=alert\(1\)>"/);
    assert.ok(!page.text.includes("<img src=x"));
    const again = await owner.send(page, `${url}/replay`);
    assert.equal(new URL(again.url).pathname, url);
    assert.match(again.text, /Nouvel envoi en cours/);
    // The approval of the application was posted to the same address, so the delivery is told by its id.
    const postings = () => receiver.received.filter(({ headers }) => headers["webhook-id"] === sent.id);
    await until(() => postings().length === 2);
    assert.equal((await owner.open(url.replace(sent.id, app))).status, 404);
  });
});

// Tests of the pages of operators over HTTP, as a browser without a script sees them.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { DECLARATION, reply, type ScriptedCarrier, startCarrier } from "../../../../test/httpcarrier.ts";
import { ableIs } from "../../../../test/operators.ts";
import { type TestService, testService, until } from "../../../../test/testservice.ts";
import { formsOf, type Shown, Visitor } from "../../../../test/visitor.ts";
import { findFreePorts } from "../../../platform/embedded/ports.ts";

const DECLARED = "/admin/operators/new/declaration";

const idIn = ({ url }: Shown) => /\/admin\/operators\/([0-9a-f]{24})/.exec(url)?.[1] ?? "";

suite("the pages of operators over HTTP", () => {
  const closing: (() => Promise<void>)[] = [];
  const scope = { after: (close: () => Promise<void>) => closing.push(close) };
  let w: TestService;
  let visitor: Visitor;
  let carrier: ScriptedCarrier;
  let answer: [status: number, body: unknown] = [200, { ok: true, id: "c1" }];

  before(async () => {
    carrier = await startCarrier(scope, (_message, response) => reply(response, ...answer));
    w = await testService(scope, { config: { simulator: false, carrierAllowCidrs: ["127.0.0.0/8"] } });
    visitor = new Visitor(w);
    const form = await visitor.open("/admin/sign-in/key");
    await visitor.send(form, "/admin/sign-in/key", { adminKey: w.adminKey });
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  const operatorNamed = async (id: string) => (await w.admin(`/v1/admin/operator/${id}`)).data;

  /** Creates an operator by the form of a declaration. */
  async function declared(name: string, typed: Record<string, string> = {}): Promise<Shown> {
    const connector = JSON.stringify(DECLARATION);
    const asked = await visitor.send(await visitor.open(DECLARED), DECLARED, { connector });
    return visitor.send(asked, DECLARED, {
      ...{ name, prefixes: "22507", "setting-baseUrl": carrier.url, "secret-apiKey": "tambour" },
      ...typed,
    });
  }

  test("a new operator begins with how it is reached: a provider with a sentence, SMPP, or a declaration", async () => {
    const { text } = await visitor.open("/admin/operators/new");
    assert.match(
      text,
      /href="\/admin\/operators\/new\/http\/orange"><span><b>Orange SMS API<\/b><small>Créez une/,
    );
    assert.match(text, /href="\/admin\/operators\/new\/smpp"/);
    assert.match(text, /href="\/admin\/operators\/new\/declaration"/);
    assert.equal((await visitor.open("/admin/operators/new/http/nobody")).status, 404);
  });

  test("the form of Orange asks for its fields, and prefixes follow from the country", async () => {
    const at = "/admin/operators/new/http/orange";
    const page = await visitor.open(at);
    const form = formsOf(page.text).find(({ action }) => action === at);
    assert.equal(form?.fields.tps, "5");
    assert.equal(
      form?.fields["setting-country"],
      "",
      "a wrong country would be accepted, and nothing delivered",
    );
    assert.match(page.text, /Mali 223/);
    assert.match(page.text, /<input type="password" id="secret-clientSecret"/);
    assert.doesNotMatch(page.text, /system_id|data_coding|Type de liaison/);
    const wrong = await visitor.send(page, at, { "setting-clientId": "", prefixes: "225" });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /id="setting-clientId-wrong"/);
    assert.match(wrong.text, /id="secret-clientSecret-wrong"/);
    assert.match(wrong.text, /id="setting-country-wrong".*sauf si «\s?Autre numéro d’expédition/);
    const made = await visitor.send(page, at, {
      ...{ "setting-clientId": "aBcD", "secret-clientSecret": "tambour", "setting-country": "+2230000" },
      "setting-baseUrl": carrier.url,
    });
    assert.match(made.url, /\/setup\?done=made$/);
    const { data } = await w.admin(`/v1/admin/operator/${idIn(made)}`);
    assert.deepEqual(
      [data.connector, data.enabled, data.tps, data.prefixes, data.name],
      ["orange", false, 5, ["223"], "Orange SMS API"],
    );
    assert.match(
      made.text,
      /<p>Pour recevoir les accusés, donnez l’adresse des accusés de réception à Orange/,
    );
    assert.doesNotMatch(made.text, /Créez une application/);
    assert.match((await visitor.open("/admin/operators")).text, /<dd>Orange SMS API<\/dd>/);
  });

  test("every error of a declaration is shown at its place, and what is no JSON says so", async () => {
    const page = await visitor.open(DECLARED);
    const broken = {
      ...DECLARATION,
      send: { ...DECLARATION.send, url: "{{baseUrl}}/{{nothing}}" },
      outcomes: [{ when: [{ status: [200] }], is: "perhaps" }],
    };
    const shape = await visitor.send(page, DECLARED, { connector: JSON.stringify(broken) });
    assert.equal(shape.status, 400);
    assert.match(shape.text, /«\soutcomes\[0\]\.is\s»\s: doit être/);
    const meaning = { ...broken, outcomes: DECLARATION.outcomes };
    const second = await visitor.send(shape, DECLARED, { connector: JSON.stringify(meaning) });
    assert.match(second.text, /«\ssend\.url\s»\s: /);
    const text = await visitor.send(page, DECLARED, { connector: "{" });
    assert.match(text.text, /n’est pas du JSON/);
    const list = await visitor.send(page, DECLARED, { connector: "[]" });
    assert.match(list.text, /Saisissez un objet JSON/);
    const example = await visitor.send(page, DECLARED);
    assert.match(example.text, /id="secret-apiKey"/);
  });

  test("a declared provider is created disabled, tried dry, enabled, and sends a test message", async () => {
    const made = await declared("Passerelle");
    const id = idIn(made);
    assert.match(made.text, /Il n’envoie rien avant d’être activé/);
    assert.match(made.text, new RegExp(`/v1/carrier/${id}/[\\w-]{32}`));
    assert.doesNotMatch(made.text, /tambour/);
    const typed = { phone: "+225 07 07 00 00 01", text: "Bonjour", status: "200" };
    const dry = (body: unknown) =>
      visitor.send(made, `/admin/operators/${id}/dry-run`, { ...typed, body: JSON.stringify(body) });
    const accepted = await dry({ ok: true, id: "12345678901234567890" });
    assert.match(accepted.text, /Le fournisseur a accepté le message/);
    assert.match(accepted.text, /12345678901234567890/);
    assert.match(accepted.text, /&quot;to&quot;: &quot;\+2250707000001&quot;/);
    assert.match(accepted.text, /x-api-key: ••••/i);
    assert.match(accepted.text, new RegExp(`/v1/carrier/${id}/\\*{8}`));
    assert.doesNotMatch(accepted.text, /authorization/i);
    assert.doesNotMatch(accepted.text, /tambour/);
    assert.match((await dry({ error: "no-units", code: 7 })).text, /n’a plus d’unités/);
    assert.match((await dry({ error: "number", code: 9 })).text, /il échoue, et ses crédits sont rendus/);
    const without = await visitor.send(made, `/admin/operators/${id}/dry-run`, { phone: "12", text: "" });
    assert.equal(without.status, 400);
    assert.match(without.text, /id="phone-wrong"/);
    assert.equal(carrier.taken.length, 0);

    const enabled = await visitor.send(made, `/admin/operators/${id}/enable`);
    assert.match(enabled.text, /L’opérateur est activé/);
    assert.doesNotMatch(enabled.text, /Injoignable/);
    await ableIs(w, id, true);
    assert.match((await visitor.open(`/admin/operators/${id}/setup`)).text, />Prêt</);
    const tested = await visitor.send(
      await visitor.open(`/admin/operators/${id}/test`),
      `/admin/operators/${id}/test`,
      { phone: "+2250707000001" },
    );
    await until(async () => /Envoyé|Accepté/.test((await visitor.open(tested.url)).text));
    assert.equal(carrier.taken.length, 1);
  });

  test("a secret that is left alone stays, and no setting of SMPP is shown", async () => {
    const id = idIn(await declared("Sans changement"));
    const at = `/admin/operators/${id}/edit`;
    const page = await visitor.open(at);
    assert.doesNotMatch(page.text, /tambour|system_id|data_coding|Type de liaison/);
    const form = formsOf(page.text).find(({ action }) => action === at);
    assert.equal(form?.fields["secret-apiKey"], "");
    assert.equal(form?.fields["setting-baseUrl"], carrier.url);
    await visitor.send(page, at, { tps: "9" });
    const changed = await operatorNamed(id);
    assert.deepEqual([changed.tps, changed.connectorSettings.apiKey], [9, "••••"]);
    const edited = { ...DECLARATION, title: "Autre titre" };
    await visitor.send(await visitor.open(at), at, { connector: JSON.stringify(edited) });
    assert.match((await visitor.open(`/admin/operators/${id}`)).text, /<dd>Autre titre<\/dd>/);
    const wrong = await visitor.send(await visitor.open(at), at, { connector: "{}" });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /«\stitle\s»\s: est obligatoire/);
  });

  test("an address on a private network that is not allowed is refused beside its field", async () => {
    const refused = await declared("Réseau local", { "setting-baseUrl": "http://192.168.1.20:8080" });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /id="setting-baseUrl-wrong"/);
    assert.match(refused.text, /CARRIER_ALLOW_CIDRS/);
    assert.match(refused.text, /Saisissez de nouveau cette valeur secrète/);
  });

  test("a new address for receipts is shown once it is confirmed, and the old one is gone", async () => {
    const id = idIn(await declared("Adresse"));
    const secretIn = ({ text }: Shown) => /\/v1\/carrier\/[0-9a-f]{24}\/([\w-]+)/.exec(text)?.[1];
    const before = secretIn(await visitor.open(`/admin/operators/${id}`));
    const asked = await visitor.open(`/admin/operators/${id}/callback`);
    const renewed = await visitor.send(asked, `/admin/operators/${id}/callback`);
    assert.match(renewed.text, /L’adresse a changé/);
    assert.ok(before !== undefined && secretIn(renewed) !== before);
  });

  test("an account that the carrier refuses is on the overview, with the reason in a sentence", async () => {
    const id = idIn(await declared("Sans unités", { prefixes: "22508" }));
    await visitor.send(await visitor.open(`/admin/operators/${id}/setup`), `/admin/operators/${id}/enable`);
    await ableIs(w, id, true);
    answer = [200, { error: "no-units", code: "POL0001" }];
    const at = `/admin/operators/${id}/test`;
    await visitor.send(await visitor.open(at), at, { phone: "+2250807000001" });
    const { text } = await until(async () => {
      const shown = await visitor.open("/admin");
      return shown.text.includes("no-units") && shown;
    });
    assert.match(text, />Compte refusé<\/span>[^<]*Sans unités/);
    assert.match(text, /n’a plus d’unités[^<]*<small class="line">no-units:POL0001/);
    answer = [200, { ok: true, id: "c1" }];
  });

  test("the balance at the provider is asked on demand, and a provider that does not answer is said", async () => {
    const id = idIn(await declared("Solde"));
    const at = `/admin/operators/${id}/balance`;
    assert.match((await visitor.open(`/admin/operators/${id}`)).text, new RegExp(`href="${at}"`));
    assert.match((await visitor.open(at)).text, /<dt>SMS<\/dt><dd>7<\/dd>/);
    const [port] = await findFreePorts(1);
    const typed = { prefixes: "22509", "setting-baseUrl": `http://127.0.0.1:${port}` };
    const silent = await visitor.open(`/admin/operators/${idIn(await declared("Muet", typed))}/balance`);
    assert.match(silent.text, /Le fournisseur ne répond pas, ou sa réponse ne contient pas de solde\./);
  });

  test("support sees an operator over HTTP, and neither its address for delivery receipts nor a form", async () => {
    const id = idIn(await declared("Assistance"));
    const { data } = await w.admin("/v1/admin/key/create", { name: "Tableau de bord", role: "support" });
    const support = new Visitor(w);
    const form = await support.open("/admin/sign-in/key");
    await support.send(form, "/admin/sign-in/key", { adminKey: data.adminKey });
    const { status, text } = await support.open(`/admin/operators/${id}`);
    assert.equal(status, 200);
    assert.match(text, /Passerelle d’essai/);
    assert.doesNotMatch(text, /\/v1\/carrier\/|dry-run/);
  });
});

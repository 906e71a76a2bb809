// Tests of who has closed the only company, and of whose only company is suspended: signing in says so.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../../../../test/applications.ts";
import { newPhone } from "../../../../test/codes.ts";
import { callBy, companyOf, pass, SOON, signIn } from "../../../../test/signins.ts";
import { type Company, caller, type TestService, testService } from "../../../../test/testservice.ts";
import { formsOf, Visitor, waitingPairing } from "../../../../test/visitor.ts";

suite("a person whose only company closed itself", () => {
  const closing: (() => Promise<void>)[] = [];
  let here: TestService;

  before(async () => {
    here = await testService({ after: (close) => closing.push(close) }, SOON);
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  const close = ({ call, companyId }: Company) => call("/v1/company/close", { confirm: companyId });

  test("signs in, reads that it is closed and until when, and its owner opens it again", async () => {
    const phone = newPhone();
    const company = await companyOf(here, phone);
    const { userId, companyId } = company;
    const { emptyAt } = await dataOf(close(company));
    const signed = await signIn(here, phone);
    assert.deepEqual(signed.companies, []);
    const [closed] = signed.closedCompanies;
    assert.deepEqual(
      { ...closed, closedAt: undefined },
      { companyId, name: "Boutique Awa", userId, role: "owner", closedAt: undefined, emptyAt },
    );
    const by = callBy(here, signed.sessionKey, companyId);
    assert.deepEqual((await dataOf(by("/v1/session/read"))).closedCompanies, [closed]);
    await dataOf(by("/v1/company/reopen"));
    const who = await dataOf(by("/v1/session/read"));
    assert.deepEqual([who.companies[0].companyId, who.closedCompanies], [companyId, []]);
  });

  test("the console says so in place of every page, and leads back once it is open", async () => {
    const phone = newPhone();
    const company = await companyOf(here, phone);
    await dataOf(close(company));
    const visitor = new Visitor(here);
    const home = await visitor.signInToConsole(here, phone);
    assert.deepEqual([home.status, new URL(home.url).pathname], [200, "/settings/closed"]);
    assert.match(home.text, /<h1>Boutique Awa est fermée<\/h1>/);
    assert.match(home.text, /n’envoie plus rien/);
    assert.equal(new URL((await visitor.open("/campaigns")).url).pathname, "/settings/closed");
    const opened = await visitor.send(home, "/settings/reopen");
    assert.equal(new URL(opened.url).pathname, "/settings");
    assert.equal(new URL((await visitor.open("/settings/closed")).url).pathname, "/");
  });

  test("a member who is no owner is told who can open it, and cannot", async () => {
    const [phone, company] = [newPhone(), await companyOf(here, newPhone())];
    await dataOf(company.call("/v1/company/member/create", { name: "Yao", phone, role: "editor" }));
    await dataOf(close(company));
    const visitor = new Visitor(here);
    const { text } = await visitor.signInToConsole(here, phone);
    assert.match(text, /est fermée/);
    assert.ok(formsOf(text).every(({ action }) => action !== "/settings/reopen"));
    await pass(here);
    const { sessionKey } = await signIn(here, phone, 2);
    const refused = await callBy(here, sessionKey, company.companyId)("/v1/company/reopen");
    assert.equal(refused.error, "not-authorized");
  });

  test("connects no application, and gets no code on the page for it", async () => {
    const { phone, company, link, status } = await waitingPairing(here);
    const visitor = new Visitor(here);
    await visitor.signInToConsole(here, phone);
    visitor.console = visitor.cookie;
    visitor.cookie = undefined;
    const shown = await visitor.open(link);
    await dataOf(close(company));
    assert.doesNotMatch((await visitor.send(shown, "/pair/answer", { answer: "approve" })).text, /approuvé/);
    assert.equal(await status(), "PENDING");
    const codes = here.simulator.inbox({ phone }).length;
    await pass(here);
    await visitor.send(await visitor.open(link), "/pair/phone", { phone: `+${phone}` });
    assert.equal(here.simulator.inbox({ phone }).length, codes);
  });

  test("a company that an administrator suspended is none of them", async () => {
    const phone = newPhone();
    const company = await companyOf(here, phone);
    await dataOf(close(company));
    const signed = await signIn(here, phone);
    const reason = "fraude";
    await dataOf(here.admin(`/v1/admin/company/${company.companyId}/suspend`, { reason }));
    const read = caller(here.url, { apiKey: signed.sessionKey });
    const who = await dataOf(read("/v1/session/read"));
    const suspended = { companyId: company.companyId, name: "Boutique Awa" };
    assert.deepEqual([who.closedCompanies, who.suspendedCompanies], [[], [suspended]]);
  });
});

test("a person whose only company is suspended is told so, signed in or signing in, and can do nothing else", async (t) => {
  const here = await testService(t, SOON);
  const [phone, company] = [newPhone(), await companyOf(here, newPhone())];
  await dataOf(company.call("/v1/company/member/create", { name: "Yao", phone, role: "owner" }));
  const move = (way: "suspend" | "resume") =>
    dataOf(here.admin(`/v1/admin/company/${company.companyId}/${way}`, { reason: "Hameçonnage" }));
  const visitor = new Visitor(here);
  await visitor.signInToConsole(here, phone);
  await move("suspend");
  await pass(here);
  const newcomer = new Visitor(here);
  const shown = [await visitor.open("/campaigns"), await newcomer.signInToConsole(here, phone)];
  for (const { status, url, text } of shown) {
    assert.deepEqual([status, new URL(url).pathname], [200, "/suspended"]);
    assert.match(text, /<h1>Boutique Awa est suspendue<\/h1>[\s\S]*Rien n’est perdu/);
    assert.doesNotMatch(text, /Hameçonnage/);
  }
  const out = await newcomer.send(shown[1]!, "/sign-out");
  assert.equal(new URL(out.url).pathname, "/sign-in");
  assert.equal(new URL((await newcomer.open("/suspended")).url).pathname, "/sign-in");
  await move("resume");
  assert.equal(new URL((await visitor.open("/suspended")).url).pathname, "/");
});

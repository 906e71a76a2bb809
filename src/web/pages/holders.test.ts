// Tests of pairing for who has signed in to the console: no phone and no code, and nothing that lasts from an old session.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { application, dataOf } from "../../../test/applications.ts";
import { newPhone } from "../../../test/codes.ts";
import { rows } from "../../../test/sending.ts";
import { SOON, stale } from "../../../test/signins.ts";
import { type TestService, testService } from "../../../test/testservice.ts";
import { formsOf, Visitor, waitingPairing } from "../../../test/visitor.ts";

const DECISION = /demande à envoyer des SMS/;
const PHONE_ASKED = /Votre numéro de téléphone/;

suite("pairing by who has signed in to the console", () => {
  const closing: (() => Promise<void>)[] = [];
  let here: TestService;

  before(async () => {
    here = await testService({ after: (close) => closing.push(close) }, SOON);
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  /** A browser in which the owner of this phone has just signed in to the console. */
  async function signedIn(phone: string): Promise<Visitor> {
    const visitor = new Visitor(here);
    await visitor.signInToConsole(here, phone);
    visitor.console = visitor.cookie;
    visitor.cookie = undefined;
    return visitor;
  }

  test("the decision is the first page, and the audit log names the session", async () => {
    const { phone, company, link, status } = await waitingPairing(here);
    const visitor = await signedIn(phone);
    const codes = here.simulator.inbox({ phone }).length;
    const page = await visitor.open(link);
    assert.match(page.text, DECISION);
    assert.doesNotMatch(page.text, /Étape/);
    const done = await visitor.send(page, "/pair/answer", { answer: "approve" });
    assert.match(done.url, /\/pair\/done$/);
    assert.match(done.text, /Vous restez connecté à la console/);
    assert.equal(await status(), "CONNECTED");
    assert.equal(here.simulator.inbox({ phone }).length, codes, "no other code was sent");
    const [noted] = await rows(
      here.app,
      `SELECT key_id LIKE 'session %' AS named FROM audit_log WHERE company_id = $1 AND action = 'pair/answer'`,
      [company.companyId],
    );
    assert.equal(noted.named, true);
  });

  test("one after the other: a second application is decided on by the same sign-in", async () => {
    const { phone, company, link } = await waitingPairing(here);
    const visitor = await signedIn(phone);
    await visitor.send(await visitor.open(link), "/pair/answer", { answer: "refuse" });
    const app = await application(here);
    const { universalLink } = await dataOf(
      app.call("/v1/third-party-app/pairing/initiate", { externalAccountId: "client" }),
    );
    const page = await visitor.open(universalLink);
    assert.match(page.text, DECISION);
    assert.match((await visitor.send(page, "/pair/answer", { answer: "approve" })).text, /Accès approuvé/);
    assert.equal((await dataOf(company.call("/v1/third-party-app/connection/list"))).length, 1);
  });

  test("a sign-in older than 15 minutes is worth the phone alone: the code is asked for", async () => {
    const { phone, link, status } = await waitingPairing(here);
    const visitor = await signedIn(phone);
    const shown = await visitor.open(link);
    await stale(here, phone);
    assert.equal((await visitor.send(shown, "/pair/answer", { answer: "approve" })).status, 403);
    assert.equal(await status(), "PENDING");
    const page = await visitor.open(link);
    assert.match(page.text, PHONE_ASKED);
    assert.doesNotMatch(page.text, DECISION);
    assert.equal(formsOf(page.text)[0]!.fields.phone, `+${phone}`);
    await rows(here.app, "UPDATE otp_codes SET created_at = created_at - interval '31 seconds'");
    assert.match((await visitor.signIn(here, page, phone)).text, DECISION);
  });

  test("who has signed out decides nothing on a page that is still open", async () => {
    const { phone, link, status } = await waitingPairing(here);
    const visitor = await signedIn(phone);
    const shown = await visitor.open(link);
    const console = new Visitor(here);
    console.cookie = visitor.console;
    await console.send(await console.open("/account"), "/sign-out");
    assert.equal((await visitor.send(shown, "/pair/answer", { answer: "approve" })).status, 403);
    assert.equal(await status(), "PENDING");
    assert.match((await visitor.open(link)).text, PHONE_ASKED);
  });

  test("a member who is no owner connects nothing", async () => {
    const { company, link, status } = await waitingPairing(here);
    const phone = newPhone();
    const member = { name: "Yao", phone, role: "approver" };
    await dataOf(company.call("/v1/company/member/create", member));
    const page = await (await signedIn(phone)).open(link);
    assert.equal(page.status, 403);
    assert.doesNotMatch(page.text, DECISION);
    assert.equal(await status(), "PENDING");
  });

  test("O16 neither a form of another site nor a link there decides, or looks a code up", async () => {
    const { phone, link, status } = await waitingPairing(here);
    const visitor = await signedIn(phone);
    const pushed = await visitor.open(link, { headers: { "sec-fetch-site": "cross-site" } });
    assert.doesNotMatch(pushed.text, DECISION);
    const page = await visitor.open(link);
    const foreign = { origin: "https://evil.example" };
    for (const [typed, headers] of [
      [{ csrf: "x" }, {}],
      [{}, foreign],
      [{}, { "sec-fetch-site": "cross-site" }],
    ] as const) {
      const sent = await visitor.send(page, "/pair/answer", { answer: "approve", ...typed }, headers);
      assert.equal(sent.status, 403);
    }
    assert.equal(await status(), "PENDING");
  });

  test("another phone can be given, though the console stays signed in", async () => {
    const { phone, link } = await waitingPairing(here);
    const other = await waitingPairing(here);
    const visitor = await signedIn(phone);
    const page = await visitor.send(await visitor.open(link), "/pair/restart");
    assert.match(page.text, PHONE_ASKED);
    assert.equal(formsOf(page.text)[0]!.fields.phone, "");
    const signed = await visitor.signIn(here, await visitor.open(other.link), other.phone);
    assert.match(signed.text, DECISION);
    await visitor.send(signed, "/pair/answer", { answer: "approve" });
    assert.equal(await other.status(), "CONNECTED");
  });
});

// Tests of what takes a recent sign-in, in the console: one way to it for companies and for administrators.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Person, person, totpOf } from "../../../../test/administrators.ts";
import { codeAt, codesAt, newPhone } from "../../../../test/codes.ts";
import { OPEN } from "../../../../test/fixtures.ts";
import { rows } from "../../../../test/sending.ts";
import { pass, stale } from "../../../../test/signins.ts";
import { type TestService, testService } from "../../../../test/testservice.ts";
import { formsOf, ownedCompany, type Shown, unescaped, Visitor } from "../../../../test/visitor.ts";

const CONFIRM = /<h1>Confirmez votre identité<\/h1>/;

suite("a recent sign-in", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;

  before(async () => {
    w = await testService({ after: (close) => closing.push(close) }, OPEN);
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  /** Where the page leads who signs in again. */
  function againAt({ text }: Shown): string {
    return unescaped(/href="([^"]*\/sign-in\?next=[^"]+)"/.exec(text)![1]!);
  }

  async function signIn(visitor: Visitor, { phone, secret }: Person, page: Shown): Promise<Shown> {
    await rows(w.app, "UPDATE administrators SET last_step = last_step - 2");
    const before = codesAt(w, phone).length;
    const asked = await visitor.send(page, "/admin/sign-in", { phone: `+${phone}` });
    const otp = await codeAt(w, phone, before + 1);
    return visitor.send(asked, "/admin/sign-in/code", { otp, totp: totpOf(secret) });
  }

  /** The sign-in of an administrator is no recent one any more. */
  const grownOld = ({ id }: Person) =>
    rows(
      w.app,
      "UPDATE administrator_sessions SET created_at = created_at - interval '16 minutes' WHERE administrator_id = $1",
      [id],
    );

  test("what takes one leads back with what was typed, but for passwords", async () => {
    const owned = newPhone();
    await ownedCompany(w, owned);
    const visitor = new Visitor(w);
    await visitor.signInToConsole(w, owned);
    const page = await visitor.open("/members/new");
    await stale(w, owned);
    const typed = { name: "Yao", phone: "0707000001", password: "hunter2" };
    const again = await visitor.send(page, "/members/new", typed);
    assert.equal(again.status, 403);
    assert.match(again.text, CONFIRM);
    assert.match(new URL(againAt(again), w.url).searchParams.get("next")!, /^\/members\/new\?.*name=Yao/);
    assert.ok(!again.text.includes("hunter2") && !again.text.includes("csrf="));
    await pass(w);
    const asked = await visitor.open(againAt(again));
    assert.equal(formsOf(asked.text)[0]!.fields.phone, `+${owned}`, "the phone is known");
  });

  test("a form that is sent after the session has ended says so, and what was typed comes back", async () => {
    const owned = newPhone();
    await ownedCompany(w, owned);
    const visitor = new Visitor(w);
    await visitor.signInToConsole(w, owned);
    const page = await visitor.open("/contacts/new");
    await rows(w.app, "DELETE FROM member_sessions WHERE phone = $1", [owned]);
    const long = "Bonjour à tous nos clients. ".repeat(60);
    const again = await visitor.send(page, "/contacts/new", { phone: "0707000001", name: "Awa" });
    assert.equal(again.status, 403);
    assert.match(again.text, /<h1>Votre session est terminée<\/h1>/);
    assert.match(again.text, /Rien n’a été modifié/);
    assert.match(new URL(againAt(again), w.url).searchParams.get("next")!, /^\/contacts\/new\?.*name=Awa/);
    const lost = await visitor.send(page, "/contacts/new", { phone: "0707000001", name: long });
    assert.match(lost.text, /copiez-la ici/);
    assert.ok(unescaped(lost.text).includes(long), "a long text can be copied");
  });

  test("the administration has the same way, and what was typed is there after it", async () => {
    const owner = await person(w, "owner");
    const visitor = new Visitor(w);
    await pass(w);
    await signIn(visitor, owner, await visitor.open("/admin/sign-in"));
    const page = await visitor.open("/admin/administrators/new");
    await grownOld(owner);
    const typed = { name: "Koffi Yao", phone: "2250707000001", role: "finance" };
    const again = await visitor.send(page, "/admin/administrators/new", typed);
    assert.equal(again.status, 403);
    assert.match(again.text, CONFIRM);
    await pass(w);
    const back = await signIn(visitor, owner, await visitor.open(againAt(again)));
    const form = formsOf(back.text).find(({ action }) => action === "/admin/administrators/new")!;
    const { name, phone, role } = form.fields;
    assert.deepEqual({ name, phone, role }, typed);
    const made = await visitor.send(back, "/admin/administrators/new");
    assert.match(made.text, /Koffi Yao/);
  });

  test("a changed form comes back with what was typed in place of what is stored", async () => {
    const owner = await person(w, "owner");
    const other = await person(w, "support");
    const visitor = new Visitor(w);
    await pass(w);
    await signIn(visitor, owner, await visitor.open("/admin/sign-in"));
    const at = `/admin/administrators/${other.id}`;
    const filledAt = ({ text }: Shown) => {
      const { name, phone, role } = formsOf(text).find(({ action }) => action === at)!.fields;
      return [name, phone, role];
    };
    const page = await visitor.open(at);
    await grownOld(owner);
    const again = await visitor.send(page, at, { name: "Awa", phone: "", role: "finance" });
    await pass(w);
    const back = await signIn(visitor, owner, await visitor.open(againAt(again)));
    assert.deepEqual(filledAt(back), ["Awa", "", "finance"]);
    // What was kept is one person's: a link of somebody else fills in nothing, not with the seal of another one either.
    const forged = `${at}?name=Mallory&phone=&role=owner&language=fr`;
    for (const link of [forged, `${forged}&sealed=${new URL(back.url).searchParams.get("sealed")}`])
      assert.deepEqual(filledAt(await visitor.open(link)), filledAt(page));
  });

  test("a sign-in that a new carrier requires keeps what was typed, and no secret of it", async () => {
    const owner = await person(w, "owner");
    const visitor = new Visitor(w);
    await pass(w);
    await signIn(visitor, owner, await visitor.open("/admin/sign-in"));
    const at = "/admin/operators/new/http/orange";
    const page = await visitor.open(at);
    await grownOld(owner);
    const again = await visitor.send(page, at, {
      "setting-clientId": "aBcD",
      "secret-clientSecret": "tambour-battant-toute-la-nuit",
      "setting-country": "+2250000",
    });
    assert.equal(again.status, 403);
    assert.match(againAt(again), /setting-clientId/);
    assert.doesNotMatch(again.text, /tambour/);
  });

  test("a role without the right is told so, and is sent to no sign-in and no field", async () => {
    const support = await person(w, "support");
    const visitor = new Visitor(w);
    await pass(w);
    await signIn(visitor, support, await visitor.open("/admin/sign-in"));
    const at = "/admin/operators/new/smpp";
    const refused = await visitor.send(await visitor.open(at), at, {
      name: "Opérateur",
      host: "198.51.100.7",
      systemId: "b",
      password: "c",
    });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /role="alert"/);
    assert.ok(!/#adminKey|sign-in\?next/.test(refused.text));
  });
});

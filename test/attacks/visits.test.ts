// Visits to the console attacked: other tabs and other people at one browser, keys that stay behind, uploads by
// unauthenticated callers.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../applications.ts";
import { newPhone } from "../codes.ts";
import { OPEN } from "../fixtures.ts";
import { pass } from "../signins.ts";
import { type Company, type TestService, testService, until } from "../testservice.ts";
import { formsOf, ownedCompany, type Shown, Visitor } from "../visitor.ts";

const COOKIE = "atumpan_console";

suite("visits to the console", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;

  before(async () => {
    w = await testService({ after: (close) => closing.push(close) }, OPEN);
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  /** The owner of two companies, who visits for the first of them. */
  async function ownerOfTwo() {
    const phone = newPhone();
    const [first, second] = [
      await ownedCompany(w, phone, { name: "Alpha" }),
      await ownedCompany(w, phone, { name: "Bêta" }),
    ];
    await pass(w);
    const visitor = new Visitor(w);
    await visitor.signInToConsole(w, phone);
    await choose(visitor, first.companyId);
    return { visitor, first, second, phone };
  }

  async function choose(visitor: Visitor, companyId: string): Promise<Shown> {
    return visitor.send(await visitor.open("/menu"), "/company", { companyId });
  }

  async function administer(): Promise<Visitor> {
    const visitor = new Visitor(w);
    const page = await visitor.open("/admin/sign-in/key");
    await visitor.send(page, "/admin/sign-in/key", { adminKey: w.adminKey });
    return visitor;
  }

  /** A second browser with the cookie of the first. */
  function copyOf({ cookie }: Visitor): Visitor {
    const copy = new Visitor(w);
    copy.cookie = cookie;
    return copy;
  }

  const contactsOf = async ({ call }: Company) => (await call("/v1/contact/list")).totalCount;

  test("a form changes the company that its page showed, or nothing", async () => {
    const { visitor, first, second } = await ownerOfTwo();
    const page = await visitor.open("/contacts/new");
    await choose(visitor, second.companyId);
    const sent = await visitor.send(page, "/contacts/new", { phone: newPhone() });
    assert.equal(sent.status, 403);
    assert.deepEqual([await contactsOf(first), await contactsOf(second)], [0, 0]);
  });

  test("where the company of a page is suspended meanwhile, its forms change no other company", async () => {
    const { visitor, first, second } = await ownerOfTwo();
    const page = await visitor.open("/contacts/new");
    await dataOf(w.admin(`/v1/admin/company/${first.companyId}/suspend`, { reason: "Hameçonnage" }));
    const sent = await visitor.send(page, "/contacts/new", { phone: newPhone() });
    assert.equal(sent.status, 403);
    assert.equal(await contactsOf(second), 0);
    // The next page is that of the other company, whose forms work.
    const next = await visitor.open("/contacts/new");
    assert.equal((await visitor.send(next, "/contacts/new", { phone: newPhone() })).status, 200);
    assert.equal(await contactsOf(second), 1);
  });

  test("a copied cookie of who administers with a key is no good after the sign-out", async () => {
    const admin = await administer();
    const copy = copyOf(admin);
    assert.equal(new URL((await copy.open("/admin")).url).pathname, "/admin");
    const left = await admin.send(await admin.open("/admin/menu"), "/admin/sign-out");
    assert.equal(left.status, 200);
    assert.equal(new URL((await copy.open("/admin")).url).pathname, "/admin/sign-in");
  });

  test("a visit with a key ends when it is not used, as those of persons do", async () => {
    const brief = { ...OPEN.settings, adminSessionIdleMs: 1 };
    const there = await testService({ after: (close) => closing.push(close) }, { ...OPEN, settings: brief });
    const visitor = new Visitor(there);
    const page = await visitor.open("/admin/sign-in/key");
    await visitor.send(page, "/admin/sign-in/key", { adminKey: there.adminKey });
    // A fast machine follows within the millisecond; the next page comes later than that.
    await until(async () => new URL((await visitor.open("/admin")).url).pathname === "/admin/sign-in");
  });

  test("signing out ends all that is open in a browser, also where the session is over already", async () => {
    const admin = await administer();
    const phone = newPhone();
    await ownedCompany(w, phone);
    await pass(w);
    // Who has signed in before stays an administrator only if nobody else signs in.
    await admin.signInToConsole(w, phone);
    assert.equal(new URL((await admin.open("/admin")).url).pathname, "/admin/sign-in");

    const page = await admin.open("/account");
    const copy = copyOf(admin);
    const out = await admin.send(page, "/sign-out");
    assert.equal(new URL(out.url).pathname, "/sign-in");
    const again = await copy.open("/sign-out", {
      method: "POST",
      body: new URLSearchParams({ csrf: formsOf(page.text).at(-1)!.fields.csrf! }),
    });
    assert.equal(new URL(again.url).pathname, "/sign-in");
  });

  test("a link of somebody else fills in no form, and no key that makes it count once", async () => {
    const admin = await administer();
    const { companyId } = await ownedCompany(w, newPhone());
    const page = await admin.open(`/admin/companies/${companyId}?credit=100000&key=attacker`);
    const keys = formsOf(page.text).flatMap(({ fields }) => fields.key ?? []);
    assert.ok(keys.length > 0 && !keys.includes("attacker"));
    const { visitor } = await ownerOfTwo();
    const invited = await visitor.open("/members/new?name=Support&phone=%2B2250799999999&role=owner");
    const typed = formsOf(invited.text).find(({ action }) => action === "/members/new")!.fields;
    assert.notEqual(typed.role, "owner");
    assert.equal(typed.phone, "");
  });

  test("what no address can have is refused as a page, and nothing of it reaches a header", async () => {
    const { visitor } = await ownerOfTwo();
    for (const id of ["%0d%0aX-Y:%20z", "%00", "%F0%9F%98%80"]) {
      const { status, headers } = await visitor.open(`/campaigns/drafts/${id}`);
      assert.ok(status === 400 || status === 404, `${id}: ${status}`);
      assert.ok(headers.get("content-security-policy"), id);
      assert.equal(headers.get("x-y"), null);
    }
    const long = await visitor.open(`/sign-in?next=/${"a".repeat(5_000)}`);
    assert.equal(formsOf(long.text)[0]!.fields.next, "/");
  });

  test("guesses at keys through a proxy on this machine are limited in the console too", async () => {
    const there = await testService({ after: (close) => closing.push(close) });
    const visitor = new Visitor(there, { "X-Forwarded-For": "203.0.113.9" });
    const page = await visitor.open("/admin/sign-in/key");
    let tries = 0;
    for (let isRefused = false; !isRefused; tries++) {
      const { text } = await visitor.send(page, "/admin/sign-in/key", { adminKey: `adm_${tries}` });
      isRefused = !/Cette clé n’est pas la bonne/.test(text);
      assert.ok(tries < 100, "nobody stops it");
    }
  });

  const PARTS = "\r\n--B\r\n\r".repeat(10_000);

  /** Sends the beginning of an endless file; resolves to the head of the answer when the connection has ended. */
  async function sendEndless(cookie?: string): Promise<string> {
    const { port } = new URL(w.url);
    const socket = connect(Number(port), "127.0.0.1");
    const head = [
      "POST /contacts/import/file HTTP/1.1",
      `Host: 127.0.0.1:${port}`,
      "Content-Type: multipart/form-data; boundary=B",
      "Content-Length: 1000000000",
      ...(cookie ? [`Cookie: ${cookie}`] : []),
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n${PARTS}`);
    const answer = await textOf(socket);
    return answer.split("\r\n\r\n", 1)[0]!;
  }

  test("of a stranger's file nothing is parsed, and the connection ends", async () => {
    const head = await sendEndless();
    assert.match(head, /^HTTP\/1\.1 303 /);
    assert.match(head, /location: \/sign-in/i);
    assert.match(head, /connection: close/i);
  });

  test("a form of too many parts is parsed no further, and the connection ends", async () => {
    const { visitor } = await ownerOfTwo();
    assert.ok(visitor.cookie!.startsWith(COOKIE));
    const head = await sendEndless(visitor.cookie);
    assert.match(head, /^HTTP\/1\.1 400 /);
    assert.match(head, /connection: close/i);
    const broken = await visitor.open("/contacts/import/file", {
      method: "POST",
      headers: { "Content-Type": "multipart/form-data" },
      body: "x",
    });
    assert.equal(broken.status, 400);
  });

  test("over HTTPS no subdomain can plant a session", async () => {
    const config = { publicUrl: "https://sms.example" };
    const there = await testService({ after: (close) => closing.push(close) }, { ...OPEN, config });
    const { headers } = await fetch(`${there.url}/sign-in`);
    assert.match(headers.getSetCookie().join(), /__Host-atumpan_console=[^;]+;.*Path=\/;.*Secure/);
  });
});

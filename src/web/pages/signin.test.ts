// Signing in on a page: only who holds the phone gets in, and nobody learns which phones are known.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { codeAt, newPhone, textAt, wrong } from "../../../test/codes.ts";
import { rows } from "../../../test/sending.ts";
import { type TestServiceOptions, testService, until } from "../../../test/testservice.ts";
import { formsOf, type Shown, Visitor, waitingPairing } from "../../../test/visitor.ts";
import { openLog } from "../../platform/log.ts";

const many = { signInsPerTenMinutes: 1_000, signInGuessesPerTenMinutes: 1_000 };

/** A page without what differs from one visitor to the next. */
function alike(page: Shown, phone: string): string {
  const shown = phone.slice(3).replace(/(\d\d)(?=\d)/g, "$1\u00a0");
  return page.text
    .replace(/name="csrf" value="[^"]+"/g, "")
    .replaceAll(phone, "…")
    .replaceAll(shown, "…");
}

test("signing in", async (t) => {
  const here = await testService(t, { limits: many, settings: { signInAnswerMs: 0 } });

  await t.test("an unknown phone gets the same answers, no SMS and no way in", async () => {
    const { phone, link } = await waitingPairing(here);
    const unknown = newPhone();
    const pages: string[][] = [];
    for (const typed of [phone, unknown]) {
      const visitor = new Visitor(here);
      const first = await visitor.open(link);
      const asked = await visitor.send(first, "/pair/phone", { phone: `+${typed}` });
      assert.equal(asked.status, 200);
      const code = typed === phone ? wrong(await codeAt(here, phone)) : "000000";
      const seen = [alike(asked, typed)];
      // The sixth guess at a real code is not even compared; that must not show either.
      for (let i = 0; i < 7; i++) {
        const refused = await visitor.send(asked, "/pair/otp", {
          otp: `${code.slice(0, i)} ${code.slice(i)}`,
        });
        assert.equal(refused.status, 400);
        assert.match(refused.text, /href="#otp">Ce code est inexact ou n’est plus valable/);
        seen.push(alike(refused, typed));
      }
      const again = await visitor.send(asked, "/pair/phone", { phone: `${typed}` });
      assert.equal(again.status, 429);
      assert.match(again.headers.get("retry-after")!, /^(3[01]|[12]\d)$/);
      assert.match(again.text, /Attendez \d+ secondes/);
      seen.push(alike(again, typed).replace(/\d+ secondes/, ""));
      pages.push(seen);
    }
    assert.deepEqual(pages[0], pages[1]);
    assert.equal(here.simulator.inbox({ phone: unknown }).length, 0);
  });

  await t.test("a sign-in takes its time, so that time tells nothing either", async (t) => {
    const slow = await testService(t, { settings: { signInAnswerMs: 300 } });
    const { phone, link } = await waitingPairing(slow);
    for (const typed of [phone, newPhone()]) {
      const visitor = new Visitor(slow);
      const first = await visitor.open(link);
      const startedAt = performance.now();
      await visitor.send(first, "/pair/phone", { phone: typed });
      assert.ok(performance.now() - startedAt >= 299);
    }
  });

  await t.test("a form that is sent twice is one SMS and one guess, and lets in both times", async () => {
    const { phone, link } = await waitingPairing(here);
    const visitor = new Visitor(here);
    const first = await visitor.open(link);
    const asked = await Promise.all([1, 2, 3].map(() => visitor.send(first, "/pair/phone", { phone })));
    for (const page of asked) assert.equal(page.status, 200);
    const otp = await codeAt(here, phone);
    const entered = await Promise.all([1, 2, 3].map(() => visitor.send(asked[0]!, "/pair/otp", { otp })));
    for (const page of entered) assert.match(page.text, /demande à envoyer des SMS/);
    assert.equal(here.simulator.inbox({ phone }).length, 1);
  });

  await t.test(
    "the service pays for the code; the company's own codes to that phone are left alone",
    async () => {
      const { phone, company, link } = await waitingPairing(here, { credits: 1 });
      const asked = await company.call("/v1/auth/otp/get", { phoneNumber: phone });
      const code = (await textAt(here, phone)).match(/ est (\d+)\./)![1]!;
      const visitor = new Visitor(here);
      const page = await visitor.send(await visitor.open(link), "/pair/phone", { phone });
      assert.match(await textAt(here, phone, 2), /est votre code pour approuver une application/);
      for (let i = 0; i < 5; i++) await visitor.send(page, "/pair/otp", { otp: `00000${i}` });
      const verified = await company.call("/v1/auth/otp/verify", {
        phoneNumber: phone,
        token: asked.data.token,
        otp: code,
      });
      assert.equal(verified.data?.status, "VERIFIED");
      assert.equal(await dataOf(company.call("/v1/credit/balance")), 0);
      assert.equal((await here.admin("/v1/admin/credit/audit")).data.balanced, true);
    },
  );

  await t.test(
    "a cookie that was kept opens nothing after the decision, nor after another number",
    async () => {
      for (const end of ["/pair/restart", "/pair/answer"]) {
        const { phone, link } = await waitingPairing(here);
        const visitor = new Visitor(here);
        const review = await visitor.signIn(here, await visitor.open(link), phone);
        const kept = visitor.cookie!;
        await visitor.send(review, end, { answer: "refuse" });
        visitor.cookie = kept;
        assert.match((await visitor.open(link)).text, /Votre numéro de téléphone/);
      }
    },
  );

  await t.test("who begins again without having signed in leaves no row", async () => {
    const { link } = await waitingPairing(here);
    const visitor = new Visitor(here);
    const ended = async () => (await rows(here.app, "SELECT FROM ended_sessions")).length;
    const before = await ended();
    const asked = await visitor.send(await visitor.open(link), "/pair/phone", { phone: newPhone() });
    await visitor.send(asked, "/pair/restart");
    assert.equal(await ended(), before);
  });

  await t.test("a link on another site looks no code up for who is signed in", async () => {
    const { phone, link } = await waitingPairing(here);
    const visitor = new Visitor(here);
    await visitor.signIn(here, await visitor.open(link), phone);
    const pushed = await visitor.open("/pair?code=ABCDEFGHJK", {
      headers: { "Sec-Fetch-Site": "cross-site" },
    });
    assert.equal(pushed.status, 200);
    assert.match(pushed.text, /value="ABCDE ?FGHJK"/);
    assert.equal((await rows(here.app, "SELECT FROM pairing_misses WHERE misses > 0")).length, 0);
    assert.match((await visitor.open(link)).text, /demande à envoyer/);
  });

  await t.test("another number can be taken; what is no number is told", async () => {
    const { phone, link } = await waitingPairing(here);
    const visitor = new Visitor(here);
    const wrongNumber = await visitor.send(await visitor.open(link), "/pair/phone", { phone: "n'importe" });
    assert.equal(wrongNumber.status, 400);
    assert.match(wrongNumber.text, /href="#phone">Ce numéro de téléphone n’est pas valable/);
    assert.match(wrongNumber.text, /value="n&#39;importe"[^>]*aria-invalid="true"/);
    const asked = await visitor.send(wrongNumber, "/pair/phone", { phone: newPhone() });
    const first = await visitor.send(asked, "/pair/restart");
    assert.match(first.text, /Votre numéro de téléphone/);
    assert.match((await visitor.signIn(here, first, phone)).text, /demande à envoyer/);
  });

  await t.test("forms of nowhere, of another session or of another site change nothing", async () => {
    const { phone, link, status } = await waitingPairing(here);
    const visitor = new Visitor(here);
    const page = await visitor.signIn(here, await visitor.open(link), phone);
    const unauthenticated = new Visitor(here);
    const foreign = formsOf((await unauthenticated.open(link)).text)[0]!.fields.csrf!;
    const answer = { answer: "approve" };
    const refused = [
      await visitor.send(page, "/pair/answer", { ...answer, csrf: "" }),
      await visitor.send(page, "/pair/answer", { ...answer, csrf: foreign }),
      await visitor.send(page, "/pair/answer", answer, { "Sec-Fetch-Site": "cross-site" }),
      await visitor.send(page, "/pair/answer", answer, { "Sec-Fetch-Site": "same-site" }),
      await visitor.send(page, "/pair/answer", answer, { Origin: "https://evil.example" }),
      await visitor.send(page, "/pair/answer", { answer: "peut-être" }),
      await new Visitor(here).send(page, "/pair/answer", answer),
      await unauthenticated.send(page, "/pair/answer", { ...answer, csrf: foreign }),
    ];
    for (const { status, text } of refused) {
      assert.equal(status, 403);
      assert.match(text, /Cette page a expiré/);
    }
    assert.equal(await status(), "PENDING");
    const form = formsOf((await visitor.open(link)).text).find(({ action }) => action === "/pair/answer")!;
    const query = new URLSearchParams({ ...form.fields, ...answer });
    assert.match(
      (await visitor.open(`/pair/answer?${query}`)).text,
      /demande à envoyer/,
      "a GET decides nothing",
    );
    assert.equal(await status(), "PENDING");
    const own = { "Sec-Fetch-Site": "same-origin", Origin: "null" };
    assert.match((await visitor.send(page, "/pair/answer", answer, own)).text, /Accès approuvé/);
  });

  await t.test("a cookie that was changed or made up is nobody's", async () => {
    const { phone, link } = await waitingPairing(here);
    const visitor = new Visitor(here);
    await visitor.signIn(here, await visitor.open(link), phone);
    const [name, value] = visitor.cookie!.split("=") as [string, string];
    for (const forged of [
      "",
      "1.x.y",
      `${value.slice(0, 40)}${value[40] === "A" ? "B" : "A"}${value.slice(41)}`,
      "%00",
      JSON.stringify({ at: "known", phone }),
    ]) {
      visitor.cookie = `${name}=${forged}`;
      assert.match((await visitor.open(link)).text, /Votre numéro de téléphone/, forged);
    }
  });

  await t.test("broken forms are a page with a status, never a crash", async () => {
    const post = (body: string, type: string) =>
      fetch(`${here.url}/pair/phone`, { method: "POST", body, headers: { "Content-Type": type } });
    const form = "application/x-www-form-urlencoded";
    const answers = [
      await post("phone=%00", form),
      await post("{}", "application/json"),
      await post(`phone=${"x".repeat(20_000)}`, form),
      await fetch(`${here.url}/pair?code=%00`),
    ];
    for (const answer of answers) {
      assert.equal(answer.status, 400);
      assert.match(await answer.text(), /Requête non valable/);
    }
    assert.equal((await post("phone=1&phone=2", form)).status, 403);
  });
});

test("a session ends by itself", async (t) => {
  const here = await testService(t, { settings: { pageSessionLifetimeMs: 1_500, signInAnswerMs: 0 } });
  const { phone, link, status } = await waitingPairing(here);
  const visitor = new Visitor(here);
  const page = await visitor.signIn(here, await visitor.open(link), phone);
  const kept = visitor.cookie;
  await until(async () => {
    visitor.cookie = kept;
    return /Votre numéro/.test((await visitor.open(link)).text);
  });
  visitor.cookie = kept;
  const late = await visitor.send(page, "/pair/answer", { answer: "approve" });
  assert.equal(late.status, 403);
  assert.equal(await status(), "PENDING");
});

test("sign-ins of one address and of one phone have their limits", async (t) => {
  const proxied: TestServiceOptions = {
    config: { trustProxy: ["127.0.0.1"] },
    settings: { signInAnswerMs: 0 },
  };
  const here = await testService(t, { ...proxied, limits: { signInGuessesPerTenMinutes: 3 } });
  const visitor = new Visitor(here, { "X-Forwarded-For": "203.0.113.7" });
  const first = await visitor.open("/pair?code=ABCDEFGHJK");
  const sent = await visitor.send(first, "/pair/phone", { phone: newPhone() });
  const guesses = [];
  for (let i = 0; i < 5; i++) guesses.push(await visitor.send(sent, "/pair/otp", { otp: `00000${i}` }));
  assert.deepEqual(
    guesses.map((page) => page.status),
    [400, 400, 400, 429, 429],
  );
  const statuses = [];
  for (let i = 0; i < 21; i++)
    statuses.push((await visitor.send(first, "/pair/phone", { phone: newPhone() })).status);
  assert.deepEqual(statuses, [...Array(19).fill(200), 429, 429]);
  const elsewhere = new Visitor(here, { "X-Forwarded-For": "203.0.113.8" });
  const answer = await elsewhere.send(await elsewhere.open("/pair?code=ABCDEFGHJK"), "/pair/phone", {
    phone: newPhone(),
  });
  assert.equal(answer.status, 200);
});

test("codes of one phone in a day have their limit, known or not", async (t) => {
  // Less than one: so the very first is refused, without a day's waiting.
  const here = await testService(t, { limits: { ...many, signInsPerPhone: 0.5 } });
  const { phone, link } = await waitingPairing(here);
  for (const typed of [phone, newPhone()]) {
    const visitor = new Visitor(here);
    const refused = await visitor.send(await visitor.open(link), "/pair/phone", { phone: typed });
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get("retry-after"), "86400");
    assert.match(refused.text, /Attendez 24 heures/);
  }
});

test("a fault of ours is a page too, with a number to quote", async (t) => {
  const here = await testService(t, { log: openLog("silent") });
  const { link } = await waitingPairing(here);
  const visitor = new Visitor(here);
  const first = await visitor.open(link);
  await rows(here.app, "ALTER TABLE memberships RENAME TO elsewhere");
  const crashed = await visitor.send(first, "/pair/phone", { phone: newPhone() });
  assert.equal(crashed.status, 500);
  assert.match(crashed.text, /communiquez-nous ce numéro\s: [0-9a-f]{24}/);
  assert.doesNotMatch(crashed.text, /memberships/);
});

test("pages cannot be framed, kept, scripted or listened to", async (t) => {
  const here = await testService(t, {
    config: { trustProxy: ["127.0.0.1"], refusePlainHttp: true, publicUrl: "https://sms.example" },
  });
  const secure = { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "sms.example" };
  const page = await fetch(`${here.url}/pair`, { headers: secure });
  const policy = page.headers.get("content-security-policy")!;
  for (const part of [
    "default-src 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
    "base-uri 'none'",
  ])
    assert.ok(policy.includes(part), part);
  assert.doesNotMatch(policy, /script-src|unsafe|https?:/);
  assert.equal(page.headers.get("x-frame-options"), "DENY");
  assert.equal(page.headers.get("referrer-policy"), "no-referrer");
  assert.equal(page.headers.get("cache-control"), "no-store");
  const text = await page.text();
  assert.doesNotMatch(text, /<script|\sstyle=|\son\w+=|src=/);
  const [cookie] = page.headers.getSetCookie();
  for (const part of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/pair", "Max-Age=900"])
    assert.ok(cookie!.includes(part), part);
  const sheet = await fetch(here.url + text.match(/href="(\/pair\/page\.css[^"]+)"/)![1], {
    headers: secure,
  });
  assert.match(sheet.headers.get("content-type")!, /^text\/css/);
  assert.match(sheet.headers.get("cache-control")!, /immutable/);
  const plain = await fetch(`${here.url}/pair`);
  assert.equal(plain.status, 403);
  assert.deepEqual(plain.headers.getSetCookie(), []);
  assert.match(await plain.text(), /HTTPS/);
});

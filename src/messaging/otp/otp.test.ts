// One-time passwords through their URLs: sent, guessed, verified once, paid for, and nowhere in the clear.
import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import pino from "pino";
import { newPhone, type Sent, sendCode, textAt, verify, wrong } from "../../../test/codes.ts";
import { readMetrics } from "../../../test/metrics.ts";
import { asOwner, assertBalanced, balanceOf, rows } from "../../../test/sending.ts";
import { type Company, type TestService, testService, until } from "../../../test/testservice.ts";

test("one-time passwords", async (t) => {
  const here = await testService(t);

  await t.test("get sends a code of 4 digits and answers its token; verify accepts it once", async () => {
    const company = await here.company({ credits: 10 });
    const phoneNumber = newPhone();
    const { data } = await company.call("/v1/auth/otp/get", { phoneNumber: `+${phoneNumber}` });
    assert.deepEqual(Object.keys(data).sort(), ["phoneNumber", "status", "token"]);
    assert.match(data.token, /^[0-9a-f]{24}$/);
    assert.deepEqual({ ...data, token: "" }, { token: "", status: "PENDING", phoneNumber });
    const text = await textAt(here, phoneNumber);
    const [, otp] = text.match(
      /^Votre code Atumpan est (\d{4})\. Il expire dans 5 minutes\. Ne le partagez pas\.$/,
    )!;
    assert.equal(here.simulator.inbox({ phone: phoneNumber })[0]!.from, "ATUMPAN");
    const guess = { phoneNumber: `+${phoneNumber}`, token: data.token, otp };
    const verified = await company.call("/v1/auth/otp/verify", guess);
    assert.deepEqual(verified.data, { token: data.token, status: "VERIFIED", phoneNumber });
    assert.equal((await company.call("/v1/auth/otp/verify", guess)).error, "otp-already-used");
    assert.equal(await balanceOf(company), 9);
    await assertBalanced(here);
  });

  await t.test("modes, lengths, appName and the company's language", async () => {
    const company = await here.company({ credits: 30 });
    const letters = await sendCode(here, company, { mode: "ALPHABET", length: 10, appName: "Ma Boutique" });
    assert.match(letters.text, /^Votre code Ma Boutique est [A-HJKMNP-Z]{10}\. /);
    assert.equal((await verify(company, letters, letters.code.toLowerCase())).data.status, "VERIFIED");
    const mixed = await sendCode(here, company, { mode: "ALPHA_NUMERIC", length: 6 });
    assert.match(mixed.code, /^[2-9A-HJKMNP-Z]{6}$/);
    await rows(here.app, "UPDATE companies SET language = 'en' WHERE id = $1", [company.companyId]);
    const english = await sendCode(here, company, {
      mode: null,
      length: null,
      appName: null,
      senderId: null,
    });
    assert.match(english.text, /^Your Atumpan code is \d{4}\. It expires in 5 minutes\. Do not share it\.$/);
  });

  await t.test(
    "appName may have every letter, digit and apostrophe of GSM-7, and dots that make no link",
    async () => {
      const company = await here.company({ credits: 30 });
      const names = ["Café", "L'Appli", "ÇØøÅåÆæßÉÄÖÑÜäöñü", "àèéùìòΔΦΓΛΩΠΨΣΘΞ", "A_B-C 2.", "Mr. X"];
      for (const appName of names) {
        const { text } = await sendCode(here, company, { appName });
        assert.ok(text.startsWith(`Votre code ${appName} est `), text);
      }
    },
  );

  await t.test("O11: a length, mode or appName that is none is refused and costs nothing", async () => {
    const company = await here.company({ credits: 5 });
    const phoneNumber = newPhone();
    const bad = [
      ...[0, 3, 11, 4.5, "6", 1e9, -4, true].map((length) => ({ length })),
      { mode: "numeric" },
      { mode: "HEX" },
      ...["X".repeat(21), "http://x", "Caf\u00e9!", "a\nb", "Cr\u00eape"].map((appName) => ({ appName })),
      ...["evil-bank.com", "Ma.B", ".1", "a. b.\u00e9", "   ", "_.-'"].map((appName) => ({ appName })),
      { phoneNumber: 2250700000000 },
    ];
    for (const body of bad) {
      const { error } = await company.call("/v1/auth/otp/get", { phoneNumber, ...body });
      assert.equal(error, "invalid-request", JSON.stringify(body));
    }
    assert.equal(
      (await company.call("/v1/auth/otp/get", { phoneNumber: "abc" })).error,
      "invalid-phone-number",
    );
    assert.equal(await balanceOf(company), 5);
  });

  await t.test("without companyId the user's own pool pays; with it the company's", async () => {
    const company = await here.company({ credits: 5 });
    const { apiKey, userId } = company;
    const phoneNumber = newPhone();
    const asUser = { apiKey, phoneNumber };
    assert.equal((await here.call("/v1/auth/otp/get", asUser)).error, "insufficient-credits");
    assert.deepEqual(here.simulator.inbox({ phone: phoneNumber }), []);
    await here.admin("/v1/admin/credit/grant", { userId, credit: 2, reason: "test" });
    const { data } = await here.call("/v1/auth/otp/get", asUser);
    const code = (await textAt(here, phoneNumber)).match(/\d{4}/)![0];
    const [pool] = await rows(here.app, "SELECT available FROM pools WHERE id = $1", [userId]);
    assert.equal(pool.available, 1);
    const guess = { apiKey, phoneNumber, token: data.token, otp: code };
    assert.equal((await here.call("/v1/auth/otp/verify", guess)).data.status, "VERIFIED");
    // A code that the company paid is verified without naming the company, as the document has it.
    const paid = await sendCode(here, company);
    const body = { apiKey, phoneNumber: paid.phoneNumber, token: paid.token, otp: paid.code };
    assert.equal((await here.call("/v1/auth/otp/verify", body)).data.status, "VERIFIED");
    assert.equal(await balanceOf(company), 4);
  });

  await t.test("senderId must be a name that is accepted; without one it is the service's own", async () => {
    const company = await here.company({ credits: 20 });
    const make = async (name: string) =>
      (await company.call("/v1/sender/create", { name, description: "x" })).data.id;
    const id = await make("KIOSQUE");
    const get = (more: object) => company.call("/v1/auth/otp/get", { phoneNumber: newPhone(), ...more });
    assert.equal((await get({ senderId: "Nobody" })).error, "sender-not-found");
    assert.equal((await get({ senderId: "KIOSQUE" })).error, "sender-not-accepted");
    await here.admin(`/v1/admin/sender/${id}/accept`, { reason: "Test" });
    for (const who of [company.call, here.call]) {
      await here.admin("/v1/admin/credit/grant", { userId: company.userId, credit: 1, reason: "test" });
      const phoneNumber = newPhone();
      const body = { apiKey: company.apiKey, phoneNumber, senderId: "kiosque" };
      assert.equal((await who("/v1/auth/otp/get", body)).error, null);
      await textAt(here, phoneNumber);
      assert.equal(here.simulator.inbox({ phone: phoneNumber })[0]!.from, "KIOSQUE");
    }
    const { phoneNumber } = await sendCode(here, company);
    assert.equal(here.simulator.inbox({ phone: phoneNumber })[0]!.from, "ATUMPAN");
    const other = await here.company({ credits: 1 });
    assert.equal(
      (await other.call("/v1/auth/otp/get", { phoneNumber: newPhone(), senderId: "KIOSQUE" })).error,
      "sender-not-found",
    );
  });

  await t.test("what the operator rejects is refunded, and foreign numbers cost 5", async () => {
    const company = await here.company({ credits: 10 });
    await company.call("/v1/auth/otp/get", { phoneNumber: "2250709990001" });
    await until(async () => (await assertBalanced(here)).held === 0);
    assert.equal(await balanceOf(company), 10);
    await company.call("/v1/auth/otp/get", { phoneNumber: "33612345678" });
    assert.equal(await balanceOf(company), 5);
  });

  await t.test("a code is no campaign, and reaches who wants no campaigns", async () => {
    const company = await here.company({ credits: 10 });
    const phone = newPhone();
    await company.call("/v1/optout/create", { phone });
    assert.equal((await company.call("/v1/auth/otp/get", { phoneNumber: phone })).error, null);
    await textAt(here, phone);
    assert.equal((await company.call("/v1/campaign/list")).totalCount, 0);
    const [send] = await rows(here.app, "SELECT send_id FROM otp_codes WHERE phone = $1", [phone]);
    assert.equal((await company.call(`/v1/campaign/${send.send_id}`)).error, "campaign-not-found");
    assert.equal((await company.call(`/v1/campaign/${send.send_id}/messages`)).error, "campaign-not-found");
    assert.equal((await company.call("/v1/contact/list")).totalCount, 0);
  });

  await t.test(
    "L11: a repeat with the same key sends nothing more and answers the same token, which no table shows",
    async () => {
      const company = await here.company({ credits: 10 });
      const body = { phoneNumber: newPhone(), idempotencyKey: "otp-1" };
      const [first, ...others] = await Promise.all(
        Array.from({ length: 5 }, () => company.call("/v1/auth/otp/get", body)),
      );
      const answers = [first!, ...others];
      for (const { error } of answers)
        assert.ok(error === null || error === "idempotency-in-progress", error!);
      const { data } = answers.find((answer) => answer.success)!;
      assert.deepEqual((await company.call("/v1/auth/otp/get", body)).data, data);
      const other = { ...body, length: 6 };
      assert.equal((await company.call("/v1/auth/otp/get", other)).error, "idempotency-key-reused");
      assert.equal(await balanceOf(company), 9);
      const kept = await rows(here.app, "SELECT answer FROM idempotency_keys");
      assert.ok(kept.every(({ answer }) => !answer.includes(data.token)));
    },
  );

  await t.test("O01: of 100 right guesses at once one verifies", async () => {
    const company = await here.company({ credits: 1 });
    const sent = await sendCode(here, company);
    const answers = await Promise.all(Array.from({ length: 100 }, () => verify(company, sent)));
    assert.equal(answers.filter((answer) => answer.success).length, 1);
    const refused = new Set(answers.map((answer) => answer.error));
    refused.delete(null);
    for (const code of refused) assert.ok(["otp-already-used", "otp-max-attempts"].includes(code!), code!);
  });

  await t.test(
    "O02: of 100 wrong guesses at once at most 5 are compared, and then the right code fails too",
    async () => {
      const company = await here.company({ credits: 1 });
      const sent = await sendCode(here, company);
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => verify(company, sent, wrong(sent.code))),
      );
      assert.equal(answers.filter(({ error }) => error === "wrong-otp").length, 5);
      assert.equal(answers.filter(({ error }) => error === "otp-max-attempts").length, 95);
      assert.equal((await verify(company, sent)).error, "otp-max-attempts");
    },
  );

  await t.test("O03: a guess is counted before it is compared", async () => {
    const company = await here.company({ credits: 1 });
    const sent = await sendCode(here, company);
    // The comparison's own transaction cannot write: as if the process had died right before it.
    await rows(
      here.app,
      "ALTER TABLE otp_codes ADD CONSTRAINT no_verify CHECK (status <> 'VERIFIED') NOT VALID",
    );
    assert.equal((await verify(company, sent)).error, "server-error");
    await rows(here.app, "ALTER TABLE otp_codes DROP CONSTRAINT no_verify");
    const [code] = await rows(here.app, "SELECT guesses, status FROM otp_codes WHERE phone = $1", [
      sent.phoneNumber,
    ]);
    assert.deepEqual(code, { guesses: 1, status: "PENDING" });
    assert.equal((await verify(company, sent)).data.status, "VERIFIED");
  });

  await t.test("O04: right until it expires, by the clock of the database; wrong stays wrong", async () => {
    const company = await here.company({ credits: 2 });
    const early = await sendCode(here, company);
    const late = await sendCode(here, company);
    const set = (sent: Sent, ms: number) =>
      rows(
        here.app,
        "UPDATE otp_codes SET expires_at = clock_timestamp() + $2 * interval '1 ms' WHERE phone = $1",
        [sent.phoneNumber, ms],
      );
    await set(early, 2_000);
    await set(late, -1);
    assert.equal((await verify(company, late, wrong(late.code))).error, "wrong-otp");
    assert.equal((await verify(company, late)).error, "otp-expired");
    assert.equal((await verify(company, early)).data.status, "VERIFIED");
  });

  await t.test(
    "O05 O06: a token, phone, code or account that is another's is wrong-otp; what is not the token's is not charged to it",
    async () => {
      const company = await here.company({ credits: 5 });
      const other = await here.company({ credits: 5 });
      const mine = await sendCode(here, company);
      const theirs = await sendCode(here, other);
      const guesses = async () =>
        (await rows(here.app, "SELECT guesses FROM otp_codes WHERE phone = $1", [mine.phoneNumber]))[0]
          .guesses;
      const body = { token: mine.token, phoneNumber: mine.phoneNumber, otp: mine.code };
      const check = async (who: Company, more: object) => {
        const answer = await who.call("/v1/auth/otp/verify", { ...body, ...more });
        assert.deepEqual(answer, { success: false, data: null, error: "wrong-otp" });
      };
      await check(other, {});
      await check(company, { token: "0".repeat(24) });
      await check(company, { token: "x" });
      await check(company, { token: theirs.token });
      assert.equal(await guesses(), 0);
      await check(company, { phoneNumber: theirs.phoneNumber });
      await check(company, { otp: wrong(mine.code) });
      assert.equal(await guesses(), 2);
      const spaced = `+${mine.phoneNumber.slice(0, 3)} ${mine.phoneNumber.slice(3)}`;
      const verified = await company.call("/v1/auth/otp/verify", { ...body, phoneNumber: spaced });
      assert.equal(verified.data.phoneNumber, mine.phoneNumber);
      assert.equal((await verify(other, theirs)).data.status, "VERIFIED");
    },
  );
});

test("O08: after many codes none is in a dump of the database, in a log, nor a token", async (t) => {
  const lines: string[] = [];
  const log = pino(
    { level: "trace" },
    new Writable({ write: (chunk, _, done) => done(void lines.push(String(chunk))) }),
  );
  const here = await testService(t, { log: log as never });
  const company = await here.company({ credits: 100 });
  // Ten letters, so that a code is in a dump only if it was put there.
  const form = { mode: "ALPHABET", length: 10 };
  const sent = await Promise.all(Array.from({ length: 40 }, () => sendCode(here, company, form)));
  await Promise.all(sent.slice(0, 20).map((one) => verify(company, one)));
  await Promise.all(sent.slice(20, 30).map((one) => verify(company, one, "AAAAAAAAAA")));
  await until(async () => (await assertBalanced(here)).held === 0);
  const dump = await dumpOf(here);
  assert.ok(dump.includes(sent[0]!.phoneNumber), "the dump is whole");
  const metrics = await readMetrics(here.url, here.adminKey);
  for (const text of [dump, lines.join(""), metrics]) {
    for (const { code, token } of sent) {
      assert.ok(!text.includes(code));
      assert.ok(!text.includes(token));
    }
  }
});

/** Every row of every table, as text. */
async function dumpOf(here: TestService): Promise<string> {
  const tables = await rows(
    here.app,
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const texts = [];
  for (const { name } of tables)
    texts.push(...(await asOwner(here.app, `SELECT t::text AS row FROM ${name} t`)));
  return texts.map(({ row }) => row).join("\n");
}

// How many one-time passwords may be sent and guessed, through their URLs; and what becomes of those that still wait.
import assert from "node:assert/strict";
import { test } from "node:test";
import { age, newPhone, type Sent, sendCode, textAt, verify, wrong } from "../../../test/codes.ts";
import { assertBalanced, balanceOf, rows, site, startBeside, startScripted } from "../../../test/sending.ts";
import { type Answered, type Company, testService, until } from "../../../test/testservice.ts";

test("limits of one-time passwords", async (t) => {
  const here = await testService(t);

  await t.test(
    "O09: one code in 30 s, 5 in 10 min, 10 in 24 h to a phone, nothing sent or charged beyond; others are not held up",
    async () => {
      const company = await here.company({ credits: 100 });
      const other = await here.company({ credits: 1 });
      const phoneNumber = newPhone();
      const get = async () => {
        const response = await fetch(`${here.url}/v1/auth/otp/get`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ apiKey: company.apiKey, companyId: company.companyId, phoneNumber }),
        });
        const { error } = (await response.json()) as Answered;
        return [error, Number(response.headers.get("retry-after"))];
      };
      const together = await Promise.all(Array.from({ length: 10 }, get));
      assert.equal(together.filter(([error]) => error === null).length, 1, JSON.stringify(together));
      assert.deepEqual(
        together.find(([error]) => error !== null),
        ["otp-too-many-requests", 30],
      );
      assert.equal((await other.call("/v1/auth/otp/get", { phoneNumber })).error, null);
      for (let i = 1; i < 5; i++) {
        await textAt(here, phoneNumber, i + 1);
        await age(here, company, 31);
        assert.deepEqual(await get(), [null, 0]);
      }
      await age(here, company, 31);
      const [error, wait] = await get();
      assert.equal(error, "otp-too-many-requests");
      assert.ok((wait as number) > 400 && (wait as number) < 480, `${wait}`);
      // Each is awaited: the next one would withdraw it.
      for (let i = 5; i < 10; i++) {
        await textAt(here, phoneNumber, i + 1);
        await age(here, company, 601);
        assert.deepEqual(await get(), [null, 0]);
      }
      await age(here, company, 3_600);
      assert.equal((await get())[0], "otp-too-many-requests");
      await until(() => here.simulator.inbox({ phone: phoneNumber }).length === 11);
      assert.equal(await balanceOf(company), 90);
      await age(here, company, 86_400);
      assert.deepEqual(await get(), [null, 0]);
    },
  );

  await t.test(
    "O10: wrong guesses over many codes of one phone add up to 10 a day; other phones and accounts are not touched",
    async () => {
      const company = await here.company({ credits: 100 });
      const other = await here.company({ credits: 1 });
      const phoneNumber = newPhone();
      const codeNow = async (who: Company, count: number) => {
        const { data } = await who.call("/v1/auth/otp/get", { phoneNumber });
        const code = (await textAt(here, phoneNumber, count)).match(/\d{4}/)![0];
        return { ...data, code } as Sent;
      };
      let compared = 0;
      for (let i = 1; i <= 4; i++) {
        const sent = await codeNow(company, i);
        for (let guess = 0; guess < 4; guess++) {
          if ((await verify(company, sent, wrong(sent.code))).error === "wrong-otp") compared++;
        }
        if (i === 4) assert.equal((await verify(company, sent)).error, "otp-max-attempts");
        await age(here, company, 31);
      }
      assert.equal(compared, 10);
      const elsewhere = await codeNow(other, 5);
      assert.equal((await verify(other, elsewhere)).data.status, "VERIFIED");
      const another = await sendCode(here, company);
      assert.equal((await verify(company, another)).data.status, "VERIFIED");
    },
  );

  await t.test("a new code cancels the one before it", async () => {
    const company = await here.company({ credits: 5 });
    const first = await sendCode(here, company);
    await age(here, company, 31);
    await company.call("/v1/auth/otp/get", { phoneNumber: first.phoneNumber });
    const code = (await textAt(here, first.phoneNumber, 2)).match(/\d{4}/)![0];
    assert.equal((await verify(company, first)).error, "otp-expired");
    const [live] = await rows(
      here.app,
      "SELECT count(*) FROM otp_codes WHERE phone = $1 AND status = 'PENDING'",
      [first.phoneNumber],
    );
    assert.equal(live.count, 1);
    if (code !== first.code) assert.equal((await verify(company, first, code)).error, "wrong-otp");
  });

  await t.test(
    "the guard stops a 31st unverified code to one prefix in 10 minutes, and the administrator sees it",
    async () => {
      const company = await here.company({ credits: 100 });
      const get = (i: number) =>
        company.call("/v1/auth/otp/get", { phoneNumber: `225059999${String(1000 + i)}` });
      for (let i = 0; i < 30; i++) assert.equal((await get(i)).error, null);
      assert.equal((await get(30)).error, "destination-blocked");
      assert.equal((await get(31)).error, "destination-blocked");
      assert.equal(await balanceOf(company), 70);
      await sendCode(here, company);
      const { data, totalCount } = await here.admin("/v1/admin/otp/guard", { companyId: company.companyId });
      assert.equal(totalCount, 1);
      const { accountId, rule, destination, count } = data[0];
      assert.deepEqual(
        { accountId, rule, destination, count },
        { accountId: company.companyId, rule: "prefix", destination: "225059999", count: 2 },
      );
      await age(here, company, 601);
      assert.equal((await get(30)).error, null);
    },
  );

  await t.test(
    "the guard stops codes to a foreign country of which too many are never verified",
    async () => {
      const company = await here.company({ credits: 1_000 });
      const phoneOf = (i: number) => `336${String(10 + i)}005555`;
      const get = (phoneNumber: string) => company.call("/v1/auth/otp/get", { phoneNumber });
      for (let i = 0; i < 20; i++) assert.equal((await get(phoneOf(i))).error, null);
      assert.equal((await get(phoneOf(20))).error, "destination-blocked");
      assert.equal((await get("221771235555")).error, null, "another country is not touched");
      const token = await rows(here.app, "SELECT send_id FROM otp_codes WHERE phone = $1", [phoneOf(0)]);
      assert.equal(token.length, 1);
      assert.equal(await balanceOf(company), 1_000 - 21 * 5);
      const { data } = await here.admin("/v1/admin/otp/guard", { companyId: company.companyId, sort: "asc" });
      assert.deepEqual([data[0].rule, data[0].destination, data[0].count], ["country", "33", 1]);
      const all = await here.admin("/v1/admin/otp/guard");
      assert.ok(all.totalCount >= 1);
      await rows(here.app, "UPDATE otp_countries SET hour = hour - interval '25 hours'");
      assert.equal((await get(phoneOf(20))).error, null);
    },
  );

  await t.test("a verified code makes room for another to its country", async () => {
    const company = await here.company({ credits: 1_000 });
    const codes: Sent[] = [];
    for (let i = 0; i < 20; i++) {
      const phoneNumber = `23324${String(10 + i)}05555`;
      const { data } = await company.call("/v1/auth/otp/get", { phoneNumber });
      const text = await textAt(here, phoneNumber);
      codes.push({ ...data, text, code: text.match(/\d{4}/)![0] });
    }
    const next = () => company.call("/v1/auth/otp/get", { phoneNumber: "233249905555" });
    assert.equal((await next()).error, "destination-blocked");
    assert.equal((await verify(company, codes[3]!)).data.status, "VERIFIED");
    assert.equal((await next()).error, null);
  });
});

test("a number that no operator serves is blocked, and costs nothing", async (t) => {
  const operator = await startScripted(t, () => ({ status: 0, messageId: "1" }));
  const { here } = await site(t, operator.port, { prefixes: ["225"] });
  const company = await here.company({ credits: 10 });
  const answer = await company.call("/v1/auth/otp/get", { phoneNumber: "33612345678" });
  assert.equal(answer.error, "destination-blocked");
  assert.equal(await balanceOf(company), 10);
  const { data } = await here.admin("/v1/admin/otp/guard");
  assert.equal(data[0].rule, "unroutable");
});

test("the operator keeps a code no longer than it lives, and what waits is withdrawn by a newer code", async (t) => {
  const operator = await startScripted(t, (_pdu, _session, n) => ({ status: 0, messageId: `m${n}` }));
  const { here, scope, gateway } = await site(t, operator.port);
  const company = await here.company({ credits: 10 });
  const phoneNumber = newPhone();
  await company.call("/v1/auth/otp/get", { phoneNumber });
  await until(() => operator.received.length === 1);
  // SMPP 3.4, section 7.1.1.2: relative time, YYMMDDhhmmss000R; five minutes, or a moment less.
  assert.match(operator.received[0]!.validityPeriod!, /^0000000004[5]\d000R|^000000000500000R$/);
  await until(async () => (await assertBalanced(here)).held === 0);
  await gateway.stop();
  await age(here, company, 31);
  const withdrawn = await company.call("/v1/auth/otp/get", { phoneNumber });
  assert.equal((await assertBalanced(here)).held, 1);
  await age(here, company, 31);
  await company.call("/v1/auth/otp/get", { phoneNumber });
  assert.equal((await assertBalanced(here)).held, 1, "the one before is refunded at once");
  assert.equal(await balanceOf(company), 8);
  await startBeside(scope, here, ["gateway"]);
  await until(() => operator.received.length === 2);
  await until(async () => (await assertBalanced(here)).held === 0);
  assert.equal(operator.received.length, 2, "the withdrawn one was never sent");
  assert.equal(withdrawn.error, null);
});

// An attack by one-time passwords: many accounts ring one person, and an account sends codes that nobody wants.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sendSignInCode } from "../../src/messaging/otp/otp.ts";
import { newPhone } from "../codes.ts";
import { balanceOf, rows } from "../sending.ts";
import { type Answered, type Company, type TestService, testService } from "../testservice.ts";

const get = (company: Company, phoneNumber: string) => company.call("/v1/auth/otp/get", { phoneNumber });

const companies = (here: TestService, count: number) =>
  Promise.all(Array.from({ length: count }, () => here.company({ credits: 100 })));

/** Lets time pass for all codes. */
const pass = (here: TestService, seconds: number) =>
  rows(here.app, "UPDATE otp_codes SET created_at = created_at - $1 * interval '1 second'", [seconds]);

const sentOf = (answers: readonly Answered[]) => answers.filter(({ error }) => error === null).length;

test("H15 a phone gets no more codes in a day than the platform's cap, however many accounts ask at once", async (t) => {
  const here = await testService(t, { limits: { otpPerPhonePerDayInAll: 30 } });
  const phone = newPhone();
  const attackers = await companies(here, 10);
  const round = async (who: readonly Company[]) => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => get(who[i % who.length]!, phone)),
    );
    for (const { error } of answers) if (error) assert.equal(error, "otp-too-many-requests");
    await pass(here, 31);
    return sentOf(answers);
  };
  assert.equal(await round(attackers), 10);
  assert.equal(await round(attackers), 10);
  assert.equal(await round(attackers), 0, "the last third is for accounts that have sent it none");
  assert.equal(await round(await companies(here, 20)), 10);
  assert.equal(await round(await companies(here, 10)), 0);

  const late = await here.company({ credits: 1 });
  const response = await fetch(`${here.url}/v1/auth/otp/get`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ apiKey: late.apiKey, companyId: late.companyId, phoneNumber: phone }),
  });
  assert.equal(((await response.json()) as Answered).error, "otp-too-many-requests");
  const seconds = Number(response.headers.get("retry-after"));
  assert.ok(seconds > 86_400 - 5 * 31 - 60 && seconds <= 86_400 - 5 * 31, `${seconds}`);
  assert.equal(await balanceOf(late), 1, "what is refused costs nothing");
  assert.equal((await get(late, newPhone())).error, null, "other phones are not touched");
});

test("H15 the cap is one of 24 hours: it ends code by code", async (t) => {
  const here = await testService(t, { limits: { otpPerPhonePerDayInAll: 3 } });
  const phone = newPhone();
  const [first, second, third, fourth] = await companies(here, 4);
  assert.equal((await get(first!, phone)).error, null);
  await pass(here, 3_600);
  assert.equal((await get(second!, phone)).error, null);
  assert.equal((await get(third!, phone)).error, null);
  assert.equal((await get(fourth!, phone)).error, "otp-too-many-requests");
  await pass(here, 23 * 3_600);
  assert.equal((await get(fourth!, phone)).error, null);
  assert.equal((await get(first!, phone)).error, "otp-too-many-requests");
});

test("H15 codes to sign in with neither count nor are refused by the cap", async (t) => {
  const here = await testService(t, { limits: { otpPerPhonePerDayInAll: 3 } });
  const phoneNumber = newPhone();
  const signIn = (asker: string) =>
    sendSignInCode(here.app, { phoneNumber, language: "fr", asker, place: "page" });
  const status = async (asker: string) => ((await signIn(asker)) as { status?: string }).status;
  for (const asker of ["a", "b", "c", "d"]) assert.equal(await status(asker), "PENDING");
  const answers = [];
  for (const company of await companies(here, 4)) answers.push((await get(company, phoneNumber)).error);
  assert.deepEqual(answers, [null, null, null, "otp-too-many-requests"]);
  assert.equal(await status("e"), "PENDING");
});

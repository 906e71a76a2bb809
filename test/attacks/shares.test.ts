// An attack by one-time passwords that nobody verifies: the account's share falls, and an administrator is told.
import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeShares } from "../../src/messaging/otp/shares.ts";
import { age, newPhone, type Sent, textAt, verify } from "../codes.ts";
import { metricOf } from "../metrics.ts";
import { balanceOf, rows } from "../sending.ts";
import { type Company, type TestService, testService, until } from "../testservice.ts";

const OVER = 6 * 60;

/** The outcome of the simulator for a phone that ends so: the operator refuses it, or cannot deliver it. */
const REFUSED = "0001";
const UNDELIVERED = "0002";

let blocks = 0;
/** Phones of one block of 10,000 numbers, which no other test has; the guard lets 30 of them go in 10 minutes. */
function blockOf(count: number): string[] {
  blocks++;
  return Array.from({ length: count }, (_, i) => `22501${String(blocks).padStart(4, "0")}${5_000 + i}`);
}

async function request(company: Company, phoneNumber: string): Promise<Sent> {
  const { error, data } = await company.call("/v1/auth/otp/get", { phoneNumber });
  assert.equal(error, null, phoneNumber);
  return { ...data, code: "", text: "" };
}

const requestAll = (company: Company, phones: readonly string[]) =>
  Promise.all(phones.map((phone) => request(company, phone)));

/** The owners of these phones type the code that came last. */
async function verifyAll(
  here: TestService,
  company: Company,
  codes: readonly Sent[],
  count = 1,
): Promise<void> {
  for (const sent of codes) {
    const code = (await textAt(here, sent.phoneNumber, count)).match(/\d{4}/)![0];
    assert.equal((await verify(company, { ...sent, code })).error, null);
  }
}

const UNANSWERED = `SELECT FROM otp_codes WHERE account_id = $1
   AND send_id NOT IN (SELECT send_id FROM messages WHERE account_id = $1)`;

/** The operator has answered for every code, and the lives of all of them are over. */
async function over(here: TestService, company: Company): Promise<void> {
  await until(async () => (await rows(here.app, UNANSWERED, [company.companyId])).length === 0);
  await age(here, company, OVER);
  await rows(here.app, "UPDATE otp_shares SET judged_from = judged_from - $1 * interval '1 second'", [OVER]);
  await judge(here);
}

const judge = (here: TestService) => judgeShares(here.app, new AbortController().signal);

/** What the guard lists of an account: rule, destination and count. */
async function listed(here: TestService, company: Company): Promise<unknown[]> {
  const { data } = await here.admin("/v1/admin/otp/guard", { companyId: company.companyId });
  return data.map(({ rule, destination, count }: Record<string, unknown>) => [rule, destination, count]);
}

const fallen = (here: TestService) => metricOf(here.url, here.adminKey, "atumpan_otp_low_shares_total");

/** 100 codes, 25 to each of four blocks, of which the first `verified` are typed in. */
async function hundred(here: TestService, company: Company, verified: number): Promise<string[]> {
  const phones = [25, 25, 25, 25].flatMap(blockOf);
  const codes = await requestAll(company, phones);
  await verifyAll(here, company, codes.slice(0, verified));
  await over(here, company);
  return phones;
}

/** Another phone of the same block. */
const neighbour = (phone: string) => `${phone.slice(0, -4)}9111`;

test("H15 an account of whose last 100 codes less than 30 were verified is told to the administrator, once", async (t) => {
  const here = await testService(t);
  assert.equal(await fallen(here), 0, "it is there from the start, so that its first rise is seen");
  const [fair, low] = [await here.company({ credits: 200 }), await here.company({ credits: 200 })];
  await hundred(here, fair, 30);
  assert.deepEqual(await listed(here, fair), []);
  const phones = await hundred(here, low, 29);
  await judge(here);
  assert.deepEqual(await listed(here, low), [["low-share", "", 1]]);
  assert.equal(await fallen(here), 1);
  await request(low, neighbour(phones.at(-1)!));
  assert.deepEqual(await listed(here, fair), []);
});

test("H15 at 5 of 100 the blocks of numbers that verify nothing stop, for this account alone; at 6 none does", async (t) => {
  const here = await testService(t);
  const [six, five, other] = await Promise.all([1, 2, 3].map(() => here.company({ credits: 300 })));
  const ofSix = await hundred(here, six!, 6);
  await request(six!, neighbour(ofSix.at(-1)!));

  const phones = await hundred(here, five!, 5);
  const [verified, silent] = [neighbour(phones[0]!), neighbour(phones.at(-1)!)];
  const before = await balanceOf(five!);
  const refused = await five!.call("/v1/auth/otp/get", { phoneNumber: silent });
  assert.equal(refused.error, "destination-blocked");
  assert.equal(await balanceOf(five!), before, "what is refused costs nothing");
  await request(five!, verified);
  await request(five!, newPhone());
  await request(other!, silent);
  const destination = silent.slice(0, -4);
  assert.deepEqual((await listed(here, five!)).sort(), [
    ["low-share", "", 1],
    ["stopped", destination, 1],
  ]);
});

test("H15 what was stopped goes again once an administrator allows it, and the old codes count no more", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 500 });
  const silent = neighbour((await hundred(here, company, 0)).at(-1)!);
  const again = () => company.call("/v1/auth/otp/get", { phoneNumber: silent });
  assert.equal((await again()).error, "destination-blocked");
  const allow = () => here.admin("/v1/admin/otp/allow", { accountId: company.companyId });
  const { data } = await allow();
  assert.equal(data.prefixes.length, 4);
  assert.ok(data.prefixes.includes(silent.slice(0, -4)));
  await judge(here);
  assert.equal((await again()).error, null);
  assert.deepEqual((await allow()).data.prefixes, []);
  const unknown = await here.admin("/v1/admin/otp/allow", { accountId: "0".repeat(24) });
  assert.equal(unknown.error, "not-found");
  // It goes on as before, so it is stopped as before.
  const more = await hundred(here, company, 0);
  assert.equal(
    (await company.call("/v1/auth/otp/get", { phoneNumber: neighbour(more[0]!) })).error,
    "destination-blocked",
  );
});

test("H15 what was stopped goes again once 30 of the last 100 codes are verified", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 500 });
  const silent = neighbour((await hundred(here, company, 0)).at(-1)!);
  const again = () => company.call("/v1/auth/otp/get", { phoneNumber: silent });
  assert.equal((await again()).error, "destination-blocked");
  const people = Array.from({ length: 30 }, newPhone);
  const codes = await requestAll(company, people);
  await verifyAll(here, company, codes.slice(0, 29));
  await judge(here);
  assert.equal((await again()).error, "destination-blocked", "their time is not over");
  await verifyAll(here, company, codes.slice(29));
  await over(here, company);
  assert.equal((await again()).error, null);
});

test("H15 asking again for the same phones hides nothing: a code whose life was over stays unverified", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 200 });
  const phones = Array.from({ length: 50 }, newPhone);
  for (let turn = 1; turn <= 2; turn++) {
    await requestAll(company, phones);
    await over(here, company);
  }
  assert.deepEqual(await listed(here, company), [["low-share", "", 1]]);
});

test("H15 an honest account is never refused nor told of: slow people, bursts, resends, operators that fail", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 2_000 });
  const burst = async (count: number) => {
    const people = Array.from({ length: count }, newPhone);
    let codes = await requestAll(company, people);
    // While nobody has typed anything yet.
    await judge(here);
    // A tenth asks again after half a minute, and types the second code.
    await age(here, company, 31);
    const patient = codes.slice(count / 10);
    const again = await requestAll(company, people.slice(0, count / 10));
    await judge(here);
    // 70 % type their code at last, in the last half minute of its life.
    await age(here, company, 230);
    await verifyAll(here, company, again, 2);
    await verifyAll(here, company, patient.slice(0, count * 0.6));
    codes = [...again, ...patient];
    assert.equal(codes.length, count);
  };
  // A burst after long silence, and one on top of the other.
  await burst(120);
  await over(here, company);
  await burst(100);
  await burst(100);
  await over(here, company);
  // The operator refuses a hundred, and a hundred more never arrive.
  const ends = (end: string) => Array.from({ length: 110 }, () => newPhone().replace(/5555$/, end));
  await requestAll(company, ends(REFUSED));
  await requestAll(company, ends(UNDELIVERED));
  await until(async () => {
    const [{ count }] = await rows(
      here.app,
      "SELECT count(*) FROM messages WHERE account_id = $1 AND status IN ('REJECTED', 'UNDELIVERED')",
      [company.companyId],
    );
    return count === 220;
  });
  await over(here, company);
  assert.deepEqual(await listed(here, company), []);
  assert.equal(await fallen(here), 0);

  // A small one: 99 codes that nobody types are too few to judge by.
  const small = await here.company({ credits: 100 });
  await requestAll(small, Array.from({ length: 99 }, newPhone));
  await over(here, small);
  assert.deepEqual(await listed(here, small), []);
});

// An attack on people who sign in on our pages: unauthenticated callers ask for codes in their name, and guess.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../applications.ts";
import { codeAt, newPhone, wrong } from "../codes.ts";
import { rows } from "../sending.ts";
import { type TestService, type TestServiceOptions, testService, until } from "../testservice.ts";
import { ownedCompany, type Shown, Visitor, waitingPairing } from "../visitor.ts";

const HER_NETWORK = "203.0.113.7";
const SIGNED_IN = /demande à envoyer des SMS/;

/** The waits between two codes pass by themselves here: `pass` lets them pass for those that are counted as rows. */
function testServiceWith(
  t: Parameters<typeof testService>[0],
  more: TestServiceOptions = {},
): Promise<TestService> {
  const limits = { secondsBetweenSignIns: 0.001, ...more.limits };
  const config = { trustProxy: ["127.0.0.1"], ...more.config };
  return testService(t, { config, limits, settings: { signInAnswerMs: 0, ...more.settings } });
}

const pass = (here: TestService) =>
  rows(here.app, "UPDATE otp_codes SET created_at = created_at - interval '31 seconds'");

const visitorFrom = (here: TestService, ip: string) => new Visitor(here, { "X-Forwarded-For": ip });

/** Asks for a code in a new session, by default in a new browser. */
async function ask(
  here: TestService,
  link: string,
  phone: string,
  from: string | Visitor,
): Promise<{ visitor: Visitor; page: Shown; status: number }> {
  const visitor = typeof from === "string" ? visitorFrom(here, from) : from;
  visitor.cookie = undefined;
  const page = await visitor.send(await visitor.open(link), "/pair/phone", { phone: `+${phone}` });
  return { visitor, page, status: page.status };
}

/** Asks five times from each of so many networks, and returns the statuses of the answers. */
async function attack(here: TestService, link: string, phone: string, networks: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let round = 0; round < 5; round++) {
    for (let network = 0; network < networks; network++)
      statuses.push((await ask(here, link, phone, `198.18.${network}.${round}`)).status);
    await pass(here);
  }
  return statuses;
}

const sent = (here: TestService, phone: string) => here.simulator.inbox({ phone }).length;

/** A browser in which the owner of this phone has signed in. */
async function signedIn(here: TestService, link: string, phone: string, ip = HER_NETWORK): Promise<Visitor> {
  const visitor = visitorFrom(here, ip);
  const page = await visitor.signIn(here, await visitor.open(link), phone);
  assert.match(page.text, SIGNED_IN);
  return visitor;
}

test("H05 five requests of a stranger leave the owner of a phone her way in", async (t) => {
  const here = await testServiceWith(t);
  const { link, phone } = await waitingPairing(here);
  const statuses = await attack(here, link, phone, 1);
  assert.deepEqual(statuses, Array(5).fill(200));
  assert.equal((await ask(here, link, phone, "198.18.0.99")).status, 429, "the stranger's whole network");
  await until(() => sent(here, phone) === 5);
  await signedIn(here, link, phone);
});

test("H05 strangers of many networks get a bounded number of codes, for known phones and unknown ones alike", async (t) => {
  const here = await testServiceWith(t);
  const { link, phone } = await waitingPairing(here);
  const her = await signedIn(here, link, phone);
  await pass(here);
  const statuses = await attack(here, link, phone, 12);
  const taken = statuses.filter((status) => status === 200).length;
  assert.equal(taken, 19, "20 in all, of which her first was one");
  assert.equal((await ask(here, link, phone, "198.19.0.1")).status, 429);
  const unknown = newPhone();
  assert.equal((await ask(here, link, unknown, HER_NETWORK)).status, 200);
  assert.deepEqual(await attack(here, link, unknown, 12), statuses);
  assert.equal((await ask(here, link, unknown, "198.19.0.1")).status, 429);
  await until(() => sent(here, phone) === 1 + taken);
  assert.equal(sent(here, unknown), 0);

  await t.test("the browser in which she signed in before is not kept out, wherever it is", async () => {
    const elsewhere = visitorFrom(here, "198.18.3.1");
    elsewhere.known = her.known;
    const { page, status } = await ask(here, link, phone, elsewhere);
    assert.equal(status, 200);
    const otp = await codeAt(here, phone, 2 + taken);
    assert.match((await elsewhere.send(page, "/pair/otp", { otp })).text, SIGNED_IN);
  });

  await t.test("it has limits of its own", async () => {
    const asked: number[] = [];
    for (let i = 0; i < 5; i++) {
      await pass(here);
      asked.push((await ask(here, link, phone, her)).status);
    }
    assert.deepEqual(asked, [200, 200, 200, 200, 429]);
  });
});

test("H05 a few networks that ask again and again do not keep her out in a new browser", async (t) => {
  const here = await testServiceWith(t);
  const { link, phone } = await waitingPairing(here);
  const statuses = await attack(here, link, phone, 4);
  assert.equal(statuses.filter((status) => status === 200).length, 14, "4 firsts, and half of 20");
  await until(() => sent(here, phone) === 14);
  await signedIn(here, link, phone);
});

test("H05 a stranger's codes and guesses take nothing from hers", async (t) => {
  const here = await testServiceWith(t);
  const { link, phone } = await waitingPairing(here);
  const her = await ask(here, link, phone, HER_NETWORK);
  const otp = await codeAt(here, phone, 1);
  for (let network = 0; network < 12; network++) {
    const unauthenticated = await ask(here, link, phone, `198.18.${network}.1`);
    const guesses = Array.from({ length: 6 }, (_, i) => `${otp.slice(0, i)} ${wrong(otp).slice(i)}`);
    for (const guess of guesses)
      assert.equal(
        (await unauthenticated.visitor.send(unauthenticated.page, "/pair/otp", { otp: guess })).status,
        400,
      );
    const hers = await unauthenticated.visitor.send(unauthenticated.page, "/pair/otp", { otp });
    assert.equal(hers.status, 400, "her code opens nothing in another browser");
  }
  await until(() => sent(here, phone) === 13);
  assert.match((await her.visitor.send(her.page, "/pair/otp", { otp })).text, SIGNED_IN);
});

test("H05 codes that strangers have sent to a block of numbers do not block it for its owners", async (t) => {
  const here = await testServiceWith(t, { limits: { signInsPerTenMinutes: 100 } });
  const phones = Array.from({ length: 31 }, (_, i) => `2250798${String(765_500 + i)}`);
  const { link } = await waitingPairing(here, { phone: phones[0]! });
  await Promise.all(phones.slice(1).map((phone) => ownedCompany(here, phone, { credits: 0 })));
  for (const phone of phones.slice(1)) await ask(here, link, phone, "198.18.1.1");
  await until(() => phones.slice(1).every((phone) => sent(here, phone) === 1));
  await signedIn(here, link, phones[0]!);
});

test("H05 whoever shares her address takes nothing from a browser in which she signed in before", async (t) => {
  const limits = { signInsPerTenMinutes: 2, signInGuessesPerTenMinutes: 2 };
  const here = await testServiceWith(t, { limits });
  const { link, phone } = await waitingPairing(here);
  const her = await signedIn(here, link, phone);
  const neighbour = await ask(here, link, newPhone(), HER_NETWORK);
  assert.equal((await ask(here, link, newPhone(), HER_NETWORK)).status, 429);
  const guess = () => neighbour.visitor.send(neighbour.page, "/pair/otp", { otp: "000000" });
  assert.equal((await guess()).status, 400);
  assert.equal((await neighbour.visitor.send(neighbour.page, "/pair/otp", { otp: "000001" })).status, 429);
  await pass(here);
  const { page } = await ask(here, link, phone, her);
  const entered = await her.send(page, "/pair/otp", { otp: await codeAt(here, phone, 2) });
  assert.match(entered.text, SIGNED_IN);
});

test("H05 a browser is known to the console and to the pages by a sign-in at either", async (t) => {
  const limits = { signInsPerTenMinutes: 3, signInGuessesPerTenMinutes: 2 };
  const here = await testServiceWith(t, { limits });
  const { link, phone } = await waitingPairing(here);
  const her = visitorFrom(here, HER_NETWORK);
  await her.signInToConsole(here, phone);
  const neighbour = visitorFrom(here, HER_NETWORK);
  const asked = async () => {
    neighbour.cookie = undefined;
    return neighbour.send(await neighbour.open("/sign-in"), "/sign-in", { phone: newPhone() });
  };
  const page = await asked();
  assert.equal(page.status, 200);
  await asked();
  assert.match((await asked()).text, /role="alert"/, "the address has had its codes");
  for (let guess = 0; guess < 3; guess++) await neighbour.send(page, "/sign-in/code", { otp: "000000" });
  await pass(here);
  her.cookie = undefined;
  assert.equal(new URL((await her.signInToConsole(here, phone)).url).pathname, "/");
  await pass(here);
  const { page: otp } = await ask(here, link, phone, her);
  assert.match((await her.send(otp, "/pair/otp", { otp: await codeAt(here, phone, 3) })).text, SIGNED_IN);
});

test("H05 the cookie of a known browser is for its phones alone, and nobody can make one", async (t) => {
  const here = await testServiceWith(t, { limits: { signInsPerPhoneOfUnknown: 2 } });
  const { link, phone } = await waitingPairing(here);
  const her = await signedIn(here, link, phone);
  const known = her.known!;
  assert.ok(!known.includes(phone));

  // Two codes a day for all unauthenticated callers together, one of them for a network that asks again.
  const keptOut = async (cookie: string | undefined, typed: string) => {
    const visitor = visitorFrom(here, "198.18.9.1");
    visitor.known = cookie;
    await pass(here);
    return (await ask(here, link, typed, visitor)).status === 429;
  };
  assert.equal(await keptOut(undefined, phone), false);
  assert.equal(await keptOut(undefined, phone), true);
  const [name, value] = known.split("=") as [string, string];
  const flipped = `${value.slice(0, 60)}${value[60] === "A" ? "B" : "A"}${value.slice(61)}`;
  const session = her.cookie!.split("=")[1]!;
  for (const forged of ["", "1.x.y", flipped, session, JSON.stringify({ id: "x", phones: [phone] })])
    assert.equal(await keptOut(`${name}=${forged}`, phone), true, forged);
  assert.equal(await keptOut(known, phone), false);

  await t.test(
    "another phone's owner gets in nowhere by it, and both may be known in one browser",
    async () => {
      const other = await waitingPairing(here);
      assert.equal(await keptOut(known, other.phone), false);
      assert.equal(await keptOut(known, other.phone), false);
      assert.equal(await keptOut(known, other.phone), true);
      const third = await waitingPairing(here);
      her.cookie = undefined;
      const page = await her.signIn(here, await her.open(third.link), third.phone);
      assert.match(page.text, SIGNED_IN);
      for (const typed of [phone, third.phone, third.phone])
        assert.equal(await keptOut(her.known, typed), false);
    },
  );
});

test("H05 the cookie of a known browser is kept for half a year, and no script or other site can use it", async (t) => {
  const here = await testServiceWith(t, { config: { publicUrl: "https://sms.example" } });
  const { link, phone } = await waitingPairing(here);
  const path = new URL(link).pathname + new URL(link).search;
  const visitor = visitorFrom(here, HER_NETWORK);
  const asked = await visitor.send(await visitor.open(path), "/pair/phone", { phone });
  const otp = await codeAt(here, phone, 1);
  const csrf = asked.text.match(/name="csrf" value="([^"]+)"/)![1]!;
  const headers = { Cookie: visitor.cookie!, "X-Forwarded-For": HER_NETWORK };
  const body = new URLSearchParams({ otp, csrf, code: new URL(link).searchParams.get("code")! });
  const answer = await fetch(`${here.url}/pair/otp`, { method: "POST", body, headers, redirect: "manual" });
  const [session, known] = answer.headers.getSetCookie();
  assert.match(session!, /^atumpan_pair=/);
  assert.match(known!, /^__Host-atumpan_known=/);
  for (const part of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=15552000"])
    assert.ok(known!.includes(part), part);
});

test("H05 a browser is known for its time, then no more", async (t) => {
  const limits = { signInsPerPhone: 1_000, signInsPerPhoneOfUnknown: 1 };
  const here = await testServiceWith(t, { limits, settings: { knownBrowserLifetimeMs: 1_500 } });
  const { link, phone } = await waitingPairing(here);
  const her = await signedIn(here, link, phone);
  await until(async () => {
    await pass(here);
    const { status } = await ask(here, link, phone, her);
    return status === 429;
  });
  const later = visitorFrom(here, HER_NETWORK);
  later.known = her.known;
  assert.equal((await ask(here, link, phone, later)).status, 429);
});

test("H05: a company that gives its members one phone after the other has few of them rung at the service's cost", async (t) => {
  const here = await testService(t, {
    config: { roles: new Set(["api"] as const) },
    limits: { signInsPerTenMinutes: 1_000, signInPhonesPerCompany: 2 },
    settings: { signInAnswerMs: 0 },
  });
  const company = await here.company();
  const member = { name: "Yao", phone: newPhone(), role: "reader" };
  const { id } = await dataOf(company.call("/v1/company/member/create", member));
  const ring = async (phone: string) => {
    const visitor = new Visitor(here);
    await visitor.send(await visitor.open("/pair?code=ABCDEFGHJK"), "/pair/phone", { phone });
    const [codes] = await rows(here.app, "SELECT count(*) FROM otp_codes");
    return codes.count;
  };
  for (const count of [1, 2, 2, 2]) {
    const phone = newPhone();
    await dataOf(company.call(`/v1/company/member/${id}/update`, { phone }));
    assert.equal(await ring(phone), count);
  }
  const other = newPhone();
  await ownedCompany(here, other);
  assert.equal(await ring(other), 3, "others are not held up");
});

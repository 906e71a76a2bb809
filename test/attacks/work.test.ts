// An attack on everybody's time: quotes and campaigns that nobody pays for, to thousands of people and with long texts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderNamed } from "../../src/messaging/campaigns/audience.ts";
import { requestOf } from "../../src/messaging/campaigns/campaigns.ts";
import { type CampaignRequest, termsOf } from "../../src/messaging/campaigns/pricing.ts";
import { sizeOfSlice } from "../../src/messaging/campaigns/recipients.ts";
import { doWork, takeWork } from "../../src/messaging/campaigns/work.ts";
import { compileTemplate } from "../../src/protocol/sms/personalise.ts";
import { applicationOf, connected, dataOf } from "../applications.ts";
import { QUOTAS } from "../fixtures.ts";
import { addOperator, assertBalanced, phones, stacked } from "../sending.ts";
import { type Company, type TestService, type TestServiceOptions, testService } from "../testservice.ts";

const PEOPLE = 2_000;
const CONTACTS = phones(PEOPLE);
const TEXT = `${"@firstName @lastName ".repeat(25)}${"Bonjour ".repeat(20)}`;
/** The work of a quote for all of them. */
const ONE = PEOPLE * (1_000 + TEXT.length);
const NEVER = 0.001;

/** A test service that sends nothing, in which `unpaid` quotes that nobody pays may come at once, and `paid` others. */
async function testServiceWith(
  t: Parameters<typeof stacked>[0],
  unpaid = 2,
  paid = 100,
): Promise<TestService> {
  const here = await testService(stacked(t), {
    config: { roles: new Set(["api"]), simulator: false },
    limits: {
      ...{ unpaidWorkAtOnce: (unpaid - 0.5) * ONE, unpaidWorkPerSecond: NEVER * ONE },
      ...{ workAtOnce: (paid - 0.5) * ONE, workPerSecond: NEVER * ONE },
      refusedPauseMs: 0,
    },
  } satisfies TestServiceOptions);
  await addOperator(here, 1);
  return here;
}

const body = { contacts: CONTACTS, text: TEXT };
const quote = (company: Company) => company.call("/v1/campaign/quote", body);
const create = (company: Company, more: object = {}) =>
  company.call("/v1/campaign/create", { ...body, ...more });

async function times(
  count: number,
  ask: () => Promise<{ error: string | null }>,
): Promise<(string | null)[]> {
  return (await Promise.all(Array.from({ length: count }, ask))).map(({ error }) => error);
}

const counted = (errors: (string | null)[]) =>
  Object.fromEntries([...Map.groupBy(errors, String)].map(([error, all]) => [error, all.length]));

/** The draft of a campaign of a company to everybody. */
function draftTo(here: TestService, company: Company): Promise<CampaignRequest> {
  const caller = {
    ...company,
    country: "CI",
    countries: null,
    language: "fr",
    senderLimit: 3,
    isPartner: false,
    quotas: QUOTAS,
  } as const;
  return requestOf(here.app, caller, { ...body, groupsIds: [], type: "SMS" });
}

/** The price of a quote for everybody. */
async function priceOfOne(company: Company): Promise<number> {
  return (await dataOf(quote(company))).creditUsed;
}

test("H08 of eight quotes at once by a company without credits, few are worked on; who can pay gets all of them", async (t) => {
  const here = await testServiceWith(t, 3);
  const [poor, rich] = [await here.company(), await here.company({ credits: 1_000_000 })];
  const [errors, paid] = await Promise.all([times(8, () => quote(poor)), times(8, () => quote(rich))]);
  assert.deepEqual(counted(errors), { null: 3, "too-many-requests": 5 });
  assert.deepEqual(counted(paid), { null: 8 });
  const { details } = await quote(poor);
  assert.deepEqual(details, [
    {
      field: "body",
      message: "les devis et campagnes que le solde ne couvre pas sont limités ; rechargez ou attendez",
    },
  ]);
  // Credits open the large budget.
  await here.admin("/v1/admin/credit/grant", { companyId: poor.companyId, credit: 1_000_000, reason: "x" });
  assert.deepEqual(counted(await times(8, () => quote(poor))), { null: 8 });
});

test("H08 work is recipients × length: short texts and few people are quoted a hundred times more often", async (t) => {
  const here = await testServiceWith(t, 2);
  const [one, other] = [await here.company(), await here.company({ language: "en" })];
  const short = () => one.call("/v1/campaign/quote", { contacts: CONTACTS.slice(0, 20), text: "Bonjour" });
  assert.deepEqual(counted(await times(200, short)), { null: 200 });
  const { data: contacts } = await other.call("/v1/contact/create", { contacts: CONTACTS });
  const contactIds = contacts.map(({ id }: { id: string }) => id);
  const { id: group } = await dataOf(other.call("/v1/group/create", { name: "Clients", contactIds }));
  const toGroup = () => other.call("/v1/campaign/quote", { groupsIds: [group], text: TEXT });
  // The members of groups count like those who are named.
  assert.deepEqual(counted(await times(4, toGroup)), { null: 2, "too-many-requests": 2 });
  assert.match((await toGroup()).details?.[0]?.message ?? "", /^quotes and campaigns that the balance/);
});

test("H08 campaigns that are refused for lack of credits count; those that are paid do not", async (t) => {
  const here = await testServiceWith(t, 2, 2);
  const [poor, rich] = [await here.company({ credits: 5 }), await here.company({ credits: 1_000_000 })];
  assert.deepEqual(counted(await times(4, () => create(poor))), {
    "insufficient-credits": 2,
    "too-many-requests": 2,
  });
  for (let i = 0; i < 5; i++) assert.equal((await create(rich)).error, null);
  // What is rendered and not sent counts, also where the balance could pay.
  const later = { type: "RECURRING", recurring: { monday: "08:30" } };
  assert.equal((await create(rich, later)).error, null);
  assert.deepEqual(counted([(await quote(rich)).error, (await quote(rich)).error]), {
    null: 1,
    "too-many-requests": 1,
  });
  await assertBalanced(here);
});

test("H08 little works are not held up by a look at the balance, and count all the same", async (t) => {
  const here = await testService(stacked(t), {
    limits: { unpaidWorkAtOnce: 30_000, unpaidWorkPerSecond: NEVER },
  });
  const [poor, rich] = [await here.company(), await here.company({ credits: 1_000 })];
  const few = (company: Company) => create(company, { contacts: CONTACTS.slice(0, 10), text: "Bonjour" });
  const errors: (string | null)[] = [];
  for (let i = 0; i < 5; i++) errors.push((await few(poor)).error);
  assert.deepEqual(counted(errors), { "insufficient-credits": 3, "too-many-requests": 2 });
  assert.deepEqual(counted(await times(50, () => few(rich))), { null: 50 });
  await here.admin("/v1/admin/credit/grant", { companyId: poor.companyId, credit: 10, reason: "x" });
  assert.equal((await few(poor)).error, null);
});

test("H08 a repeat with its key gets the first answer, also where the budget is used up", async (t) => {
  const here = await testServiceWith(t, 1);
  const company = await here.company({ credits: 1_000_000 });
  const price = await priceOfOne(company);
  const exact = await here.company({ credits: price });
  const once = { idempotencyKey: "one" };
  const first = await create(exact, once);
  assert.equal(first.success, true);
  assert.deepEqual(counted(await times(2, () => quote(exact))), { null: 1, "too-many-requests": 1 });
  for (let i = 0; i < 3; i++) assert.deepEqual(await create(exact, once), first);
  assert.equal((await create(exact, { idempotencyKey: "two" })).error, "too-many-requests");
});

test("H08 sends of an application count for the account that they charge", async (t) => {
  const here = await testServiceWith(t, 2);
  const [owner, poor] = [await here.company(), await here.company()];
  const { call } = await connected(here, await applicationOf(here, owner), poor);
  const send = () => call("/v1/third-party-app/sms/send", { contacts: CONTACTS, message: TEXT });
  const errors = await times(4, send);
  assert.deepEqual(counted(errors), { "insufficient-credits": 2, "too-many-requests": 2 });
  assert.equal((await quote(poor)).error, "too-many-requests");
});

test("H08 a text has 50 variables at most, and the refusal says so in the company's language", async (t) => {
  const here = await testServiceWith(t);
  const [french, english] = [
    await here.company({ credits: 100 }),
    await here.company({ credits: 100, language: "en" }),
  ];
  const { call } = await connected(here, await applicationOf(here, french), french);
  const most = "@name ".repeat(50);
  const asked = (text: string) => ({ contacts: [{ phone: "2250700001234", name: "A" }], text });
  const paths = ["/v1/campaign/create", "/v1/campaign/quote"];
  for (const path of paths) {
    assert.equal((await french.call(path, asked(most))).error, null);
    for (const [company, message] of [
      [french, "contient 51 variables ; le maximum est 50"],
      [english, "contains 51 variables; the maximum is 50"],
    ] as const) {
      const { error, details } = await company.call(path, asked(`${most}@phone`));
      assert.deepEqual([error, details], ["invalid-request", [{ field: "text", message }]]);
    }
    // Words that are no variables do not count, and a text that is too long is that first.
    assert.equal((await french.call(path, asked("@mot ".repeat(60)))).error, null);
    assert.equal((await french.call(path, asked("@name ".repeat(2_000)))).error, "message-too-long");
  }
  const { error, details } = await call("/v1/third-party-app/sms/send", {
    contacts: ["2250700001234"],
    message: `${most}@phone`,
  });
  assert.deepEqual([error, details?.[0]?.field], ["invalid-request", "message"]);
});

test("H08 a long list is rendered in slices, and others get their turn before each of them", async (t) => {
  const here = await testServiceWith(t);
  const company = await here.company();
  const draft = await draftTo(here, company);
  const { routing, ...terms } = await termsOf(here.app);
  let rendered = 0;
  const slices: number[] = [];
  const counting = {
    prefixOf(...given: Parameters<typeof routing.prefixOf>) {
      rendered++;
      return routing.prefixOf(...given);
    },
    refuses: () => false,
  } as Partial<typeof routing> as typeof routing;
  const nextSlice = async () => {
    slices.push(rendered);
    rendered = 0;
  };
  const about = { known: new Map(), optedOut: new Set<string>(), ported: new Map() };
  for (const text of [TEXT, "Bonjour"]) {
    const template = compileTemplate(text);
    const size = sizeOfSlice(template);
    slices.length = 0;
    const rules = {
      ...terms,
      isTrial: false,
      openCodes: null,
      sender: draft.sender,
      routing: counting,
      template,
      nextSlice,
    };
    const { recipients } = await renderNamed(draft, rules, about);
    assert.equal(recipients.length, PEOPLE);
    assert.deepEqual(slices.slice(1), Array(Math.ceil(PEOPLE / size) - 1).fill(size));
    rendered = 0;
  }
});

test("H08 large works that nobody pays are done one at a time, and too many of them do not wait", async (t) => {
  const here = await testServiceWith(t, 100);
  const { app } = here;
  const poor = await Promise.all(Array.from({ length: 3 }, () => here.company()));
  const takeOne = async () => takeWork(app, await draftTo(here, poor[0]!));
  const gates: PromiseWithResolvers<void>[] = [];
  const gated = () => {
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    return gate.promise;
  };
  const working: Promise<void>[] = [];
  for (let i = 0; i < 6; i++) {
    const work = await takeWork(app, await draftTo(here, poor[i % 3]!));
    assert.equal(work.urgency, "background");
    working.push(doWork(app, work, gated));
  }
  await assert.rejects(takeOne(), /too-many-requests/);
  const rich = await here.company({ credits: 1_000_000 });
  assert.equal((await quote(rich)).error, null);
  for (let done = 1; done <= 6; done++) {
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(gates.length, done);
    gates.at(-1)!.resolve();
    await working[done - 1];
  }
  assert.equal((await takeOne()).urgency, "background");
});

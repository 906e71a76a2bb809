// Tenants beside each other: one does all the unpaid work that its keys allow, and the others go on as before.
import assert from "node:assert/strict";
import { test } from "node:test";
import { metricOf } from "../metrics.ts";
import { addOperator, phones, stacked } from "../sending.ts";
import { type Answered, type Company, type TestService, testService, until } from "../testservice.ts";

const PEOPLE = 1_500;
const AT_ONCE = 30;
const OTHERS = 5;

const contacts = phones(PEOPLE).map((phone) => ({ phone, name: "Awa Koné", firstName: "Awa" }));

/** A service that sends nothing, in which few bytes of one account may wait. */
async function serviceOf(t: Parameters<typeof stacked>[0]): Promise<TestService> {
  const here = await testService(stacked(t), {
    config: { roles: new Set(["api"]), simulator: false },
    limits: { unpaidWaitingBytes: 5 * JSON.stringify(contacts).length, refusedPauseMs: 0 },
  });
  await addOperator(here, 1);
  return here;
}

const figure = (here: TestService, name: string) =>
  metricOf(here.url, here.adminKey, `atumpan_shares_${name}`);

/** Asks many times at once, and samples the account's work meanwhile. Returns the answers and the most that ran at once. */
async function flood(here: TestService, ask: (n: number) => Promise<Answered>, beside: () => Promise<void>) {
  let left = AT_ONCE;
  let most = 0;
  const asked = Array.from({ length: AT_ONCE }, async (_, n) => {
    const answer = await ask(n);
    left--;
    return answer;
  });
  await beside();
  while (left > 0) most = Math.max(most, (await figure(here, "running"))!);
  return { answers: await Promise.all(asked), most };
}

let codes = 0;
/** Each in a block of its own, of which the guard lets few codes go. */
const codePhone = () => `22505${String(codes++).padStart(4, "0")}5559`;

/** What others pay for, and one of their lists. All of it succeeds. */
async function askAsOthers(neighbour: Company): Promise<void> {
  for (let n = 0; n < OTHERS; n++) {
    const phone = codePhone();
    const answers = await Promise.all([
      neighbour.call("/v1/campaign/create", { contacts: [phone], text: "Bonjour" }),
      neighbour.call("/v1/auth/otp/get", { phoneNumber: phone }),
      neighbour.call("/v1/contact/list"),
    ]);
    assert.deepEqual(
      answers.map(({ error }) => error),
      [null, null, null],
    );
  }
}

test("A11 one tenant's unpaid work takes its share, is refused with a time beyond it, and refuses nobody else", async (t) => {
  const here = await serviceOf(t);
  const neighbour = await here.company({ credits: 1_000 });
  let tenant = neighbour;
  let group = { id: "" };
  const kinds: [name: string, ask: (n: number) => Promise<Answered>, isHeavy: boolean][] = [
    ["creates", () => tenant.call("/v1/contact/create", { contacts }), true],
    ["group updates", () => tenant.call(`/v1/group/${group.id}/update`, { contacts }), true],
    ["quotes", () => tenant.call("/v1/campaign/quote", { groupsIds: [group.id], text: "Bonjour" }), false],
    ["searches", (n) => tenant.call("/v1/contact/list", { search: `kouassi a ${n}` }), false],
    ["deep pages", (n) => tenant.call("/v1/contact/list", { page: n + 1, limit: 50 }), false],
    ["imports", (n) => tenant.call("/v1/contact/import/begin", { fileName: `${n}` }), false],
    ["exports", () => tenant.call("/v1/company/export"), false],
  ];
  for (const [name, ask, isHeavy] of kinds)
    await t.test(name, async () => {
      tenant = await here.company();
      const made = { name: "Tous", contacts: contacts.slice(0, 9) };
      group = (await tenant.call("/v1/group/create", made)).data;
      const { answers, most } = await flood(here, ask, () => askAsOthers(neighbour));
      const { unpaidAtOnce } = here.app.config.limits;
      assert.ok(most <= (isHeavy ? 1 : unpaidAtOnce), `${most} at once`);
      const errors = answers.map(({ error }) => error);
      assert.ok(errors.includes(null), "the tenant is served too");
      // `testService` asserts that each such answer has a Retry-After.
      const isRefused = errors.includes("too-many-requests");
      if (isHeavy) assert.ok(isRefused, "what would wait too long is refused at once");
      await until(async () => (await figure(here, "waiting")) === 0);
    });
});

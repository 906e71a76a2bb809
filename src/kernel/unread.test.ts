// Large bodies of an account that has too much waiting: refused before they are parsed, and nobody else's are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { countWaiting } from "../../test/locks.ts";
import { phones } from "../../test/sending.ts";
import { type Answered, type Company, readAnswer, until, type World, world } from "../../test/world.ts";
import { HEAVY_BODY_BYTES } from "./shares.ts";

const HEAVY_PEOPLE = 3_000;

async function serviceOf(t: Parameters<typeof world>[0]): Promise<World> {
  return await world(t, {
    config: { roles: new Set(["api"]), simulator: false },
    // One runs, none waits, and answers come at once.
    limits: { unpaidWaiting: 0, refusedPauseMs: 0 },
    settings: { requestLogMs: 5 },
  });
}

/** Runs `ask` while a large body of the company is being written. */
async function whileBusy(here: World, company: Company, ask: () => Promise<void>): Promise<void> {
  const contacts = phones(HEAVY_PEOPLE).map((phone) => ({ phone }));
  const { running } = await here.app.database.transaction(async (tx) => {
    await tx.run({ name: "test.lockContacts", text: "LOCK TABLE contacts IN SHARE ROW EXCLUSIVE MODE" });
    const running = company.call("/v1/contact/create", { contacts });
    await until(async () => (await countWaiting(here.app)) === 1);
    await ask();
    return { running };
  });
  assert.equal((await running).error, null);
}

/** Posts a large body that begins with these members and is not JSON at its end. */
async function postBroken(
  here: World,
  members: Record<string, unknown>,
  { path = "/v1/contact/create", padding = HEAVY_BODY_BYTES } = {},
): Promise<Answered> {
  const response = await fetch(here.url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: `${JSON.stringify(members).slice(0, -1)},"contacts":["${"x".repeat(padding)}"]`,
  });
  return readAnswer(response);
}

const keysOf = ({ apiKey, companyId }: Company) => ({ apiKey, companyId });

test("A2: a large body of an account that is busy is refused before it is parsed, and in its log", async (t) => {
  const here = await serviceOf(t);
  const company = await here.company();
  const { apiKey, companyId } = company;
  await whileBusy(here, company, async () => {
    assert.equal((await postBroken(here, { companyId, apiKey })).error, "too-many-requests");
    assert.equal((await postBroken(here, { apiKey: ` ${apiKey}`, companyId })).error, "invalid-json");
    const elsewhere = await postBroken(here, { apiKey, companyId }, { path: "/v1/group/create" });
    assert.equal(elsewhere.error, "too-many-requests", "whatever it asks for");
  });
  assert.equal((await postBroken(here, keysOf(company))).error, "invalid-json", "it has a turn again");
  await until(async () => {
    const { data } = await company.call("/v1/company/request/list", { outcome: "too-many-requests" });
    return data.length === 2;
  });
});

test("A2: bodies of others, small ones, and those that only mention the keys, are parsed meanwhile", async (t) => {
  const here = await serviceOf(t);
  const [company, other] = [await here.company(), await here.company()];
  const parsed: [why: string, members: object][] = [
    ["another account", keysOf(other)],
    ["a stranger", { apiKey: "none", companyId: company.companyId }],
    ["no keys", {}],
    ["the keys of someone else in a member", { note: keysOf(company), ...keysOf(other) }],
    ["the keys of someone else in a text", { note: JSON.stringify(keysOf(company)), ...keysOf(other) }],
    ["the keys in a list", { note: [keysOf(company)] }],
    ["no text as a key", { apiKey: [company.apiKey], companyId: company.companyId }],
  ];
  await whileBusy(here, company, async () => {
    for (const [why, members] of parsed)
      assert.equal((await postBroken(here, { ...members })).error, "invalid-json", why);
    assert.equal((await postBroken(here, keysOf(company), { padding: 9 })).error, "invalid-json", "small");
    const paid = await postBroken(here, keysOf(company), { path: "/v1/campaign/create" });
    assert.equal(paid.error, "invalid-json", "what the account pays for waits for nothing");
  });
});

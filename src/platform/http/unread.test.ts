// Large bodies of an account that has too much waiting: refused before they are parsed, and nobody else's are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { countWaiting } from "../../../test/locks.ts";
import { phones } from "../../../test/sending.ts";
import {
  type Answered,
  type Company,
  readAnswer,
  type TestService,
  testService,
  until,
} from "../../../test/testservice.ts";
import { HEAVY_BODY_BYTES } from "../limits/shares.ts";
import { Outline } from "./outline.ts";

const HEAVY_PEOPLE = 3_000;

async function serviceOf(t: Parameters<typeof testService>[0]): Promise<TestService> {
  return await testService(t, {
    config: { roles: new Set(["api"]), simulator: false },
    // One runs, none waits, and answers come at once.
    limits: { unpaidWaiting: 0, refusedPauseMs: 0 },
    settings: { requestLogMs: 5 },
  });
}

/** Runs `ask` while a large body of the company is being written. */
async function whileBusy(here: TestService, company: Company, ask: () => Promise<void>): Promise<void> {
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
  here: TestService,
  members: Record<string, unknown>,
  { path = "/v1/contact/create", padding = HEAVY_BODY_BYTES } = {},
): Promise<Answered> {
  return postText(
    here,
    path,
    `${JSON.stringify(members).slice(0, -1)},"contacts":["${"x".repeat(padding)}"]`,
  );
}

async function postText(here: TestService, path: string, body: string): Promise<Answered> {
  const headers = { "Content-Type": "application/json" };
  return readAnswer(await fetch(here.url + path, { method: "POST", headers, body }));
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
    return (
      data.length === 2 && data.every(({ bytes }: { bytes: number }) => Number(bytes) > HEAVY_BODY_BYTES)
    );
  });
});

test("A2: bodies of others, small ones, and those that only mention the keys, are parsed meanwhile", async (t) => {
  const here = await serviceOf(t);
  const [company, other] = [await here.company(), await here.company()];
  const parsed: [why: string, members: object][] = [
    ["another account", keysOf(other)],
    ["an unknown key", { apiKey: "none", companyId: company.companyId }],
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

test("A2: bytes that do not say plainly whose keys they hold are parsed, whatever was sent before", async (t) => {
  const here = await serviceOf(t);
  const [company, other] = [await here.company(), await here.company()];
  const { apiKey, companyId } = company;
  const padding = "x".repeat(HEAVY_BODY_BYTES);
  const unclear: [why: string, text: string][] = [
    ["a member twice", `{"apiKey":"${apiKey}","companyId":"${other.companyId}","companyId":"${companyId}"`],
    ["an escape in a name", `{"apiKey":"${apiKey}","company\\u0049d":"${companyId}"`],
    [
      "a name that ends in one",
      `{"apiKey":"${other.apiKey}","x\\"apiKey":"${apiKey}","companyId":"${companyId}"`,
    ],
    ["both in one", `{"apiKey":"${apiKey}\\ncompanyId=${companyId}"`],
    ["a long one", `{"companyId":"${companyId}","apiKey":"${apiKey}${"y".repeat(400)}"`],
    ["colons after a name", `{"apiKey"${":".repeat(30)}"${apiKey}","companyId":"${companyId}"`],
    ["a name before its quote", `{"companyId":"${companyId}",apiKey":"${apiKey}"`],
  ];
  await whileBusy(here, company, async () => {
    // The second time, each text may be known from the first.
    for (const [why, text] of [...unclear, ...unclear]) {
      const answer = await postText(here, "/v1/contact/create", `${text},"contacts":["${padding}"]`);
      assert.equal(answer.error, "invalid-json", why);
    }
    assert.equal((await postBroken(here, keysOf(company))).error, "too-many-requests");
  });
});

test("A2: to look for the keys takes less than to read the bytes, however long the names are", () => {
  const names = new Set(["apiKey", "companyId"]);
  const name = "x".repeat(4 * 1024 * 1024);
  for (const text of [`{"${name}"${":".repeat(64)}`, `{"a":1,"${name}":"${"y".repeat(9)}"`]) {
    const bytes = Buffer.from(text);
    const times = [1, 2, 3].map(() => {
      const outline = new Outline();
      const begunMs = performance.now();
      outline.readTo(bytes, bytes.length);
      const readMs = performance.now();
      assert.equal(outline.textsOf(names, bytes), undefined);
      return (performance.now() - readMs) / (readMs - begunMs);
    });
    assert.ok(Math.min(...times) < 1, `${times}`);
  }
});

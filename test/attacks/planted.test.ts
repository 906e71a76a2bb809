// Bodies with members that only we may write. Every endpoint is asked twice, the second time with such members.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { routes } from "../../src/api/api.ts";
import { addressed, endpointOf, membersOf } from "../endpoints.ts";
import { credentialsOf, type Fixture, type Json, makeFixture, NEW_KEY, OPEN } from "../fixtures.ts";
import { type TestService, testService } from "../testservice.ts";
import { alike, ask, traces, twinsOf } from "../twins.ts";

/** Endpoints that need a gateway to answer. There is none here. */
const NEEDS_GATEWAY = new Set(
  ["simulator/reply", "operator/{id}/test", "operator/{id}/move", "probe/{id}/send"].map(
    (path) => `/v1/admin/${path}`,
  ),
);

/** Members that no caller may set. Every value is found again wherever it is stored. */
const CANARY = "canary0123456789";
const PLANTED: Json = {
  ...{ id: CANARY, companyId: CANARY, userId: CANARY, ownerId: CANARY, customerId: CANARY, poolId: CANARY },
  ...{
    company_id: CANARY,
    user_id: CANARY,
    status: CANARY,
    role: CANARY,
    apiSecret: CANARY,
    apiKeyHash: CANARY,
  },
  ...{
    isAdmin: true,
    isPartner: true,
    admin: true,
    is_partner: true,
    balance: 987_654_321,
    credits: 987_654_321,
  },
  ...{
    credit: 987_654_321,
    price: 987_654_321,
    senderLimit: 9_876,
    creditUsed: 987_654_321,
    contactCount: 9_876,
  },
  ...{ createdAt: "2001-09-11T00:00:00.000Z", updatedAt: "2001-09-11T00:00:00.000Z", source: CANARY },
  ...{ key_digest: CANARY, sender_limit: 9_876, reason: CANARY, senderIdId: CANARY, blockedCount: 9_876 },
};
/** The warnings that name the planted members. Such an answer has nothing else that the plain one lacks. */
const WARNINGS = /,"warnings":\[.*\](?=\}$)/;
const TRACES = [CANARY, "987654321", "2001-09-11"];

suite("every door", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let foreign: Fixture;
  let twins: ReturnType<typeof twinsOf>;
  let untouched: string[];

  before(async () => {
    // Without a gateway, everything that a campaign wrote stays as it was written.
    const config = { ...OPEN.config, roles: new Set(["api"] as const) };
    w = await testService({ after: (close) => closing.push(close) }, { ...OPEN, config });
    foreign = await makeFixture(w);
    twins = twinsOf(w);
    untouched = await elsewhere();
    for (const row of untouched) for (const trace of TRACES) assert.ok(!row.includes(trace));
  });
  after(async () => {
    for (const close of closing) await close();
  });

  /** Where these words stand. The log of requests is written behind the answers. */
  const tracesOf = (words: readonly string[]) => traces(w, words, { except: ["requests"] });
  /** Where the foreign company stands, and no planted member. */
  const elsewhere = () => tracesOf([foreign.companyId, foreign.userId, ...TRACES]);

  for (const route of routes) {
    const { path } = route;

    test(`A04: ${path} stores no member of a body that a caller must not set`, async () => {
      const { callers, body: bodyOf, spends } = endpointOf(route);
      const members = new Set(membersOf(route).map(([name]) => name));
      const kind = callers[0]!;
      const askFor = (own: Fixture, isPlanted: boolean) => {
        const sent = addressed(route, bodyOf(own));
        if (isPlanted) plant(sent.body, members);
        return ask(w, sent.path, { ...sent.body, ...credentialsOf(kind, w, own) }, kind);
      };
      let [plain, planted] = await twins.take();
      let one = await askFor(plain, false);
      if (!one.startsWith("success")) {
        // Another endpoint has used up something that this endpoint needs.
        [plain, planted] = await twins.take();
        one = await askFor(plain, false);
      }
      assert.ok(one.startsWith("success") || NEEDS_GATEWAY.has(path), one);
      const two = await askFor(planted, true);
      assert.equal(alike(two.replace(WARNINGS, "")), alike(one.replace(WARNINGS, "")));
      if (two.startsWith("success"))
        assert.equal(WARNINGS.test(two), !("additionalProperties" in route.body), two);
      for (const trace of TRACES) assert.equal(two.includes(trace), false, two);
      assert.deepEqual(await elsewhere(), untouched);
      const whatIsThere = async (of: Fixture, answer: string) => {
        const ids = /"(?:id|companyId|userId|connectionId)":"([0-9a-f]{24})"/g;
        const made = [...answer.matchAll(ids)].map(([, id]) => id!);
        return (await tracesOf([of.companyId, of.own.application, ...made])).map(alike).sort();
      };
      assert.deepEqual(await whatIsThere(planted, two), await whatIsThere(plain, one));
      if (!spends && !NEW_KEY.has(path)) twins.giveBack([plain, planted]);
    });
  }
});

/** Adds the planted members to a body and to the objects in its arrays, except members of its schema. */
function plant(body: Json, members: ReadonlySet<string>): void {
  for (const [name, value] of Object.entries(body)) {
    for (const item of Array.isArray(value) ? value : []) {
      if (typeof item !== "object") continue;
      for (const key in PLANTED)
        if (!(key in item) && !members.has(`${name}[].${key}`)) item[key] = PLANTED[key];
    }
  }
  for (const key in PLANTED) if (!members.has(key)) body[key] = PLANTED[key];
}

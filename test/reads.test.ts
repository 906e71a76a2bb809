// What an administrator lists is read by its id too, and its list tells of given ids alone; and who administers is told.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { newId } from "../src/platform/ids.ts";
import { machine, person } from "./administrators.ts";
import { dataOf } from "./applications.ts";
import { type Fixture, makeFixture, OPEN } from "./fixtures.ts";
import { type TestService, testService } from "./testservice.ts";
import type { Things } from "./things.ts";

/** By list: the thing of a fixture that stands in it, and the refusal for one that does not. */
const LISTS: Readonly<Record<string, readonly [thing: keyof Things, refusal: string]>> = {
  "/v1/admin/user": ["administrator", "not-found"],
  "/v1/admin/key": ["adminKey", "not-found"],
  "/v1/admin/company": ["company", "not-found"],
  "/v1/admin/sender": ["pending", "sender-not-found"],
  "/v1/admin/operator": ["operator", "not-found"],
  "/v1/admin/third-party-app": ["submitted", "app-not-found"],
};

suite("what an administrator reads by id", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let own: Things;
  let other: Fixture;

  before(async () => {
    w = await testService({ after: (close) => closing.push(close) }, OPEN);
    own = (await makeFixture(w)).own;
    other = await makeFixture(w);
  });
  after(async () => {
    for (const close of closing) await close();
  });

  for (const [path, [thing, refusal]] of Object.entries(LISTS))
    test(`${path} reads one as its list shows it, and refuses what is not there`, async () => {
      const { data, totalCount } = await w.admin(`${path}/list`, { ids: [own[thing], newId(), "x"] });
      assert.deepEqual([totalCount, data.length, data[0].id], [1, 1, own[thing]]);
      // A sender that is read alone has its registrations too.
      assert.partialDeepStrictEqual(await dataOf(w.admin(`${path}/${own[thing]}`)), data[0]);
      for (const id of [newId(), own.contact, "x", "%27", "é".repeat(50)])
        assert.equal((await w.admin(`${path}/${id}`)).error, refusal, id);
    });

  for (const [path, thing] of [
    ...Object.entries(LISTS).map(([path, [thing]]) => [path, thing] as const),
    ["/v1/admin/offer", "topupOffer"],
  ] as const)
    test(`${path}/list tells of 1 to 100 ids, in pages and both orders`, async () => {
      const ids = [own[thing], other.own[thing], own[thing]];
      const list = async (body: object) => {
        const { data, totalCount } = await w.admin(`${path}/list`, { ids, ...body });
        return [totalCount, ...data.map(({ id }: { id: string }) => id)];
      };
      assert.deepEqual(await list({ sort: "asc" }), [2, own[thing], other.own[thing]]);
      assert.deepEqual(await list({ sort: "desc" }), [2, other.own[thing], own[thing]]);
      assert.deepEqual(await list({ sort: "asc", limit: 1, page: 2 }), [2, other.own[thing]]);
      assert.deepEqual(await list({ ids: Array.from({ length: 100 }, newId) }), [0]);
      for (const wrong of [[], [""], Array.from({ length: 101 }, newId), own[thing]])
        assert.equal((await w.admin(`${path}/list`, { ids: wrong })).error, "invalid-request");
    });

  test("of given ids a list tells only those that have the wanted status", async () => {
    for (const [path, thing, status] of [
      ["/v1/admin/sender/list", "pending", "PENDING"],
      ["/v1/admin/third-party-app/list", "submitted", "PENDING_REVIEW"],
    ] as const) {
      const count = async (wanted: string) =>
        (await w.admin(path, { ids: [own[thing]], status: wanted })).totalCount;
      const others = path.includes("sender") ? "REFUSED" : "REJECTED";
      assert.deepEqual([await count(status), await count(others)], [1, 0], path);
    }
  });

  test("a sender and an application are read with the brand that their names look like", async () => {
    const company = await w.company();
    const [name, description] = ["WAVEINFO", "Promotions"];
    const sender = await dataOf(company.call("/v1/sender/create", { name, description }));
    const slug = `x${newId()}`;
    const app = await dataOf(company.call("/v1/third-party-app/submit", { name: "Wаve", slug, description }));
    for (const path of [`/v1/admin/sender/${sender.id}`, `/v1/admin/third-party-app/${app.id}`])
      assert.equal((await dataOf(w.admin(path))).resembles, "Wave", path);
  });

  test("a campaign is read while it waits for an administrator, and not before and after", async (t) => {
    const here = await testService(t, {
      config: { holdFirstCampaigns: 1, roles: new Set(["api"] as const) },
    });
    const company = await here.company({ credits: 200 });
    const contacts = Array.from({ length: 51 }, (_, i) => String(2250700300000 + i));
    const sent = await dataOf(company.call("/v1/campaign/create", { contacts, text: "Bonjour" }));
    const [listed] = await dataOf(here.admin("/v1/admin/campaign/held/list"));
    assert.equal(listed.id, sent.campaignId);
    const read = () => here.admin(`/v1/admin/campaign/held/${listed.id}`);
    assert.deepEqual(await dataOf(read()), listed);
    for (const id of [newId(), company.companyId, "x"])
      assert.equal((await here.admin(`/v1/admin/campaign/held/${id}`)).error, "campaign-not-found", id);
    const { companyId } = company;
    await dataOf(here.admin(`/v1/admin/campaign/${listed.id}/release`, { companyId }));
    assert.equal((await read()).error, "campaign-not-found");
  });

  test("whoever administers is told who that is: the installation, a machine or a person, and the role", async () => {
    const read = "/v1/admin/session/read";
    assert.deepEqual(await dataOf(w.admin(read)), {
      ...{ id: null, name: "ADMIN_KEY", role: "owner" },
      sessionId: null,
    });
    const { id: keyId, ...key } = await dataOf((await machine(w, "finance"))(read));
    assert.deepEqual(key, { name: "finance", role: "finance", sessionId: null });
    assert.equal((await dataOf(w.admin(`/v1/admin/key/${keyId}`))).name, "finance");
    const { id, call } = await person(w, "reviewer");
    const [session] = await dataOf(call("/v1/admin/session/list"));
    const expected = { id, name: "Fatou Diop", role: "reviewer", sessionId: session.id };
    assert.deepEqual(await dataOf(call(read)), expected);
  });
});

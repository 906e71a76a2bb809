// Every list by cursor: each row once, whatever comes and goes meanwhile, and no row of another account (D16).
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { routes } from "../../src/api/api.ts";
import type { Route } from "../../src/platform/http/routes.ts";
import { newId } from "../../src/platform/ids.ts";
import { newPhone } from "../codes.ts";
import { addressed, endpointOf } from "../endpoints.ts";
import { credentialsOf, type Fixture, type Json, letters, makeFixture, OPEN, unique } from "../fixtures.ts";
import { type Answered, type TestService, testService } from "../testservice.ts";

const lists = routes.filter((route) => "nextCursor" in route.beside);
const PAGES_AT_MOST = 300;
/** Lists whose rows are other ones at each look: the numbers of processes and binds, and what is noted of this very read. */
const MOVING = new Set(["/v1/admin/node/list", "/v1/admin/operator/list"]);
/** Lists in which each request of this test adds a row of its own. */
const GROWING = new Set(["/v1/admin/audit/list", "/v1/company/audit/list", "/v1/company/request/list"]);

/** Lists without a way back, as the fixture asks for them. */
const ONLY_FORWARDS = new Set([
  "/v1/message/list",
  "/v1/admin/message/list",
  "/v1/admin/third-party-app/list",
  "/v1/credit/statement",
  "/v1/partner/customer/{id}/statement",
]);

/** Rows that may be added while a list is read, by its URL. */
const ADDING: Readonly<Record<string, (n: number) => [path: string, body: Json]>> = {
  "/v1/contact/list": (n) => ["/v1/contact/create", { phone: newPhone(), ...NAMES[n % NAMES.length] }],
  "/v1/group/list": () => ["/v1/group/create", { name: letters("G") }],
  "/v1/campaign/list": () => ["/v1/campaign/create", { contacts: [newPhone()], text: "Bonjour" }],
  "/v1/message/list": () => ["/v1/campaign/create", { contacts: [newPhone()], text: "Bonjour" }],
  "/v1/credit/statement": () => ["/v1/campaign/create", { contacts: [newPhone()], text: "Bonjour" }],
  "/v1/sender/list": () => ["/v1/sender/create", { name: letters("S"), description: "Promotions" }],
  "/v1/optout/list": () => ["/v1/optout/create", { phone: newPhone() }],
  "/v1/campaign/draft/list": () => ["/v1/campaign/draft/save", { name: "Promo", text: "Bonjour" }],
  "/v1/campaign/template/list": () => ["/v1/campaign/template/create", { name: unique(), text: "Bonjour" }],
  "/v1/company/key/list": () => ["/v1/company/key/create", { name: unique() }],
  "/v1/partner/customer/list": () => ["/v1/partner/customer/create", { name: unique() }],
  "/v1/company/webhook/list": () => [
    "/v1/company/webhook/create",
    { name: unique(), url: "http://127.0.0.1:1/webhooks", events: ["campaign.completed"] },
  ],
};
const NAMES: readonly Json[] = [
  {},
  { firstName: "Awa" },
  { lastName: "Koné" },
  { firstName: "Awa", sex: "F" },
];

suite("every list", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let fixture: Fixture;
  let other: Fixture;

  before(async () => {
    w = await testService(
      { after: (close) => closing.push(close) },
      { ...OPEN, limits: { ...OPEN.limits, sendersPerCompany: 1_000 } },
    );
    [fixture, other] = [await makeFixture(w), await makeFixture(w)];
  });
  after(async () => {
    for (const close of closing) await close();
  });

  const ask = (route: Route, more: Json, of = fixture): Promise<Answered> => {
    const { callers, body: bodyOf } = endpointOf(route);
    const { limit: _, count: __, orderBy: ___, sort: ____, ids: _____, ...given } = bodyOf(of);
    const { path, body } = addressed(route, given);
    return w.call(path, { ...body, ...credentialsOf(callers[0]!, w, of), ...more });
  };

  const orders = (route: Route): Json[] => {
    const { orderBy, sort } = route.body.properties as Record<string, { enum?: string[] }>;
    const columns = orderBy?.enum?.map((value) => ({ orderBy: value })) ?? [{}];
    const directions = sort?.enum?.map((value) => ({ sort: value })) ?? [{}];
    return columns.flatMap((column) => directions.map((direction) => ({ ...column, ...direction })));
  };

  /** All pages by cursor from one on, forwards or backwards, and what `between` does between two of them. */
  async function readPages(
    route: Route,
    order: Json,
    [name, next]: readonly ["after", "nextCursor"] | readonly ["before", "previousCursor"],
    {
      from = null,
      between = async () => {},
    }: { from?: string | null; between?: (page: number) => Promise<void> },
  ): Promise<Answered[]> {
    const pages: Answered[] = [];
    let cursor = from;
    do {
      if (pages.length > 0) await between(pages.length);
      const answer = await ask(route, { ...order, limit: 2, ...(cursor && { [name]: cursor }) });
      assert.equal(answer.success, true, JSON.stringify(answer));
      pages.push(answer);
      assert.ok(pages.length <= PAGES_AT_MOST, `${route.path} does not end`);
      cursor = answer[next];
    } while (cursor !== null);
    return pages;
  }

  const onward = (route: Route, order: Json, between?: (page: number) => Promise<void>) =>
    readPages(route, order, ["after", "nextCursor"], { ...(between && { between }) });
  const backward = (route: Route, order: Json, from: string) =>
    readPages(route, order, ["before", "previousCursor"], { from });
  const rowsOf = (pages: readonly Answered[]): unknown[] => pages.flatMap(({ data }) => data);

  // A session that asks is used, and its last use moves on by the minute.
  const still = (name: string, value: unknown) => (name === "lastUsedAt" ? undefined : value);
  const textsOf = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row, still));
  const idOf = (row: unknown) => {
    const { id, phone, name, createdAt } = row as Record<string, unknown>;
    return String(id ?? phone ?? name ?? createdAt);
  };

  for (const route of lists) {
    const { path } = route;

    test(`D16: ${path} shows each row once by cursor, in the order of its pages`, async () => {
      const add = ADDING[path];
      for (let n = 0; n < 5; n++) {
        const [to, body] = add?.(n) ?? [];
        if (to) assert.equal((await fixture.call(to, body)).success, true, to);
      }
      for (const order of orders(route)) {
        const found = textsOf(rowsOf(await onward(route, order)));
        assert.equal(new Set(found).size, found.length, JSON.stringify(order));
        if (MOVING.has(path) || GROWING.has(path)) continue;
        const { data } = await ask(route, { ...order, limit: 100, page: 1 });
        assert.deepEqual(found.slice(0, 100), textsOf(data), JSON.stringify(order));
      }
    });

    test(`P01: ${path} ignores members of other lists, which it does not declare`, async () => {
      const isDeclared = ([name]: [string, unknown]) => Object.hasOwn(route.body.properties, name);
      for (const sort of ["asc", "desc", 5]) {
        const members = {
          sort,
          orderBy: "name",
          search: ["Awa"],
          ids: 7,
          kind: {},
          status: "x",
          toString: 1,
        };
        const others = Object.fromEntries(Object.entries(members).filter((member) => !isDeclared(member)));
        const answer = await ask(route, { limit: 2, ...others });
        assert.equal(answer.success, true, JSON.stringify(answer));
        if (MOVING.has(path) || GROWING.has(path)) continue;
        const plain = await ask(route, { limit: 2 });
        assert.deepEqual(textsOf(answer.data), textsOf(plain.data));
        if (!answer.nextCursor) continue;
        const further = await ask(route, { limit: 2, after: answer.nextCursor });
        assert.equal(further.success, true, JSON.stringify(further));
      }
    });

    test(`D16: ${path} is read back in the same pages`, async () => {
      for (const order of orders(route)) {
        const pages = await onward(route, order);
        const last = pages.at(-1)!;
        assert.equal(pages[0]!.previousCursor, null, "nothing comes before the first page");
        if (pages.length === 1) continue;
        assert.equal(last.previousCursor === null, ONLY_FORWARDS.has(path), JSON.stringify(order));
        if (last.previousCursor === null) continue;
        const back = await backward(route, order, last.previousCursor);
        const found = rowsOf(back.reverse()).map(idOf);
        assert.equal(new Set(found).size, found.length, JSON.stringify(order));
        if (MOVING.has(path) || GROWING.has(path)) continue;
        assert.deepEqual(textsOf(rowsOf(back)), textsOf(rowsOf(pages.slice(0, -1))), JSON.stringify(order));
        assert.deepEqual(
          textsOf((await ask(route, { ...order, limit: 2, after: back.at(-1)!.nextCursor })).data),
          textsOf(last.data),
        );
      }
    });

    if (ADDING[path])
      test(`D16: ${path} shows each row once while rows are added`, async () => {
        for (const order of orders(route)) {
          const { data } = await ask(route, { ...order, limit: 100 });
          const known = data.map(idOf);
          const pages = await onward(route, order, async (page) => {
            const [to, body] = ADDING[path]!(page);
            if (page < 20) await fixture.call(to, body);
          });
          const ids = rowsOf(pages).map(idOf);
          assert.equal(new Set(ids).size, ids.length, JSON.stringify(order));
          for (const id of known) assert.ok(ids.includes(id), `${id} ${JSON.stringify(order)}`);
        }
      });
  }

  test("D16: a list names in its warnings the members that it ignores beside others", async () => {
    const list = (path: string) => lists.find((route) => route.path === path)!;
    const { nextCursor } = await ask(list("/v1/message/list"), { limit: 1 });
    const afterId = newId();
    for (const [path, body, ignored] of [
      ["/v1/campaign/list", { orderBy: "firstName" }, ["orderBy"]],
      ["/v1/campaign/list", { orderBy: "createdAt", search: "x" }, []],
      ["/v1/message/list", { after: nextCursor, afterId }, ["afterId"]],
      ["/v1/campaign/{id}/messages", { afterNumber: 1 }, ["afterNumber"]],
      ["/v1/campaign/{id}/messages", { afterNumber: 1, status: "SENT" }, []],
      ["/v1/admin/inbound/list", { unrouted: true, companyId: fixture.companyId }, ["companyId"]],
      ["/v1/contact/list", { orderBy: "name", sort: "desc", search: "x" }, []],
    ] as const) {
      const { success, warnings = [] } = await ask(list(path), body);
      const fields = (warnings as { field: string }[]).map(({ field }) => field);
      assert.deepEqual([success, fields], [true, ignored], `${path} ${JSON.stringify(body)}`);
    }
  });

  test("D16: a cursor belongs to the filters of its list", async () => {
    const campaign = async () => {
      const contacts = [newPhone(), newPhone(), newPhone()];
      return (await fixture.call("/v1/campaign/create", { contacts, text: "Bonjour" })).data.id as string;
    };
    const [id, another] = [await campaign(), await campaign()];
    const messages = (of: string, body: Json) =>
      fixture.call(`/v1/campaign/${of}/messages`, { limit: 1, ...body });
    const { nextCursor: after } = await messages(id, {});
    assert.equal((await messages(id, { after })).success, true);
    const ofOthers = [messages(id, { after, status: "SENT" }), messages(another, { after })];
    for (const { error } of await Promise.all(ofOthers)) assert.equal(error, "invalid-request");
  });

  test("D16: rows that are deleted meanwhile take no other row with them", async () => {
    const route = lists.find(({ path }) => path === "/v1/contact/list")!;
    const { companyId, apiKey } = fixture;
    for (const order of [{ orderBy: "name" }, { orderBy: "firstName" }, { orderBy: "createdAt" }]) {
      const { data } = await ask(route, { ...order, limit: 100 });
      const gone = new Set<string>();
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const more: Json = { ...order, limit: 3, ...(cursor && { after: cursor }) };
        const page = await ask(route, more);
        seen.push(...page.data.map(idOf));
        cursor = page.nextCursor;
        // The last row of the page, after which the next one begins.
        const last = page.data.at(-1)?.id;
        if (last && gone.size < 5 && last !== fixture.own.contact) {
          await w.call("/v1/contact/delete", { companyId, apiKey, contactsIds: [last] });
          gone.add(last);
        }
      } while (cursor);
      assert.deepEqual(seen.slice(0, data.length), data.map(idOf));
    }
  });

  test("D16: a cursor belongs to its list and its order, and shows no row of another account", async () => {
    const contacts = lists.find(({ path }) => path === "/v1/contact/list")!;
    const groups = lists.find(({ path }) => path === "/v1/group/list")!;
    const { nextCursor } = await ask(contacts, { orderBy: "name", limit: 1 });
    const { previousCursor } = await ask(contacts, { orderBy: "name", limit: 1, after: nextCursor });
    const wrong = [
      [contacts, { orderBy: "firstName", after: nextCursor }],
      [contacts, { orderBy: "name", sort: "desc", after: nextCursor }],
      [groups, { orderBy: "name", after: nextCursor }],
      [contacts, { orderBy: "name", after: `${nextCursor}x` }],
      [contacts, { orderBy: "name", after: newId() }],
      [contacts, { orderBy: "name", after: `${Buffer.from('["a","b"]').toString("base64url")}.x` }],
      [contacts, { orderBy: "name", before: nextCursor }],
      [contacts, { orderBy: "name", before: `${previousCursor}x` }],
      [contacts, { orderBy: "firstName", before: previousCursor }],
      [contacts, { orderBy: "name", after: previousCursor }],
      [contacts, { orderBy: "name", after: nextCursor, before: previousCursor }],
    ] as const;
    for (const [route, body] of wrong) {
      const { error, details } = await ask(route, body);
      const field = "before" in body ? "before" : "after";
      assert.deepEqual([error, details?.[0]?.field], ["invalid-request", field], JSON.stringify(body));
    }
    for (const cursor of [{ after: nextCursor }, { before: previousCursor }]) {
      const both = await ask(contacts, { orderBy: "name", ...cursor, page: 2 });
      assert.deepEqual([both.error, both.details?.[0]?.field], ["invalid-request", "page"]);
    }
    const foreign = await ask(contacts, { orderBy: "name", after: nextCursor, limit: 100 }, other);
    assert.equal(foreign.success, true);
    const own = new Set((await ask(contacts, { limit: 100 }, other)).data.map(idOf));
    for (const row of foreign.data) assert.ok(own.has(idOf(row)));
  });
});

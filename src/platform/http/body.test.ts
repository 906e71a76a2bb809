// Bodies: a body that is not plain, bounded, storable JSON is refused before any operation sees it.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { send, serve } from "../../../test/listener.ts";

test("P03: control characters and lone surrogates are refused in every text", async (t) => {
  const { url, post } = await serve(t);
  for (const code of [0, 1, 7, 8, 0x0b, 0x0c, 0x0e, 0x1f, 0xd800, 0xdbff, 0xdc00, 0xdfff]) {
    const bad = `a${String.fromCharCode(code)}b`;
    const bodies = [{ phone: bad }, { items: [{ name: bad }] }, { unknown: { deep: [bad] } }, { [bad]: 1 }];
    for (const body of bodies) assert.equal((await post("/v1/echo", body)).error, "invalid-request");
  }
  const named = await post("/v1/echo", { items: [{ name: "ok" }, { name: "\0" }] });
  assert.deepEqual(named.details, [{ field: "items[1].name", message: "contient un caractère interdit" }]);
  assert.equal((await send(`${url}/v1/thing/a%00b/update`, "{}")).error, "invalid-request");
  const fine = 'tab\t line\n return\r é 😀 \u007f "quoted" \\u0000';
  assert.equal((await post("/v1/echo", { phone: fine })).data.phone, fine);
});

test("P04: keys of the prototype change nothing", async (t) => {
  const { url } = await serve(t);
  const bodies = [
    '{"__proto__":{"phone":"x","isAdmin":true},"phone":"1"}',
    '{"constructor":{"prototype":{"isAdmin":true}},"phone":"1"}',
    '{"toString":1,"hasOwnProperty":2,"phone":"1","items":[{"__proto__":{"name":"x"},"name":"y"}]}',
  ];
  for (const body of bodies) assert.equal((await send(`${url}/v1/echo`, body)).data.phone, "1");
  assert.equal(
    (await send(`${url}/v1/echo`, '{"items":[{"__proto__":{"name":"x"}}]}')).error,
    "invalid-request",
  );
  assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
});

test("P05: a body that is too deep, is too dense or has too large a number is refused at once", async (t) => {
  const { url } = await serve(t);
  const deep = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  const keys = Array.from({ length: 500_000 }, (_, i) => `"${i.toString(36)}":1`).join();
  const hostile = [
    deep(16),
    deep(100_000),
    deep(2_000_000),
    `{${keys}}`,
    `{"a":[${"[],".repeat(1_000_000)}[]]}`,
    '{"count":1e400}',
    '{"other":{"a":[-1e999]}}',
    `{"count":${"9".repeat(1_000_000)}}`,
  ];
  for (const body of hostile) {
    assert.equal((await send(`${url}/v1/bulk`, body)).error, "invalid-request");
  }
  assert.equal((await send(`${url}/v1/echo`, deep(15))).success, true);
  const { details } = await send(`${url}/v1/echo`, deep(16));
  const message = "est imbriqué trop profondément";
  assert.deepEqual(details, [{ field: `a${"[0]".repeat(15)}`, message }]);
});

test("types are strict, null means absent, unknown members are ignored", async (t) => {
  const { post } = await serve(t);
  assert.deepEqual((await post("/v1/echo", { phone: null, other: 5, items: null })).data, { other: 5 });
  for (const body of [
    { count: "5" },
    { count: 1.5 },
    { count: true },
    { phone: 5 },
    { phone: ["5"] },
    { items: {} },
  ]) {
    assert.equal((await post("/v1/echo", body)).error, "invalid-request", JSON.stringify(body));
  }
  const { details } = await post("/v1/echo", {
    phone: 5,
    count: "5",
    items: [{}, { name: null }, { name: 5 }],
  });
  assert.deepEqual(
    details!.map((detail) => detail.field),
    ["phone", "count", "items[0].name", "items[1].name", "items[2].name"],
  );
});

test("a path's parameter wins, and a body that says otherwise is refused", async (t) => {
  const { post } = await serve(t);
  assert.equal((await post("/v1/thing/a1/update", {})).data.id, "a1");
  assert.equal((await post("/v1/thing/a1/update", { id: "a1" })).data.id, "a1");
  for (const id of ["a2", 5, ["a1"], { a: 1 }]) {
    const refused = await post("/v1/thing/a1/update", { id });
    assert.deepEqual(refused.details, [{ field: "id", message: "diffère du chemin" }]);
  }
});

test("P09: pages have defaults and bounds", async (t) => {
  const { post } = await serve(t);
  const { data, totalCount, count, page, totalPage } = await post("/v1/list", {});
  assert.deepEqual(
    { data, totalCount, count, page, totalPage },
    { data: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], totalCount: 12, count: 10, page: 1, totalPage: 2 },
  );
  assert.equal((await post("/v1/list", { limit: 100 })).totalPage, 1);
  for (const body of [
    { page: 0 },
    { page: -1 },
    { page: 1.5 },
    { page: 1e9 },
    { page: "2" },
    { limit: 0 },
    { limit: 101 },
    { sort: "up" },
  ]) {
    assert.equal((await post("/v1/list", body)).error, "invalid-request", JSON.stringify(body));
  }
});

test("P01: arbitrary JSON is never a server error", async (t) => {
  const { url } = await serve(t);
  const anything = fc.oneof(
    fc.json(),
    fc.string(),
    fc.object({ maxDepth: 4 }).map((value) => JSON.stringify(value)),
  );
  await fc.assert(
    fc.asyncProperty(
      anything,
      fc.constantFrom("/v1/echo", "/v1/list", "/v1/thing/x/update"),
      async (body, path) => {
        assert.notEqual((await send(url + path, body)).error, "server-error");
      },
    ),
    { numRuns: 500 },
  );
});

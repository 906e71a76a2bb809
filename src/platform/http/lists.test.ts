// Lists: `page`, and `limit` or `count`, choose the rows, and the counts stand beside them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "../../../test/listener.ts";
import { routes } from "../../api/api.ts";

test("a list shows ten rows of its first page, unless limit or count say otherwise; limit wins over count", async (t) => {
  const { post } = await serve(t);
  const table: [object, number[], object][] = [
    [{}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], { totalCount: 12, count: 10, page: 1, totalPage: 2 }],
    [{ limit: 5, page: 3 }, [11, 12], { totalCount: 12, count: 2, page: 3, totalPage: 3 }],
    [{ count: 5, page: 3 }, [11, 12], { totalCount: 12, count: 2, page: 3, totalPage: 3 }],
    [{ count: 1, limit: 2 }, [1, 2], { totalCount: 12, count: 2, page: 1, totalPage: 6 }],
    [{ limit: 100, count: null }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], { totalPage: 1 }],
  ];
  for (const [body, rows, counts] of table) {
    const { success, data, error, ...beside } = await post("/v1/list", body);
    assert.deepEqual({ success, data, error }, { success: true, data: rows, error: null });
    assert.deepEqual({ ...beside, ...counts }, beside, JSON.stringify(body));
  }
  for (const [field, value] of Object.entries({ page: 0, limit: 101, count: 0, sort: "up" })) {
    const answer = await post("/v1/list", { [field]: value });
    assert.equal(answer.error, "invalid-request", field);
    assert.deepEqual(
      answer.details?.map((detail) => detail.field),
      [field],
    );
  }
});

test("every route with pages is a list, and takes count for limit", () => {
  const paged = routes.filter((route) => "page" in route.body.properties);
  assert.ok(paged.length > 10);
  for (const route of paged) {
    const { path } = route;
    for (const name of ["limit", "count"]) assert.ok(name in route.body.properties, `${path} lacks ${name}`);
    for (const name of ["totalCount", "count", "page", "totalPage"]) assert.ok(name in route.beside, path);
    assert.equal((route.answers as { type?: string }).type, "array", path);
  }
});

// The titles of operations: what each does, as an infinitive in French and without an ending in English.
import assert from "node:assert/strict";
import { test } from "node:test";
import { routes } from "../../api/api.ts";
import { chaptersOf } from "./operations.ts";

test("the French title of every operation begins with an infinitive, and no English one with a third person", () => {
  const titles = chaptersOf(routes).flatMap(({ operations }) => operations.map(({ title }) => title));
  const wrong = titles.filter(
    ({ fr, en }) => !/^(Ne rien |Se )?\p{L}+(er|ir|re)(?!\p{L})/u.test(fr) || /^[A-Z][a-z]+[^s\W]s /.test(en),
  );
  assert.ok(titles.length > 0);
  assert.deepEqual(wrong, []);
});

// Statements with named parameters: the text that PostgreSQL takes, and the values in its order.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { query, valuesOf } from "./query.ts";

describe("named parameters", { concurrency: true }, () => {
  test("a name becomes one number, however often it is used", () => {
    const rename = query<never, { id: string; name: string }>(
      "test.rename",
      "UPDATE t SET name = $name WHERE id = $id AND name <> $name AND 1::int = 1",
    );
    assert.equal(rename.text, "UPDATE t SET name = $1 WHERE id = $2 AND name <> $1 AND 1::int = 1");
    assert.deepEqual(valuesOf(rename, { id: "a", name: "b" }), ["b", "a"]);
  });

  test("a list of rows becomes one array for each of its columns", () => {
    const insert = query<never, { poolId: string; holds: { holdId: string; amount: number }[] }>(
      "test.insert",
      `INSERT INTO t SELECT hold.id, $poolId, hold.amount
       FROM $holds(hold_id text, amount double precision) WITH ORDINALITY AS hold (id, amount, n)
       WHERE hold.id = ANY($holds.hold_id)`,
    );
    assert.equal(
      insert.text,
      `INSERT INTO t SELECT hold.id, $1, hold.amount
       FROM unnest($2::text[], $3::double precision[]) WITH ORDINALITY AS hold (id, amount, n)
       WHERE hold.id = ANY($2)`,
    );
    const holds = [
      { holdId: "a", amount: 1 },
      { holdId: "b", amount: 2 },
    ];
    assert.deepEqual(valuesOf(insert, { poolId: "p", holds }), ["p", ["a", "b"], [1, 2]]);
  });

  test("parameters in order stay as they are, and the two kinds do not mix", () => {
    const find = query("test.find", "SELECT FROM t WHERE id = $1");
    assert.deepEqual(valuesOf(find, ["a"]), ["a"]);
    assert.deepEqual(valuesOf(find), []);
    assert.deepEqual(valuesOf(query("test.all", "SELECT FROM t"), {}), []);
    assert.throws(() => query("test.mixed", "SELECT $1::text, $name::text"), /names and with numbers/);
  });
});

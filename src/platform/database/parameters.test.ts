// Values of every kind come back from PostgreSQL as they were given.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { cloneDatabase } from "../../../test/database.ts";
import { Database } from "./database.ts";
import { query } from "./query.ts";

const lists = query<Lists, Lists>(
  "test.lists",
  "SELECT $texts::text[] AS texts, $numbers::float8[] AS numbers, $times::timestamptz[] AS times",
);
const others = query<Others, Omit<Others, "bytes"> & { bytes: Buffer }>(
  "test.others",
  `SELECT $truths::boolean[] AS truths, $nested::text[] AS nested, to_json($json::jsonb[]) AS json,
     encode($bytes::bytea, 'hex') AS bytes, $one::jsonb AS one`,
);

type Lists = { texts: (string | null)[]; numbers: (number | null)[]; times: (Date | null)[] };
type Others = { truths: boolean[]; nested: string[][]; json: object[]; bytes: string; one: object };

/** Any text that PostgreSQL stores: without NUL and without halves of surrogates. */
const anyText = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0"));
const awkward = fc.constantFrom(
  "",
  "null",
  "NULL",
  '"',
  "\\",
  "\\n",
  "\n",
  "{",
  "}",
  ",",
  "'",
  "é",
  "🙂",
  " a ",
);

suite("parameters", { concurrency: true }, () => {
  test("texts, numbers and times in arrays, and nothing, come back as they were given", async (t) => {
    const clone = await cloneDatabase();
    t.after(() => clone.drop());
    const database = new Database({
      url: clone.url,
      max: 2,
      statementTimeoutMs: 10_000,
      onConnectionLost() {},
    });
    t.after(() => database.close());
    const some = <T>(one: fc.Arbitrary<T>) => fc.array(fc.option(one), { maxLength: 20 });
    const anyLists = fc.record({
      texts: some(fc.oneof(anyText, awkward)),
      numbers: some(fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0)),
      times: some(fc.date({ min: new Date(0), max: new Date("2099-01-01"), noInvalidDate: true })),
    });
    const property = fc.asyncProperty(anyLists, async (given) => {
      assert.deepEqual(await database.run(lists, given), [{ ...given }]);
    });
    await fc.assert(property, { numRuns: 200 });
    const given = {
      truths: [true, false],
      nested: [
        ["a", 'b"'],
        ["c\\", "d"],
      ],
      json: [{ a: '"' }, { b: [1] }],
      bytes: Buffer.from([0, 1, 255]),
      one: { c: "\\" },
    };
    assert.deepEqual(await database.run(others, given), [{ ...given, bytes: "0001ff" }]);
  });
});

// Tests of CSV: no spreadsheet takes a cell for a formula, whichever sign it parts cells by.
import assert from "node:assert/strict";
import { test } from "node:test";
import { csvLine } from "./csv.ts";

test("what may begin a cell and would be a formula has an apostrophe before it, in sheets of both kinds", () => {
  for (const [cell, kept] of [
    ["=1+1", "'=1+1"],
    ["foo,=1+1,x", '"foo,\'=1+1,x"'],
    ["foo;=1+1;x", '"foo;\'=1+1;x"'],
    ["foo\n@SUM(1)", '"foo\n\'@SUM(1)"'],
    ["\u200b=7+7", "'\u200b=7+7"],
    ["Awa - Yao", "Awa - Yao"],
    ["c = a+b", "c = a+b"],
  ] as const)
    for (const separator of [",", ";"] as const)
      assert.equal(csvLine([cell, 1], separator), `${kept}${separator}1\r\n`);
});

test("in files for people, phones keep their zeros and all of their digits in a spreadsheet", () => {
  const cells = ["0701020307", "+225 07 01 02 03 07", "22507", 2250701020307, "Awa", "=1+1"];
  assert.equal(
    csvLine(cells, ";", true),
    `"=""0701020307""";"=""+225 07 01 02 03 07""";22507;2250701020307;Awa;'=1+1\r\n`,
  );
});

// Tests of the tariff: 1 credit a segment to +225, 5 elsewhere, and the longest prefix wins.
import assert from "node:assert/strict";
import { test } from "node:test";
import { priceOf, pricePerSegment, type Tariff } from "./tariff.ts";

test("a segment costs 1 credit to country code 225 and 5 anywhere else", () => {
  assert.equal(pricePerSegment("2250700000000"), 1);
  assert.equal(pricePerSegment("22500000000"), 1);
  for (const phone of ["33612345678", "2260700000000", "2240700000000", "12250000000", "22600225225"]) {
    assert.equal(pricePerSegment(phone), 5, phone);
  }
});

test("the price of a message is the price of its segments", () => {
  assert.equal(priceOf("2250700000000", 3), 3);
  assert.equal(priceOf("33612345678", 3), 15);
});

test("the longest prefix wins, in whatever order the table is written", () => {
  const prefixes: Tariff["prefixes"] = [
    ["225", 1],
    ["22507", 2],
    ["2", 7],
    ["336", 4],
  ];
  for (const tariff of [
    { prefixes, otherwise: 9 },
    { prefixes: prefixes.toReversed(), otherwise: 9 },
  ]) {
    assert.equal(pricePerSegment("2250700000000", tariff), 2);
    assert.equal(pricePerSegment("2250500000000", tariff), 1);
    assert.equal(pricePerSegment("2260500000000", tariff), 7);
    assert.equal(pricePerSegment("33712345678", tariff), 9);
    assert.equal(priceOf("33612345678", 10, tariff), 40);
  }
  assert.equal(pricePerSegment("2250700000000", { prefixes: [], otherwise: 9 }), 9);
});

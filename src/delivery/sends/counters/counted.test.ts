// The curve of a send and its fates, without a database.
import assert from "node:assert/strict";
import { test } from "node:test";
import { countLine, emptyCounts } from "./counted.ts";

const NOON = Date.parse("2026-11-22T12:00:00Z");
const LINE = { account_id: "", send_id: "", operator_id: null, error: null, kind: null, credits: 0 };

test("a curve never has more than 100 steps and loses no message, whatever the order", () => {
  const counts = emptyCounts();
  // Receipts come for days, and some before the sends of others.
  for (let i = 0; i < 2_000; i++) {
    const s = i % 2 === 0 ? i * i : i;
    countLine(counts, { ...LINE, count: 2, status: "SENT", quarter: null, at: new Date(NOON + s) });
    countLine(counts, { ...LINE, count: 2, status: "DELIVERED", quarter: 1, at: new Date(NOON + s * 1_000) });
  }
  const first = counts.curve[0]![0];
  assert.ok(counts.curve.at(-1)![0] - first < 100);
  assert.ok(first * counts.stepS * 1_000 <= NOON && (first + 1) * counts.stepS * 1_000 > NOON);
  const sum = (place: 1 | 2) => counts.curve.reduce((total, point) => total + point[place], 0);
  assert.deepEqual([sum(1), sum(2)], [4_000, 4_000]);
});

test("codes that an operator invents are kept apart up to 200, and no message is lost", () => {
  const counts = emptyCounts();
  const line = { ...LINE, status: "UNDELIVERED", quarter: 1, count: 1, at: new Date(NOON) };
  for (let i = 0; i < 1_000; i++) countLine(counts, { ...line, error: `${i % 500}` });
  assert.equal(counts.fates.length, 201);
  assert.equal(
    counts.fates.reduce((total, fate) => total + fate.count, 0),
    1_000,
  );
});

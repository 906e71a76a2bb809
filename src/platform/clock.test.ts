// The clock: it moves only as far as an answer of the database proves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { resetClockAfterwards } from "../../test/clock.ts";
import { machineAheadMs, nowMs, setClock } from "./clock.ts";

const HOUR_MS = 3_600_000;
/** Longer than the time between two readings on a busy machine, and far shorter than the moves of the clock. */
const NEAR_MS = 60_000;

const isNear = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < NEAR_MS, `${actual} is not near ${expected}`);

resetClockAfterwards();

test("the clock starts with this machine's, and follows the database's", () => {
  isNear(nowMs(), Date.now());
  isNear(machineAheadMs(), 0);
  const at = performance.now();
  setClock(Date.now() + HOUR_MS, at, at);
  isNear(nowMs(), Date.now() + HOUR_MS);
  isNear(machineAheadMs(), -HOUR_MS);
  setClock(Date.now(), at, performance.now());
  isNear(machineAheadMs(), 0);
});

test("an answer that took an hour moves the clock only if it proves that the clock is off", () => {
  const at = performance.now();
  // The database said it at some time in the last hour: just now, or an hour ago.
  setClock(Date.now(), at - HOUR_MS, at);
  isNear(machineAheadMs(), 0);
  setClock(Date.now() - HOUR_MS, at - HOUR_MS, at);
  isNear(machineAheadMs(), 0);
  setClock(Date.now() - 3 * HOUR_MS, at - HOUR_MS, at);
  isNear(machineAheadMs(), 2 * HOUR_MS);
  setClock(Date.now() + HOUR_MS, at - HOUR_MS, at);
  isNear(machineAheadMs(), -HOUR_MS);
});

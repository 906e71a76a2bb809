// How the pace follows an operator: virtual time, no sleeping.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace } from "./pace.ts";

/** An operator with a bucket of `perSecond`, offered as much as the pace allows; returns what it took and refused. */
function simulate(pace: Pace, perSecond: number, seconds: number, from = 0) {
  let bucket = perSecond;
  const taken: number[] = [];
  const refused: number[] = [];
  for (let ms = from; ms < from + seconds * 1000; ms += 5) {
    bucket = Math.min(perSecond, bucket + perSecond / 200);
    const second = Math.floor((ms - from) / 1000);
    const offered = Math.min(pace.room(ms), 500 / 200 + 1);
    for (let i = 0; i < Math.floor(offered); i++) {
      pace.take(1);
      if (bucket >= 1) {
        bucket--;
        pace.accept(1, ms);
        taken[second] = (taken[second] ?? 0) + 1;
      } else {
        pace.slowDown(1000, ms);
        refused[second] = (refused[second] ?? 0) + 1;
      }
    }
  }
  const sum = (list: number[], first: number) => list.slice(first).reduce((a, b) => a + (b ?? 0), 0);
  return { taken: (first: number) => sum(taken, first), refused: (first: number) => sum(refused, first) };
}

test("S01: an operator of 50/s offered 500/s gets at least 45/s and refuses at most 5 % after 10 s", () => {
  const pace = new Pace(null, 0);
  const seen = simulate(pace, 50, 70);
  assert.ok(seen.taken(10) / 60 >= 45, `${seen.taken(10) / 60} per second`);
  assert.ok(seen.refused(10) <= 0.05 * seen.taken(10), `${seen.refused(10)} refused of ${seen.taken(10)}`);
});

test("S01: after a throttling nothing is written for a second", () => {
  const pace = new Pace(null, 0);
  pace.slowDown(1000, 5_000);
  assert.equal(pace.room(5_000), 0);
  assert.equal(pace.room(5_999), 0);
  assert.ok(pace.room(6_100) > 0);
});

test("one throttled message among ten thousand a second costs a second, not the speed", () => {
  const pace = new Pace(null, 0);
  for (let ms = 0; ms < 1000; ms++) pace.accept(10, ms);
  pace.slowDown(1000, 1000);
  pace.slowDown(1000, 2001);
  let allowed = 0;
  for (let ms = 3010; ms < 4010; ms += 10) {
    const room = pace.room(ms);
    pace.take(room);
    allowed += room;
  }
  assert.ok(allowed > 8_000, `${allowed} per second`);
});

test("a limit holds from the first second on", () => {
  const pace = new Pace(20, 0);
  let written = 0;
  for (let ms = 0; ms < 10_000; ms++) {
    const room = pace.room(ms);
    pace.take(room);
    written += room;
  }
  assert.ok(written <= 202 && written >= 195, `${written} in 10 s`);
});

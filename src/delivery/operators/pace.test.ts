// How the pace follows an operator: virtual time, no sleeping.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Pace } from "./pace.ts";

const WINDOW = 100;
const LATENCY_MS = 20;
const THROTTLE_WAIT_MS = 1_000;
const FROM_S = 10;

type Answer = { at: number; isAccepted: boolean };

/** An operator that takes `cap` messages a second and `burst` at once, and answers after 20 ms. */
class CappedOperator {
  cap: number;
  readonly #burst: number;
  #bucket: number;

  constructor(cap: number) {
    this.cap = cap;
    this.#burst = cap / 10;
    this.#bucket = this.#burst;
  }

  fill(ms: number): void {
    this.#bucket = Math.min(this.#burst, this.#bucket + (this.cap * ms) / 1000);
  }

  accepts(): boolean {
    if (this.#bucket < 1) return false;
    this.#bucket--;
    return true;
  }
}

/**
 * Offers an operator as much as pace and window allow for some seconds. Returns what it took in each, and what it refused
 * after the first 10 s.
 */
function offer(pace: Pace, operator: CappedOperator, seconds: number, fromMs = 0) {
  const answers: Answer[] = [];
  const taken: number[] = Array.from({ length: seconds }, () => 0);
  let refused = 0;
  for (let ms = fromMs; ms < fromMs + seconds * 1000; ms++) {
    const second = Math.floor((ms - fromMs) / 1000);
    operator.fill(1);
    while (answers[0] && answers[0].at <= ms) {
      if (answers.shift()!.isAccepted) {
        pace.accept(1, ms);
        taken[second]!++;
      } else {
        pace.refuse(THROTTLE_WAIT_MS, false, ms);
        if (second >= FROM_S) refused++;
      }
    }
    const count = Math.min(pace.room(ms), WINDOW - answers.length);
    pace.take(count);
    for (let i = 0; i < count; i++) answers.push({ at: ms + LATENCY_MS, isAccepted: operator.accepts() });
  }
  const settled = taken.slice(FROM_S).reduce((sum, count) => sum + count, 0);
  return { taken, perSecond: settled / (seconds - FROM_S), refusedShare: refused / (settled + refused) };
}

const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

suite("S01: the pace", () => {
  for (const cap of [50, 500, 2_000])
    for (const tps of [null, cap])
      test(`a cap of ${cap}/s ${tps ? "that is known" : "that nobody told"} is used to 95 %, and 1 % is refused, after 10 s`, () => {
        const seen = offer(new Pace(tps, 0), new CappedOperator(cap), 310);
        assert.ok(seen.perSecond >= 0.95 * cap, `${seen.perSecond} a second`);
        assert.ok(seen.refusedShare <= 0.01, `${seen.refusedShare} refused`);
      });

  test("an unknown cap is found within 5 s", () => {
    for (const cap of [50, 500, 2_000]) {
      const { taken } = offer(new Pace(null, 0), new CappedOperator(cap), 12);
      assert.ok(Math.max(...taken.slice(0, 5)) >= 0.75 * cap, `${cap}: ${taken}`);
    }
  });

  test("a limit that is set too high is found out, one that is set too low is kept to", () => {
    const high = offer(new Pace(300, 0), new CappedOperator(200), 120);
    assert.ok(high.perSecond >= 190 && high.refusedShare <= 0.01, JSON.stringify(high));
    const low = offer(new Pace(20, 0), new CappedOperator(200), 20);
    assert.ok(low.perSecond >= 19.9 && low.perSecond <= 20.1 && low.refusedShare === 0);
    assert.ok(total(low.taken) <= 401, "not from the first second on");
  });

  test("up to two refusals in 5 s, or 2 % of the answers, are isolated: nothing slows down", () => {
    const pace = new Pace(null, 0);
    assert.equal(pace.refuse(THROTTLE_WAIT_MS, false, 10), "isolated");
    assert.equal(pace.refuse(THROTTLE_WAIT_MS, false, 20), "isolated");
    assert.equal(pace.room(20), Number.MAX_SAFE_INTEGER);
    pace.accept(1_000, 30);
    for (let i = 0; i < 18; i++) assert.equal(pace.refuse(THROTTLE_WAIT_MS, false, 40), "isolated");
    assert.equal(pace.atMost(), Number.POSITIVE_INFINITY);
    assert.equal(pace.refuse(THROTTLE_WAIT_MS, false, 50), "too-fast");
    assert.deepEqual([pace.room(50), pace.room(1_049), pace.room(1_051) > 0], [0, 0, true]);
    assert.equal(pace.atMost(), 970, "0.97 of what the last second accepted");
  });

  test("a message that is refused again and again says nothing of the rate, while others are accepted", () => {
    const pace = new Pace(null, 0);
    for (let ms = 0; ms < 60_000; ms += 10) {
      if (ms % 1_000 === 0) pace.accept(1, ms);
      assert.equal(pace.refuse(THROTTLE_WAIT_MS, true, ms), "isolated");
    }
    assert.equal(pace.atMost(), Number.POSITIVE_INFINITY);
  });

  test("an operator that refuses everything, also what comes again, is asked less and less", () => {
    const pace = new Pace(500, 0);
    let written = 0;
    for (let ms = 0; ms < 120_000; ms++)
      for (let room = pace.room(ms); room > 0; room--) {
        pace.take(1);
        if (ms >= 60_000) written++;
        pace.refuse(THROTTLE_WAIT_MS, true, ms);
      }
    assert.ok(written <= 120, `${written} in the last minute`);
  });

  test("a limit that falls and rises again leaves the rate that was found", () => {
    const pace = new Pace(100, 0, 79);
    pace.limitTo(50);
    assert.equal(pace.atMost(), 50);
    pace.limitTo(100);
    assert.deepEqual([pace.atMost(), pace.learned()], [79, 79]);
  });

  test("an operator that takes nothing for half a minute gets its rate again within 15 s", () => {
    const pace = new Pace(null, 0);
    const operator = new CappedOperator(500);
    offer(pace, operator, 60);
    operator.cap = 0;
    offer(pace, operator, 30, 60_000);
    operator.cap = 500;
    const { taken } = offer(pace, operator, 30, 90_000);
    assert.ok(taken[14]! >= 440, `${taken}`);
  });

  test("a cap that is lifted is used, and one that falls is followed", () => {
    const pace = new Pace(null, 0);
    const operator = new CappedOperator(400);
    offer(pace, operator, 30);
    operator.cap = 200;
    const slower = offer(pace, operator, 40, 30_000);
    assert.ok(slower.perSecond >= 190 && slower.refusedShare <= 0.01, JSON.stringify(slower));
    operator.cap = 800;
    assert.ok(offer(pace, operator, 120, 70_000).taken.at(-1)! >= 700);
  });

  test("without demand the rate does not rise", () => {
    const pace = new Pace(null, 0, 100);
    for (let ms = 0; ms < 600_000; ms += 100) {
      assert.ok(pace.room(ms) >= 1);
      pace.take(1);
      pace.accept(1, ms);
    }
    assert.equal(pace.atMost(), 100);
  });

  test("what a session learned is the first rate of the next one", () => {
    const before = new Pace(null, 0);
    offer(before, new CappedOperator(500), 60);
    const learned = before.learned()!;
    assert.ok(learned > 450 && learned < 550, `${learned}`);
    const { taken, refusedShare } = offer(new Pace(null, 0, learned), new CappedOperator(500), 20);
    assert.ok(taken[0]! >= 450 && refusedShare <= 0.01, `${taken}`);
    assert.equal(new Pace(400, 0, learned).atMost(), 400, "never more than the limit");
  });
});

// Cycles of a link whose database is far away: several are under way, in order.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { batchOf, beating } from "../../../../test/linkmachine.ts";
import type { Commit, Effect } from "./events.ts";

const FAR_MS = 50;
const APART_MS = 6.25;

/** A link whose cycles take 50 ms, with bulk on its backlog and its window full. */
function far({ messages = 200, window = 10 } = {}) {
  const link = beating({ window });
  const { handle, step, commit, committed } = link;
  commit();
  link.pass(FAR_MS);
  committed([batchOf(Array.from({ length: messages }, () => ({})))]);
  commit();
  link.pass(FAR_MS);
  committed();
  let answered = 0;
  const answerNext = () => link.answer(answered++);
  /** Answers the next messages, and begins a cycle after a while. */
  const cycle = (count: number): Commit => {
    for (let i = 0; i < count; i++) answerNext();
    const effect = step(APART_MS);
    assert.equal(effect?.kind, "commit");
    return effect;
  };
  const numbersOf = ({ plan }: Commit) => plan.chosen.map(({ message }) => message.number);
  const fail = (isKnown: boolean) => handle({ kind: "failed", isKnown });
  return { ...link, answerNext, cycle, numbersOf, fail };
}

suite("the turns of a link", () => {
  test("beside its database a link has one turn under way, whatever is answered meanwhile", () => {
    const { commit, committed, answer, step, pass } = beating();
    commit();
    pass(2);
    committed([batchOf(Array.from({ length: 200 }, () => ({})))]);
    commit();
    pass(2);
    committed();
    for (let i = 0; i < 4; i++) answer(i);
    commit();
    for (let i = 4; i < 9; i++) answer(i);
    assert.equal(step(100), undefined);
    committed();
    assert.equal(commit().outcomes.length, 5);
  });

  test("far from it others begin beside the first, a while apart, each after the one before it", () => {
    const { cycle, answerNext, step, committed, commit } = far();
    const first = cycle(3);
    answerNext();
    assert.equal(step(1), undefined, "too soon");
    const second = step(APART_MS);
    assert.equal(second?.kind, "commit");
    assert.deepEqual([second.prior, second.cycle], [first.cycle, first.cycle + 1]);
    committed();
    committed();
    assert.equal(commit(1_000).outcomes.length, 0, "nothing is settled twice");
  });

  test("a crash leaves two windows of intents at most, however many turns are under way", () => {
    const { cycle, writes, committed, pass } = far({ messages: 2_000 });
    let [intended, settled] = [writes.length, 0];
    const underWay: Commit[] = [];
    for (let round = 0; round < 40; round++) {
      const begun = cycle(
        Math.min(2, writes.length - settled - underWay.flatMap(({ plan }) => plan.outcomes).length),
      );
      underWay.push(begun);
      // As if each of those under way, from the first on, were the last that is committed before the process is killed.
      let left = intended - settled;
      for (const { plan } of underWay) {
        left += plan.chosen.length - plan.outcomes.length;
        assert.ok(left <= 20, `${left} intents`);
      }
      if (underWay.length < 4) continue;
      const { plan } = underWay.shift()!;
      intended += plan.chosen.length;
      settled += plan.outcomes.length;
      pass(1);
      committed();
    }
  });

  test("turns behind one that failed fail too, and all are put back in their order", () => {
    const { cycle, numbersOf, fail, step } = far();
    const [first, second, third] = [cycle(3), cycle(3), cycle(3)];
    fail(true);
    assert.equal(step(1_000), undefined, "no turn before all have ended");
    fail(true);
    assert.ok(fail(true).some(({ kind }) => kind === "wait"));
    const again = step(200);
    assert.equal(again?.kind, "commit");
    assert.equal(again.prior, first.prior, "none of them was");
    assert.ok(again.cycle > third.cycle, "no number is used twice");
    const phonesOf = ({ plan }: Commit) => plan.outcomes.map(({ message }) => message.number);
    assert.deepEqual(phonesOf(again), [first, second, third].flatMap(phonesOf));
    assert.deepEqual(numbersOf(again), [first, second, third].flatMap(numbersOf));
  });

  test("lost commits of several turns are decided together: those up to the last that was are carried out", () => {
    const { cycle, numbersOf, fail, handle, step } = far();
    const [first, second, third] = [cycle(3), cycle(3), cycle(3)];
    fail(false);
    fail(false);
    fail(true);
    const resolving = step(200);
    assert.equal(resolving?.kind, "resolve");
    assert.deepEqual(
      resolving.lost.cycles.map(({ number }) => number),
      [first.cycle, second.cycle, third.cycle],
    );
    const certainty = { cycle: first.cycle, term: 1, batches: [], canceled: [] };
    handle({ kind: "resolved", certainty });
    const again = step(5);
    assert.equal(again?.kind, "commit");
    assert.equal(again.prior, third.cycle, "the database has made sure that none up to the third ever is");
    assert.equal(again.plan.outcomes.length, 6);
    assert.deepEqual(numbersOf(again).slice(0, numbersOf(second).length), numbersOf(second));
  });

  test("what a handset writes waits for the turns that have what was answered before it, and for no other", () => {
    const { cycle, handle, committed, answerNext } = far();
    const isAnswered = (effects: readonly Effect[]) => effects.some(({ kind }) => kind === "reply");
    cycle(3);
    answerNext();
    handle({ kind: "incoming", incoming: [{ receipt: undefined, answer: () => {} }] });
    const second = cycle(0);
    const third = cycle(3);
    assert.deepEqual([second.plan.outcomes.length, third.plan.outcomes.length], [1, 3]);
    assert.equal(isAnswered(committed()), false);
    assert.equal(isAnswered(committed()), true);
  });
});

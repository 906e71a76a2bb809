// The places of a link: what it takes and gives back beside other operators, and what it keeps free.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { batchOf, beating, NOTHING } from "../../../../test/linkmachine.ts";
import { Routing } from "../../operators/routing.ts";
import { ANY_SENDER } from "../../operators/senderrules.ts";
import { LANE } from "../../sends/queue/enqueue.ts";

/** An operator that comes after the one of the link. */
const NEXT = {
  id: "next",
  prefixes: ["221"],
  priority: 2,
  able: true,
  overflowMs: null,
  isSimulated: false,
  ...ANY_SENDER,
};
const FIRST = { ...NEXT, id: "operator", priority: 1, overflowMs: 60_000 };

suite("the places of a link", () => {
  test("what a link gives back to the next operator it leaves to that one for 5 s", () => {
    const { commit, committed, handle, answer } = beating({ tps: 1 });
    handle({ kind: "woken", routing: new Routing([FIRST, NEXT]) });
    const sharesOf = (plan: ReturnType<typeof commit>) => plan.taking?.ranges.map(({ fromMs }) => fromMs);
    assert.deepEqual(sharesOf(commit()), [0, 65_000]);
    const messages = Array.from({ length: 200 }, () => ({}));
    committed([{ ...batchOf(messages), waitedMs: 70_000 }]);
    assert.deepEqual(commit(59_000).returned, [], "it was the next one's when this link took it");
    committed();
    const { returned } = commit(2_000);
    assert.equal(returned.length, 1);
    committed();
    assert.deepEqual(sharesOf(commit(1_000)), [0]);
    committed();
    answer(-1);
    assert.deepEqual(sharesOf(commit(5_000)), [0, 65_000]);
  });

  for (const [verdict, alone, beside, besideUnable] of [
    ["unserved", [[], ["REJECTED"]], [[[0, "221~operator"]], []], [[[0, "221~operator"]], []]],
    ["account", [[[10_000, undefined]], []], [[[0, undefined]], []], [[[10_000, undefined]], []]],
  ] as const)
    for (const [where, others, expected] of [
      ["alone", [], alone],
      ["before another operator", [NEXT], beside],
      ["beside one of the same priority", [{ ...NEXT, priority: FIRST.priority }], beside],
      ["before one that takes nothing now", [{ ...NEXT, able: false }], besideUnable],
    ] as const)
      test(`H115: a message that meets "${verdict}" at an operator ${where}`, () => {
        const { handle, commit, committed, writes, step } = beating();
        handle({ kind: "woken", routing: new Routing([FIRST, ...others]) });
        commit();
        committed([batchOf([{}])]);
        commit();
        committed();
        const answer = { verdict, messageId: "", code: verdict, waitMs: 0 };
        handle({ kind: "answered", item: writes.at(-1)!.item, answer });
        const effect = step() ?? step(5);
        assert.ok(effect?.kind === "commit");
        const { moves, outcomes } = effect.plan;
        assert.ok(moves.every(({ fate }) => fate === "untried"));
        const left = moves.map(({ waitMs, prefix }) => [waitMs, prefix]);
        assert.deepEqual([left, outcomes.map(({ status }) => status)], expected);
      });

  test("H115: what was lost before stays of unknown fate if its repeat meets `unserved`", () => {
    const { handle, commit, committed, writes, step } = beating();
    handle({ kind: "woken", routing: new Routing([FIRST, NEXT]) });
    commit();
    committed([batchOf([{ losses: 1, unknown: true }])]);
    commit();
    committed();
    const answer = { verdict: "unserved", messageId: "", code: "unserved", waitMs: 0 } as const;
    handle({ kind: "answered", item: writes.at(-1)!.item, answer });
    const effect = step() ?? step(5);
    assert.deepEqual(effect?.kind === "commit" && effect.plan.moves.map(({ fate }) => fate), ["unknown"]);
  });

  test("a turn that frees and takes a window leaves the reserve to a lease, and no more", () => {
    const { machine, commit, committed, handle, answer, writes } = beating();
    commit();
    committed([batchOf(Array.from({ length: 30 }, () => ({})))]);
    assert.equal(commit().chosen.length, 10, "a window and one ahead, without the reserve of one");
    committed();
    for (const place of writes.keys()) answer(place);
    const { chosen, freed } = commit();
    assert.deepEqual([chosen.length, freed], [10, 10]);
    const lease = (batchId: string) =>
      machine.lease(
        { batchId, lane: LANE.otp, prefix: "221", slots: 1 },
        { ms: 0, clock: 0, isReady: true, isClosed: false },
      );
    assert.deepEqual([lease("a code"), lease("another")], [0, undefined]);
    // A cycle that fails takes nothing, and the next one finds everything as it was.
    handle({ kind: "failed", isKnown: true });
    handle({ kind: "leaseEnded", batchId: "a code", slots: 1, isKnown: true });
    const again = commit(200);
    assert.deepEqual([again.chosen.length, again.freed], [10, 10]);
    assert.deepEqual([lease("a code"), lease("another")], [0, undefined]);
  });

  test("a link that has found messages to a ported number takes the next ones without looking first", () => {
    const { handle, commit, committed, routing } = beating();
    const prefix = "=operator:221";
    const hasShare = (plan: ReturnType<typeof commit>) =>
      plan.taking?.ranges.some((range) => range.prefix === prefix) ?? false;
    assert.equal(hasShare(commit()), false);
    const waiting = [{ lane: LANE.otp, prefix, account_id: "", waited_ms: 0 }];
    handle({ kind: "committed", result: { ...NOTHING, waiting }, held: [] });
    for (let times = 0; times < 4; times++) {
      assert.equal(hasShare(commit(200)), true);
      committed();
      handle({ kind: "woken", routing });
    }
  });

  for (const [submitTimeoutS, deafAfterMs] of [
    [10, 5_000],
    [2, 1_800],
  ] as const)
    test(`S21: a link that hears nothing for ${deafAfterMs} ms of ${submitTimeoutS} s gives up what is ready and not written`, () => {
      const { commit, committed, writes } = beating({ submitTimeoutS });
      commit();
      committed([{ ...batchOf(Array.from({ length: 12 }, () => ({}))), lane: LANE.single }]);
      assert.equal(commit().chosen.length, 11);
      committed();
      assert.equal(writes.length, 10);
      assert.deepEqual(commit(deafAfterMs).moves, []);
      committed();
      const { moves } = commit(1);
      assert.deepEqual(
        moves.map(({ fate, waitMs }) => [fate, waitMs]),
        [["untried", 0]],
      );
    });
});

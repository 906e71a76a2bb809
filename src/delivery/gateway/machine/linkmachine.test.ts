// What the simulation found once, in a few events each.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { answerWith, batchOf, beating, LONG, receiptOf } from "../../../../test/linkmachine.ts";
import { STATUS } from "../../../protocol/smpp/pdu.ts";
import { LANE } from "../../sends/queue/enqueue.ts";
import type { Effect } from "./events.ts";

suite("the heart of a link", () => {
  test("a text of three segments is written at one message a second, and then the link waits for longer", () => {
    const { commit, committed, answer, writes, step } = beating({ tps: 1, window: 30 });
    commit();
    committed([batchOf([LONG, {}])]);
    assert.deepEqual(
      commit().chosen.map(({ message }) => message.number),
      [1],
    );
    committed();
    for (let i = 0; i < 3; i++) answer(i);
    assert.equal(writes.length, 3);
    assert.equal(step(), undefined, "outcomes alone wait for more of them");
    assert.equal(commit(5).outcomes.length, 1);
    committed();
    for (let seconds = 1; seconds < 3; seconds++) {
      const effect = step(1_000);
      assert.deepEqual(effect?.kind === "commit" && effect.plan.chosen, []);
      committed();
    }
    assert.equal(commit(1_000).chosen.length, 1);
  });

  test("of a batch that is cut while its last message is answered, the rest stays until that is committed", () => {
    const { handle, commit, commitBeside, committed, answer, step } = beating();
    commit();
    committed([batchOf(Array.from({ length: 20 }, () => ({})))]);
    assert.equal(commitBeside(1).chosen.length, 9);
    committed();
    handle({ kind: "drain", finishes: true });
    assert.equal(commit().returned.length, 1);
    for (let i = 0; i < 9; i++) answer(i);
    // The answers came while the rest went back.
    committed();
    handle({ kind: "leaseEnded", batchId: "lost", slots: 0, isKnown: false });
    const effect = step();
    assert.deepEqual(effect?.kind === "resolve" && effect.known.batches, ["batch"]);
  });

  test("a canceled message of which the operator has a part is finished, and not before its intent", () => {
    const { commit, committed, writes } = beating();
    commit();
    committed([batchOf([{ ...LONG, accepted: 1, acceptedBy: "operator" }, {}])]);
    const chosen = commit();
    committed([], ["batch"]);
    assert.equal(chosen.chosen.length, 2);
    assert.deepEqual(
      writes.map(({ item }) => item.message.number),
      [1],
    );
    const other = beating({ window: 2 });
    other.commit();
    other.committed([batchOf([{}, { ...LONG, accepted: 1, acceptedBy: "operator" }])]);
    assert.equal(other.commitBeside(2).chosen.length, 1);
    other.committed([], ["batch"]);
    assert.deepEqual(other.writes, []);
  });

  test("what a turn gave back is not settled by a cancel of which the same turn tells", () => {
    const { handle, commit, commitBeside, committed, answer } = beating();
    commit();
    committed([batchOf(Array.from({ length: 12 }, () => ({})))]);
    commitBeside(1);
    committed();
    answer(8);
    handle({ kind: "drain", finishes: true });
    assert.equal(commit().returned[0]!.part.unwritten.length, 3);
    committed([], ["batch"]);
    for (let i = 0; i < 8; i++) answer(i);
    const { outcomes } = commit(5);
    assert.ok(outcomes.every(({ status }) => status === "SENT"));
  });

  test("a link that lost its session stays ended, even if it is to drain", () => {
    const { handle } = beating();
    assert.equal(handle({ kind: "sessionLost" })[0]?.kind, "commit");
    handle({ kind: "drain", finishes: true });
    const effects = handle({ kind: "failed", isKnown: true });
    assert.deepEqual(
      effects.map(({ kind }) => kind),
      ["ended"],
    );
  });

  test("S33: a receipt is not refused over a closed session when a cycle fails then, and is applied after it", () => {
    const { handle, commit, answer, committed, close, step } = beating();
    commit();
    committed([batchOf([{}])]);
    commit();
    committed();
    answer(0);
    step();
    assert.equal(commit(5).outcomes.length, 1);
    handle({ kind: "incoming", incoming: [{ receipt: receiptOf("0"), answer: () => {} }] });
    // The database gave the bind to another process: the session is aborted, and the machine hears of the cycle first.
    close();
    const kinds = [
      handle({ kind: "failed", isKnown: true }),
      handle({ kind: "sessionLost" }),
      handle({ kind: "failed", isKnown: true }),
    ].map((effects) => effects.map(({ kind }) => kind));
    assert.deepEqual(
      kinds.map((some) => some.includes("reply")),
      [false, false, true],
    );
    assert.ok(kinds.at(-1)?.includes("applyReceipts"));
    assert.equal(step(), undefined);
  });

  test("a lease that was offered before a doubt was resolved counts no more", () => {
    const { machine, handle, step, commit, committed } = beating();
    commit();
    committed();
    const wanted = { batchId: "leased", lane: LANE.single, prefix: "221", slots: 1 };
    const now = { ms: 0, clock: 0, isReady: true, isClosed: false };
    assert.equal(machine.lease(wanted, now), 0);
    handle({ kind: "leaseEnded", batchId: "leased", slots: 1, isKnown: false });
    assert.equal(machine.lease(wanted, now), undefined);
    assert.equal(step()?.kind, "resolve");
    handle({ kind: "resolved", certainty: { cycle: 1, term: 1, batches: [], canceled: [] } });
    assert.equal(machine.lease(wanted, now), 1);
  });

  test("S01: a message that is refused for speed alone waits alone, longer each time, and no try is counted", () => {
    const { handle, commit, committed, writes } = beating();
    commit();
    committed([batchOf([{}])]);
    const waits: (number | null)[] = [];
    for (let time = 0; time < 5; time++) {
      commit();
      committed();
      const { item } = writes.at(-1)!;
      handle({ kind: "answered", item, answer: answerWith(STATUS.ESME_RTHROTTLED) });
      const [move] = commit().moves;
      assert.equal(move!.fate, "untried");
      waits.push(move!.waitMs);
      committed([batchOf([{}])]);
    }
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 8_000]);
  });

  test("S03 S04 S31: how often a message is tried again, and after how long, depends on the code", () => {
    const { ESME_RSYSERR, ESME_RINVBNDSTS, ESME_RUNKNOWNERR, ESME_RINVDSTADR } = STATUS;
    const wait = 30_000;
    const expected: [status: number, waits: number[], told: Effect["kind"][]][] = [
      [ESME_RSYSERR, [wait, wait, wait], []],
      [ESME_RINVBNDSTS, [2_000, wait], ["rebind"]],
      [ESME_RUNKNOWNERR, [2_000, wait], ["rebind"]],
      [0x100, [wait], ["unknownCode"]],
      [0x412, [wait], ["unknownCode"]],
      [ESME_RINVDSTADR, [], []],
    ];
    for (const [status, waits, told] of expected) {
      for (let retries = 0; retries <= waits.length; retries++) {
        const { handle, step, commit, committed, writes } = beating();
        commit();
        committed([batchOf([{ retries }])]);
        commit();
        committed();
        const { item } = writes.at(-1)!;
        const effects = handle({ kind: "answered", item, answer: answerWith(status) });
        const kinds = effects.map(({ kind }) => kind).filter((kind) => kind !== "soon");
        assert.deepEqual(kinds, told);
        // Moves are committed at once, outcomes wait for more of them.
        const effect = step() ?? step(5);
        assert.equal(effect?.kind, "commit");
        const { moves, outcomes } = effect.plan;
        assert.deepEqual(
          [moves.map(({ fate, waitMs }) => [fate, waitMs]), outcomes.map((outcome) => outcome.status)],
          retries < waits.length ? [[["retry", waits[retries]]], []] : [[], ["REJECTED"]],
        );
      }
    }
  });

  test("intents are committed ahead as far as turns need them, a window at most; never more than a window is on the wire", () => {
    const { commit, committed, answer, writes } = beating();
    commit();
    committed([batchOf(Array.from({ length: 400 }, () => ({})))]);
    let intended = commit().chosen.length;
    committed();
    assert.deepEqual([intended, writes.length], [10, 10]);
    let answered = 0;
    let settled = 0;
    const answerSome = () => {
      for (const most = answered + 3; answered < Math.min(most, writes.length); answered++) answer(answered);
    };
    for (let cycle = 0; cycle < 20; cycle++) {
      answerSome();
      const plan = commit(5);
      intended += plan.chosen.length;
      settled += plan.outcomes.length;
      answerSome();
      assert.ok(writes.length - answered <= 10, "a window on the wire");
      assert.ok(intended - settled <= 20, "two windows of intents");
      if (cycle > 10) assert.equal(writes.length - answered, 10, "the wire stays full during a turn");
      committed();
    }
  });

  test("what is ready and canceled is not written, also while a turn is under way", () => {
    const { handle, commit, committed, answer, writes } = beating();
    commit();
    committed([{ ...batchOf(Array.from({ length: 40 }, () => ({}))), lane: LANE.single }]);
    commit();
    committed();
    assert.equal(writes.length, 10);
    for (let i = 0; i < 3; i++) answer(i);
    assert.equal(commit(5).outcomes.length, 3);
    handle({ kind: "canceled", batches: ["batch"] });
    for (let i = 3; i < 11; i++) answer(i);
    assert.equal(writes.length, 11);
    committed();
    const { outcomes } = commit(5);
    assert.equal(writes.length, 11);
    const count = (wanted: string) => outcomes.filter(({ status }) => status === wanted).length;
    assert.deepEqual([count("SENT"), count("CANCELED")], [8, 29]);
  });

  test("a batch whose cancel the link heard before it knew the batch is not written", () => {
    const { handle, commit, committed, step, writes } = beating();
    commit();
    handle({ kind: "canceled", batches: ["batch"] });
    committed([batchOf([{}, {}])]);
    // Outcomes alone wait for more of them.
    step();
    assert.deepEqual(
      commit(5).outcomes.map(({ status }) => status),
      ["CANCELED", "CANCELED"],
    );
    assert.deepEqual(writes, []);
  });

  test("a text of which another operator took a part is written whole where it goes in one message", () => {
    const { commit, committed, writes } = beating({ concatenation: "payload" });
    commit();
    committed([batchOf([{ ...LONG, accepted: 1, acceptedBy: "operator" }])]);
    commit();
    committed();
    assert.equal(writes.length, 1);
  });

  test("a text of which another operator took a part is written whole; while it is refused, the part stays the other's", () => {
    const { commit, committed, handle, writes } = beating();
    commit();
    committed([batchOf([{ ...LONG, accepted: 1, acceptedBy: "another" }])]);
    commit();
    committed([], ["batch"]);
    const [{ item, request }] = writes as [(typeof writes)[number]];
    assert.equal(request, item.requests[0]);
    handle({ kind: "answered", item, answer: answerWith(STATUS.ESME_RTHROTTLED) });
    const [move] = commit().moves;
    assert.deepEqual([move!.message.accepted, move!.message.acceptedBy], [1, "another"]);
  });
});

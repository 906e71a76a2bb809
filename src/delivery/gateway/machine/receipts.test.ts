// The receipt machine alone: its events, and the effects that it returns.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { receiptOf } from "../../../../test/linkmachine.ts";
import { STATUS } from "../../../protocol/smpp/pdu.ts";
import type { Effect } from "./events.ts";
import type { Plan } from "./plan.ts";
import { type Incoming, ReceiptMachine } from "./receipts.ts";

const PLAN: Plan = {
  outcomes: [],
  moves: [],
  chosen: [],
  done: [],
  returned: [],
  taking: undefined,
  slots: 0,
  freed: 0,
  promised: 0,
};

/** A machine whose stored receipts were tried, and what follows each event. */
function started() {
  const effects: Effect[] = [];
  const machine = new ReceiptMachine((effect) => effects.push(effect));
  const after = (event: (machine: ReceiptMachine) => void, { ms = 0, isLast = false } = {}) => {
    event(machine);
    machine.settle(ms, isLast);
    return effects.splice(0).map(shown);
  };
  assert.deepEqual(
    after(() => {}),
    ["apply"],
  );
  assert.deepEqual(
    after((it) => it.applied(0, 0)),
    [],
  );
  return { machine, after };
}

/** An effect in a few words. */
function shown(effect: Effect): string {
  if (effect.kind === "applyReceipts")
    return [
      "apply",
      ...effect.toApply.receipts.map((receipt) => receipt.operatorMessageId),
      ...effect.toApply.answered,
    ].join(" ");
  if (effect.kind === "reply")
    return `${effect.status === STATUS.ESME_ROK ? "confirm" : "refuse"} ${idOf(effect.incoming)}`;
  return effect.kind;
}

const incomingOf = (id: string): Incoming => ({ receipt: receiptOf(id), answer: () => {} });
const idOf = ({ receipt }: Incoming) => receipt?.operatorMessageId ?? "handset";

/** A cycle that commits the answer of a message with this id. */
const answeredBy = (operatorMessageId: string): Plan => ({
  ...PLAN,
  outcomes: [{ operatorMessageId, message: { partIds: null } } as unknown as Plan["outcomes"][number]],
});

suite("the receipts of a link", () => {
  test("those that arrive together are applied together, and the result confirms them: one round", () => {
    const { after } = started();
    assert.deepEqual(
      after((it) => it.arrived(["a", "b"].map(incomingOf), 0)),
      ["apply a b"],
    );
    assert.deepEqual(
      after((it) => it.applied(0, 0)),
      ["confirm a", "confirm b"],
    );
  });

  test("what arrives during a transaction is applied by the next one, which begins with the result", () => {
    const { after } = started();
    after((it) => it.arrived([incomingOf("a")], 0));
    assert.deepEqual(
      after((it) => it.arrived([incomingOf("b")], 0)),
      [],
    );
    assert.deepEqual(
      after((it) => it.arrived([{ receipt: undefined, answer: () => {} }], 0)),
      [],
    );
    assert.deepEqual(
      after((it) => it.applied(0, 0)),
      ["confirm a", "confirm handset", "apply b"],
    );
  });

  test("each waits for the commit of what was answered before it, and is refused if that fails", () => {
    const { after } = started();
    assert.deepEqual(
      after((it) => it.arrived([incomingOf("a")], 1)),
      [],
    );
    assert.deepEqual(
      after((it) => it.arrived([incomingOf("b")], 2)),
      [],
    );
    assert.deepEqual(
      after((it) => it.cycleCommitted(answeredBy("1"), 0)),
      ["apply a"],
    );
    assert.deepEqual(
      after((it) => it.cyclesFailed()),
      ["refuse b"],
    );
    assert.deepEqual(
      after((it) => it.applied(0, 0)),
      ["confirm a"],
    );
  });

  test("an answer that is committed while its receipt is stored without a message is matched next", () => {
    const { after } = started();
    after((it) => it.arrived([incomingOf("a")], 0));
    assert.deepEqual(
      after((it) => it.cycleCommitted(answeredBy("a"), 0)),
      [],
    );
    assert.deepEqual(
      after((it) => it.applied(1, 0)),
      ["confirm a", "apply a"],
    );
    assert.deepEqual(
      after((it) => it.applied(0, 0)),
      [],
    );
    assert.deepEqual(
      after((it) => it.cycleCommitted(answeredBy("b"), 0)),
      [],
      "none is stored",
    );
  });

  test("the stored receipts of a late answer are applied once no transaction can be storing others", () => {
    const { after } = started();
    const late = { message: {}, operatorMessageId: "a" } as Parameters<ReceiptMachine["lateSettled"]>[0];
    assert.deepEqual(
      after((it) => it.lateSettled(late)),
      ["matchLate"],
    );
    after((it) => it.arrived([incomingOf("a")], 0));
    assert.deepEqual(
      after((it) => it.lateSettled(late)),
      [],
    );
    assert.deepEqual(
      after((it) => it.applied(1, 0)),
      ["confirm a", "matchLate"],
    );
  });

  test("a failed transaction refuses its receipts, and the next one comes 200 ms later", () => {
    const { machine, after } = started();
    after((it) => it.arrived([incomingOf("a")], 0));
    assert.deepEqual(
      after((it) => it.applied(undefined, 0)),
      ["refuse a"],
    );
    assert.equal(machine.failingSince, 0);
    assert.equal(machine.waitMs(50), 150);
    assert.deepEqual(
      after((it) => it.arrived([incomingOf("b")], 0), { ms: 199 }),
      [],
    );
    assert.deepEqual(
      after(() => {}, { ms: 200 }),
      ["apply b"],
    );
    assert.deepEqual(
      after((it) => it.applied(0, 210), { ms: 210 }),
      ["confirm b"],
    );
    assert.equal(machine.failingSince, undefined);
  });

  test("S33: after the session, a failed transaction is tried three times, and waits for no cycle", () => {
    const { machine, after } = started();
    after((it) => it.arrived([incomingOf("a")], 1));
    after((it) => it.sessionOver());
    assert.deepEqual(
      after((it) => it.cyclesFailed()),
      [],
      "a refusal would reach nobody",
    );
    assert.deepEqual(
      after(() => {}, { isLast: true }),
      ["apply a"],
    );
    for (let ms = 0; ms < 400; ms += 200) {
      assert.deepEqual(
        after((it) => it.applied(undefined, ms), { ms, isLast: true }),
        ["wait"],
      );
      assert.deepEqual(
        after(() => {}, { ms: ms + 200, isLast: true }),
        ["apply a"],
      );
    }
    assert.deepEqual(
      after((it) => it.applied(undefined, 400), { ms: 400, isLast: true }),
      ["refuse a"],
    );
    assert.equal(machine.isBusy, false);
    machine.close();
    assert.deepEqual(
      after((it) => it.arrived([incomingOf("b")], 0)),
      ["refuse b"],
    );
  });
});

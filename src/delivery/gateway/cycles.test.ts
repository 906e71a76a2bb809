// Cycles: what they commit, in which order, and what comes of one whose answer was lost.
import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { countWaiting } from "../../../test/locks.ts";
import {
  accepted,
  addOperator,
  assertBalanced,
  phones,
  rows,
  type Scope,
  send,
  settled,
  site,
  stacked,
  startScripted,
  waitingMessages,
} from "../../../test/sending.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";
import { query } from "../../platform/database/query.ts";
import { LANE } from "../sends/queue/enqueue.ts";
import type { QueuedMessage } from "../sends/queue/packed.ts";
import { isMistaken, type MessageOutcome, type Move, unknownMove } from "../sends/settlement/settle.ts";
import { runCycle } from "./cycle.ts";
import { resolveInDoubt } from "./indoubt.ts";
import { hasLost, type Plan } from "./machine/plan.ts";
import { recoverLostSessions } from "./recovery.ts";

const SESSION = "a session of the test";
const NOTHING: Plan = {
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
/** A test service without a gateway, in which a session of the test owns the bind. */
async function owned(t: TestContext, sessionIds: readonly string[] = []) {
  const here = await testService(t, { config: { roles: new Set(["api"]), simulator: false } });
  const operatorId = await addOperator(here, 1);
  await rows(
    here.app,
    "INSERT INTO operator_binds (operator_id, session_id, node, owned_until) VALUES ($1, $2, 'test', now() + interval '1 hour')",
    [operatorId, SESSION],
  );
  const operatorIds = [operatorId];
  const awaited = { ends: new Set<string>(), waitMs: 0, sessionIds };
  const begin = () =>
    here.app.database.transaction((tx) =>
      recoverLostSessions(
        tx,
        { operatorId, sessionId: SESSION, operatorIds, awaited, asks: false },
        here.app.config.settings,
      ),
    );
  const times = { quarantineMs: 60_000, silentReceiptMs: 600_000 };
  const { database } = here.app;
  type Wanted = { cycle: number; prior?: number; plan: Partial<Plan> };
  const run = (
    { cycle, prior = cycle - 1, plan }: Wanted,
    transaction = database.transaction.bind(database),
  ) =>
    transaction((tx) => {
      const numbers = { cycle, prior, isFirst: cycle === 1 };
      const about = { sessionId: SESSION, source: { operatorId, operatorIds }, times, asks: false };
      const whole = { ...NOTHING, ...plan };
      return runCycle(tx, {
        ...numbers,
        ...about,
        plan: whole,
        awaited: hasLost(whole) ? awaited : undefined,
      });
    });
  return { here, operatorId, begin, run };
}

/** Gives all batches to the session of the test, with intents for all their messages. */
async function giveBatches({ app }: TestService, operatorId: string): Promise<void> {
  await rows(app, "UPDATE batches SET session_id = $1, operator_id = $2, intent = size", [
    SESSION,
    operatorId,
  ]);
}

/** Stores a receipt without our reference that would fit this message. */
async function storeOrphan(
  { app }: TestService,
  operatorId: string,
  id: string,
  { phone, sender }: Pick<QueuedMessage, "phone" | "sender">,
): Promise<void> {
  await rows(
    app,
    `INSERT INTO orphan_receipts (operator_id, operator_message_id, status, phone, sender)
     VALUES ($1, $2, 'DELIVERED', $3, $4)`,
    [operatorId, id, phone, sender],
  );
}

/** Waits until so many transactions wait for a lock. */
function waiters({ app }: TestService, count: number): Promise<boolean> {
  return until(async () => (await countWaiting(app)) === count);
}

suite("turns", { concurrency: 4 }, () => {
  test("M12: a turn that was decided as not committed never is, even if its statements come later", async (t) => {
    const { here, operatorId, begin, run } = await owned(t);
    await begin();
    await send(await here.company({ credits: 10 }), phones(5));
    await rows(here.app, "UPDATE batches SET session_id = $1, operator_id = $2, intent = 2", [
      SESSION,
      operatorId,
    ]);
    const [message] = await waitingMessages(here.app);
    const move: Move = {
      message: message!,
      fate: "retry",
      waitMs: 30_000,
      expireMs: null,
    };
    const cycles: Promise<unknown>[] = [];
    const begun = (number: number) => {
      const cycle = run({ cycle: number, plan: { moves: [move] } });
      cycle.catch(() => {}); // it is looked at below
      cycles.push(cycle);
    };
    await here.app.database.transaction(async (tx) => {
      await tx.run(query("test.lockAll", "SELECT FROM batches FOR UPDATE"));
      begun(1);
      await waiters(here, 1);
      const session = { operatorId, sessionId: SESSION };
      const lost = { cycles: [{ number: 1, plan: NOTHING }] };
      const known = { cycle: 0, batches: [message!.batchId], leases: [] };
      const { cycle } = await here.app.database.transaction((other) =>
        resolveInDoubt(other, session, lost, known),
      );
      assert.equal(cycle, 0);
      begun(2);
      await waiters(here, 2);
    });
    const ends = (await Promise.allSettled(cycles)).map((cycle) => cycle.status);
    assert.deepEqual(ends, ["rejected", "fulfilled"]);
    assert.equal((await rows(here.app, "SELECT FROM message_queue")).length, 1);
    await assertBalanced(here);
  });

  test("turns that are sent before the one ahead is answered are committed in order, and none behind one that failed", async (t) => {
    const { here, begin, run } = await owned(t);
    await begin();
    const inOrder = here.app.database.inOrder();
    await Promise.all([1, 2, 3].map((cycle) => run({ cycle, plan: {} }, inOrder)));
    const gone = { id: "gone", lane: 2, prefix: "", accountId: "", expiresAt: 0, intent: 0, open: 0 };
    const done = [{ ...gone, waitsSince: 0, takenAt: 0, canceled: false }];
    const plans = [{}, { done }, {}, {}];
    const ends = await Promise.allSettled(plans.map((plan, i) => run({ cycle: 4 + i, plan }, inOrder)));
    assert.deepEqual(
      ends.map((end) => end.status === "fulfilled" || isMistaken(end.reason)),
      [true, true, true, true],
    );
    assert.deepEqual(
      ends.map(({ status }) => status),
      ["fulfilled", "rejected", "rejected", "rejected"],
    );
    await run({ cycle: 8, prior: 4, plan: {} }, inOrder);
    assert.deepEqual(await rows(here.app, "SELECT turn FROM gateway_sessions"), [{ turn: 8 }]);
  });

  test("a receipt that was kept beside the commit of its message proves no other message to that phone", async (t) => {
    const { here, operatorId, begin, run } = await owned(t);
    await begin();
    const company = await here.company({ credits: 10 });
    const [phone] = phones(1);
    for (let i = 0; i < 2; i++) await send(company, phone!);
    await giveBatches(here, operatorId);
    const [one, other] = await waitingMessages(here.app);
    const outcome: MessageOutcome = { message: one!, status: "SENT", operatorMessageId: "209", error: null };
    await run({ cycle: 1, plan: { outcomes: [outcome] } });
    await storeOrphan(here, operatorId, "209", one!);
    const lost = unknownMove(other!, { lane: LANE.single, operatorId }, here.app.config.settings);
    const { matched } = await run({ cycle: 2, plan: { moves: [lost] } });
    assert.equal(matched, 1);
    assert.deepEqual(await rows(here.app, "SELECT send_id, status FROM messages"), [
      { send_id: one!.sendId, status: "DELIVERED" },
    ]);
    assert.deepEqual(await rows(here.app, "SELECT send_id FROM message_queue"), [{ send_id: other!.sendId }]);
  });

  for (const [isCurrent, sessionIds] of [
    [true, [SESSION]],
    [false, [SESSION, "a session whose bind another process has taken over"]],
  ] as const)
    test(`a receipt without our reference ${isCurrent ? "proves" : "does not prove"} a message if ${isCurrent ? "all sessions have" : "a session no longer has"} its bind`, async (t) => {
      const { here, operatorId, begin, run } = await owned(t, sessionIds);
      await begin();
      const [phone] = phones(1);
      await send(await here.company({ credits: 1 }), phone!);
      await giveBatches(here, operatorId);
      const [message] = await waitingMessages(here.app);
      await storeOrphan(here, operatorId, "64", message!);
      const lost = unknownMove(message!, { lane: LANE.single, operatorId }, here.app.config.settings);
      const { matched } = await run({ cycle: 1, plan: { moves: [lost] } });
      assert.equal(matched, isCurrent ? 1 : 0);
      assert.equal((await rows(here.app, "SELECT FROM orphan_receipts")).length, isCurrent ? 0 : 1);
    });

  test("the first turn of a bind defers what is of unknown fate before it takes anything", async (t) => {
    const { here, operatorId, begin, run } = await owned(t);
    await send(await here.company({ credits: 10 }), phones(1));
    await rows(here.app, "UPDATE batches SET session_id = 'dead', operator_id = $1, intent = 1", [
      operatorId,
    ]);
    await begin();
    // The operator was down for longer than the quarantine.
    await rows(here.app, "UPDATE batches SET not_before = now() - interval '1 second'");
    const waiting = await rows(here.app, "SELECT prefix FROM batches");
    const ranges = waiting.map(({ prefix }) => ({ prefix, fromMs: 0, toMs: Number.POSITIVE_INFINITY }));
    const taking = { urgent: 1, ranges, bulk: [], look: undefined };
    const { batches } = await run({ cycle: 1, plan: { taking } });
    assert.deepEqual(batches, []);
  });

  test("after a cancel nothing more is written, not even what the next turn had chosen", async (t) => {
    const scope = stacked(t);
    const answers = Promise.withResolvers<void>();
    const operator = await startScripted(scope, async (_pdu, _session, n) => {
      await answers.promise;
      return accepted(`${n}`);
    });
    const { here } = await site(scope, operator.port, { window: 10 });
    const company = await here.company({ credits: 100 });
    const id = await send(company, phones(100));
    await until(() => operator.received.length === 10);
    assert.equal((await company.call(`/v1/campaign/${id}/cancel`)).success, true);
    answers.resolve();
    assert.deepEqual((await settled(company, id)).stats.failed, 90);
    assert.equal(operator.received.length, 10);
    await assertBalanced(here);
  });

  test("M05: no more than a window is in flight, also where leases and a turn fill it at once", async (t) => {
    const { here, operator, most, answers } = await windowOf(t, 10);
    const company = await here.company({ credits: 1_000 });
    let singles: Promise<string>[] = [];
    await here.app.database.transaction(async (tx) => {
      // No cycle can commit while this holds the row that counts them.
      await tx.run(query("test.holdTurns", "SELECT FROM gateway_sessions FOR NO KEY UPDATE"));
      await send(company, phones(30));
      await waiters(here, 1);
      singles = phones(20, "22505").map((phone) => send(company, phone));
      await Promise.all(singles);
    });
    await until(() => operator.received.length >= 10);
    answers.resolve();
    for (const id of await Promise.all(singles)) await settled(company, id);
    await until(async () => (await assertBalanced(here)).held === 0);
    assert.equal(operator.received.length, 50);
    assert.equal(most(), 10);
  });
});

/** A process with all roles and an operator that answers nothing before `answers`. */
async function windowOf(t: Scope, window: number) {
  const scope = stacked(t);
  const answers = Promise.withResolvers<void>();
  let [inFlight, most] = [0, 0];
  const operator = await startScripted(scope, async (_pdu, _session, n) => {
    most = Math.max(most, ++inFlight);
    await answers.promise;
    inFlight--;
    return accepted(`${n}`);
  });
  const here = await testService(scope, { config: { simulator: false } });
  await addOperator(here, operator.port, { window });
  const ready = "SELECT FROM operator_binds WHERE state = 'BOUND' AND able_until > now()";
  await until(async () => (await rows(here.app, ready)).length === 1);
  return { here, operator, most: () => most, answers };
}

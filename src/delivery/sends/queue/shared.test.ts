// Sends to one person share batches: each is read, canceled and counted as if it had one of its own.
import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import {
  addOperator,
  assertBalanced,
  balanceOf,
  phones,
  rows,
  send,
  statusesOf,
  waitingMessages,
} from "../../../../test/sending.ts";
import { testService, until } from "../../../../test/testservice.ts";
import { isUntrue } from "../../../platform/database/transaction.ts";
import { cancelSend } from "../settlement/cancel.ts";
import { SettlementEffects } from "../settlement/effects.ts";
import { updateTotals } from "../settlement/settle.sql.ts";
import { type MessageOutcome, moveMessages, settlePacked, unknownMove } from "../settlement/settle.ts";
import { giveBack } from "./batches.ts";

const SESSION = "a session of the test";

/** A batch that several single sends share. A session has it, and may have written the first of them. */
async function shared(t: TestContext) {
  const here = await testService(t, { config: { roles: new Set(["api"]), simulator: false } });
  await addOperator(here, 1);
  const company = await here.company({ credits: 1_000 });
  let next = 0;
  const many = phones(900);
  const biggest = async () => {
    await Promise.all(Array.from({ length: 8 }, () => send(company, many[next++]!)));
    return (await rows(here.app, "SELECT id FROM batches WHERE size >= 3 ORDER BY size DESC LIMIT 1"))[0];
  };
  const { id } = await until(biggest);
  await rows(here.app, "INSERT INTO gateway_sessions (id, operator_id) VALUES ($1, 'operator')", [SESSION]);
  await rows(here.app, "UPDATE batches SET session_id = $2, intent = 1 WHERE id = $1", [id, SESSION]);
  const messages = (await waitingMessages(here.app)).filter((message) => message.batchId === id);
  const free = () => rows(here.app, "UPDATE batches SET session_id = NULL WHERE id = $1", [id]);
  const cancel = (sendId: string) => company.call(`/v1/campaign/${sendId}/cancel`);
  return { here, company, id, messages, free, cancel };
}

suite("shared batches", { concurrency: 4 }, () => {
  test("a message that left its batch as of unknown fate is not canceled in it", async (t) => {
    const { here, company, messages, free, cancel } = await shared(t);
    const [lost] = messages;
    const times = here.app.config.settings;
    const move = unknownMove(lost!, { lane: 1, operatorId: "" }, times);
    await here.app.database.transaction((tx) => moveMessages(tx, [move]));
    await free();
    const before = await balanceOf(company);
    assert.equal((await cancel(lost!.sendId)).error, "campaign-not-cancelable");
    assert.deepEqual(await statusesOf(company, lost!.sendId), ["UNKNOWN"]);
    assert.equal(await balanceOf(company), before);
    await assertBalanced(here);
  });

  test("a message that was sent before its batch was given back is not canceled", async (t) => {
    const { here, company, id, messages, free, cancel } = await shared(t);
    const [sent] = messages;
    const outcome: MessageOutcome = { message: sent!, status: "SENT", operatorMessageId: "1", error: null };
    const effects = new SettlementEffects();
    await here.app.database.transaction(async (tx) => {
      const session = { id: SESSION, cycle: 1, prior: 0 };
      const changes = { session, operatorId: "operator", outcomes: [outcome], intents: new Map(), done: [] };
      await settlePacked(tx, { ...changes, intents: new Map([[id, 1]]) }, effects);
      await effects.write(tx);
    });
    await free();
    assert.equal((await cancel(sent!.sendId)).error, "campaign-not-cancelable");
    assert.deepEqual(await statusesOf(company, sent!.sendId), ["SENT"]);
    await assertBalanced(here);
  });

  test("what a session gave back of a batch is read and canceled", async (t) => {
    const { here, company, id, messages, cancel } = await shared(t);
    const unwritten = messages.slice(1);
    const part = { id, open: messages.length, unwritten };
    await here.app.database.transaction((tx) => giveBack(tx, SESSION, [part]));
    for (const { sendId } of unwritten) {
      assert.deepEqual(await statusesOf(company, sendId), ["QUEUED"]);
      assert.equal((await cancel(sendId)).success, true);
      assert.deepEqual(await statusesOf(company, sendId), ["CANCELED"]);
    }
    const canceled = here.app.database.transaction((tx) =>
      cancelSend(here.app, tx, company.companyId, unwritten[0]!.sendId),
    );
    assert.equal(await canceled, false, "nothing is canceled twice");
    await assertBalanced(here);
  });

  test("a send that would count more than it has fails the transaction, watched or not", async (t) => {
    const { here, company } = await shared(t);
    const id = await send(company, phones(3));
    const totals = [{ sendId: id, sent: 4, failed: 0, delivered: 0, undelivered: 0 }];
    const counting = here.app.database.transaction((tx) => tx.run(updateTotals, { totals }));
    await assert.rejects(counting, isUntrue);
  });
});

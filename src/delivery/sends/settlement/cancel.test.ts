// A gateway cuts or moves a batch at the moment of a cancel. The cancel reaches the batches that come of it too.
import assert from "node:assert/strict";
import { test } from "node:test";
import { countWaiting } from "../../../../test/locks.ts";
import {
  addOperator,
  assertBalanced,
  balanceOf,
  phones,
  rows,
  send,
  settled,
  statusesOf,
  waitingMessages,
} from "../../../../test/sending.ts";
import { type Company, type TestService, testService, until } from "../../../../test/testservice.ts";
import type { Tx } from "../../../platform/database/transaction.ts";
import { giveBack } from "../queue/batches.ts";
import type { QueuedMessage } from "../queue/packed.ts";
import { cancelSend } from "./cancel.ts";
import { expireMessages } from "./expire.ts";
import { type Move, moveMessages } from "./settle.ts";

const SESSION = "a session of the test";
const COUNT = 100;
const WRITTEN = 40;
/** The most contacts that one request may name. They are in 20 batches. */
const MANY = 10_000;

test("cancel beside a gateway's turn", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"]), simulator: false } });
  await addOperator(here, 1);

  /** A campaign whose only batch a session has. The session has written the first messages. */
  async function sending(): Promise<{ company: Company; id: string; messages: QueuedMessage[] }> {
    const company = await here.company({ credits: COUNT });
    const id = await send(company, phones(COUNT));
    await rows(here.app, "UPDATE batches SET session_id = $2, intent = $3 WHERE send_id = $1", [
      id,
      SESSION,
      WRITTEN,
    ]);
    const waiting = await waitingMessages(here.app);
    return { company, id, messages: waiting.filter((message) => message.sendId === id) };
  }

  const split = (tx: Tx, messages: QueuedMessage[]) =>
    giveBack(tx, SESSION, [{ id: messages[0]!.batchId, open: COUNT, unwritten: messages.slice(WRITTEN) }]);
  const putOff = (tx: Tx, messages: QueuedMessage[]) =>
    moveMessages(
      tx,
      messages.map((message) => ({ ...RETRY, message })),
    );
  /** The state after a turn in which the last message left its batch. */
  const putOffAll = async (tx: Tx, messages: QueuedMessage[]) => {
    await putOff(tx, messages);
    await tx.run(deleteBatch, [messages[0]!.batchId]);
  };
  const cycles: Record<string, (tx: Tx, messages: QueuedMessage[]) => Promise<unknown>> = {
    split,
    "put off": putOff,
    "put off, and the batch is gone": putOffAll,
  };

  for (const [name, cycle] of Object.entries(cycles)) {
    await t.test(`the turn commits first: ${name}`, async () => {
      const { company, id, messages } = await sending();
      let canceling: Promise<{ success: boolean }> | undefined;
      await here.app.database.transaction(async (tx) => {
        await cycle(tx, messages);
        canceling = company.call(`/v1/campaign/${id}/cancel`);
        await oneWaits(here);
      });
      assert.equal((await canceling!).success, true);
      await assertCanceled(here, id, name === "split" ? WRITTEN : 0, company);
    });

    await t.test(`the cancel commits first: ${name}`, async () => {
      const { company, id, messages } = await sending();
      let turning: Promise<unknown> | undefined;
      let isOver = false;
      await here.app.database.transaction(async (tx) => {
        assert.equal(await cancelSend(here.app, tx, company.companyId, id), true);
        turning = here.app.database
          .transaction((other) => cycle(other, messages))
          .finally(() => {
            isOver = true;
          });
        await Promise.race([oneWaits(here), until(() => isOver)]);
      });
      await turning;
      await assertCanceled(here, id, name === "split" ? WRITTEN : 0, company);
    });
  }
});

// Such a cancel once ran into its time limit of 10 s beside other work, each time again, because one statement compared
// each of its 10,000 messages with all. Whatever was canceled or expired later then never came back either.
test("a canceled campaign of 10,000 messages is paid back without a gateway and without quadratic time", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"]), simulator: false } });
  await addOperator(here, 1);
  /** Cancels a campaign of so many messages; returns how long that took, in ms. */
  const cancel = async (many: number) => {
    const company = await here.company({ credits: many });
    const id = await send(company, phones(many));
    const startedAt = performance.now();
    assert.equal((await company.call(`/v1/campaign/${id}/cancel`)).success, true);
    const { stats, creditRefunded } = await settled(company, id);
    const ms = performance.now() - startedAt;
    assert.deepEqual(stats, { total: many, queued: 0, sent: 0, delivered: 0, failed: many, blocked: 0 });
    assert.equal(creditRefunded, many);
    assert.equal(await balanceOf(company), many);
    return ms;
  };
  // If each message were compared with all, ten times as many would take a hundred times as long. There are three tries,
  // because the machine may be busy with something else.
  const ratios: number[] = [];
  do ratios.push((await cancel(MANY)) / (await cancel(MANY / 10)));
  while (ratios.at(-1)! >= 40 && ratios.length < 3);
  assert.ok(ratios.at(-1)! < 40, `ten times as many took ${ratios.join(", ")} times as long`);
  await assertBalanced(here);
});

const RETRY: Omit<Move, "message"> = {
  fate: "retry",
  waitMs: 0,
  expireMs: null,
};
const deleteBatch = { name: "test.deleteBatch", text: "DELETE FROM batches WHERE id = $1" };

/** Waits until one transaction waits for a lock of another. */
function oneWaits({ app }: TestService): Promise<boolean> {
  return until(async () => (await countWaiting(app)) > 0);
}

/** Asserts that everything except what the session has written is canceled and paid back, without any gateway. */
async function assertCanceled(
  here: TestService,
  id: string,
  written: number,
  company: Company,
): Promise<void> {
  const free = `SELECT DISTINCT batch.id FROM batches batch LEFT JOIN message_queue queued ON queued.batch_id = batch.id
    WHERE (queued.send_id = $1 OR batch.send_id = $1) AND NOT batch.canceled`;
  assert.deepEqual(await rows(here.app, free, [id]), [], "a batch that would be sent");
  await until(async () => {
    await expireMessages(here.app);
    const statuses = await statusesOf(company, id);
    return statuses.filter((status) => status === "CANCELED").length === COUNT - written;
  });
  assert.equal(await balanceOf(company), COUNT - written);
  await assertBalanced(here);
}

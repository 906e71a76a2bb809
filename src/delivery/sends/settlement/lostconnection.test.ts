// A connection that is lost amid a transaction: the transaction fails, and no promise of it is left without a listener,
// which would end the process.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type TestService, testService } from "../../../../test/testservice.ts";
import { query } from "../../../platform/database/query.ts";
import type { Tx } from "../../../platform/database/transaction.ts";
import { newId } from "../../../platform/ids.ts";
import { COUNTING } from "../queue/packed.ts";
import { SettlementEffects } from "./effects.ts";
import { type MessageOutcome, settlePacked, settleQueued } from "./settle.ts";

const endThis = query<unknown>("test.endThis", "SELECT pg_terminate_backend(pg_backend_pid())");

/** Runs work in a transaction whose connection the server ends while its statements are under way. */
function losing(here: TestService, work: (tx: Tx) => Promise<unknown>): Promise<unknown> {
  return here.app.database.transaction(async (tx) => {
    const ended = tx.run(endThis);
    await Promise.all([ended, work(tx)]);
  });
}

/** A message of two parts that an operator took. */
function outcomeOf(packed: boolean): MessageOutcome {
  const sendId = newId();
  const message = {
    ...{
      batchId: newId(),
      position: 1,
      accountId: newId(),
      sendId,
      number: 1,
      poolId: newId(),
      holdId: sendId,
    },
    ...{ phone: "2250700001000", sender: "BOUTIQUE", body: "Bonjour", segments: 2, price: 2, reference: 1 },
    ...{ accepted: 1, acceptedBy: null, partIds: ["a", "b"], retries: 0, losses: 0, unknown: false },
    ...{ packed, counting: COUNTING.subscribed, kind: null },
  };
  return { message, status: "SENT", operatorMessageId: "b", error: null };
}

suite("a connection that is lost", { concurrency: true }, () => {
  test("amid a tally, the settling of a batch, or that of messages with rows fails the transaction, and nothing else", async (t) => {
    const here = await testService(t, { config: { roles: new Set(["api"] as const), simulator: false } });
    const operatorId = newId();
    await assert.rejects(
      losing(here, (tx) => {
        const effects = new SettlementEffects();
        effects.addPacked(outcomeOf(true), operatorId);
        return effects.write(tx);
      }),
    );
    const changes = { session: null, operatorId, intents: new Map(), done: [] };
    await assert.rejects(
      losing(here, (tx) =>
        settlePacked(tx, { ...changes, outcomes: [outcomeOf(true)] }, new SettlementEffects()),
      ),
    );
    await assert.rejects(
      losing(here, (tx) => settleQueued(tx, operatorId, [outcomeOf(false)], new SettlementEffects())),
    );
  });
});

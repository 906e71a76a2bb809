// An operator that is held: nothing is sent over it, others take what waits, and what it brings still counts.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  accepted,
  addOperator,
  allAre,
  assertBalanced,
  deliverReceipt,
  phones,
  type Scope,
  send,
  settled,
  site,
  startBeside,
  startScripted,
} from "../../../test/sending.ts";
import { type TestService, until } from "../../../test/testservice.ts";
import { STATUS } from "../../protocol/smpp/pdu.ts";

/** Holds an operator, and waits until the gateway knows it. */
async function hold(t: Scope, here: TestService, id: string) {
  const answer = await here.admin(`/v1/admin/operator/${id}/hold`);
  assert.equal(answer.success, true, JSON.stringify(answer));
  await gatewayHasLooked(t, here);
  return answer.data;
}

/**
 * Waits until the gateway has read the operators once more. It binds a new one in the same look in which it learns of a
 * hold, and after it. (`able_until` proves nothing: it is empty too before the first renewal of a bind, and while an
 * operator is silent.)
 */
async function gatewayHasLooked(t: Scope, here: TestService): Promise<void> {
  const another = await startScripted(t, () => accepted("1"));
  await addOperator(here, another.port, { prefixes: ["999"] });
  await until(() => another.sessions.length > 0);
}

suite("holds", { concurrency: 4 }, () => {
  test("a held operator stays bound and brings receipts, and what is for it waits until it is resumed", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
    const { here, scope, operatorId, gateway } = await site(t, operator.port);
    const company = await here.company({ credits: 100 });
    const first = await send(company, "2250709090909");
    await settled(company, first);

    const { heldAt, able } = await hold(scope, here, operatorId);
    assert.ok(heldAt);
    assert.equal(able, false);
    const again = await hold(scope, here, operatorId);
    assert.equal(again.heldAt, heldAt, "a repeat changes nothing");
    const waiting = [await send(company, "2250709090910"), await send(company, phones(5, "22505"))];
    // The answer comes after a turn that saw what waits.
    const [session] = operator.sessions;
    assert.equal(await deliverReceipt(session!, operator.received[0]!, "1"), STATUS.ESME_ROK);
    await allAre("DELIVERED", company, first);
    assert.equal(operator.received.length, 1);

    await gateway.stop();
    await startBeside(scope, here, ["gateway"]);
    const shown = await until(async () => {
      const { data } = await here.admin(`/v1/admin/operator/${operatorId}`);
      return data.bound === 1 && data;
    });
    assert.deepEqual([shown.state, shown.able, shown.heldAt], ["BOUND", false, heldAt]);
    // A gateway that has just begun may ask for the receipt again, as any operator will.
    await until(
      async () =>
        (await deliverReceipt(operator.sessions[1]!, operator.received[0]!, "1")) === STATUS.ESME_ROK,
    );
    assert.equal(operator.received.length, 1, "it is held after a restart too");

    const { data: resumed } = await here.admin(`/v1/admin/operator/${operatorId}/resume`);
    assert.equal(resumed.heldAt, null);
    for (const id of waiting) await settled(company, id);
    assert.equal(operator.received.length, 7);
    assert.equal(operator.sessions.length, 2, "no session is renewed for it");
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("held amid a campaign, an operator leaves the rest to the next one: each message goes out once", async (t) => {
    const held = Promise.withResolvers<void>();
    const answer = async (n: number) => {
      if (n >= 20) await held.promise;
      return accepted(`${n}`);
    };
    const operators = [
      await startScripted(t, (_pdu, _session, n) => answer(n)),
      await startScripted(t, (_pdu, _session, n) => answer(n)),
    ] as const;
    const { here, scope, operatorId } = await site(t, operators[0].port, { window: 5 });
    const ids = [operatorId, await addOperator(here, operators[1].port, { window: 5 })];
    await until(() => operators[1].sessions.length === 1);
    const company = await here.company({ credits: 1_000 });
    const wanted = phones(400);
    const id = await send(company, wanted);
    // 19 are answered, and a window of 5 is not.
    const first = await until(() => operators.find(({ received }) => received.length === 24));
    await hold(scope, here, ids[operators.indexOf(first)]!);
    held.resolve();
    assert.equal((await settled(company, id)).stats.failed, 0);
    assert.equal(first.received.length, 24, "nothing was written over it");
    const reached = operators.flatMap(({ received }) => received.map((pdu) => pdu.destinationAddr));
    assert.deepEqual(reached.toSorted(), wanted.toSorted());
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("a text of which a held operator has a part is finished there", async (t) => {
    const parts = Promise.withResolvers<void>();
    const operator = await startScripted(t, async (_pdu, _session, n) => {
      if (n === 1) await parts.promise;
      return accepted(`${n}`);
    });
    const { here, scope, operatorId } = await site(t, operator.port);
    const company = await here.company({ credits: 100 });
    const id = await send(company, "2250709090909", "Akwaba ! ".repeat(40));
    await until(() => operator.received.length === 1);
    await hold(scope, here, operatorId);
    parts.resolve();
    assert.equal((await settled(company, id)).stats.sent, 1);
    assert.equal(operator.received.length, 3);
  });

  test("only an operator that exists is held or resumed", async (t) => {
    const operator = await startScripted(t, () => accepted("1"));
    const { here } = await site(t, operator.port);
    for (const path of ["/v1/admin/operator/{id}/hold", "/v1/admin/operator/{id}/resume"])
      assert.equal((await here.admin(path.replace("{id}", "nobody"))).error, "not-found");
  });
});

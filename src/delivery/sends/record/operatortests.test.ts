// A test of an operator goes through this operator alone, tells what became of it, and is paid by the service.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  accepted,
  addOperator,
  assertBalanced,
  deliverReceipt,
  rows,
  site,
  startScripted,
} from "../../../../test/sending.ts";
import { until } from "../../../../test/testservice.ts";

const PHONE = "2250700001000";
const NOWHERE = "0".repeat(24);

suite("tests of operators", { concurrency: 4 }, () => {
  test("goes through this operator alone, though the routing prefers another, and is followed to its receipt", async (t) => {
    const preferred = await startScripted(t, (_pdu, _session, n) => accepted(`P${n}`));
    const tested = await startScripted(t, (_pdu, _session, n) => accepted(`T${n}`));
    const { here } = await site(t, preferred.port);
    const id = await addOperator(here, tested.port, { prefixes: ["33"] });
    await until(() => tested.sessions.length === 1);
    const path = `/v1/admin/operator/${id}/test`;
    const begun = await until(async () => {
      const answer = await here.admin(path, { phone: PHONE, text: "Akwaba" });
      return answer.success && answer.data;
    });
    assert.deepEqual(
      [begun.status, begun.phone, begun.credits, begun.error, begun.operatorMessageId],
      ["QUEUED", PHONE, 1, null, null],
    );
    const read = async () => (await here.admin(`${path}/${begun.id}`)).data;
    await until(async () => (await read()).status === "SENT");
    const [pdu] = tested.received;
    assert.equal(pdu!.shortMessage.toString("latin1"), "Akwaba");
    await deliverReceipt(tested.sessions[0]!, pdu!, "T1", "UNDELIVERED");
    const { createdAt, sentAt, ...ended } = await until(async () => {
      const data = await read();
      return data.status === "UNDELIVERED" && data;
    });
    assert.ok(createdAt <= sentAt);
    assert.deepEqual(ended, {
      id: begun.id,
      phone: PHONE,
      status: "UNDELIVERED",
      segments: 1,
      credits: 1,
      error: "000",
      errorReason:
        "L’opérateur a accepté le message mais n’a pas pu le remettre : numéro hors service, téléphone injoignable ou bloqué.",
      deliveredAt: null,
      operatorMessageId: "t1",
    });
    assert.equal(preferred.received.length, 0);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("what cannot be tested, by error code", async (t) => {
    const operator = await startScripted(t, () => accepted("1"));
    const { here, operatorId } = await site(t, operator.port);
    const errorOf = async (id: string, body: object) =>
      (await here.admin(`/v1/admin/operator/${id}/test`, { phone: PHONE, ...body })).error;
    await until(async () => (await errorOf(operatorId, { phone: "12" })) === "invalid-phone-number");
    assert.equal(await errorOf(NOWHERE, {}), "not-found");
    await until(async () => (await errorOf(operatorId, { text: "é".repeat(1_600) })) === "message-too-long");
    await rows(here.app, "UPDATE operators SET port = 1");
    const unbound = await until(async () => {
      const answer = await here.admin(`/v1/admin/operator/${operatorId}/test`, { phone: PHONE });
      return answer.error === "service-unavailable" && answer;
    });
    assert.match(unbound.details![0]!.message, /n’est pas prêt/);
    await rows(here.app, "UPDATE operators SET enabled = false");
    assert.equal(await errorOf(operatorId, {}), "conflict");
    for (const id of [NOWHERE, "nothing"])
      assert.equal((await here.admin(`/v1/admin/operator/${operatorId}/test/${id}`)).error, "not-found");
  });
});

// Accounts of several operator rows: a receipt counts whichever session brings it, and never for the wrong message (S29).
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  accepted,
  addOperator,
  allAre,
  assertBalanced,
  deliverReceipt,
  NEVER,
  phones,
  rows,
  type Scope,
  type Script,
  send,
  site,
  startScripted,
  statusesOf,
} from "../../../test/sending.ts";
import { until } from "../../../test/testservice.ts";
import { STATUS, type SubmitSm } from "../../protocol/smpp/pdu.ts";
import { forgetDeletedOperators } from "../operators/operators.ts";

const PHONE = phones(1)[0]!;

/** An account of two rows: what `script` answers goes over the first, the second serves other numbers and only reports. */
async function account(t: Scope, script: Script, systemId?: string) {
  const first = await startScripted(t, script);
  const second = await startScripted(t, () => NEVER);
  const { here, operatorId } = await site(t, first.port, { prefixes: ["22507"] });
  const secondId = await addOperator(here, second.port, {
    prefixes: ["22505"],
    ...(systemId && { systemId }),
  });
  await until(() => first.sessions.length === 1 && second.sessions.length > 0);
  const company = await here.company({ credits: 100 });
  const report = (pdu: SubmitSm, id: string) => deliverReceipt(second.sessions.at(-1)!, pdu, id);
  return { here, company, first, second, operatorId, secondId, report };
}

const without = (pdu: SubmitSm): SubmitSm => ({ ...pdu, tlvs: {} });

suite("accounts", { concurrency: 4 }, () => {
  test("S29: receipts that come by another row of the account end their messages: 20 of 20", async (t) => {
    const { company, first, report } = await account(t, (_pdu, _session, n) => accepted(`A${n}`));
    const id = await send(company, phones(20));
    await allAre("SENT", company, id);
    for (const [i, pdu] of first.received.entries())
      assert.equal(await report(without(pdu), `A${i + 1}`), STATUS.ESME_ROK);
    await allAre("DELIVERED", company, id);
  });

  test("S29: rows of one `operator_group` are an account, others are none", async (t) => {
    const { here, company, first, secondId, report } = await account(t, () => accepted("A1"), "another");
    const id = await send(company, PHONE);
    await allAre("SENT", company, id);
    await report(first.received[0]!, "A1");
    const kept = await rows(here.app, "SELECT operator_id FROM orphan_receipts");
    assert.deepEqual(kept, [{ operator_id: secondId }]);
    assert.deepEqual(await statusesOf(company, id), ["SENT"]);
    await rows(here.app, "UPDATE operators SET operator_group = 'orange'");
    // It is applied again.
    await allAre("DELIVERED", company, id);
    await until(async () => (await rows(here.app, "SELECT FROM orphan_receipts")).length === 0);
  });

  test("S29: a row is deleted: the receipts for its messages come by the other, and prove what is of unknown fate", async (t) => {
    const { here, company, first, operatorId, report } = await account(t, (_pdu, _session, n) =>
      n === 1 ? accepted("A1") : NEVER,
    );
    const sent = await send(company, PHONE);
    await allAre("SENT", company, sent);
    const unknown = await send(company, phones(2)[1]!);
    await until(() => first.received.length === 2);
    await here.admin(`/v1/admin/operator/${operatorId}/delete`);
    await first.stop();
    const binds = async () => (await rows(here.app, "SELECT FROM operator_binds")).length;
    await until(async () => (await binds()) === 1);
    await allAre("UNKNOWN", company, unknown);
    // Once this one is known, the gateway has looked again.
    await addOperator(here, 1, { prefixes: ["22501"], systemId: "another" });
    await until(async () => (await binds()) === 2);
    for (const [i, pdu] of first.received.entries()) await report(pdu, `A${i + 1}`);
    for (const id of [sent, unknown]) await allAre("DELIVERED", company, id);
    await rows(here.app, "UPDATE operators SET deleted_at = now() - interval '8 days' WHERE deleted");
    await forgetDeletedOperators(here.app);
    assert.deepEqual(await rows(here.app, "SELECT FROM operators WHERE deleted"), []);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("S29, D01: a receipt that another row brings before the answer is committed counts all the same", async (t) => {
    const { here, company, report } = await account(t, async (pdu, _session, n) => {
      if (n > 1) assert.equal(await report(pdu, `A${n}`), STATUS.ESME_ROK);
      return accepted(`A${n}`);
    });
    await allAre("SENT", company, await send(company, PHONE));
    const id = await send(company, phones(20));
    await allAre("DELIVERED", company, id);
    await until(async () => (await rows(here.app, "SELECT FROM orphan_receipts")).length === 0);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("S29, S06: receipts by another row prove what a lost session left: 0 duplicates", async (t) => {
    const { company, here, first, report } = await account(t, (_pdu, session, n) => {
      if (n === 3) session.abort("the operator crashes");
      return NEVER;
    });
    const id = await send(company, phones(3));
    await until(() => first.sessions.length >= 2);
    for (const [i, pdu] of first.received.entries()) await report(i === 0 ? without(pdu) : pdu, `A${i}`);
    await allAre("DELIVERED", company, id);
    assert.equal(first.received.length, 3);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("a receipt without our reference is not evidence while another row awaits an answer for its phone", async (t) => {
    const { company, first, report } = await account(t, async (pdu, session, n) => {
      if (n === 1) {
        session.abort("the operator crashes");
        return NEVER;
      }
      await report(without(pdu), "A2");
      return accepted("A2");
    });
    const lost = await send(company, PHONE);
    await until(() => first.sessions.length >= 2);
    await allAre("UNKNOWN", company, lost);
    const id = await send(company, PHONE);
    await allAre("DELIVERED", company, id);
    assert.deepEqual(await statusesOf(company, lost), ["UNKNOWN"], "the receipt was not about it");
  });

  test("a receipt without our reference waits while a row of the account is bound elsewhere, and then is evidence", async (t) => {
    const { here, company, first, report } = await account(t, (_pdu, session) => {
      session.abort("the operator crashes");
      return NEVER;
    });
    // It may be bound by another process, for all that this one knows.
    await addOperator(here, 1, { prefixes: ["22501"] });
    const id = await send(company, PHONE);
    await until(() => first.sessions.length >= 2);
    await allAre("UNKNOWN", company, id);
    // A look at the operators later, the new row is known.
    await until(async () => (await rows(here.app, "SELECT FROM operator_binds")).length === 3);
    await report(without(first.received[0]!), "A1");
    assert.deepEqual(
      await statusesOf(company, id),
      ["UNKNOWN"],
      "it may be about a message of the other process",
    );
    await rows(here.app, "UPDATE orphan_receipts SET received_at = received_at - interval '30 seconds'");
    await allAre("DELIVERED", company, id);
    assert.equal(first.received.length, 1);
  });
});

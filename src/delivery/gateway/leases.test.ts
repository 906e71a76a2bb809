// Leases: a message that is accepted beside a gateway is written at once, and exactly once whatever happens to its commit.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { endConnections } from "../../../test/database.ts";
import { atLength, inShortRuns } from "../../../test/length.ts";
import {
  accepted,
  addOperator,
  assertBalanced,
  phones,
  rows,
  type Scope,
  stacked,
  startScripted,
  waitingMessages,
} from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";
import { query } from "../../platform/database/query.ts";
import { openLog } from "../../platform/log.ts";

const SENDS = atLength({ short: 150, long: 3_000, night: 20_000 });

const CUT_EVERY = 3;

/** A process with all roles, bound to an operator that accepts everything. */
async function bound(t: Scope) {
  const scope = stacked(t);
  const operator = await startScripted(scope, (_pdu, _session, n) => accepted(`${n}`));
  const here = await testService(scope, {
    config: { simulator: false },
    limits: { requestsPerSecond: 1_000_000, requestBurst: 1_000_000 },
    log: openLog("silent"),
  });
  await addOperator(here, operator.port);
  const ready = "SELECT FROM operator_binds WHERE state = 'BOUND' AND able_until > now()";
  await until(async () => (await rows(here.app, ready)).length === 1);
  const company = await here.company({ credits: 100_000 });
  const sendOne = (phone: string) =>
    company.call("/v1/campaign/create", { contacts: [phone], text: "Bonjour" });
  return { here, operator, company, sendOne };
}

suite("leases", { concurrency: 3 }, () => {
  test("a single message needs no turn before it is written", inShortRuns, async (t) => {
    const { here, operator, sendOne } = await bound(t);
    await here.app.database.transaction(async (tx) => {
      // No cycle can commit while this holds the row that counts them.
      await tx.run(query("test.holdTurns", "SELECT FROM gateway_sessions FOR NO KEY UPDATE"));
      assert.equal((await sendOne(phones(1)[0]!)).success, true);
      await until(() => operator.received.length === 1);
      const [message] = await waitingMessages(here.app);
      assert.equal(message!.isWritten, true);
    });
    await until(async () => (await assertBalanced(here)).held === 0);
    assert.deepEqual(await rows(here.app, "SELECT FROM batches"), []);
  });

  test(
    "M10: a process that has lost its bind and does not know it yet leaves new messages to others",
    inShortRuns,
    async (t) => {
      const { here, operator, sendOne } = await bound(t);
      await rows(
        here.app,
        "UPDATE operator_binds SET session_id = 'another', owned_until = now() + interval '1 hour'",
      );
      await rows(here.app, "DELETE FROM gateway_sessions");
      assert.equal((await sendOne(phones(1)[0]!)).success, true);
      const [batch] = await rows(here.app, "SELECT session_id, intent FROM batches");
      assert.deepEqual(batch, { session_id: null, intent: 0 });
      assert.equal(operator.received.length, 0);
    },
  );

  test("M12: connections cut at any moment, even in COMMIT: what was accepted is written once and charged once", async (t) => {
    const { here, operator, sendOne } = await bound(t);
    const numbers = phones(SENDS);
    const acknowledged: string[] = [];
    const mine =
      "application_name LIKE 'atumpan %' AND datname = current_database() AND pid <> pg_backend_pid()";
    // Begun together with a request, so that it strikes somewhere in it.
    const cut = () =>
      rows(
        here.app,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${mine} ORDER BY random() LIMIT 3`,
      ).catch(() => {});
    let next = 0;
    const client = async () => {
      for (let phone = numbers[next++]; phone !== undefined; phone = numbers[next++]) {
        const [answer] = await Promise.all([sendOne(phone), next % CUT_EVERY === 0 && cut()]);
        if (answer.success) acknowledged.push(phone);
      }
    };
    await Promise.all(Array.from({ length: 8 }, client));
    await endConnections(here.databaseUrl);
    assert.ok(acknowledged.length > SENDS / 4, `${acknowledged.length} were accepted`);
    const [{ sum }] = await rows(here.app, "SELECT coalesce(sum(credit_used), 0) AS sum FROM campaigns");
    await until(async () => (await assertBalanced(here)).held === 0);
    const received = operator.received.map((pdu) => pdu.destinationAddr);
    assert.equal(new Set(received).size, received.length, "nothing is written twice");
    assert.deepEqual(
      acknowledged.filter((phone) => !received.includes(phone)),
      [],
    );
    const [captured] = await rows(here.app, "SELECT sum(captured) AS sum FROM holds");
    assert.deepEqual([received.length, captured.sum], [sum, sum]);
    assert.deepEqual(await rows(here.app, "SELECT FROM batches"), []);
  });
});

// What happens at once, or in the wrong order: limits hold, nobody waits for a lock in vain, nothing is sent twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { age, newPhone, textAt, verify } from "../../../test/codes.ts";
import { countWaiting } from "../../../test/locks.ts";
import {
  accepted,
  assertBalanced,
  balanceOf,
  NEVER,
  rows,
  send,
  site,
  startBeside,
  startScripted,
} from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";
import { expireMessages } from "../../delivery/sends/settlement/expire.ts";
import { query } from "../../platform/database/query.ts";

const lockPhone = query(
  "test.lockPhone",
  "SELECT pg_advisory_xact_lock(hashtextextended('otp ' || $1 || ' ' || $2, 0))",
);
const lockBatches = query("test.lockBatches", "SELECT FROM batches FOR UPDATE");
const lockPoolNow = query("test.lockPoolNow", "SELECT FROM pools WHERE id = $1 FOR NO KEY UPDATE NOWAIT");

test("limits of one-time passwords hold for requests that come at once", async (t) => {
  const here = await testService(t);

  await t.test("O09: of 60 codes at once to one prefix 30 go, and 30 are paid", async () => {
    const company = await here.company({ credits: 100 });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        company.call("/v1/auth/otp/get", { phoneNumber: `225058888${1000 + i}` }),
      ),
    );
    assert.equal(answers.filter(({ error }) => error === null).length, 30);
    assert.equal(answers.filter(({ error }) => error === "destination-blocked").length, 30);
    assert.equal(await balanceOf(company), 70);
  });

  await t.test("O09: of 40 codes at once to one foreign country 20 go", async () => {
    const company = await here.company({ credits: 1_000 });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        company.call("/v1/auth/otp/get", { phoneNumber: `336${10 + i}005555` }),
      ),
    );
    assert.equal(answers.filter(({ error }) => error === null).length, 20);
    assert.equal(await balanceOf(company), 900);
  });

  await t.test("O09: of 100 requests at once for one phone one is sent", async () => {
    const company = await here.company({ credits: 100 });
    const phoneNumber = newPhone();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => company.call("/v1/auth/otp/get", { phoneNumber })),
    );
    assert.equal(answers.filter(({ error }) => error === null).length, 1);
    assert.equal(answers.filter(({ error }) => error === "otp-too-many-requests").length, 99);
    assert.equal(await balanceOf(company), 99);
  });

  await t.test(
    "O09: while a code is being sent, another to its phone is refused without waiting",
    async () => {
      const company = await here.company({ credits: 100 });
      const phoneNumber = newPhone();
      const { error } = await here.app.database.transaction(async (tx) => {
        await tx.run(lockPhone, [company.companyId, phoneNumber]);
        return company.call("/v1/auth/otp/get", { phoneNumber });
      });
      assert.equal(error, "otp-too-many-requests");
      assert.equal((await company.call("/v1/auth/otp/get", { phoneNumber })).error, null);
    },
  );
});

test("a new code locks as a gateway does, the queue before the pool, and the refund of the one before pays for it", async (t) => {
  const operator = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
  const { here, scope, gateway } = await site(t, operator.port);
  await gateway.stop();
  const company = await here.company({ credits: 1 });
  const phoneNumber = newPhone();
  const get = () => company.call("/v1/auth/otp/get", { phoneNumber });
  assert.equal((await get()).error, null);
  await age(here, company, 31);
  const waiting = await here.app.database.transaction(async (tx) => {
    await tx.run(lockBatches);
    const answer = get();
    await until(async () => (await countWaiting(here.app)) > 0);
    await tx.run(lockPoolNow, [company.companyId]);
    return { answer };
  });
  assert.equal((await waiting.answer).error, null);
  assert.equal((await assertBalanced(here)).held, 1);
  await startBeside(scope, here, ["gateway"]);
  await until(async () => (await assertBalanced(here)).held === 0);
  assert.equal(operator.received.length, 1);
});

test("numbers that no operator serves leave one row a country and hour, however many are tried", async (t) => {
  const operator = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
  const { here } = await site(t, operator.port, { prefixes: ["225"] });
  const company = await here.company();
  for (let i = 0; i < 3; i++)
    await company.call("/v1/auth/otp/get", { phoneNumber: `336${10 + i}${20 + i}5555` });
  const { data } = await here.admin("/v1/admin/otp/guard");
  assert.deepEqual(
    data.map((row: { rule: string; destination: string; count: number }) => [
      row.rule,
      row.destination,
      row.count,
    ]),
    [["unroutable", "33", 3]],
  );
});

test("S07: a code of unknown fate is never sent again, its price is back after 15 minutes, and a new code may follow", async (t) => {
  const operator = await startScripted(t, (_pdu, session, n) => {
    if (n > 1) return accepted(`${n}`);
    session.abort("the operator crashes");
    return NEVER;
  });
  const { here } = await site(t, operator.port, { settings: { quarantineMs: 100 } });
  const company = await here.company({ credits: 10 });
  const phoneNumber = newPhone();
  const get = () => company.call("/v1/auth/otp/get", { phoneNumber });
  assert.equal((await get()).error, null);
  const unknown = () =>
    rows(
      here.app,
      `SELECT not_before = 'infinity' AS never,
              expires_at BETWEEN now() + interval '14 minutes' AND now() + interval '15 minutes' AS quarter
       FROM batches WHERE unknown`,
    );
  await until(async () => (await unknown()).length === 1);
  assert.deepEqual(await unknown(), [{ never: true, quarter: true }]);
  // What is sent now has been sent after everything that the new session could send again.
  await until(() => operator.sessions.length === 2);
  await rows(here.app, "UPDATE batches SET not_before = now() - interval '1 hour' WHERE NOT unknown");
  await send(company, "2250700001000");
  await until(() => operator.received.length === 2);
  await age(here, company, 31);
  assert.equal((await get()).error, null);
  await until(() => operator.received.length === 3);
  await until(async () => (await assertBalanced(here)).held === 1);
  assert.deepEqual(await unknown(), [{ never: true, quarter: true }], "the new code does not touch it");
  await rows(here.app, "UPDATE batches SET expires_at = now() WHERE unknown");
  await Promise.all([expireMessages(here.app), expireMessages(here.app)]);
  assert.equal((await assertBalanced(here)).held, 0);
  assert.equal(await balanceOf(company), 8);
  assert.equal(operator.received.length, 3);
});

test("M05: a gateway that died after the intent of a code, before it wrote it: the next one does not send it", async (t) => {
  const operator = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
  const { here, scope, gateway, operatorId } = await site(t, operator.port, {
    settings: { quarantineMs: 100 },
  });
  await gateway.stop();
  const company = await here.company({ credits: 10 });
  await company.call("/v1/auth/otp/get", { phoneNumber: newPhone() });
  await rows(here.app, "UPDATE batches SET intent = 1, session_id = 'dead', operator_id = $1", [operatorId]);
  await startBeside(scope, here, ["gateway"]);
  await until(async () => (await rows(here.app, "SELECT FROM batches WHERE unknown")).length === 1);
  await send(company, "2250700001000");
  await until(() => operator.received.length === 1);
  assert.equal(operator.received[0]!.destinationAddr, "2250700001000");
  await until(async () => (await assertBalanced(here)).held === 1);
});

test("a code that is replaced while a right guess at it is under way is over, not used", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 2 });
  const phoneNumber = newPhone();
  const { data } = await company.call("/v1/auth/otp/get", { phoneNumber });
  const code = (await textAt(here, phoneNumber)).match(/\d{4}/)![0];
  await rows(
    here.app,
    `CREATE FUNCTION replace_it() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN IF new.guesses = 1 THEN new.status = 'REPLACED'; END IF; RETURN new; END $$`,
  );
  await rows(
    here.app,
    "CREATE TRIGGER replace_it BEFORE UPDATE OF guesses ON otp_codes FOR EACH ROW EXECUTE FUNCTION replace_it()",
  );
  const sent = { ...data, code, text: "" };
  assert.equal((await verify(company, sent)).error, "otp-expired");
});

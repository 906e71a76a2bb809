// Recovery: a database that has forgotten what was sent is noticed, and nothing is sent again before a person decides.
import assert from "node:assert/strict";
import { test } from "node:test";
import { changeServer, copyDatabase, endConnections } from "../../../test/database.ts";
import {
  accepted,
  addOperator,
  assertBalanced,
  balanceOf,
  deliverReceipt,
  NEVER,
  phones,
  rows,
  type Scope,
  type ScriptedOperator,
  send,
  settled,
  site,
  stacked,
  startBeside,
  startScripted,
  statusesOf,
} from "../../../test/sending.ts";
import { type Company, type TestService, testService, until } from "../../../test/testservice.ts";

type Restored = { here: TestService; operator: ScriptedOperator; company: Company; sent: string[] };

const stateOf = async (here: TestService) => (await here.admin("/v1/admin/recovery/read")).data;
const stateIs = (here: TestService, state: string) =>
  until(async () => {
    const data = await stateOf(here);
    return data.state === state && data;
  });

/** Three campaigns to two people each waited when a backup was made, and were sent before it is restored. */
async function restoreBefore(t: Scope): Promise<Restored> {
  const operator = await startScripted(t, (_pdu, _session, n) => accepted(`m${n}`));
  const scope = stacked(t);
  const here = await testService(scope, { config: { roles: new Set(["api"]), simulator: false } });
  await addOperator(here, operator.port);
  const company = await here.company({ credits: 100 });
  const sent = [
    await send(company, phones(2, "22505")),
    await send(company, phones(2, "22507")),
    await send(company, phones(2, "22501")),
  ];
  const restore = await copyDatabase(here.ownerUrl);
  await startBeside(scope, here, ["gateway", "worker"]);
  for (const id of sent) await settled(company, id);
  assert.equal(operator.received.length, 6);
  const bindsBefore = operator.binds.length;
  await restore();
  await until(() => operator.binds.length > bindsBefore);
  return { here, operator, company, sent };
}

test("M20: a restored backup is held; what a receipt proves is delivered, and the rest is of unknown fate", async (t) => {
  const { here, operator, company, sent } = await restoreBefore(t);
  const held = await stateIs(here, "HELD");
  assert.equal(held.reason, "RESTORED");
  assert.equal(held.messages, 6);
  const during = await send(company, "2250709090909");
  const [first] = operator.received;
  assert.equal(await deliverReceipt(operator.sessions.at(-1)!, first!, "m1"), 0);
  const given = await here.admin("/v1/admin/recovery/unknown", {});
  assert.deepEqual(
    [given.data.decision, given.data.messages, given.data.since],
    ["UNKNOWN", 6, held.lastSeenAt],
  );
  assert.equal((await here.admin("/v1/admin/recovery/unknown")).data.decision, "UNKNOWN");
  await stateIs(here, "NORMAL");
  await settled(company, during);
  const statuses = (await Promise.all(sent.map((id) => statusesOf(company, id)))).flat().sort();
  assert.deepEqual(statuses, ["DELIVERED", ...Array(5).fill("UNKNOWN")]);
  assert.equal(operator.received.length, 7);
  await assertBalanced(here);
});

test("M20: after `resume` everything that waited is sent, and it is counted how much that is", async (t) => {
  const { here, operator, company, sent } = await restoreBefore(t);
  await stateIs(here, "HELD");
  const { data } = await here.admin("/v1/admin/recovery/resume");
  assert.deepEqual([data.state, data.decision, data.messages], ["NORMAL", "RESUMED", 6]);
  for (const id of sent) await settled(company, id);
  assert.equal(operator.received.length, 12);
  assert.equal(await balanceOf(company), 94);
  await assertBalanced(here);
  assert.equal((await here.admin("/v1/admin/recovery/resume")).data.messages, 6);
  assert.equal((await here.admin("/v1/admin/recovery/unknown")).error, "conflict");
});

/** A gateway that has sent two messages of three; the third waits for its answer. */
async function sendingSite(t: Scope) {
  const operator = await startScripted(t, (_pdu, _session, n) => (n < 3 ? accepted(`m${n}`) : NEVER));
  const here = await site(t, operator.port, { window: 3 });
  const company = await here.here.company({ credits: 100 });
  await settled(company, await send(company, phones(2, "22505")));
  await send(company, "2250709090909");
  await until(() => operator.received.length === 3);
  return { ...here, operator, company };
}

test("M20: a standby that took over and has forgotten nothing goes on by itself, and the binds stay", async (t) => {
  const { here, operator, company } = await sendingSite(t);
  await changeServer(here.ownerUrl);
  const { reason, decision } = await until(async () => {
    const data = await stateOf(here);
    return data?.decision && data;
  });
  assert.deepEqual([reason, decision], ["PROMOTED", "CONTINUED"]);
  await send(company, "2250709090910");
  await until(() => operator.received.length === 4);
  assert.equal(operator.binds.length, 1);
});

test("M20: a process whose session has ended before vouches for a standby all the same", async (t) => {
  const { here, scope, operator, operatorId, gateway } = await sendingSite(t);
  const other = await startBeside(scope, here, ["gateway"]);
  const binds = operator.binds.length;
  await until(async () => (await here.admin(`/v1/admin/operator/${operatorId}/move`)).success);
  await until(() => operator.binds.length > binds);
  await operator.sessions[0]!.closed;
  const { node } = gateway.app.database;
  // The process takes down what has ended before a beat, and forgets it after. The second beat from here forgets the session.
  for (let beats = 0; beats < 2; beats++) {
    const [{ since }] = await rows(here.app, "SELECT now() AS since");
    const beaten = "SELECT FROM nodes WHERE node = $1 AND seen_at > $2";
    await until(async () => (await rows(here.app, beaten, [node, since])).length > 0);
  }
  // At the failover the first process claims the bind again before it has looked for what it had committed.
  await changeServer(
    here.ownerUrl,
    `UPDATE operator_binds SET node = '${node}', session_id = 'ffffffffffffffffffffffff'`,
  );
  const decided = await until(async () => {
    const data = await stateOf(here);
    return data?.reason !== null && (data?.decision || data?.reason === "LOST") && data;
  });
  assert.deepEqual([decided.reason, decided.decision], ["PROMOTED", "CONTINUED"]);
  assert.notEqual(other.app.database.node, node);
});

for (const known of ["knows", "has never heard of"])
  test(`M20: a standby that took over without the last turns is held: the process that committed them, which it ${known}, says so`, async (t) => {
    const { here, operator, gateway } = await sendingSite(t);
    const { node } = gateway.app.database;
    const forgets = known === "knows" ? "" : `DELETE FROM nodes WHERE node = '${node}'`;
    await changeServer(here.ownerUrl, `UPDATE gateway_sessions SET turn = 0; ${forgets}`);
    const held = await until(async () => {
      const data = await stateOf(here);
      return data?.reason === "LOST" && data;
    });
    assert.equal(held.state, "HELD");
    const decided = await rows(here.app, "SELECT decision FROM incarnations WHERE decision IS NOT NULL");
    assert.deepEqual(decided, []);
    await until(() => operator.binds.length > 1);
  });

test("M20: a database that went back in time is held", async (t) => {
  const { here } = await sendingSite(t);
  await until(async () => (await rows(here.app, "SELECT FROM incarnations WHERE beat > 1")).length > 0);
  await rows(here.app, "UPDATE incarnations SET beat = 0");
  await endConnections(here.databaseUrl);
  const held = await stateIs(here, "HELD");
  assert.equal(held.reason, "WENT_BACK");
});

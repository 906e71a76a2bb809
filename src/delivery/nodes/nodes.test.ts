// The processes of the service, as an administrator sees them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accepted, phones, rows, send, settled, site, startScripted } from "../../../test/sending.ts";
import { type TestService, until } from "../../../test/testservice.ts";

async function listed(here: TestService, body: object = {}) {
  const answer = await here.admin("/v1/admin/node/list", body);
  assert.equal(answer.success, true, JSON.stringify(answer));
  return answer.data;
}

test("each process is listed with its roles, its binds and its last turn, until it ends", async (t) => {
  const operator = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
  const { here, operatorId, gateway } = await site(t, operator.port);
  const { node } = gateway.app.database;
  const found = async () => {
    const all = await listed(here, { sort: "asc" });
    return all.find(({ id }: { id: string }) => id === node);
  };
  const bound = await until(async () => {
    const one = await found();
    return one?.binds[0]?.state === "BOUND" && one;
  });
  assert.deepEqual(bound.roles, ["gateway"]);
  assert.deepEqual([bound.pid, bound.isAlive], [process.pid, true]);
  assert.equal(typeof bound.aheadMs, "number");
  const name = `operator at ${operator.port}`;
  assert.deepEqual(bound.binds, [{ operatorId, operator: name, bind: 0, state: "BOUND" }]);

  const company = await here.company({ credits: 10 });
  await settled(company, await send(company, phones(2)));
  await until(async () => {
    const { lastTurnAt } = await found();
    return lastTurnAt !== null && lastTurnAt !== bound.lastTurnAt;
  });
  const [newest, oldest] = await listed(here, { sort: "desc" });
  assert.deepEqual([newest.id, oldest.id], [node, here.app.database.node]);
  assert.deepEqual([oldest.roles, oldest.binds, oldest.lastTurnAt], [["api"], [], null]);

  await gateway.stop();
  assert.equal(await found(), undefined);
});

test("a process that fell is listed as one that is not alive", async (t) => {
  const operator = await startScripted(t, () => accepted("1"));
  const { here } = await site(t, operator.port);
  await rows(
    here.app,
    `INSERT INTO nodes (node, host, pid, version, roles, started_at, seen_at)
     VALUES ('atumpan gone', 'sms-1', 7, '0.1.0', '{worker}', now() - interval '1 hour', now() - interval '11 seconds')`,
  );
  const [gone, ...others] = await listed(here, { sort: "asc" });
  assert.deepEqual([gone.id, gone.host, gone.isAlive, gone.binds], ["atumpan gone", "sms-1", false, []]);
  assert.deepEqual(
    others.map(({ isAlive }: { isAlive: boolean }) => isAlive),
    [true, true],
  );
});

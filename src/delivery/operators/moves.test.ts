// Binds that an administrator moves to another process: nothing is lost or sent twice, and they stay where they are.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { BOUND, countedTwice, everythingOnce, ownersOf, pair } from "../../../test/moving.ts";
import { accepted, phones, rows, send, settled, site, startScripted } from "../../../test/sending.ts";
import { until } from "../../../test/testservice.ts";

suite("moves", { concurrency: 4 }, () => {
  test("a bind is moved under load: each message goes out once, one session at a time, and it does not hop back", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
    const { here, move, operatorId, one, two } = await pair(t, operator.port);
    const company = await here.company({ credits: 2_000 });
    const wanted = phones(1_000);
    const id = await send(company, wanted);
    await until(() => operator.received.length >= 100);
    const { data } = await move({ node: two, bind: 0 });
    assert.deepEqual([data.operatorId, data.bind, data.from, data.node], [operatorId, 0, one, two]);
    await until(async () => (await rows(here.app, BOUND))[0]?.node === two);
    const { stats } = await settled(company, id);
    assert.equal(stats.failed, 0);
    await everythingOnce(here, operator, wanted);
    assert.equal(operator.mostBound, 1);
    const [moved] = await rows(here.app, BOUND);
    await countedTwice(here);
    assert.deepEqual(await rows(here.app, BOUND), [moved]);
    assert.equal(operator.sessions.length, 2);
    // By default it goes to another living gateway.
    assert.equal((await move()).data.node, one);
    await until(async () => (await rows(here.app, BOUND))[0]?.node === one);
  });

  test("a bind moves only to a process that is known, lives and is a gateway", async (t) => {
    const operator = await startScripted(t, () => accepted("1"));
    const { here, operatorId } = await site(t, operator.port);
    await ownersOf(here, 1);
    const refused = async (body: object, id = operatorId) => {
      const { error, details } = await here.admin(`/v1/admin/operator/${id}/move`, body);
      return [error, details?.[0]?.field];
    };
    assert.deepEqual(await refused({}, "nobody"), ["not-found", undefined]);
    assert.deepEqual(await refused({ node: "atumpan nobody" }), ["not-found", "node"]);
    assert.deepEqual(
      await refused({ node: here.app.database.node }),
      ["conflict", "node"],
      "it is no gateway",
    );
    assert.deepEqual(await refused({ bind: 1 }), ["invalid-request", "bind"]);
    assert.deepEqual(await refused({}), ["conflict", "node"], "there is no other");
    await rows(
      here.app,
      `INSERT INTO nodes (node, host, pid, version, roles, seen_at)
       VALUES ('atumpan gone', 'here', 1, '1', '{gateway}', now() - interval '1 minute')`,
    );
    assert.deepEqual(await refused({ node: "atumpan gone" }), ["conflict", "node"], "it does not live");
    await here.admin(`/v1/admin/operator/${operatorId}/update`, { enabled: false });
    assert.deepEqual(await refused({}), ["conflict", "bind"], "nobody has it");
  });
});

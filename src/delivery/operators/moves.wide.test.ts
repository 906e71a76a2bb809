// Binds that move while an operator answers late, and moves of several binds: what takes longer.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { BOUND, countedTwice, everythingOnce, ownersOf, pair } from "../../../test/moving.ts";
import { accepted, phones, rows, send, settled, startScripted } from "../../../test/sending.ts";
import { until } from "../../../test/testservice.ts";
import { startSimulator } from "../simulator/simulator.ts";

suite("moves", { concurrency: 2 }, () => {
  test("an operator that answers late: its owner waits for all answers, so nothing is of unknown fate", async (t) => {
    // An end that does not wait for answers waits 5 s for the turn, 5 s for the session and 5 s for unbind_resp.
    const simulator = await startSimulator({ latencyMs: 20_000 });
    t.after(() => simulator.stop());
    const { here, move, two } = await pair(t, simulator.port, { submitTimeoutS: 60 });
    const company = await here.company({ credits: 100 });
    const id = await send(company, phones(5));
    await until(() => simulator.stats().maxOutstanding === 5);
    await move({ node: two });
    await until(async () => (await rows(here.app, BOUND))[0]?.node === two);
    // Without a wait: a receipt would prove later what its answer says.
    const { queued, sent, delivered } = (await company.call(`/v1/campaign/${id}`)).data.stats;
    assert.deepEqual([queued, sent + delivered], [0, 5]);
    assert.equal(simulator.stats().accepted, 5);
  });

  test("moved binds of several stay with their process until it ends; then the others take them", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
    const { here, move, one, two, other } = await pair(t, operator.port, { binds: 4 });
    await move({ node: two });
    await until(async () => (await ownersOf(here, 4)).filter((node) => node === two).length === 3);
    await move({ node: two });
    await until(async () => (await ownersOf(here, 4)).every((node) => node === two));
    const before = await rows(here.app, BOUND);
    await countedTwice(here);
    assert.deepEqual(await rows(here.app, BOUND), before);
    const left = await move({ node: two });
    assert.deepEqual([left.error, left.details?.[0]?.field], ["conflict", "bind"]);
    const company = await here.company({ credits: 1_000 });
    const wanted = phones(200);
    await settled(company, await send(company, wanted));
    await other.stop();
    await until(async () => (await ownersOf(here, 4)).every((node) => node === one));
    await everythingOnce(here, operator, wanted);
  });
});

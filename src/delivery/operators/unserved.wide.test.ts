// Carriers that do not serve a recipient: who gets the message, and what becomes of it when nobody does.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type CarrierScript, DECLARATION, reply, startCarrier } from "../../../test/httpcarrier.ts";
import { acceptAll, carrierService, createCarrier, scriptedCarrier } from "../../../test/httpprovider.ts";
import { ableIs } from "../../../test/operators.ts";
import { assertBalanced, balanceOf, phones, type Scope, send, settled } from "../../../test/sending.ts";
import { type TestService, until } from "../../../test/testservice.ts";

const PREFIX = "22501";
const QUARANTINE_MS = 1_000;
const MESSAGES = 8;

const refuse: CarrierScript = (_message, response) => reply(response, 200, { error: "country" });

/** Creates an operator whose carrier answers so; all serve the same prefix. */
async function operatorOf(t: Scope, here: TestService, script: CarrierScript, more: object = {}) {
  const carrier = await startCarrier(t, script);
  const outcomes = [...DECLARATION.outcomes, { when: [{ json: "/error", is: ["country"] }], is: "unserved" }];
  const id = await createCarrier(here, scriptedCarrier(carrier.url, PREFIX, more, { outcomes }));
  await ableIs(here, id, true);
  return { id, taken: carrier.taken };
}

suite("recipients that a carrier does not serve", { concurrency: 3 }, () => {
  test("H115: the operator beside is asked before the next one, and each operator once", async (t) => {
    const here = await carrierService(t, QUARANTINE_MS);
    const company = await here.company({ credits: 100 });
    const first = await operatorOf(t, here, refuse);
    const beside = await operatorOf(t, here, acceptAll);
    const next = await operatorOf(t, here, refuse, { priority: 1 });
    const { status } = await settled(company, await send(company, phones(MESSAGES, PREFIX)));
    assert.equal(status, "SENT");
    assert.equal(beside.taken.length, MESSAGES);
    assert.ok(first.taken.length <= MESSAGES && next.taken.length <= MESSAGES);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("H115: what no operator serves is refused and refunded, after each was asked once", async (t) => {
    const here = await carrierService(t, QUARANTINE_MS);
    const company = await here.company({ credits: 100 });
    const all = [
      await operatorOf(t, here, refuse),
      await operatorOf(t, here, refuse),
      await operatorOf(t, here, refuse, { priority: 1 }),
    ];
    const id = await send(company, phones(MESSAGES, PREFIX));
    await settled(company, id);
    const { data } = await company.call(`/v1/campaign/${id}/messages`, { limit: MESSAGES });
    assert.deepEqual(
      new Set(data.map((message: { status: string; error: string }) => `${message.status} ${message.error}`)),
      new Set(["REJECTED unserved"]),
    );
    assert.deepEqual(
      all.map(({ taken }) => taken.length),
      [MESSAGES, MESSAGES, MESSAGES],
    );
    assert.equal(await balanceOf(company), 100);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("H115: an operator that is held is waited for, and serves what the others do not", async (t) => {
    const here = await carrierService(t, QUARANTINE_MS);
    const company = await here.company({ credits: 100 });
    const other = await operatorOf(t, here, acceptAll);
    const first = await operatorOf(t, here, refuse, { priority: 1 });
    await here.admin(`/v1/admin/operator/${other.id}/hold`);
    await ableIs(here, other.id, false);
    // A message may still go to the held one, until its link knows.
    const ids: string[] = [];
    await until(async () => {
      ids.push(await send(company, phones(1, PREFIX)));
      await until(() => first.taken.length + other.taken.length === ids.length);
      return first.taken.length > 0;
    });
    await here.admin(`/v1/admin/operator/${other.id}/resume`);
    for (const id of ids) assert.equal((await settled(company, id)).status, "SENT");
    assert.deepEqual([first.taken.length, other.taken.length], [1, ids.length]);
  });
});

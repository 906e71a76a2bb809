// Codes that are about the session, or that nobody knows, are no verdict on a message: it is tried again before it fails.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { metricOf } from "../../../test/metrics.ts";
import {
  accepted,
  assertBalanced,
  phones,
  rows,
  send,
  settled,
  site,
  startScripted,
} from "../../../test/sending.ts";
import { type TestService, until } from "../../../test/testservice.ts";
import { STATUS } from "../../protocol/smpp/pdu.ts";

const PHONE = "2250700001000";
const OTHER = "2250700001001";

function answer(status: number) {
  return { status, messageId: "" };
}

/** The tries of the only message in the queue, once it waits for the next one, which is then due at once. */
async function hasten({ app }: TestService, tries: number): Promise<void> {
  await until(async () => {
    const [queued] = await rows(app, "SELECT retries FROM message_queue");
    return queued?.retries === tries;
  });
  await rows(app, "UPDATE batches SET not_before = now() WHERE not_before <> 'infinity' RETURNING id");
}

suite("questions to the session", { concurrency: 4 }, () => {
  test("S31: a session that lost its state is bound anew, and no message fails for it", async (t) => {
    const operator = await startScripted(t, (_, session, n) =>
      session === operator.sessions[0] ? answer(STATUS.ESME_RINVBNDSTS) : accepted(`${n}`),
    );
    const { here } = await site(t, operator.port, { window: 10 });
    const company = await here.company({ credits: 100 });
    const id = await send(company, phones(30));
    const { status, stats, creditRefunded } = await settled(company, id);
    assert.deepEqual([status, stats.sent, creditRefunded], ["SENT", 30, 0]);
    assert.equal(operator.binds.length, 2);
    const refused = operator.received.length - 30;
    assert.ok(refused > 0 && refused <= 30, "each message was refused once at most, and accepted once");
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("S31: a message that is always refused so is tried twice more, and does not keep the link rebinding", async (t) => {
    const operator = await startScripted(t, (pdu, _, n) =>
      pdu.destinationAddr === PHONE ? answer(STATUS.ESME_RUNKNOWNERR) : accepted(`${n}`),
    );
    const { here } = await site(t, operator.port);
    const company = await here.company({ credits: 100 });
    const id = await send(company, PHONE);
    await hasten(here, 1);
    await hasten(here, 2);
    const { status, creditRefunded } = await settled(company, id);
    assert.deepEqual([status, creditRefunded], ["FAILED", 1]);
    const { data } = await company.call(`/v1/campaign/${id}/messages`);
    assert.deepEqual([data[0].status, data[0].error], ["REJECTED", "ESME_RUNKNOWNERR"]);
    assert.equal(operator.received.length, 3);
    assert.equal((await settled(company, await send(company, OTHER))).status, "SENT");
    assert.equal(operator.binds.length, 3, "two rebinds a minute, whatever is refused");
    await assertBalanced(here);
  });

  test("S04: a code that nobody knows is counted, and its message tried once more", async (t) => {
    const operator = await startScripted(t, () => answer(0x401));
    const { here, gateway } = await site(t, operator.port);
    const company = await here.company({ credits: 100 });
    const id = await send(company, PHONE);
    await hasten(here, 1);
    assert.equal((await settled(company, id)).creditRefunded, 1);
    const { data } = await company.call(`/v1/campaign/${id}/messages`);
    assert.deepEqual([data[0].status, data[0].error], ["REJECTED", "0x00000401"]);
    assert.match(data[0].errorReason, /code qui lui est propre/);
    const labels = `operator="operator at ${operator.port}",code="0x00000401"`;
    assert.equal(await metricOf(gateway.url, here.adminKey, `atumpan_unknown_codes_total{${labels}}`), 2);
    assert.equal(operator.received.length, 2);
    assert.equal(operator.binds.length, 1);
  });
});

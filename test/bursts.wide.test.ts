// Receipts in bursts, and receipts whose answer a dying process never wrote.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { atLength } from "./length.ts";
import {
  accepted,
  assertBalanced,
  deliverReceipt,
  phones,
  rows,
  send,
  site,
  startScripted,
} from "./sending.ts";
import { kill, openStage, untilBound } from "./stage.ts";
import { type Company, until } from "./testservice.ts";

const BURST = atLength({ short: 2_000, long: 10_000 });
/** An operator's window of receipts without an answer. */
const TOGETHER = 1_000;

async function statsOf(company: Company, id: string) {
  return (await company.call(`/v1/campaign/${id}`)).data.stats;
}

async function delivered(company: Company, id: string): Promise<number> {
  return (await statsOf(company, id)).delivered;
}

suite("receipts in bursts", () => {
  test("D09: after SIGKILL between the commit of receipts and their answers they come again, and count once", async (t) => {
    const stage = await openStage(t);
    const { here, wire, begin, simulator } = stage;
    const company = await here.company({ credits: 100 });
    const victim = await begin("gateway");
    await untilBound(stage);
    wire.hold("answer", ({ name, before }) => {
      const applied = before.find((one) => one.name === "sends.updateReceived");
      return name === "COMMIT" && (applied?.rows ?? 0) > 0;
    });
    const id = await send(company, phones(20));
    await wire.held(1);
    const known = await delivered(company, id);
    const answered = () => simulator.stats().receiptsAcknowledged;
    assert.ok(known > answered(), `${known} committed, ${answered()} answered`);
    await kill(stage, victim);
    await begin("gateway");
    await until(() => answered() === 20);
    const stats = await statsOf(company, id);
    assert.deepEqual([stats.total, stats.delivered, stats.failed], [20, 20, 0]);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test(`D11: a burst of ${BURST} receipts is answered after its commits, many receipts in each`, async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
    const { here } = await site(t, operator.port, { window: 1_000 });
    const company = await here.company({ credits: BURST });
    const id = await send(company, phones(BURST));
    await until(async () => (await statsOf(company, id)).queued === 0);
    const cycles = async () => (await rows(here.app, "SELECT turn FROM gateway_sessions"))[0].turn;
    const before = await cycles();
    const session = operator.sessions[0]!;
    const waiting = operator.received.map((pdu, i) => ({ pdu, id: `${i + 1}` }));
    let answered = 0;
    const deliverNext = async (): Promise<void> => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        assert.equal(await deliverReceipt(session, next.pdu, next.id), 0);
        answered++;
        // What is answered is committed.
        const soFar = answered;
        if (soFar % 500 === 0) assert.ok((await delivered(company, id)) >= soFar);
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, deliverNext));
    assert.deepEqual([answered, await delivered(company, id)], [BURST, BURST]);
    const count = (await cycles()) - before;
    assert.ok(count <= BURST / 10, `${count} cycles`);
    assert.equal((await assertBalanced(here)).held, 0);
  });
});

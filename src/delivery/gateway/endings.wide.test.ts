// How sessions with foreign operators end, and what they write beside the standard: nobody gets a message twice for it,
// and no receipt is lost.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { acceptance, type Connection, isTaken, receiptOf, startForeign } from "../../../test/foreign.ts";
import { metricOf } from "../../../test/metrics.ts";
import { allAre, phones, rows, type Site, send, settled, site, statusesOf } from "../../../test/sending.ts";
import type { Company } from "../../../test/testservice.ts";
import { until } from "../../../test/testservice.ts";
import type { SubmitSm } from "../../protocol/smpp/pdu.ts";

const PHONES = 60;

/** A site whose window holds all phones, and where a message of unknown fate is soon sent again. */
async function siteAt(
  t: Parameters<typeof site>[0],
  port: number,
  window = PHONES,
): Promise<Site & { company: Company }> {
  const place = await site(t, port, { window, settings: { quarantineMs: 200 } });
  return { ...place, company: await place.here.company({ credits: 1_000 }) };
}

function assertOnce(received: readonly SubmitSm[], expected: readonly string[]): void {
  const to = received.map(({ destinationAddr }) => destinationAddr).sort();
  assert.deepEqual(to, [...expected].sort(), "each phone once");
}

suite("the endings of sessions with foreign operators", { concurrency: 4 }, () => {
  test("S32: an operator that writes a NUL too many in every PDU gets 300 messages over one session, each once", async (t) => {
    const smsc = await startForeign(t, {
      tail: Buffer.from([0]),
      onPdu(pdu, { write }) {
        if (pdu.command === "unbind") write([{ command: "unbind_resp", sequence: pdu.sequence }]);
        if (pdu.command === "submit_sm") write([acceptance(pdu), receiptOf(pdu, pdu.sequence)]);
      },
    });
    const { here, company, gateway } = await siteAt(t, smsc.port);
    const id = await send(company, phones(300));
    await until(async () => (await company.call(`/v1/campaign/${id}`)).data.stats.delivered === 300);
    assertOnce(smsc.received, phones(300));
    assert.equal(smsc.binds, 1);
    const unread = `atumpan_unread_tails_total{operator="operator at ${smsc.port}"}`;
    const count = await metricOf(gateway.url, here.adminKey, unread);
    assert.ok(count! >= 601, `${count}: the answer to the bind, 300 to messages, and 300 receipts`);
  });

  test("S20: an operator that unbinds and closes on the answer has answered its window by then: nobody gets it twice", async (t) => {
    const owed: SubmitSm[] = [];
    const smsc = await startForeign(t, {
      onPdu(pdu, { number, socket, write }) {
        if (pdu.command === "unbind_resp") socket.end();
        if (pdu.command !== "submit_sm") return;
        if (number > 1) write([acceptance(pdu), receiptOf(pdu, pdu.sequence)]);
        else if (owed.push(pdu) === 50) {
          write([{ command: "unbind", sequence: 1 }]);
          // In an own packet, a moment later, as after a busy second.
          setTimeout(
            () => write(owed.flatMap((each) => [acceptance(each), receiptOf(each, each.sequence)])),
            300,
          );
        }
      },
    });
    const { company } = await siteAt(t, smsc.port, 50);
    const id = await send(company, phones(PHONES));
    await allAre("DELIVERED", company, id);
    assertOnce(smsc.received, phones(PHONES));
    assert.equal(smsc.binds, 2);
  });

  test("S20: receipts that come just before an unbind are applied and answered before it is", async (t) => {
    const order: string[] = [];
    const taken: SubmitSm[] = [];
    const smsc = await startForeign(t, {
      onPdu(pdu, { socket, write }) {
        if (isTaken(pdu) || pdu.command === "unbind_resp") order.push(pdu.command);
        if (pdu.command === "unbind_resp") socket.end();
        if (pdu.command !== "submit_sm") return;
        write([acceptance(pdu)]);
        if (taken.push(pdu) < PHONES) return;
        write([
          ...taken.map((each, i) => receiptOf(each, i + 1)),
          { command: "unbind", sequence: PHONES + 1 },
        ]);
      },
    });
    const { company } = await siteAt(t, smsc.port);
    const id = await send(company, phones(PHONES));
    await allAre("DELIVERED", company, id);
    assertOnce(smsc.received, phones(PHONES));
    await until(() => order.includes("unbind_resp"));
    assert.deepEqual(order, [...Array(PHONES).fill("deliver_sm_resp"), "unbind_resp"]);
  });

  test("S20: an operator that answers nothing more after its unbind gets its answer all the same, and the rest goes on", async (t) => {
    const smsc = await startForeign(t, {
      onPdu(pdu, { number, socket, write }) {
        if (pdu.command === "unbind_resp") socket.end();
        if (pdu.command !== "submit_sm") return;
        if (number > 1) write([acceptance(pdu)]);
        else if (smsc.received.length === 5) write([{ command: "unbind", sequence: 1 }]);
      },
    });
    const { company } = await siteAt(t, smsc.port);
    const data = await settled(company, await send(company, phones(20)));
    assert.deepEqual([data.status, data.stats.sent], ["SENT", 20]);
    assert.equal(smsc.binds, 2);
  });

  test("answers in the packet in which an operator closes count", async (t) => {
    const owed: SubmitSm[] = [];
    const smsc = await startForeign(t, {
      onPdu(pdu, { number, socket, write }) {
        if (pdu.command !== "submit_sm") return;
        if (number > 1) write([acceptance(pdu)]);
        else if (owed.push(pdu) === PHONES) {
          write(owed.map(acceptance));
          socket.end();
        }
      },
    });
    const { company } = await siteAt(t, smsc.port);
    const data = await settled(company, await send(company, phones(PHONES)));
    assert.equal(data.stats.sent, PHONES);
    assertOnce(smsc.received, phones(PHONES));
  });

  /** `answered` resolves once we have answered the first receipt: what came with it is in hand. */
  const ENDINGS: Record<string, (connection: Connection, place: Site, answered: Promise<void>) => unknown> = {
    "closes the connection": ({ socket }) => socket.end(),
    // A reset takes along what has not reached us.
    "resets the connection": ({ socket }, _, answered) => answered.then(() => socket.resetAndDestroy()),
    "loses its framing": ({ socket }) => socket.write(Buffer.alloc(16)),
    "is closed by us, at SIGTERM": (_, { gateway }) => gateway.stop(),
    "is drained by us, as it is disabled": (_, { here }) =>
      rows(here.app, "UPDATE operators SET enabled = false"),
  };
  for (const [name, end] of Object.entries(ENDINGS))
    test(`S33: receipts in hand are applied though the operator never repeats them: its session ${name}`, async (t) => {
      const taken: SubmitSm[] = [];
      const ready = Promise.withResolvers<Connection>();
      const answered = Promise.withResolvers<void>();
      const smsc = await startForeign(t, {
        onPdu(pdu, connection) {
          const { sequence } = pdu;
          if (pdu.command === "deliver_sm_resp") answered.resolve();
          if (pdu.command === "unbind") connection.write([{ command: "unbind_resp", sequence }]);
          if (pdu.command !== "submit_sm") return;
          connection.write([acceptance(pdu)]);
          if (taken.push(pdu) === PHONES) ready.resolve(connection);
        },
      });
      const place = await siteAt(t, smsc.port);
      const id = await send(place.company, phones(PHONES));
      const connection = await ready.promise;
      connection.write(taken.map((pdu, i) => receiptOf(pdu, i + 1)));
      end(connection, place, answered.promise);
      await allAre("DELIVERED", place.company, id);
      assertOnce(smsc.received, phones(PHONES));
      assert.equal((await statusesOf(place.company, id)).length, PHONES);
    });
});

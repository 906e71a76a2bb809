// Messages from handsets that carriers over HTTP give ids: the id, and not the text, says which message comes again.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { startCarrier } from "../../../test/httpcarrier.ts";
import {
  acceptAll,
  callbackOf,
  carrierService,
  createCarrier,
  PROVIDER,
  scriptedCarrier,
} from "../../../test/httpprovider.ts";
import { numberFor, textsOf } from "../../../test/incoming.ts";
import { phones, rows } from "../../../test/sending.ts";
import type { Company, TestService } from "../../../test/testservice.ts";
import { forgetMarks } from "../../messaging/inbound/inbound.ts";

type Written = { id?: string | undefined; from: string; text: string };

async function post(url: string, body: unknown): Promise<number> {
  const headers = { "Content-Type": "application/json" };
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).status;
}

/** Posts messages to `to` in one callback. */
async function deliver(url: string, to: string, ...messages: Written[]): Promise<void> {
  const items = messages.map(({ from, ...message }) => ({
    type: "inbound",
    from: `+${from}`,
    to,
    ...message,
  }));
  assert.equal(await post(url, { items }), 200);
}

/** Makes everything that is remembered of received messages older. */
const age = ({ app }: TestService, interval: string) =>
  rows(
    app,
    `UPDATE inbound_marks SET until = until - interval '${interval}', repeats_until = repeats_until - interval '${interval}'`,
  );

async function isOut(company: Company, phone: string): Promise<boolean> {
  const { data } = await company.call("/v1/optout/list");
  return data.some((optout: { phone: string }) => optout.phone === phone);
}

suite("messages from handsets with ids of a carrier", () => {
  test("the same id is one message for a week, and another id is another message", async (t) => {
    const here = await carrierService(t, 600_000);
    const carrier = await startCarrier(t, acceptAll);
    const list = "/items";
    const declared = {
      receipts: { ...PROVIDER.receipts, list },
      inbound: { ...PROVIDER.inbound, list },
    };
    const create = (name: string, prefix: string, more: object) =>
      createCarrier(
        here,
        scriptedCarrier(carrier.url, prefix, { name, ...more }, { ...declared, account: name }),
      );
    const url = await callbackOf(here, await create("one", "22501", {}));
    const withoutWindow = await callbackOf(here, await create("two", "22505", { repeatWindowS: 0 }));
    let people = 0;
    /** A company with a number, and a person who writes to it. */
    const meet = async () => {
      const company = await here.company({ credits: 10 });
      const { number } = await numberFor(here, company);
      const [from = ""] = phones(1, `22501${people++}`);
      return { company, number, from };
    };

    await t.test("H110: the same text with another id is another message", async () => {
      const { company, number, from } = await meet();
      await deliver(url, number, { id: "a-1", from, text: "OUI" });
      await deliver(url, number, { id: "a-2", from, text: "OUI" });
      await deliver(url, number, { id: "a-3", from, text: "OUI" }, { id: "a-4", from, text: "OUI" });
      assert.deepEqual(await textsOf(company), ["OUI", "OUI", "OUI", "OUI"]);
    });

    await t.test("H111: a callback that comes again after minutes or days is stored once", async () => {
      for (const at of [url, withoutWindow]) {
        const { company, number, from } = await meet();
        const [oui, non] = [
          { id: "b-1", from, text: "OUI" },
          { id: "b-2", from, text: "NON" },
        ];
        await deliver(at, number, oui);
        await age(here, "3 minutes");
        await deliver(at, number, oui, non);
        await age(here, "3 days");
        await Promise.all([deliver(at, number, oui, non), deliver(at, number, non)]);
        assert.deepEqual(await textsOf(company), ["OUI", "NON"]);
      }
    });

    await t.test(
      "H111: an id of another carrier, handset or number, or with another text, is another message",
      async () => {
        const { company, number, from } = await meet();
        const { number: other } = await numberFor(here, company);
        const written = { id: "c-1", from, text: "Bonjour" };
        await deliver(url, number, written);
        await deliver(withoutWindow, number, written);
        await deliver(url, other, written);
        await deliver(url, number, { ...written, from: phones(1, "225019")[0] ?? "" });
        await deliver(url, number, { ...written, text: "Bonsoir" });
        assert.equal((await textsOf(company)).length, 5);
      },
    );

    await t.test(
      "H112: a STOP that comes again does not undo the START after it, nor the reverse",
      async () => {
        const { company, number, from } = await meet();
        const [stop, start] = [
          { id: "d-1", from, text: "STOP" },
          { id: "d-2", from, text: "START" },
        ];
        await deliver(url, number, stop);
        assert.equal(await isOut(company, from), true);
        await deliver(url, number, start);
        assert.equal(await isOut(company, from), false);
        await deliver(url, number, stop);
        assert.equal(await isOut(company, from), false);
        await deliver(url, number, { ...stop, id: "d-3" });
        await deliver(url, number, start);
        assert.equal(await isOut(company, from), true);
        assert.deepEqual(await textsOf(company), ["STOP", "START", "STOP"]);
      },
    );

    await t.test("H113: without an id, the same text is a repeat for two minutes", async () => {
      const { company, number, from } = await meet();
      await deliver(url, number, { from, text: "OUI" });
      await deliver(url, number, { id: "", from, text: "OUI" });
      await age(here, "3 minutes");
      await deliver(url, number, { from, text: "OUI" });
      assert.deepEqual(await textsOf(company), ["OUI", "OUI"]);
      await deliver(withoutWindow, number, { from, text: "NON" });
      await deliver(withoutWindow, number, { from, text: "NON" });
      assert.equal((await textsOf(company)).length, 4);
    });

    await t.test("H114: what is remembered of the ids is deleted after a week", async () => {
      await age(here, "8 days");
      await forgetMarks(here.app);
      assert.deepEqual(await rows(here.app, "SELECT FROM inbound_marks"), []);
    });
  });
});

// Very many receipts of carriers over HTTP at once: in one body, and each in a callback of its own.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Agent, fetch as fetchOver } from "undici";
import { DECLARATION, startCarrier } from "../../../test/httpcarrier.ts";
import {
  acceptAll,
  callbackOf,
  carrierService,
  createCarrier,
  scriptedCarrier,
} from "../../../test/httpprovider.ts";
import { atLength } from "../../../test/length.ts";
import { metricOf } from "../../../test/metrics.ts";
import { assertBalanced, phones, rows, send, settled } from "../../../test/sending.ts";
import { until } from "../../../test/testservice.ts";

const MANY = 10_000;
const SEPARATE = atLength({ short: 3_000, long: 10_000 });
const CONNECTIONS = 100;

suite("many receipts", () => {
  test("H53 H54: ten thousand receipts in one body, and thousands of callbacks at once", async (t) => {
    const here = await carrierService(t, 600_000);
    const [packed, single] = [await startCarrier(t, acceptAll), await startCarrier(t, acceptAll)];
    const declared = { receipts: { ...DECLARATION.receipts, list: "/results" }, inbound: undefined };
    const ids = [
      await createCarrier(here, scriptedCarrier(packed.url, "22505", { name: "packed" }, declared)),
      await createCarrier(here, scriptedCarrier(single.url, "22507", { name: "single" })),
    ];
    const [inOne = "", inMany = ""] = await Promise.all(ids.map((id) => callbackOf(here, id)));
    const company = await here.company({ credits: 2 * MANY });
    const campaigns = [
      await send(company, phones(MANY, "22505")),
      await send(company, phones(SEPARATE, "22507")),
    ];
    for (const id of campaigns) await settled(company, id);
    const receiptOf = ({ id, to }: { id: string; to: string }) => ({
      id: `c-${id}`,
      to,
      status: "delivered",
    });

    const results = [...packed.taken.map(receiptOf), { id: "one too many", status: "delivered" }];
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(inOne, { method: "POST", headers, body: JSON.stringify({ results }) });
    assert.equal(answer.status, 200);
    const ignored = `atumpan_carrier_items_ignored_total{operator="packed"}`;
    assert.equal(await metricOf(here.url, here.adminKey, ignored), 1);

    const dispatcher = new Agent({ connections: CONNECTIONS });
    t.after(() => dispatcher.close());
    // As a carrier does: what is not answered with 2xx is sent again.
    const deliver = async (body: string) => {
      await until(async () => (await fetchOver(inMany, { method: "POST", headers, body, dispatcher })).ok);
    };
    await Promise.all(single.taken.map((message) => deliver(JSON.stringify(receiptOf(message)))));

    for (const id of campaigns) {
      const { stats } = (await company.call(`/v1/campaign/${id}`)).data;
      assert.equal(stats.delivered, stats.total);
    }
    assert.equal((await rows(here.app, "SELECT count(*) FROM orphan_receipts"))[0].count, 0);
    assert.equal((await assertBalanced(here)).held, 0);
  });
});

// Callbacks of carriers over HTTP: twice, out of order, foreign, forged, replayed, unreadable. The first truth stays.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { suite, test } from "node:test";
import { newNumber } from "../../../test/belongings.ts";
import { type CarrierScript, DECLARATION, reply, startCarrier } from "../../../test/httpcarrier.ts";
import {
  acceptAll,
  callbackOf,
  carrierService,
  createCarrier,
  PROVIDER,
  scriptedCarrier,
} from "../../../test/httpprovider.ts";
import { textsOf } from "../../../test/incoming.ts";
import { metricOf } from "../../../test/metrics.ts";
import { assertBalanced, balanceOf, phones, send, settled } from "../../../test/sending.ts";
import { type Company, until } from "../../../test/testservice.ts";

const KEY = "kora";

function post(url: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body });
}

/** Posts a callback, and returns the status of the answer. */
const report = async (url: string, body: unknown) => (await post(url, JSON.stringify(body))).status;

async function messageOf(company: Company, id: string) {
  return (await company.call(`/v1/campaign/${id}/messages`, { limit: 1 })).data[0];
}

suite("callbacks of carriers over HTTP", () => {
  test("each callback is answered, and changes only what it may", async (t) => {
    const here = await carrierService(t, 600_000);
    const withoutId: CarrierScript = (message, response, n) =>
      message.to.startsWith("+2250141")
        ? reply(response, 200, { ok: true })
        : acceptAll(message, response, n);
    const [a, b] = [await startCarrier(t, withoutId), await startCarrier(t, acceptAll)];
    const ids = [
      await createCarrier(here, scriptedCarrier(a.url, "22501", { name: "first" })),
      await createCarrier(here, scriptedCarrier(b.url, "22502", { name: "second" })),
    ];
    const [url = "", other = ""] = await Promise.all(ids.map((id) => callbackOf(here, id)));
    const company = await here.company({ credits: 100 });

    /** Sends one message, and returns its ids. */
    const sent = async (i: number) => {
      const [phone = ""] = phones(1, `22501${i}`);
      const campaign = await send(company, phone);
      await settled(company, campaign);
      const own = a.taken.at(-1)?.id ?? "";
      return { campaign, own, id: `c-${own}`, to: phone };
    };

    await t.test("H41 H42: a receipt twice counts once, and delivered is never downgraded", async () => {
      const { campaign, id, to } = await sent(1);
      for (const status of ["sent", "delivered", "delivered", "failed", "expired", "sent"])
        assert.equal(await report(url, { id, to, status }), 200);
      const { status, error } = await messageOf(company, campaign);
      assert.deepEqual([status, error], ["DELIVERED", null]);
      const { stats } = (await company.call(`/v1/campaign/${campaign}`)).data;
      assert.deepEqual([stats.delivered, stats.undelivered ?? 0], [1, 0]);
    });

    await t.test("H43: of failed and then delivered the first final state stays", async () => {
      const { campaign, id, to } = await sent(2);
      assert.equal(await report(url, { id, to, status: "failed" }), 200);
      assert.equal(await report(url, { id, to, status: "delivered" }), 200);
      assert.equal((await messageOf(company, campaign)).status, "UNDELIVERED");
      assert.equal((await company.call(`/v1/campaign/${campaign}`)).data.creditRefunded, 0);
    });

    await t.test(
      "H44: receipts for foreign ids, or by another operator's address, change nothing",
      async () => {
        const { campaign, id, own, to } = await sent(3);
        assert.equal(await report(url, { id: "nobody's", to, status: "failed" }), 200);
        assert.equal(await report(other, { id, own, to, status: "failed" }), 200);
        assert.equal((await messageOf(company, campaign)).status, "SENT");
        assert.equal(await report(url, { id, to, status: "delivered" }), 200);
        assert.equal((await messageOf(company, campaign)).status, "DELIVERED");
      },
    );

    await t.test(
      "H45: a carrier that gave no id reports by our id, without the phone and beside an id of its own",
      async () => {
        const one = await sent(4);
        assert.equal(await report(url, { id: "its own", own: one.own, status: "delivered" }), 200);
        assert.equal((await messageOf(company, one.campaign)).status, "DELIVERED");
      },
    );

    await t.test("H46: what cannot be stored harms neither its receipt nor those beside it", async () => {
      const { campaign, id, to } = await sent(5);
      const wrong = ["\u0000", "\ud800", "x".repeat(100_000), `a'); DROP TABLE messages; --`, "\u202e\r\n"];
      const bad = wrong.flatMap((text) => [
        { id: text, to, status: "failed" },
        { id: `n-${text.length}`, to: text, status: "failed" },
        { id: `o-${text.length}`, own: text, to, status: text },
      ]);
      const others = [
        { id: ["c"], to: { a: 1 }, status: 7 },
        { id: null },
        [],
        "text",
        7,
        null,
        { status: "failed" },
      ];
      const statuses = await Promise.all(
        [...bad, ...others, { id, to, status: "delivered" }].map((body) => report(url, body)),
      );
      assert.deepEqual(new Set(statuses), new Set([200]));
      assert.equal((await messageOf(company, campaign)).status, "DELIVERED");
      for (const body of ["{", "<a", "\u0000", "", "[".repeat(100_000), "a=b&".repeat(10_000)])
        assert.equal((await post(url, body)).status, 200);
      assert.equal((await post(url, `"${"x".repeat(5 << 20)}"`)).status, 413);
    });

    await t.test("H47: a wrong secret, another operator's and a replaced one are answered 404", async () => {
      const { campaign, id, to } = await sent(6);
      const secretOf = (of: string) => of.slice(of.lastIndexOf("/") + 1);
      const crossed = `${here.url}/v1/carrier/${ids[0]}/${secretOf(other)}`;
      for (const wrong of [
        crossed,
        `${url}x`,
        url.slice(0, -1),
        `${here.url}/v1/carrier/nobody/${secretOf(url)}`,
      ])
        assert.equal(await report(wrong, { id, to, status: "failed" }), 404);
      await here.admin(`/v1/admin/operator/${ids[0]}/callback/renew`);
      const renewed = await callbackOf(here, ids[0] ?? "");
      assert.notEqual(renewed, url);
      await until(async () => (await report(url, { id, to, status: "sent" })) === 404);
      assert.equal((await messageOf(company, campaign)).status, "SENT");
      assert.equal(await report(renewed, { id, to, status: "delivered" }), 200);
      assert.equal((await messageOf(company, campaign)).status, "DELIVERED");
    });

    assert.equal(await balanceOf(company), 94);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("signed callbacks, dates, and messages from handsets", async (t) => {
    const here = await carrierService(t, 600_000);
    const carrier = await startCarrier(t, acceptAll);
    const { receipts, inbound } = PROVIDER;
    const fields = [...DECLARATION.fields, { name: "signKey", title: "Clé", secret: true }];
    const callbackAuth = { ...PROVIDER.callbackAuth, over: "timestamp.body", timestampHeader: "X-Timestamp" };
    const declared = { fields, receipts, inbound, callbackAuth };
    const operator = scriptedCarrier(carrier.url, "22501", { name: "signed" }, declared);
    const connectorSettings = { ...operator.connectorSettings, signKey: KEY };
    const operatorId = await createCarrier(here, { ...operator, connectorSettings });
    const url = await callbackOf(here, operatorId);
    const company = await here.company({ credits: 100 });

    const nowS = () => Math.floor(Date.now() / 1_000);
    const signedPost = async (body: unknown, { key = KEY, atS = nowS() } = {}) => {
      const text = JSON.stringify(body);
      const signature = createHmac("sha256", key).update(`${atS}.${text}`).digest("hex");
      return (await post(url, text, { "X-Signature": signature, "X-Timestamp": `${atS}` })).status;
    };
    const sent = async (i: number) => {
      const [to = ""] = phones(1, `22501${i}`);
      const campaign = await send(company, to);
      await settled(company, campaign);
      return { campaign, type: "receipt", id: `c-${carrier.taken.at(-1)?.id}`, to };
    };

    await t.test(
      "H48 H49: a receipt without signature, with another key or an old one is refused",
      async () => {
        const { campaign, ...receipt } = await sent(1);
        const failed = { ...receipt, status: "failed" };
        assert.equal(await report(url, failed), 403);
        assert.equal(await signedPost(failed, { key: "another" }), 403);
        assert.equal(await signedPost(failed, { atS: nowS() - 3_600 }), 403);
        assert.equal(await signedPost(failed, { atS: nowS() + 3_600 }), 403);
        assert.equal((await messageOf(company, campaign)).status, "SENT");
        const outcome = `atumpan_carrier_callbacks_total{operator="signed",outcome="forged"}`;
        assert.equal(await metricOf(here.url, here.adminKey, outcome), 4);
        for (let i = 0; i < 3; i++) assert.equal(await signedPost({ ...receipt, status: "delivered" }), 200);
        assert.equal((await messageOf(company, campaign)).status, "DELIVERED");
      },
    );

    await t.test(
      "H50: a date from the future counts as now, and one from before the message as its time",
      async () => {
        for (const [i, at] of [
          "2199-01-01T00:00:00Z",
          "1970-01-01T00:00:00Z",
          "2026-02-30T25:00:00Z",
        ].entries()) {
          const { campaign, ...receipt } = await sent(i + 2);
          assert.equal(await signedPost({ ...receipt, status: "delivered", at }), 200);
          const { status, sentAt, deliveredAt } = await messageOf(company, campaign);
          assert.equal(status, "DELIVERED");
          assert.ok(deliveredAt >= sentAt && Date.parse(deliveredAt) <= Date.now() + 1_000, deliveredAt);
        }
      },
    );

    await t.test(
      "H51: a message from a handset is stored once for its number, and STOP opts out",
      async () => {
        const number = newNumber();
        const made = await here.admin("/v1/admin/inbound/number/create", {
          number,
          companyId: company.companyId,
        });
        assert.equal(made.success, true, JSON.stringify(made));
        const [from = ""] = phones(1, "225015");
        const message = {
          type: "inbound",
          from: `+${from}`,
          to: number,
          text: "Bonjour, ça va ? 😀",
          id: "in-1",
        };
        for (let i = 0; i < 2; i++) assert.equal(await signedPost(message), 200);
        assert.deepEqual(await textsOf(company), ["Bonjour, ça va ? 😀"]);
        assert.equal(await report(url, { ...message, text: "forged" }), 403);
        assert.equal(await signedPost({ ...message, text: "\u0000\ud800" }), 200);
        assert.equal(await signedPost({ ...message, text: "STOP", id: "in-2" }), 200);
        const answer = await company.call("/v1/campaign/create", { contacts: [from], text: "Encore" });
        assert.equal(answer.error, "no-recipient");
      },
    );
    assert.equal((await assertBalanced(here)).held, 0);
  });
});

// Carriers that are asked about messages: what their answers prove, and how often they are asked.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { suite, test } from "node:test";
import { type CarrierScript, reply, type StatusScript, startCarrier } from "../../../test/httpcarrier.ts";
import { acceptAll, carrierService, createCarrier, scriptedCarrier } from "../../../test/httpprovider.ts";
import { metricOf, readMetrics } from "../../../test/metrics.ts";
import {
  assertBalanced,
  balanceOf,
  phones,
  rows,
  type Scope,
  send,
  settled,
  stacked,
  startBeside,
  statusesOf,
} from "../../../test/sending.ts";
import { type Company, type TestService, until } from "../../../test/testservice.ts";

/** So long that nothing is asked about or sent again before the test says so. */
const QUARANTINE_MS = 3_600_000;
const SILENT_MS = 200;

const STATUS = {
  request: { method: "GET", url: "{{baseUrl}}/status/{{id}}" },
  unknownHere: [{ json: "/error", is: ["no-such-message"] }],
  id: { json: "/id" },
  state: { json: "/state" },
  states: { done: "delivered", way: "sent", bad: "undelivered" },
  error: { json: "/code" },
};
const BY_CARRIER_ID = {
  ...{ request: { method: "GET", url: "{{baseUrl}}/status/{{carrierId}}" }, state: STATUS.state },
  states: STATUS.states,
};

const cut: CarrierScript = (_message, response) => void response.socket?.destroy();
const state =
  (word: string, more: object = {}): StatusScript =>
  (id, response) =>
    reply(response, 200, { id: `c-${id}`, state: word, ...more });
const absent: StatusScript = (_id, response) => reply(response, 404, { error: "no-such-message" });

type Told = { script?: CarrierScript; status?: StatusScript; declared?: object; more?: object };

/** A carrier for one prefix that is asked about its messages. */
async function asked(t: Scope, here: TestService, prefix: string, told: Told) {
  const { script = acceptAll, status = state("way"), declared = {}, more = {} } = told;
  const carrier = await startCarrier(t, script, 0, status);
  const operator = scriptedCarrier(carrier.url, prefix, more, { status: STATUS, ...declared });
  const id = await createCarrier(here, { name: `asked ${prefix}`, ...operator });
  return { carrier, id };
}

const countOf = async (here: TestService, name: string, prefix: string) =>
  (await metricOf(here.url, here.adminKey, `atumpan_${name}{operator="asked ${prefix}"}`)) ?? 0;

const queriesLeft = async (here: TestService, operatorId: string) =>
  (await rows(here.app, "SELECT count(*) FROM status_queries WHERE operator_id = $1", [operatorId]))[0].count;

/** Makes the next queries about messages of unknown fate due. */
const hasten = (here: TestService, operatorId: string) =>
  rows(
    here.app,
    `UPDATE status_queries SET due_at = now()
     WHERE operator_id = $1 AND unknown AND due_at > now() RETURNING number`,
    [operatorId],
  );

/** Ends the quarantine of messages of unknown fate. */
const endQuarantine = (here: TestService, prefix: string) =>
  rows(
    here.app,
    `UPDATE batches SET not_before = now()
     WHERE prefix = $1 AND unknown AND not_before > now() AND not_before <> 'infinity' RETURNING id`,
    [prefix],
  );

/** Waits until a campaign is settled, and asks about its messages at once. */
function answered(here: TestService, company: Company, campaign: string, operatorId: string) {
  return until(async () => {
    await hasten(here, operatorId);
    const { data } = await company.call(`/v1/campaign/${campaign}`);
    return data?.stats.queued === 0 && data;
  });
}

suite("carriers that are asked about messages", { concurrency: 3 }, () => {
  test("messages of unknown fate", { concurrency: 12 }, async (t) => {
    const here = await carrierService(t, QUARANTINE_MS, { settings: { silentReceiptMs: 600_000 } });
    const company = await here.company({ credits: 1_000 });

    const known = t.test(
      "H90: a query proves that the carrier has a message whose answer was cut: no second submission",
      async () => {
        const { carrier, id: operatorId } = await asked(t, here, "22501", { script: cut });
        const id = await send(company, phones(5, "22501"));
        await answered(here, company, id, operatorId);
        assert.deepEqual(await statusesOf(company, id), Array(5).fill("SENT"));
        assert.equal(carrier.taken.length, 5);
        const ids = "SELECT operator_message_id AS id FROM messages WHERE send_id = $1";
        const wanted = carrier.taken.map((message) => `c-${message.id}`).sort();
        assert.deepEqual((await rows(here.app, ids, [id])).map((row) => row.id).sort(), wanted);
      },
    );

    const final = t.test("H90: the state that the query shows counts as its receipt", async () => {
      const { carrier, id: operatorId } = await asked(t, here, "22502", {
        script: cut,
        status: state("done"),
      });
      const id = await send(company, phones(2, "22502"));
      const { stats } = await answered(here, company, id, operatorId);
      assert.deepEqual([stats.delivered, carrier.taken.length], [2, 2]);
    });

    const code = t.test("H90: a one-time password that the carrier has is paid", async () => {
      const { carrier, id: operatorId } = await asked(t, here, "22503", { script: cut });
      const other = await here.company({ credits: 10 });
      await other.call("/v1/auth/otp/get", { phoneNumber: "+2250300001000" });
      const sent = "SELECT status FROM messages WHERE phone = '2250300001000'";
      await until(async () => {
        await hasten(here, operatorId);
        return (await rows(here.app, sent))[0]?.status === "SENT";
      });
      assert.deepEqual([carrier.taken.length, await balanceOf(other)], [1, 9]);
    });

    const unsent = t.test(
      "H91: a message that the carrier certainly does not have is sent at once, as if it had not been lost",
      async () => {
        const { carrier, id: operatorId } = await asked(t, here, "22504", {
          script: (message, response, n) => (n <= 3 ? cut : acceptAll)(message, response, n),
          status: absent,
        });
        const id = await send(company, phones(3, "22504"));
        await answered(here, company, id, operatorId);
        assert.deepEqual(await statusesOf(company, id), Array(3).fill("SENT"));
        assert.equal(carrier.taken.length, 6);
        assert.equal(await countOf(here, "unknown_fate_total", "22504"), 3);
        assert.equal(await countOf(here, "unknown_resent_total", "22504"), 0);
        const losses = "SELECT asked, unknown FROM status_queries WHERE operator_id = $1";
        for (const row of await rows(here.app, losses, [operatorId]))
          assert.deepEqual([row.asked, row.unknown], [0, false]);
      },
    );

    const never = t.test(
      "H91: a one-time password is not sent again, whatever the carrier says",
      async () => {
        const { carrier, id: operatorId } = await asked(t, here, "22505", { script: cut, status: absent });
        const other = await here.company({ credits: 10 });
        await other.call("/v1/auth/otp/get", { phoneNumber: "+2250500001000" });
        await until(async () => {
          await hasten(here, operatorId);
          return carrier.asked.length >= 2;
        });
        const lost = "SELECT losses FROM message_queue WHERE phone = '2250500001000'";
        assert.deepEqual(await rows(here.app, lost), [{ losses: 1 }]);
        assert.equal(carrier.taken.length, 1);
      },
    );

    const open = t.test(
      "H91: a request that the carrier may still be working on is not absent: its late answer counts",
      async () => {
        const waiting: (() => void)[] = [];
        const { carrier, id: operatorId } = await asked(t, here, "22506", {
          script: (message, response, n) => void waiting.push(() => acceptAll(message, response, n)),
          status: (id, response, n) => {
            absent(id, response, n);
            if (n === 1) for (const answer of waiting) answer();
          },
        });
        const id = await send(company, phones(1, "22506"));
        await answered(here, company, id, operatorId);
        assert.deepEqual([carrier.taken.length, await statusesOf(company, id)], [1, ["SENT"]]);
      },
    );

    const useless: [string, string, StatusScript][] = [
      ["is down", "22511", (_id, response) => void response.socket?.destroy()],
      ["is slow", "22512", () => {}],
      ["answers rubbish", "22513", (_id, response) => void response.end("<html>état ?")],
      ["answers half of the JSON", "22514", (_id, response) => void response.end('{"state":"done","id":"1')],
      ["knows no such word", "22515", state("mislaid")],
      ["throttles", "22516", (_id, response) => reply(response, 429, {}, { "Retry-After": "1" })],
      ["answers 404 without the proof", "22517", (_id, response) => reply(response, 404, {})],
    ];
    const nothing = useless.map(([says, prefix, status]) =>
      t.test(`H93: a status query that ${says} changes nothing: the message is sent once more`, async () => {
        const { carrier, id: operatorId } = await asked(t, here, prefix, {
          script: (message, response, n) => (n === 1 ? cut : acceptAll)(message, response, n),
          status,
          more: { submitTimeoutS: 5 },
        });
        const id = await send(company, phones(1, prefix));
        const outcomes = "atumpan_status_queries_total";
        await until(async () => {
          await hasten(here, operatorId);
          return (await readMetrics(here.url, here.adminKey)).includes(
            `${outcomes}{operator="asked ${prefix}"`,
          );
        });
        assert.equal(carrier.taken.length, 1);
        await until(async () => (await endQuarantine(here, prefix)).length > 0);
        await settled(company, id);
        assert.deepEqual([carrier.taken.length, await statusesOf(company, id)], [2, ["SENT"]]);
        assert.equal(await countOf(here, "unknown_resent_total", prefix), 1);
      }),
    );

    await Promise.all([known, final, code, unsent, never, open, ...nothing]);
    await assertBalanced(here);
  });

  test("accepted messages without a receipt", { concurrency: 6 }, async (t) => {
    const here = await carrierService(t, QUARANTINE_MS, { settings: { silentReceiptMs: SILENT_MS } });
    const company = await here.company({ credits: 1_000 });

    const silent = t.test(
      "H92: the state of a message whose receipt does not come is asked for",
      async () => {
        await asked(t, here, "22501", { status: state("done") });
        const { carrier } = await asked(t, here, "22502", {
          status: state("bad", { code: "E42" }),
          declared: { status: { ...BY_CARRIER_ID, error: STATUS.error } },
        });
        const payer = await here.company({ credits: 10 });
        const id = await send(payer, [...phones(2, "22501"), ...phones(2, "22502")]);
        const { stats } = await until(async () => {
          const { data } = await payer.call(`/v1/campaign/${id}`);
          return data.stats.delivered + data.stats.failed === 4 && data;
        });
        assert.deepEqual([stats.delivered, stats.failed, await balanceOf(payer)], [2, 2, 6]);
        const errors = "SELECT DISTINCT status, error FROM messages WHERE phone LIKE '22502%'";
        assert.deepEqual(await rows(here.app, errors), [{ status: "UNDELIVERED", error: "E42" }]);
        assert.deepEqual(carrier.asked.toSorted(), carrier.taken.map((one) => `c-${one.id}`).toSorted());
      },
    );

    const few = t.test("H92: a message is asked about four times, and then no more", async () => {
      const { carrier, id } = await asked(t, here, "22503", {});
      await settled(company, await send(company, phones(1, "22503")));
      await until(async () => carrier.asked.length >= 4 && (await queriesLeft(here, id)) === 0);
      assert.equal(carrier.asked.length, 4);
    });

    const none = t.test(
      "H92: one-time passwords and carriers without queries are not asked about",
      async () => {
        const { carrier, id } = await asked(t, here, "22504", {});
        const off = await asked(t, here, "22505", { more: { statusQueriesPerS: 0 } });
        await company.call("/v1/auth/otp/get", { phoneNumber: "+2250400001000" });
        const to = [...phones(1, "22504"), ...phones(1, "22505")];
        await settled(company, await send(company, to));
        await until(async () => carrier.asked.length > 0 && carrier.taken.length === 2);
        assert.equal(await queriesLeft(here, off.id), 0);
        const noted = await rows(
          here.app,
          "SELECT phone FROM status_queries JOIN messages USING (send_id, number) WHERE status_queries.operator_id = $1",
          [id],
        );
        assert.deepEqual(noted, [{ phone: to[0] }]);
      },
    );

    const bounded = t.test("H95: a carrier gets as many queries at once as its operator allows", async () => {
      const held: ServerResponse[] = [];
      const slow = await asked(t, here, "22506", {
        status: (_id, response) => void held.push(response),
        more: { statusQueriesPerS: 3, submitTimeoutS: 60 },
      });
      const other = await asked(t, here, "22507", { more: { statusQueriesPerS: 1 } });
      const to = [...phones(20, "22506"), ...phones(20, "22507")];
      await settled(company, await send(company, to));
      await until(() => slow.carrier.asked.length > 0);
      const before = other.carrier.asked.length;
      // Each of them is a second of its own.
      await until(() => other.carrier.asked.length >= before + 3);
      assert.ok(held.length <= 3, `${held.length} queries at once`);
      for (const response of held) reply(response, 503, {});
    });

    await Promise.all([silent, few, none, bounded]);
    await assertBalanced(here);
  });

  for (const where of ["another bind and an ended session", "another process"])
    test(`H109: a request of ${where} may still arrive: its message is not absent`, async (t) => {
      const scope = stacked(t);
      const roles = new Set(["api"] as const);
      const here = await carrierService(scope, QUARANTINE_MS, { config: { roles } });
      const gateway = await startBeside(scope, here, ["gateway"]);
      const { carrier, id } = await asked(scope, here, "22501", {
        script: (message, response, n) => n > 2 && acceptAll(message, response, n),
        status: absent,
        more: { binds: 2, submitTimeoutS: 20 },
      });
      const company = await here.company({ credits: 10 });
      await send(company, phones(2, "22501"));
      // Until a carrier has answered one message, a bind sends one at a time: these are of two binds.
      await until(() => carrier.taken.length === 2);
      if (where === "another process") {
        await gateway.stop();
        await startBeside(scope, here, ["gateway"]);
      } else await here.admin(`/v1/admin/operator/${id}/update`, { id, window: 4 });
      const askAgain = () =>
        rows(
          here.app,
          "UPDATE status_queries SET due_at = now(), asked = 0 WHERE operator_id = $1 AND unknown RETURNING number",
          [id],
        );
      const askedTwiceMore = async () => {
        const before = carrier.asked.length;
        const countOf = (one: string) => carrier.asked.slice(before).filter((other) => other === one).length;
        await until(async () => {
          await askAgain();
          return carrier.taken.every((message) => countOf(message.id) >= 2);
        }, 120_000);
      };
      await askedTwiceMore();
      assert.equal(carrier.taken.length, 2);
      // So long after the loss, no request of another process can be under way; those of this one are known.
      await rows(
        here.app,
        `UPDATE message_queue SET unknown_since = unknown_since - interval '1 hour'
         WHERE unknown_since IS NOT NULL RETURNING number`,
      );
      if (where !== "another process") {
        await askedTwiceMore();
        assert.equal(carrier.taken.length, 2);
        return;
      }
      await until(async () => {
        await askAgain();
        return carrier.taken.length === 4;
      }, 120_000);
    });

  test("H107: while a carrier answers no queries, the messages that are over are forgotten", async (t) => {
    const here = await carrierService(t, QUARANTINE_MS, { settings: { silentReceiptMs: SILENT_MS } });
    const company = await here.company({ credits: 100 });
    const { carrier, id } = await asked(t, here, "22501", {
      status: (_id, response) => reply(response, 429, {}, { "Retry-After": "3600" }),
      more: { statusQueriesPerS: 1 },
    });
    await settled(company, await send(company, phones(20, "22501")));
    await until(() => carrier.asked.length > 0);
    await rows(
      here.app,
      "UPDATE messages SET status = 'DELIVERED' WHERE operator_id = $1 AND status = 'SENT' RETURNING number",
      [id],
    );
    await until(async () => (await queriesLeft(here, id)) === 0, 60_000);
    assert.equal(carrier.asked.length, 1);
  });

  test("H94: two gateways with binds of one operator ask about each message once", async (t) => {
    const scope = stacked(t);
    const here = await carrierService(scope, QUARANTINE_MS, { settings: { silentReceiptMs: SILENT_MS } });
    const { carrier, id } = await asked(scope, here, "22501", {
      status: state("done"),
      more: { binds: 2, statusQueriesPerS: 50 },
    });
    await startBeside(scope, here, ["gateway"]);
    const owners =
      "SELECT count(DISTINCT node) FROM operator_binds WHERE operator_id = $1 AND state = 'BOUND'";
    await until(async () => (await rows(here.app, owners, [id]))[0].count === 2);
    const company = await here.company({ credits: 100 });
    const campaign = await send(company, phones(60, "22501"));
    await until(async () => {
      const { data } = await company.call(`/v1/campaign/${campaign}`);
      return data.stats.delivered === 60;
    });
    assert.deepEqual([carrier.asked.length, new Set(carrier.asked).size], [60, 60]);
    await until(async () => (await queriesLeft(here, id)) === 0);
    assert.equal(carrier.taken.length, 60);
  });
});

// The quality of routes: what operators accept and report is counted exactly, added up by all processes, and kept.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { metricOf } from "../../../test/metrics.ts";
import { addRoute, countedAre, qualityOf } from "../../../test/quality.ts";
import {
  accepted,
  addOperator,
  deliverReceipt,
  phones,
  rows,
  send,
  settled,
  stacked,
  startBeside,
  startScripted,
} from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";
import { keepQuality } from "./quality.ts";

const NOTHING = { sent: 0, share: null };

suite("the quality of routes", { concurrency: 4 }, () => {
  test("H70: what an operator accepts, refuses and reports is counted by prefix and hour, and each receipt once", async (t) => {
    const here = await testService(t, { config: { simulator: false } });
    const { id, name } = await addRoute(here, t, "orange", ["22507", "22505"]);
    const company = await here.company({ credits: 100 });
    const to = (endings: string[]) => endings.map((ending, i) => `225070${100 + i}${ending}`);
    const ended = to(["0001", "0001", "0002", "0003", "0006"]);
    await settled(company, await send(company, [...ended, ...phones(10), ...phones(4, "22505")]));
    const refused = { recipient: 2, sender: 0, operator: 0, service: 0 };
    const counts = { accepted: 17, delivered: 14, undelivered: 2, unknown: 1, refused };
    const totals = await countedAre(here, id, counts);
    assert.equal(totals.deliveredShare, 0.824);
    assert.ok(totals.p50Ms <= totals.p95Ms && totals.p95Ms < 60_000, JSON.stringify(totals));
    assert.deepEqual(totals.otp, { ...NOTHING, verified: 0 });
    assert.deepEqual(totals.probes, { ...NOTHING, confirmed: 0 });
    const { points, prefixes, ...rest } = await qualityOf(here, id);
    assert.deepEqual(
      prefixes.map((row: Record<string, unknown>) => [row.prefix, row.accepted, row.delivered]),
      [
        ["22507", 13, 10],
        ["22505", 4, 4],
      ],
    );
    assert.equal(
      points.reduce((sum: number, point: { accepted: number }) => sum + point.accepted, 0),
      17,
    );
    assert.deepEqual([rest.by, rest.suspect, rest.suspects], ["hour", false, []]);
    assert.equal(Date.parse(rest.to) - Date.parse(rest.from), 24 * 3_600_000);
    const one = await qualityOf(here, id, { prefix: "22505", by: "day" });
    assert.deepEqual([one.totals.accepted, one.points.length], [4, 1]);
    assert.match(one.points[0].at, /T00:00:00\.000Z$/);
    const metric = (series: string) => metricOf(here.url, here.adminKey, `atumpan_${series}`);
    assert.equal(await metric(`refusals_total{operator="${name}",class="recipient"}`), 2);
    assert.ok((await metric(`receipt_seconds{operator="${name}",quantile="0.95"}`))! < 60);
    const shown = await dataOf(here.admin("/v1/admin/operator/list", {}));
    assert.equal(shown[0].suspect, false);
  });

  test("H70: the period of the quality: what it refuses, by error code", async (t) => {
    const here = await testService(t);
    const [{ id }] = await dataOf(here.admin("/v1/admin/operator/list", {}));
    const path = `/v1/admin/operator/${id}/quality`;
    const errorOf = async (body: object) => (await here.admin(path, body)).details?.[0]?.field;
    const [from, to] = ["2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z"];
    assert.equal(await errorOf({ from, to }), undefined);
    assert.equal(await errorOf({ from: "yesterday" }), "from");
    assert.equal(await errorOf({ from: to, to: from }), "from");
    assert.equal(await errorOf({ from, to: "2026-11-09T00:00:00Z" }), "from");
    assert.equal(await errorOf({ from, to: "2026-11-09T00:00:00Z", by: "day" }), undefined);
    assert.equal(await errorOf({ from: "2025-01-01T00:00:00Z", to, by: "day" }), "from");
    assert.equal((await here.admin(path.replace(id, "0".repeat(24)))).error, "not-found");
  });

  test("H71: two gateways add up, and those that stop have lost nothing", async (t) => {
    const scope = stacked(t);
    const operator = await startScripted(scope, (_pdu, _session, n) => accepted(`M${n}`));
    const here = await testService(scope, { config: { roles: new Set(["api"]), simulator: false } });
    const id = await addOperator(here, operator.port, { prefixes: ["225"] });
    await dataOf(here.admin(`/v1/admin/operator/${id}/update`, { binds: 2 }));
    const gateways = [
      await startBeside(scope, here, ["gateway"]),
      await startBeside(scope, here, ["gateway"]),
    ];
    await until(() => operator.sessions.filter(({ ready }) => ready).length === 2);
    const company = await here.company({ credits: 1_000 });
    // A batch goes to one session, so each gets some.
    const sends = [phones(150), phones(150, "22505"), phones(150, "22501")];
    const ids = await Promise.all(sends.map((some) => send(company, some)));
    for (const one of ids) await settled(company, one);
    // The same receipt over both sessions at once counts once.
    for (const [i, pdu] of operator.received.slice(0, 40).entries())
      await Promise.all(
        operator.sessions
          .filter(({ ready }) => ready)
          .map((session) => deliverReceipt(session, pdu, `M${i + 1}`, i < 30 ? "DELIVERED" : "UNDELIVERED")),
      );
    for (const gateway of gateways) await gateway.stop();
    const { totals } = await qualityOf(here, id);
    assert.deepEqual(
      [totals.accepted, totals.delivered, totals.undelivered, totals.unknown],
      [450, 30, 10, 410],
    );
    const [{ count }] = await rows(here.app, "SELECT count(*) FROM messages WHERE status = 'SENT'");
    assert.equal(count, 410);
  });

  test("H72: old hours become days and old days go, without changing a sum; a deleted operator keeps nothing", async (t) => {
    const here = await testService(t, { config: { roles: new Set(["api"]), simulator: false } });
    const id = await addOperator(here, 1, { prefixes: ["22507"] });
    const insert = `INSERT INTO route_quality (operator_id, starts_at, prefix, accepted, delivered, latencies)
      SELECT $1, date_trunc('day', now(), 'UTC') - ago * interval '1 hour', '22507', 10, 8, CASE ago % 2 WHEN 0 THEN '{8}' ELSE '{3,5}' END::bigint[]
      FROM generate_series(1, $2) AS ago`;
    await rows(here.app, insert, [id, 50 * 24]);
    const wanted = { by: "day", from: new Date(Date.now() - 60 * 24 * 3_600_000).toISOString() };
    const before = await qualityOf(here, id, wanted);
    assert.equal(before.totals.accepted, 12_000);
    await keepQuality(here.app);
    assert.deepEqual(await qualityOf(here, id, wanted), before);
    const [{ hours, days }] = await rows(
      here.app,
      "SELECT count(*) FILTER (WHERE NOT is_day) AS hours, count(*) FILTER (WHERE is_day) AS days FROM route_quality",
    );
    assert.ok(hours <= 35 * 24 && days >= 15 && days <= 16, `${hours} hours, ${days} days`);
    await rows(here.app, "UPDATE route_quality SET starts_at = starts_at - interval '400 days' WHERE is_day");
    await keepQuality(here.app);
    assert.equal((await qualityOf(here, id, wanted)).totals.accepted, hours * 10);
    await dataOf(here.admin(`/v1/admin/operator/${id}/delete`));
    await keepQuality(here.app);
    assert.deepEqual(await rows(here.app, "SELECT FROM route_quality"), []);
  });
});

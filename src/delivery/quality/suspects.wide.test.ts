// Suspect routes: one whose receipts lie is found by the codes that nobody types, and an honest one is not accused.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { age } from "../../../test/codes.ts";
import { metricOf } from "../../../test/metrics.ts";
import { addRoute, countedAre, qualityOf } from "../../../test/quality.ts";
import { rows } from "../../../test/sending.ts";
import { type Company, type TestService, testService, until } from "../../../test/testservice.ts";
import { countCodesOfRoutes } from "../../messaging/otp/routes.ts";
import { judgeRoutes } from "./suspects.ts";

type Route = Awaited<ReturnType<typeof addRoute>>;

/** Sends codes to numbers of a prefix, and verifies the first ones of them. */
async function sendCodes(company: Company, route: Route, prefix: string, count: number, verified: number) {
  for (let i = 0; i < count; i++) {
    // Each has its own last digits but four: the guard counts codes to one such block.
    const phoneNumber = `${prefix}${String(i).padStart(4, "0")}5555`;
    const { token } = await dataOf(company.call("/v1/auth/otp/get", { phoneNumber }));
    if (i >= verified) continue;
    const text = await until(() => route.simulator.inbox({ phone: phoneNumber })[0]?.text);
    const otp = / (?:est|is) (\w+)\./.exec(text)?.[1];
    await dataOf(company.call("/v1/auth/otp/verify", { token, phoneNumber, otp }));
  }
}

/** Lets half an hour pass for the codes of a company, since when they are counted. */
async function letExpire(here: TestService, company: Company): Promise<void> {
  await age(here, company, 1_800);
  await rows(here.app, "UPDATE otp_routes_counted SET up_to = now() - interval '1 hour'");
}

/** Waits until the record has a receipt of each of so many messages that says DELIVERED. */
function delivered(here: TestService, count: number): Promise<boolean> {
  return until(async () => {
    const [row] = await rows(here.app, "SELECT count(*) FROM messages WHERE status = 'DELIVERED'");
    return row.count === count;
  });
}

suite("suspect routes", { concurrency: 2 }, () => {
  test("H73: one-time passwords count once for the operator that took them, in the end, and not if it reported their loss", async (t) => {
    const here = await testService(t, { config: { simulator: false } });
    const route = await addRoute(here, t, "orange", ["22507"]);
    const company = await here.company({ credits: 100 });
    await sendCodes(company, route, "22507", 5, 2);
    // The operator itself reports that this one did not arrive.
    await dataOf(company.call("/v1/auth/otp/get", { phoneNumber: "2250701990002" }));
    await delivered(here, 5);
    await countCodesOfRoutes(here.app);
    assert.equal((await qualityOf(here, route.id)).totals.otp.sent, 0);
    await letExpire(here, company);
    await Promise.all([countCodesOfRoutes(here.app), countCodesOfRoutes(here.app)]);
    await countCodesOfRoutes(here.app);
    const { totals, prefixes } = await qualityOf(here, route.id);
    assert.deepEqual(totals.otp, { sent: 5, verified: 2, share: 0.4 });
    assert.deepEqual(prefixes[0].otp, totals.otp);
  });

  test("H74: a route whose receipts all say delivered while no code is verified is flagged, beside an honest one that is not", async (t) => {
    const here = await testService(t, { config: { simulator: false } });
    const honest = await addRoute(here, t, "honnête", ["22507"]);
    const liar = await addRoute(here, t, "menteur", ["22505"]);
    const company = await here.company({ credits: 1_000 });
    await Promise.all([
      sendCodes(company, honest, "22507", 60, 36),
      sendCodes(company, liar, "22505", 60, 0),
    ]);
    await delivered(here, 120);
    for (const { id } of [honest, liar]) await countedAre(here, id, { accepted: 60, delivered: 60 });
    await judgeRoutes(here.app);
    assert.equal((await qualityOf(here, liar.id)).suspect, false);
    await letExpire(here, company);
    await countCodesOfRoutes(here.app);
    for (let i = 0; i < 2; i++) await judgeRoutes(here.app);
    assert.deepEqual((await qualityOf(here, honest.id)).suspects, []);
    const { suspect, suspects } = await qualityOf(here, liar.id);
    const [{ since, ...flag }] = suspects;
    assert.equal(suspect, true);
    assert.deepEqual(flag, {
      prefix: "22505",
      proof: "codes",
      reason:
        "Préfixe 22505 : les accusés de réception déclarent remis 100 % des messages, mais 0 % de ses mots de passe à usage unique ont été vérifiés (0 sur 60), contre 60 % par les autres opérateurs.",
    });
    const shown = await dataOf(here.admin("/v1/admin/operator/list", {}));
    const flags = shown.map((row: { name: string; suspect: boolean }) => [row.name, row.suspect]);
    assert.deepEqual(Object.fromEntries(flags), { honnête: false, menteur: true });
    const series = `atumpan_suspect_routes{operator="menteur",prefix="22505",proof="codes"}`;
    assert.equal(await metricOf(here.url, here.adminKey, series), 1);
    const ratio = `atumpan_otp_verified_ratio{operator="honnête"}`;
    assert.equal(await metricOf(here.url, here.adminKey, ratio), 0.6);
    // With as many verified codes as the others, it is not suspect any more.
    await rows(here.app, "UPDATE route_quality SET codes_verified = 30 WHERE operator_id = $1", [liar.id]);
    await judgeRoutes(here.app);
    assert.equal((await qualityOf(here, liar.id)).suspect, false);
  });

  test("H74: few samples, honest receipts, and people who type no code anywhere accuse no route", async (t) => {
    const here = await testService(t, { config: { simulator: false } });
    const routes = await Promise.all(["A", "B"].map((name) => addRoute(here, t, name, ["22507"])));
    const [a, b] = routes.map(({ id }) => id);
    const judge = async (one: number[], other: number[]) => {
      await rows(here.app, "DELETE FROM route_quality");
      for (const [id, figures] of [
        [a, one],
        [b, other],
      ])
        await rows(
          here.app,
          `INSERT INTO route_quality (operator_id, starts_at, prefix, accepted, delivered, codes_sent, codes_verified)
           VALUES ($1, date_trunc('hour', now()), '22507', ($2::int[])[1], ($2::int[])[2], ($2::int[])[3], ($2::int[])[4])`,
          [id, figures],
        );
      await judgeRoutes(here.app);
      return [(await qualityOf(here, a!)).suspect, (await qualityOf(here, b!)).suspect];
    };
    assert.deepEqual(await judge([500, 490, 200, 2], [500, 490, 200, 120]), [true, false]);
    assert.deepEqual(await judge([500, 490, 49, 0], [500, 490, 200, 120]), [false, false]);
    assert.deepEqual(await judge([500, 490, 200, 2], [500, 490, 49, 40]), [false, false]);
    assert.deepEqual(await judge([500, 100, 200, 2], [500, 490, 200, 120]), [false, false]);
    assert.deepEqual(await judge([500, 490, 200, 2], [500, 490, 200, 3]), [false, false]);
    assert.deepEqual(await judge([500, 490, 200, 80], [500, 490, 200, 120]), [false, false]);
  });
});

// An administrator stops a company at once. What it has queued waits, and goes on when the company is resumed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { application, connected, dataOf } from "../applications.ts";
import {
  accepted,
  assertBalanced,
  balanceOf,
  phones,
  rows,
  send,
  settled,
  site,
  startBeside,
  startScripted,
} from "../sending.ts";
import { testService, until } from "../testservice.ts";

const WINDOW = 10;
const MANY = 200;
const SINGLES = 30;

test("H10: a suspended company's messages wait, those of others go on, and all of them go out after a resume", async (t) => {
  const gate = Promise.withResolvers<void>();
  const operator = await startScripted(t, async (_pdu, _session, n) => {
    await gate.promise;
    return accepted(`id-${n}`);
  });
  const { here, scope } = await site(t, operator.port, { window: WINDOW });
  const count = (...prefixes: string[]) =>
    operator.received.filter(({ destinationAddr: to }) => prefixes.some((prefix) => to.startsWith(prefix)))
      .length;
  const bad = await here.company({ credits: 1_000 });
  const good = await here.company({ credits: 1_000 });
  const ofBad = [await send(bad, phones(MANY))];
  for (const phone of phones(SINGLES, "22501")) ofBad.push(await send(bad, phone));
  await until(() => operator.received.length >= WINDOW);
  const { data } = await here.admin(`/v1/admin/company/${bad.companyId}/suspend`, { reason: "hameçonnage" });
  assert.equal(data.suspensionReason, "hameçonnage");
  assert.match(data.suspendedAt, /^\d{4}-/);
  await until(async () => (await rows(here.app, ASIDE, [bad.companyId])).length > 0);
  const written = operator.received.length;
  gate.resolve();
  const ofGood = [await send(good, phones(MANY, "22505"))];
  for (const phone of phones(SINGLES, "22506")) ofGood.push(await send(good, phone));
  for (const id of ofGood) await settled(good, id);
  assert.equal(count("22505", "22506"), MANY + SINGLES);
  assert.equal(count("22507", "22501"), written, "nothing more is written once the gateway knows");
  const refused = await bad.call("/v1/campaign/list");
  assert.equal(refused.error, "not-authorized");
  assert.equal(refused.details?.[0]?.field, "apiKey");
  await assertBalanced(here);

  await startBeside(scope, here, ["worker"]);
  assert.equal((await here.admin(`/v1/admin/company/${bad.companyId}/resume`)).data.suspendedAt, null);
  for (const id of ofBad) {
    const { stats } = await settled(bad, id);
    assert.equal(stats.sent, stats.total);
  }
  assert.equal(count("22507", "22501"), MANY + SINGLES, "each went out once");
  assert.equal(await balanceOf(bad), 1_000 - MANY - SINGLES);
  await assertBalanced(here);
});

const ASIDE = "SELECT id FROM batches WHERE account_id = $1 AND lane < 2";

test("H10: the applications of a suspended company send and pair for nobody until it is resumed", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"] as const) } });
  const app = await application(here);
  const payer = await here.company({ credits: 10 });
  const connection = await connected(here, app, payer);
  const asks = () => [
    connection.call("/v1/third-party-app/sms/send", { message: "Bonjour", contacts: phones(1) }),
    app.call("/v1/third-party-app/pairing/initiate", { externalAccountId: "client" }),
  ];
  // The second round is that of a connection which this process knows already.
  for (const [move, error] of [
    ["resume", null],
    ["suspend", "app-not-active"],
    ["resume", null],
    ["suspend", "app-not-active"],
  ] as const) {
    await dataOf(here.admin(`/v1/admin/company/${app.owner.companyId}/${move}`));
    for (const ask of asks()) assert.equal((await ask).error, error);
  }
  assert.equal(await balanceOf(payer), 8);
});

// A stolen token or secret is taken back: what it has queued is canceled and paid back at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openLog } from "../../src/platform/log.ts";
import { type Application, application, type Connected, connected, dataOf } from "../applications.ts";
import { countWaiting } from "../locks.ts";
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
import { type Company, type TestService, until } from "../testservice.ts";

const WINDOW = 10;
const MANY = 200;
const SINGLES = 40;
const OWN = 20;
const CREDITS = 1_000;
/** No stop ends by itself in a test, however slow the machine is. */
const LASTING = { stopLifetimeMs: 300_000 };

type AcceptedMessage = { here: TestService; app: Application; account: Company; connection: Connected };

/** The ways to take back what a thief has. */
const WAYS: Record<string, (taken: AcceptedMessage) => Promise<unknown>> = {
  "a connection is revoked": ({ account, connection }) =>
    dataOf(account.call(`/v1/third-party-app/connection/${connection.connectionId}/revoke`)),
  "an application is deactivated": ({ here, app }) =>
    dataOf(here.admin(`/v1/admin/third-party-app/${app.id}/deactivate`)),
  "a secret is rotated with all connections": ({ app }) =>
    dataOf(app.owner.call(`/v1/third-party-app/my/${app.id}/regenerate-secret`, { revokeConnections: true })),
};

for (const [way, take] of Object.entries(WAYS))
  test(`H11: ${way}, and what it has queued is canceled and paid back; the account's own messages go out`, async (t) => {
    const gate = Promise.withResolvers<void>();
    const operator = await startScripted(t, async (_pdu, _session, n) => {
      await gate.promise;
      return accepted(`id-${n}`);
    });
    const { here, scope } = await site(t, operator.port, { window: WINDOW, settings: LASTING });
    const app = await application(here);
    const account = await here.company({ credits: CREDITS });
    const connection = await connected(here, app, account);
    const ofThief = [await sms(connection, phones(MANY))];
    for (const phone of phones(SINGLES, "22501")) ofThief.push(await sms(connection, [phone]));
    const own: string[] = [];
    for (const phone of phones(OWN, "22505")) own.push(await send(account, phone));
    await until(() => operator.received.length >= WINDOW);
    await take({ here, app, account, connection });
    await startBeside(scope, here, ["worker"]);
    const onWire = operator.received.length;
    await until(async () => {
      const [row] = await rows(here.app, "SELECT count(*) FROM messages WHERE status = 'CANCELED'");
      return row.count === MANY + SINGLES - onWire;
    });
    gate.resolve();
    for (const id of own) assert.equal((await settled(account, id)).stats.sent, 1);
    for (const id of ofThief) await settled(account, id);
    const gone = operator.received.filter(({ destinationAddr }) => !destinationAddr.startsWith("22505"));
    assert.equal(gone.length, onWire, "what was on the wire, and nothing more");
    assert.equal(await balanceOf(account), CREDITS - onWire - OWN);
    assert.equal((await rows(here.app, "SELECT FROM suspended_accounts")).length, 0);
    assert.equal(
      (await rows(here.app, "SELECT FROM connection_stops")).length,
      1,
      "the account did not wait for it",
    );
    await rows(here.app, "UPDATE connection_stops SET made_at = made_at - interval '301 s'");
    await until(async () => (await rows(here.app, "SELECT FROM connection_stops")).length === 0);
    assert.equal((await connection.call("/v1/third-party-app/sms/send", SMS)).success, false);
    await assertBalanced(here);
  });

test("H11: what an application sends after it is brought back is spared, and is canceled by the next stop", async (t) => {
  const gate = Promise.withResolvers<void>();
  const operator = await startScripted(t, async (_pdu, _session, n) => {
    if (n > 1) await gate.promise;
    return accepted(`id-${n}`);
  });
  const { here, scope } = await site(t, operator.port, { window: 1, settings: LASTING });
  await startBeside(scope, here, ["worker"]);
  const app = await application(here);
  const account = await here.company({ credits: CREDITS });
  const connection = await connected(here, app, account);
  await dataOf(here.admin(`/v1/admin/third-party-app/${app.id}/deactivate`));
  await dataOf(here.admin(`/v1/admin/third-party-app/${app.id}/reactivate`));
  const spared = await sms(connection, ["2250701020304"]);
  assert.equal((await settled(account, spared)).stats.sent, 1);
  assert.equal(
    (await rows(here.app, "SELECT FROM connection_stops")).length,
    1,
    "the stop has not ended yet",
  );
  const ids = [];
  for (const phone of phones(SINGLES)) ids.push(await sms(connection, [phone]));
  await until(() => operator.received.length === 2);
  await dataOf(account.call(`/v1/third-party-app/connection/${connection.connectionId}/revoke`));
  await until(async () => {
    const [row] = await rows(here.app, "SELECT count(*) FROM messages WHERE status = 'CANCELED'");
    return row.count === SINGLES - 1;
  });
  gate.resolve();
  for (const id of ids) await settled(account, id);
  assert.equal(operator.received.length, 2);
});

test("H11: a send that was allowed before a revoke and is committed after it is canceled too", async (t) => {
  const { here, scope } = await site(t, 1);
  await startBeside(scope, here, ["worker"]);
  const app = await application(here);
  const account = await here.company({ credits: CREDITS });
  const connection = await connected(here, app, account);
  let sending: Promise<string> | undefined;
  await here.app.database.transaction(async (tx) => {
    // It waits for the balance, which it reads after it has been allowed.
    const lock = "SELECT FROM pools WHERE id = $1 FOR UPDATE";
    await tx.run({ name: "test.lockPool", text: lock }, [account.companyId]);
    sending = sms(connection, ["2250701020305"]);
    await until(async () => (await countWaiting(here.app)) > 0);
    await dataOf(account.call(`/v1/third-party-app/connection/${connection.connectionId}/revoke`));
    await until(async () => (await rows(here.app, "SELECT FROM connection_stops WHERE clean")).length === 1);
  });
  const id = await sending!;
  await rows(here.app, "UPDATE connection_stops SET made_at = made_at - interval '61 s'");
  assert.equal((await settled(account, id)).status, "CANCELED");
  assert.equal(await balanceOf(account), CREDITS);
});

test("H11: messages that cannot be canceled keep no other from it", async (t) => {
  const { here, scope } = await site(t, 1, {
    settings: LASTING,
    // The failure is meant, and the log would show it in the middle of the results.
    log: openLog("silent"),
  });
  const app = await application(here);
  const account = await here.company({ credits: CREDITS });
  const connection = await connected(here, app, account);
  const ids: string[] = [];
  for (const phone of phones(3)) ids.push(await sms(connection, [phone]));
  const [first, between, last] = ids as [string, string, string];
  await rows(
    here.app,
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'it fails'; END $$`,
  );
  await rows(
    here.app,
    `CREATE TRIGGER fail BEFORE UPDATE ON campaigns FOR EACH ROW
     WHEN (new.id IN ('${first}', '${last}') AND new.canceled_at IS NOT NULL) EXECUTE FUNCTION fail()`,
  );
  await dataOf(account.call(`/v1/third-party-app/connection/${connection.connectionId}/revoke`));
  await startBeside(scope, here, ["worker"]);
  assert.equal((await settled(account, between)).status, "CANCELED");
  assert.equal(await balanceOf(account), CREDITS - 2);
  await rows(here.app, "DROP TRIGGER fail ON campaigns");
  for (const id of [first, last]) assert.equal((await settled(account, id)).status, "CANCELED");
  assert.equal(await balanceOf(account), CREDITS);
});

const SMS = { contacts: [{ phone: "2250701020304" }], message: "Bonjour" };

async function sms(connection: Connected, to: readonly string[]): Promise<string> {
  const contacts = to.map((phone) => ({ phone }));
  const { campaignId } = await dataOf(
    connection.call("/v1/third-party-app/sms/send", { contacts, message: "Votre colis" }),
  );
  return campaignId;
}

// Phones as operators: pairing, sending, what a phone that is away leaves to others, and the cap of a day.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { startCarrier } from "../../../test/httpcarrier.ts";
import { acceptAll, carrierService, createCarrier, scriptedCarrier } from "../../../test/httpprovider.ts";
import { textsOf } from "../../../test/incoming.ts";
import { ableIs } from "../../../test/operators.ts";
import {
  messageOf,
  operatorOf,
  paired,
  pairingOf,
  phoneOperator,
  refusedSession,
  statusIs,
} from "../../../test/phones.ts";
import { assertBalanced, balanceOf, phones, rows, send, settled } from "../../../test/sending.ts";
import { until } from "../../../test/testservice.ts";
import { type PhoneRefused, SimulatedPhone } from "../simulator/phone.ts";

/** So long that nothing of unknown fate is sent again in a test. */
const LONG_MS = 600_000;

suite("phones", { concurrency: 2 }, () => {
  test("a phone pairs, sends, and reports", async (t) => {
    const here = await carrierService(t, LONG_MS);
    const company = await here.company({ credits: 100 });
    const { id, phone } = await paired(t, here, phoneOperator("22501", { phoneNumber: "2250102030405" }));

    await t.test("H80: a message goes to the phone and its delivery comes back", async () => {
      const [to = ""] = phones(1, "22501");
      const campaign = await send(company, to);
      await statusIs(company, campaign, "DELIVERED");
      assert.deepEqual(
        phone.sent.map((one) => one.to),
        [`+${to}`],
      );
    });

    await t.test("H80: what the SIM card refuses is refunded, and what is lost after it is not", async () => {
      const before = await balanceOf(company);
      const refused = await send(company, "2250100000001");
      await settled(company, refused);
      const { status, error } = await messageOf(company, refused);
      assert.deepEqual([status, error], ["REJECTED", "refused:RESULT_ERROR_GENERIC_FAILURE"]);
      assert.equal(await balanceOf(company), before);
      await statusIs(company, await send(company, "2250100000002"), "UNDELIVERED");
      assert.equal(await balanceOf(company), before - 1);
    });

    await t.test("H81: the secret of a pairing works once, and a wrong token changes nothing", async () => {
      const other = await createCarrier(here, phoneOperator("22509"), false);
      const { apiUrl, privateToken } = await pairingOf(here, other);
      await new SimulatedPhone({ apiUrl, privateToken }).register();
      for (const token of [privateToken, "wrong-token", ""]) {
        const second = new SimulatedPhone({ apiUrl, privateToken: token });
        await assert.rejects(second.register(), (error) => (error as PhoneRefused).status === 401);
      }
      const authorization = { Authorization: `Bearer ${privateToken}` };
      for (const [method, path] of [
        ["GET", "/message"],
        ["PATCH", "/message"],
        ["PATCH", "/device"],
        ["GET", "/webhooks"],
        ["GET", "/settings"],
        ["GET", "/events"],
      ] as const) {
        const response = await fetch(apiUrl + path, { method, headers: authorization });
        assert.deepEqual([path, response.status], [path, 401]);
        await response.body?.cancel();
      }
    });

    await t.test("H82: a phone tells its battery and network", async () => {
      await phone.readWebhooks();
      await phone.ping(87, { charging: 1, transport: 2, cellular: 4 });
      const { name, pairedAt, seenAt, ...told } = (await operatorOf(here, id)).phone;
      assert.equal(name, "simulated/phone");
      assert.ok(pairedAt && seenAt);
      assert.deepEqual(told, { battery: 87, charging: true, network: "4g", sentToday: told.sentToday });
    });

    await t.test("H83: a reply arrives for the number of the SIM card", async () => {
      const given = { number: "2250102030405", companyId: company.companyId };
      assert.equal((await here.admin("/v1/admin/inbound/number/create", given)).success, true);
      await phone.receive("+2250700112233", "Merci");
      assert.deepEqual(await textsOf(company), ["Merci"]);
    });

    await t.test("H111: an event that the app repeats for two days is one message", async () => {
      const from = "+2250700112244";
      await phone.receive(from, "OUI", "event-1");
      await phone.receive(from, "OUI", "event-2");
      await rows(here.app, "UPDATE inbound_marks SET until = until - interval '2 days'");
      await phone.receive(from, "OUI", "event-1");
      assert.deepEqual(await textsOf(company, { phone: from }), ["OUI", "OUI"]);
    });

    await t.test("H84: a new pairing ends the access of the paired phone", async () => {
      const { apiUrl, privateToken } = await pairingOf(here, id);
      await assert.rejects(phone.pull(), (error) => (error as PhoneRefused).status === 401);
      await until(() =>
        phone.ping(50).then(
          () => false,
          (error) => (error as PhoneRefused).status === 404,
        ),
      );
      await until(async () => (await operatorOf(here, id)).error === "phone-not-paired");
      const next = new SimulatedPhone({ apiUrl, privateToken, name: "another" });
      await next.register();
      next.start();
      t.after(() => next.stop());
      await ableIs(here, id, true);
      assert.equal((await operatorOf(here, id)).phone.name, "another");
    });
    await assertBalanced(here);
  });

  test("H85: what a phone that is away has not fetched goes to the next operator, once", async (t) => {
    const here = await carrierService(t, LONG_MS);
    const company = await here.company({ credits: 100 });
    const next = await startCarrier(t, acceptAll);
    const { id, phone } = await paired(t, here, phoneOperator("22501", { submitTimeoutS: 1 }));
    await createCarrier(here, scriptedCarrier(next.url, "22501", { priority: 1 }));
    await phone.stop();
    const campaign = await send(company, phones(3, "22501"));
    await settled(company, campaign);
    assert.deepEqual([phone.sent.length, next.taken.length], [0, 3]);
    assert.equal((await operatorOf(here, id)).error, "phone-silent");
    await phone.pull();
    assert.equal(phone.sent.length, 0, "what was withdrawn is not sent");
    assert.equal((await operatorOf(here, id)).phone.sentToday, 0, "nor counted");
    await assertBalanced(here);
  });

  test("H86: what a phone has fetched and not reported is of unknown fate until it reports", async (t) => {
    const here = await carrierService(t, LONG_MS);
    const company = await here.company({ credits: 100 });
    let isSilent = true;
    const outcomeOf = () => (isSilent ? "kept" : "delivered");
    const { id, phone } = await paired(t, here, phoneOperator("22501", { submitTimeoutS: 4 }), { outcomeOf });
    const campaign = await send(company, phones(1, "22501"));
    const unknown = "SELECT phone FROM message_queue WHERE unknown_since IS NOT NULL";
    await until(async () => (await rows(here.app, unknown)).length === 1, 30_000);
    isSilent = false;
    const [{ device_id: deviceId }] = await rows(here.app, "SELECT device_id FROM phone_messages");
    for (const word of ["constructor", "__proto__", "Read"]) await phone.reportAs(deviceId, word);
    await phone.reportAs(deviceId, "Sent");
    await statusIs(company, campaign, "SENT");
    assert.equal((await operatorOf(here, id)).phone.sentToday, 1);
    await assertBalanced(here);
  });

  test("H96: what a phone reports once the session of its message is over proves the message, and nothing is sent again", async (t) => {
    const here = await carrierService(t, LONG_MS);
    const company = await here.company({ credits: 100 });
    const terms = { dailyCap: 1, submitTimeoutS: 60 };
    const { id, phone } = await paired(t, here, phoneOperator("22501", terms), { outcomeOf: () => "kept" });
    const campaign = await send(company, phones(1, "22501"));
    const [{ device_id: deviceId }] = await until(async () => {
      const taken = await rows(here.app, "SELECT device_id FROM phone_messages WHERE state = 'taken'");
      return taken.length > 0 && taken;
    });
    await here.admin(`/v1/admin/operator/${id}/update`, { id, window: 4 });
    const unknown = "SELECT FROM batches WHERE unknown AND session_id IS NULL";
    await until(async () => (await rows(here.app, unknown)).length === 1);
    assert.equal((await operatorOf(here, id)).error, "daily-cap");
    await phone.reportAs(deviceId, "Sent");
    await statusIs(company, campaign, "SENT");
    await phone.reportAs(deviceId, "Delivered");
    await statusIs(company, campaign, "DELIVERED");
    assert.equal(await balanceOf(company), 99);
    await assertBalanced(here);
  });

  test("H97: the next phone gets nothing that the one before has fetched, nor what no phone has fetched", async (t) => {
    const here = await carrierService(t, LONG_MS);
    const company = await here.company({ credits: 100 });
    const next = await startCarrier(t, acceptAll);
    const { id, phone } = await paired(t, here, phoneOperator("22501"), { outcomeOf: () => "kept" });
    await createCarrier(here, scriptedCarrier(next.url, "22501", { priority: 1 }));
    const [fetched = "", waiting = ""] = phones(2, "22501");
    await send(company, fetched);
    const inState = async (state: string) =>
      (await rows(here.app, "SELECT FROM phone_messages WHERE state = $1", [state])).length;
    await until(async () => (await inState("taken")) === 1);
    await phone.stop();
    const later = await send(company, waiting);
    const { apiUrl, privateToken } = await pairingOf(here, id);
    await statusIs(company, later, "SENT");
    const second = new SimulatedPhone({ apiUrl, privateToken });
    await second.register();
    await second.pull();
    assert.deepEqual([second.sent, next.taken.map(({ to }) => to)], [[], [`+${waiting}`]]);
    assert.equal(await inState("queued"), 0);
  });

  test("H98: a message that a dead session has left is withdrawn before another operator may send it", async (t) => {
    const here = await carrierService(t, LONG_MS);
    const company = await here.company({ credits: 100 });
    const { id, phone } = await paired(t, here, phoneOperator("22501", { submitTimeoutS: 60 }));
    await phone.stop();
    await send(company, phones(1, "22501"));
    const [{ id: left }] = await until(async () => {
      const queued = await rows(here.app, "SELECT id FROM phone_messages WHERE state = 'queued'");
      return queued.length > 0 && queued;
    });
    // As a process that was killed leaves it: handed over, and known to no session.
    const [{ other }] = await rows(
      here.app,
      `INSERT INTO phone_messages (id, operator_id, device_id, sealed_message, parts, state, day, expires_at)
       SELECT id || '9', operator_id, device_id || '9', sealed_message, parts, state, day, expires_at
       FROM phone_messages WHERE id = $1 RETURNING id AS other`,
      [left],
    );
    await here.admin(`/v1/admin/operator/${id}/update`, { id, window: 4 });
    const state = "SELECT state FROM phone_messages WHERE id = $1";
    await until(async () => (await rows(here.app, state, [other]))[0].state === "withdrawn");
  });

  test("H87: at the cap of the day the next operator takes over, also after a restart", async (t) => {
    const here = await carrierService(t, LONG_MS);
    const company = await here.company({ credits: 100 });
    const next = await startCarrier(t, acceptAll);
    const { id, phone } = await paired(t, here, phoneOperator("22501", { dailyCap: 2 }));
    await createCarrier(here, scriptedCarrier(next.url, "22501", { priority: 1 }));
    await until(async () => {
      await settled(company, await send(company, phones(2, "22501")));
      return phone.sent.length === 2;
    });
    await ableIs(here, id, false);
    const others = next.taken.length;
    await settled(company, await send(company, phones(3, "22501")));
    assert.deepEqual([phone.sent.length, next.taken.length - others], [2, 3]);
    const { error, phone: state } = await operatorOf(here, id);
    assert.deepEqual([error, state.sentToday], ["daily-cap", 2]);
    const session = await refusedSession(here, id, "");
    await here.admin(`/v1/admin/operator/${id}/update`, { id, window: 4 });
    await refusedSession(here, id, session);
    await rows(here.app, "UPDATE phones SET day = day - 1 RETURNING operator_id");
    await here.admin(`/v1/admin/operator/${id}/update`, { id, window: 3 });
    await ableIs(here, id, true);
    // The gateway learns within half a second that the phone is back.
    await until(async () => {
      await settled(company, await send(company, phones(1, "225019")));
      return phone.sent.length === 3;
    });
    await assertBalanced(here);
  });

  test("H88: a phone without a network ends its session, and the same message is sent by another id", async (t) => {
    const here = await carrierService(t, LONG_MS);
    const company = await here.company({ credits: 100 });
    let hasNetwork = false;
    const outcomeOf = () => (hasNetwork ? "delivered" : "no-network");
    const { id, phone } = await paired(t, here, phoneOperator("22501"), { outcomeOf });
    const campaign = await send(company, phones(1, "22501"));
    await until(async () => (await operatorOf(here, id)).error === "phone-no-network", 30_000);
    hasNetwork = true;
    await statusIs(company, campaign, "DELIVERED");
    assert.match(phone.sent[0]?.id ?? "", /-\d+\.\d+$/);
    assert.equal(phone.sent.length, 1);
    assert.equal((await operatorOf(here, id)).phone.sentToday, 1, "what was not sent does not count");
    await assertBalanced(here);
  });
});

// Phones that go away or lose their pairing: silence, the right to take messages, and old messages.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import pg from "pg";
import { startCarrier } from "../../../test/httpcarrier.ts";
import { acceptAll, carrierService, createCarrier, scriptedCarrier } from "../../../test/httpprovider.ts";
import { ableIs } from "../../../test/operators.ts";
import { operatorOf, paired, pairingOf, phoneOperator, statusIs } from "../../../test/phones.ts";
import {
  asOwner,
  assertBalanced,
  inBulk,
  phones,
  rows,
  type Scope,
  send,
  settled,
} from "../../../test/sending.ts";
import { type TestService, until } from "../../../test/testservice.ts";
import { SimulatedPhone } from "../simulator/phone.ts";
import { forgetHanded } from "./phonemessages.ts";

/** So long that nothing of unknown fate is sent again in a test. */
const LONG_MS = 600_000;

const seenAt = async (here: TestService, id: string): Promise<string> =>
  (await operatorOf(here, id)).phone.seenAt;

/** Waits for a message that the phone has not fetched. Returns its row. */
const queuedMessage = (here: TestService) =>
  until(async () => {
    const queued = await rows(here.app, "SELECT handed_at FROM phone_messages WHERE state = 'queued'");
    return queued[0];
  });

/** A phone that is paired, and of whose events the test reads the text: it does nothing else. */
async function listening(t: Scope, here: TestService, operator: object) {
  const { id, phone } = await paired(t, here, operator);
  await phone.stop();
  const { apiUrl, privateToken } = await pairingOf(here, id);
  const registered = await fetch(`${apiUrl}/device`, {
    method: "POST",
    headers: { Authorization: `Bearer ${privateToken}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "simulated/phone" }),
  });
  const { token } = (await registered.json()) as { token: string };
  const stopping = new AbortController();
  t.after(async () => stopping.abort());
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${apiUrl}/events`, { headers, signal: stopping.signal });
  let heard = "";
  const hear = (text: string) => {
    heard += text;
  };
  void response
    .body!.pipeThrough(new TextDecoderStream())
    .pipeTo(new WritableStream({ write: (text) => hear(text) }))
    .catch(() => {});
  await ableIs(here, id, true);
  const countOf = (part: string) => heard.split(part).length - 1;
  return { id, countOf, fetchMessages: () => fetch(`${apiUrl}/message`, { headers }) };
}

suite("phones that go away", { concurrency: 3 }, () => {
  test("H116: what we write to a phone is no sign of life: it stays silent until it calls", async (t) => {
    const here = await carrierService(t, LONG_MS, { settings: { phoneCommentMs: 1 } });
    const company = await here.company({ credits: 100 });
    const next = await startCarrier(t, acceptAll);
    const { id, countOf, fetchMessages } = await listening(
      t,
      here,
      phoneOperator("22501", { submitTimeoutS: 1 }),
    );
    const campaign = await send(company, phones(1, "22501"));
    // The next operator comes once the phone has missed the message, which it might get first otherwise.
    const missed = "SELECT FROM phones WHERE missed_at IS NOT NULL";
    await until(async () => (await rows(here.app, missed)).length > 0);
    await createCarrier(here, scriptedCarrier(next.url, "22501", { priority: 1 }));
    await settled(company, campaign);
    assert.equal(next.taken.length, 1);
    const seen = await seenAt(here, id);
    const written = countOf(":\n\n");
    await until(() => countOf(":\n\n") >= written + 3, 30_000);
    // While a session is tried, the operator shows no error.
    await until(async () => (await operatorOf(here, id)).error === "phone-silent");
    assert.equal(await seenAt(here, id), seen);
    await fetchMessages();
    await ableIs(here, id, true);
    assert.notEqual(await seenAt(here, id), seen);
    await assertBalanced(here);
  });

  test("H116: an idle phone without pings is asked to call before it counts as silent", async (t) => {
    const here = await carrierService(t, LONG_MS, { settings: { phoneWakeMs: 1_000 } });
    const { countOf } = await listening(t, here, phoneOperator("22501"));
    await until(() => countOf("event: MessageEnqueued") >= 3, 30_000);
    const other = await paired(t, here, phoneOperator("22502"));
    const seen = await seenAt(here, other.id);
    await until(async () => (await seenAt(here, other.id)) > seen);
  });

  test("H117: a session that we end withdraws what was not fetched, and the next one begins at once", async (t) => {
    const here = await carrierService(t, LONG_MS);
    const company = await here.company({ credits: 100 });
    const { id, phone } = await paired(t, here, phoneOperator("22501", { submitTimeoutS: 60 }));
    await phone.stop();
    const campaign = await send(company, phones(1, "22501"));
    const before = await queuedMessage(here);
    await here.admin(`/v1/admin/operator/${id}/update`, { id, window: 4 });
    await until(async () => (await queuedMessage(here)).handed_at > before.handed_at);
    phone.start();
    await statusIs(company, campaign, "DELIVERED");
    assert.deepEqual([phone.sent.length, (await operatorOf(here, id)).phone.sentToday], [1, 1]);
    await assertBalanced(here);
  });

  test("H105: a phone that is fetching while another one is paired gets its messages alone, or none", async (t) => {
    const here = await carrierService(t, LONG_MS);
    const company = await here.company({ credits: 100 });
    const { id, phone } = await paired(t, here, phoneOperator("22501"), { outcomeOf: () => "kept" });
    await phone.stop();
    const lock = new pg.Client({ connectionString: here.ownerUrl });
    // The test database ends connections that are left.
    lock.on("error", () => {});
    await lock.connect();
    await lock.query("SELECT pg_advisory_lock(1)");
    await asOwner(
      here.app,
      `CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN new; END $$`,
    );
    await asOwner(
      here.app,
      `CREATE TRIGGER wait_for_test BEFORE UPDATE ON phone_messages FOR EACH ROW
       WHEN (old.state = 'queued' AND new.state = 'taken') EXECUTE FUNCTION wait_for_test()`,
    );
    await send(company, phones(1, "22501"));
    await queuedMessage(here);
    const pulling = phone.pull().catch(() => {});
    const waiting = async () =>
      (await asOwner(here.app, "SELECT query FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).map(
        (row) => row.query as string,
      );
    await until(async () => (await waiting()).some((query) => query.includes("'taken'")));
    let isPaired = false;
    const pairing = pairingOf(here, id).finally(() => {
      isPaired = true;
    });
    await until(async () => isPaired || (await waiting()).some((query) => query.includes("pairing_until")));
    await lock.end();
    await pulling;
    const second = new SimulatedPhone(await pairing);
    await second.register();
    await second.pull();
    assert.deepEqual(
      [phone.stats(), second.stats()],
      [
        { sent: 0, known: 1 },
        { sent: 0, known: 0 },
      ],
    );
  });

  test("H106: old messages of phones are deleted, however many there are", async (t) => {
    const here = await carrierService(t, LONG_MS);
    const id = await createCarrier(here, phoneOperator("22501"), false);
    const insert = (prefix: string, age: string) =>
      inBulk(
        here.app,
        `INSERT INTO phone_messages (id, operator_id, device_id, sealed_message, parts, state, day, handed_at, expires_at)
         SELECT $2 || i, $1, $2 || i, 'sealed', 1, 'taken', now(), now() - $3::interval, now() - $3::interval
         FROM generate_series(1, 20001) AS i`,
        [id, prefix, age],
      );
    await insert("old", "5 days");
    await insert("over", "1 hour");
    await forgetHanded(here.app);
    const left = "SELECT count(*), count(sealed_message) AS sealed FROM phone_messages";
    assert.deepEqual(await rows(here.app, left), [{ count: 20_001, sealed: 0 }]);
  });
});

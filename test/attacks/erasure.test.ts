// Erasure: a person is taken out of everything, and what they wanted no more stays in force.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eraseSome } from "../../src/compliance/privacy/erasures.ts";
import { giveBack } from "../../src/delivery/sends/queue/batches.ts";
import type { QueuedMessage } from "../../src/delivery/sends/queue/packed.ts";
import { type Move, moveMessages } from "../../src/delivery/sends/settlement/settle.ts";
import { lowestId, newId, timeOf } from "../../src/platform/ids.ts";
import { application, connected, dataOf, testServiceWithWebhooks } from "../applications.ts";
import { newPhone, sendCode, verify, wrong } from "../codes.ts";
import { ERASE, ERASE_PERSON, erased, tablesWith } from "../erasures.ts";
import { startReceiver } from "../receiver.ts";
import {
  accepted,
  addOperator,
  assertBalanced,
  balanceOf,
  phones,
  rows,
  send,
  settled,
  site,
  stacked,
  startBeside,
  startScripted,
  waitingMessages,
} from "../sending.ts";
import { testService, until } from "../testservice.ts";
import { traces } from "../twins.ts";

/** A signal that ends the erasures after so many steps. */
function abortedAfter(most: number): AbortSignal {
  let steps = 0;
  return {
    get aborted() {
      return steps++ === most;
    },
  } as AbortSignal;
}

/** A message that is tried again, in a row of its own. */
function retried(message: QueuedMessage): Move {
  return { message, fate: "retry", waitMs: 0, expireMs: null };
}

test("H27: a person leaves everything, and statistics and lists go on", async (t) => {
  const here = await testServiceWithWebhooks(t);
  const receiver = await startReceiver(t);
  const [company, other] = [await here.company({ credits: 100 }), await here.company({ credits: 100 })];
  const app = await application(here, { webhookUrl: receiver.url });
  const connection = await connected(here, app, company);
  const [phone, neighbour] = [newPhone(), newPhone()];
  const text = `Chère Awa ${phone}`;
  const contacts = [{ phone, name: "Awa Koné" }];
  const group = await dataOf(company.call("/v1/group/create", { name: "Clients", contacts }));
  const alone = await send(company, phone, text);
  const both = await send(company, [phone, neighbour]);
  const { campaignId } = await dataOf(
    connection.call("/v1/third-party-app/sms/send", { message: "Bonjour", contacts: [phone] }),
  );
  const recurring = await dataOf(
    company.call("/v1/campaign/create", {
      ...{ contacts: [phone, neighbour], text: "Bonjour", type: "RECURRING" },
      recurring: { monday: "2027-01-04T09:00:00Z" },
    }),
  );
  await dataOf(company.call("/v1/auth/otp/get", { phoneNumber: phone }));
  await dataOf(company.call("/v1/optout/create", { phone }));
  const theirs = await send(other, phone);
  for (const id of [alone, both, campaignId]) await settled(company, id);
  await settled(other, theirs);
  await until(async () => (await tablesWith(here, phone)).includes("webhook_deliveries"));
  const before = await dataOf(company.call(`/v1/campaign/${both}`));

  await t.test("of one company; another keeps what it has", async () => {
    const { erased: counts, percent, doneAt } = await erased(company.call, ERASE, phone);
    assert.equal(percent, 100);
    assert.ok(doneAt);
    assert.deepEqual(
      { ...counts, events: counts.events > 0 },
      { contacts: 1, optouts: 1, queued: 0, messages: 4, received: 0, codes: 1, events: true },
    );
    const left = await traces(here, [phone]);
    assert.deepEqual(
      left.filter((row) => !row.includes(other.companyId)),
      [],
    );
    const { data: list } = await company.call(`/v1/campaign/${both}/messages`, { sort: "asc" });
    assert.deepEqual(
      list.map((message: { phone: string; status: string }) => [message.phone, message.status]),
      [
        ["erased", "DELIVERED"],
        [neighbour, "DELIVERED"],
      ],
    );
    assert.deepEqual(await dataOf(company.call(`/v1/campaign/${both}`)), before);
    const emptied = await dataOf(company.call(`/v1/campaign/${alone}`));
    assert.deepEqual([emptied.text, emptied.stats.delivered], ["", 1]);
    assert.equal((await dataOf(company.call(`/v1/group/${group.id}`)))._count?.contacts ?? 0, 0);
    assert.equal((await dataOf(company.call(`/v1/campaign/${recurring.id}`))).type, "RECURRING");
    assert.equal((await dataOf(other.call(`/v1/campaign/${theirs}/messages`)))[0].phone, phone);
  });

  await t.test("of all accounts", async () => {
    await erased(here.admin, ERASE_PERSON, phone);
    assert.deepEqual(await tablesWith(here, phone), []);
    assert.equal((await dataOf(other.call(`/v1/campaign/${theirs}/messages`)))[0].phone, "erased");
    await assertBalanced(here);
  });
});

test("H27: what is queued is canceled and paid back, and the rest of its batches goes out", async (t) => {
  const operator = await startScripted(t, (_pdu, _session, n) => accepted(`id-${n}`));
  const scope = stacked(t);
  const here = await testService(scope, { config: { roles: new Set(["api", "worker"]), simulator: false } });
  await addOperator(here, operator.port);
  const company = await here.company({ credits: 10_000 });
  const people = phones(1_200);
  const person = people[700]!;
  const bulk = await send(company, people);
  const single = await send(company, person);
  const scheduled = await dataOf(
    company.call("/v1/campaign/create", {
      ...{ contacts: [person, people[1]], text: "Bonjour", type: "SCHEDULED" },
      scheduledDate: new Date(Math.ceil(Date.now() / 900_000) * 900_000 + 900_000).toISOString(),
    }),
  );
  const { erased: counts } = await erased(company.call, ERASE, person);
  assert.deepEqual([counts.queued, counts.messages], [2, 2]);
  // The batch still carries what was withdrawn from it, until its last message is sent.
  await startBeside(scope, here, ["gateway"]);
  const stats = [(await settled(company, bulk)).stats, (await settled(company, single)).stats];
  assert.deepEqual(
    stats.map(({ total, failed }) => [total, failed]),
    [
      [people.length, 1],
      [1, 1],
    ],
  );
  await until(async () => (await rows(here.app, "SELECT FROM batches")).length === 0);
  assert.deepEqual(await tablesWith(here, person), []);
  assert.ok(operator.received.every(({ destinationAddr }) => destinationAddr !== person));
  assert.equal((await dataOf(company.call(`/v1/campaign/${scheduled.id}`))).status, "PENDING");
  assert.equal(await balanceOf(company), 10_000 - people.length + 1);
  await assertBalanced(here);
});

test("H27: what is on the wire is erased once it is final", async (t) => {
  const gate = Promise.withResolvers<void>();
  const operator = await startScripted(t, async (_pdu, _session, n) => {
    await gate.promise;
    return accepted(`id-${n}`);
  });
  const { here, scope } = await site(t, operator.port, { settings: { erasureWaitMs: 100 } });
  const company = await here.company({ credits: 10 });
  const phone = newPhone();
  const campaign = await send(company, phone);
  await until(() => operator.received.length === 1);
  await startBeside(scope, here, ["worker"]);
  const { id } = await dataOf(company.call(ERASE, { phone }));
  const waits =
    "SELECT FROM erasures WHERE id = $1 AND step = 'queue' AND next_at > created_at + interval '100 ms'";
  await until(async () => (await rows(here.app, waits, [id])).length > 0);
  assert.equal((await dataOf(company.call(`${ERASE}/${id}`))).status, "RUNNING");
  gate.resolve();
  await until(async () => (await dataOf(company.call(`${ERASE}/${id}`))).status === "DONE");
  const [message] = await dataOf(company.call(`/v1/campaign/${campaign}/messages`));
  assert.deepEqual([message.phone, message.status], ["erased", "SENT"]);
  await until(async () => (await tablesWith(here, phone)).length === 0);
  await assertBalanced(here);
});

test("H27: an erasure gives nobody more one-time passwords or guesses", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 100 });
  const sent = await sendCode(here, company);
  await verify(company, sent, wrong(sent.code));
  const before = await rows(here.app, "SELECT guesses FROM otp_codes");
  await erased(company.call, ERASE, sent.phoneNumber);
  assert.deepEqual(await tablesWith(here, sent.phoneNumber), []);
  const next = await company.call("/v1/auth/otp/get", { phoneNumber: sent.phoneNumber });
  assert.equal(next.error, "otp-too-many-requests");
  assert.deepEqual(await rows(here.app, "SELECT guesses FROM otp_codes"), before);
  assert.equal((await verify(company, sent)).error, null);
});

test("H27: an erasure is each company's own, may be repeated, and refuses what is no phone", async (t) => {
  const here = await testService(t, {
    config: { roles: new Set(["api"] as const) },
    limits: { erasuresPerCompany: 2 },
  });
  const [company, unauthenticated] = [await here.company(), await here.company()];
  const phone = newPhone();
  const asked = await Promise.all([1, 2, 3].map(() => company.call(ERASE, { phone })));
  assert.equal(new Set(asked.map(({ data }) => data.id)).size, 1);
  const { id } = asked[0]!.data;
  assert.equal((await unauthenticated.call(`/v1/contact/erase/${id}`)).error, "not-found");
  assert.equal((await here.admin(`/v1/admin/person/erase/${id}`)).error, "not-found");
  assert.equal((await company.call(ERASE, { phone: "abc" })).error, "invalid-phone-number");
  assert.equal((await here.admin(ERASE_PERSON, { phone: "" })).error, "invalid-phone-number");
  await dataOf(company.call(ERASE, { phone: newPhone() }));
  assert.equal((await company.call(ERASE, { phone: newPhone() })).error, "too-many-requests");
  await dataOf(unauthenticated.call(ERASE, { phone }));
});

test("H27: the end of a phone that is the id of a message goes with the phone", async (t) => {
  const operator = await startScripted(t, () => accepted(""));
  const { here, scope } = await site(t, operator.port);
  const company = await here.company({ credits: 10 });
  const phone = newPhone();
  const id = await send(company, phone);
  await until(async () => (await dataOf(company.call(`/v1/campaign/${id}`))).stats.sent === 1);
  assert.ok((await traces(here, [phone.slice(-7)])).length > 0);
  await startBeside(scope, here, ["worker"]);
  await erased(company.call, ERASE, phone);
  assert.deepEqual(await traces(here, [phone.slice(-7)]), []);
});

test("H27: the text of a scheduled campaign to one person is emptied, before it is sent and after", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 100 });
  const phone = newPhone();
  const text = "Votre dossier secret";
  const at = new Date(Math.ceil(Date.now() / 900_000) * 900_000 + 900_000).toISOString();
  const schedule = async () =>
    (
      await dataOf(
        company.call("/v1/campaign/create", {
          contacts: [phone],
          text,
          type: "SCHEDULED",
          scheduledDate: at,
        }),
      )
    ).id;
  const sent = await schedule();
  await rows(here.app, "UPDATE campaigns SET next_at = now() WHERE id = $1", [sent]);
  await until(async () => (await dataOf(company.call(`/v1/campaign/${sent}`))).stats?.delivered === 1);
  const waiting = await schedule();
  await erased(company.call, ERASE, phone);
  for (const id of [sent, waiting])
    assert.equal((await dataOf(company.call(`/v1/campaign/${id}`))).text, "", id);
  await rows(here.app, "UPDATE campaigns SET next_at = now() WHERE id = $1", [waiting]);
  await until(
    async () =>
      (await rows(here.app, "SELECT FROM campaigns WHERE id = $1 AND next_at IS NULL", [waiting])).length > 0,
  );
  assert.deepEqual(await tablesWith(here, phone), []);
  await assertBalanced(here);
});

test("H27: what a gateway gives back during an erasure is canceled too", async (t) => {
  const here = await testService(t, {
    config: { roles: new Set(["api"] as const) },
    settings: { erasureWaitMs: 0 },
  });
  const company = await here.company({ credits: 10 });
  const phone = newPhone();
  await send(company, [newPhone(), phone]);
  const [batch] = await rows(here.app, "SELECT id FROM batches");
  // As many others before and after it as a step reads.
  for (const mark of ["0", "f"])
    await rows(
      here.app,
      `INSERT INTO batches (id, lane, prefix, account_id, segments, size, expires_at, messages)
       SELECT $2 || lpad(to_hex(n), 23, '0'), lane, prefix, account_id, 1, 1, expires_at, '' FROM batches, generate_series(1, 200) n WHERE id = $1`,
      [batch.id, mark],
    );
  await rows(here.app, "UPDATE batches SET session_id = 's', intent = 1 WHERE id = $1", [batch.id]);
  await dataOf(company.call(ERASE, { phone }));
  // Phone books, two steps of campaigns and one step of the queue.
  await eraseSome(here.app, abortedAfter(4));
  await rows(
    here.app,
    `WITH split AS (UPDATE batches SET size = 1, held = held - 1 WHERE id = $1 RETURNING *)
     INSERT INTO batches (id, lane, prefix, account_id, segments, size, expires_at, send_id, first_number, last_number, messages, held, first, intent)
     SELECT $2, lane, prefix, account_id, 1, 2, expires_at, send_id, first_number, last_number, messages, 1, 2, 1 FROM split`,
    [batch.id, `ff${batch.id.slice(2)}`],
  );
  await eraseSome(here.app);
  const [done] = await rows(here.app, "SELECT canceled, done_at FROM erasures");
  assert.equal(done.canceled, 1);
  assert.ok(done.done_at);
});

test("H27: what a gateway gives back between two steps of an erasure is canceled in the same pass", async (t) => {
  const here = await testService(t, {
    config: { roles: new Set(["api"] as const) },
    settings: { erasureAgainMs: 3_600_000 },
  });
  await addOperator(here, 1);
  const company = await here.company({ credits: 10 });
  /** Divides the batch of a person between two steps: $1 is the millisecond before it, in which the first step ends. */
  const canceledAt = async (isPacked: boolean, others: string, stepsBefore: number) => {
    const phone = newPhone();
    await send(company, [newPhone(), phone]);
    const sent = await waitingMessages(here.app);
    if (!isPacked) await here.app.database.transaction((tx) => moveMessages(tx, sent.map(retried)));
    const unwritten = (await waitingMessages(here.app)).filter((message) => message.phone === phone);
    const id = unwritten[0]!.batchId;
    const session = newId();
    await rows(here.app, "INSERT INTO gateway_sessions (id, operator_id) VALUES ($1, 'operator')", [session]);
    await rows(here.app, "UPDATE batches SET session_id = $2, intent = 1 WHERE id = $1", [id, session]);
    await rows(here.app, others, [lowestId(timeOf(id) - 1).slice(0, 12)]);
    await dataOf(company.call(ERASE, { phone }));
    await eraseSome(here.app, abortedAfter(stepsBefore));
    await here.app.database.transaction((tx) => giveBack(tx, session, [{ id, open: 2, unwritten }]));
    await eraseSome(here.app);
    const [erasure] = await rows(here.app, "SELECT canceled FROM erasures ORDER BY id DESC LIMIT 1");
    await rows(here.app, "DELETE FROM message_queue");
    await rows(here.app, "DELETE FROM batches");
    return erasure.canceled;
  };
  const batches = (count: number, messages: string) =>
    `INSERT INTO batches (id, lane, prefix, account_id, segments, size, expires_at, messages)
     SELECT CASE n WHEN ${count} THEN $1::text || repeat('f', 12) ELSE lpad(to_hex(n), 24, '0') END, 2, '225', '', 1, 1, now() + interval '1 hour', ${messages}
     FROM generate_series(1, ${count}) n`;
  assert.equal(await canceledAt(true, batches(200, "''"), 4), 1);
  const loose = `WITH made AS (${batches(20, "NULL")} RETURNING id)
    INSERT INTO message_queue (batch_id, position, account_id, send_id, number, pool_id, phone, sender, body, segments, price, reference)
    SELECT id, position, '', '', 1, '', '', '', '', 1, 0, 0 FROM made, generate_series(1, 500) position`;
  assert.equal(await canceledAt(false, loose, 5), 1);
});

test("H27: what is committed behind an erasure, since it was being accepted, is found when that looks again", async (t) => {
  const here = await testService(t, {
    config: { roles: new Set(["api"] as const) },
    settings: { erasureAgainMs: 3_600_000 },
  });
  const company = await here.company({ credits: 10 });
  const phone = newPhone();
  const { id } = await dataOf(company.call(ERASE, { phone }));
  await eraseSome(here.app);
  const { status: between, percent } = await dataOf(company.call(`${ERASE}/${id}`));
  assert.deepEqual([between, percent], ["RUNNING", 50]);
  await send(company, phone);
  await rows(
    here.app,
    "UPDATE erasures SET created_at = created_at - interval '1 hour', next_at = next_at - interval '1 hour'",
  );
  await eraseSome(here.app);
  const { status, erased: counts } = await dataOf(company.call(`${ERASE}/${id}`));
  assert.deepEqual([status, counts.contacts, counts.queued], ["DONE", 1, 1]);
  // A batch carries what was withdrawn from it until a gateway has taken it.
  assert.deepEqual(await tablesWith(here, phone), ["batches"]);
  assert.equal(await balanceOf(company), 10);
  await assertBalanced(here);
});

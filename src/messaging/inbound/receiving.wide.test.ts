// What an operator delivers, however it delivers it: in segments, again, out of order, hostile, to processes that die.
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { dataOf } from "../../../test/applications.ts";
import { newPhone } from "../../../test/codes.ts";
import { sentBy } from "../../../test/dialects.ts";
import {
  deliver,
  numberFor,
  sarSegment,
  scriptedOperator,
  segment,
  textsOf,
  wideSegment,
} from "../../../test/incoming.ts";
import { startProcess } from "../../../test/process.ts";
import { addOperator, rows, stacked, startBeside, startScripted } from "../../../test/sending.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";
import type { HandsetMessage } from "../../delivery/gateway/handsets.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { DeliverSm } from "../../protocol/smpp/pdu.ts";
import { encodeGsm7, encodeUcs2 } from "../../protocol/sms/encoding.ts";
import { keepIncomplete, receiveMessage } from "./receiving.ts";

const gsm7 = (text: string) => encodeGsm7(text);

/** Makes all that waits older than its time. */
const older = (here: TestService) =>
  rows(here.app, "UPDATE inbound_parts SET received_at = received_at - interval '11 minutes'");

test("segments are joined in any order and by any kind of reference, those of two messages apart", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const { company } = gsm;
  const { number } = await numberFor(here, company);
  const say = async (pdu: object, from = gsm.phone) => assert.equal(await deliver(gsm, from, number, pdu), 0);
  const other = newPhone();
  // Two messages of one handset, and one of another with the same reference, interleaved.
  await say(segment(7, 3, 3, gsm7("c1")));
  await say(segment(8, 2, 2, gsm7("b2")));
  await say(segment(7, 3, 1, gsm7("a1")));
  await say(segment(7, 3, 2, gsm7("x2")), other);
  await say(segment(8, 2, 1, gsm7("a2")));
  await say(segment(7, 3, 2, gsm7("b1")));
  assert.deepEqual(await textsOf(company), ["a2b2", "a1b1c1"]);
  // The kinds of references do not meet, though their numbers are the same.
  await say(wideSegment(7, 2, 1, gsm7("large ")));
  await say(sarSegment(7, 2, 1, gsm7("par SAR ")));
  await say(segment(7, 2, 1, gsm7("petit ")));
  await say(sarSegment(7, 2, 2, gsm7("fin")));
  await say(segment(7, 2, 2, gsm7("FIN")));
  await say(wideSegment(7, 2, 2, gsm7("Fin")));
  assert.deepEqual((await textsOf(company)).slice(2), ["par SAR fin", "petit FIN", "large Fin"]);
  // A reference that is used again while its first message waits.
  await say(segment(9, 2, 1, gsm7("un ")));
  await say(segment(9, 2, 1, gsm7("deux ")));
  await say(segment(9, 2, 2, gsm7("1")));
  await say(segment(9, 2, 2, gsm7("2")));
  assert.deepEqual((await textsOf(company)).slice(5), ["un 1", "deux 2"]);
  const [{ segments, missingSegments }] = await dataOf(company.call("/v1/inbound/list", { limit: 1 }));
  assert.deepEqual([segments, missingSegments], [2, 0]);
});

test("an escape and a surrogate pair that are cut in two are read as one, and so are 255 segments", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const { company } = gsm;
  const { number } = await numberFor(here, company);
  const say = (pdu: object) => deliver(gsm, gsm.phone, number, pdu);
  const euro = gsm7("5 €");
  await say(segment(1, 2, 1, euro.subarray(0, 3)));
  await say(segment(1, 2, 2, euro.subarray(3)));
  const smile = encodeUcs2("Ha 😀");
  await say(segment(2, 2, 2, smile.subarray(8), 8));
  await say(segment(2, 2, 1, smile.subarray(0, 8), 8));
  const latin = Buffer.from("déjà reçu", "latin1");
  await say(segment(3, 2, 1, latin.subarray(0, 4), 3));
  await say(segment(3, 2, 2, latin.subarray(4), 3));
  await say({ shortMessage: Buffer.alloc(0), tlvs: { messagePayload: Buffer.from(gsm7("p".repeat(400))) } });
  for (let number = 255; number >= 1; number--) await say(segment(4, 255, number, gsm7(`${number % 10}`)));
  const whole = Array.from({ length: 255 }, (_, i) => `${(i + 1) % 10}`).join("");
  assert.deepEqual(await textsOf(company), ["5 €", "Ha 😀", "déjà reçu", "p".repeat(400), whole]);
  const [last, payload] = await dataOf(company.call("/v1/inbound/list", { limit: 2 }));
  assert.deepEqual([last.segments, payload.segments], [255, 3]);
});

test("hostile messages are kept as far as they can be read, and break nothing", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const { company } = gsm;
  const { number } = await numberFor(here, company);
  const say = async (pdu: object) => assert.equal(await deliver(gsm, gsm.phone, number, pdu), 0);
  await say(segment(1, 0, 0, gsm7("total 0")));
  await say(segment(1, 3, 0, gsm7("number 0")));
  await say(segment(1, 2, 3, gsm7("beyond the total")));
  await say(segment(1, 1, 1, gsm7("the only one")));
  await say({ esmClass: 0x40, dataCoding: 0, shortMessage: Buffer.from([255, 0, 3, 1, 2, 1]) });
  await say({ esmClass: 0x40, dataCoding: 0, shortMessage: Buffer.from([4, 0, 9, 1, 2, 65]) });
  await say({ esmClass: 0x40, dataCoding: 0, shortMessage: Buffer.alloc(0) });
  await say({ dataCoding: 3, shortMessage: Buffer.from([0, 7, 65, 10, 13, 9, 127, 200]) });
  await say({ dataCoding: 8, shortMessage: Buffer.from([0, 0, 0xd8, 0, 0, 66, 1]) });
  await say({ dataCoding: 0, shortMessage: Buffer.from([0, 0x1b, 0xff]) });
  await say(sarSegment(5, 0, 1, gsm7("sar of 0")));
  assert.deepEqual(await textsOf(company), [
    ...["total 0", "number 0", "beyond the total", "the only one"],
    // What does not begin with a whole header is all text: some operators set the bit without one.
    ...["ÿ\ufffd\ufffd\ufffd\ufffd\ufffd", "è@Ç£$A", ""],
    ...["\ufffd\ufffdA\n\r\t\ufffdÈ", "\ufffd\ufffdB\ufffd", "\ufffd\ufffdÿ", "sar of 0"],
  ]);
  // From no phone at all, and to addresses of nobody.
  for (const [from, to] of [
    ["", number],
    ["ORANGE", number],
    ["\u0001'; DROP TABLE x", number],
    ["", ""],
    [gsm.phone, "\u0002"],
  ] as const)
    assert.equal(await deliver(gsm, from, to, `de ${from}`), 0);
  assert.deepEqual(
    (await dataOf(company.call("/v1/inbound/list", { limit: 3 }))).map(({ from }: { from: string }) => from),
    ["\ufffd'; DROP TABLE x", "ORANGE", ""],
  );
  assert.equal((await here.admin("/v1/admin/inbound/list", { unrouted: true })).totalCount, 2);
  assert.deepEqual(await rows(here.app, "SELECT FROM inbound_parts"), []);
});

test("what is delivered again is kept once, and what is written again later twice", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const { company } = gsm;
  const { number } = await numberFor(here, company);
  const say = async (said: string | object, from = gsm.phone) =>
    assert.equal(await deliver(gsm, from, number, said), 0);
  await Promise.all([say("OUI"), say("OUI"), say("OUI")]);
  await say("OUI");
  await say("OUI", newPhone());
  await say("oui");
  // A segment again: before its message is whole, at the same time, and after it.
  await say(segment(1, 2, 1, gsm7("long ")));
  await say(segment(1, 2, 1, gsm7("long ")));
  await Promise.all([say(segment(1, 2, 2, gsm7("texte"))), say(segment(1, 2, 2, gsm7("texte")))]);
  await say(segment(1, 2, 1, gsm7("long ")));
  await say(segment(1, 2, 2, gsm7("texte")));
  assert.deepEqual((await textsOf(company)).sort(), ["OUI", "OUI", "long texte", "oui"]);
  await rows(here.app, "UPDATE inbound_marks SET until = now() - interval '1 second'");
  await say("OUI");
  assert.equal((await textsOf(company)).length, 5);
});

test("a message that misses a segment is kept as it is after 10 minutes, with a mark where it is missing", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const { company } = gsm;
  const { number } = await numberFor(here, company);
  const say = (pdu: object) => deliver(gsm, gsm.phone, number, pdu);
  await say(segment(1, 4, 2, gsm7("deux ")));
  await say(segment(1, 4, 3, gsm7("trois ")));
  await say(segment(2, 2, 1, gsm7("STOP")));
  await keepIncomplete(here.app);
  assert.deepEqual(await textsOf(company), []);
  await older(here);
  await Promise.all([keepIncomplete(here.app), keepIncomplete(here.app)]);
  assert.deepEqual((await textsOf(company)).sort(), ["STOP[…]", "[…]deux trois […]"]);
  const data = await dataOf(company.call("/v1/inbound/list"));
  assert.deepEqual(
    data.map(({ segments, missingSegments }: Record<string, unknown>) => [segments, missingSegments]).sort(),
    [
      [1, 1],
      [2, 2],
    ],
  );
  assert.deepEqual(await dataOf(company.call("/v1/optout/list")), []);
  // What comes after that is a message of its own.
  await say(segment(1, 4, 1, gsm7("un ")));
  await older(here);
  await keepIncomplete(here.app);
  assert.deepEqual((await textsOf(company)).slice(2), ["un […]"]);
});

test("segments that never end are bounded by handset and in all, and are kept", async (t) => {
  const { here, gsm } = await scriptedOperator(t, {
    limits: { inboundParts: 3, inboundPerHandset: 100_000 },
  });
  const { company } = gsm;
  const { number } = await numberFor(here, company);
  for (let reference = 0; reference < 5; reference++)
    await deliver(gsm, newPhone(), number, segment(reference, 2, 1, gsm7(`${reference}`)));
  await keepIncomplete(here.app);
  assert.deepEqual((await textsOf(company)).sort(), ["0[…]", "1[…]"]);
  await rows(
    here.app,
    `INSERT INTO inbound_parts (phone, address, reference, total, series, number, encoding, octets, is_served)
     SELECT $1, $2, '16 1', 255, n / 255, 1 + n % 255, 'GSM-7', '', false FROM generate_series(0, 508) n`,
    [gsm.phone, number],
  );
  await deliver(gsm, gsm.phone, number, wideSegment(2, 200, 1, gsm7("one more")));
  await deliver(gsm, gsm.phone, number, wideSegment(2, 200, 2, gsm7("too many")));
  const [{ text, missingSegments }] = await dataOf(company.call("/v1/inbound/list", { phone: gsm.phone }));
  assert.deepEqual([text, missingSegments], ["too many", 199]);
});

/** A deliver_sm as a gateway hands it over. */
function handedTo(to: string, from: string, pdu: Partial<DeliverSm>): HandsetMessage {
  const whole = { esmClass: 0, dataCoding: 0, shortMessage: Buffer.alloc(0), ...pdu } as DeliverSm;
  const settings = { alphabet: "gsm-7", dataCoding: 0, repeatWindowS: 10 } as const;
  return { sessionId: null, messageId: null, operatorIds: [], country: "CI", settings, from, to, pdu: whole };
}

test("segments and repeats come to two processes at the same time, and are one message each", async (t) => {
  const scope = stacked(t);
  const here = await testService(scope, { config: { roles: new Set(["api"] as const) } });
  const beside = await startBeside(scope, here, ["api"]);
  const apps: Runtime[] = [here.app, beside.app];
  const company = await here.company();
  const { number } = await numberFor(here, company);
  const people = Array.from({ length: 20 }, () => newPhone());
  await Promise.all(
    people.flatMap((phone, i) =>
      [1, 2, 3].flatMap((n) => {
        const pdu = segment(i, 3, n, gsm7(`${n}`)) as Partial<DeliverSm>;
        // Each segment comes to one of them, and every other one to both.
        const to = n === 2 ? apps : [apps[(i + n) % 2]!];
        return to.map((app) => receiveMessage(app, handedTo(number, phone, pdu)));
      }),
    ),
  );
  const texts = await textsOf(company);
  assert.deepEqual(
    texts,
    people.map(() => "123"),
  );
});

test("a process that is killed before the commit or before its answer has kept each message once", async (t) => {
  const scope = stacked(t);
  const operator = await startScripted(scope, () => ({ status: 0, messageId: "1" }));
  const here = await testService(scope, { config: { roles: new Set(["api"] as const), simulator: false } });
  await addOperator(here, operator.port);
  const company = await here.company();
  const { number } = await numberFor(here, company);
  const environment = {
    DATABASE_URL: here.databaseUrl,
    MASTER_KEY: here.app.config.keys!.masterKey,
    ADMIN_KEY: here.adminKey,
    ROLES: "gateway",
  };
  const start = async () => {
    const bound = operator.sessions.length;
    const process = await startProcess(environment);
    scope.after(() => process.end("SIGKILL"));
    await until(() => operator.sessions.length > bound);
    return process;
  };
  const phone = newPhone();
  const write = (text: string) =>
    operator.sessions.at(-1)!.deliver({
      ...{ sourceAddr: phone, destinationAddr: number, dataCoding: 3 },
      shortMessage: Buffer.from(text),
    });

  // Committed, and the answer is never read.
  let process = await start();
  operator.socketOf(operator.sessions.at(-1)!).pause();
  const unread = write("un").catch(() => "lost");
  await until(async () => (await textsOf(company)).length === 1);
  await process.end("SIGKILL");
  operator.sessions.at(-1)!.abort("its peer is dead");
  assert.equal(await unread, "lost");

  // Not committed: somebody has the table.
  process = await start();
  const client = new pg.Client({ connectionString: here.ownerUrl });
  await client.connect();
  await client.query("BEGIN; LOCK TABLE inbound_messages IN EXCLUSIVE MODE");
  const uncommitted = write("deux").catch(() => "lost");
  const waiting = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'inbound_messages'::regclass";
  await until(async () => (await client.query(waiting)).rowCount);
  await process.end("SIGKILL");
  await client.query("ROLLBACK");
  await client.end();
  assert.equal(await uncommitted, "lost");

  await start();
  for (const text of ["un", "deux"]) assert.equal((await write(text)).status, 0);
  assert.deepEqual(await textsOf(company), ["un", "deux"]);
});

test("a handset that floods is kept and told no more, and so many to names are told to come later", async (t) => {
  const { here, gsm } = await scriptedOperator(t, { limits: { inboundPerHandset: 3 } });
  const { company } = gsm;
  const { number } = await numberFor(here, company);
  for (let i = 0; i < 6; i++) assert.equal(await deliver(gsm, gsm.phone, number, `${i}`), 0);
  assert.deepEqual(await textsOf(company), ["0", "1", "2", "3", "4", "5"]);
  // Nobody is looked for who wrote to it last, but for a wish.
  await company.call("/v1/campaign/create", { contacts: [gsm.phone], text: "Bonjour" });
  await until(async () => gsm.operator.received.length > 0);
  await deliver(gsm, gsm.phone, "ATUMPAN", "à vous");
  await deliver(gsm, gsm.phone, "ATUMPAN", "STOP");
  assert.equal((await here.admin("/v1/admin/inbound/list", { unrouted: true })).data[0].text, "à vous");
  assert.equal((await dataOf(company.call("/v1/optout/list"))).length, 1);

  // As long as a look-up waits, so do the others, up to 500.
  const client = new pg.Client({ connectionString: here.ownerUrl });
  await client.connect();
  await client.query("BEGIN; LOCK TABLE inbound_marks IN EXCLUSIVE MODE");
  const answers = Array.from({ length: 502 }, (_, i) => deliver(gsm, newPhone(), "ATUMPAN", `n${i}`));
  const refused = await Promise.any(
    answers.map(async (answer) => ((await answer) === 0 ? Promise.reject(new Error("taken")) : answer)),
  );
  assert.equal(refused, 0x64, "ESME_RX_T_APPN: it is to come again");
  await client.query("ROLLBACK");
  await client.end();
  const statuses = await Promise.all(answers);
  assert.deepEqual([statuses.filter((status) => status === 0).length, statuses.length], [500, 502]);
});

test("wishes to a shared number wait for each other, and for no message to a number", async (t) => {
  const { here, gsm } = await scriptedOperator(t, { limits: { inboundPerHandset: 1 } });
  const { number } = await numberFor(here);
  const client = new pg.Client({ connectionString: here.ownerUrl });
  await client.connect();
  // Who wrote last cannot be looked up.
  await client.query("BEGIN; LOCK TABLE campaign_runs IN ACCESS EXCLUSIVE MODE");
  const first = deliver(gsm, gsm.phone, number, "STOP");
  const waiting = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'campaign_runs'::regclass";
  await until(async () => (await client.query(waiting)).rowCount);
  const answer = deliver(gsm, newPhone(), number, "Bonjour");
  const unrouted = () => dataOf(here.admin("/v1/admin/inbound/list", { unrouted: true }));
  await until(async () => (await unrouted()).length === 1);
  assert.equal(await answer, 0);
  const answers = Array.from({ length: 501 }, () => deliver(gsm, newPhone(), number, "STOP"));
  const refused = await Promise.any(
    answers.map(async (one) => ((await one) === 0 ? Promise.reject(new Error("taken")) : one)),
  );
  assert.equal(refused, 0x64, "ESME_RX_T_APPN: it is to come again");
  await client.query("ROLLBACK");
  await client.end();
  const statuses = await Promise.all([first, ...answers]);
  assert.equal(statuses.filter((status) => status === 0).length, 500);
});

test("a wish that a handset which floods repeats is not looked up again", async (t) => {
  const { here, gsm } = await scriptedOperator(t, { limits: { inboundPerHandset: 1 } });
  const { number } = await numberFor(here);
  await sentBy(gsm, "Bonjour");
  const optedOut = async () => (await dataOf(gsm.company.call("/v1/optout/list"))).length;
  await deliver(gsm, gsm.phone, number, "STOP");
  assert.equal(await optedOut(), 1);
  await rows(here.app, "DELETE FROM optouts");
  await deliver(gsm, gsm.phone, number, "STOP");
  assert.equal(await optedOut(), 0);
  // Another one is heard, however much the handset writes.
  await deliver(gsm, gsm.phone, number, "Arrêt");
  assert.equal(await optedOut(), 1);
});

test("campaigns of messages that come many at a time are found a moment later", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 100 });
  const { number } = await numberFor(here, company);
  const people = Array.from({ length: 20 }, () => newPhone());
  const { data } = await company.call("/v1/campaign/create", { contacts: people, text: "Bonjour" });
  await until(async () => (await company.call(`/v1/campaign/${data.id}`)).data.stats.queued === 0);
  await Promise.all(
    people.map((from) => here.admin("/v1/admin/simulator/reply", { from, to: number, text: "Merci" })),
  );
  await until(async () => (await textsOf(company, { campaignId: data.id })).length === people.length);
});

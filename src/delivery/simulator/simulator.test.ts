// The simulated operator, over its socket: the outcome of each digit, its log as an oracle, its inbox and its faults.
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { testService } from "../../../test/testservice.ts";
import { type ConnectOptions, connect } from "../../protocol/smpp/connect.ts";
import { type OutgoingMessage, STATUS } from "../../protocol/smpp/pdu.ts";
import { normaliseMessageId, type Receipt, readReceipt } from "../../protocol/smpp/receipts.ts";
import type { Session } from "../../protocol/smpp/session.ts";
import { BindRefused, SessionLost } from "../../protocol/smpp/terms.ts";
import { Inbox } from "./inbox.ts";
import { acceptedEntry } from "./journal.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "./simulator.ts";

async function start(t: TestContext, options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator(options);
  t.after(() => simulator.stop());
  return simulator;
}

/** A bound ESME with what it has received: receipts and texts, each awaited by `next`. */
async function esme(t: TestContext, { port }: Simulator, options: Partial<ConnectOptions> = {}) {
  const received: (Receipt | string)[] = [];
  let wake = () => {};
  const session = await connect({
    host: "127.0.0.1",
    port,
    bindType: "transceiver",
    systemId: "esme",
    password: "secret",
    onDeliver: (pdu) => {
      received.push(readReceipt(pdu) ?? `${pdu.sourceAddr} ${pdu.destinationAddr} ${pdu.shortMessage}`);
      wake();
      return STATUS.ESME_ROK;
    },
    ...options,
  });
  t.after(() => session.abort());
  const next = async <T = Receipt>(): Promise<T> => {
    while (received.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return received.shift() as T;
  };
  return { session, next };
}

function to(destinationAddr: string, text = "bonjour", more: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return {
    sourceAddr: "ATUMPAN",
    destinationAddr,
    registeredDelivery: 1,
    shortMessage: Buffer.from(text),
    ...more,
  };
}

/** Segment `number` of `total` with an 8-bit reference. */
function segment(reference: number, total: number, number: number, text: string): OutgoingMessage {
  const header = Buffer.from([5, 0, 3, reference, total, number]);
  return to("22507009999", "", { esmClass: 0x40, shortMessage: Buffer.concat([header, Buffer.from(text)]) });
}

function logFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "simulator-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "simulator.jsonl");
}

const entriesOf = (file: string) =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

async function acknowledged(simulator: Simulator, count: number): Promise<void> {
  while (simulator.stats().receiptsAcknowledged < count) await new Promise(setImmediate);
}

for (const [digits, state, errorCode] of [
  ["0002", "UNDELIVERED", "001"],
  ["0006", "EXPIRED", "002"],
  ["1234", "DELIVERED", "000"],
] as const) {
  test(`${digits}: accepted, receipt ${state} with our reference`, async (t) => {
    const { session, next } = await esme(t, await start(t));
    const { status, messageId } = await session.submit(
      to(`22507${digits}`, "x", { tlvs: { userMessageReference: 42 } }),
    );
    const receipt = await next();
    assert.equal(status, STATUS.ESME_ROK);
    assert.deepEqual(
      [receipt.messageId, receipt.state, receipt.errorCode, receipt.userMessageReference],
      [messageId, state, errorCode, 42],
    );
  });
}

test("0001 is rejected with ESME_RINVDSTADR and is in no inbox", async (t) => {
  const simulator = await start(t);
  const { session } = await esme(t, simulator);
  assert.deepEqual(await session.submit(to("225070001")), { status: STATUS.ESME_RINVDSTADR, messageId: "" });
  assert.deepEqual([simulator.inbox(), simulator.stats().refused], [[], 1]);
});

test("0003 and a message that asks for none get no receipt", async (t) => {
  const { session, next } = await esme(t, await start(t));
  await session.submit(to("225070003"));
  await session.submit(to("225079999", "x", { registeredDelivery: 0 }));
  await session.submit(to("225079999", "x", { registeredDelivery: 2 }));
  const { messageId } = await session.submit(to("225079999"));
  assert.equal((await next()).messageId, messageId, "the first receipt is that of the last message");
});

test("S01 0004 is throttled twice, then accepted", async (t) => {
  const { session } = await esme(t, await start(t));
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await session.submit(to("225070004"))).status);
  assert.deepEqual(statuses, [STATUS.ESME_RTHROTTLED, STATUS.ESME_RTHROTTLED, STATUS.ESME_ROK]);
});

test("0005 gets its receipt after 5 s", async (t) => {
  const { session, next } = await esme(t, await start(t));
  const startedAt = performance.now();
  await session.submit(to("225070005"));
  assert.equal((await next()).state, "DELIVERED");
  assert.ok(performance.now() - startedAt >= 4_990);
});

test("every accepted message is in the log before it is answered", async (t) => {
  const file = logFile(t);
  const { session } = await esme(t, await start(t, { logFile: file }));
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => session.submit(to("225079999", "é", {}))),
    );
    const logged = new Set(entriesOf(file).map(({ id }) => id));
    for (const { messageId } of answers) assert.ok(logged.has(messageId));
  }
});

test("S06 receipts that were never acknowledged are sent again after a restart, acknowledged ones are not", async (t) => {
  const file = logFile(t);
  const first = await startSimulator({ logFile: file });
  const both = await esme(t, first);
  const { messageId: done } = await both.session.submit(to("225079999"));
  assert.equal((await both.next()).messageId, done);
  await acknowledged(first, 1);
  await both.session.unbind();
  const transmitter = await esme(t, first, { bindType: "transmitter" });
  const { messageId: owed } = await transmitter.session.submit(
    to("225079999", "x", { tlvs: { userMessageReference: 3 } }),
  );
  await first.stop();
  appendFileSync(file, '{"type":"accepted","id":"torn');

  const second = await start(t, { logFile: file });
  const { next } = await esme(t, second, { bindType: "receiver" });
  const receipt = await next();
  assert.deepEqual([receipt.messageId, receipt.userMessageReference], [owed, 3]);
  await acknowledged(second, 1);
  assert.equal(second.inbox().length, 2, "the inbox is read back");
  assert.equal(entriesOf(file).length, 4, "the torn line is gone");
});

test("the log is bounded: the newest messages are kept and read back, and what is owed of them", async (t) => {
  const file = logFile(t);
  const logBytes = 20_000;
  const first = await startSimulator({ logFile: file, logBytes });
  const { session } = await esme(t, first, { bindType: "transmitter" });
  const phone = (n: number) => `22507${1_000_000 + n}9`;
  for (let n = 0; n < 400; n++) {
    await session.submit(to(phone(n)));
    const sizes = [file, `${file}.1`].map((name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0);
    assert.ok(Math.max(...sizes) < logBytes + 1_000, `${sizes} bytes`);
  }
  await first.stop();

  const second = await start(t, { logFile: file, logBytes });
  const kept = second.inbox({ limit: 1_000 }).map((message) => message.to);
  assert.deepEqual(
    kept,
    Array.from(kept, (_, i) => phone(399 - i)),
  );
  assert.ok(kept.length * 400 > logBytes && kept.length < 400, `${kept.length} are kept`);
  const { next } = await esme(t, second, { bindType: "receiver" });
  await next();
  await acknowledged(second, kept.length);
});

test("a message in segments is one entry: 8-bit and 16-bit references, sar parameters, message_payload", async (t) => {
  const simulator = await start(t);
  const { session } = await esme(t, simulator);
  const send = (message: OutgoingMessage) => session.submit(message);
  for (const [number, text] of [
    [2, "monde"],
    [1, "bonjour "],
  ] as const)
    await send(segment(7, 2, number, text));
  const header16 = (number: number) => Buffer.from([6, 8, 4, 1, 2, 2, number]);
  for (const [number, text] of [
    [1, "à "],
    [2, "demain"],
  ] as const) {
    const octets = Buffer.concat([header16(number), Buffer.from(text, "utf16le").swap16()]);
    await send(to("22507009999", "", { esmClass: 0x40, dataCoding: 8, shortMessage: octets }));
  }
  for (const [number, text] of [
    [1, "un "],
    [2, "deux"],
  ] as const) {
    const tlvs = { sarMsgRefNum: 7, sarTotalSegments: 2, sarSegmentSeqnum: number };
    await send(to("22507009999", text, { tlvs }));
  }
  await send(to("22507009999", "", { tlvs: { messagePayload: Buffer.from("x".repeat(300)) } }));
  const inbox = simulator.inbox({ phone: "+225 07 00 9999" });
  assert.deepEqual(
    inbox.map(({ text, encoding, segments }) => [text, encoding, segments]),
    [
      ["x".repeat(300), "GSM-7", 1],
      ["un deux", "GSM-7", 2],
      ["à demain", "UCS-2", 2],
      ["bonjour monde", "GSM-7", 2],
    ],
  );
  assert.deepEqual([simulator.stats().accepted, simulator.stats().incomplete], [7, 0]);
  assert.deepEqual(simulator.inbox({ phone: "1" }), []);
  assert.equal(simulator.inbox({ limit: 2 }).length, 2);
});

test("GSM-7 is read by its own alphabet, with the extension table", async (t) => {
  const simulator = await start(t);
  const { session } = await esme(t, simulator);
  await session.submit(to("225079999", "", { shortMessage: Buffer.from([0x1b, 0x65, 0x00, 0x05, 0x11]) }));
  assert.equal(simulator.inbox()[0]?.text, "€@é_");
});

test("IA5 and Latin-1 are read by their data_coding", async (t) => {
  const simulator = await start(t);
  const { session } = await esme(t, simulator);
  for (const [dataCoding, text] of [
    [1, "{ok} @_"],
    [3, "[à midi]"],
  ] as const) {
    await session.submit(to("225079999", "", { dataCoding, shortMessage: Buffer.from(text, "latin1") }));
    assert.equal(simulator.inbox()[0]?.text, text);
  }
});

test("a message that was sent twice is there twice; a segment that was sent twice leaves an incomplete one", () => {
  const inbox = new Inbox();
  const add = (message: OutgoingMessage) => {
    const defaults = {
      sourceAddrTon: 0,
      sourceAddrNpi: 0,
      destAddrTon: 0,
      destAddrNpi: 0,
      dataCoding: 0,
      esmClass: 0,
    };
    inbox.add(acceptedEntry({ ...defaults, ...message } as never, "1", "esme"));
  };
  for (const text of ["a", "a"]) add(to("225079999", text));
  assert.equal(inbox.list().length, 2);
  for (const number of [1, 1, 2, 2]) add(segment(9, 2, number, "x"));
  assert.deepEqual([inbox.list().length, inbox.incomplete], [4, 0]);
  for (const number of [1, 2, 2]) add(segment(9, 2, number, "x"));
  assert.deepEqual([inbox.list().length, inbox.incomplete], [5, 1]);
});

test("a handset replies; without a bound receiver that is an error", async (t) => {
  const simulator = await start(t);
  const reply = { from: "2250700000000", to: "98000", text: "STOP" };
  await assert.rejects(simulator.reply(reply), /no receiver/);
  const { next } = await esme(t, simulator, { bindType: "receiver" });
  await simulator.reply(reply);
  assert.equal(await next<string>(), "2250700000000 98000 STOP");
});

test("S02 S21 above the rate it throttles, above the window its queue is full, and it counts what is outstanding", async (t) => {
  const statusesOf = async (options: SimulatorOptions, count: number) => {
    const simulator = await start(t, options);
    const { session } = await esme(t, simulator);
    const answers = await Promise.all(Array.from({ length: count }, () => session.submit(to("225079999"))));
    return { simulator, statuses: answers.map(({ status }) => status) };
  };
  const rated = await statusesOf({ ratePerSecond: 5 }, 20);
  const throttled = rated.statuses.filter((status) => status === STATUS.ESME_RTHROTTLED).length;
  assert.ok(throttled >= 14 && throttled <= 15, `${throttled}`);
  assert.equal(rated.simulator.stats().throttled, throttled);
  const windowed = await statusesOf({ window: 10, latencyMs: 30 }, 15);
  assert.equal(windowed.statuses.filter((status) => status === STATUS.ESME_RMSGQFUL).length, 5);
  assert.equal(windowed.simulator.stats().maxOutstanding, 15);
});

test("a wrong system_id or password is refused", async (t) => {
  const simulator = await start(t, { systemId: "esme", password: "right" });
  const refused = (status: number) => (error: unknown) =>
    error instanceof BindRefused && error.status === status;
  await assert.rejects(esme(t, simulator), refused(STATUS.ESME_RINVPASWD));
  await assert.rejects(esme(t, simulator, { systemId: "other" }), refused(STATUS.ESME_RINVSYSID));
  await esme(t, simulator, { password: "right" });
  assert.equal(simulator.stats().binds, 1);
});

test("D06 receipts may write the id in another form than answers", async (t) => {
  const { session, next } = await esme(t, await start(t, { messageIdForm: "hex", receiptIdForm: "decimal" }));
  const { messageId } = await session.submit(to("225079999"));
  assert.equal((await next()).messageId, normaliseMessageId(messageId, "hex-to-decimal"));
});

test("faults: lost before and after acceptance, answered twice, without an id, with the id before, with an error", async (t) => {
  const simulator = await start(t);
  const submitWith = async (fault: keyof Simulator["faults"], session: Session) => {
    simulator.faults[fault] = 1;
    const answer = await session.submit(to("225079999")).catch((error: Error) => error);
    simulator.faults[fault] = 0;
    return { answer, accepted: simulator.stats().accepted };
  };
  const { session } = await esme(t, simulator);
  const { messageId } = await session.submit(to("225079999"));
  assert.deepEqual((await submitWith("repeatedMessageId", session)).answer, { status: 0, messageId });
  assert.deepEqual((await submitWith("emptyMessageId", session)).answer, { status: 0, messageId: "" });
  assert.deepEqual((await submitWith("systemError", session)).answer, {
    status: STATUS.ESME_RSYSERR,
    messageId: "",
  });
  await submitWith("duplicateAnswer", session);
  await session.submit(to("225079999"));
  assert.equal(session.counters.repeatedAnswers, 1);
  const before = await submitWith("dropBeforeReading", session);
  assert.deepEqual([before.answer instanceof SessionLost, before.accepted], [true, 5]);
  const after = await submitWith("dropAfterAccept", (await esme(t, simulator)).session);
  assert.deepEqual([after.answer instanceof SessionLost, after.accepted], [true, 6]);
});

test("S20 S32 faults: every PDU with a NUL too many, and an unbind whose answer closes the connection", async (t) => {
  const simulator = await start(t, { strayNul: true, latencyMs: 50, faults: { unbind: 3 } });
  const { session } = await esme(t, simulator);
  const answers = await Promise.all([1, 2, 3, 4].map((n) => session.submit(to(`22507000${n}000`))));
  assert.deepEqual(
    answers.map(({ status, messageId }) => [status, messageId !== ""]),
    Array(4).fill([STATUS.ESME_ROK, true]),
  );
  assert.equal((await session.closed).kind, "peer-unbound");
  assert.ok(session.counters.unreadTails >= 6);
});

test("a reply that nobody can take now, or that SMPP cannot carry, is refused", async (t) => {
  const w = await testService(t, { config: { roles: new Set(["api"]) } });
  const reply = { from: "2250700000000", to: "98000", text: "STOP" };
  const unbound = await w.admin("/v1/admin/simulator/reply", reply);
  assert.equal(unbound.error, "service-unavailable");
  assert.match(unbound.details![0]!.message, /réessayez lorsque son état est BOUND/);
  const { error } = await w.admin("/v1/admin/simulator/reply", { ...reply, to: "Ā" });
  assert.equal(error, "invalid-request");
});

// The session against a peer that we script byte by byte: every way in which an operator misbehaves ends in a known state.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "../../../test/pdu.ts";
import { bound, listen, message, type Outgoing } from "../../../test/peer.ts";
import { connect } from "./connect.ts";
import { isIssued, MAX_SEQUENCE, nextSequence, ResponseTimeout, type SubmitAnswer } from "./inflight.ts";
import type { DeliverSm, OutgoingMessage } from "./pdu.ts";
import { STATUS } from "./pdu.ts";
import { BindRefused, ConnectFailed, NotSent, SessionLost } from "./terms.ts";

test("answers in any order find their submit_sm", async (t) => {
  const { session, peer } = await bound(t);
  const answers = ["a", "b", "c"].map((sourceAddr) => session.submit({ ...message, sourceAddr }));
  const requests = [await peer.next("submit_sm"), await peer.next("submit_sm"), await peer.next("submit_sm")];
  for (const request of requests.reverse()) peer.answer(request, 0, request.sourceAddr);
  assert.deepEqual(
    (await Promise.all(answers)).map(({ messageId }) => messageId),
    ["a", "b", "c"],
  );
  assert.equal(session.inFlight, 0);
});

test("a deliver_sm in the packet of the bind's answer is handled, and answered when its promise resolves", async (t) => {
  const { options, peer: connecting } = await listen(t);
  const saved = Promise.withResolvers<number>();
  const received = Promise.withResolvers<DeliverSm>();
  const onDeliver = (pdu: DeliverSm) => {
    received.resolve(pdu);
    return saved.promise;
  };
  const connected = connect({ ...options, onDeliver });
  const peer = await connecting;
  const { sequence } = await peer.next("bind_transceiver");
  peer.send(
    { command: "bind_transceiver_resp", sequence },
    { command: "deliver_sm", sequence: 9, sourceAddr: "22507" },
  );
  const session = await connected;
  assert.equal((await received.promise).sourceAddr, "22507");
  peer.send({ command: "enquire_link", sequence: 10 });
  await peer.next("enquire_link_resp");
  saved.resolve(STATUS.ESME_ROK);
  assert.equal((await peer.next("deliver_sm_resp")).sequence, 9);
  session.abort();
});

test("D10 a handler that throws is answered with a temporary error", async (t) => {
  const { session, peer } = await bound(t, { onDeliver: () => Promise.reject(new Error("database down")) });
  peer.send({ command: "deliver_sm", sequence: 1 });
  assert.equal((await peer.next("deliver_sm_resp")).status, STATUS.ESME_RX_T_APPN);
  assert.equal(session.counters.handlerErrors, 1);
});

test("S08 an answer after response_timer is reported as late", async (t) => {
  const late = Promise.withResolvers<[OutgoingMessage | undefined, SubmitAnswer]>();
  const { session, peer } = await bound(t, {
    timers: { responseMs: 50 },
    onLateAnswer: (submitted, answer) => late.resolve([submitted, answer]),
  });
  await assert.rejects(session.submit(message), ResponseTimeout);
  peer.answer(await peer.next("submit_sm"), 0, "late");
  assert.deepEqual(await late.promise, [message, { status: 0, messageId: "late" }]);
  assert.deepEqual([session.counters.timeouts, session.counters.lateAnswers], [1, 1]);
});

test("S09 a second answer is ignored and counted", async (t) => {
  const { session, peer } = await bound(t);
  const answer = session.submit(message);
  const request = await peer.next("submit_sm");
  for (const messageId of ["1", "2", "3"]) peer.answer(request, 0, messageId);
  peer.send({ command: "enquire_link", sequence: 1 });
  assert.equal((await answer).messageId, "1");
  await peer.next("enquire_link_resp");
  assert.deepEqual([session.counters.repeatedAnswers, session.counters.unknownAnswers], [2, 0]);
});

test("S10 answers to unknown numbers are counted, and more than 10 a minute end the session", async (t) => {
  const { session, peer } = await bound(t);
  const unknown = (sequence: number): Outgoing => ({ command: "submit_sm_resp", sequence, messageId: "x" });
  for (let i = 0; i < 10; i++) peer.send(unknown(1_000 + i));
  peer.send({ command: "enquire_link", sequence: 1 });
  await peer.next("enquire_link_resp");
  assert.equal(session.counters.unknownAnswers, 10);
  peer.send(unknown(2_000));
  assert.equal((await session.closed).kind, "too-many-faults");
});

test("S11 after a rebind, a sequence number of the session before answers nothing", async (t) => {
  const before = await bound(t);
  const lost = [1, 2, 3].map(() => before.session.submit(message));
  let old = 0;
  for (const _ of lost) old = (await before.peer.next("submit_sm")).sequence;
  before.peer.socket.destroy();
  for (const answer of lost) await assert.rejects(answer, SessionLost);
  const { session, peer } = await bound(t);
  const answer = session.submit(message);
  const request = await peer.next("submit_sm");
  peer.send({ command: "submit_sm_resp", sequence: old, messageId: "of the session before" });
  peer.answer(request, 0, "of this one");
  assert.equal((await answer).messageId, "of this one");
  assert.deepEqual(
    [session.counters.unknownAnswers, session.counters.answered],
    [1, 2],
    "the bind and the message",
  );
});

test("S14 generic_nack with a sequence answers that request; with 0 the session ends and the rest is lost", async (t) => {
  const { session, peer } = await bound(t);
  const first = session.submit(message);
  const { sequence } = await peer.next("submit_sm");
  peer.send({ command: "generic_nack", sequence, status: STATUS.ESME_RINVCMDLEN });
  assert.deepEqual(await first, { status: STATUS.ESME_RINVCMDLEN, messageId: "" });
  const second = assert.rejects(session.submit(message), SessionLost);
  await peer.next("submit_sm");
  peer.send({ command: "generic_nack", sequence: 0, status: STATUS.ESME_RSYSERR });
  await second;
  assert.deepEqual(await session.closed, { kind: "generic-nack", detail: "ESME_RSYSERR" });
});

for (const length of [0, 4, 8, 15, 70_000]) {
  test(`S15 command_length ${length}: generic_nack, closed at once, what is in flight is lost`, async (t) => {
    const { session, peer } = await bound(t);
    const lost = assert.rejects(session.submit(message), SessionLost);
    await peer.next("submit_sm");
    const bytes = Buffer.alloc(16);
    bytes.writeUInt32BE(length);
    peer.socket.write(bytes);
    assert.equal((await peer.next("generic_nack")).status, STATUS.ESME_RINVCMDLEN);
    await lost;
    assert.equal((await session.closed).kind, "malformed");
  });
}

test("S15 a deliver_sm whose fields are cut is refused, however many come, and the session lives on", async (t) => {
  const { session, peer } = await bound(t, { onDeliver: () => 0 });
  const bad = encode({ command: "deliver_sm", sequence: 3 }).subarray(0, 20);
  bad.writeUInt32BE(20);
  for (let i = 0; i < 30; i++) {
    peer.socket.write(bad);
    const { sequence, status } = await peer.next("deliver_sm_resp");
    assert.deepEqual([sequence, status], [3, STATUS.ESME_RINVCMDLEN]);
  }
  peer.send({ command: "deliver_sm", sequence: 4 });
  assert.equal((await peer.next("deliver_sm_resp")).status, STATUS.ESME_ROK);
  assert.equal(session.counters.malformed, 30);
});

test("D12 data_sm is taken as the deliver_sm that says the same, and answered by data_sm_resp", async (t) => {
  const taken = Promise.withResolvers<DeliverSm>();
  const { peer } = await bound(t, {
    onDeliver(pdu) {
      taken.resolve(pdu);
      return 0;
    },
  });
  const text = Buffer.from("id:7 stat:DELIVRD");
  const addresses = { sourceAddr: "2250700000000", destinationAddr: "ATUMPAN" };
  peer.send({ command: "data_sm", sequence: 5, ...addresses, esmClass: 4, tlvs: { messagePayload: text } });
  const answer = await peer.next("data_sm_resp");
  assert.deepEqual([answer.sequence, answer.status], [5, 0]);
  const { sourceAddr, destinationAddr, esmClass, shortMessage, tlvs } = await taken.promise;
  assert.deepEqual({ sourceAddr, destinationAddr }, addresses);
  assert.deepEqual([esmClass, shortMessage.length, tlvs?.messagePayload], [4, 0, text]);
});

test("an unknown command is nacked with ESME_RINVCMDID and the session lives on", async (t) => {
  const { peer } = await bound(t);
  peer.socket.write(Buffer.from("00000010000000210000000000000009", "hex"));
  const nack = await peer.next("generic_nack");
  assert.deepEqual([nack.status, nack.sequence], [STATUS.ESME_RINVCMDID, 9]);
  peer.send({ command: "enquire_link", sequence: 1 });
  await peer.next("enquire_link_resp");
});

test("S16 a PDU that comes byte by byte is closed by the PDU read timer", async (t) => {
  const { session, peer } = await bound(t, { timers: { pduReadMs: 100 } });
  const bytes = encode({ command: "deliver_sm", sequence: 1 });
  let at = 0;
  const drip = setInterval(() => peer.socket.write(bytes.subarray(at, ++at)), 20);
  t.after(() => clearInterval(drip));
  assert.equal((await session.closed).kind, "pdu-read-timeout");
  assert.ok(at < bytes.length);
});

test("S17 two unanswered enquire_link end the session, and any sign of life in between saves it", async (t) => {
  const { session, peer } = await bound(t, { timers: { enquireLinkMs: 40, responseMs: 40 } });
  peer.answer(await peer.next("enquire_link"));
  await peer.next("enquire_link");
  peer.send({ command: "enquire_link", sequence: 5 });
  await peer.next("enquire_link_resp");
  await peer.next("enquire_link");
  await peer.next("enquire_link");
  assert.equal((await session.closed).kind, "enquire-link-timeout");
});

test("S18 a bind that nobody answers, and a port where nobody listens, are ConnectFailed", async (t) => {
  const { options } = await listen(t);
  await assert.rejects(connect({ ...options, timers: { bindMs: 50 } }), ConnectFailed);
  await assert.rejects(connect({ ...options, port: 1 }), ConnectFailed);
});

for (const status of [STATUS.ESME_RINVPASWD, STATUS.ESME_RINVSYSID, STATUS.ESME_RALYBND]) {
  test(`S19 a bind refused with status ${status} rejects with BindRefused`, async (t) => {
    const { options, peer: connecting } = await listen(t);
    const refused = assert.rejects(
      connect(options),
      (error) => error instanceof BindRefused && error.status === status,
    );
    const peer = await connecting;
    peer.answer(await peer.next("bind_transceiver"), status);
    await refused;
  });
}

test("S22 a peer that stops reading: a bounded buffer, NotSent above it, and timers that end it", async (t) => {
  const { session, peer } = await bound(t, { timers: { responseMs: 300, enquireLinkMs: 300 } });
  peer.socket.pause();
  const long = { ...message, tlvs: { messagePayload: Buffer.alloc(60_000) } };
  let refused = 0;
  const count = (error: unknown) => {
    if (error instanceof NotSent) refused++;
  };
  const before = process.memoryUsage().arrayBuffers;
  const sent: Promise<unknown>[] = [];
  for (let round = 0; round < 40; round++) {
    for (let i = 0; i < 10; i++) sent.push(session.submit(long).catch(count));
    await new Promise(setImmediate);
  }
  assert.ok(process.memoryUsage().arrayBuffers - before < 16 * 1024 * 1024);
  assert.equal((await session.closed).kind, "enquire-link-timeout");
  await Promise.all(sent);
  assert.ok(refused > 0);
});

test("S26 sequence numbers go from 0x7FFFFFFF to 1, past those that still wait, and are recognised on both sides", () => {
  const waiting = new Set([1, 2]);
  assert.equal(
    nextSequence(MAX_SEQUENCE - 1, () => false),
    MAX_SEQUENCE,
  );
  assert.equal(
    nextSequence(MAX_SEQUENCE, (sequence) => waiting.has(sequence)),
    3,
  );
  const recognised = [MAX_SEQUENCE - 1, MAX_SEQUENCE, 1, 2, 3].filter((sequence) => isIssued(sequence, 2, 3));
  assert.deepEqual(recognised, [MAX_SEQUENCE, 1, 2]);
  for (const never of [0, -1, MAX_SEQUENCE + 1]) assert.equal(isIssued(never, 2, MAX_SEQUENCE), false);
});

test("what a field cannot carry is refused before anything is sent, and the session lives on", async (t) => {
  const { session, peer } = await bound(t);
  await assert.rejects(session.submit({ destinationAddr: "1".repeat(30) }), { name: "InvalidField" });
  const answer = session.submit(message);
  peer.answer(await peer.next("submit_sm"), 0, "1");
  assert.equal((await answer).messageId, "1");
});

test("a connection that falls loses what is in flight, once, and later requests are NotSent", async (t) => {
  const { session, peer } = await bound(t);
  const lost = assert.rejects(session.submit(message), SessionLost);
  await peer.next("submit_sm");
  peer.socket.destroy();
  await lost;
  assert.match((await session.closed).kind, /peer-closed|socket-error/);
  await assert.rejects(session.submit(message), NotSent);
});

// How a session ends in order, by either side: what is in flight is finished first, and what the peer said is not lost.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createConnection, createServer } from "node:net";
import { test } from "node:test";
import { encode } from "../../../test/pdu.ts";
import { bound, message, Peer } from "../../../test/peer.ts";
import { accept } from "./connect.ts";
import type { SubmitAnswer } from "./inflight.ts";
import { STATUS } from "./pdu.ts";
import { NotSent, SessionLost } from "./terms.ts";

test("S20 the peer's unbind is answered last: after our window, its own messages and what is to be settled", async (t) => {
  const stored = Promise.withResolvers<number>();
  const settled = Promise.withResolvers<void>();
  const { session, peer } = await bound(t, {
    onDeliver: () => stored.promise,
    onUnbind: () => settled.promise,
  });
  const answer = session.submit(message);
  const request = await peer.next("submit_sm");
  peer.send({ command: "unbind", sequence: 1 }, { command: "deliver_sm", sequence: 2 });
  peer.send({ command: "enquire_link", sequence: 3 });
  await peer.next("enquire_link_resp");
  await assert.rejects(session.submit(message), NotSent);
  peer.answer(request, 0, "in time");
  assert.equal((await answer).messageId, "in time");
  settled.resolve();
  stored.resolve(STATUS.ESME_ROK);
  assert.equal((await peer.next("deliver_sm_resp")).sequence, 2);
  assert.equal((await peer.next("unbind_resp")).sequence, 1);
  assert.equal((await session.closed).kind, "peer-unbound");
});

test("S20 a window that is not answered delays the answer to the peer's unbind by the drain, and is lost", async (t) => {
  const { session, peer } = await bound(t, {
    timers: { drainMs: 100 },
    onUnbind: () => Promise.reject(new Error("database down")),
  });
  const lost = assert.rejects(session.submit(message), SessionLost);
  await peer.next("submit_sm");
  peer.send({ command: "unbind", sequence: 1 });
  await peer.next("unbind_resp");
  await lost;
  assert.equal((await session.closed).kind, "peer-unbound");
  assert.equal(session.counters.handlerErrors, 1);
});

test("S20 an SMSC answers a client's unbind after the client's messages", async (t) => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const judged = Promise.withResolvers<SubmitAnswer>();
  server.on("connection", (socket) => accept(socket, { onBind: () => 0, onSubmit: () => judged.promise }));
  const client = createConnection((server.address() as AddressInfo).port, "127.0.0.1");
  t.after(() => client.destroy());
  const peer = new Peer(client);
  peer.send({ command: "bind_transmitter", sequence: 1, systemId: "esme", password: "secret" });
  await peer.next("bind_transmitter_resp");
  peer.send({ command: "submit_sm", sequence: 2 }, { command: "unbind", sequence: 3 });
  peer.send({ command: "enquire_link", sequence: 4 });
  await peer.next("enquire_link_resp");
  judged.resolve({ status: 0, messageId: "A1" });
  assert.equal((await peer.next("submit_sm_resp")).messageId, "A1");
  await peer.next("unbind_resp");
  await once(client, "close");
});

test("both sides unbind at once: each is answered, and the session ends", async (t) => {
  const { session, peer } = await bound(t);
  const ended = session.unbind();
  const request = await peer.next("unbind");
  peer.send({ command: "unbind", sequence: 9 });
  assert.equal((await peer.next("unbind_resp")).sequence, 9);
  peer.answer(request);
  await ended;
});

test("S33 a deliver_sm in the packet in which the peer closes is through its handler when `handled` resolves", async (t) => {
  const stored = Promise.withResolvers<number>();
  let isStored = false;
  const { session, peer } = await bound(t, { onDeliver: () => stored.promise });
  peer.socket.end(encode({ command: "deliver_sm", sequence: 1 }));
  await session.closed;
  const handled = session.handled().then(() => assert.ok(isStored));
  isStored = true;
  stored.resolve(STATUS.ESME_ROK);
  await handled;
});

test("our unbind lets what is in flight finish first, then leaves", async (t) => {
  const { session, peer } = await bound(t);
  const answer = session.submit(message);
  const request = await peer.next("submit_sm");
  const ended = session.unbind();
  await assert.rejects(session.submit(message), NotSent);
  peer.answer(request, 0, "last");
  assert.equal((await answer).messageId, "last");
  peer.answer(await peer.next("unbind"));
  await ended;
  assert.equal((await session.closed).kind, "unbound");
});

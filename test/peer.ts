// The other end of an SMPP session, which a test scripts PDU by PDU.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { PduReader } from "../src/protocol/smpp/codec.ts";
import { type ConnectOptions, connect } from "../src/protocol/smpp/connect.ts";
import type { Command, KnownPdu, OutgoingMessage, Pdu } from "../src/protocol/smpp/pdu.ts";
import type { Session } from "../src/protocol/smpp/session.ts";
import { encode } from "./pdu.ts";

export type Outgoing = Parameters<typeof encode>[0];

/** The other end of a connection: what it read can be awaited, what it sends is up to the test. */
export class Peer {
  readonly socket: Socket;
  readonly #reader = new PduReader();
  readonly #read: Pdu[] = [];
  #wake = () => {};
  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      this.#reader.push(chunk);
      for (let pdu = this.#reader.next(); pdu !== undefined; pdu = this.#reader.next()) this.#read.push(pdu);
      this.#wake();
    });
  }
  /** The next PDU, which must be a `command`. */
  async next<C extends Command>(command: C): Promise<KnownPdu & { command: C }> {
    while (this.#read.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    const pdu = this.#read.shift()!;
    assert.equal(pdu.command, command);
    return pdu as KnownPdu & { command: C };
  }
  send(...pdus: Outgoing[]): void {
    this.socket.write(Buffer.concat(pdus.map((pdu) => encode(pdu))));
  }
  answer(request: Pdu, status = 0, messageId = ""): void {
    this.send({
      command: `${request.command}_resp` as "submit_sm_resp",
      sequence: request.sequence,
      status,
      messageId,
    });
  }
}

const MS = 5_000;
const LONG = {
  connectMs: MS,
  bindMs: MS,
  responseMs: MS,
  enquireLinkMs: MS,
  pduReadMs: MS,
  drainMs: MS,
};

/** A listening operator that accepts one connection, and what connects to it. */
export async function listen(t: TestContext) {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const sockets: Socket[] = [];
  server.on("connection", (socket) => sockets.push(socket));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const options: ConnectOptions = {
    host: "127.0.0.1",
    port,
    bindType: "transceiver",
    systemId: "esme",
    password: "secret",
    timers: LONG,
  };
  const peer = once(server, "connection").then(([socket]) => new Peer(socket as Socket));
  return { options, peer };
}

/** A bound ESME session and the peer that bound it. */
export async function bound(
  t: TestContext,
  extra: Partial<ConnectOptions> = {},
): Promise<{ session: Session; peer: Peer }> {
  const { options, peer: connecting } = await listen(t);
  const timers = { ...LONG, ...extra.timers };
  const connected = connect({ ...options, ...extra, timers });
  const peer = await connecting;
  peer.answer(await peer.next("bind_transceiver"));
  const session = await connected;
  t.after(() => session.abort());
  return { session, peer };
}

export const message: OutgoingMessage = { destinationAddr: "2250700000000", shortMessage: Buffer.from("hi") };

// A foreign SMSC for tests: it reads and writes bytes without our session, logs each submit_sm, and never repeats anything.
import { type AddressInfo, createServer, type Socket } from "node:net";
import { decode } from "../src/protocol/smpp/codec.ts";
import type { KnownPdu, Pdu, SubmitSm } from "../src/protocol/smpp/pdu.ts";
import { encode } from "./pdu.ts";
import type { Scope } from "./sending.ts";

type Written = Parameters<typeof encode>[0];

/** One connection of a client. `number` counts them from 1. */
export type Connection = {
  readonly number: number;
  readonly socket: Socket;
  write(pdus: readonly Written[]): void;
};

export type ForeignOptions = {
  /** What stands behind the last field of each PDU. */
  tail?: Buffer;
  /** What it does with a PDU beside the bind and enquire_link, which it answers. */
  onPdu: (pdu: Pdu, connection: Connection) => void;
};

export type ForeignSmsc = {
  readonly port: number;
  readonly binds: number;
  /** Every submit_sm that came, in order. */
  readonly received: readonly SubmitSm[];
};

/** Starts an SMSC on a free port. */
export async function startForeign(scope: Scope, { tail, onPdu }: ForeignOptions): Promise<ForeignSmsc> {
  const sockets: Socket[] = [];
  const received: SubmitSm[] = [];
  let binds = 0;
  const server = createServer((socket) => {
    const connection: Connection = {
      number: sockets.push(socket),
      socket,
      write: (pdus) => void socket.write(Buffer.concat(pdus.map((pdu) => withTail(encode(pdu), tail)))),
    };
    socket.on("error", () => {});
    readFrames(socket, (frame) => {
      const pdu = decode(frame);
      const { sequence } = pdu;
      if (pdu.command === "bind_transceiver") {
        binds++;
        connection.write([{ command: "bind_transceiver_resp", sequence, systemId: "SMSC" }]);
      } else if (pdu.command === "enquire_link")
        connection.write([{ command: "enquire_link_resp", sequence }]);
      else {
        if (pdu.command === "submit_sm") received.push(pdu);
        onPdu(pdu, connection);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  scope.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    port: (server.address() as AddressInfo).port,
    received,
    get binds() {
      return binds;
    },
  };
}

function withTail(bytes: Buffer, tail: Buffer | undefined): Buffer {
  const whole = tail ? Buffer.concat([bytes, tail]) : bytes;
  whole.writeUInt32BE(whole.length);
  return whole;
}

function readFrames(socket: Socket, onFrame: (frame: Buffer) => void): void {
  let bytes = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 4 && bytes.length >= bytes.readUInt32BE()) {
      const length = bytes.readUInt32BE();
      onFrame(bytes.subarray(0, length));
      bytes = bytes.subarray(length);
    }
  });
}

/** The answer that accepts a submit_sm; its id is made of the phone, so that it is the same however often it comes. */
export function acceptance({ sequence, destinationAddr }: SubmitSm): Written {
  return { command: "submit_sm_resp", sequence, messageId: idOf(destinationAddr) };
}

/** The receipt that says that a message was delivered. */
export function receiptOf({ sourceAddr, destinationAddr }: SubmitSm, sequence: number): Written {
  const text = `id:${idOf(destinationAddr)} sub:001 dlvrd:001 submit date:2611261200 done date:2611261200 stat:DELIVRD err:000 text:`;
  return {
    command: "deliver_sm",
    sequence,
    esmClass: 4,
    sourceAddr: destinationAddr,
    destinationAddr: sourceAddr,
    shortMessage: Buffer.from(text, "latin1"),
  };
}

function idOf(phone: string): string {
  return `F${phone.slice(-9)}`;
}

/** Whether a PDU answers a receipt with success. */
export function isTaken(pdu: Pdu): pdu is KnownPdu & { command: "deliver_sm_resp" } {
  return pdu.command === "deliver_sm_resp" && pdu.status === 0;
}

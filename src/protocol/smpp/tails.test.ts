// S32: octets behind the mandatory fields that cannot be read cost neither their PDU nor the session, in both roles.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { atLength } from "../../../test/length.ts";
import { encode } from "../../../test/pdu.ts";
import { decode, MalformedPdu } from "./codec.ts";
import { accept, connect } from "./connect.ts";
import { COMMANDS, type Command, type Field, type KnownPdu, type Pdu, STATUS, TLVS } from "./pdu.ts";

const HEADER_BYTES = 16;
const IS_RESPONSE = 0x80000000;

/** One value of each mandatory field, none of them empty. */
function valuesOf(command: Command): Record<string, unknown> {
  const fields = Object.entries(COMMANDS[command].fields) as [string, Field][];
  return Object.fromEntries(
    fields.map(([name, { kind, size }]) => [
      name,
      kind === "text" ? "7".repeat(Math.min(size - 1, 5)) : kind === "octet" ? 1 : Buffer.from("Akwaba"),
    ]),
  );
}

function bytesOf(command: Command, tail: Buffer): Buffer {
  const bytes = Buffer.concat([
    encode({ command, sequence: 7, ...valuesOf(command) } as Partial<KnownPdu> & { command: Command }),
    tail,
  ]);
  bytes.writeUInt32BE(bytes.length);
  return bytes;
}

/** The mandatory fields of a PDU that was read. */
function fieldsOf(pdu: Pdu, command: Command): Record<string, unknown> {
  const read = pdu as unknown as Record<string, unknown>;
  return Object.fromEntries(Object.keys(COMMANDS[command].fields).map((name) => [name, read[name]]));
}

const STATE = Buffer.from("0427000102", "hex");
const tlv = (tag: number, length: number, octets: number) => {
  const bytes = Buffer.alloc(4 + octets, 1);
  bytes.writeUInt16BE(tag);
  bytes.writeUInt16BE(length, 2);
  return bytes;
};
const cut = (bytes: Buffer) =>
  fc.integer({ min: 1, max: bytes.length - 1 }).map((end) => bytes.subarray(0, end));

/** What operators write behind the fields, and what of it is ignored. */
const TAILS: Record<string, fc.Arbitrary<{ tail: Buffer; readable: boolean }>> = {
  "a stray NUL": fc.constant({ tail: Buffer.from([0]), readable: false }),
  "two stray NULs": fc.constant({ tail: Buffer.from([0, 0]), readable: false }),
  "a stray NUL before parameters": fc.constant({
    tail: Buffer.concat([Buffer.from([0]), STATE]),
    readable: true,
  }),
  "a cut parameter": cut(STATE).map((tail) => ({ tail, readable: false })),
  "a cut parameter behind a whole one": cut(STATE).map((rest) => ({
    tail: Buffer.concat([STATE, rest]),
    readable: true,
  })),
  "a parameter that runs over the end": fc
    .tuple(fc.integer({ min: 1, max: 0xffff }), fc.integer({ min: 1, max: 0xffff }))
    .map(([tag, more]) => ({ tail: tlv(tag, Math.min(0xffff, 2 + more), 2), readable: false })),
  "a parameter of the wrong length": fc
    .tuple(
      fc.constantFrom(...Object.values(TLVS).filter(({ kind }) => kind === "integer")),
      fc.integer({ min: 0, max: 9 }),
    )
    .filter(([{ size }, length]) => length !== size)
    .map(([{ tag }, length]) => ({ tail: Buffer.concat([tlv(tag, length, length), STATE]), readable: true })),
};

for (const [name, tails] of Object.entries(TAILS))
  test(`S32 ${name} behind the fields of any PDU is ignored, and counted`, () => {
    for (const command of Object.keys(COMMANDS) as Command[])
      fc.assert(
        fc.property(tails, ({ tail, readable }) => {
          const pdu = decode(bytesOf(command, tail)) as KnownPdu;
          assert.deepEqual([pdu.command, pdu.sequence], [command, 7]);
          assert.deepEqual(fieldsOf(pdu, command), valuesOf(command));
          assert.ok(pdu.unread! > 0 && pdu.unread! <= tail.length, `${pdu.unread} of ${tail.length}`);
          if (readable) assert.equal(pdu.tlvs?.messageState, 2);
        }),
        { numRuns: atLength({ short: 20, long: 1_000 }) },
      );
  });

test("S32 any octets behind the fields of any PDU leave its fields as they are", () => {
  for (const command of Object.keys(COMMANDS) as Command[])
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (octets) => {
        const pdu = decode(bytesOf(command, Buffer.from(octets)));
        assert.deepEqual(fieldsOf(pdu, command), valuesOf(command));
      }),
      { numRuns: atLength({ short: 100, long: 5_000 }) },
    );
});

test("S32 a PDU cut inside its fields is an answer all the same, or names the request that is to be refused", () => {
  for (const command of Object.keys(COMMANDS) as Command[]) {
    const whole = bytesOf(command, Buffer.alloc(0));
    for (let length = HEADER_BYTES; length < whole.length; length++) {
      const bytes = Buffer.from(whole.subarray(0, length));
      bytes.writeUInt32BE(length);
      if (COMMANDS[command].id >= IS_RESPONSE) {
        const { sequence, status } = decode(bytes);
        assert.deepEqual([sequence, status], [7, 0], `${command} of ${length} bytes`);
      } else
        assert.throws(
          () => decode(bytes),
          (error: MalformedPdu) => {
            assert.ok(error instanceof MalformedPdu);
            assert.deepEqual(error.request, { command, sequence: 7 });
            return true;
          },
        );
    }
  }
});

const unread = (command: Command, body: Buffer) => {
  const bytes = Buffer.concat([encode({ command, sequence: 7 }).subarray(0, HEADER_BYTES), body]);
  bytes.writeUInt32BE(bytes.length);
  return decode(bytes) as KnownPdu & { messageId: string };
};

test("S32 a message_id without its NUL counts if it is printable and fits; otherwise the answer has none", () => {
  assert.equal(unread("submit_sm_resp", Buffer.from("4F2A")).messageId, "4F2A");
  for (const octets of [Buffer.from([0xff, 0x80, 0x07]), Buffer.alloc(65, "7"), Buffer.from("4F 2A\n")]) {
    const pdu = unread("submit_sm_resp", octets);
    assert.deepEqual([pdu.status, pdu.messageId, pdu.unread], [0, "", octets.length]);
  }
});

/** Writes each PDU with a stray NUL behind it, as an operator whose fields all end with one NUL too many. */
function strayNuls(socket: Socket): (pdus: Parameters<typeof encode>[0][]) => void {
  return (pdus) => {
    for (const pdu of pdus) {
      const bytes = Buffer.concat([encode(pdu), Buffer.from([0])]);
      bytes.writeUInt32BE(bytes.length);
      socket.write(bytes);
    }
  };
}

test("S32 300 messages to an operator that writes a NUL too many in every PDU: one session, 300 answers", async (t) => {
  const server = createServer((socket) => {
    const send = strayNuls(socket);
    let bytes = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= 4 && bytes.length >= bytes.readUInt32BE()) {
        const { command, sequence } = decode(bytes.subarray(0, bytes.readUInt32BE()));
        bytes = bytes.subarray(bytes.readUInt32BE());
        if (command === "bind_transceiver")
          send([{ command: "bind_transceiver_resp", sequence, systemId: "SMSC" }]);
        if (command === "unbind") send([{ command: "unbind_resp", sequence }]);
        if (command !== "submit_sm") continue;
        send([
          { command: "submit_sm_resp", sequence, messageId: `${sequence}` },
          { command: "deliver_sm", sequence, sourceAddr: "225", shortMessage: Buffer.from("id:1") },
        ]);
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  let delivered = 0;
  let tails = 0;
  const session = await connect({
    host: "127.0.0.1",
    port: (server.address() as AddressInfo).port,
    bindType: "transceiver",
    systemId: "esme",
    password: "secret",
    onDeliver: () => {
      delivered++;
      return 0;
    },
    onUnreadTail: () => tails++,
  });
  t.after(() => session.abort());
  const answers = await Promise.all(
    Array.from({ length: 300 }, () => session.submit({ destinationAddr: "2250700000000" })),
  );
  assert.ok(answers.every(({ status, messageId }) => status === STATUS.ESME_ROK && messageId !== ""));
  await session.unbind();
  assert.equal(delivered, 300);
  assert.deepEqual([session.counters.unreadTails, tails], [602, 602]);
  assert.equal(session.counters.malformed, 0);
});

test("S32 an SMSC takes the messages of a client that writes a NUL too many", async (t) => {
  const sizes: number[] = [];
  const server = createServer((socket) => {
    accept(socket, {
      onBind: () => 0,
      onSubmit: ({ shortMessage }) => ({ status: 0, messageId: `${sizes.push(shortMessage.length)}` }),
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const socket = createConnection((server.address() as AddressInfo).port, "127.0.0.1");
  const send = strayNuls(socket);
  const addressed = { destinationAddr: "2250700000000", shortMessage: Buffer.from("hi") };
  send([{ command: "bind_transceiver", sequence: 1, systemId: "esme", password: "secret" }]);
  await once(socket, "data");
  send(Array.from({ length: 30 }, (_, i) => ({ command: "submit_sm", sequence: i + 2, ...addressed })));
  send([{ command: "unbind", sequence: 40 }]);
  await once(socket.resume(), "end");
  assert.deepEqual(sizes, Array(30).fill(2));
});

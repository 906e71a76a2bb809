// The codec: what is encoded is decoded again, however it is cut, and bytes that are no PDU only ever give MalformedPdu.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { cheapest } from "../../../test/cost.ts";
import { atLength, inShortRuns } from "../../../test/length.ts";
import { encode } from "../../../test/pdu.ts";
import { decode, InvalidField, MAX_PDU_BYTES, MalformedPdu, PduReader } from "./codec.ts";
import {
  COMMANDS,
  type Command,
  type Field,
  type KnownPdu,
  type Pdu,
  STATUS,
  statusName,
  TLVS,
} from "./pdu.ts";

/** S15 asks for 1,000,000 before a release; a change is tested with a fifth. */
const FUZZ_PDUS = atLength({ short: 5_000, long: 200_000, night: 20_000_000 });
const MAX_GROWTH_BYTES = 10 * 1024 * 1024;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const latin1 = (maxLength: number) =>
  fc.array(fc.integer({ min: 1, max: 255 }), { maxLength }).map((codes) => String.fromCharCode(...codes));
const octets = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));

function anyValue(field: { kind: string; size: number }): fc.Arbitrary<unknown> {
  if (field.kind === "text") return latin1(field.size - 1);
  if (field.kind === "octet" || field.kind === "integer")
    return fc.integer({ min: 0, max: 256 ** field.size - 1 });
  return octets(Math.min(field.size === 255 ? 254 : field.size, 400));
}

const knownTlvs = fc.record(
  Object.fromEntries(Object.entries(TLVS).map(([name, tlv]) => [name, anyValue(tlv)])),
  { requiredKeys: [] },
);
const otherTlvs = fc.array(fc.record({ tag: fc.integer({ min: 0x1400, max: 0x3fff }), value: octets(50) }), {
  maxLength: 3,
});
const anyTlvs = fc
  .tuple(knownTlvs, otherTlvs)
  .map(([known, other]) => ({
    ...known,
    ...(other.length > 0 ? { other: other.map((tlv) => ({ ...tlv })) } : {}),
  }))
  .map((tlvs) => (Object.keys(tlvs).length > 0 ? tlvs : undefined));

const anyPdu: fc.Arbitrary<KnownPdu> = fc
  .constantFrom(...(Object.keys(COMMANDS) as Command[]))
  .chain((command) => {
    const fields = Object.entries(COMMANDS[command].fields) as [string, Field][];
    return fc.record({
      command: fc.constant(command),
      status: fc.constant(0),
      sequence: fc.integer({ min: 0, max: 0xffffffff }),
      ...Object.fromEntries(fields.map(([name, field]) => [name, anyValue(field)])),
      tlvs: anyTlvs,
    }) as unknown as fc.Arbitrary<KnownPdu>;
  });

function readAll(reader: PduReader): Pdu[] {
  const pdus: Pdu[] = [];
  for (let pdu = reader.next(); pdu !== undefined; pdu = reader.next()) pdus.push(pdu);
  return pdus;
}

test("every PDU is decoded to what was encoded, with its optional parameters", () => {
  fc.assert(
    fc.property(anyPdu, (pdu) => {
      assert.deepEqual(decode(encode(pdu)), { ...pdu });
    }),
    { numRuns: atLength({ short: 300, long: 5_000 }) },
  );
});

test("a stream gives the same PDUs however it is cut into chunks", () => {
  fc.assert(
    fc.property(
      fc.array(anyPdu, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 90 })),
      (pdus, cuts) => {
        const stream = Buffer.concat(pdus.map((pdu) => encode(pdu)));
        const reader = new PduReader();
        const read: Pdu[] = [];
        for (let at = 0, i = 0; at < stream.length; i++) {
          const length = cuts.length > 0 ? cuts[i % cuts.length]! : 1;
          reader.push(stream.subarray(at, at + length));
          read.push(...readAll(reader));
          at += length;
        }
        assert.deepEqual(
          read,
          pdus.map((pdu) => ({ ...pdu })),
        );
        assert.equal(reader.partial, false);
      },
    ),
  );
});

test("a PDU of 64 KiB in chunks of one byte takes linear time", inShortRuns, () => {
  // Some machines count CPU time in ticks of 4 ms: the shorter one must take many, and takes 50 ms (2026-11-28).
  const TIMES = 5;
  const costOf = (length: number) => {
    const pdu = encode({ command: "deliver_sm", tlvs: { messagePayload: Buffer.alloc(length, 65) } });
    return cheapest(() => {
      const reader = new PduReader();
      for (let i = 0; i < TIMES * pdu.length; i++)
        reader.push(pdu.subarray(i % pdu.length, (i % pdu.length) + 1));
      const read = reader.next() as KnownPdu & { command: "deliver_sm" };
      assert.equal(read.tlvs?.messagePayload?.length, length);
    });
  };
  costOf(1_000);
  // Four times as long is four times as dear; where each byte walked all before it, sixteen times.
  const [short, long] = [costOf(16_250), costOf(65_000)];
  assert.ok(long < 10 * short, `${short} ms, four times as long ${long} ms`);
});

test("a refusal has no body, and a response without a body is read as empty (section 4.4.2)", () => {
  const bytes = encode({ command: "submit_sm_resp", status: STATUS.ESME_RTHROTTLED, sequence: 7 });
  assert.equal(bytes.length, 16);
  assert.deepEqual(
    { ...decode(bytes) },
    { command: "submit_sm_resp", status: 0x58, sequence: 7, messageId: "", tlvs: undefined },
  );
});

test("an unknown command is handed over, not refused", () => {
  const bytes = Buffer.from("00000014000000210000000000000009deadbeef", "hex");
  assert.deepEqual(decode(bytes), { command: "unknown", status: 0, sequence: 9, commandId: 0x21 });
});

test("an integer TLV of the wrong length is kept as bytes; a text TLV needs no NUL", () => {
  const other = [
    { tag: TLVS.messageState.tag, value: Buffer.from([0, 2]) },
    { tag: TLVS.receiptedMessageId.tag, value: Buffer.from("A1") },
  ];
  const pdu = decode(encode({ command: "deliver_sm", tlvs: { other } })) as Pdu & { command: "deliver_sm" };
  assert.deepEqual(pdu.tlvs, { receiptedMessageId: "A1", other: [other[0]] });
  assert.equal(pdu.unread, 6);
});

test("what a field cannot carry is InvalidField, and never truncated", () => {
  const refuse = (pdu: Parameters<typeof encode>[0]) => assert.throws(() => encode(pdu), InvalidField);
  refuse({ command: "submit_sm", destinationAddr: "1".repeat(21) });
  refuse({ command: "submit_sm", sourceAddr: "a\0b" });
  refuse({ command: "submit_sm", sourceAddr: "☃" });
  refuse({ command: "submit_sm", shortMessage: Buffer.alloc(255) });
  refuse({ command: "submit_sm", esmClass: 256 });
  refuse({ command: "submit_sm", esmClass: Number.NaN });
  refuse({ command: "submit_sm", tlvs: { userMessageReference: 65_536 } });
  refuse({ command: "submit_sm", tlvs: { networkErrorCode: Buffer.alloc(4) } });
  refuse({ command: "submit_sm", tlvs: { messagePayload: Buffer.alloc(MAX_PDU_BYTES) } });
});

const submit = encode({
  command: "submit_sm",
  sequence: 5,
  destinationAddr: "22507",
  shortMessage: Buffer.from("hi"),
});

/** The same PDU with other bytes at `at`, and its own length. */
function damaged(source: Buffer, at: number, bytes: number[]): Buffer {
  const copy = Buffer.from(source);
  copy.set(bytes, at);
  return copy;
}

function malformed(bytes: Buffer): MalformedPdu {
  const reader = new PduReader();
  reader.push(bytes);
  try {
    reader.next();
  } catch (error) {
    assert.ok(error instanceof MalformedPdu);
    return error;
  }
  throw new Error("read without an error");
}

for (const length of [0, 4, 8, 15, MAX_PDU_BYTES + 1, 0xffffffff]) {
  test(`S15 command_length ${length} loses the framing`, () => {
    const header = Buffer.alloc(16);
    header.writeUInt32BE(length);
    assert.equal(malformed(header).request, undefined);
    // Four bytes are enough to know: waiting for more would be deafness.
    assert.equal(malformed(header.subarray(0, 4)).request, undefined);
  });
}

test("S15 a request with a truncated body or a missing NUL is malformed, and the next PDU is read", () => {
  const truncated = damaged(submit.subarray(0, 30), 0, [0, 0, 0, 30]);
  const noNul = damaged(submit, 16, Array(submit.length - 16).fill(65));
  for (const bytes of [truncated, noNul]) {
    assert.deepEqual(malformed(bytes).request, { command: "submit_sm", sequence: 5 });
    const reader = new PduReader();
    reader.push(Buffer.concat([bytes, submit]));
    assert.throws(() => reader.next(), MalformedPdu);
    assert.equal(reader.next()?.command, "submit_sm");
  }
});

/** A fast, seeded generator (mulberry32): fast-check's own would take minutes for this many. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test(`S15 ${FUZZ_PDUS} random and damaged PDUs: only MalformedPdu, and memory stays flat`, () => {
  const seed = Date.now() % 2 ** 31;
  const random = randomOf(seed);
  const ids = Object.values(COMMANDS).map(({ id }) => id);
  const samples = [
    submit,
    encode({ command: "deliver_sm", sequence: 1, tlvs: { receiptedMessageId: "1", messageState: 2 } }),
  ];
  let malformedCount = 0;
  const fuzzOne = () => {
    let bytes: Buffer;
    if (random() < 0.5) {
      bytes = Buffer.from(samples[Math.floor(random() * samples.length)]!);
      for (let i = 0; i < 3; i++)
        bytes[16 + Math.floor(random() * (bytes.length - 16))] = Math.floor(random() * 256);
    } else {
      bytes = Buffer.alloc(16 + Math.floor(random() * 120));
      for (let i = 0; i < bytes.length; i++) bytes[i] = random() < 0.3 ? 0 : Math.floor(random() * 256);
      bytes.writeUInt32BE(ids[Math.floor(random() * ids.length)]!, 4);
      bytes.writeUInt32BE(random() < 0.95 ? bytes.length : Math.floor(random() * 2 ** 32), 0);
    }
    const reader = new PduReader();
    try {
      reader.push(bytes);
      while (reader.next() !== undefined);
    } catch (error) {
      if (!(error instanceof MalformedPdu))
        throw new Error(`seed ${seed}: ${bytes.toString("hex")}`, { cause: error });
      malformedCount++;
    }
  };
  for (let i = 0; i < FUZZ_PDUS / 10; i++) fuzzOne();
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < FUZZ_PDUS; i++) fuzzOne();
  collectGarbage();
  assert.ok(process.memoryUsage().heapUsed - before < MAX_GROWTH_BYTES);
  assert.ok(malformedCount > FUZZ_PDUS / 10, `seed ${seed}`);
});

test("a command_status has its name, and a vendor's its number", () => {
  assert.equal(statusName(0x58), "ESME_RTHROTTLED");
  assert.equal(statusName(0x400), "0x00000400");
});

// Receipts as operators really write them: read without a throw, in linear time, with ids that match.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cheapest } from "../../../test/cost.ts";
import { encode } from "../../../test/pdu.ts";
import { decode } from "./codec.ts";
import { deliveryAgeMs, isTimeZone } from "./donedate.ts";
import type { DeliverSm, Tlvs } from "./pdu.ts";
import { isReceipt, normaliseMessageId, readReceipt, writeReceipt } from "./receipts.ts";

function deliver(text: string, tlvs?: Tlvs, esmClass = 4): DeliverSm {
  const octets = Buffer.from(text, "latin1");
  const long = octets.length > 254;
  return decode(
    encode({
      command: "deliver_sm",
      esmClass,
      shortMessage: long ? Buffer.alloc(0) : octets,
      tlvs: long ? { ...tlvs, messagePayload: octets } : tlvs,
    }),
  ) as DeliverSm;
}

const TEXT =
  "id:0A1f sub:001 dlvrd:001 submit date:2611210904 done date:2611210905 stat:DELIVRD err:000 text:Bonjour";

test("a receipt of appendix B is read from its text", () => {
  assert.deepEqual(readReceipt(deliver(TEXT)), {
    messageId: "0A1f",
    state: "DELIVERED",
    final: true,
    errorCode: "000",
    doneAt: new Date("2026-11-21T09:05:59Z"),
  });
});

test("the parameters win over the text", () => {
  const tlvs = {
    receiptedMessageId: "77",
    messageState: 5,
    networkErrorCode: Buffer.from([3, 0, 42]),
    userMessageReference: 9,
  };
  const receipt = readReceipt(deliver(TEXT, tlvs));
  assert.deepEqual(
    [receipt?.messageId, receipt?.state, receipt?.errorCode, receipt?.userMessageReference],
    ["77", "UNDELIVERED", "3:42", 9],
  );
});

for (const [name, text, expected] of [
  ["any case", "ID:5 STAT:delivrd ERR:1", ["5", "DELIVERED", "1"]],
  ["spaces around the colon", "id :  5   stat:   EXPIRED\terr : 7", ["5", "EXPIRED", "7"]],
  ["another order and commas", "stat:REJECTD, err:8, id:5", ["5", "REJECTED", "8"]],
  ["an empty field before another", "id:5 sub: dlvrd: stat:UNDELIV err:", ["5", "UNDELIVERED", ""]],
  ["only an id", "id:5", ["5", "UNKNOWN", ""]],
  ["a word of its own for the state", "id:5 stat:FOO", ["5", "UNKNOWN", ""]],
  [
    "a subscriber's text that looks like a receipt",
    "id:5 stat:ENROUTE text:x stat:DELIVRD id:6",
    ["5", "ENROUTE", ""],
  ],
  ["colons in its id", "id:smsc:7:5 sub:001 stat:DELIVRD err:000", ["smsc:7:5", "DELIVERED", "000"]],
  ["no id before the next word", "id: sub:001 stat:DELIVRD err:000", undefined],
  ["equals signs", "id=5 sub=001 stat=DELIVRD err=000 text=id:6", ["5", "DELIVERED", "000"]],
  ["msgid", "msgid:5 stat:DELIVRD err:000", ["5", "DELIVERED", "000"]],
  ["message_id and status", "message_id:5 status:UNDELIV error:12", ["5", "UNDELIVERED", "12"]],
  ["message id and Msg ID", "Message ID: 5 stat:EXPIRED Msg ID: 6", ["5", "EXPIRED", ""]],
  ["submitdate and donedate", "id:5 submitdate:26 donedate:26 stat:DELETED", ["5", "DELETED", ""]],
] as const) {
  test(`D07 a receipt with ${name}`, () => {
    const receipt = readReceipt(deliver(text));
    assert.deepEqual(receipt && [receipt.messageId, receipt.state, receipt.errorCode], expected ?? null);
  });
}

test("D13 where the text has another id than the parameter, both are read", () => {
  const ids = (receiptedMessageId: string) => {
    const { messageId, textId } = readReceipt(deliver(TEXT, { receiptedMessageId }))!;
    return [messageId, textId];
  };
  assert.deepEqual(ids("2591"), ["2591", "0A1f"]);
  assert.deepEqual(ids("0A1f"), ["0A1f", undefined]);
});

const UCS2 = Buffer.from(TEXT, "utf16le").swap16();
/** The 8-bit reference of a text in parts: 3GPP TS 23.040, section 9.2.3.24.1. */
const HEADER = Buffer.from("0500032a0101", "hex");

/** The receipt in a deliver_sm of these fields, written and read as bytes. */
function read(fields: Partial<DeliverSm>, plain = false) {
  return readReceipt(decode(encode({ command: "deliver_sm", ...fields })) as DeliverSm, plain);
}

for (const [name, fields, expected = ["0A1f", "DELIVERED", "000"]] of [
  ["UCS-2 text", { esmClass: 4, dataCoding: 8, shortMessage: UCS2 }],
  ["little-endian UCS-2 text", { esmClass: 4, dataCoding: 8, shortMessage: Buffer.from(TEXT, "utf16le") }],
  [
    "little-endian UCS-2 text behind its byte order mark",
    { esmClass: 4, dataCoding: 8, shortMessage: Buffer.from(`\ufeff${TEXT}`, "utf16le") },
  ],
  [
    "UCS-2 text behind a byte order mark",
    { esmClass: 4, dataCoding: 8, shortMessage: Buffer.from(`\ufeff${TEXT}`, "utf16le").swap16() },
  ],
  [
    "UCS-2 text of an odd length",
    { esmClass: 4, dataCoding: 8, shortMessage: Buffer.concat([UCS2, HEADER.subarray(0, 1)]) },
  ],
  ["UCS-2 text in message_payload", { esmClass: 4, dataCoding: 0x18, tlvs: { messagePayload: UCS2 } }],
  ["a user data header", { esmClass: 0x44, shortMessage: Buffer.concat([HEADER, Buffer.from(TEXT)]) }],
  [
    "a user data header before UCS-2",
    { esmClass: 0x44, dataCoding: 8, shortMessage: Buffer.concat([HEADER, UCS2]) },
  ],
  ["UDHI without a header", { esmClass: 0x44, shortMessage: Buffer.from(TEXT) }],
  [
    "a NUL after its state",
    { esmClass: 4, shortMessage: Buffer.from("id:7 stat:DELIVRD\0") },
    ["7", "DELIVERED", ""],
  ],
  [
    "NULs between its words",
    { esmClass: 4, shortMessage: Buffer.from("id:7\0stat:EXPIRED\0err:1\0\0") },
    ["7", "EXPIRED", "1"],
  ],
  [
    "quoted values",
    { esmClass: 4, shortMessage: Buffer.from(`id:"7" stat:'DELIVRD' err:"0"`) },
    ["7", "DELIVERED", "0"],
  ],
  [
    "a reference and no id",
    { esmClass: 4, tlvs: { userMessageReference: 9, messageState: 2 } },
    ["", "DELIVERED", ""],
  ],
] as const satisfies readonly [string, Partial<DeliverSm>, (readonly string[])?][]) {
  test(`D12 a receipt with ${name}`, () => {
    const receipt = read(fields);
    assert.deepEqual([receipt?.messageId, receipt?.state, receipt?.errorCode], expected);
    assert.equal(receipt?.final, true);
  });
}

test("D12 the words and the number with which operators tell of more than appendix B", () => {
  const told = (stat: string) => {
    const receipt = readReceipt(deliver(`id:1 stat:${stat}`));
    return receipt?.final ? receipt.state : "waits";
  };
  for (const stat of ["DELIVERED", "DELIVERD"]) assert.equal(told(stat), "DELIVERED");
  for (const stat of ["UNDELIVERABLE", "FAILED", "SYSERR", "SKIPPED"])
    assert.equal(told(stat), "UNDELIVERED");
  for (const stat of ["REJECTED", "BARRED", "NOCRED", "ZEROBAL"]) assert.equal(told(stat), "REJECTED");
  for (const stat of ["BUFFRED", "ACKED", "SCHEDULED", "QUEUED"]) assert.equal(told(stat), "waits");
  assert.equal(
    read({ esmClass: 4, tlvs: { receiptedMessageId: "1", messageState: 9 } })?.state,
    "UNDELIVERED",
  );
});

test("D12 with esm_class 0, nothing but the text of a receipt is one where the operator's settings allow it", () => {
  const isPlain = (text: string, esmClass = 0) =>
    read({ esmClass, shortMessage: Buffer.from(text) }, true) !== null;
  assert.equal(isPlain(TEXT), true);
  assert.equal(isPlain(`${TEXT} id:9 stat:FOO, and whatever else`), true, "the subscriber's own text");
  assert.equal(read({ shortMessage: Buffer.from(TEXT) }), null, "not allowed");
  assert.equal(read({ dataCoding: 8, shortMessage: UCS2 }, true)?.messageId, "0A1f");
  for (const text of [
    "STOP",
    `ok ${TEXT}`,
    TEXT.replace("stat:DELIVRD ", ""),
    "id:5 stat:DELIVRD",
    "id:",
    "",
  ])
    assert.equal(isPlain(text), false, text);
  assert.equal(isPlain(TEXT, 0x08), false, "an acknowledgement that a handset wrote");
});

test("only a state after which nothing follows is final, and a word that we do not know is not", () => {
  const isFinal = (stat: string, esmClass = 4) =>
    readReceipt(deliver(`id:1 stat:${stat}`, undefined, esmClass))?.final;
  for (const stat of ["DELIVRD", "UNDELIV", "EXPIRED", "REJECTD", "DELETED", "UNKNOWN"])
    assert.equal(isFinal(stat), true);
  for (const stat of ["ENROUTE", "ACCEPTD", "FOO"]) assert.equal(isFinal(stat), false);
  assert.equal(isFinal("DELIVRD", 0x20), false, "an intermediate notification");
});

test("a message that a person wrote is no receipt, whatever it says", () => {
  assert.equal(isReceipt(deliver("STOP", undefined, 0)), false);
  assert.equal(readReceipt(deliver(TEXT, undefined, 0)), null);
  assert.equal(isReceipt(deliver("x", undefined, 0x40)), false, "a segment with a header");
  assert.equal(
    isReceipt(deliver("", { receiptedMessageId: "1" }, 0)),
    true,
    "an operator that leaves esm_class 0",
  );
  assert.equal(readReceipt(deliver("no id at all")), null);
});

test("dates with seconds or a long year are read, impossible ones are left out", () => {
  const doneAt = (date: string) => readReceipt(deliver(`id:1 done date:${date}`))?.doneAt?.toISOString();
  assert.equal(doneAt("261121090533"), "2026-11-21T09:05:33.000Z");
  assert.equal(doneAt("20261121090533"), "2026-11-21T09:05:33.000Z");
  assert.equal(doneAt("202611210905"), "2026-11-21T09:05:59.000Z", "the last second of its minute");
  for (const date of ["2602300000", "2613010000", "x", "26"]) assert.equal(doneAt(date), undefined);
});

test("the age of a delivery is told by its date where that can be true, whatever zone the operator writes", () => {
  const receivedAt = new Date("2026-11-21T09:05:30Z");
  const age = (date: string) => {
    const doneAt = readReceipt(deliver(`id:1 done date:${date}`))?.doneAt;
    return deliveryAgeMs(doneAt, receivedAt) / 1000;
  };
  assert.equal(age("261121090510"), 20, "UTC");
  assert.equal(age("2611210905"), 0, "within its minute");
  assert.equal(age("2611210805"), 3_571, "an hour ago: the receipt waited for our bind");
  assert.equal(age("261120090510"), 86_420, "a day ago");
  assert.equal(age("261121100510"), 20, "UTC+1, as in Benin");
  assert.equal(age("261121145010"), 20, "UTC+5:45");
  assert.equal(age("261121230510"), 20, "UTC+14");
  assert.equal(age("261121090930"), 0, "a clock that is 4 minutes fast");
  assert.equal(age("261121100930"), 0, "the same clock in UTC+1");
  assert.equal(age("261122090530"), 0, "tomorrow: no zone explains it");
  assert.equal(age("0000000000"), 0, "no date");
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), fc.date({ noInvalidDate: true }), (doneAt, now) => {
      const ageMs = deliveryAgeMs(doneAt, now);
      assert.ok(ageMs >= 0 && (ageMs === 0 || doneAt < now || ageMs < 15 * 60_000));
    }),
  );
});

test("with the operator's zone, a date is read there and not guessed", () => {
  const receivedAt = new Date("2026-11-21T09:05:30Z");
  const age = (date: string, timeZone: string) => {
    const doneAt = readReceipt(deliver(`id:1 done date:${date}`))?.doneAt;
    return deliveryAgeMs(doneAt, receivedAt, timeZone) / 1000;
  };
  assert.equal(age("261121100510", "Africa/Lagos"), 20);
  assert.equal(age("261121100510", "+01:00"), 20);
  assert.equal(age("261121053510", "-03:30"), 20, "west of UTC, where the guess would be hours old");
  assert.equal(age("261121141500", "Asia/Kathmandu"), 2_130, "an age that the guess would lose");
  assert.equal(age("261121100930", "Africa/Lagos"), 0, "a clock that is 4 minutes fast");
  assert.equal(age("261121120000", "Africa/Lagos"), 0, "hours ahead: not to be believed");
  assert.equal(age("260721110510", "Europe/Paris") > 0, true, "summer");
  assert.deepEqual(["Africa/Abidjan", "UTC", "+05:45", "", "Lagos", "+25:00", "GMT+1"].map(isTimeZone), [
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test("D07 any bytes, and texts of 10 KB made to backtrack, never throw and cost under 10 ms a KB", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 254 }),
      fc.nat(255),
      fc.nat(255),
      (octets, esmClass, dataCoding) => {
        read({ shortMessage: Buffer.from(octets), esmClass, dataCoding }, true);
      },
    ),
  );
  const evil = ["id:", "submit ", "submit        ", "id :  ", "done date", "err", " ", "id:1 ", "a:"];
  const texts = evil.map((part) => part.repeat(Math.ceil(10_000 / part.length)));
  for (const text of texts) {
    const pdu = deliver(text);
    // A hundred times what they take; what goes back and back takes minutes.
    const ms = cheapest(() => readReceipt({ ...pdu, esmClass: 0 }, true)) + cheapest(() => readReceipt(pdu));
    assert.ok(ms < 100, `${ms} ms for ${JSON.stringify(text.slice(0, 20))}`);
  }
});

test("D06 norm(resp) = norm(dlr) for hexadecimal and decimal, whatever case and zeros, and different ids stay different", () => {
  const id = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  const dress = fc.record({ zeros: fc.integer({ min: 0, max: 6 }), upper: fc.boolean() });
  const write = (text: string, { zeros, upper }: { zeros: number; upper: boolean }) => {
    const padded = "0".repeat(zeros) + text;
    return upper ? padded.toUpperCase() : padded;
  };
  fc.assert(
    fc.property(id, id, dress, dress, (one, two, first, second) => {
      const hex = normaliseMessageId(write(one.toString(16), first), "hex-to-decimal");
      assert.equal(hex, normaliseMessageId(write(one.toString(), second), "as-is"));
      assert.equal(
        normaliseMessageId(write(one.toString(), first), "decimal-to-hex"),
        normaliseMessageId(write(one.toString(16), second), "as-is"),
      );
      assert.equal(
        hex === normaliseMessageId(write(two.toString(16), second), "hex-to-decimal"),
        one === two,
      );
    }),
  );
});

test("D06 quotes, spaces and GSM-7 are taken off an id; its case counts only by the form `case`", () => {
  for (const form of ["as-is", "case"] as const) {
    assert.equal(normaliseMessageId(' "ab_1" ', form), "ab_1");
    assert.equal(normaliseMessageId("'ab\x111'", form), "ab_1");
    assert.equal(normaliseMessageId('"', form), '"');
  }
  assert.equal(normaliseMessageId("00aB", "as-is"), normaliseMessageId("Ab", "as-is"));
  assert.deepEqual(
    ["00aB", "aB", "Ab"].map((id) => normaliseMessageId(id, "case")),
    ["00aB", "aB", "Ab"],
  );
});

test("D06 a GUID only loses its case", () => {
  const guid = "6F9619FF-8B86-D011-B42D-00C04FC964FF";
  for (const form of ["as-is", "hex-to-decimal", "decimal-to-hex"] as const) {
    assert.equal(normaliseMessageId(guid, form), guid.toLowerCase());
  }
});

test("a written receipt is read again, and its addresses are exchanged", () => {
  const outgoing = writeReceipt({
    messageId: "1f",
    state: "EXPIRED",
    errorCode: "002",
    submittedAt: new Date("2026-11-21T09:04:00Z"),
    doneAt: new Date("2026-11-21T09:05:00Z"),
    message: {
      sourceAddr: "ATUMPAN",
      sourceAddrTon: 5,
      sourceAddrNpi: 0,
      destinationAddr: "22507",
      destAddrTon: 1,
      destAddrNpi: 1,
    },
    text: "Bonjour",
    userMessageReference: 4711,
  });
  const pdu = decode(encode({ command: "deliver_sm", ...outgoing })) as DeliverSm;
  assert.deepEqual([pdu.sourceAddr, pdu.destinationAddr, pdu.destAddrTon], ["22507", "ATUMPAN", 5]);
  const expected = {
    messageId: "1f",
    state: "EXPIRED",
    final: true,
    errorCode: "002",
    userMessageReference: 4711,
    doneAt: new Date("2026-11-21T09:05:59Z"),
  };
  assert.deepEqual(readReceipt(pdu), expected);
  assert.deepEqual(
    readReceipt({ ...pdu, tlvs: { userMessageReference: 4711 } }),
    expected,
    "by its text alone",
  );
});

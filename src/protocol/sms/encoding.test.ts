// Tests of the encodings: what is in the GSM 7-bit alphabet, and that nothing changes on the way there and back.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeGsm7, decodeUcs2, encodeGsm7, encodeUcs2, encodingOf, GSM7_CHARACTERS } from "./encoding.ts";

const octets = (...values: number[]) => Uint8Array.from(values);
const gsm7Text = fc.string({ unit: fc.constantFrom(...GSM7_CHARACTERS), maxLength: 500, size: "max" });
const anyText = fc.string({ unit: "binary", maxLength: 500, size: "max" });

test("GSM-7 has 127 characters in its alphabet and 10 in its extension, and no other code unit", () => {
  const inside = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter(
    (character) => encodingOf(character) === "GSM-7",
  );
  assert.equal(GSM7_CHARACTERS.length, 137);
  assert.deepEqual(new Set(inside), new Set(GSM7_CHARACTERS));
});

test("GSM-7 code points are those of 3GPP TS 23.038", () => {
  const cases: [text: string, ...expected: number[]][] = [
    ["@", 0x00],
    ["£$¥èéùìòÇ\n", 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a],
    ["Δ_ΦΓΛΩΠΨΣΘΞ", 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a],
    ["ÆæßÉ ¤", 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x24],
    ["09AZaz", 0x30, 0x39, 0x41, 0x5a, 0x61, 0x7a],
    ["¡ÄÖÑÜ§¿äöñüà", 0x40, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0x60, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f],
    ["\f^{}", 0x1b, 0x0a, 0x1b, 0x14, 0x1b, 0x28, 0x1b, 0x29],
    ["\\[~]|€", 0x1b, 0x2f, 0x1b, 0x3c, 0x1b, 0x3d, 0x1b, 0x3e, 0x1b, 0x40, 0x1b, 0x65],
  ];
  for (const [text, ...expected] of cases) assert.deepEqual(encodeGsm7(text), octets(...expected), text);
});

test("lowercase ç, accents with a circumflex, the backtick, tab and the escape itself need UCS-2", () => {
  for (const character of "çêâîôûëïœ`’…\t\u001b")
    assert.equal(encodingOf(`a${character}`), "UCS-2", character);
  for (const character of "Çéèàùìò€\n\r\f") assert.equal(encodingOf(`a${character}`), "GSM-7", character);
  assert.equal(encodingOf(""), "GSM-7");
});

test("text that GSM-7 cannot carry is never encoded as something else", () => {
  assert.throws(() => encodeGsm7("prêt"), RangeError);
});

test("any text decodes to itself", () => {
  fc.assert(fc.property(gsm7Text, (text) => assert.equal(decodeGsm7(encodeGsm7(text)), text)));
  fc.assert(fc.property(anyText, (text) => assert.equal(decodeUcs2(encodeUcs2(text)), text)));
  assert.equal(decodeUcs2(encodeUcs2("\ufeffa")), "\ufeffa");
});

test("any octets from a handset decode to text that UTF-8 can store", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300, size: "max" }), (received) => {
      assert.ok(decodeGsm7(received).isWellFormed());
      assert.ok(decodeUcs2(received).isWellFormed());
    }),
  );
});

test("an escape before an unknown septet shows that septet, a doubled or final escape a space", () => {
  assert.equal(decodeGsm7(octets(0x1b, 0x41)), "A");
  assert.equal(decodeGsm7(octets(0x1b, 0x1b, 0x65)), " e");
  assert.equal(decodeGsm7(octets(0x41, 0x1b)), "A ");
  assert.equal(decodeGsm7(octets(0x80, 0x1b, 0xff)), "\ufffd\ufffd");
});

test("an odd octet and half a surrogate pair become U+FFFD", () => {
  assert.equal(decodeUcs2(octets(0x00, 0x41, 0x00)), "A\ufffd");
  assert.equal(decodeUcs2(octets(0xd8, 0x3d, 0x00, 0x41)), "\ufffdA");
});

// Tests of the segments: the boundary table of L13, what must hold for any text, and two other calculators.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import fc from "fast-check";
import { SegmentedMessage } from "sms-segments-calculator";
import { atLength, inShortRuns } from "../../../test/length.ts";
import { decodeGsm7, decodeUcs2, type Encoding, encodingOf, GSM7_CHARACTERS } from "./encoding.ts";
import { segmentsOf, splitText } from "./segments.ts";

type Split = (text: string) => { characterSet: "GSM" | "Unicode"; parts: { content: string }[] };
const { split } = createRequire(import.meta.url)("split-sms") as { split: Split };

const decode = { "GSM-7": decodeGsm7, "UCS-2": decodeUcs2 };

const RUNS = atLength({ short: 100, long: 2_000 });
/** How many lengths and positions are skipped between two that are tried. */
const STEP = atLength({ short: 4, long: 1 });

/** 0 to `last`, all near its ends and near the limits of one, two and four segments, and others by `STEP`. */
function range(last: number): number[] {
  const limits = [0, 67, 70, 134, 153, 160, 268, 306, last];
  const all = Array.from({ length: last + 1 }, (_, i) => i);
  return all.filter((i) => i % STEP === 0 || limits.some((limit) => Math.abs(i - limit) <= 2));
}

// Long texts, dense with pairs: by itself fast-check makes short ones, and ones where no pair meets a boundary.
const gsm7Text = fc.string({ unit: fc.constantFrom(...GSM7_CHARACTERS), maxLength: 700, size: "max" });
const mostlyPairs = fc.string({
  unit: fc.constantFrom("a", "€", "{", "é"),
  minLength: 60,
  maxLength: 500,
  size: "max",
});
const mostlyEmoji = fc.string({
  unit: fc.constantFrom("a", "ê", "😀", "𝒳"),
  minLength: 30,
  maxLength: 300,
  size: "max",
});
const anyText = fc.oneof(
  gsm7Text,
  mostlyPairs,
  mostlyEmoji,
  fc.string({ unit: "binary", maxLength: 300, size: "max" }),
);

test("L13: segments at every boundary", () => {
  const cases: [text: string, encoding: Encoding, units: number, segments: number][] = [
    ["a".repeat(160), "GSM-7", 160, 1],
    ["a".repeat(161), "GSM-7", 161, 2],
    ["a".repeat(306), "GSM-7", 306, 2],
    ["a".repeat(307), "GSM-7", 307, 3],
    ["a".repeat(1530), "GSM-7", 1530, 10],
    ["a".repeat(1531), "GSM-7", 1531, 11],
    ["ê".repeat(70), "UCS-2", 70, 1],
    ["ê".repeat(71), "UCS-2", 71, 2],
    ["ê".repeat(134), "UCS-2", 134, 2],
    ["ê".repeat(135), "UCS-2", 135, 3],
    ["€".repeat(80), "GSM-7", 160, 1],
    [`${"€".repeat(80)}a`, "GSM-7", 161, 2],
    ["😀".repeat(35), "UCS-2", 70, 1],
    [`${"😀".repeat(35)}a`, "UCS-2", 71, 2],
  ];
  for (const [text, encoding, units, segments] of cases) {
    assert.deepEqual(segmentsOf(text), { encoding, segments, units }, `${text[0]} × ${text.length}`);
  }
});

test("L13: a pair that would be split closes its segment early, which may cost one more", () => {
  const lengths = (text: string) => splitText(text).parts.map((part) => part.length);
  assert.deepEqual(lengths(`${"a".repeat(152)}€${"a".repeat(152)}`), [152, 153, 1]);
  assert.deepEqual(lengths(`${"a".repeat(151)}€${"a".repeat(153)}`), [153, 153]);
  assert.deepEqual(lengths("€".repeat(153)), [152, 152, 2]);
  assert.deepEqual(lengths(`${"a".repeat(66)}😀${"a".repeat(66)}`), [132, 134, 2]);
  assert.deepEqual(lengths(`${"a".repeat(65)}😀${"a".repeat(67)}`), [134, 134]);
});

test("an empty text is one segment, so that nothing is sent for free", () => {
  assert.deepEqual(segmentsOf(""), { encoding: "GSM-7", segments: 1, units: 0 });
  assert.deepEqual(splitText(""), { encoding: "GSM-7", parts: [new Uint8Array(0)] });
});

test("L13: the segments of any text read together as the text, each within its limit and whole by itself", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { encoding, parts } = splitText(text);
      const limit = encoding === "GSM-7" ? [160, 153] : [140, 134];
      assert.equal(encoding, encodingOf(text));
      // Each part is decoded alone: a split pair would come out as a space or as U+FFFD.
      assert.equal(parts.map((part) => decode[encoding](part)).join(""), text);
      for (const part of parts) assert.ok(part.length <= limit[parts.length > 1 ? 1 : 0]!);
      if (parts.length > 1) assert.ok(parts.every((part) => part.length > 0));
    }),
    { numRuns: RUNS },
  );
});

test("L13: the number that is charged is the number that is sent", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { encoding, segments, units } = segmentsOf(text);
      const { parts } = splitText(text);
      const sent = parts.reduce((sum, part) => sum + part.length, 0);
      assert.equal(segments, parts.length);
      assert.equal(units, encoding === "GSM-7" ? sent : sent / 2);
    }),
    { numRuns: RUNS },
  );
});

// The calculator takes milliseconds for a text: what fails must not be made smaller for minutes.
const calculatorRuns = { numRuns: RUNS / 2, interruptAfterTimeLimit: 10_000 };

const others = {
  calculator(text: string) {
    const message = new SegmentedMessage(text);
    return { encoding: message.encodingName, segments: message.segmentsCount };
  },
  splitSms(text: string) {
    const { characterSet, parts } = split(text);
    return { encoding: characterSet === "GSM" ? "GSM-7" : "UCS-2", segments: parts.length };
  },
};

function ours(text: string) {
  const { encoding, segments } = segmentsOf(text);
  return { encoding, segments };
}

test("sms-segments-calculator and split-sms: the same alphabet, code unit by code unit", inShortRuns, () => {
  for (let unit = 0; unit < 0x10000; unit++) {
    const character = String.fromCharCode(unit);
    assert.equal(others.calculator(character).encoding, encodingOf(character), `U+${unit.toString(16)}`);
    assert.equal(others.splitSms(character).encoding, encodingOf(character), `U+${unit.toString(16)}`);
  }
});

test("sms-segments-calculator and split-sms: the same count at every length and pair position", () => {
  for (const filler of ["a", "€", "ê", "😀"]) {
    for (const length of range(320)) {
      const text = filler.repeat(length);
      assert.deepEqual(others.calculator(text), ours(text), `${filler} × ${length}`);
      assert.deepEqual(others.splitSms(text), ours(text), `${filler} × ${length}`);
    }
  }
  for (const at of range(307)) {
    for (const [filler, pair, length] of [
      ["a", "€", 305],
      ["ê", "😀", 133],
    ] as const) {
      const text = filler.repeat(Math.min(at, length)) + pair + filler.repeat(Math.max(length - at, 0));
      assert.deepEqual(others.calculator(text), ours(text), `${pair} at ${at}`);
      assert.deepEqual(others.splitSms(text), ours(text), `${pair} at ${at}`);
    }
  }
});

test("split-sms: the same segments with the same words in them, for any text", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { encoding, parts } = splitText(text);
      assert.deepEqual(
        parts.map((part) => decode[encoding](part)),
        split(text).parts.map((part) => part.content),
      );
    }),
    { numRuns: RUNS },
  );
});

test("sms-segments-calculator: the same count for any text whose graphemes are single code points", () => {
  fc.assert(
    fc.property(fc.oneof(gsm7Text, mostlyPairs, mostlyEmoji), (text) => {
      assert.deepEqual(others.calculator(text), ours(text));
    }),
    calculatorRuns,
  );
});

test("disagreement, graphemes: sms-segments-calculator keeps a grapheme in one segment, we only a surrogate pair", () => {
  // The standards know no graphemes: phones join the segments before they show them, so a family, a flag or an e with
  // its accent arrives whole either way, and filling the segment costs the sender less.
  const units = ["a", "ê", "e\u0301", "🇨🇮", "👨‍👩‍👧", "👍🏾"];
  const text = `${"ê".repeat(65)}👨‍👩‍👧${"ê".repeat(61)}`;
  assert.equal(ours(text).segments, 2);
  assert.equal(others.calculator(text).segments, 3);

  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...units), minLength: 1, maxLength: 120, size: "max" }),
      (mixed) => {
        assert.equal(others.calculator(mixed).encoding, encodingOf(mixed));
        if (encodingOf(mixed) === "GSM-7") return;
        // Our own rule with graphemes in the place of pairs is theirs exactly: there is no other difference.
        assert.equal(others.calculator(mixed).segments, segmentsByGrapheme(mixed));
        assert.ok(ours(mixed).segments <= others.calculator(mixed).segments);
      },
    ),
    calculatorRuns,
  );
  // Beyond these graphemes the two Unicode versions differ in what is one, but never to the sender's cost.
  fc.assert(
    fc.property(anyText, (text) => {
      assert.equal(others.calculator(text).encoding, encodingOf(text));
      assert.ok(ours(text).segments <= others.calculator(text).segments);
    }),
    calculatorRuns,
  );
});

function segmentsByGrapheme(text: string): number {
  if (text.length <= 70) return 1;
  let segments = 1;
  let filled = 0;
  for (const { segment } of new Intl.Segmenter("fr", { granularity: "grapheme" }).segment(text)) {
    if (filled + segment.length > 67) {
      segments++;
      filled = 0;
    }
    filled += segment.length;
  }
  return segments;
}

test("a header with a 16-bit reference leaves a septet or a unit less in each segment", () => {
  const sizes = (text: string) => splitText(text, { longHeader: true }).parts.map((part) => part.length);
  assert.deepEqual(sizes("x".repeat(160)), [160]);
  assert.deepEqual(sizes("x".repeat(306)), [152, 152, 2]);
  assert.deepEqual(sizes("ê".repeat(134)), [132, 132, 4]);
  assert.deepEqual(sizes(`${"x".repeat(151)}€${"x".repeat(20)}`), [151, 22]);
});

test("a text of GSM-7 may be cut as UCS-2, for operators that lack one of its characters", () => {
  const { encoding, parts } = splitText("€".repeat(71), { asUcs2: true });
  assert.deepEqual([encoding, parts.map((part) => part.length)], ["UCS-2", [134, 8]]);
  assert.equal(decodeUcs2(Buffer.concat(parts)), "€".repeat(71));
});

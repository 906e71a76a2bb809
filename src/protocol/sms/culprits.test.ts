// Tests of the culprits: which characters cost a sender the price of UCS-2, and what could stand for them.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { unicodeCulprits } from "./culprits.ts";
import { encodingOf, GSM7_CHARACTERS } from "./encoding.ts";

const replacements = (text: string) => unicodeCulprits(text).map(({ replacement }) => replacement);

test("each culprit is named once, in order of appearance, with its count", () => {
  assert.deepEqual(unicodeCulprits("L’été de l’œuvre 😀 s’achève"), [
    { character: "’", replacement: "'", count: 3 },
    { character: "œ", replacement: "oe", count: 1 },
    { character: "😀", replacement: null, count: 1 },
  ]);
});

test("a GSM-7 text has no culprit", () => {
  assert.deepEqual(unicodeCulprits(GSM7_CHARACTERS.join("")), []);
  assert.deepEqual(unicodeCulprits(""), []);
});

test("French typography, accents and West African letters have a replacement that reads the same", () => {
  const cases: [characters: string, replacement: string][] = [
    ["’‘′`´", "'"],
    ["“”„«»", '"'],
    ["–—‑−•", "-"],
    ["…", "..."],
    ["\u00a0\u202f\u2009\u3000\t", " "],
    ["\u200b\u200d\u00ad\ufeff", ""],
    ["êëẽếɛ", "e"],
    ["âáãāạ", "a"],
    ["îïíĩ", "i"],
    ["ôóõọɔ", "o"],
    ["ûúũ", "u"],
    ["çć", "c"],
    ["ŋɲń", "n"],
    ["œ", "oe"],
    ["Œ", "OE"],
    ["ÊÈË", "E"],
    ["À", "A"],
    ["²", "2"],
    ["½", "1/2"],
    ["№", "No"],
    ["°º", "o"],
    ["™", "TM"],
    ["５", "5"],
  ];
  for (const [characters, replacement] of cases) {
    for (const character of characters) assert.deepEqual(replacements(character), [replacement], character);
  }
});

test("an emoji, another script and a bare accent have no replacement", () => {
  assert.deepEqual(replacements("😀❤️ж中ق₦"), [null, null, null, null, null, null]);
  assert.deepEqual(replacements("\u0302"), [null]);
});

test("a letter and its combining accent are one culprit, replaced by the composed letter", () => {
  assert.deepEqual(unicodeCulprits("e\u0301te\u0301"), [
    { character: "e\u0301", replacement: "é", count: 2 },
  ]);
  assert.deepEqual(replacements("e\u0302"), ["e"]);
});

test("any text: culprits exist exactly where UCS-2 is needed, and replacing them all leaves GSM-7", () => {
  const unit = fc.oneof(
    fc.constantFrom("a", "é", "ê", "\u0301", "’", "😀", "\u00a0"),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 60, size: "max" }), (units) => {
      const text = units.join("");
      const culprits = unicodeCulprits(text);
      assert.equal(culprits.length === 0, encodingOf(text) === "GSM-7");
      // The longest first, because ê is part of ê with a second accent.
      const ordered = culprits.toSorted((a, b) => b.character.length - a.character.length);
      const replaced = ordered.reduce(
        (rest, { character, replacement }) => rest.replaceAll(character, replacement ?? "?"),
        text,
      );
      assert.equal(encodingOf(replaced), "GSM-7");
    }),
    { numRuns: 300 },
  );
});

test("half a surrogate pair is never reported, because no JSON reader could show it", () => {
  assert.deepEqual(unicodeCulprits("a\ud83d"), []);
  assert.deepEqual(unicodeCulprits(`${"a".repeat(9_999)}😀`), []);
});

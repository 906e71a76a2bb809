// Tests of the folder as a whole: the price follows the rendered text, and no string of 1 MB takes long.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cheapest } from "../../../test/cost.ts";
import { unicodeCulprits } from "./culprits.ts";
import { encodingOf } from "./encoding.ts";
import { compileTemplate, strayWords } from "./personalise.ts";
import { maskPhone, normalisePhone } from "./phone.ts";
import { segmentsOf } from "./segments.ts";
import { isSenderName } from "./sendernames.ts";
import { priceOf } from "./tariff.ts";

test("L13: the cost is that of the text as rendered: one accented name turns 160 into 70", () => {
  const template = compileTemplate(`@name${".".repeat(150)}`);
  const cost = (phone: string, name: string) =>
    priceOf(phone, segmentsOf(template.render({ phone, name })).segments);
  assert.equal(cost("2250700000001", "Aminata"), 1);
  assert.equal(cost("2250700000001", "Aminata Koné"), 2);
  assert.equal(cost("2250700000001", "Benoît"), 3);
  assert.equal(cost("33612345678", "Benoît"), 15);
});

const ADVERSARIAL_LENGTH = 1_000_000;
/** Ten times what they take; what walks a text again and again takes minutes. */
const LIMIT_MS = 500;

test("P06: 1 MB of anything costs at most 0.5 s in every function that reads a caller's string", () => {
  const readers: [name: string, read: (text: string) => unknown][] = [
    ["encodingOf", encodingOf],
    ["segmentsOf", segmentsOf],
    ["unicodeCulprits", unicodeCulprits],
    ["normalisePhone", (text) => normalisePhone(text)],
    ["maskPhone", maskPhone],
    // Longer texts are refused before (`templateOf`).
    ["compileTemplate", (text) => compileTemplate(text.slice(0, 10_000))],
    ["strayWords", (text) => strayWords(text.slice(0, 10_000))],
    ["isSenderName", isSenderName],
  ];
  const units = [
    "a",
    "1",
    "0",
    "+",
    " ",
    "(",
    "€",
    "ê",
    "😀",
    "e\u0301",
    "\u0301",
    "@",
    "@a",
    "a@",
    "@name",
    "@name ",
  ];
  for (const unit of units) {
    const text = unit.repeat(Math.ceil(ADVERSARIAL_LENGTH / unit.length));
    for (const [name, read] of readers) {
      let ms = cheapest(() => read(text), 1);
      if (ms >= LIMIT_MS) ms = cheapest(() => read(text));
      assert.ok(ms < LIMIT_MS, `${name} took ${ms} ms on ${JSON.stringify(unit)} × n`);
    }
  }
});

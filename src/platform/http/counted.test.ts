// Numbers with their nouns: the singular and the plural of both languages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { credits } from "./counted.ts";

test("a number has its noun in the form of each language", () => {
  assert.deepEqual([0, 1, 2, 1_000_000].map(credits), [
    { fr: "0 crédit", en: "0 credits" },
    { fr: "1 crédit", en: "1 credit" },
    { fr: "2 crédits", en: "2 credits" },
    { fr: "1000000 crédits", en: "1000000 credits" },
  ]);
});

// The reference and `docs/failures.md` say of every failure what the API says.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { failureTables } from "../../delivery/operators/failures.ts";
import { troubleSentences } from "../../delivery/operators/troubles.ts";
import { failuresPart } from "./failures.ts";
import { Locale } from "./locale.ts";

const GUIDE = join(import.meta.dirname, "../../../docs/failures.md");

test("the reference has every failure with its sentence in each language", () => {
  for (const language of ["fr", "en"] as const) {
    const locale = new Locale(language);
    const { text } = failuresPart(locale);
    for (const [code, said] of Object.entries(troubleSentences))
      assert.ok(text.includes(`<code>${code}</code></th><td>${locale.say(said)}</td>`), code);
    for (const { id, failures } of failureTables) {
      assert.ok(text.includes(`id="${id}"`), id);
      for (const [code, said] of Object.entries(failures))
        assert.ok(text.includes(`<code>${code}</code></th><td>${locale.say(said)}</td>`), code);
    }
  }
});

test("docs/failures.md has every failure, who can mend it, and whether its credits are back", () => {
  const guide = readFileSync(GUIDE, "utf8");
  const rows = guide.split("\n").filter((line) => line.startsWith("| `"));
  const expected = failureTables.flatMap(({ refund, failures }) =>
    Object.entries(failures).map(([code, { en, fault, retryable }]) => {
      const [again, back] = [retryable, refund.isRefunded].map((is) => (is ? "yes" : "no"));
      return `| \`${code}\` | ${en} | ${fault} | ${again} | ${back} |`;
    }),
  );
  const troubles = Object.entries(troubleSentences).map(([code, { en }]) => `| \`${code}\` | ${en} |`);
  assert.deepEqual(rows, [...expected, ...troubles]);
});

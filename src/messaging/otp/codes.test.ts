// Tests of the codes: evenly drawn from their characters, and texts that cost one segment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { segmentsOf } from "../../protocol/sms/segments.ts";
import { CODE_LENGTH, MODES, newOtpCode, newToken, otpTextOf } from "./codes.ts";
import { guessesPerDay, unverifiedPerCountry, waitBeforeSendMs } from "./limits.ts";

const CHARACTERS = {
  NUMERIC: "0123456789",
  ALPHABET: "ABCDEFGHJKMNPQRSTUVWXYZ",
  ALPHA_NUMERIC: "23456789ABCDEFGHJKMNPQRSTUVWXYZ",
};
const CODES = 100_000;
const LENGTH = 6;
// Of the chi-square distribution with so many degrees of freedom, p = 0.001, by Wilson and Hilferty; another run in a
// thousand may draw that unevenly and be right, so the worst of three positions has to be beyond it in two draws.
const limitOf = (degrees: number) => {
  const ninth = 2 / (9 * degrees);
  return degrees * (1 - ninth + 3.09 * Math.sqrt(ninth)) ** 3;
};

function unevenness(codes: string[], position: number, characters: string): number {
  const counts = new Map([...characters].map((character) => [character, 0]));
  for (const code of codes) counts.set(code[position]!, counts.get(code[position]!)! + 1);
  assert.equal(counts.size, characters.length, "no other character");
  const expected = codes.length / characters.length;
  return [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

for (const mode of MODES) {
  test(`O07: codes of mode ${mode} are drawn evenly at every place, leading characters included`, () => {
    const characters = CHARACTERS[mode];
    const draw = () => Array.from({ length: CODES }, () => newOtpCode(mode, LENGTH));
    const isUneven = () => {
      const codes = draw();
      const places = Array.from({ length: LENGTH }, (_, place) => unevenness(codes, place, characters));
      return Math.max(...places) > limitOf(characters.length - 1);
    };
    assert.ok(!isUneven() || !isUneven() || !isUneven());
  });
}

test("O07: codes do not repeat more often than chance, and neither follows from the one before", () => {
  const codes = Array.from({ length: CODES }, () => newOtpCode("NUMERIC", 10));
  assert.ok(new Set(codes).size > CODES - 10);
  const same = codes.filter((code, i) => code[0] === codes[i - 1]?.[9]).length;
  assert.ok(Math.abs(same - CODES / 10) < 600, `${same} of ${CODES}`);
});

test("codes have every length that may be asked for, tokens 24 hex characters", () => {
  for (let length = CODE_LENGTH.least; length <= CODE_LENGTH.most; length++)
    assert.match(newOtpCode("NUMERIC", length), new RegExp(`^\\d{${length}}$`));
  assert.match(newToken(), /^[0-9a-f]{24}$/);
});

test("every text is one segment", () => {
  for (const language of ["fr", "en"] as const) {
    const text = otpTextOf("0123456789", { appName: "X".repeat(20), minutes: 10, language });
    assert.deepEqual(segmentsOf(text).segments, 1);
    assert.deepEqual(segmentsOf(text).encoding, "GSM-7");
  }
  const about = { appName: "Atumpan", language: "fr" } as const;
  assert.equal(
    otpTextOf("1234", { ...about, minutes: 5 }),
    "Votre code Atumpan est 1234. Il expire dans 5 minutes. Ne le partagez pas.",
  );
  assert.match(otpTextOf("1234", { ...about, minutes: 1 }), /dans 1 minute\./);
});

test("O09: 1 in 30 s, 5 in 10 min, 10 in 24 h; the wait is that of the strictest limit", () => {
  const minutes = (...ages: number[]) => ages.map((age) => age * 60_000);
  assert.equal(waitBeforeSendMs([]), 0);
  assert.equal(waitBeforeSendMs([29_999]), 1);
  assert.equal(waitBeforeSendMs([30_000]), 0);
  assert.equal(waitBeforeSendMs(minutes(1, 2, 3, 4, 9)), 60_000);
  assert.equal(waitBeforeSendMs(minutes(1, 2, 3, 4, 10)), 0);
  assert.equal(waitBeforeSendMs(minutes(1, 20, 30, 40, 50, 60, 70, 80, 90, 100)), 1_340 * 60_000);
});

test("O10: a day allows 10 wrong guesses at short codes, 50 from 6 characters on", () => {
  assert.deepEqual([4, 5, 6, 10].map(guessesPerDay), [10, 10, 50, 50]);
  assert.deepEqual([0, 66, 67, 1000].map(unverifiedPerCountry), [20, 20, 20, 300]);
});

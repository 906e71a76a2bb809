// Pasted lists: numbers and names in every order that people write, and a question wherever two readings are possible.
import assert from "node:assert/strict";
import { test } from "node:test";
import { normalisePhone } from "../../../protocol/sms/phone.ts";
import { readPasted } from "./pasted.ts";

/** The people of a list in short, and behind `?` what has to be looked at. */
function shortOf(text: string, country = "CI"): string {
  const { people, unclear } = readPasted(text, country);
  const shown = people.map(({ phone, name }) => {
    const normal = normalisePhone(phone, country) ?? assert.fail(`${phone} is no number`);
    return name === undefined ? normal.slice(-4) : `${normal.slice(-4)}=${name}`;
  });
  return [...shown, ...unclear.map((one) => `?${one.line} ${one.text}`)].join(" | ");
}

test("numbers parted by commas, semicolons, tabs, lines and spaces are each one person", () => {
  for (const [text, wanted] of [
    ["0700003003, 0700003004, 0700003005", "3003 | 3004 | 3005"],
    ["0700003003;0700003004\t0700003005|0700003006", "3003 | 3004 | 3005 | 3006"],
    ["0700003003\n\n0700003004\r\n0700003005", "3003 | 3004 | 3005"],
    ["0700003003 0700003004 0700003005", "3003 | 3004 | 3005"],
    ["07 00 00 30 03 07 00 00 30 04", "3003 | 3004"],
    ["+225 07 00 00 30 03 +225 07 00 00 30 04", "3003 | 3004"],
    ["07 00 00 30 03, +2250700003004; 00225 07-00-00-30-05", "3003 | 3004 | 3005"],
    ["0700003003 et 0700003004", "3003 | 3004"],
    ["0700003003,", "3003"],
    ["07 08 09 11", "0911"],
    ['="0700003003"', "3003"],
    ["Tél. : 07 00 00 30 03", "3003"],
    [" \n\t\n;;\n", ""],
  ] as const)
    assert.equal(shortOf(text), wanted, text);
});

test("a name stands before or behind its number, whatever parts them", () => {
  for (const [text, wanted] of [
    ["0700003003 ; Awa Koné", "3003=Awa Koné"],
    ["Awa Koné, 0700003003", "3003=Awa Koné"],
    ["Awa Koné 07 00 00 30 03", "3003=Awa Koné"],
    ["07 00 00 30 03 Awa Koné", "3003=Awa Koné"],
    ["Awa Koné : +225 07 00 00 30 03", "3003=Awa Koné"],
    ["Awa Koné <0700003003>", "3003=Awa Koné"],
    ["Awa Koné - Tél : 0700003003", "3003=Awa Koné"],
    ["0700003003\tAwa Koné\n0700003004\tYao", "3003=Awa Koné | 3004=Yao"],
    ["0700003003 Awa, 0700003004 Yao", "3003=Awa | 3004=Yao"],
    ["Awa, 0700003003, Yao, 0700003004", "3003=Awa | 3004=Yao"],
    ["0700003003 ; Koné, Awa", "3003=Koné, Awa"],
    ["0700003003 ; Client 12", "3003=Client 12"],
    ["O’Brien Jean-Luc 0700003003", "3003=O’Brien Jean-Luc"],
  ] as const)
    assert.equal(shortOf(text), wanted, text);
});

test("what can be meant in two ways is asked with its line, and the rest is recognised", () => {
  for (const [text, wanted] of [
    ["0700003003, 12345, 0700003005", "3003 | 3005 | ?1 12345"],
    ["0700003003\nAwa Koné\n0700003004", "3003 | 3004 | ?2 Awa Koné"],
    ["0700003003, 0700003004, Awa", "?1 0700003003, 0700003004, Awa"],
    ["0700003003, Awa, 0700003004", "?1 0700003003, Awa, 0700003004"],
    ["Awa;Koné;0700003003", "?1 Awa;Koné;0700003003"],
    ["0700003003;Awa Koné;Abidjan", "?1 0700003003;Awa Koné;Abidjan"],
    ["Awa 2 0700003003", "?1 Awa 2 0700003003"],
    ["0700003003 07", "?1 0700003003 07"],
    ["12/05/1990", "?1 12/05/1990"],
    ["Awa 12/05/1990", "?1 Awa 12/05/1990"],
    ["2,25071E+12", "?1 2,25071E+12"],
    [`0700003003 ${"x".repeat(201)}`, `?1 0700003003 ${"x".repeat(201)}`],
  ] as const)
    assert.equal(shortOf(text), wanted, text);
});

test("numbers are read in the country of the company", () => {
  assert.equal(shortOf("06 12 34 56 78 06 12 34 56 79", "FR"), "5678 | 5679");
  assert.equal(shortOf("Awa +33 6 12 34 56 78", "CI"), "5678=Awa");
});

/** Numbers below 1 from a seed, the same at every run. */
function* seeded(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

test("no number of a list gets lost or becomes part of a name, however it is written and parted", () => {
  const random = seeded(34);
  const pick = <One>(choices: readonly One[]) => choices[Math.floor(random.next().value * choices.length)]!;
  const writings = [
    (phone: string) => phone,
    (phone: string) => `+225${phone}`,
    (phone: string) => phone.replace(/(..)(?=.)/g, "$1 "),
    (phone: string) => `00225 ${phone.replace(/(..)(?=.)/g, "$1-")}`,
  ];
  for (let round = 0; round < 300; round++) {
    const phones = Array.from(
      { length: 1 + Math.floor(random.next().value * 8) },
      () => `07${String(Math.floor(random.next().value * 1e8)).padStart(8, "0")}`,
    );
    const sign = pick([", ", ";", "\t", "\n", " ; ", " | ", "\r\n"]);
    const name = pick([undefined, "Awa Koné", "Yao N’Guessan"]);
    const isBefore = random.next().value < 0.5;
    const text = phones
      .map((phone) => pick(writings)(phone))
      .map((written) =>
        name === undefined ? written : isBefore ? `${name} ${written}` : `${written} ${name}`,
      )
      .join(sign);
    const { people, unclear } = readPasted(text, "CI");
    assert.deepEqual(
      people.map((one) => `${normalisePhone(one.phone, "CI")} ${one.name}`),
      phones.map((phone) => `225${phone} ${name}`),
      text,
    );
    assert.equal(unclear.length, 0, text);
    const digits = (all: string) => all.replace(/\D/g, "");
    assert.equal(digits(people.map(({ phone }) => phone).join("")), digits(text));
  }
});

test("a long list is read in time that grows with its length", () => {
  const numbers = Array.from({ length: 10_000 }, (_, at) => `07${String(at).padStart(8, "0")}`);
  assert.equal(readPasted(numbers.join(" "), "CI").people.length, 10_000);
  assert.equal(readPasted("0 ".repeat(50_000), "CI").people.length, 0);
});

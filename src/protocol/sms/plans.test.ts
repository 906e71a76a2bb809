// Numbering plans beside libphonenumber itself: which numbers are valid, and what every written form of one is read as.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type CountryCode,
  getCountries,
  getExampleNumber,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max";
import examples from "libphonenumber-js/mobile/examples";
import { readPhone } from "./phone.ts";
import { readAbroad } from "./plans.ts";

test("C11: a number is valid where libphonenumber finds it valid, in every country and at every length", () => {
  for (const country of getCountries()) {
    const example = getExampleNumber(country, examples)!.number.slice(1);
    for (const digits of [example, example.slice(0, -1), `${example}0`, ...variantsOf(example)]) {
      const parsed = parsePhoneNumberFromString(`+${digits}`);
      if (digits.length < 8) continue;
      const isValid = parsed?.isValid() ?? false;
      const expected = { phone: isValid ? parsed!.number.slice(1) : digits, isValid };
      assert.deepEqual(readAbroad(digits), expected, `${country} ${digits}`);
    }
  }
});

/** The number with another digit at each place behind the calling code. */
function variantsOf(phone: string): string[] {
  return Array.from({ length: phone.length - 3 }, (_, i) => {
    const at = i + 3;
    return `${phone.slice(0, at)}${(Number(phone[at]) + 5) % 10}${phone.slice(at + 1)}`;
  });
}

/** National numbers, mobile and fixed. */
const NUMBERS = {
  CI: ["0701020304", "0505050505", "0102030405", "2721222324"],
  SN: ["771234567", "781234560", "338210000"],
  BF: ["70123456", "54123456", "25341234"],
  ML: ["70123456", "65123456", "20221234"],
  TG: ["90123456", "70123456", "22212345"],
  BJ: ["0197123456", "0161234567", "0121301234"],
  NE: ["90123456", "96123456", "20722345"],
  GN: ["622123456", "655123456", "30412345"],
  GH: ["0241234567", "0551234567", "0302123456"],
  NG: ["08031234567", "07061234567", "09012345678"],
  FR: ["0612345678", "0630123456", "0123456789"],
  GB: ["07911123456", "02079460958", "07400123456"],
} as const satisfies Partial<Record<CountryCode, readonly string[]>>;

const DASHES = ["-", "\u2010", "\u2011", "\u2013", "\u2014", "\u2212"];
const SPACES = [" ", "\u00a0", "\u202f", "\u2009", "\t"];
const ZEROS = [0x660, 0x6f0, 0x7c0, 0x966, 0xff10, 0x1d7ce, 0x1e950];
const INVISIBLE = ["\u200b", "\u200e", "\u202a", "\u2060", "\u00ad", "\ufeff"];

/** Every way to write a national number, and to write it with its calling code. */
function formsOf(national: string, callingCode: string, behindCode: string): string[] {
  const paired = (digits: string, by: string) => digits.replace(/(..)(?=.)/g, `$1${by}`);
  const e164 = `+${callingCode}${behindCode}`;
  return [
    ...[national, e164, e164.slice(1), `00${e164.slice(1)}`, `tel:${e164}`, `TEL:${national}`],
    ...[".", "/", ...DASHES, ...SPACES].flatMap((by) => [
      paired(national, by),
      `+${callingCode}${by}${paired(behindCode, by)}`,
      `00${callingCode}${by}${paired(behindCode, by)}`,
    ]),
    ...[`(+${callingCode}) ${behindCode}`, `(${national.slice(0, 2)}) ${national.slice(2)}`],
    ...[`${national}.0`, `${e164}.0`, `${e164.slice(1)}.0`, ` ${national}\n`],
    ...INVISIBLE.flatMap((mark) => [mark + national, `${mark}${e164}${mark}`]),
    ...ZEROS.flatMap((zero) => [withDigits(national, zero), withDigits(e164, zero)]),
    withDigits(e164, 0xff10).replace("+", "\uff0b"),
  ];
}

function withDigits(text: string, zero: number): string {
  return text.replace(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}

test("C11: every way to write a number is the number, in its own country", () => {
  for (const [country, numbers] of Object.entries(NUMBERS))
    for (const national of numbers) {
      const { number, countryCallingCode, nationalNumber } = parseIn(country, national);
      for (const form of formsOf(national, countryCallingCode, nationalNumber)) {
        const expected = { phone: number.slice(1), doubt: null };
        assert.deepEqual(readPhone(form, country), expected, `${country} ${JSON.stringify(form)}`);
      }
    }
});

test("C11: a 0 in parentheses behind the calling code falls away where the country has a trunk prefix, and only there", () => {
  for (const [country, numbers] of Object.entries(NUMBERS))
    for (const national of numbers) {
      const { number, countryCallingCode: code } = parseIn(country, national);
      const hasTrunkZero = ["GH", "NG", "FR", "GB"].includes(country);
      if (!hasTrunkZero && !national.startsWith("0")) continue;
      for (const plus of ["+", "00", ""])
        for (const zero of [" (0)", "(0) ", " ( 0 ) "]) {
          const form = `${plus}${code}${zero}${national.slice(1)}`;
          assert.equal(readPhone(form, country)?.phone, number.slice(1), `${country} ${form}`);
        }
    }
  assert.equal(readPhone("+39 (0)6 12345678", "CI")?.phone, "390612345678");
  assert.equal(readPhone("+33 06 12 34 56 78", "CI")?.phone, "33612345678");
});

test("C11: where a reading differs from that of libphonenumber there is a doubt, or no phone", () => {
  let read = 0;
  for (const [country, numbers] of Object.entries(NUMBERS))
    for (const national of numbers) {
      const { countryCallingCode: code, nationalNumber } = parseIn(country, national);
      const forms = [national, nationalNumber, code + nationalNumber, `+${code}${nationalNumber}`];
      const cut = forms.flatMap((form) => [form, form.slice(0, -1), form.replace(/^0/, "")]);
      for (const form of cut) {
        const [ours, theirs] = [
          readPhone(form, country),
          parsePhoneNumberFromString(form, country as CountryCode),
        ];
        read++;
        if (ours !== null && ours.doubt === null)
          assert.equal(`+${ours.phone}`, theirs?.number, `${country} ${form}`);
      }
    }
  assert.equal(read, 444);
});

function parseIn(country: string, national: string) {
  const parsed = parsePhoneNumberFromString(national, country as CountryCode)!;
  assert.ok(parsed.isValid(), `${country} ${national}`);
  return parsed;
}

// Tests of the phones: the matrix of what people write, what is refused, and that normalising twice changes nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isSamePhone, maskPhone, normalisePhone, phoneEnd, readPhone } from "./phone.ts";

type Case = [raw: string, expected: string | null, country?: string];

function check(cases: Case[]) {
  for (const [raw, expected, country] of cases) {
    assert.equal(normalisePhone(raw, country), expected, `${JSON.stringify(raw)} in ${country ?? "CI"}`);
  }
}

test("every way of writing one number is one phone", () => {
  check(
    [
      "2250700000001",
      "+2250700000001",
      "002250700000001",
      "+002250700000001",
      "+225 07 00 00 00 01",
      "00 225 07.00.00.00.01",
      "(+225) 07-00-00-00-01",
      "+225(07)00000001",
      "0700000001",
      "07 00 00 00 01",
      "\u00a007\u202f00\u00a000\u202f00\u00a001 ",
      "07\u201100\u201000-00-01",
    ].map((raw): Case => [raw, "2250700000001"]),
  );
});

test("a national number is read by its country's rule for the leading zero", () => {
  check([
    ["0700000000", "2250700000000"],
    ["0612345678", "33612345678", "FR"],
    ["06 12 34 56 78", "33612345678", "FR"],
    ["0551234567", "233551234567", "GH"],
    ["08012345678", "2348012345678", "NG"],
    ["0102030405", "2290102030405", "BJ"],
    ["0612345678", "390612345678", "IT"],
    ["0612345678", null, "XX"],
    ["0612345678", null, "constructor"],
    ["33612345678", "33612345678", "XX"],
  ]);
});

test("only a bare single zero is national", () => {
  check([
    ["+0700000000", null],
    ["000700000000", null],
    ["+000700000000", null],
    ["0000000000000", null],
  ]);
});

test("a number is not refused for being unassigned or of an odd length, from 8 to 15 digits", () => {
  check([
    ["22500000000", "22500000000"],
    ["225000000000", "225000000000"],
    ["225070000000", "225070000000"],
    ["99999999", "99999999"],
    ["999999999999999", "999999999999999"],
    ["9999999", null],
    ["9999999999999999", null],
    ["070000000", "225070000000"],
    ["07000", "22507000"],
    ["0700", null],
  ]);
});

test("anything that is not a phone is refused", () => {
  check(
    [
      ...["", " ", "+", "0", "00", "()", "-", "\0"],
      ...["ATUMPAN", "225070000000a", "tel:", "2250700000000;ext=5", "2250700000000x5", "1e12"],
      ...["225+0700000000", "++2250700000000", "2250700000000+", "+ +2250700000000"],
      ...["2250700000000,2250700000001", "2250700000000/2250700000001", "2250700000000 2250700000001"],
      `${" ".repeat(64)}2250700000000`,
    ].map((raw): Case => [raw, null]),
  );
});

test("C11: a number is national where it is valid in the company's country and not internationally", () => {
  check([
    ["77 123 45 67", "221771234567", "SN"],
    ["70 12 34 56", "22670123456", "BF"],
    ["70 12 34 56", "22370123456", "ML"],
    ["90 12 34 56", "22890123456", "TG"],
    ["90 12 34 56", "22790123456", "NE"],
    ["622 12 34 56", "224622123456", "GN"],
    ["3012345", "2203012345", "GM"],
    ["707070707", "2250707070707", "CI"],
    ["612345678", "33612345678", "FR"],
    ["33612345678", "33612345678", "CI"],
    ["221771234567", "221771234567", "CI"],
    ["(650) 253-0000", "16502530000", "US"],
    ["1 650 253 0000", "16502530000", "US"],
  ]);
});

test("C11: what is valid in both readings, or in none, stays as it is, and the doubt says so", () => {
  assert.deepEqual(readPhone("225070000000", "CI"), { phone: "225070000000", doubt: { kind: "unknown" } });
  assert.deepEqual(readPhone("331234567", "CI"), { phone: "331234567", doubt: { kind: "unknown" } });
  assert.deepEqual(readPhone("070000000", "CI"), { phone: "225070000000", doubt: { kind: "unknown" } });
  assert.deepEqual(readPhone("672 14 27 72", "CM"), {
    phone: "672142772",
    doubt: { kind: "ambiguous", other: "237672142772" },
  });
  assert.deepEqual(readPhone("707070707", "CI")?.doubt, { kind: "zero-restored" });
  for (const sure of ["2250700000001", "0700000001", "33612345678", "2250700000001.0", "no phone"])
    assert.equal(readPhone(sure, "CI")?.doubt ?? null, null, sure);
});

test("C11: with + or 00 a number is never national", () => {
  check([
    ["+771234567", "771234567", "SN"],
    ["00771234567", "771234567", "SN"],
    ["+70123456", "70123456", "BF"],
    ["+707070707", "707070707", "CI"],
  ]);
  for (const written of ["+771234567", "00771234567"])
    assert.equal(readPhone(written, "SN")?.doubt, null, written);
});

test("whatever comes in, what comes out is a phone, and it is the same phone again with a plus", () => {
  const written = fc.string({
    unit: fc.constantFrom(..."0123456789", ..."+ .-()", "00", "a"),
    maxLength: 24,
    size: "max",
  });
  const country = fc.constantFrom("CI", "FR", "US", "IT", "AR", "NG", "BR", "RU", "XX");
  fc.assert(
    fc.property(fc.oneof(written, fc.string({ unit: "binary" })), country, (raw, from) => {
      const phone = normalisePhone(raw, from);
      if (phone === null) return;
      assert.match(phone, /^[1-9][0-9]{7,14}$/);
      assert.equal(normalisePhone(`+${phone}`, from), phone);
      assert.equal(normalisePhone(`00${phone}`), phone);
    }),
    { numRuns: 2_000 },
  );
});

test("a receipt's address is the same phone with a plus, with 00, or as its country writes it, and no other", () => {
  const same: [string, string[]][] = [
    ["2250700000001", ["2250700000001", "+2250700000001", "002250700000001", "0700000001", "700000001"]],
    ["221771234567", ["771234567", "+221771234567"]],
    ["2348031234567", ["08031234567", "8031234567"]],
    ["2203012345", ["3012345"]],
  ];
  for (const [phone, addresses] of same)
    for (const address of addresses) {
      assert.equal(isSamePhone(phone, address), true, address);
      assert.equal(phoneEnd(address), phoneEnd(phone));
    }
  for (const address of ["2250700000002", "0000001", "+0000001", "12250700000001", "ATUMPAN", "", "+"])
    assert.equal(isSamePhone("2250700000001", address), false, address);
});

test("a masked phone shows its beginning and its last two digits, whatever its length", () => {
  assert.equal(maskPhone("2250700000001"), "225******01");
  assert.equal(maskPhone("33612345678"), "336******78");
  assert.equal(maskPhone("12345"), "******");
  assert.equal(maskPhone(""), "******");
});

// Numbers that grew: which ones no telephone has any more, and what they became.
import assert from "node:assert/strict";
import { test } from "node:test";
import { renumberedOf } from "./renumbering.ts";

const becameOf = (phone: string) => renumberedOf(phone)?.became;

test("an Ivorian number of 8 digits became one of 10, by the operator that its beginning names", () => {
  const became: Record<string, string> = {
    "01": "01",
    "03": "01",
    "40": "01",
    "53": "01",
    "73": "01",
    "04": "05",
    "06": "05",
    "46": "05",
    "64": "05",
    "96": "05",
    "07": "07",
    "09": "07",
    "47": "07",
    "59": "07",
    "69": "07",
    "89": "07",
    "98": "07",
    "208": "21",
    "300": "25",
    "202": "27",
    "224": "27",
    "368": "27",
  };
  for (const [start, added] of Object.entries(became)) {
    const old = start.padEnd(8, "1");
    assert.equal(becameOf(`225${old}`), `225${added}${old}`, start);
  }
  assert.deepEqual(renumberedOf("22507070707"), {
    country: { fr: "de Côte d’Ivoire", en: "of Côte d’Ivoire" },
    newDigits: 10,
    since: "31/01/2021",
    became: "2250707070707",
  });
});

test("a Beninese number of 8 digits got 01 before it", () => {
  for (const old of ["97000000", "61234567", "21300000", "40123456"])
    assert.equal(becameOf(`229${old}`), `22901${old}`);
  assert.equal(renumberedOf("22997000000")?.since, "30/11/2024");
});

test("where it is not certain what an old number became, nothing is said", () => {
  for (const phone of [
    "22510000000",
    "22560000000",
    "22580000000",
    "22599000000",
    "22520100000",
    "22900000000",
  ])
    assert.equal(becameOf(phone), null, phone);
});

test("numbers that telephones may have are no old ones: new ones, those of other lengths, other countries", () => {
  for (const phone of [
    ...["2250707070707", "225070707070", "2250102030405", "2290197000000", "229019700000"],
    ...["2250707070", "22890000000", "221770000000", "33612345678", "12345678"],
  ])
    assert.equal(renumberedOf(phone), null, phone);
});

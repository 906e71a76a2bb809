// Names of senders, without a handset.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeGsm7 } from "./encoding.ts";
import { addressOf, isSenderName, nameIn } from "./sendernames.ts";

test("a sender's name has 1 to 11 printable characters of one septet each", () => {
  for (const name of ["A", "La Maison", "L'Appli @é", "ΔΦΓΛΩΠΨΣΘΞ", "+225", "x".repeat(11)])
    assert.equal(isSenderName(name), true, name);
  for (const name of [
    "",
    "  ",
    "x".repeat(12),
    "La Boîte",
    "a\nb",
    "a\r",
    "5€",
    "{x}",
    "a\u001bb",
    "a\u0000",
    "ç",
  ])
    assert.equal(isSenderName(name), false, JSON.stringify(name));
});

test("an address is Latin-1, and Greek capitals are their septets; what is written is read again", () => {
  assert.equal(addressOf("Café @£"), "Café @£");
  const greek = "ΔΦΓΛΩΠΨΣΘΞ";
  assert.deepEqual(Buffer.from(addressOf(greek), "latin1"), Buffer.from(encodeGsm7(greek)));
  for (const name of ["Café @£", greek, "", "2250700000001"]) assert.equal(nameIn(addressOf(name)), name);
});

// Each error of a message has its sentence, and a code that nobody knows has that of its kind.
import assert from "node:assert/strict";
import { test } from "node:test";
import { errorReasonOf, failureTables } from "./failures.ts";

type Ended = Parameters<typeof errorReasonOf>[0];

const [refused, notTaken, notDelivered] = failureTables;

/** The sentence of a message that no operator took. */
const refusedAs = (error: string) => errorReasonOf({ status: "REJECTED", error, isTaken: false }, "en");
/** The sentence of a message that an operator took, by its receipt. */
const reportedAs = (status: string, error: string) => errorReasonOf({ status, error, isTaken: true }, "en");

test("a message without an error has no reason", () => {
  const ended: Ended = { status: "CANCELED", error: null, isTaken: false };
  assert.equal(errorReasonOf(ended, "fr"), null);
});

test("S04: a code of SMPP 3.4 has its sentence, a vendor's own that of all such codes", () => {
  const { failures } = refused!;
  assert.equal(refusedAs("ESME_RINVSRCADR"), failures.ESME_RINVSRCADR!.en);
  for (const code of ["0x00000401", "0x00000100", "constructor", "UNDELIVERED"])
    assert.equal(refusedAs(code), failures["0x…"]!.en, code);
  assert.equal(refusedAs("unknown-outcome"), notTaken!.failures["unknown-outcome"]!.en);
});

test("D12: a receipt's word or code has the sentence of what the receipt says", () => {
  const { failures } = notDelivered!;
  assert.equal(reportedAs("UNDELIVERED", "DELETED"), failures.DELETED!.en);
  assert.equal(reportedAs("UNDELIVERED", "001"), failures.UNDELIVERED!.en);
  assert.equal(reportedAs("EXPIRED", "3:27"), failures.EXPIRED!.en);
  assert.equal(reportedAs("REJECTED", "ESME_RINVSRCADR"), failures.REJECTED!.en);
  assert.equal(reportedAs("UNDELIVERED", "expired"), failures.UNDELIVERED!.en, "the operator took it");
});

test("every failure is told in two languages, each in one sentence", () => {
  for (const { title, refund, failures } of failureTables) {
    assert.notEqual(title.fr, title.en);
    assert.notEqual(refund.fr, refund.en);
    for (const [code, { fr, en }] of Object.entries(failures)) {
      assert.match(fr, /^[A-ZÀ-Ý].*\.$/, code);
      assert.match(en, /^[A-Z].*\.$/, code);
      assert.notEqual(fr, en, code);
    }
  }
});

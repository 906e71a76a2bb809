// The language of messages: that of the account, else that of the header Accept-Language (D17).
import assert from "node:assert/strict";
import { test } from "node:test";
import { testService } from "../../../test/testservice.ts";

const ENGLISH = { "Accept-Language": "en-GB,en;q=0.9,fr;q=0.5" };
const FRENCH = { "Accept-Language": "fr-CI,fr;q=0.9" };
const WRONG = { name: "" };

test("D17: Accept-Language chooses the language of details and warnings where the account has chosen none", async (t) => {
  const w = await testService(t);
  const messageOf = ({
    details,
    warnings,
  }: {
    details?: { message: string }[];
    warnings?: { message: string }[];
  }) => (details ?? warnings)?.[0]?.message;
  const silent = await w.company();
  const [french, english] = [await w.company({ language: "fr" }), await w.company({ language: "en" })];
  const ask = (of: typeof silent, headers = {}) => of.call("/v1/group/create", WRONG, headers);
  assert.equal(messageOf(await ask(silent)), "ne doit pas être vide");
  assert.equal(messageOf(await ask(silent, ENGLISH)), "must not be empty");
  assert.equal(messageOf(await ask(silent, { "Accept-Language": "*" })), "ne doit pas être vide");
  assert.equal(messageOf(await ask(silent, { "Accept-Language": "de;q=1, en;q=0.2" })), "must not be empty");
  assert.equal(messageOf(await ask(french, ENGLISH)), "ne doit pas être vide");
  assert.equal(messageOf(await ask(english, FRENCH)), "must not be empty");
  const warned = await silent.call("/v1/group/create", { name: "A", nom: "B" }, ENGLISH);
  assert.match(messageOf(warned)!, /unknown|not known/);
  assert.match(messageOf(await w.call("/v1/group/list", {}, ENGLISH))!, /this URL requires/);
  assert.match(messageOf(await w.call("/v1/group/list"))!, /cette URL exige/);
  assert.equal((await silent.call("/v1/company/update", { language: "fr" })).success, true);
  assert.equal(messageOf(await ask(silent, ENGLISH)), "ne doit pas être vide");

  // Before the account is known, or where a key stands for nobody's language, the header alone chooses.
  const unreadable = await silent.call("/v1/contact/list", { search: "\u0000" }, ENGLISH);
  assert.match(messageOf(unreadable)!, /^contains a forbidden/);
  const list = (headers = {}) => w.admin("/v1/admin/company/list", { limit: 1_000 }, headers);
  assert.match(messageOf(await list(ENGLISH))!, /^must be/);
  assert.match(messageOf(await list())!, /^doit/);
});

// Members: an unknown member of a body gives a warning with the name that was likely meant.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import type { Fields } from "./body.ts";
import { WARNINGS_AT_MOST } from "./envelope.ts";
import { tidier } from "./members.ts";

const Name = Type.String({ minLength: 1 });
const Contact = Type.Union([
  Type.String(),
  Type.Object({
    phone: Type.String(),
    firstName: Type.Optional(Name),
    sex: Type.Optional(Type.Enum(["M", "F"])),
  }),
]);
const Campaign = Type.Object({
  text: Type.String(),
  senderId: Type.Optional(Type.String({ minLength: 1, "x-trimmed": true })),
  type: Type.Enum(["SMS", "SCHEDULED"], { default: "SMS" }),
  scheduledDate: Type.Optional(Type.String()),
  contacts: Type.Optional(Type.Array(Contact)),
  groupsIds: Type.Optional(Type.Array(Type.String())),
  recurring: Type.Optional(Type.Object({ monday: Type.Optional(Type.String()) })),
});
const Keys = Type.Object({ apiKey: Type.String(), companyId: Type.Optional(Type.String()) });
const read = tidier(Campaign, Keys, "absent");
const english = (body: Fields) => read(body).map(({ field, message }) => `${field}: ${message.en}`);

test("a body with only known members gives no warning", () => {
  const body = {
    apiKey: "k",
    companyId: "c",
    text: "Bonjour",
    contacts: ["2250700000001", { phone: "2250700000002", firstName: "Awa", sex: "F" }],
    recurring: { monday: "08:30" },
  };
  assert.deepEqual(read(structuredClone(body)), []);
  const meant = structuredClone(body);
  read(meant);
  assert.deepEqual(meant, body);
});

test("an unknown member is named by its path, with the nearest name that is known and not given", () => {
  assert.deepEqual(read({ text: "a", sender: "ACME" }), [
    {
      field: "sender",
      message: {
        fr: "`sender` est inconnu ; vouliez-vous dire `senderId` ?",
        en: "`sender` is unknown; did you mean `senderId`?",
      },
    },
  ]);
  const near = {
    groupIds: "groupsIds",
    sender_id: "senderId",
    SENDERID: "senderId",
    date: "scheduledDate",
    contact: "contacts",
    companyID: "companyId",
    txt: "text",
  };
  for (const [typo, meant] of Object.entries(near))
    assert.deepEqual(english({ [typo]: "x" }), [
      `${typo}: \`${typo}\` is unknown; did you mean \`${meant}\`?`,
    ]);
  for (const far of ["id", "priority", "constructor", "__defineGetter__", "xx"])
    assert.deepEqual(english({ [far]: "x" }), [`${far}: \`${far}\` is unknown and ignored`]);
  assert.deepEqual(english({ senderId: "ACME", senderID: "x" }), [
    "senderID: `senderID` is unknown and ignored",
  ]);
});

test("members of objects in lists and in objects are looked at too", () => {
  const contacts = [{ phone: "1" }, "2", [], null, 5, { phone: "3", firstname: "Awa" }];
  assert.deepEqual(english({ contacts, recurring: { mondy: "08:00" } }), [
    "contacts[5].firstname: `firstname` is unknown; did you mean `firstName`?",
    "recurring.mondy: `mondy` is unknown; did you mean `monday`?",
  ]);
});

test("names that no program would use are cut and quoted", () => {
  const long = "x".repeat(100_000);
  const fields = read({ [long]: 1, "first name": 1, "": 1 }).map(({ field }) => field);
  assert.deepEqual(fields, [`${"x".repeat(60)}…`, '["first name"]', '[""]']);
});

test("all unknown members are counted, and only some are told", () => {
  const contacts = Array.from({ length: 10_000 }, () => ({ phone: "1", firstname: "Awa" }));
  const warnings = read({ contacts });
  assert.equal(warnings.length, 10_000);
  assert.equal(warnings[WARNINGS_AT_MOST - 1]!.field, `contacts[${WARNINGS_AT_MOST - 1}].firstname`);
});

test("an empty text in an optional member means absent; a required one keeps it", () => {
  const body: Fields = {
    text: "",
    senderId: "  ",
    type: "",
    scheduledDate: "",
    contacts: [{ phone: "", firstName: "", sex: "" }],
    recurring: { monday: "" },
  };
  assert.deepEqual(read(body), []);
  assert.deepEqual(body, { text: "", contacts: [{ phone: "" }], recurring: {} });
  const kept: Fields = { text: "", contacts: "", groupsIds: "" };
  read(kept);
  assert.deepEqual(kept, { text: "" });
});

test("an empty text in an update becomes null if null is allowed, and else the schema judges it", () => {
  const Change = Type.Object({
    name: Type.Optional(Name),
    firstName: Type.Optional(Type.Union([Name, Type.Null()])),
    contacts: Type.Optional(Type.Array(Contact)),
  });
  const body: Fields = { name: "", firstName: "", contacts: [{ phone: "1", firstName: "" }] };
  tidier(Change, Keys, "emptied")(body);
  assert.deepEqual(body, { name: "", firstName: null, contacts: [{ phone: "1" }] });
});

test("an empty text that is kept stays, and the schema judges it", () => {
  const body: Fields = { text: "", senderId: " ", type: "" };
  tidier(Campaign, Keys, "kept")(body);
  assert.deepEqual(body, { text: "", senderId: "", type: "" });
});

test("spaces around a trimmed text do not count", () => {
  const body: Fields = { senderId: " MA BOUTIQUE\n", text: " Bonjour " };
  read(body);
  assert.deepEqual(body, { senderId: "MA BOUTIQUE", text: " Bonjour " });
});

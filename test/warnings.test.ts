// Warnings and details in the answers of any URL, in the language of the company.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { routes } from "../src/api/api.ts";
import { applicationOf, dataOf, provision } from "./applications.ts";
import { unique } from "./fixtures.ts";
import { resellerOf } from "./reselling.ts";
import { type Company, type TestService, testService } from "./testservice.ts";

/** Keywords that demand nothing of a value, and those that `faults.ts` has a sentence for. */
const SAID = new Set([
  ...[
    "properties",
    "anyOf",
    "default",
    "examples",
    "readOnly",
    "additionalProperties",
    "x-trimmed",
    "x-visible",
    "x-empty",
    "x-nullable",
    "x-nullable-within",
    "x-pattern",
    "x-meaning",
    "x-id-of",
  ],
  ...[
    "type",
    "required",
    "items",
    "enum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "maxProperties",
    "minimum",
    "maximum",
  ],
  ...["pattern", "format"],
]);

type Schema = Record<string, unknown>;

function* schemasIn(schema: Schema): Generator<Schema> {
  yield schema;
  const {
    properties = {},
    items,
    anyOf = [],
    additionalProperties: others = false,
  } = schema as {
    properties?: Record<string, Schema>;
    items?: Schema;
    anyOf?: Schema[];
    additionalProperties?: Schema | boolean;
  };
  const ofOthers = typeof others === "object" ? [others] : [];
  for (const inside of [...Object.values(properties), ...(items ? [items] : []), ...anyOf, ...ofOthers])
    yield* schemasIn(inside);
}

test("every demand of a schema on a body has a sentence for a body that does not meet it", () => {
  for (const { path, body } of routes)
    for (const schema of schemasIn(body as unknown as Schema)) {
      for (const keyword of Object.keys(schema)) assert.ok(SAID.has(keyword), `${path}: ${keyword}`);
      assert.equal("pattern" in schema, "x-pattern" in schema, `${path}: a pattern says what it means`);
      assert.ok(["email", undefined].includes(schema.format as string | undefined), path);
    }
});

suite("answers", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let fr: Company;
  let en: Company;

  before(async () => {
    w = await testService(
      { after: (close) => closing.push(close) },
      { config: { roles: new Set(["api"] as const) } },
    );
    [fr, en] = await Promise.all([
      w.company({ credits: 1_000 }),
      w.company({ credits: 1_000, language: "en" }),
    ]);
  });
  after(async () => {
    for (const close of closing) await close();
  });

  const sends = { contacts: ["2250700000001"], text: "Bonjour" };

  test("an unknown member is ignored with a warning in the company's language, and the rest is done", async () => {
    const typo = { ...sends, sender: "ACME" };
    const french = await fr.call("/v1/campaign/create", typo);
    assert.equal(french.data.contactCount, 1);
    assert.deepEqual(french.warnings, [
      { field: "sender", message: "`sender` est inconnu ; vouliez-vous dire `senderId` ?" },
    ]);
    const contacts = [{ phone: "2250700000002", firstname: "Awa", town: "Bouaké" }];
    const english = await en.call("/v1/contact/create", { contacts, priority: 1 });
    assert.equal(english.data.length, 1);
    assert.deepEqual(english.warnings, [
      { field: "contacts[0].firstname", message: "`firstname` is unknown; did you mean `firstName`?" },
      { field: "contacts[0].town", message: "`town` is unknown and ignored" },
      { field: "priority", message: "`priority` is unknown and ignored" },
    ]);
  });

  test("documented members cause no warning: keys, ids of the path, other spellings and lists", async () => {
    const { data: group } = await fr.call("/v1/group/create", {
      name: "Clients",
      contacts: ["2250700000003"],
    });
    for (const [path, body] of [
      [`/v1/group/${group.id}`, { id: group.id }],
      ["/v1/group/list", { count: 5, sort: "asc", orderBy: "name", page: 1, limit: 5 }],
      ["/v1/contact/delete", { contactIds: [] }],
      ["/v1/campaign/quote", { ...sends, groupsIds: [group.id], senderId: null, type: "SMS" }],
      ["/v1/campaign/create", { ...sends, idempotencyKey: unique() }],
      ["/v1/auth/otp/get", { phoneNumber: "2250700000004", mode: "NUMERIC", length: 4 }],
    ] as const)
      assert.equal("warnings" in (await fr.call(path, body)), false, path);
  });

  test("a refusal for a faulty request carries warnings too, and an unknown caller gets none", async () => {
    const refused = await en.call("/v1/campaign/create", { message: "Bonjour", contacts: ["2250700000001"] });
    assert.equal(refused.error, "invalid-request");
    assert.deepEqual(refused.details, [{ field: "text", message: "is required" }]);
    assert.deepEqual(refused.warnings, [{ field: "message", message: "`message` is unknown and ignored" }]);
    const unknown = await en.call("/v1/contact/000000000000000000000000", { nothing: 1 });
    assert.deepEqual([unknown.error, unknown.warnings], ["contact-not-found", undefined]);
    const unauthenticated = await w.call("/v1/campaign/create", { ...sends, sender: "ACME" });
    assert.deepEqual([unauthenticated.error, unauthenticated.warnings], ["not-authenticated", undefined]);
  });

  test("L11: the repeat of a request with a key is answered with the same warnings", async () => {
    const body = { ...sends, sender: "ACME", idempotencyKey: unique() };
    const first = await en.call("/v1/campaign/create", body);
    assert.equal(first.warnings?.length, 1);
    assert.deepEqual(await en.call("/v1/campaign/create", body), first);
  });

  test("details are in the language of the caller, whatever its credential", async () => {
    const { call: app, ...application } = await applicationOf(w, en);
    const { connectionToken } = await dataOf(provision({ call: app }, en, unique()));
    const { serverApiKey } = await resellerOf(w, en);
    const required = "is required";
    for (const [call, path, credentials, message] of [
      [en.call, "/v1/contact/create", {}, required],
      [fr.call, "/v1/contact/create", {}, "est obligatoire"],
      [w.admin, "/v1/admin/company/create", {}, "est obligatoire"],
      [w.call, "/v1/third-party-app/public-submit", {}, "est obligatoire"],
      [w.call, "/v1/third-party-app/provision", { apiSecret: application.apiSecret }, required],
      [w.call, "/v1/third-party-app/sms/send", { connectionToken }, required],
      [w.call, "/v1/partner/grant-credit", { serverApiKey }, required],
    ] as const) {
      const { details } = await call(path, credentials);
      assert.equal(details?.[0]?.message, message, path);
    }
  });

  test("the field of a detail is a path", async () => {
    const phones = ["2250700000001", "2250700000002", "2250700000003"];
    const optedOut = "2250700000009";
    await dataOf(en.call("/v1/optout/create", { phone: optedOut }));
    for (const [body, error, field] of [
      [
        { contacts: [...phones.map((phone) => ({ phone })), { phone: 5 }] },
        "invalid-request",
        "contacts[3].phone",
      ],
      [{ contacts: [...phones, { phone: "abc" }] }, "invalid-phone-number", "contacts[3].phone"],
      [{ contacts: [...phones, "abc"] }, "invalid-phone-number", "contacts[3].phone"],
      [{ contacts: phones, text: 5 }, "invalid-request", "text"],
      [{ contacts: phones, type: "SCHEDULED" }, "invalid-schedule", "scheduledDate"],
      [
        { contacts: phones, type: "RECURRING", recurring: { monday: "8h" } },
        "invalid-schedule",
        "recurring.monday",
      ],
      [{ contacts: [{ phone: optedOut }] }, "no-recipient", "contacts[0].phone"],
    ] as const) {
      const answer = await en.call("/v1/campaign/create", { text: "Bonjour", ...body });
      assert.deepEqual([answer.error, answer.details?.[0]?.field], [error, field]);
    }
    const single = await en.call("/v1/contact/create", { phone: "abc" });
    assert.deepEqual(single.details, [{ field: "phone", message: "is not a phone number" }]);
    const response = await fetch(`${w.url}/v1/contact/list`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "[]",
    });
    const { details } = (await response.json()) as { details: unknown };
    assert.deepEqual(details, [{ field: "body", message: "doit être un objet JSON" }]);
  });

  test("an empty text counts as absent in requests that create or send", async () => {
    const empty = { name: "", senderId: "", type: "", scheduledDate: "", recurring: "", groupsIds: "" };
    const { data } = await fr.call("/v1/campaign/create", { ...sends, ...empty, idempotencyKey: "" });
    assert.deepEqual([data.type, data.scheduledDate, data.contactCount], ["SMS", null, 1]);
    const { data: group } = await fr.call("/v1/group/create", {
      name: "Amis",
      description: "",
      contactIds: "",
    });
    assert.equal(group.description, null);
    const otp = { phoneNumber: "2250700000005", length: "", mode: "", senderId: "", appName: "" };
    assert.equal((await fr.call("/v1/auth/otp/get", otp)).success, true);
    const { apiKey, companyId } = fr;
    // Without a company the user pays, and this user has no credits.
    const own = { apiKey, companyId: "", phoneNumber: "2250700000006" };
    assert.equal((await w.call("/v1/auth/otp/get", own)).error, "insufficient-credits");
    const grant = { companyId, userId: "", customerId: "", credit: 1, reason: "" };
    assert.equal((await w.admin("/v1/admin/credit/grant", grant)).success, true);
    const made = await w.admin("/v1/admin/company/create", {
      name: "B",
      ownerPhone: "",
      country: "",
      language: "",
    });
    assert.equal(made.success, true);
    const operator = {
      name: unique(),
      host: "localhost",
      port: 1,
      systemId: "a",
      password: "",
      prefixes: ["999"],
    };
    const optional = { systemType: "", window: "", concatenation: "", messageIdForm: "", enabled: false };
    const { data: bound } = await w.admin("/v1/admin/operator/create", { ...operator, ...optional });
    assert.deepEqual([bound.systemType, bound.window, bound.concatenation], [null, 100, "udh8"]);
    for (const [path, body, field] of [
      ["/v1/group/create", { name: "" }, "name"],
      ["/v1/campaign/create", { ...sends, text: "" }, "text"],
      ["/v1/sender/create", { name: "ACME", description: "" }, "description"],
    ] as const) {
      const { details } = await en.call(path, body);
      assert.deepEqual(details, [{ field, message: "must not be empty" }]);
    }
  });

  test("an empty text in an update empties the member; null leaves it alone", async () => {
    const { data: group } = await en.call("/v1/group/create", { name: "Amis", description: "Proches" });
    const updateGroup = (body: object) => en.call(`/v1/group/${group.id}/update`, body);
    assert.equal((await updateGroup({ description: null })).data.description, "Proches");
    assert.equal((await updateGroup({ description: "" })).data.description, null);
    assert.deepEqual((await updateGroup({ name: "" })).details, [
      { field: "name", message: "must not be empty" },
    ]);

    const operator = {
      name: unique(),
      host: "localhost",
      port: 1,
      systemId: "a",
      password: "b",
      prefixes: ["999"],
    };
    const made = await w.admin("/v1/admin/operator/create", {
      ...operator,
      systemType: "VMA",
      enabled: false,
    });
    const updateOperator = async (systemType: unknown) =>
      (await w.admin(`/v1/admin/operator/${made.data.id}/update`, { systemType })).data.systemType;
    assert.deepEqual([await updateOperator(null), await updateOperator("")], ["VMA", null]);
  });

  test("a contact without a name is named by its phone", async () => {
    const phone = "2250700000021";
    const made = { phone, name: "Awa", firstName: "Awa", lastName: "Koné", sex: "F" };
    const [{ id }] = await dataOf(en.call("/v1/contact/create", made));
    const update = async (body: object) => {
      const { name, firstName, lastName, sex } = await dataOf(en.call(`/v1/contact/${id}/update`, body));
      return [name, firstName, lastName, sex];
    };
    assert.deepEqual(await update({ sex: "", lastName: null }), ["Awa", "Awa", "Koné", null]);
    assert.deepEqual(await update({ firstName: "" }), ["Koné", null, "Koné", null]);
    assert.deepEqual(await update({ lastName: "", name: "Tantie" }), [phone, null, null, null]);
    assert.deepEqual(await update({ name: "Tantie" }), ["Tantie", null, null, null]);
    assert.deepEqual(await update({ name: "" }), [phone, null, null, null]);
    const moved = "2250700000022";
    assert.deepEqual(await update({ phone: moved, firstName: "" }), [moved, null, null, null]);
    const required = await en.call(`/v1/contact/${id}/update`, { phone: "" });
    assert.deepEqual(required.details, [{ field: "phone", message: "is not a phone number" }]);
  });

  test("a sender's name may have spaces around it, and a connection can lose its sender", async () => {
    const { data: sender } = await fr.call("/v1/sender/create", { name: "ACME", description: "Promotions" });
    await w.admin(`/v1/admin/sender/${sender.id}/accept`);
    const spaced = " acme\n";
    const campaign = await fr.call("/v1/campaign/create", { ...sends, senderId: spaced });
    assert.equal(campaign.data.senderIdId, sender.id);
    const otp = { phoneNumber: "2250700000007", senderId: spaced };
    assert.equal((await fr.call("/v1/auth/otp/get", otp)).success, true);
    const app = await applicationOf(w, fr);
    const connection = await dataOf(provision(app, fr, unique(), { defaultSenderId: spaced }));
    assert.equal(connection.senderAssigned, true);
    const path = `/v1/third-party-app/connection/${connection.connectionId}/sender`;
    for (const [senderId, name] of [
      [null, "ACME"],
      ["", undefined],
      [spaced, "ACME"],
    ])
      assert.equal((await dataOf(fr.call(path, { senderId }))).sender?.name, name);
  });
});

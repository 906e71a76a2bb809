// The interface document, table by table: the bodies that each URL accepts, the fields it needs, and its exact answer.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { newPhone } from "../codes.ts";
import { addressed } from "../endpoints.ts";
import {
  CODE,
  CODE_PHONE,
  credentialsOf,
  type Fixture,
  type Json,
  type Kind,
  letters,
  makeFixture,
  OPEN,
  WEEK,
} from "../fixtures.ts";
import { PRICE } from "../reselling.ts";
import { type Answered, type TestService, testService } from "../testservice.ts";

/**
 * The shape of a value: a text of this form, one of these values, a `typeof`, an array, or an object of exactly these
 * members.
 */
type Shape =
  | RegExp
  | Set<unknown>
  | "string"
  | "number"
  | null
  | Shape[]
  | { [member: string]: Shape }
  | Either;
class Either {
  readonly shapes: readonly Shape[];
  constructor(...shapes: Shape[]) {
    this.shapes = shapes;
  }
}

const id = /^[0-9a-f]{24}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const phone = /^[1-9]\d{7,14}$/;
const text = "string" as const;
const number = "number" as const;
const orNull = (shape: Shape) => new Either(shape, null);

const person = {
  ...{ id, phone, name: text, firstName: orNull(text), lastName: orNull(text) },
  sex: new Set(["M", "F", null]),
  fields: new Either({}, { city: text }),
} satisfies Shape;
const contact = { ...person, createdAt: time } satisfies Shape;
const group = {
  id,
  name: text,
  description: orNull(text),
  createdAt: time,
  contactCount: number,
} satisfies Shape;
const sender = {
  ...{ id, name: /^[A-Za-z0-9]{3,11}$/, description: text, createdAt: time },
  status: new Set(["PENDING", "SUBMITTED", "ACCEPTED", "REFUSED"]),
} satisfies Shape;
const campaign = {
  ...{ id, name: text, text, scheduledDate: orNull(time), createdAt: time, contactCount: number },
  ...{ senderIdId: orNull(id), userId: id, _count: { contacts: number, groups: number } },
  type: new Set(["SMS", "SCHEDULED", "RECURRING"]),
  status: new Set(["PENDING", "SENDING", "SENT", "FAILED", "CANCELED", "ACTIVE"]),
} satisfies Shape;
const listedCampaign = { ...campaign, creditUsed: number } satisfies Shape;
const blocked = {
  ...{ phone: text, name: orNull(text), reason: text },
  code: new Set(["invalid-number", "duplicate", "opted-out", "unroutable"]),
} satisfies Shape;
const created = {
  ...{ ...campaign, campaignId: id, creditUsed: number, blockedContacts: [blocked] },
  blockedCount: number,
} satisfies Shape;
const otp = (status: string) => ({ token: id, status: new Set([status]), phoneNumber: phone });
const offer = {
  ...{ id, name: text, price: number, credit: number, bonusCredit: number, createdAt: time },
  archivedAt: orNull(time),
} satisfies Shape;
const granted = {
  ...{ transactionId: id, customerId: id, credit: number },
  ...{ customerBalance: number, partnerBalance: number },
} satisfies Shape;

const besideList = {
  ...{ totalCount: number, count: number, page: number, totalPage: number },
  ...{ nextCursor: orNull(text), previousCursor: orNull(text) },
} satisfies Shape;

type Entry = {
  kind?: Kind;
  /** Fields whose absence is answered with `invalid-request`. */
  required?: readonly string[];
  /** Bodies of the document. The first has the fewest fields, the last has all of them. */
  bodies: (of: Fixture) => [Json, ...Json[]];
  /** Every value that the document lists for a field. */
  values?: Record<string, readonly string[]>;
  data: Shape;
  isList?: true;
};

const nothing = (): [Json] => [{}];
const ofId =
  (thing: keyof Fixture["own"]) =>
  (of: Fixture): [Json] => [{ id: of.own[thing] }];
const listed = (all: Json) => (): [Json, Json] => [{}, { page: 1, limit: 10, ...all }];
const AWA = { name: "Awa", firstName: "Awa", lastName: "Koné", sex: "F" };
const NOON = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000 + 43_200_000).toISOString();

const document: Record<string, Entry> = {
  "/v1/contact/create": {
    required: ["contacts"],
    bodies: () => [
      { contacts: [{ phone: "2250700000031" }] },
      { phone: "2250700000032" },
      { phone: "2250700000033", ...AWA },
      { contacts: [{ phone: "2250700000034", name: null, firstName: null, lastName: null, sex: null }] },
      {
        contacts: [
          { phone: "2250700000035", ...AWA },
          { phone: "2250700000036", sex: "M" },
        ],
      },
    ],
    data: [contact],
  },
  "/v1/contact/list": {
    bodies: listed({ orderBy: "createdAt" }),
    values: { orderBy: ["firstName", "lastName", "phone", "createdAt"] },
    data: [contact],
    isList: true,
  },
  "/v1/contact/{id}": { bodies: ofId("contact"), data: contact },
  "/v1/contact/{id}/update": {
    bodies: ({ own }) => [{ id: own.contact }, { id: own.contact, phone: "2250700000037", ...AWA }],
    values: { sex: ["M", "F"] },
    data: (({ createdAt: updatedAt, ...rest }) => ({ ...rest, updatedAt }))(contact),
  },
  "/v1/contact/delete": {
    required: ["contactsIds"],
    bodies: ({ own }) => [{ contactsIds: [own.contact] }],
    data: { count: "number" },
  },
  "/v1/group/create": {
    required: ["name"],
    bodies: ({ own }) => [
      { name: "Clients" },
      { name: "Clients", contacts: [{ phone: "2250700000038" }] },
      { name: "Clients", description: "Les fidèles", contactIds: [own.contact] },
    ],
    data: group,
  },
  "/v1/group/list": {
    bodies: listed({ orderBy: "createdAt" }),
    values: { orderBy: ["name", "createdAt"] },
    data: [group],
    isList: true,
  },
  "/v1/group/{id}": { bodies: ofId("group"), data: { ...group, contacts: [contact] } },
  "/v1/group/{id}/update": {
    bodies: ({ own }) => [
      { id: own.group },
      { id: own.group, name: "Amis", description: "Les vrais", contactIds: [own.contact] },
    ],
    data: group,
  },
  "/v1/group/{id}/delete": { bodies: ofId("group"), data: { count: "number" } },
  "/v1/sender/create": {
    required: ["name", "description"],
    bodies: () => [{ name: letters("D"), description: "Promotions" }],
    data: sender,
  },
  "/v1/sender/list": {
    bodies: () => [{}, { sort: "desc", orderBy: "createdAt", count: 10, page: 1 }],
    values: { sort: ["asc", "desc"], orderBy: ["name", "createdAt"] },
    data: [sender],
    isList: true,
  },
  "/v1/sender/{id}/campaign": { bodies: ofId("sender"), data: [listedCampaign], isList: true },
  "/v1/campaign/create": {
    required: ["text"],
    bodies: ({ own }) => [
      { contacts: [{ phone: "2250700000041" }], text: "Bonjour", type: "SMS" },
      { contacts: ["2250700000042"], text: "Bonjour @name", senderId: own.senderName, name: "Promo" },
      { contacts: [{ phone: "2250700000042", ...AWA, id: own.contact }], text: "Bonjour @name" },
      { contacts: ["2250700000041", "2250700000041"], text: "Bonjour" },
      { groupsIds: [own.group], text: "Bonjour" },
      { contacts: ["2250700000041"], text: "Bonjour", type: "RECURRING", recurring: WEEK },
      {
        ...{ name: "Promo", contacts: ["2250700000041"], groupsIds: [own.group], text: "Bonjour @name" },
        ...{ senderId: own.senderName, type: "SCHEDULED", scheduledDate: NOON },
      },
    ],
    data: created,
  },
  "/v1/campaign/list": {
    bodies: listed({ orderBy: "createdAt" }),
    values: { orderBy: ["firstName", "lastName", "phone", "createdAt"] },
    data: [listedCampaign],
    isList: true,
  },
  "/v1/auth/otp/get": {
    kind: "company",
    required: ["phoneNumber"],
    bodies: ({ own }) => [
      { phoneNumber: newPhone() },
      { phoneNumber: `+${newPhone()}` },
      ...["NUMERIC", "ALPHABET", "ALPHA_NUMERIC"].map((mode) => ({ phoneNumber: newPhone(), mode })),
      {
        ...{ phoneNumber: newPhone(), length: 6, mode: "NUMERIC", senderId: own.senderName },
        appName: "Boutique",
      },
    ],
    data: otp("PENDING"),
  },
  // The document's body has no companyId, even when a company paid for the code.
  "/v1/auth/otp/verify": {
    kind: "user",
    required: ["phoneNumber", "token", "otp"],
    bodies: ({ own }) => [{ phoneNumber: `+${CODE_PHONE}`, token: own.token, otp: CODE }],
    data: otp("VERIFIED"),
  },
  "/v1/user/credit": { bodies: nothing, data: "number" },
  "/v1/credit/balance": { bodies: nothing, data: "number" },
  "/v1/partner/app/server-key": { bodies: nothing, data: { serverApiKey: /^psk_[\w-]{32,}$/ } },
  "/v1/partner/grant-credit": {
    kind: "partner",
    required: ["customerId", "credit"],
    bodies: ({ own }) => [
      { customerId: own.customer, credit: 1 },
      { customerId: own.customer, credit: 2, reason: "Cadeau" },
    ],
    data: granted,
  },
  "/v1/partner/app/offers/create": {
    required: ["name", "price", "credit"],
    bodies: () => [
      { name: "Petit pack", price: PRICE, credit: 200 },
      { name: "Petit pack", price: PRICE, credit: 200, bonusCredit: 20 },
    ],
    data: offer,
  },
};

const TEN_OF_ELEVEN = { totalCount: 11, count: 10, page: 1, totalPage: 2 };

/** Fails unless a value has a shape, to the last member. */
function assertShape(value: unknown, shape: Shape, at: string): void {
  const said = `${at} is ${JSON.stringify(value)}`;
  if (shape instanceof Either) {
    const fits = shape.shapes.some((one) => !failure(() => assertShape(value, one, at)));
    assert.ok(fits, said);
  } else if (shape === null) assert.equal(value, null, said);
  else if (shape instanceof Set) assert.ok(shape.has(value), said);
  else if (shape instanceof RegExp) assert.ok(typeof value === "string" && shape.test(value), said);
  else if (typeof shape === "string") assert.equal(typeof value, shape, said);
  else if (Array.isArray(shape)) {
    assert.ok(Array.isArray(value), said);
    for (const [i, item] of value.entries()) assertShape(item, shape[0]!, `${at}[${i}]`);
  } else {
    assert.ok(typeof value === "object" && value !== null, said);
    assert.deepEqual(Object.keys(value).sort(), Object.keys(shape).sort(), at);
    for (const [name, member] of Object.entries(shape))
      assertShape((value as Json)[name], member, `${at}.${name}`);
  }
}

function failure(run: () => void): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
}

suite("the interface document", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  before(async () => {
    const config = { ...OPEN.config, roles: new Set(["api"] as const) };
    w = await testService({ after: (close) => closing.push(close) }, { ...OPEN, config });
  });
  after(async () => {
    for (const close of closing) await close();
  });

  async function ask(path: string, of: Fixture, given: Json): Promise<Answered> {
    const { kind = "company" } = document[path]!;
    const sent = addressed({ path }, given);
    return w.call(sent.path, { ...sent.body, ...credentialsOf(kind, w, of) });
  }

  for (const [path, { bodies, data, required = [], values = {}, isList }] of Object.entries(document)) {
    /** Asserts that the answer is a success of exactly the documented members. */
    async function accepts(of: Fixture, body: Json): Promise<Answered> {
      const answer = await ask(path, of, body);
      const { success, data: got, error, warnings = [], ...beside } = answer;
      // A contact of a text with @name may lack a name, and a campaign has none of the documented orders but one.
      for (const { message } of warnings)
        assert.match(message, /^`@name` affiche le numéro|^est ignoré : une campagne n’a pas de /);
      assert.deepEqual({ success, error }, { success: true, error: null }, JSON.stringify([body, answer]));
      assertShape(got, data, "data");
      assertShape(beside, isList ? besideList : {}, "beside data");
      if (isList) assert.ok(got.length > 0, "a list with something in it");
      return answer;
    }

    test(`${path} answers each documented body with exactly the documented fields`, async () => {
      const count = bodies(await makeFixture(w)).length;
      for (let i = 0; i < count; i++) {
        const of = await makeFixture(w);
        await accepts(of, bodies(of)[i]!);
      }
    });

    test(`${path} takes null in any optional field as an absent field`, async () => {
      const of = await makeFixture(w);
      const [least, ...more] = bodies(of);
      const optional = Object.keys(Object.assign({}, ...more)).filter((name) => !(name in least));
      await accepts(of, { ...Object.fromEntries(optional.map((name) => [name, null])), ...least });
    });

    test(`${path} refuses a body without a required field, and names the field`, async () => {
      const of = await makeFixture(w);
      for (const name of required) {
        for (const missing of [undefined, null]) {
          const answer = await ask(path, of, { ...bodies(of)[0], [name]: missing });
          assert.equal(answer.error, "invalid-request", name);
          assert.deepEqual(
            answer.details?.map((detail) => detail.field),
            [name],
          );
        }
      }
    });

    for (const [name, known] of Object.entries(values)) {
      test(`${path} accepts only ${known.join(", ")} as ${name}`, async () => {
        const of = await makeFixture(w);
        for (const value of known) await accepts(of, { ...bodies(of)[0], [name]: value });
        // In an update an empty text empties the member.
        const empty = path.endsWith("/update") ? [] : [""];
        for (const value of [...empty, "id", `${known[0]} `, 1, [known[0]]]) {
          const answer = await ask(path, of, { ...bodies(of)[0], [name]: value });
          assert.equal(answer.error, "invalid-request", JSON.stringify(value));
        }
      });
    }
  }

  test("a list of eleven shows by default page 1 of 2 with the ten newest, newest first", async () => {
    const of = await makeFixture(w);
    const made = await w.admin("/v1/admin/company/create", { name: "Boutique", senderLimit: 11 });
    const { companyId, apiKey } = made.data;
    const fresh = { ...of, companyId, apiKey };
    const grant = { companyId, credit: 1_000, reason: "Cadeau" };
    assert.equal((await w.admin("/v1/admin/credit/grant", grant)).success, true);
    const create = async (path: string, body: Json) => (await ask(path, fresh, body)).data;
    const senders: string[] = [];
    for (let i = 0; i < 11; i++) {
      const { id } = await create("/v1/sender/create", { name: `Awa${i}`, description: "Promotions" });
      senders.push(id);
    }
    assert.equal((await w.admin(`/v1/admin/sender/${senders[0]}/accept`)).success, true);
    for (let i = 0; i < 11; i++) {
      await create("/v1/contact/create", { phone: `22507000001${i + 10}` });
      await create("/v1/group/create", { name: `Clients ${i}` });
      await create("/v1/campaign/create", { contacts: ["2250700000110"], text: `Bonjour ${i}` });
    }
    const sentBy = "/v1/sender/{id}/campaign";
    const lists = ["/v1/contact/list", "/v1/group/list", "/v1/sender/list", "/v1/campaign/list", sentBy];
    for (const path of lists) {
      const page = async (body: Json) => ask(path, fresh, { id: senders[0], ...body });
      const first = await page({});
      const { data, totalCount, count, totalPage } = first;
      assert.deepEqual({ totalCount, count, page: first.page, totalPage }, TEN_OF_ELEVEN, path);
      const shown = data.map((row: { createdAt: string }) => row.createdAt);
      assert.deepEqual(shown, [...shown].sort().reverse(), path);
      const second = await page({ page: 2 });
      assert.deepEqual([second.count, second.page, second.data.length], [1, 2, 1], path);
      assert.ok(second.data[0].createdAt < shown[9], path);
      const all = [...data, ...second.data].map((row: { id: string }) => row.id);
      assert.equal(new Set(all).size, 11, path);
    }
  });
});

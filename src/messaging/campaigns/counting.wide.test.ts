// The counting of large campaigns: the same numbers as rendering a message for each person.

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import fc from "fast-check";
import { assertBalanced, inBulk, phones, stacked } from "../../../test/sending.ts";
import { type Company, type TestService, testService, until } from "../../../test/testservice.ts";
import { type OperatorRoute, Routing } from "../../delivery/operators/routing.ts";
import { ANY_SENDER, SENDER_POLICIES } from "../../delivery/operators/senderrules.ts";
import { erasedKeysOf } from "../../phonebook/optouts/optouts.ts";
import { newId } from "../../platform/ids.ts";
import { callingCodeOf } from "../../protocol/sms/plans.ts";
import { renderMembers } from "./audience.ts";
import { countMembers, nameBlocked, type PricedPeople } from "./counting.ts";
import { templateOf } from "./recipients.ts";
import { queueLargeSends } from "./runs.ts";

type Result = {
  price: number;
  /** The people of each calling code, encoding, number of segments and price. */
  people: Record<string, number>;
  missing: number[];
  blocked: string[];
};

const TEXTS = [
  "Bonjour",
  `${"Votre commande est en route. ".repeat(3)}êtes-vous là ?`,
  "Bonjour @firstName",
  "@name, @lastName|cher client, @phone",
  `@ville${" ".repeat(150)}@ville@firstName`,
  "@nom_complet @constructor @ville",
];

/** Someone in the phone book, with what else is known of the phone. */
type Person = {
  prefix: string;
  name: string | null;
  firstName: string | null;
  lastName: string | null;
  fields: Record<string, string>;
  groups: boolean[];
  isOut: boolean;
  isErased: boolean;
  isPorted: boolean;
  isNamed: boolean;
};

const value = fc.oneof(
  fc.constantFrom("Awa", "Zoé [1]", "Koné", "中文", "😀", "a\u001fb", "x".repeat(70), "", "@phone|x"),
  fc.string({ maxLength: 20 }).map((text) => text.replaceAll("\u0000", "").toWellFormed()),
);
const rarely = fc.integer({ min: 0, max: 5 }).map((n) => n === 0);
const person: fc.Arbitrary<Person> = fc.record({
  prefix: fc.constantFrom("22507", "22505", "225019", "336", "1876", "99"),
  name: fc.option(value.filter((text) => text !== "")),
  firstName: fc.option(value),
  lastName: fc.option(value),
  fields: fc.oneof(fc.constant({}), fc.record({ ville: value.filter((text) => text !== "") })),
  groups: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  isOut: rarely,
  isErased: rarely,
  isPorted: rarely,
  isNamed: rarely,
});

const route = (id: string, prefixes: string[], isSimulated = false): OperatorRoute => ({
  ...{ id, prefixes, priority: 0, able: true, overflowMs: null, isSimulated, ...ANY_SENDER },
});

/** A company ($1), its phone book ($2) and its groups ($3), with the counts that the service keeps. */
const STORE = `WITH book AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($2) AS row (id text, phone text, name text, "firstName" text, "lastName" text, fields jsonb,
      groups boolean[], "isOut" boolean, "isErased" boolean, "isPorted" boolean, digest text)
  ), member AS MATERIALIZED (
    SELECT wanted.id AS group_id, book.id AS contact_id FROM unnest($3::text[]) WITH ORDINALITY AS wanted (id, at), book
    WHERE book.groups[wanted.at]
  ), company AS (INSERT INTO companies (id, name) VALUES ($1, 'Livre')
  ), contact AS (
    INSERT INTO contacts (company_id, id, phone, name, first_name, last_name, fields)
    SELECT $1, id, phone, name, "firstName", "lastName", fields FROM book
  ), counted AS (INSERT INTO contact_counts SELECT $1, count(*) FROM book
  ), made AS (
    INSERT INTO groups (company_id, id, name, contact_count)
    SELECT $1, id, 'Clients', (SELECT count(*) FROM member WHERE group_id = id) FROM unnest($3::text[]) AS id
  ), joined AS (INSERT INTO group_members (company_id, group_id, contact_id) SELECT $1, * FROM member
  ), opted_out AS (
    INSERT INTO optouts (company_id, phone, source) SELECT $1, phone, 'HANDSET' FROM book WHERE "isOut"
  ), erased AS (
    INSERT INTO erased_optouts (company_id, digest, source) SELECT $1, digest, 'HANDSET' FROM book WHERE "isErased"
  )
  INSERT INTO ported_numbers (phone, operator_id) SELECT phone::bigint, 'orange' FROM book WHERE "isPorted"`;

suite("counting", () => {
  const closing: (() => Promise<void>)[] = [];
  let here: TestService;
  let runs = 0;
  before(async () => {
    here = await testService({ after: (close) => closing.push(close) });
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  /** Stores the people in the phone book of a new company. Their phones occur in no other run. */
  async function store(
    people: readonly Person[],
  ): Promise<{ companyId: string; phones: string[]; ids: string[] }> {
    const companyId = newId();
    const number = String(++runs).padStart(6, "0");
    const all = people.map(({ prefix }, i) => `${prefix}${number}${String(i).padStart(2, "0")}`);
    const ids = [newId(), newId(), newId()];
    const book = people.map((one, i) => ({
      ...one,
      id: newId(),
      phone: all[i]!,
      name: one.name ?? all[i]!,
      digest: here.app.secrets.digest("erased-phone", all[i]!),
    }));
    await inBulk(here.app, STORE, [companyId, JSON.stringify(book), ids]);
    return { companyId, phones: all, ids };
  }

  test("a counted audience has the prices, missing values and blocked people of a rendered one", async () => {
    const counted = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(person, { minLength: 1, maxLength: 30 }),
        fc.constantFrom(...TEXTS),
        fc.record({
          isTrial: rarely,
          isSimulated: fc.boolean(),
          hasPorted: fc.boolean(),
          registered: fc.constantFrom([], ["orange 225"], ["moov 33"]),
          senderPolicy: fc.constantFrom(...SENDER_POLICIES),
          openCodes: fc.constantFrom(null, new Set(["225"]), new Set(["225", "33"])),
          areAllIn: rarely,
          limit: fc.integer({ min: 1, max: 12 }),
          step: fc.integer({ min: 1, max: 12 }),
          wanted: fc.integer({ min: 1, max: 3 }),
        }),
        async (
          given,
          text,
          {
            registered,
            senderPolicy,
            openCodes,
            isTrial,
            isSimulated,
            hasPorted,
            areAllIn,
            limit,
            step,
            wanted,
          },
        ) => {
          const people = areAllIn
            ? given.map((one) => ({ ...one, groups: [true, ...one.groups.slice(1)] }))
            : given;
          const { companyId, phones: all, ids } = await store(people);
          const named = all.filter((_, i) => people[i]!.isNamed);
          const audience = {
            companyId,
            groupIds: ids.slice(0, wanted),
            phoneBook: true,
            contacts: [...named, "2250799999999"].map((phone) => ({
              ...{
                phone,
                given: phone,
                field: "",
                name: null,
                firstName: null,
                lastName: null,
                sex: null,
                fields: null,
              },
            })),
          };
          const routes = [
            route("orange", ["22507", "2250799"]),
            { ...route("moov", ["2", "336"]), senderPolicy, defaultSender: "INFO" },
            ...(isSimulated ? [route("simulator", ["1"], true)] : []),
          ];
          const rules = {
            ...{
              template: templateOf(text, "text", new Set(["ville"])),
              isTrial,
              openCodes,
              segmentsAtMost: 2,
            },
            routing: new Routing(routes, { hasPorted }),
            erased: erasedKeysOf(here.app),
            sender: { name: "AWA", registered },
            tooLong: "leave-out" as const,
            nextSlice: async () => {},
          };
          await here.app.database.of(companyId).transaction(async (tx) => {
            const fast = nothing();
            const left: Parameters<typeof nameBlocked>[2][number][] = [];
            await countMembers(tx, audience, rules, { cursor: "", limit: () => limit }, (part) => {
              for (const one of part.priced) addTo(fast, one);
              fast.missing = part.missing.map((sum, i) => sum + (fast.missing[i] ?? 0));
              left.push(...part.blocked);
            });
            fast.blocked = (await nameBlocked(tx, companyId, left)).map(blockedKey);
            const slow = nothing();
            for (let cursor = ""; ; ) {
              const rendered = await renderMembers(tx, audience, rules, cursor, step);
              if (!rendered) break;
              cursor = rendered.cursor;
              for (const one of rendered.recipients) addTo(slow, { ...one, people: 1 });
              slow.missing = rendered.missing.map((sum, i) => sum + (slow.missing[i] ?? 0));
              slow.blocked.push(...rendered.blocked.map(blockedKey));
            }
            const none = rules.template.names.map(() => 0);
            for (const result of [fast, slow]) {
              result.blocked.sort();
              if (result.missing.length === 0) result.missing = none;
              for (const key of Object.keys(result.people)) counted.add(key);
              for (const key of result.blocked) counted.add(key.split(" ")[1]!);
            }
            assert.deepEqual(fast, slow);
          });
        },
      ),
      { numRuns: 150 },
    );
    // The books have everything that this compares.
    const cases = ["225 GSM-7 1 1", "225 UCS-2 2 2", "33 GSM-7 1 5"];
    for (const key of [...cases, "opted-out", "country-not-allowed", "sender-not-registered", "unroutable"])
      assert.ok(counted.has(key), `${key} among ${[...counted].join(", ")}`);
  });
});

const nothing = (): Result => ({ price: 0, people: {}, missing: [], blocked: [] });

function addTo(result: Result, { phone, encoding, segments, price, people }: PricedPeople): void {
  const key = `${callingCodeOf(phone)} ${encoding} ${segments} ${price}`;
  result.people[key] = (result.people[key] ?? 0) + people;
  result.price += people * price;
}

function blockedKey({ phone, code, name }: { phone: string; code: string; name: string | null }): string {
  return `${phone} ${code} ${name}`;
}

const MANY = 10_000;
const ABROAD = 200;
const OUT = 150;

/** A group of more people than are queued at once: 10,200 members, of whom 200 are abroad and 150 have opted out. */
async function largeGroup(here: TestService, company: Company): Promise<string> {
  const all = [...phones(MANY), ...phones(ABROAD, "336")];
  const { data: group } = await company.call("/v1/group/create", { name: "Clients" });
  for (const contacts of [all.slice(0, MANY), all.slice(MANY)])
    await company.call(`/v1/group/${group.id}/contacts/add`, { contacts });
  await inBulk(
    here.app,
    "INSERT INTO optouts (company_id, phone, source) SELECT $1, unnest($2::text[]), 'HANDSET'",
    [company.companyId, all.slice(MANY - OUT, MANY)],
  );
  return group.id;
}

const PRICE = MANY - OUT + 5 * ABROAD;

test("a large campaign is quoted, paid to the last credit and sent with the same numbers", async (t) => {
  const here = await testService(stacked(t), { config: { roles: new Set(["api", "gateway"]) } });
  const company = await here.company({ credits: PRICE - 1 });
  const id = await largeGroup(here, company);
  // One of them is named too, and gets one message.
  const body = { groupsIds: [id], contacts: [phones(1)[0]], text: "Bonjour" };
  const { data: quote } = await company.call("/v1/campaign/quote", body);
  assert.equal(quote.contactCount, MANY - OUT + ABROAD);
  assert.equal(quote.creditUsed, PRICE);
  assert.equal(quote.blockedCount, OUT);
  assert.equal(quote.blockedContacts.length, OUT);
  assert.deepEqual(quote.bySegments, [{ segments: 1, messages: MANY - OUT + ABROAD }]);
  assert.deepEqual(
    quote.breakdown.map((row: Record<string, number | string>) => [
      row.callingCode,
      row.messages,
      row.credits,
    ]),
    [
      ["225", MANY - OUT, MANY - OUT],
      ["33", ABROAD, 5 * ABROAD],
    ],
  );
  assert.equal(quote.sufficient, false);
  const create = (more: object = {}) => company.call("/v1/campaign/create", { ...body, ...more });
  assert.equal((await create()).error, "insufficient-credits");
  await here.admin("/v1/admin/credit/grant", { companyId: company.companyId, credit: 1, reason: "test" });
  assert.equal((await create({ creditAtMost: PRICE - 1 })).error, "conflict");

  const { data: created } = await create({ creditAtMost: PRICE });
  assert.deepEqual(
    [created.contactCount, created.creditUsed, created.blockedCount],
    [quote.contactCount, PRICE, OUT],
  );
  assert.equal((await company.call("/v1/credit/balance")).data, 0);
  await queueLargeSends(here.app);
  const campaign = async () => (await company.call(`/v1/campaign/${created.id}`)).data;
  await until(async () => (await campaign()).stats.delivered === quote.contactCount);
  const { contactCount, creditUsed, creditRefunded, stats } = await campaign();
  assert.deepEqual([contactCount, creditUsed, creditRefunded], [quote.contactCount, PRICE, 0]);
  assert.equal(stats.total, quote.contactCount);
  await assertBalanced(here);
});

test("who leaves or opts out between the creation of a large campaign and its steps is refunded", async (t) => {
  const here = await testService(stacked(t), { config: { roles: new Set(["api", "gateway"]) } });
  const company = await here.company({ credits: PRICE });
  const id = await largeGroup(here, company);
  const { data: created } = await company.call("/v1/campaign/create", { groupsIds: [id], text: "Bonjour" });
  assert.equal(created.creditUsed, PRICE);
  const left = phones(ABROAD, "336").slice(0, 20);
  await company.call(`/v1/group/${id}/contacts/remove`, { contacts: left });
  await company.call("/v1/optout/create", { phone: phones(MANY - OUT).at(-1) });
  await queueLargeSends(here.app);
  const reached = MANY - OUT + ABROAD - left.length - 1;
  await until(
    async () => (await company.call(`/v1/campaign/${created.id}`)).data.stats.delivered === reached,
  );
  assert.equal((await company.call("/v1/credit/balance")).data, 5 * left.length + 1);
  await assertBalanced(here);
});

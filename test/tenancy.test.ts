// Tenancy: every door, asked by the wrong caller, or by the right one for what belongs to somebody else.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { newId } from "../src/kernel/ids.ts";
import { newKey } from "../src/kernel/secrets.ts";
import { doors } from "../src/routes.ts";
import { addressed, membersOf, parametersOf, rowOf, rows } from "./doors.ts";
import {
  CREDENTIALS,
  credentialsOf,
  type Estate,
  headersOf,
  type Json,
  type Kind,
  kinds,
  makeEstate,
  OPEN,
  type Things,
} from "./estates.ts";
import { rows as select } from "./sending.ts";
import { type World, world } from "./world.ts";

const STRANGER = 'not-authenticated {"success":false,"data":null,"error":"not-authenticated"}';
const ID_MEMBER = /((^|\.)(id|token)|Ids?)(\[\])?$/;
/** Doors that end the key by which they were called, or another of the estate's. */
const NEW_KEY = new Set([
  "/v1/user/key/regenerate",
  "/v1/partner/app/server-key",
  "/v1/third-party-app/my/{appId}/regenerate-secret",
]);

/** What nobody may say of a record; every value is found again wherever it lands. */
const CANARY = "canary0123456789";
const PLANTED: Json = {
  ...{ id: CANARY, companyId: CANARY, userId: CANARY, ownerId: CANARY, customerId: CANARY, poolId: CANARY },
  ...{
    company_id: CANARY,
    user_id: CANARY,
    status: CANARY,
    role: CANARY,
    apiSecret: CANARY,
    apiKeyHash: CANARY,
  },
  ...{
    isAdmin: true,
    isPartner: true,
    admin: true,
    is_partner: true,
    balance: 987_654_321,
    credits: 987_654_321,
  },
  ...{
    credit: 987_654_321,
    price: 987_654_321,
    senderLimit: 9_876,
    creditUsed: 987_654_321,
    contactCount: 9_876,
  },
  ...{ createdAt: "2001-09-11T00:00:00.000Z", updatedAt: "2001-09-11T00:00:00.000Z", source: CANARY },
  ...{ key_digest: CANARY, sender_limit: 9_876, reason: CANARY, senderIdId: CANARY, blockedCount: 9_876 },
};
const TRACES = [CANARY, "987654321", "2001-09-11"];

/** Ids, keys, codes, digests, times and serial numbers are each company's own; the rest of what two alike have is alike. */
function alike(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00(:00)?)?/g, "<time>")
    .replace(/whsec_[\w+/=]+/g, "<key>")
    .replace(/(?<![\w-])[\w-]{32,}(?![\w-])/g, "<key>")
    .replace(/(pairingCode":"|ATUMPAN_|code=)[A-Z2-9]{8}/g, "$1<code>")
    .replace(/[A-C]?[0-9a-f]{9,}/g, "<id>")
    .replace(/"(id|number|position|reference)": \d+/g, '"$1": "<number>"');
}

suite("every door", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: World;
  let mine: Estate;
  let foreign: Estate;
  let tables: string[];

  before(async () => {
    // No gateway: what a campaign wrote stays as it was written.
    const config = { ...OPEN.config, roles: new Set(["api"] as const) };
    w = await world({ after: (close) => closing.push(close) }, { ...OPEN, config });
    [mine, foreign] = await Promise.all([makeEstate(w), makeEstate(w)]);
    const found = await select(w.app, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
    tables = found.map(({ name }) => name as string).sort();
  });
  after(async () => {
    for (const close of closing) await close();
  });

  /** Every row of every table that holds one of these texts, in order. */
  async function traces(texts: readonly string[]): Promise<string[]> {
    const one = (table: string) => `SELECT '${table} ' || to_jsonb(row)::text AS row FROM ${table} row
      WHERE EXISTS (SELECT FROM unnest($1::text[]) AS text WHERE strpos(row::text, text) > 0)`;
    const found = await select(w.app, tables.map(one).join(" UNION ALL "), [texts]);
    return found.map(({ row }) => row as string).sort();
  }

  /** Outcome and answer, byte for byte. */
  async function ask(path: string, body: Json, kind: Kind = "nobody", headers = {}): Promise<string> {
    const text = JSON.stringify(body);
    const response = await fetch(w.url + path, {
      method: "POST",
      headers: { ...headersOf(kind, text), ...headers },
      body: text,
    });
    return `${response.headers.get("atumpan-outcome")} ${await response.text()}`;
  }

  const strangeThings = (): Things => {
    const named = Object.keys(foreign.own).map((thing) => [thing, newId()]);
    return { ...(Object.fromEntries(named) as Things), senderName: `A${newId().slice(-10)}` };
  };

  test("the table has no row for a door that is not there", () => {
    const paths = new Set(doors.map((door) => door.path));
    assert.deepEqual(
      Object.keys(rows).filter((path) => !paths.has(path)),
      [],
    );
  });

  for (const door of doors) {
    const { path, route } = door;

    test(`A02: the row of ${path} names every id of its path and body`, () => {
      const members = membersOf(door).map(([name]) => name);
      const ids = [...new Set([...members.filter((name) => ID_MEMBER.test(name)), ...parametersOf(door)])];
      // The array itself is no id, its items are.
      const wanted = ids.filter((name) => !members.includes(`${name}[]`)).sort();
      assert.deepEqual(Object.keys(rowOf(door).ids ?? {}).sort(), wanted);
    });

    test(`A01 A05: ${path} knows the callers of its row and nobody else`, async () => {
      const { callers, body: bodyOf } = rowOf(door);
      const documented = new Set(callers.flatMap((kind): readonly string[] => kinds[kind]));
      assert.deepEqual(Object.keys(route.credentials.properties).sort(), [...documented].sort());
      if (callers.includes("nobody")) return;
      const { path: here, body } = addressed(door, bodyOf(mine));
      const others = (Object.keys(kinds) as Kind[]).filter((kind) => !callers.includes(kind));
      for (const kind of others) {
        assert.equal(await ask(here, { ...body, ...credentialsOf(kind, w, mine) }, kind), STRANGER, kind);
      }
      for (const credentials of strangers()) {
        assert.equal(await ask(here, { ...body, ...credentials }), STRANGER, JSON.stringify(credentials));
      }
      const kind = callers[0]!;
      const right = credentialsOf(kind, w, mine) as Record<string, string>;
      const { companyId: _, ...bare } = body;
      const headers = { Authorization: `Bearer ${Object.values(right)[0]}`, ...right };
      const answer = await ask(`${here}?${new URLSearchParams(right)}`, bare, "nobody", headers);
      assert.equal(answer, STRANGER, "credentials are members of the body");
      assert.notEqual(await ask(here, { ...body, ...right }, kind), STRANGER);
      if (NEW_KEY.has(path)) mine = await makeEstate(w);
    });

    test(`A04: ${path} stores nothing that a body says of what it must not`, async () => {
      const members = new Set(membersOf(door).map(([name]) => name));
      const [plain, planted] = await Promise.all([makeEstate(w), makeEstate(w)]);
      const before = await traces([foreign.companyId, foreign.userId]);
      const kind = rowOf(door).callers[0]!;
      const answers: string[] = [];
      for (const own of [plain, planted]) {
        const sent = addressed(door, rowOf(door).body(own));
        if (own === planted) plant(sent.body, members);
        answers.push(await ask(sent.path, { ...sent.body, ...credentialsOf(kind, w, own) }, kind));
      }
      const [one, two] = answers as [string, string];
      assert.equal(alike(two), alike(one));
      for (const trace of TRACES) assert.equal(two.includes(trace), false, two);
      assert.deepEqual(await traces(TRACES), []);
      assert.deepEqual(await traces([foreign.companyId, foreign.userId]), before);
      const whatIsThere = async (of: Estate, answer: string) => {
        const ids = /"(?:id|companyId|userId|connectionId)":"([0-9a-f]{24})"/g;
        const made = [...answer.matchAll(ids)].map(([, id]) => id!);
        return (await traces([of.companyId, of.own.app, ...made])).map(alike).sort();
      };
      assert.deepEqual(await whatIsThere(planted, two), await whatIsThere(plain, one));
    });
  }

  for (const door of doors) {
    const { callers, ids = {}, body: bodyOf } = rows[door.path] ?? { callers: [], body: () => ({}) };
    // Everybody's things are the administrator's, and may be paid for by any provider.
    const bounded = callers.filter((kind) => kind !== "admin" && kind !== "provider");
    if (Object.keys(ids).length === 0) continue;

    for (const kind of bounded)
      test(`A02: ${door.path} answers a ${kind} for another's id as for one that does not exist`, async () => {
        const before = await traces(Object.values(foreign.own));
        const strange = strangeThings();
        for (const [name, thing] of Object.entries(ids)) {
          if (thing === "chosen") continue;
          const named = thing === "nothing" ? "contact" : thing;
          for (const beside of name.endsWith("[]") ? [undefined, named] : [undefined]) {
            const answerTo = async (asked: string) => {
              const own = await makeEstate(w);
              const given = withIds(bodyOf(own), name, beside ? [own.own[beside], asked] : [asked]);
              const { path, body } = addressed(door, given);
              const answer = await ask(path, { ...body, ...credentialsOf(kind, w, own) });
              return alike(answer.replaceAll(asked, "<asked>"));
            };
            const asked = [foreign.own[named], strange[named]];
            const [there, nowhere] = await Promise.all(asked.map(answerTo));
            assert.equal(there, nowhere, `${name}${beside ? ", beside one's own" : ""}`);
          }
        }
        assert.deepEqual(await traces(Object.values(foreign.own)), before);
      });
  }

  /** Credentials that nobody has: of another, of another kind, in the wrong member, of the wrong type. */
  function strangers(): Json[] {
    const { apiKey, companyId, serverApiKey, apiSecret, connectionToken } = mine;
    const { adminKey } = w;
    const everywhere = (value: unknown) => Object.fromEntries(CREDENTIALS.map((name) => [name, value]));
    return [
      {},
      ...[
        "",
        companyId,
        newKey(""),
        newKey("adm_"),
        newKey("psk_"),
        newKey("tps_"),
        newKey("ct_"),
        "x".repeat(100_000),
        1,
        true,
        null,
        [],
        {},
      ].map(everywhere),
      { ...everywhere(adminKey), adminKey: apiKey },
      { ...everywhere(serverApiKey), serverApiKey: apiKey },
      { ...everywhere(apiSecret), apiSecret: connectionToken },
      { ...everywhere(connectionToken), connectionToken: apiSecret },
      { ...everywhere(apiKey), companyId: foreign.companyId },
      { ...everywhere(foreign.apiKey), companyId },
      ...[
        (key: string) => [key],
        (key: string) => ({ key }),
        (key: string) => ` ${key}`,
        (key: string) => key.slice(1),
        (key: string) => key.toUpperCase(),
      ].map((spoilt) => ({
        apiKey: spoilt(apiKey),
        companyId: spoilt(companyId),
        adminKey: spoilt(adminKey),
        serverApiKey: spoilt(serverApiKey),
        apiSecret: spoilt(apiSecret),
        connectionToken: spoilt(connectionToken),
      })),
    ];
  }
});

/** Says of a body, and of the objects in its arrays, what is not a member of its schema. */
function plant(body: Json, members: ReadonlySet<string>): void {
  for (const [name, value] of Object.entries(body)) {
    for (const item of Array.isArray(value) ? value : []) {
      if (typeof item !== "object") continue;
      for (const key in PLANTED)
        if (!(key in item) && !members.has(`${name}[].${key}`)) item[key] = PLANTED[key];
    }
  }
  for (const key in PLANTED) if (!members.has(key)) body[key] = PLANTED[key];
}

/** Ways to say the same, of which a body may hold one. */
const INSTEAD = ["contacts", "contactIds", "contactsIds"];

/** The body with these ids as its `id`, its `ids[]` or its `things[].id`. */
function withIds(body: Json, name: string, ids: readonly string[]): Json {
  const [member = "", inside] = name.split("[]");
  const rest = INSTEAD.includes(member)
    ? Object.fromEntries(Object.entries(body).filter(([key]) => !INSTEAD.includes(key)))
    : body;
  if (inside === undefined) return { ...rest, [member]: ids[0] };
  const items = inside === "" ? ids : ids.map((id) => ({ phone: "2250700001098", [inside.slice(1)]: id }));
  return { ...rest, [member]: items };
}

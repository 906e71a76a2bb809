// Bodies: whatever is sent to whichever door is answered in the envelope, at once, and changes nothing but what it may.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import type { TSchema } from "typebox";
import { openLog } from "../src/kernel/log.ts";
import { type Outcome, outcomes } from "../src/kernel/refusals.ts";
import type { Door } from "../src/kernel/routes.ts";
import { doors } from "../src/routes.ts";
import { addressed, membersOf, parametersOf, rowOf } from "./doors.ts";
import { credentialsOf, type Estate, headersOf, type Json, makeEstate, OPEN } from "./estates.ts";
import { JSON_TYPE, send } from "./listener.ts";
import { assertBalanced } from "./sending.ts";
import { type Answered, readAnswer, until, type World, world } from "./world.ts";

// ES2025, in Node 24 but not in the library of types that we compile with.
declare global {
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** Bodies per door and property; `npm run test:fuzz` has more. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 12);
/** The machine may pause, so one slow answer is asked for again. */
const SLOW_MS = 1_000;
const SLOW_ON_LARGE_MS = 1_000;

const builtIns = [Object, Array, String, Function].map(({ prototype }) => prototype);
const shapes = () => builtIns.map((prototype) => Reflect.ownKeys(prototype));

/** A body as text; members that a serialiser cannot write are `rawJSON`. */
const textOf = (body: unknown) => JSON.stringify(body) ?? "null";

/** The text of an object with a key that every object has. */
const polluting = (key: string) => `{"${key}":{"prototype":{"isAdmin":true},"isAdmin":true}}`;
const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

const NUMBERS = [
  "1e400",
  "-1e400",
  "9007199254740993",
  "-0",
  "1.5",
  "-1",
  "0",
  "1",
  "2147483648",
  "1e9",
  "1e21",
];
const REFUSED_TEXTS = ["a\u0000b", "\u0007", "\ud800", "\udfff", "\udc00\ud800"];
const ODD_TEXTS = [
  ...[
    "",
    " ",
    "\u202eevil",
    "\u2066x\u2069",
    "a\u200bb",
    "\ufeff",
    "\u00ad",
    "e\u0301",
    "é",
    "a\u0301".repeat(100),
  ],
  ...[
    "😀".repeat(200),
    "👨‍👩‍👧‍👦".repeat(28),
    "x".repeat(200),
    "x".repeat(201),
    "x".repeat(10_000),
    "ß".repeat(11),
  ],
  ...["'; DROP TABLE contacts; --", "%", "_", "\\", "{a,b}", "NULL", "$1", "@name@phone", "@constructor"],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "null",
    "true",
    "0",
    "-1",
    "1e400",
    "NaN",
    "=cmd()",
    "<script>",
  ],
];
const PHONES = [
  ...[
    "+",
    "00",
    "0700000000",
    "+22507",
    "+2250700000099",
    "00225 07-00.00(00)99",
    "٢٢٥٠٧٠٠٠٠٠٠٩٩",
    "0".repeat(64),
  ],
  ...[
    "9".repeat(15),
    "9".repeat(16),
    "(".repeat(64),
    `${"\u00a0".repeat(50)}12345678`,
    "12345678",
    "98",
    "18005551234",
  ],
];
const BAD_DATES = [
  ...[
    "2027-02-30T10:00:00Z",
    "2027-02-29T10:00:00Z",
    "2027-01-04T24:00:00Z",
    "2027-01-04T10:00:00",
    "2027-01-04",
  ],
  ...["infinity", "-infinity", "epoch", "now", "1", "0", "", "2027-01-04T10:07:00Z", "2027-01-04T10:00:30Z"],
  ...["2027-13-01T10:00:00Z", "0000-00-00T00:00:00Z", "+012027-01-04T10:00:00Z", "2027-01-04T10:00:60Z"],
  ...[
    "2027-01-04T10:00:00+99:00",
    "2027-01-04T10:00:00Z\n",
    "２０２７-01-04T10:00:00Z",
    "Mon, 04 Jan 2027 10:00:00 GMT",
  ],
];
const ODD_DATES = ["2027-01-04T10:15:00.000000000-12:00", "2020-01-01T00:00:00Z", "2100-12-31T23:45:00z"];

/** Values as JSON texts: some of them no JavaScript value is, and none is shared between bodies. */
const hostile: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...[...ODD_TEXTS, ...REFUSED_TEXTS].map(textOf)) },
  { weight: 2, arbitrary: fc.constantFrom(...NUMBERS) },
  fc.constantFrom(...[...PHONES, ...BAD_DATES, ...ODD_DATES].map(textOf)),
  fc.string({ unit: fc.constantFrom(..."+0123456789 -.()"), maxLength: 20 }).map(textOf),
  fc.string({ unit: "binary", maxLength: 300 }).map(textOf),
  fc.string({ unit: "grapheme", maxLength: 300 }).map(textOf),
  fc.constantFrom("null", "true", "[]", "{}", "[null]", "[[]]", ...[15, 17, 500].map(nested)),
  fc.constantFrom("__proto__", "constructor", "toString", "hasOwnProperty", "then", "toJSON").map(polluting),
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }).map(textOf) },
);

/** Where to strike and with what; `at` counts on through the members of whatever body it meets. */
const mutation = fc.record({
  at: fc.nat(200),
  value: hostile,
  how: fc.constantFrom("replace", "replace", "replace", "wrap", "add", "drop", "repeat"),
});
type Mutation = { at: number; value: string; how: string };

/** The object or array, and the key in it, of everything in a body, and of what its schema knows beside that. */
function placesIn(body: Json, door: Door): [holder: Json, key: string][] {
  const places: [Json, string][] = [];
  const walk = (holder: Json) => {
    for (const key of Object.keys(holder)) {
      places.push([holder, key]);
      if (isContainer(holder[key])) walk(holder[key]);
    }
  };
  walk(body);
  for (const [name] of membersOf(door)) {
    if (!(name in body) && /^\w+$/.test(name)) places.push([body, name]);
  }
  return places.length > 0 ? places : [[body, "extra"]];
}

function isContainer(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !JSON.isRawJSON(value);
}

function isWellFormed(value: unknown): boolean {
  return typeof value === "string" && value.isWellFormed();
}

function strike(body: Json, door: Door, { at, value: text, how }: Mutation): void {
  const places = placesIn(body, door);
  const [holder, key] = places[at % places.length]!;
  const before = holder[key];
  const value = NUMBERS.includes(text) ? JSON.rawJSON(text) : JSON.parse(text);
  if (how === "wrap") holder[key] = [before, value];
  else if (how === "add" && isContainer(before)) before.extra = value;
  else if (how === "drop") delete holder[key];
  else if (how === "repeat" && Array.isArray(before)) holder[key] = [...before, ...before, value];
  else holder[key] = value;
}

type Wrong = { value: string; refused?: Outcome };

const long = (text: string) => text.repeat(Math.ceil(1_000_000 / text.length));
// A megabyte each: what a pattern or a parser of phones, names, addresses and texts might walk again and again.
const HUGE_TEXTS = [long("a"), long("@a."), long("0 "), `+${long("1")}x`, long("\u0301"), long("@name")].map(
  textOf,
);
const polluted = ["__proto__", "constructor", "toString"].map(polluting);

const BAD_WEEKS = [
  ...BAD_DATES.map((date) => textOf({ monday: date })),
  ...['{"someday":"2027-01-04T10:00:00Z"}', '{"monday":5}', "{}", "[]", '"monday"', ...polluted],
];

/** What no door may accept in a member of this schema, and what it may do with as it likes. Values are JSON texts. */
function wrongFor(name: string, schema: TSchema): Wrong[] {
  const { type, maxLength, minimum, maximum, patternProperties } = schema as {
    type?: string;
    patternProperties?: object;
    maxLength?: number;
    minimum?: number;
    maximum?: number;
  };
  const refused = (values: readonly string[]) =>
    values.map((value): Wrong => ({ value, refused: "invalid-request" }));
  if (type === "integer") {
    const beyond = [minimum! - 1, maximum! + 1, maximum! * 2, minimum! - 2 ** 31].filter(Number.isFinite);
    return refused(["1e400", "-1e400", "1.5", '"2"', "true", "[1]", "{}", ...beyond.map(String)]);
  }
  if (type === "object" && patternProperties) return refused(BAD_WEEKS);
  if (type !== "string") return refused(polluted.slice(0, type === "object" ? 0 : undefined));
  const texts = refused(["1", "[]", ...polluted, ...REFUSED_TEXTS.map(textOf)]);
  if (maxLength)
    texts.push(...refused([textOf("x".repeat(maxLength + 1)), textOf("😀".repeat(maxLength + 1))]));
  if (/Date$/.test(name)) texts.push(...refused(BAD_DATES.map(textOf)));
  const odd = ODD_TEXTS.slice(0, 12).map((text) => ({ value: textOf(text) }));
  return [...texts, ...odd, ...refused(HUGE_TEXTS)];
}

/** Puts a value where `name` is in a body, `name[]` in the place of an array's first; false where there is no such place. */
function place(body: Json, name: string, text: string): boolean {
  const keys = name.replaceAll("[]", ".0").split(".");
  const last = keys.pop()!;
  let holder: unknown = body;
  for (const key of keys) holder = isContainer(holder) ? holder[key] : undefined;
  if (!isContainer(holder)) return false;
  holder[last] = /^-?\d/.test(text) ? JSON.rawJSON(text) : JSON.parse(text);
  return true;
}

suite("every door", () => {
  const closing: (() => Promise<void>)[] = [];
  const crashes: string[] = [];
  const estates = new Map<Door, Estate>();
  const validators = new Set<string>();
  const shapesBefore = shapes();
  let w: World;

  before(async () => {
    const log = openLog("error", { write: (line) => void crashes.push(line) });
    w = await world({ after: (close) => closing.push(close) }, { ...OPEN, log });
  });
  after(async () => {
    for (const close of closing) await close();
  });

  async function estateOf(door: Door): Promise<Estate> {
    const estate = estates.get(door) ?? (await makeEstate(w));
    estates.set(door, estate);
    return estate;
  }

  /** Posts with the credentials of the door's own caller, and sees that it is answered well and soon. */
  async function ask(door: Door, body: Json, limitMs = SLOW_MS): Promise<Answered> {
    const { callers, spends } = rowOf(door);
    const estate = await estateOf(door);
    const { path, body: rest } = addressed(door, body);
    const credentials = credentialsOf(callers[0]!, w, estate);
    const text = textOf({ ...rest, ...credentials });
    const answer = await post(path, text, limitMs, headersOf(callers[0]!, text));
    if (answer.success && spends) estates.delete(door);
    const { apiKey, serverApiKey } = (answer.success && answer.data) || {};
    if (path === "/v1/user/key/regenerate" && apiKey) estate.apiKey = apiKey;
    if (path === "/v1/partner/app/server-key" && serverApiKey) estate.serverApiKey = serverApiKey;
    return answer;
  }

  async function post(
    path: string,
    text: string,
    limitMs = SLOW_MS,
    headers: object = JSON_TYPE,
  ): Promise<Answered> {
    for (let again = 0; ; again++) {
      const startMs = performance.now();
      const answer = await send(w.url + path, text, headers);
      const ms = performance.now() - startMs;
      assert.notEqual(answer.error, "server-error", `${path} ${text.slice(0, 2_000)}\n${crashes.at(-1)}`);
      if (ms <= limitMs) return answer;
      assert.equal(again, 0, `${path} took ${ms} ms, twice, for ${text.slice(0, 2_000)}`);
    }
  }

  const sample = async (door: Door): Promise<Json> => rowOf(door).body(await estateOf(door));

  for (const door of doors) {
    const { path } = door;
    const inPath = parametersOf(door);
    const withPath = (body: Json, from: Json) => ({
      ...body,
      ...Object.fromEntries(inPath.map((name) => [name, from[name]])),
    });

    test(`${path}: its row's body is accepted`, async () => {
      const answer = await until(async () => {
        const one = await ask(door, await sample(door));
        return one.error !== "service-unavailable" && one;
      });
      assert.equal(answer.success, true, JSON.stringify(answer));
    });

    // Each estate that is spent costs eight requests.
    const runs = rowOf(door).spends ? Math.ceil(RUNS / 4) : RUNS;

    test(`P01: ${path} answers arbitrary JSON`, async () => {
      const anything = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()));
      const property = fc.asyncProperty(anything, async (value) => {
        const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
        const good = await sample(door);
        if (isObject) await ask(door, withPath(value as Json, good));
        else assert.equal((await post(addressed(door, good).path, textOf(value))).error, "invalid-request");
      });
      await fc.assert(property, { numRuns: runs });
    });

    test(`P01: ${path} answers a good body with something wrong in it`, async () => {
      const property = fc.asyncProperty(
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        async (mutations) => {
          const good = await sample(door);
          const body = structuredClone(good);
          for (const one of mutations) strike(body, door, one);
          // What is no text cannot stand in a path; it is the body's then, which must agree with the path.
          const isLost = inPath.some((name) => !isWellFormed(body[name]));
          await ask(door, isLost ? withPath(body, good) : body);
        },
      );
      await fc.assert(property, { numRuns: runs * 3 });
    });

    test(`P03 P04 P06 P09 P11: ${path} refuses what is wrong for any member of its kind`, async () => {
      for (const [name, member] of membersOf(door)) {
        // What is no text cannot stand in a path.
        if (inPath.includes(name)) continue;
        const wrong = wrongFor(name, member);
        const isHuge = ({ value }: Wrong) => value.length > 100_000;
        await Promise.all(wrong.filter((one) => !isHuge(one)).map((one) => refuses(name, one, SLOW_MS)));
        // Many doors share a contact's name or a phone: a megabyte for each schema, not for each use of it.
        const kind = `${name} ${textOf(member)}`;
        if (validators.has(kind)) continue;
        validators.add(kind);
        for (const one of wrong.filter(isHuge)) await refuses(name, one, SLOW_ON_LARGE_MS);
      }
    });

    async function refuses(name: string, { value, refused }: Wrong, limitMs: number): Promise<void> {
      const body = structuredClone(await sample(door));
      if (!place(body, name, value)) return;
      // Times count for campaigns that have one.
      if (name === "scheduledDate") body.type = "SCHEDULED";
      if (name === "recurring") body.type = "RECURRING";
      const answer = await ask(door, body, limitMs);
      const said = `${name} = ${value.slice(0, 100)}: ${JSON.stringify(answer).slice(0, 500)}`;
      if (refused) assert.equal(answer.error && outcomes[answer.error], refused, said);
    }

    test(`P05 P10: ${path} answers what is too much, or no JSON at all, with the envelope`, async () => {
      const body = await sample(door);
      const { path: here, body: rest } = addressed(door, body);
      const whole = { ...rest, ...credentialsOf(rowOf(door).callers[0]!, w, await estateOf(door)) };
      const beside = (text: string) => `${textOf(whole).slice(0, -1)},"more":${text}}`;
      for (const text of [nested(100_000), `[${"[],".repeat(300_000)}1]`, `${"9".repeat(1_000_000)}`]) {
        assert.equal((await post(here, beside(text))).error, "invalid-request");
      }
      for (const method of ["GET", "PUT", "DELETE"]) {
        const answer = await readAnswer(await fetch(w.url + here, { method }));
        assert.equal(answer.error, "not-found");
      }
      const as = (bytes: string | Uint8Array, headers: object) => send(w.url + here, bytes, headers);
      const bytes = Buffer.from(textOf(whole));
      const packed = await as(gzipSync(bytes), { ...JSON_TYPE, "Content-Encoding": "gzip" });
      assert.equal(packed.error, "invalid-json");
      assert.equal((await as(bytes, { "Content-Type": "text/plain" })).error, "invalid-request");
      const notUtf8 = Buffer.concat([bytes.subarray(0, -1), Buffer.from(',"more":"\xff"}', "latin1")]);
      assert.equal((await as(notUtf8, JSON_TYPE)).error, "invalid-json");
    });
  }

  test("afterwards every credit is accounted for, nothing crashed, and JavaScript is what it was", async () => {
    await assertBalanced(w);
    assert.deepEqual(crashes, []);
    assert.deepEqual(shapes(), shapesBefore);
  });
});

// Hostile values for endpoints, and the ways to put them into a body.

import fc from "fast-check";
import type { TSchema } from "typebox";
import type { Outcome } from "../src/platform/http/refusals.ts";
import type { Route } from "../src/platform/http/routes.ts";
import { membersOf } from "./endpoints.ts";
import type { Json } from "./fixtures.ts";

// ES2025 and Node 24 have `JSON.rawJSON`, but the library of types that we compile with does not.
declare global {
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** A body as text. Members that a serialiser cannot write are `rawJSON`. */
export const textOf = (body: unknown) => JSON.stringify(body) ?? "null";

/** The text of an object with a key that every object inherits. */
const polluting = (key: string) => `{"${key}":{"prototype":{"isAdmin":true},"isAdmin":true}}`;
export const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

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

/** Values as JSON texts. Some have no JavaScript value, and bodies share none of them. */
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

/** The place and the value of a strike. `at` is taken modulo the number of places in the body. */
export const mutation = fc.record({
  at: fc.nat(200),
  value: hostile,
  how: fc.constantFrom("replace", "replace", "replace", "wrap", "add", "drop", "repeat"),
});
type Mutation = { at: number; value: string; how: string };

/** Every place in a body, as its object or array and its key, and members of the schema that the body lacks. */
function placesIn(body: Json, route: Route): [holder: Json, key: string][] {
  const places: [Json, string][] = [];
  const walk = (holder: Json) => {
    for (const key of Object.keys(holder)) {
      places.push([holder, key]);
      if (isContainer(holder[key])) walk(holder[key]);
    }
  };
  walk(body);
  for (const [name] of membersOf(route)) {
    if (!(name in body) && /^\w+$/.test(name)) places.push([body, name]);
  }
  return places.length > 0 ? places : [[body, "extra"]];
}

function isContainer(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !JSON.isRawJSON(value);
}

export function isWellFormed(value: unknown): boolean {
  return typeof value === "string" && value.isWellFormed();
}

export function strike(body: Json, route: Route, { at, value: text, how }: Mutation): void {
  const places = placesIn(body, route);
  const [holder, key] = places[at % places.length]!;
  const before = holder[key];
  const value = NUMBERS.includes(text) ? JSON.rawJSON(text) : JSON.parse(text);
  if (how === "wrap") holder[key] = [before, value];
  else if (how === "add" && isContainer(before)) before.extra = value;
  else if (how === "drop") delete holder[key];
  else if (how === "repeat" && Array.isArray(before)) holder[key] = [...before, ...before, value];
  else holder[key] = value;
}

export type Wrong = { value: string; refused?: Outcome };

const HUGE = 250_000;
const long = (text: string) => text.repeat(Math.ceil(HUGE / text.length));
// A quarter of a megabyte each. A bad pattern or parser of phones, names, addresses or texts takes very long for them.
const HUGE_TEXTS = [long("a"), long("@a."), long("0 "), `+${long("1")}x`, long("\u0301"), long("@name")].map(
  textOf,
);
const polluted = ["__proto__", "constructor", "toString"].map(polluting);

const BAD_WEEKS = [
  ...BAD_DATES.map((date) => textOf({ monday: date })),
  ...['{"someday":"2027-01-04T10:00:00Z"}', '{"monday":5}', "{}", "[]", '"monday"', ...polluted],
];

/**
 * Values for a member of this schema, as JSON texts: some that no endpoint may accept, and some that it may accept or
 * refuse.
 */
export function wrongFor(name: string, schema: TSchema): Wrong[] {
  const { type, maxLength, minimum, maximum } = schema as {
    type?: string;
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
  if (name === "recurring") return refused(BAD_WEEKS);
  if (type !== "string") return refused(polluted.slice(0, type === "object" ? 0 : undefined));
  const texts = refused(["1", "[]", ...polluted, ...REFUSED_TEXTS.map(textOf)]);
  if (maxLength)
    texts.push(...refused([textOf("x".repeat(maxLength + 1)), textOf("😀".repeat(maxLength + 1))]));
  if (/Date$/.test(name)) texts.push(...refused(BAD_DATES.map(textOf)));
  const odd = ODD_TEXTS.slice(0, 12).map((text) => ({ value: textOf(text) }));
  // A text that may be as long as a file may be any of the huge ones.
  const huge = maxLength && maxLength > HUGE ? HUGE_TEXTS.map((value) => ({ value })) : refused(HUGE_TEXTS);
  return [...texts, ...odd, ...huge];
}

/** Puts a value at `name` in a body; `name[]` is the first item of an array. False if there is no such place. */
export function place(body: Json, name: string, text: string): boolean {
  const keys = name.replaceAll("[]", ".0").split(".");
  const last = keys.pop()!;
  let holder: unknown = body;
  for (const key of keys) holder = isContainer(holder) ? holder[key] : undefined;
  if (!isContainer(holder)) return false;
  holder[last] = /^-?\d/.test(text) ? JSON.rawJSON(text) : JSON.parse(text);
  return true;
}

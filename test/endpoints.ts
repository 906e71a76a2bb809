// Every endpoint as the attacks see it, derived from its route: its callers, a body that it accepts, and its ids.

import assert from "node:assert/strict";
import type { TSchema } from "typebox";
import { routes } from "../src/api/api.ts";
import { CHOSEN, OF_NO_ACCOUNT } from "../src/platform/http/idschemas.ts";
import type { Route } from "../src/platform/http/routes.ts";
import { chaptersOf } from "../src/web/docs/operations.ts";
import { type Fixture, type Json, type Kind, kinds, unique } from "./fixtures.ts";
import { overrides } from "./overrides.ts";
import type { Things } from "./things.ts";

export type Endpoint = {
  callers: readonly Kind[];
  /** A body that the endpoint accepts. The path's parameters are among its members. */
  body: (of: Fixture) => Json;
  /** The thing of a company that each id names (`name[]` in an array), `OF_NO_ACCOUNT` of a company, or `CHOSEN`. */
  ids: Readonly<Record<string, keyof Things | typeof OF_NO_ACCOUNT | typeof CHOSEN>>;
  /** The endpoint uses up what it names: the next call needs another fixture. */
  spends: boolean;
};

/** The last words of the paths of endpoints that use up the thing that they name, or the code that they get. */
const SPENDS =
  /\/(approve|archive|cancel|claim|close|confirm|decline|delete|delete-many|deny|disable|enrol|remove|reset|revoke|run|suspend|verify)$|campaign\/\{id\}\/resume$/;

/** Things of the service, which every company may name. */
const PUBLIC: ReadonlySet<string> = new Set<keyof Things>(["topupOffer"]);

const examples = new Map(
  chaptersOf(routes).flatMap(({ operations }) => operations.map(({ path, example }) => [path, example.body])),
);

/** What the attacks know of an endpoint. */
export function endpointOf(route: Route): Endpoint {
  const { things = {}, body } = overrides[route.path] ?? {};
  const declared = idsOf(route);
  const named = (name: string) => things[name] ?? declared.get(name);
  return {
    callers: callersOf(route),
    ids: Object.fromEntries([...declared.keys()].map((name) => [name, attacked(named(name))])),
    spends: !route.reads && SPENDS.test(route.path),
    body: (of) => {
      const example = Object.fromEntries(
        Object.entries(examples.get(route.path) ?? {}).filter(
          ([name]) => !(name in route.credentials.properties) || name in route.body.properties,
        ),
      );
      const given = { ...example, ...body?.(of) };
      for (const name of parametersOf(route)) given[name] ??= "";
      if ("ids" in route.body.properties) given.ids = [""];
      if ("idempotencyKey" in route.body.properties) given.idempotencyKey = unique();
      return filled(given, "", of, named) as Json;
    },
  };
}

function attacked(thing: string | undefined) {
  return (thing !== undefined && PUBLIC.has(thing) ? OF_NO_ACCOUNT : thing) as Endpoint["ids"][string];
}

/** Returns the body with the ids of this fixture in place of those of the example, and of placeholders like `<apiKey>`. */
function filled(
  value: unknown,
  at: string,
  of: Fixture,
  named: (name: string) => string | undefined,
): unknown {
  if (Array.isArray(value)) return value.map((item) => filled(item, `${at}[]`, of, named));
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, member]) => {
      return [name, filled(member, at ? `${at}.${name}` : name, of, named)];
    });
    return Object.fromEntries(members);
  }
  const thing = named(at);
  if (thing === CHOSEN) return unique();
  if (thing !== undefined && thing !== OF_NO_ACCOUNT)
    return of.own[thing as keyof Things] ?? assert.fail(`test/fixtures.ts has no ${thing}`);
  const [, placeholder] = /^<(\w+)>$/.exec(String(value)) ?? [];
  return placeholder === undefined ? value : { ...of.own, ...of }[placeholder as keyof Things];
}

/** The kinds of callers, by the credentials that the route declares. */
function callersOf({ path, credentials }: Route): readonly Kind[] {
  const named = overrides[path]?.callers;
  if (named) return named;
  const { properties, required = [] }: { properties: object; required?: string[] } = credentials;
  const names = Object.keys(properties);
  if (names.length === 0) return ["nobody"];
  // Beside `apiKey`, an optional `companyId` says that the company pays, and not the user.
  const isCalledByUser = required.includes("apiKey") && !required.includes("companyId");
  if (names.includes("apiKey") && isCalledByUser)
    return names.includes("companyId") ? ["company", "user"] : ["session"];
  const one = (Object.keys(kinds) as Kind[]).filter((kind) => {
    const [key] = kinds[kind];
    return key !== undefined && names.includes(key) && kind !== "user" && kind !== "session";
  });
  return one.sort((a, b) => names.indexOf(kinds[a][0] ?? "") - names.indexOf(kinds[b][0] ?? ""));
}

/** The names of the parameters in an endpoint's path. */
export function parametersOf({ path }: Pick<Route, "path">): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
}

/** An endpoint's path, filled in from a body, and the rest of the body. */
export function addressed({ path }: Pick<Route, "path">, { ...body }: Json): { path: string; body: Json } {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = body[name];
    delete body[name];
    return encodeURIComponent(String(value));
  });
  return { path: filled, body };
}

/** Every member that an endpoint reads, with its schema. */
export function membersOf(route: Route): [name: string, schema: TSchema][] {
  const reads = overrides[route.path]?.reads;
  return [...within(route.body), ...(reads ? within(reads) : [])];
}

/** The members that are ids, with the thing that each of them names: see `idOf`. */
function idsOf(route: Route): Map<string, string> {
  const named = membersOf(route).map(([name, schema]) => [name, thingOf(schema)] as const);
  return new Map(named.filter((one): one is [string, string] => one[1] !== undefined));
}

function thingOf(schema: TSchema): string | undefined {
  const { "x-id-of": thing, anyOf } = schema as { "x-id-of"?: string; anyOf?: TSchema[] };
  return thing ?? anyOf?.map(thingOf).find((one) => one !== undefined);
}

/** Every member of a schema with its schema; `name[]` stands for the items of an array. */
function* within(schema: TSchema, at = ""): Generator<[name: string, schema: TSchema]> {
  const { properties, items, anyOf } = schema as {
    properties?: Record<string, TSchema>;
    items?: TSchema;
    anyOf?: TSchema[];
  };
  if (at) yield [at, schema];
  for (const [name, member] of Object.entries(properties ?? {})) {
    yield* within(member, at ? `${at}.${name}` : name);
  }
  if (items) yield* within(items, `${at}[]`);
  for (const one of anyOf ?? [])
    for (const [name, member] of within(one, at)) if (name !== at) yield [name, member];
}

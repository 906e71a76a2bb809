// All that the reference contains on each path, from its route.

import type { Detail } from "../../platform/http/fielderrors.ts";
import type { Meaning } from "../../platform/http/meanings.ts";
import type { Code, Sentence } from "../../platform/http/refusals.ts";
import type { Route } from "../../platform/http/routes.ts";
import { chapters } from "./chapters.ts";
import { meaningOf, ownMeaningOf } from "./meanings.ts";
import { anchorOf } from "./names.ts";

/** The keywords of JSON Schema that our schemas use. */
export type Schema = {
  /** The name of a shape that the reference documents once. */
  title?: string;
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  patternProperties?: Record<string, Schema>;
  additionalProperties?: boolean;
  /** Null is a value of its own; see `nullable`. */
  "x-nullable"?: true;
  "x-meaning"?: Meaning;
  examples?: unknown[];
  default?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
};

export type Operation = {
  /** A unique anchor, such as `contact-id-update`. */
  id: string;
  path: string;
  /** Its alternative paths. */
  synonyms: readonly string[];
  /** A short title: « Créer une campagne ». */
  title: Sentence;
  fr: string;
  en: string;
  /** The path's parameters, by name. */
  parameters: Readonly<Record<string, Schema>>;
  credentials: Schema;
  /** The caller's credentials, by field of the body or by header; empty if anyone may call. */
  wanted: readonly Detail[];
  /** Fields of the body without the credentials and the path's parameters. A field with a default is not required. */
  body: Schema;
  /** The largest size of the whole body, in words. */
  size: { fr: string; en: string };
  /** A request that works once each `<…>` is filled in. */
  example: { path: string; body: Record<string, unknown> };
  data: Schema;
  /** Fields of the response beside `data`. */
  beside: Record<string, Schema>;
  refusals: readonly Code[];
  /** The permissions of which the caller needs one, and the roles that may call; empty if any key will do. */
  permissions: readonly string[];
  roles: readonly string[];
  /** Whether it changes nothing. Every other operation accepts the header `Idempotency-Key`. */
  reads: boolean;
  /** Whether it spends or grants credits, so that the page asks for confirmation first. */
  spends: boolean;
};

export type Chapter = { fr: string; en: string; operations: Operation[] };

/** A chapter as one page: the operations for a company and its applications, or those only for administrators. */
export type Part = Chapter & {
  /** The last part of its URL, after `/docs/`. */
  slug: string;
  isService: boolean;
};

/** Groups every route into its chapter. Throws for a path without a chapter, as every test of the reference shows. */
export function chaptersOf(routes: readonly Route[]): Chapter[] {
  const placed = routes.map((route) => ({ route, beginning: beginningOf(route.path) }));
  return chapters
    .map(({ fr, en, of }) => ({
      fr,
      en,
      operations: of.flatMap((beginning) =>
        placed.filter((one) => one.beginning === beginning).map(({ route }) => operationOf(route)),
      ),
    }))
    .filter(({ operations }) => operations.length > 0);
}

/** The longest prefix of a chapter that this path has. */
function beginningOf(path: string): string {
  const beginnings = chapters
    .flatMap(({ of }) => of)
    .filter((one) => path === one || path.startsWith(`${one}/`));
  const longest = beginnings.sort((a, b) => b.length - a.length)[0];
  if (longest === undefined) throw new Error(`No chapter of src/web/docs/chapters.ts has ${path}`);
  return longest;
}

/** Returns the pages of the chapters. A chapter with operations of both kinds has two. */
export function partsOf(chapters: readonly Chapter[]): Part[] {
  return chapters.flatMap(({ fr, en, operations }) => {
    const slug = en.toLowerCase().replace(/[^a-z0-9]+/g, "-");
    const [own, service] = [false, true].map((isService) =>
      operations.filter(({ path }) => path.startsWith("/v1/admin/") === isService),
    ) as [Operation[], Operation[]];
    const serviceSlug = own.length > 0 ? `admin-${slug}` : slug;
    return [
      { fr, en, slug, isService: false, operations: own },
      { fr, en, slug: serviceSlug, isService: true, operations: service },
    ].filter((part) => part.operations.length > 0);
  });
}

function operationOf(route: Route): Operation {
  const { path, synonyms } = route;
  const parameters = parametersOf(path, route.body as Schema);
  const own = bodyOf(asked(route.body as Schema, route.emptyTexts === "kept"), Object.keys(parameters));
  const body = withDefaults(own, route.defaults);
  const credentials = route.credentials as Schema;
  const given = route.example ?? (sampleOf({ ...body, properties: requiredOf(body) }) as object);
  return {
    id: anchorOf(path),
    path,
    synonyms,
    title: route.title,
    ...route.says,
    parameters,
    credentials,
    wanted: route.wanted,
    body,
    size: route.bulk ? { fr: "5 Mio", en: "5 MiB" } : { fr: "64 Kio", en: "64 KiB" },
    example: {
      path: path
        .replace(/([\w-]+)\/\{(\w+)\}/g, (_, noun, name) => `${noun}/${placeholder(noun, name)}`)
        .replace(/\{(\w+)\}/g, "<$1>"),
      body: { ...(sampleOf(shownOf(credentials)) as object), ...given },
    },
    data: route.answers as Schema,
    beside: route.beside as Record<string, Schema>,
    refusals: route.refuses,
    permissions: route.permissions,
    roles: route.roles,
    reads: route.reads,
    spends: route.spends,
  };
}

/** The credentials in an example: of several kinds of callers, so that none is required, those of the first kind. */
function shownOf(credentials: Schema): Schema {
  const { properties = {}, required = [] } = credentials;
  if (required.length > 0) return credentials;
  return { ...credentials, properties: Object.fromEntries(Object.entries(properties).slice(0, 1)) };
}

/** The parameters of a path. Their schemas are in the body's, since validation sees them in the body. */
function parametersOf(path: string, { properties = {} }: Schema): Record<string, Schema> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return Object.fromEntries(names.map((name) => [name, properties[name] ?? { type: "string" }]));
}

/** The body as a caller may send it. Validation fills in defaults, and parameters come from the path. */
function bodyOf(
  { properties = {}, required = [], additionalProperties }: Schema,
  parameters: string[],
): Schema {
  const members = Object.entries(properties);
  const own = members.filter(([name]) => !parameters.includes(name));
  return {
    type: "object",
    ...(additionalProperties && { additionalProperties }),
    required: own
      .filter(([name, member]) => required.includes(name) && !("default" in member))
      .map(([name]) => name),
    properties: Object.fromEntries(own),
  };
}

/** The body with the documented defaults of omitted fields, which validation does not fill in. */
function withDefaults(body: Schema, defaults: Route["defaults"]): Schema {
  const members = Object.entries(body.properties ?? {}).map(([name, member]) => [
    name,
    (defaults[name] ?? null) === null ? member : { ...member, default: defaults[name] },
  ]);
  return { ...body, properties: Object.fromEntries(members) };
}

/**
 * A schema from the caller's side. Most omit null: it means absent, unless `x-nullable` is set. An optional text may be
 * empty, unless `areKept`.
 */
function asked(schema: Schema, areKept = false): Schema {
  const { properties, required = [], items, anyOf } = schema;
  if (items) return { ...schema, items: withNull(items, asked(items)) };
  if (anyOf) {
    const kept = schema["x-nullable"] ? anyOf : anyOf.filter(({ type }) => type !== "null");
    const choices = kept.map((one) => asked(one));
    const meaning = ownMeaningOf(schema);
    return choices.length > 1
      ? { ...schema, anyOf: choices }
      : { ...choices[0], ...(meaning && { "x-meaning": meaning }) };
  }
  if (!properties) return schema;
  const members = Object.entries(properties).map(([name, member]) => {
    const mayBeEmpty = !areKept && !required.includes(name);
    return [name, mayBeEmpty ? withoutMinimum(asked(member)) : asked(member)];
  });
  return { ...schema, properties: Object.fromEntries(members) };
}

/** In an array, null is a value: it takes a position. */
function withNull({ anyOf = [] }: Schema, schema: Schema): Schema {
  const none = anyOf.find(({ type }) => type === "null");
  return none ? { anyOf: [schema, none] } : schema;
}

function withoutMinimum({ minLength, ...rest }: Schema): Schema {
  return minLength === undefined || minLength === 1 ? rest : { minLength, ...rest };
}

function requiredOf({ required = [], properties = {} }: Schema): Record<string, Schema> {
  return Object.fromEntries(required.map((name) => [name, properties[name] ?? {}]));
}

/**
 * The placeholder of a parameter: `<contactId>` for `{id}` in `contact/{id}` or `contacts/{id}`. Bodies use the same
 * name for their fields.
 */
function placeholder(noun: string, name: string): string {
  if (name !== "id") return `<${name}>`;
  const one = noun.replace(/s$/, "").replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `<${one}Id>`;
}

/**
 * Returns a plausible value: the schema's example, its first choice, its meaning's sample, or one built from its parts.
 */
export function sampleOf(schema: Schema, name = ""): unknown {
  if (schema.examples) return schema.examples[0];
  if (schema.enum) return schema.enum[0];
  if (schema.properties) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([key, member]) => [key, sampleOf(member, key)]),
    );
  }
  const own = schema.anyOf?.find(({ examples }) => examples);
  if (own) return sampleOf(own, name);
  const sample = meaningOf(name, schema)?.sample;
  if (sample !== undefined && isOf(schema, sample)) return sample;
  if (schema.format === "date-time") return MOMENT;
  if (schema.items) return [sampleOf(schema.items)];
  if (schema.anyOf?.[0]) return sampleOf(schema.anyOf[0], name);
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 0;
  if (schema.type === "boolean") return false;
  return schema.type === "string" ? "…" : {};
}

const MOMENT = "2026-11-21T09:00:00.000Z";

/** Whether a sample, which is shared by all fields of its name, fits the type of this field. */
function isOf({ type, format, anyOf, items, properties }: Schema, sample: unknown): boolean {
  if (anyOf) return anyOf.some((one) => isOf(one, sample));
  if (format === "date-time") return typeof sample === "string" && !Number.isNaN(Date.parse(sample));
  if (items || type === "array") return Array.isArray(sample);
  if (properties || type === "object")
    return typeof sample === "object" && sample !== null && !Array.isArray(sample);
  if (type === "null") return sample === null;
  if (type === "integer" || type === "number") return typeof sample === "number";
  return type === undefined || typeof sample === type;
}

/** Returns a response that the example may get. */
export function answerOf({ data, beside }: Operation): Record<string, unknown> {
  return {
    success: true,
    data: sampleOf(data),
    error: null,
    ...(sampleOf({ properties: beside }) as object),
  };
}

/** Returns a refusal that the example may get: the first of its own. */
export function refusalExampleOf({ refusals }: Operation): { success: false; data: null; error: Code } {
  return { success: false, data: null, error: refusals[0] ?? "not-authenticated" };
}

/** Refusals that any path may give. Other refusals are listed with their paths. */
export const commonRefusals: readonly Code[] = [
  "invalid-json",
  "invalid-request",
  "request-too-large",
  "not-authenticated",
  "not-authorized",
  "sign-in-required",
  "too-many-requests",
  "idempotency-key-reused",
  "idempotency-in-progress",
  "server-error",
  "service-unavailable",
];

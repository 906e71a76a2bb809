// Converts a schema for the OpenAPI document: named shapes once, fields with their meaning, standard keywords only.
import { type MemberPlace, type Term, type TermOf, termOf } from "./glossary.ts";
import type { Schema } from "./operations.ts";

export type Json = Record<string, unknown>;

/** Returns a reference to a part of the document. */
export function ref(kind: "schemas" | "headers", name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

export function inBoth({ fr, en }: { fr: string; en: string }): string {
  return `${fr} / ${en}`;
}

/** The place of a schema in the document, the meaning of its fields, and the named shape that it is itself. */
export type Surroundings = Pick<MemberPlace, "path" | "isAsked"> & { terms?: TermOf; itself?: Schema };

/**
 * Converts a schema for the document. Named shapes become references, except `itself`. Our own keywords (`x-…`) are
 * omitted, and a choice gets its type, which many generators need.
 */
export function publish(schema: Schema, around: Surroundings): Json {
  return publishAt(schema, around, "");
}

function publishAt(schema: Schema, around: Surroundings, member: string): Json {
  const name = nameOf(schema);
  if (name && schema !== around.itself) return ref("schemas", name);
  const kept = Object.entries(schema).filter(([key]) => !key.startsWith("x-"));
  const { properties, patternProperties, items, anyOf, ...rest } = Object.fromEntries(kept) as Schema;
  const within = (schema: Schema) => publishAt(schema, around, member);
  return {
    ...(isChoice(schema) && { type: "string" }),
    ...rest,
    ...(properties && { properties: membersAt(properties, around, member) }),
    ...(patternProperties && { patternProperties: mapValues(patternProperties, within) }),
    ...(items && { items: publishAt(items, around, `${member}[]`) }),
    ...(anyOf && { anyOf: anyOf.map(within) }),
  };
}

/** Returns fields with their meaning. */
export function membersAt(members: Record<string, Schema>, around: Surroundings, above = ""): Json {
  const { path, isAsked, terms = termOf } = around;
  return mapValues(members, (schema, name) => {
    const member = above ? `${above}.${name}` : name;
    const published = publishAt(schema, around, member);
    return withDescription(published, terms(name, { path, isAsked, member }));
  });
}

/** Whether a value is the schema of a choice among texts that has no type. */
function isChoice(value: unknown): value is Schema {
  const { enum: choices, type } = (value ?? {}) as Schema;
  return (
    Array.isArray(choices) && type === undefined && choices.every((choice) => typeof choice === "string")
  );
}

/** Returns a published schema with its meaning. A reference has the meaning of its shape. */
export function withDescription(schema: Json, term: Term | undefined): Json {
  return term && !("$ref" in schema) ? { ...schema, description: inBoth(term) } : schema;
}

/** Returns the name of a shape that is published once; see `shape`. */
export function nameOf(value: unknown): string | undefined {
  const { title } = (value ?? {}) as { title?: unknown };
  return typeof title === "string" ? title : undefined;
}

export function mapValues<From, To>(
  from: Record<string, From>,
  map: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, map(value, key)]));
}

// Converts a schema for the OpenAPI document: named shapes once, fields with their meaning, standard keywords only.
import type { Meaning } from "../../platform/http/meanings.ts";
import { meaningOf } from "./meanings.ts";
import type { Schema } from "./operations.ts";

export type Json = Record<string, unknown>;

/** Returns a reference to a part of the document. */
export function ref(kind: "schemas" | "headers", name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

export function inBoth({ fr, en }: { fr: string; en: string }): string {
  return `${fr} / ${en}`;
}

/**
 * Converts a schema for the document. Named shapes become references, except `itself`. Our own keywords (`x-…`) are
 * omitted, and a choice gets its type, which many generators need.
 */
export function publish(schema: Schema, itself?: Schema): Json {
  const name = nameOf(schema);
  if (name && schema !== itself) return ref("schemas", name);
  const kept = Object.entries(schema).filter(([key]) => !key.startsWith("x-"));
  const { properties, patternProperties, items, anyOf, ...rest } = Object.fromEntries(kept) as Schema;
  const within = (schema: Schema) => publish(schema, itself);
  return {
    ...(isChoice(schema) && { type: "string" }),
    ...rest,
    ...(properties && { properties: membersOf(properties, itself) }),
    ...(patternProperties && { patternProperties: mapValues(patternProperties, within) }),
    ...(items && { items: within(items) }),
    ...(anyOf && { anyOf: anyOf.map(within) }),
  };
}

/** Returns fields with their meaning. */
export function membersOf(members: Record<string, Schema>, itself?: Schema): Json {
  return mapValues(members, (schema, name) =>
    withDescription(publish(schema, itself), meaningOf(name, schema)),
  );
}

/** Whether a value is the schema of a choice among texts that has no type. */
function isChoice(value: unknown): value is Schema {
  const { enum: choices, type } = (value ?? {}) as Schema;
  return (
    Array.isArray(choices) && type === undefined && choices.every((choice) => typeof choice === "string")
  );
}

/** Returns a published schema with its meaning. A reference has the meaning of its shape. */
export function withDescription(schema: Json, meaning: Meaning | undefined): Json {
  return meaning && !("$ref" in schema) ? { ...schema, description: inBoth(meaning) } : schema;
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

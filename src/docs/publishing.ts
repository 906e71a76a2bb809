// A schema as the OpenAPI document shows it: named shapes once, members with their meaning, keywords that others know.
import { type Term, type TermOf, termOf } from "./glossary.ts";
import type { Schema } from "./operations.ts";

export type Json = Record<string, unknown>;

/** A reference to a part of the document. */
export function ref(kind: "schemas" | "headers", name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

export function inBoth({ fr, en }: { fr: string; en: string }): string {
  return `${fr} / ${en}`;
}

export type Publishing = { itself?: Schema; terms?: TermOf };

/**
 * Makes the schema of the document. `terms` describes members. Named shapes become references, except `itself`. Keywords
 * of our own (`x-…`) are left out, and a choice says its type, which many generators need.
 */
export function publish(schema: Schema, { itself, terms = termOf }: Publishing = {}): Json {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (key.startsWith("x-")) return undefined;
    const name = nameOf(value);
    if (name && value !== itself) return ref("schemas", name);
    if (key === "properties") {
      return mapValues(value as Record<string, Schema>, (member, name) =>
        withDescription(member, terms(name)),
      );
    }
    return isChoice(value) ? { type: "string", ...value } : value;
  });
  return JSON.parse(text) as Json;
}

/** Whether a value is the schema of a choice among texts that says no type. */
function isChoice(value: unknown): value is Schema {
  const { enum: choices, type } = (value ?? {}) as Schema;
  return (
    Array.isArray(choices) && type === undefined && choices.every((choice) => typeof choice === "string")
  );
}

export function withDescription(member: Schema, term: Term | undefined): Schema {
  return term && !nameOf(member) ? ({ ...member, description: inBoth(term) } as Schema) : member;
}

/** The name of a shape that is published once; see `shape`. */
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

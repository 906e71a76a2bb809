// Concealing: members of an answer that some callers may not see as they are, such as whole phones.
import type { TSchema } from "typebox";
import { Answer } from "./envelope.ts";
import { Refusal } from "./refusals.ts";

/** What a caller sees of a phone and of somebody's text. */
export type Concealing = { phone(text: string): string; text(text: string): string };

/** Returns a value with its phones and texts concealed. */
type Conceal = (value: unknown, by: Concealing) => unknown;

type Shape = {
  properties?: Record<string, Shape>;
  items?: Shape;
  anyOf?: Shape[];
  "x-concealed"?: keyof Concealing;
};

/**
 * Makes the function that conceals what a schema marks (`PhoneShown` and `TextShown` in `schemas.ts`) in the result of
 * a route: data, an `Answer` or a refusal, which stays as it is. What is given is not changed.
 */
export function concealerOf(schema: TSchema): (result: unknown, by: Concealing) => unknown {
  const conceal = concealOf(schema as Shape);
  if (!conceal) return (result) => result;
  return (result, by) => {
    if (result instanceof Refusal) return result;
    if (result instanceof Answer) return new Answer(conceal(result.data, by), result.beside, result.warnings);
    return conceal(result, by);
  };
}

/** Undefined where nothing of a schema is concealed. */
function concealOf({ properties, items, anyOf, ...shape }: Shape): Conceal | undefined {
  const kind = shape["x-concealed"];
  if (kind) return (value, by) => (typeof value === "string" ? by[kind](value) : value);
  if (anyOf) return anyOf.map(concealOf).find((conceal) => conceal !== undefined);
  if (items) {
    const ofItem = concealOf(items);
    return ofItem && ((value, by) => (Array.isArray(value) ? value.map((item) => ofItem(item, by)) : value));
  }
  const members = Object.entries(properties ?? {}).flatMap(([name, member]) => {
    const conceal = concealOf(member);
    return conceal ? [[name, conceal] as const] : [];
  });
  if (members.length === 0) return undefined;
  return (value, by) => {
    if (typeof value !== "object" || value === null) return value;
    const shown: Record<string, unknown> = { ...value };
    for (const [name, conceal] of members) if (name in shown) shown[name] = conceal(shown[name], by);
    return shown;
  };
}

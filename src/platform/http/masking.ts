// Masking: members of an answer that some callers may not see as they are, such as whole phones.
import type { TSchema } from "typebox";
import { Answer } from "./envelope.ts";
import { Refusal } from "./refusals.ts";

/** Returns what a caller sees of a phone and of a person's text. */
export type Masking = { phone(text: string): string; text(text: string): string };

/** Returns a value with its phones and texts masked. */
type Mask = (value: unknown, by: Masking) => unknown;

type Shape = {
  properties?: Record<string, Shape>;
  items?: Shape;
  anyOf?: Shape[];
  "x-concealed"?: keyof Masking;
};

/**
 * Returns the function that masks what a schema marks (`PhoneShown` and `TextShown` in `schemas.ts`) in the result of a
 * route: data, an `Answer` or a refusal, which stays as it is. It does not change its argument.
 */
export function maskerOf(schema: TSchema): (result: unknown, by: Masking) => unknown {
  const mask = maskOf(schema as Shape);
  if (!mask) return (result) => result;
  return (result, by) => {
    if (result instanceof Refusal) return result;
    if (result instanceof Answer) return new Answer(mask(result.data, by), result.beside, result.warnings);
    return mask(result, by);
  };
}

/** Undefined if a schema has nothing to mask. */
function maskOf({ properties, items, anyOf, ...shape }: Shape): Mask | undefined {
  const kind = shape["x-concealed"];
  if (kind) return (value, by) => (typeof value === "string" ? by[kind](value) : value);
  if (anyOf) return anyOf.map(maskOf).find((mask) => mask !== undefined);
  if (items) {
    const ofItem = maskOf(items);
    return ofItem && ((value, by) => (Array.isArray(value) ? value.map((item) => ofItem(item, by)) : value));
  }
  const members = Object.entries(properties ?? {}).flatMap(([name, member]) => {
    const mask = maskOf(member);
    return mask ? [[name, mask] as const] : [];
  });
  if (members.length === 0) return undefined;
  return (value, by) => {
    if (typeof value !== "object" || value === null) return value;
    const shown: Record<string, unknown> = { ...value };
    for (const [name, mask] of members) if (name in shown) shown[name] = mask(shown[name], by);
    return shown;
  };
}

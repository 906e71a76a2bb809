// The meaning of a member of a body or a response, which stands on its schema.
import type { TSchema } from "typebox";
import type { Sentence } from "./refusals.ts";

/** What a member means, for the reference. `sample` is a value for examples, if the type alone makes a poor one. */
export type Meaning = Sentence & { sample?: unknown };

/**
 * Gives a member its meaning, which stays with the schema in `Type.Optional`, `orNull` and the like. Without one, a
 * member means what `sharedmembers.ts` has under its name.
 */
export function member<Schema extends TSchema>(schema: Schema, meaning: Meaning): Schema {
  const own = { "x-meaning": { value: meaning, enumerable: true } };
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(schema), ...own }) as Schema;
}

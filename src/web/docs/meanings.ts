// The meanings of members: where the reference finds them.
import type { Meaning } from "../../platform/http/meanings.ts";
import { sharedMembers } from "../../platform/http/sharedmembers.ts";
import type { Schema } from "./operations.ts";

/** Returns the meaning of a member: the one on its schema, otherwise the one that members of this name share. */
export function meaningOf(name: string, schema: Schema): Meaning | undefined {
  return ownMeaningOf(schema) ?? sharedMembers[name];
}

/** Returns the meaning on a schema, or on the schema that it makes nullable. */
export function ownMeaningOf(schema: Schema): Meaning | undefined {
  return schema["x-meaning"] ?? schema.anyOf?.map(ownMeaningOf).find((meaning) => meaning !== undefined);
}

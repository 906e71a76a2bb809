// Schemas of responses: shapes with names, times, and what is masked for support.
import { type TObject, type TProperties, type TSchema, Type } from "typebox";

/** The schema of an answer, under its name in the reference. */
export function shape<Members extends TProperties>(name: string, members: Members): TObject<Members> {
  return Type.Object(members, { title: name });
}

/** A time in an answer: a `Date`, which JSON writes in ISO 8601, in UTC. */
export const Timestamp = Type.Unsafe<Date>(Type.String({ format: "date-time" }));

/** A phone in an answer. It is masked for callers who may not see phones: see `masking.ts`. */
export const PhoneShown = Type.String({ "x-concealed": "phone" });

/** A person's text in an answer. Callers who may not read it see only that there is one. */
export const TextShown = Type.String({ "x-concealed": "text" });

export function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

// Pieces of schemas that several folders share, of bodies and of answers. Lengths are limits of product.md, section 5.
import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { Sentence } from "./refusals.ts";

/** An identifier that the caller sends. Any text: an id of another form is simply not found. */
export const Id = Type.String({ minLength: 1, maxLength: 200 });
export const Name = Type.String({ minLength: 1, maxLength: 200 });
export const Reason = Type.String({ maxLength: 500 });
/** Any text of up to 200 characters: one that is no phone is `invalid-phone-number`, or blocked, but not its neighbours. */
export const Phone = Type.String({ maxLength: 200 });

/** A sender that the caller names. Spaces around it do not count, as around a phone. */
export const SenderName = Type.String({ minLength: 1, maxLength: 200, "x-trimmed": true });

/** A text of a pattern, and what is said of another. */
export function patterned(
  pattern: string,
  sentence: Sentence,
  lengths: { minLength?: number; maxLength?: number } = {},
) {
  return Type.String({ ...lengths, pattern, "x-pattern": sentence });
}

/** Contacts or ids in one request, at most. */
export const ITEMS_AT_MOST = 10_000;

/** What the operation of a list is told: which page, of how many rows, in which direction. */
export type Page = { page: number; limit: number; sort: "asc" | "desc" };

/** One page of a list, and how many rows there are on all pages. */
export type Listed<Row> = { rows: Row[]; totalCount: number };

/** Rows to skip for a page. */
export function offsetOf(page: { page: number; limit: number }): number {
  return (page.page - 1) * page.limit;
}

/** The shape of an answer, under the name that it has in the reference. */
export function shape<Members extends TProperties>(name: string, members: Members): TObject<Members> {
  return Type.Object(members, { title: name });
}

/** A moment in an answer: a `Date` that JSON writes in ISO 8601, in UTC. */
export const Timestamp = Type.Unsafe<Date>(Type.String({ format: "date-time" }));

export function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

/** A member of an update that it may empty: absent leaves it alone, an empty text reaches the operation as null. */
export function emptiable<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(orNull(schema));
}

/** For a statement that changes a text column: null leaves it alone, an empty text empties it. */
export function changeOf(value: string | null | undefined): string | null {
  return value === undefined ? null : (value ?? "");
}

/** The answer of what deletes: how many there were. */
export const Counted = Type.Object({ count: Type.Integer() });
export type Counted = Static<typeof Counted>;

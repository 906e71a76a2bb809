// Pieces of schemas of bodies and answers that several folders share. Lengths are limits of product.md, section 5.
import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { Sentence } from "./refusals.ts";

/** An identifier that the caller sends. It may be any text: an id of another form is not found. */
export const Id = Type.String({ minLength: 1, maxLength: 200 });

/** The body of a URL that names one thing in its path. */
export const OneId = Type.Object({ id: Id });
/** A name. One that shows nothing counts as empty. */
export const Name = Type.String({ minLength: 1, maxLength: 200, "x-visible": true });
/** What a list is searched for. One that shows nothing finds nothing, and does not stand for the whole list. */
export const SearchText = Type.String({ minLength: 1, maxLength: 200 });
/** Why somebody decides something. Spaces around it do not count, and one that shows nothing is empty. */
export const Reason = Type.String({ minLength: 1, maxLength: 500, "x-trimmed": true });
/** The text of a message. One that shows nothing, of spaces or invisible characters alone, counts as empty. */
export const MessageText = Type.String({ minLength: 1, "x-visible": true });
/** What a caller wants back in the events of what it asks for. */
export const CallbackData = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }));
/**
 * Any text of up to 200 characters. A text that is no phone gives `invalid-phone-number` or is blocked. Its neighbours
 * are not.
 */
export const Phone = Type.String({ maxLength: 200 });

/** A sender that the caller names. Spaces around it do not count. */
export const SenderName = Type.String({ minLength: 1, maxLength: 200, "x-trimmed": true });

/** A text that must match `pattern`. `sentence` is told of a text that does not. */
export function patterned(
  pattern: string,
  sentence: Sentence,
  lengths: { minLength?: number; maxLength?: number } = {},
) {
  return Type.String({ ...lengths, pattern, "x-pattern": sentence });
}

/** The most contacts or ids in one request. */
export const ITEMS_AT_MOST = 10_000;

/** The values that order a row in its list, as texts. */
export type RowKey = readonly (string | null)[];

/** The page that a list is asked for: its number or the row before it, the most rows on it, and the direction. */
export type Page = { page: number; limit: number; sort: "asc" | "desc"; after?: RowKey | undefined };

/** One page of a list, how many rows there are on all pages, and the last row of this one if more follow. */
export type Listed<Row> = { rows: Row[]; totalCount: number; next?: RowKey | null };

/** The number of rows before a page. */
export function offsetOf(page: { page: number; limit: number }): number {
  return (page.page - 1) * page.limit;
}

/** The shape of an answer, under the name that it has in the reference. */
export function shape<Members extends TProperties>(name: string, members: Members): TObject<Members> {
  return Type.Object(members, { title: name });
}

/** A moment in a body, which `readInstant` reads. */
export const Instant = Type.Optional(Type.String({ maxLength: 64 }));

/** A day in a body (2026-11-01). */
export const Day = Type.Optional(Type.String({ maxLength: 10 }));

/** A moment in an answer: a `Date` that JSON writes in ISO 8601, in UTC. */
export const Timestamp = Type.Unsafe<Date>(Type.String({ format: "date-time" }));

/** A phone in an answer. Callers who may not see phones see it masked: see `masking.ts`. */
export const PhoneShown = Type.String({ "x-concealed": "phone" });

/** What somebody wrote, in an answer. Callers who may not read it see that there is something, and nothing of it. */
export const TextShown = Type.String({ "x-concealed": "text" });

export function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

/** An optional member in which null is a value of its own. In all others null means absent. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(Type.Union([schema, Type.Null()], { "x-nullable": true }));
}

/** A member that an update may empty. An absent member changes nothing; an empty text reaches the operation as null. */
export function emptiable<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(orNull(schema));
}

/** The value for a statement that changes a text column. Null changes nothing; an empty text empties the column. */
export function changeOf(value: string | null | undefined): string | null {
  return value === undefined ? null : (value ?? "");
}

/** The answer of a deletion: how many were deleted. */
export const Counted = Type.Object({ count: Type.Integer() });
export type Counted = Static<typeof Counted>;

// Shared pieces of the schemas of bodies and answers. Lengths are limits of product.md, section 5.
import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { Sentence, ValidationError } from "./refusals.ts";

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

/** A short text that is no id. */
export const ShortText = Type.String({ minLength: 1, maxLength: 200 });

/**
 * The id of a thing in a request: `idOf("contact")`. It may be any text: an id of another form is not found. Tests send
 * every URL the ids of another account, so `thing` is a member of `Things` in `test/estates.ts`.
 */
export function idOf(thing: string) {
  return Type.String({ minLength: 1, maxLength: 200, ...named(thing) });
}

/** Marks the schema of a text as the id of a thing: see `idOf`. */
export function named(thing: string) {
  return { "x-id-of": thing };
}

/** The thing of an id that names nothing of an account: it is public, ignored, or a secret of whoever has it. */
export const OF_NO_ACCOUNT = "nothing";
/** The thing of an id that its caller chooses. */
export const CHOSEN = "chosen";

/** The body of a URL whose path names one thing. */
export function oneId(thing: string) {
  return Type.Object({ id: idOf(thing) });
}
/** A name. A text without visible characters counts as empty. */
export const Name = Type.String({ minLength: 1, maxLength: 200, "x-visible": true });
/** The search text of a list. A text without visible characters finds nothing; it does not return the whole list. */
export const SearchText = Type.String({ minLength: 1, maxLength: 200 });
/** The reason for a decision. It is trimmed, and a text without visible characters counts as empty. */
export const Reason = Type.String({ minLength: 1, maxLength: 500, "x-trimmed": true });
/** The text of a message. A text of only spaces or invisible characters counts as empty. */
export const MessageText = Type.String({ minLength: 1, "x-visible": true });
/** Data that a caller gets back in the events of its request. */
export const CallbackData = member(Type.Optional(Type.String({ minLength: 1, maxLength: 200 })), {
  fr: "Texte libre, renvoyé dans les événements de cet envoi. N’y mettez aucune donnée personnelle : un effacement n’y cherche pas",
  en: "Free text, returned in the events of this send. Do not include personal data: an erasure does not search it",
});
/** Any text of up to 200 characters. An invalid phone alone gives `invalid-phone-number` or is blocked. */
export const Phone = Type.String({ maxLength: 200 });

/** A sender name in a request. It is trimmed. */
export const SenderName = Type.String({
  ...named("senderName"),
  minLength: 1,
  maxLength: 200,
  "x-trimmed": true,
});

/** A text that must match `pattern`. `wrong` describes what is wrong with a text that does not. */
export function patterned(
  pattern: string,
  wrong: Sentence | ValidationError,
  lengths: { minLength?: number; maxLength?: number } = {},
) {
  return Type.String({ ...lengths, pattern, "x-pattern": wrong });
}

/** The most contacts or ids in one request. */
export const ITEMS_AT_MOST = 10_000;

/** The values that order a row in its list, as texts. */
export type RowKey = readonly (string | null)[];

/** The requested page of a list: its number or the row before it, the most rows on it, and the direction. */
export type Page = { page: number; limit: number; sort: "asc" | "desc"; after?: RowKey | undefined };

/** One page of a list, the number of rows on all pages, and the last row of this page if more follow. */
export type Listed<Row> = { rows: Row[]; totalCount: number; next?: RowKey | null };

/** The number of rows before a page. */
export function offsetOf(page: { page: number; limit: number }): number {
  return (page.page - 1) * page.limit;
}

/** The schema of an answer, under its name in the reference. */
export function shape<Members extends TProperties>(name: string, members: Members): TObject<Members> {
  return Type.Object(members, { title: name });
}

/** A time in a body, which `readInstant` parses. */
export const Instant = Type.Optional(Type.String({ maxLength: 64 }));

/** The start and the end of a period in a body, as times. */
export const timesOfPeriod = {
  from: member(Instant, {
    fr: "Début de la période, avec son fuseau horaire (2026-11-01T00:00:00Z)",
    en: "Start of the period, with its time zone (2026-11-01T00:00:00Z)",
  }),
  to: member(Instant, {
    fr: "Fin de la période, avec son fuseau horaire",
    en: "End of the period, with its time zone",
  }),
};

const Day = Type.Optional(Type.String({ maxLength: 10 }));

/** The first and the last day of a period in a body (2026-11-01). */
export const daysOfPeriod = {
  from: member(Day, {
    fr: "Premier jour de la période (2026-11-01)",
    en: "First day of the period (2026-11-01)",
  }),
  to: member(Day, { fr: "Dernier jour de la période", en: "Last day of the period" }),
};

/** A time in an answer: a `Date`, which JSON writes in ISO 8601, in UTC. */
export const Timestamp = Type.Unsafe<Date>(Type.String({ format: "date-time" }));

/** A phone in an answer. It is masked for callers who may not see phones: see `masking.ts`. */
export const PhoneShown = Type.String({ "x-concealed": "phone" });

/** A person's text in an answer. Callers who may not read it see only that there is one. */
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

/** Returns the parameter of an UPDATE of a text column. Null changes nothing; an empty text empties the column. */
export function changeOf(value: string | null | undefined): string | null {
  return value === undefined ? null : (value ?? "");
}

/** The answer of a deletion: the number of deleted rows. */
export const Counted = Type.Object({
  count: member(Type.Integer(), {
    fr: "Nombre d’éléments supprimés",
    en: "Number of items deleted",
    sample: 1,
  }),
});
export type Counted = Static<typeof Counted>;

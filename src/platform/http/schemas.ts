// Shared pieces of the schemas of bodies and answers. Lengths are limits of product.md, section 5.
import { type TSchema, Type } from "typebox";
import type { ValidationError } from "./fielderrors.ts";
import { named } from "./idschemas.ts";
import { member } from "./meanings.ts";
import type { Sentence } from "./refusals.ts";
import { orNull } from "./responseschemas.ts";

/** A short text that is no id. */
export const ShortText = Type.String({ minLength: 1, maxLength: 200 });
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
  lengths: { minLength?: number; maxLength?: number; "x-empty"?: boolean } = {},
) {
  return Type.String({ ...lengths, pattern, "x-pattern": wrong });
}

/** The most contacts or ids in one request. */
export const ITEMS_AT_MOST = 10_000;

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

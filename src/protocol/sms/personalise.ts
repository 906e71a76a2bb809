// Personalisation: a campaign's text with variables such as @name, parsed once and rendered for each contact.
import { composed } from "./encoding.ts";

/** The values of a recipient that a text can use. */
export type Addressee = {
  phone: string;
  name?: string | null | undefined;
  firstName?: string | null | undefined;
  lastName?: string | null | undefined;
  /** Values of own fields, by field name. */
  fields?: Readonly<Record<string, string>> | null | undefined;
};

export type Template = {
  /** The length of the text, and its number of variables. */
  characters: number;
  variables: number;
  /** Whether the text has a variable; if not, it renders to itself and is counted only once. */
  personal: boolean;
  /** The distinct names of its variables, and those of them that are own fields. */
  names: readonly string[];
  own: readonly string[];
  /** The fallbacks of the variables that have one at every occurrence. */
  fallbacks: ReadonlyMap<string, string>;
  render(contact: Addressee): string;
};

type Value = (contact: Addressee) => string;

// An unset name is the phone, as in the contact's own record; an unset first or last name is empty.
const name: Value = (contact) => contact.name || contact.phone;

/** Whether a contact has no value for a variable of a template: the text then has nothing there, or the phone. */
export function lacks(contact: Addressee, variable: string): boolean {
  const value = VARIABLES.get(variable);
  if (value === name) return !contact.name || contact.name === contact.phone;
  return (value ? value(contact) : ownValueOf(contact, variable)) === "";
}

// A Map and not an object, so that @constructor is an unknown word like any other.
const VARIABLES: ReadonlyMap<string, Value> = new Map([
  ["name", name],
  ["nom_complet", name],
  ["firstName", (contact) => contact.firstName ?? ""],
  ["lastName", (contact) => contact.lastName ?? ""],
  ["phone", (contact) => contact.phone],
]);

/** A contact's value of an own field; empty if it is not set. `hasOwn`, since a field may be called `constructor`. */
function ownValueOf({ fields }: Pick<Addressee, "fields">, field: string): string {
  return fields && Object.hasOwn(fields, field) ? (fields[field] ?? "") : "";
}

const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,29}$/;

/** Whether an own field may have this name: a text can refer to it, and it is no built-in variable. */
export function isFieldName(name: string): boolean {
  return FIELD_NAME.test(name) && !VARIABLES.has(name);
}

// A variable is a whole word in exact case: @names and @Name are not @name, and stay as they are. The groups `before`
// and `after` detect an e-mail address: a letter, digit or underscore before the @, and a dot with another letter or
// digit after the word. contact@name.com must not become contactAwa.com, but Cher@name is a missing space.
const WORD = /(?<=(?<before>[\p{L}\p{N}_]?))@(?<key>[A-Za-z0-9_]+)(?=(?<after>\.[\p{L}\p{N}])?)/gu;

// A fallback follows its variable immediately: `@firstName|cher client`. It ends at the next `|`, which is removed with
// it, or before punctuation, a line end, another @ or the end of the text. More than 40 characters without such an end
// are no fallback and stay in the text: otherwise a forgotten `|` would remove the sentence for everyone who has a
// value.
const FALLBACK = /^\|([\p{L}\p{N}][^|@\r\n,;:!?.…()]{0,39})(?:\||(?=[@\r\n,;:!?.…()])|$)/u;
const FALLBACK_CHARACTERS = 100;

type Word = {
  word: string;
  /** Without its @. */
  key: string;
  index: number;
  /** Undefined if the word is no variable. */
  value: Value | undefined;
  /** A letter, digit or underscore is immediately before it. */
  isGlued: boolean;
};

/** The names of own fields that a text can use as variables. */
type Own = ReadonlySet<string>;
const NONE: Own = new Set();

/** The words of a text that begin with @, except those in addresses. */
function* wordsOf(text: string, own: Own): Generator<Word> {
  let end = 0;
  for (const { 0: word, groups, index } of text.matchAll(WORD)) {
    const { before, key = "", after } = groups ?? {};
    // A word that begins where a variable ends is a variable too, as in @firstName@lastName, and no address.
    if (before && after && index !== end) continue;
    const value = VARIABLES.get(key) ?? (own.has(key) ? (contact) => ownValueOf(contact, key) : undefined);
    if (value) end = index + word.length;
    yield { word, key, index, value, isGlued: before !== "" };
  }
}

/** Returns the distinct words of a text that may be own fields; the caller knows which of them are. */
export function fieldsMaybeIn(text: string): string[] {
  const found = new Set<string>();
  let end = 0;
  for (const { 0: word, groups, index } of text.includes("@") ? text.matchAll(WORD) : []) {
    const { before, key = "", after } = groups ?? {};
    const isAddress = before && after && index !== end;
    end = index + word.length;
    if (!isAddress && isFieldName(key)) found.add(key);
  }
  return [...found];
}

/**
 * Parses a text with the variables `@name` (also `@nom_complet`), `@firstName`, `@lastName`, `@phone`, and those of the
 * own fields `own`. Unknown words stay. `@firstName|cher client` has a fallback for contacts without a first name.
 * Values are inserted as they are and not parsed again: a contact named `@phone` is called `@phone`. Letters and their
 * accents are composed, in the text and in values.
 * render: 18 M/s with two variables, 2.8 M/s together with segmentsOf (2 cores, Node 24.21, 2026-11-21).
 */
export function compileTemplate(written: string, own: Own = NONE): Template {
  const text = composed(written);
  const { length: characters } = text;
  const pieces: (string | Value)[] = [];
  const names = new Set<string>();
  const fallbacks = new Map<string, string>();
  const bare = new Set<string>();
  let end = 0;
  for (const { word, key, index, value } of wordsOf(text, own)) {
    if (!value) continue;
    names.add(key);
    const after = index + word.length;
    const [written = "", fallback] = FALLBACK.exec(text.slice(after, after + FALLBACK_CHARACTERS)) ?? [];
    pieces.push(text.slice(end, index), fallback === undefined ? value : orElse(value, key, fallback));
    if (fallback === undefined) bare.add(key);
    else fallbacks.set(key, fallback);
    end = after + written.length;
  }
  if (pieces.length === 0)
    return { characters, variables: 0, personal: false, names: [], own: [], fallbacks, render: () => text };
  const variables = pieces.length / 2;
  pieces.push(text.slice(end));
  for (const key of bare) fallbacks.delete(key);

  return {
    characters,
    variables,
    personal: true,
    names: [...names],
    own: [...names].filter((key) => !VARIABLES.has(key)),
    fallbacks,
    render(contact) {
      let rendered = "";
      for (const piece of pieces) rendered += typeof piece === "string" ? piece : piece(contact);
      return composed(rendered);
    },
  };
}

function orElse(value: Value, key: string, fallback: string): Value {
  return (contact) => (lacks(contact, key) ? fallback : value(contact));
}

/** A fallback has at most this many words; a longer one has most likely taken in the sentence after it. */
const FALLBACK_WORDS = 3;

/**
 * Returns the fallbacks of a text that may be mistakes, because no `|` ends them: `open` ones have so many words that
 * they may be a part of the sentence, and `long` ones have no end within 40 characters, so that they stay in the text.
 */
export function doubtfulFallbacks(
  text: string,
  own: Own = NONE,
): { key: string; kind: "open" | "long"; said: string }[] {
  const found = [];
  for (const { word, key, index, value } of text.includes("|") ? wordsOf(text, own) : []) {
    const rest = text.slice(index + word.length, index + word.length + FALLBACK_CHARACTERS);
    if (!value || !/^\|[\p{L}\p{N}]/u.test(rest)) continue;
    const [written = "", said] = FALLBACK.exec(rest) ?? [];
    if (said === undefined) found.push({ key, kind: "long" as const, said: "" });
    else if (!written.endsWith("|") && said.split(/\s+/).length > FALLBACK_WORDS)
      found.push({ key, kind: "open" as const, said });
  }
  return found;
}

/** The variables under the names that texts use, without their aliases. */
export const VARIABLE_NAMES = ["name", "firstName", "lastName", "phone"] as const;

/** Returns the distinct words with @ that look like variables but are none, without their @: they stay in the text. */
export function strayWords(text: string, own: Own = NONE): string[] {
  const found = new Set<string>();
  for (const { index, value, isGlued } of text.includes("@") ? wordsOf(text, own) : []) {
    const rest = text.slice(index + 1, index + 1 + CHARACTERS_READ);
    // Includes letters that no variable has, as in @prénom.
    const [word = ""] = /^[\p{L}\p{N}\p{M}_]+/u.exec(rest) ?? [];
    if (!value && !(isGlued && HOST.test(rest))) found.add(word);
  }
  return [...found];
}

const CHARACTERS_READ = 60;
/** The host of an address whose name has hyphens: `WORD` matches only its beginning. */
const HOST = /^[\p{L}\p{N}_-]+\.[\p{L}\p{N}]/u;

// Personalisation: a campaign's text with variables such as @name, parsed once and rendered for each contact.
import { composed } from "./encoding.ts";

/** What a text can say about its recipient. */
export type Addressee = {
  phone: string;
  name?: string | null | undefined;
  firstName?: string | null | undefined;
  lastName?: string | null | undefined;
  /** Own values, by the names of their fields. */
  fields?: Readonly<Record<string, string>> | null | undefined;
};

export type Template = {
  /** The length of the text, and how many variables it has. */
  characters: number;
  variables: number;
  /** Whether the text has a variable; if not, it renders to itself and need be counted only once. */
  personal: boolean;
  /** The names of its variables, each once, and those of them that are own fields. */
  names: readonly string[];
  own: readonly string[];
  /** The fallbacks of variables that have one wherever the text says them. */
  fallbacks: ReadonlyMap<string, string>;
  render(contact: Addressee): string;
};

type Value = (contact: Addressee) => string;

// An unset name is the phone, as it is in a contact's own record; an unset first or last name leaves nothing.
const name: Value = (contact) => contact.name || contact.phone;

/** Whether a contact has no value of its own for a variable of a template: its place stays empty, or shows the phone. */
export function lacks(contact: Addressee, variable: string): boolean {
  const value = VARIABLES.get(variable);
  if (value === name) return !contact.name || contact.name === contact.phone;
  return (value ? value(contact) : ownValueOf(contact, variable)) === "";
}

// A Map and no object, so that @constructor is an unknown word like any other.
const VARIABLES: ReadonlyMap<string, Value> = new Map([
  ["name", name],
  ["nom_complet", name],
  ["firstName", (contact) => contact.firstName ?? ""],
  ["lastName", (contact) => contact.lastName ?? ""],
  ["phone", (contact) => contact.phone],
]);

/** What somebody has in an own field; nothing where it is not set. `hasOwn`, since a field may be called `constructor`. */
function ownValueOf({ fields }: Pick<Addressee, "fields">, field: string): string {
  return fields && Object.hasOwn(fields, field) ? fields[field]! : "";
}

const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,29}$/;

/** Whether an own field may have this name: a text can say it, and it means nothing else there. */
export function isFieldName(name: string): boolean {
  return FIELD_NAME.test(name) && !VARIABLES.has(name);
}

// A variable is a whole word in exact case: @names and @Name are not @name, and stay as they are. The groups `before` and
// `after` are what makes an e-mail address of it, a letter, digit or underscore before the @ and a dot with one more after
// the word: nobody means contact@name.com to become contactAwa.com, but Cher@name is somebody's missing space.
const WORD = /(?<=(?<before>[\p{L}\p{N}_]?))@(?<key>[A-Za-z0-9_]+)(?=(?<after>\.[\p{L}\p{N}])?)/gu;

// A fallback follows its variable at once: `@firstName|cher client`. It ends at the next `|`, which goes with it, or before
// punctuation, a line end, another @ or the end of the text. More than 40 characters without such an end are no fallback and
// stay in the text: otherwise a forgotten `|` would take the sentence away from everyone who has a value.
const FALLBACK = /^\|([\p{L}\p{N}][^|@\r\n,;:!?.…()]{0,39})(?:\||(?=[@\r\n,;:!?.…()])|$)/u;
const FALLBACK_CHARACTERS = 100;

type Word = {
  word: string;
  /** Without its @. */
  key: string;
  index: number;
  /** Of a variable. */
  value: Value | undefined;
  /** A letter, digit or underscore stands right before it. */
  isGlued: boolean;
};

/** The names of own fields that a text says as variables. */
type Own = ReadonlySet<string>;
const NONE: Own = new Set();

/** The words of a text that begin with @, but for those in addresses. */
function* wordsOf(text: string, own: Own): Generator<Word> {
  let end = 0;
  for (const { 0: word, groups, index } of text.matchAll(WORD)) {
    const { before, key, after } = groups!;
    // What ends where this one begins is a variable too, as in @firstName@lastName, and no address.
    if (before && after && index !== end) continue;
    const value = VARIABLES.get(key!) ?? (own.has(key!) ? (contact) => ownValueOf(contact, key!) : undefined);
    if (value) end = index + word.length;
    yield { word, key: key!, index, value, isGlued: before !== "" };
  }
}

/** The words of a text that may be own fields, each once: whoever knows the fields says which of them are. */
export function fieldsMaybeIn(text: string): string[] {
  const found = new Set<string>();
  let end = 0;
  for (const { 0: word, groups, index } of text.includes("@") ? text.matchAll(WORD) : []) {
    const { before, key, after } = groups!;
    const isAddress = before && after && index !== end;
    end = index + word.length;
    if (!isAddress && isFieldName(key!)) found.add(key!);
  }
  return [...found];
}

/**
 * Parses a text with the variables `@name` (also `@nom_complet`), `@firstName`, `@lastName`, `@phone`, and those of the
 * own fields `own`. Unknown words stay. `@firstName|cher client` has a fallback for contacts without a first name.
 * Values are put in as they are and never read again: a contact named `@phone` is called `@phone`.
 * Letters and their accents are composed, in the text and in values.
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

/** A fallback takes so few words; a longer one has most likely swallowed the sentence that follows it. */
const FALLBACK_WORDS = 3;

/**
 * The fallbacks of a text that are perhaps not what was meant: without a `|` at their end, `open` ones have so many words that
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
    const [written, said] = FALLBACK.exec(rest) ?? [];
    if (said === undefined) found.push({ key, kind: "long" as const, said: "" });
    else if (!written!.endsWith("|") && said.split(/\s+/).length > FALLBACK_WORDS)
      found.push({ key, kind: "open" as const, said });
  }
  return found;
}

/** The variables, as a text writes them, without their other names. */
export const VARIABLE_NAMES = ["name", "firstName", "lastName", "phone"] as const;

/** The distinct words with @ that look like variables and are none, without their @: every message has them as they are. */
export function strayWords(text: string, own: Own = NONE): string[] {
  const found = new Set<string>();
  for (const { index, value, isGlued } of text.includes("@") ? wordsOf(text, own) : []) {
    const rest = text.slice(index + 1, index + 1 + CHARACTERS_READ);
    // With the letters that no variable has, as in @prénom.
    const word = /^[\p{L}\p{N}\p{M}_]+/u.exec(rest)![0];
    if (!value && !(isGlued && HOST.test(rest))) found.add(word);
  }
  return [...found];
}

const CHARACTERS_READ = 60;
/** The host of an address whose name has hyphens: `WORD` sees only its beginning. */
const HOST = /^[\p{L}\p{N}_-]+\.[\p{L}\p{N}]/u;

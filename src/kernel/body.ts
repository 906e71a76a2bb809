// Reading a body: from bytes to a plain object that holds only text, numbers and nesting which the database can store.
import { isUtf8 } from "node:buffer";
import { BODY, faultOf, type Refusal, refuse, refuseField } from "./refusals.ts";

/** A body before its schema was checked. */
export type Fields = Record<string, unknown>;

/** Levels of objects and arrays, the body itself counted. */
export const DEPTH_AT_MOST = 16;

// To parse an object of 100,000 members takes 100 ms (2 cores, 2026-11-22); no operation knows as many as 64.
export const MEMBERS_AT_MOST = 64;

const BACKSLASH = 0x5c;

/**
 * The object that the bytes spell. Refusals: `invalid-json` for what is not JSON in UTF-8, `invalid-request` for what is
 * no object, too deep or too wide, for numbers beyond a double, and for NUL, C0 controls other than \n \r \t and lone
 * surrogates in any text. `null` members are dropped (null means absent), and so is `__proto__`.
 */
export function readBody(bytes: Buffer): Fields {
  if (!isUtf8(bytes)) refuse("invalid-json");
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    refuse("invalid-json");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    refuseField(BODY, { fr: "doit être un objet JSON", en: "must be a JSON object" });
  // JSON allows control characters and, in valid UTF-8, lone surrogates only as escapes: without a backslash in the
  // bytes no text can hold one, and the walk need not look at the text at all.
  walk(value, "", 1, bytes.includes(BACKSLASH));
  return value as Fields;
}

function walk(value: object, path: string, depth: number, hasEscapes: boolean): void {
  if (depth > DEPTH_AT_MOST) refuseDeep(path);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) check(value[i], path, i, depth, hasEscapes);
    return;
  }
  const keys = Object.keys(value);
  if (keys.length > MEMBERS_AT_MOST) refuseWide(path);
  for (const key of keys) {
    const member = (value as Fields)[key];
    // `null` on an optional member means absent; on a required one the schema then misses it.
    if (member === null || key === "__proto__") {
      delete (value as Fields)[key];
      continue;
    }
    if (hasEscapes) checkText(key, path);
    check(member, path, key, depth, hasEscapes);
  }
}

function check(value: unknown, path: string, key: string | number, depth: number, hasEscapes: boolean): void {
  if (typeof value === "string") {
    if (hasEscapes) checkText(value, `${path}/${key}`);
  } else if (typeof value === "number") {
    if (!Number.isFinite(value))
      refuseField(fieldOf(`${path}/${key}`), {
        fr: "est un nombre trop grand",
        en: "is a number out of range",
      });
  } else if (typeof value === "object" && value !== null) {
    walk(value, `${path}/${key}`, depth + 1, hasEscapes);
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

/** Refuses NUL, C0 controls other than \n \r \t, and lone surrogates, which PostgreSQL refuses or mangles. */
export function checkText(text: string, path: string): void {
  if (!isStorable(text)) throw unstorable(fieldOf(path));
}

/** False for a text that `checkText` refuses. */
export function isStorable(text: string): boolean {
  return !FORBIDDEN.test(text) && text.isWellFormed();
}

/** The refusal of a text that is not storable. */
export function unstorable(field: string): Refusal {
  return faultOf(field, { fr: "contient un caractère interdit", en: "has a forbidden character" });
}

/** Refuses the object at this path for the number of its members. */
export function refuseWide(path: string): never {
  refuseField(fieldOf(path), {
    fr: `a plus de ${MEMBERS_AT_MOST} membres`,
    en: `has more than ${MEMBERS_AT_MOST} members`,
  });
}

/** Refuses what stands at this path for its depth. */
export function refuseDeep(path: string): never {
  refuseField(fieldOf(path), { fr: "est imbriqué trop profondément", en: "is nested too deep" });
}

/** Where a member stands: names and positions, from the body on. */
export type Path = readonly (string | number)[];

/** "/contacts/0/phone" → "contacts[0].phone", the way people write a field; `BODY` for the body as a whole. */
export function fieldOf(path: string): string {
  const keys = path.split("/").slice(1);
  return keys.length === 0 ? BODY : fieldAt(keys.map((key) => (/^\d+$/.test(key) ? Number(key) : key)));
}

/** `contacts[3].phone`; what is no name in a program stands quoted in brackets: `contacts[3]["first name"]`. */
export function fieldAt(path: Path): string {
  return path
    .map((key, i) => {
      if (typeof key === "number") return `[${key}]`;
      const name = cutName(key);
      if (!/^[\p{L}\p{N}_$…-]+$/u.test(name)) return `[${JSON.stringify(name)}]`;
      return i === 0 ? name : `.${name}`;
    })
    .join("");
}

const NAME_CHARACTERS_SHOWN = 60;

/** A name as it is told again: a caller may have made it as long as a body. */
export function cutName(name: string): string {
  return name.length > NAME_CHARACTERS_SHOWN
    ? `${name.slice(0, NAME_CHARACTERS_SHOWN)}…`.toWellFormed()
    : name;
}

// Body parsing: turns bytes into a plain object whose text, numbers and depth the database can store.
import { isUtf8 } from "node:buffer";
import { invalidField, refuseField } from "./fielderrors.ts";
import { BODY, type Refusal, refuse } from "./refusals.ts";

/** A body before it is validated by its schema. */
export type Fields = Record<string, unknown>;

/** The most levels of objects and arrays in a body. The body itself is the first. */
export const DEPTH_AT_MOST = 16;

/** The most members of one object. Parsing 100,000 takes 100 ms (2 cores, 2026-11-22). No operation has 64 members. */
export const MEMBERS_AT_MOST = 64;

const BACKSLASH = 0x5c;
// Some Windows programs write it; RFC 8259 (8.1) lets a parser ignore it.
const BYTE_ORDER_MARK = /^\ufeff/;

/**
 * Parses the bytes of a body. Refuses `invalid-json` for bytes that are not JSON in UTF-8. Refuses `invalid-request`
 * for JSON that is not an object, is too deep or too wide, has a number beyond a double, or has NUL, a C0 control other
 * than \n \r \t or a lone surrogate in any text. Drops `__proto__`, and members that are null, since
 * null means absent; except the members in `nullable`, in which null is a value.
 */
export function readBody(bytes: Buffer, nullable: Nullable = NOTHING): Fields {
  if (!isUtf8(bytes)) refuse("invalid-json");
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8").replace(BYTE_ORDER_MARK, ""));
  } catch {
    refuse("invalid-json");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    refuseField(BODY, { fr: "doit être un objet JSON", en: "must be a JSON object" });
  // JSON in valid UTF-8 can contain control characters and lone surrogates only as escapes. So no text needs a check if
  // the bytes contain no backslash.
  const said = saidNulls(value as Fields, nullable);
  walk(value, "", 1, bytes.includes(BACKSLASH));
  for (const [object, key] of said) object[key] = null;
  return value as Fields;
}

/** The members of a body in which null is a value (`itself`), and those that contain such members (`within`). */
export type Nullable = { readonly itself: ReadonlySet<string>; readonly within: ReadonlySet<string> };
const NOTHING: Nullable = { itself: new Set(), within: new Set() };

/** Returns the members whose value is null on purpose, each with the object that has it. */
function saidNulls(body: Fields, { itself, within }: Nullable): [Fields, string][] {
  const said = [...itself].filter((key) => body[key] === null).map((key): [Fields, string] => [body, key]);
  for (const name of within) {
    const object = body[name];
    if (typeof object !== "object" || object === null || Array.isArray(object)) continue;
    for (const [key, value] of Object.entries(object))
      if (value === null && key !== "__proto__") said.push([object as Fields, key]);
  }
  return said;
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
    // `null` means absent. The validation by the schema then refuses it in a required member.
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

/** Refuses NUL, C0 controls other than \n \r \t, and lone surrogates: PostgreSQL refuses or mangles them. */
export function checkText(text: string, path: string): void {
  if (!isStorable(text)) throw unstorable(fieldOf(path));
}

/** False for a text that `checkText` refuses. */
export function isStorable(text: string): boolean {
  return !FORBIDDEN.test(text) && text.isWellFormed();
}

/** Returns the refusal of a text that cannot be stored. */
export function unstorable(field: string): Refusal {
  return invalidField(field, { fr: "contient un caractère interdit", en: "contains a forbidden character" });
}

/** Refuses the object at this path because it has too many members. */
export function refuseWide(path: string): never {
  refuseField(fieldOf(path), {
    fr: `a plus de ${MEMBERS_AT_MOST} membres`,
    en: `has more than ${MEMBERS_AT_MOST} members`,
  });
}

/** Refuses the value at this path because it is nested too deep. */
export function refuseDeep(path: string): never {
  refuseField(fieldOf(path), { fr: "est imbriqué trop profondément", en: "is nested too deeply" });
}

/** The path of a member: names and positions, starting at the body. */
export type Path = readonly (string | number)[];

/** Turns the path "/contacts/0/phone" into "contacts[0].phone", and the path of the body itself into `BODY`. */
export function fieldOf(path: string): string {
  const keys = path.split("/").slice(1);
  return keys.length === 0 ? BODY : fieldAt(keys.map((key) => (/^\d+$/.test(key) ? Number(key) : key)));
}

/** Formats a path as `contacts[3].phone`. A key that is not a plain name is quoted: `contacts[3]["first name"]`. */
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

/** Shortens a name for a message, because a caller may send a name as long as a body. */
export function cutName(name: string): string {
  return name.length > NAME_CHARACTERS_SHOWN
    ? `${name.slice(0, NAME_CHARACTERS_SHOWN)}…`.toWellFormed()
    : name;
}

// What an entry records of a thing: the members that a change modified, without secrets and of a limited size.
import { maskedAddress } from "../../platform/http/addresses.ts";
import { maskPhone } from "../../protocol/sms/phone.ts";

/** The members of a thing, as its response shows it. */
export type Members = object;

/** The maximum number of bytes of `before` and of `after`. */
const BYTES_AT_MOST = 8 * 1024;
const TEXT_CHARACTERS = 500;
const ITEMS_IN_FULL = 10;
const ITEMS_OF_MORE = 3;

/** Members with credentials. They are never recorded, at any depth. */
const SECRET = /(key|secret|password|token|pairingCode|otp|qrContent|recoveryCodes)$/i;
/** Phones are stored masked, and e-mail addresses hidden: an erased person must not remain in the append-only log. */
const PHONE = /phone$/i;
/** Members with ids. Ids chosen by a caller are often a person's phone. */
const ID = /ids?$/i;
/** URLs given by others. Their query may contain a secret, and is masked. */
const ADDRESS = /url$/i;
/** A member named only `url` is a secret of ours, such as the link of an archive, except on one of these things. */
const SECRET_ADDRESS = /^url$/i;
const ADDRESSED: ReadonlySet<string> = new Set(["webhook"]);
const EMAIL = /email$/i;
const HIDDEN = "******";
const READS_AS_PHONE = /^\+?\d{8,15}$/;

/** Returns both sides of a change. If both exist, only the members of `after` that differ from those of `before`. */
export function membersThatDiffer(
  before: Members | null,
  after: Members | null,
): { before: Members | null; after: Members | null } {
  if (!before || !after) return { before, after };
  const [was, is] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const names = Object.keys(is).filter((name) => textOf(was[name]) !== textOf(is[name]));
  const only = (members: Record<string, unknown>) =>
    Object.fromEntries(names.map((name) => [name, members[name]]));
  return { before: only(was), after: only(is) };
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}

/** Returns the JSON of the members of a thing of this kind as it is stored, and whether something was left out. */
export function keptJson(members: Members | null, kind: string): { json: string | null; isCut: boolean } {
  if (members === null) return { json: null, isCut: false };
  const cutting = { isCut: false };
  const kept: Record<string, unknown> = {};
  let bytes = 2;
  for (const [name, value] of Object.entries(members)) {
    const isSecret = SECRET.test(name) || (SECRET_ADDRESS.test(name) && !ADDRESSED.has(kind));
    if (isSecret || value === undefined) continue;
    const shown = shownOf(name, value, cutting);
    const more = Buffer.byteLength(JSON.stringify({ [name]: shown }));
    if (bytes + more > BYTES_AT_MOST) {
      cutting.isCut = true;
      continue;
    }
    bytes += more;
    kept[name] = shown;
  }
  return { json: JSON.stringify(kept), isCut: cutting.isCut };
}

/** Returns an id as it is stored: one that looks like a phone is masked. None of our own ids does. */
export function keptId(id: string): string {
  return READS_AS_PHONE.test(id.replace(/[\s().-]/g, "")) ? maskPhone(id) : id;
}

function shownOf(name: string, value: unknown, cutting: { isCut: boolean }): unknown {
  if (typeof value === "string" && PHONE.test(name)) return maskPhone(value);
  if (typeof value === "string" && EMAIL.test(name)) return HIDDEN;
  if (typeof value === "string" && ADDRESS.test(name)) return maskedAddress(value);
  if (typeof value === "string" && ID.test(name)) return keptId(value);
  if (typeof value === "string" && value.length > TEXT_CHARACTERS) {
    cutting.isCut = true;
    return `${value.slice(0, TEXT_CHARACTERS).toWellFormed()}…`;
  }
  if (Array.isArray(value)) {
    if (value.length <= ITEMS_IN_FULL) return value.map((item) => shownOf(name, item, cutting));
    const first = value.slice(0, ITEMS_OF_MORE).map((item) => shownOf(name, item, cutting));
    return { count: value.length, first };
  }
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const members = Object.entries(value).filter(
    ([inner]) => !SECRET.test(inner) && !SECRET_ADDRESS.test(inner),
  );
  return Object.fromEntries(members.map(([inner, member]) => [inner, shownOf(inner, member, cutting)]));
}

// The session of a browser with the console, sealed in a cookie: the language, the keys, and the token of its forms.
import { randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { nowMs } from "../../platform/clock.ts";
import type { Language } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey, sameDigest } from "../../platform/secrets/secrets.ts";
import { readCookie, setCookie } from "../pages/cookies.ts";
import { hasEnded, isSameSite } from "../pages/session.ts";

/** A sign-in or a sign-up that awaits its code. */
export type Waiting = {
  as: "person" | "newcomer" | "administrator";
  token: string;
  phone: string;
  next: string;
  /** What a new person typed, for going back or requesting another code. */
  newcomer?: { companyName: string; name: string };
  /** The second factor that is offered to an administrator for enrolment. */
  enrolment?: { secret: string; url: string };
};

/** The signed-in administrator: a person, or the holder of the key of a machine or of the installation. */
export type SignedIn = {
  as: "person" | "machine" | "installation";
  key: string;
  role: string;
  name: string;
  /** For a person. */
  phone?: string;
  /** For a key, which has no sessions: since when this browser has it, and when it was last used. */
  since?: number;
  usedAt?: number;
};

/** A browser's session. Its keys expire by themselves and can be revoked: the cookie only carries them. */
export type ConsoleSession = {
  id: string;
  until: number;
  language?: Language;
  /** The key of the signed-in person, and the chosen company. */
  person?: { key: string; companyId: string; phone: string } | undefined;
  administrator?: SignedIn | undefined;
  waiting?: Waiting | undefined;
  /** The drafts that were sent last, and their campaigns. */
  sent?: { draftId: string; campaignId: string }[];
  /** An administrator's replies from simulated handsets, which store only what they receive: the newest that fit. */
  replies?: HandsetReply[];
};

export type HandsetReply = { from: string; to: string; text: string; at: string };

const COOKIE = "atumpan_console";
const LIFETIME_MS = 30 * 24 * 3_600_000;
const NONCE_BYTES = 9;

/** Returns the session of a request, or a new one that the browser does not have yet. */
export function readSession(app: Runtime, request: FastifyRequest): ConsoleSession {
  return readCookie<ConsoleSession>(app, request, COOKIE, "/") ?? newSession();
}

/** Returns the key of the person who is signed in with the browser of a request. It may have expired. */
export function sessionKeyAt(app: Runtime, request: FastifyRequest): string | undefined {
  return readSession(app, request).person?.key;
}

export function newSession(): ConsoleSession {
  return { id: newKey(""), until: nowMs() + LIFETIME_MS };
}

/** Sets the cookie of the session and renews its lifetime. Replies that do not fit are dropped, the oldest first. */
export function saveSession(app: Runtime, reply: FastifyReply, session: ConsoleSession): void {
  const { replies, ...rest } = session;
  const fitting = replies && newestThatFit(replies, SESSION_BYTES - bytesOf(rest));
  const saved = { ...rest, ...(fitting && { replies: fitting }), until: nowMs() + LIFETIME_MS };
  setCookie(app, reply, COOKIE, saved, "/");
}

/** Browsers silently drop a cookie of more than 4,096 bytes; this many remain before sealing and base64. */
const SESSION_BYTES = 2_900;
/** The part for replies, so that a sign-in that awaits its code has room; a larger sign-in takes room from them too. */
const REPLIES_BYTES = 1_500;

function newestThatFit(replies: readonly HandsetReply[], roomBytes: number): HandsetReply[] {
  const most = Math.min(REPLIES_BYTES, roomBytes);
  let fitting: HandsetReply[] = [];
  for (const reply of replies.toReversed()) {
    const more = [reply, ...fitting];
    if (bytesOf(more) > most) break;
    fitting = more;
  }
  return fitting;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/**
 * Returns the token of a form, which no other site can know. It differs on every page: pages are compressed, and an
 * unauthenticated caller who sees their lengths could guess a constant token (CVE-2013-3587).
 */
export function formToken(app: Runtime, session: ConsoleSession): string {
  const nonce = randomBytes(NONCE_BYTES).toString("base64url");
  return `${nonce}.${digestOf(app, session, nonce)}`;
}

/** Whether a form comes from one of our pages, shown in this session and for the company that is chosen in it. */
export function isOwnForm(app: Runtime, request: FastifyRequest, session: ConsoleSession, token: string) {
  const [nonce = "", digest = ""] = token.split(".");
  return isSameSite(app, request) && sameDigest(digest, digestOf(app, session, nonce));
}

function digestOf(app: Runtime, { id, person }: ConsoleSession, nonce: string): string {
  return app.secrets.digest("console-form", `${id} ${person?.companyId ?? ""} ${nonce}`);
}

const SEAL = "&sealed=";

/** Seals a URL with typed values, which proves that this person typed them; valid beyond their next sign-in. */
export function sealed(app: Runtime, session: ConsoleSession, address: string): string {
  return `${address}${SEAL}${sealOf(app, session, address)}`;
}

/** Whether `sealed` created this URL for the person of this session. */
export function isSealed(app: Runtime, session: ConsoleSession, address: string): boolean {
  const at = address.lastIndexOf(SEAL);
  if (at < 0) return false;
  return sameDigest(address.slice(at + SEAL.length), sealOf(app, session, address.slice(0, at)));
}

function sealOf(app: Runtime, { person, administrator }: ConsoleSession, address: string): string {
  const who = [person?.phone, administrator?.phone, administrator?.name].join(" ");
  return app.secrets.digest("console-typed", `${who} ${address}`);
}

const USE_RECORDED_MS = 60_000;

/**
 * Returns the administrator of a session and records its use, if none was recorded in the last minute. Undefined if it
 * has ended: a key of the installation or of a machine has no session of its own, so its visits end by the same rules
 * as a person's.
 */
export async function usedNow(app: Runtime, session: ConsoleSession): Promise<SignedIn | undefined> {
  const { administrator } = session;
  if (!administrator || administrator.as === "person") return administrator;
  const { since = 0, usedAt = 0 } = administrator;
  const { adminSessionLifetimeMs, adminSessionIdleMs } = app.config.settings;
  const now = nowMs();
  if (now - since > adminSessionLifetimeMs || now - usedAt > adminSessionIdleMs) return undefined;
  if (await hasEnded(app, session.id)) return undefined;
  return now - usedAt > USE_RECORDED_MS ? { ...administrator, usedAt: now } : administrator;
}

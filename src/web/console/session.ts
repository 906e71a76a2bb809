// The session of a browser with the console, sealed in a cookie: which language, whose keys, and the token of its forms.
import { randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { nowMs } from "../../platform/clock.ts";
import type { Language } from "../../platform/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey, sameDigest } from "../../platform/secrets.ts";
import { hasEnded, isSameSite, readCookie, setCookie } from "../pages/pages.ts";

/** A sign-in or a sign-up that waits for its code. */
export type Waiting = {
  as: "person" | "newcomer" | "administrator";
  token: string;
  phone: string;
  next: string;
  /** What a newcomer said, for who goes back or asks for another code. */
  newcomer?: { companyName: string; name: string };
  /** The second factor that an administrator is offered to enrol. */
  enrolment?: { secret: string; url: string };
};

/** Who administers: a person who signed in, or whoever has the key of a machine or of the installation. */
export type SignedIn = {
  as: "person" | "machine" | "installation";
  key: string;
  role: string;
  name: string;
  /** Of a person. */
  phone?: string;
  /** Of a key, which knows no sessions: since when this browser has it, and when it was last used. */
  since?: number;
  usedAt?: number;
};

/** A browser's session. The keys in it end by themselves, and can be revoked: the cookie only carries them. */
export type ConsoleSession = {
  id: string;
  until: number;
  language?: Language;
  /** The key of a person who signed in, and the company that was chosen. */
  person?: { key: string; companyId: string; phone: string } | undefined;
  administrator?: SignedIn | undefined;
  waiting?: Waiting | undefined;
  /** The drafts that were sent last, and the campaigns that they became. */
  sent?: { draftId: string; campaignId: string }[];
  /** What an administrator answered from simulated handsets, which keep only what they receive: the newest that fit. */
  replies?: HandsetReply[];
};

export type HandsetReply = { from: string; to: string; text: string; at: string };

const COOKIE = "atumpan_console";
const LIFETIME_MS = 30 * 24 * 3_600_000;
const NONCE_BYTES = 9;

/** The session of a request, or a new one that the browser does not have yet. */
export function readSession(app: Runtime, request: FastifyRequest): ConsoleSession {
  return readCookie<ConsoleSession>(app, request, COOKIE, "/") ?? newSession();
}

/** The key of the person who has signed in with the browser of a request. It may have ended. */
export function sessionKeyAt(app: Runtime, request: FastifyRequest): string | undefined {
  return readSession(app, request).person?.key;
}

export function newSession(): ConsoleSession {
  return { id: newKey(""), until: nowMs() + LIFETIME_MS };
}

/** Hands the session to the browser; its life begins anew. Replies that do not fit are forgotten, the oldest first. */
export function keepSession(app: Runtime, reply: FastifyReply, session: ConsoleSession): void {
  const { replies, ...rest } = session;
  const fitting = replies && newestThatFit(replies, SESSION_BYTES - bytesOf(rest));
  const kept = { ...rest, ...(fitting && { replies: fitting }), until: nowMs() + LIFETIME_MS };
  setCookie(app, reply, COOKIE, kept, "/");
}

/** Browsers drop a cookie of more than 4,096 bytes without a word; so many are left before sealing and base64. */
const SESSION_BYTES = 2_900;
/** Of these, so that there is room for a sign-in that waits for its code; one with more to keep gets room of them too. */
const REPLIES_BYTES = 1_500;

function newestThatFit(replies: readonly HandsetReply[], roomBytes: number): HandsetReply[] {
  const most = Math.min(REPLIES_BYTES, roomBytes);
  let kept: HandsetReply[] = [];
  for (const reply of replies.toReversed()) {
    const more = [reply, ...kept];
    if (bytesOf(more) > most) break;
    kept = more;
  }
  return kept;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/**
 * The token of a form, which no other site can know. It differs on every page: pages are compressed, and an
 * unauthenticated caller who sees their lengths could guess a token that stays the same (CVE-2013-3587).
 */
export function formToken(app: Runtime, session: ConsoleSession): string {
  const nonce = randomBytes(NONCE_BYTES).toString("base64url");
  return `${nonce}.${digestOf(app, session, nonce)}`;
}

/** Whether a form comes from a page of ours, shown in this session and for the company that is chosen in it. */
export function isOwnForm(app: Runtime, request: FastifyRequest, session: ConsoleSession, token: string) {
  const [nonce = "", digest = ""] = token.split(".");
  return isSameSite(app, request) && sameDigest(digest, digestOf(app, session, nonce));
}

function digestOf(app: Runtime, { id, person }: ConsoleSession, nonce: string): string {
  return app.secrets.digest("console-form", `${id} ${person?.companyId ?? ""} ${nonce}`);
}

const SEAL = "&sealed=";

/** Adds to an address with what this person typed that it is theirs. It holds beyond their next sign-in. */
export function sealed(app: Runtime, session: ConsoleSession, address: string): string {
  return `${address}${SEAL}${sealOf(app, session, address)}`;
}

/** Whether `sealed` made this address for the person of this session. */
export function isSealed(app: Runtime, session: ConsoleSession, address: string): boolean {
  const at = address.lastIndexOf(SEAL);
  if (at < 0) return false;
  return sameDigest(address.slice(at + SEAL.length), sealOf(app, session, address.slice(0, at)));
}

function sealOf(app: Runtime, { person, administrator }: ConsoleSession, address: string): string {
  const who = [person?.phone, administrator?.phone, administrator?.name].join(" ");
  return app.secrets.digest("console-typed", `${who} ${address}`);
}

const USE_NOTED_MS = 60_000;

/**
 * The administrator of a session whose use is noted, if it was not in the last minute. Undefined where it is over: a key of
 * the installation or of a machine has no session that ends, so its visits end as those of persons do.
 */
export async function usedNow(app: Runtime, session: ConsoleSession): Promise<SignedIn | undefined> {
  const administrator = session.administrator!;
  if (administrator.as === "person") return administrator;
  const { since = 0, usedAt = 0 } = administrator;
  const { adminSessionLifetimeMs, adminSessionIdleMs } = app.config.settings;
  const now = nowMs();
  if (now - since > adminSessionLifetimeMs || now - usedAt > adminSessionIdleMs) return undefined;
  if (await hasEnded(app, session.id)) return undefined;
  return now - usedAt > USE_NOTED_MS ? { ...administrator, usedAt: now } : administrator;
}

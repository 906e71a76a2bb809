// The session of a browser with the console, sealed in a cookie: which language, whose keys, and the token of its forms.
import { randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { nowMs } from "../kernel/clock.ts";
import type { Language } from "../kernel/refusals.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { newKey, sameDigest } from "../kernel/secrets.ts";
import { isSameSite, readCookie, setCookie } from "../pages/pages.ts";

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
  /** What an administrator answered from simulated handsets, which keep only what they receive. */
  replies?: HandsetReply[];
};

export type HandsetReply = { from: string; to: string; text: string; at: string };

const COOKIE = "atumpan_console";
const LIFETIME_MS = 30 * 24 * 3_600_000;
const NONCE_BYTES = 9;

/** The session of a request, or a new one that the browser does not have yet. */
export function readSession(app: Runtime, request: FastifyRequest): ConsoleSession {
  return readCookie<ConsoleSession>(app, request, COOKIE) ?? newSession();
}

/** The key of the person who has signed in with the browser of a request. It may have ended. */
export function sessionKeyAt(app: Runtime, request: FastifyRequest): string | undefined {
  return readSession(app, request).person?.key;
}

export function newSession(): ConsoleSession {
  return { id: newKey(""), until: nowMs() + LIFETIME_MS };
}

/** Hands the session to the browser; its life begins anew. */
export function keepSession(app: Runtime, reply: FastifyReply, session: ConsoleSession): void {
  setCookie(app, reply, COOKIE, { ...session, until: nowMs() + LIFETIME_MS }, "/");
}

/**
 * The token of a form, which no other site can know. It differs on every page: pages are compressed, and a stranger who
 * sees their lengths could guess a token that stays the same (CVE-2013-3587).
 */
export function formToken(app: Runtime, { id }: ConsoleSession): string {
  const nonce = randomBytes(NONCE_BYTES).toString("base64url");
  return `${nonce}.${digestOf(app, id, nonce)}`;
}

/** Whether a form comes from a page of ours, shown in this session. */
export function isOwnForm(app: Runtime, request: FastifyRequest, session: ConsoleSession, token: string) {
  const [nonce = "", digest = ""] = token.split(".");
  return isSameSite(app, request) && sameDigest(digest, digestOf(app, session.id, nonce));
}

function digestOf(app: Runtime, id: string, nonce: string): string {
  return app.secrets.digest("console-form", `${id} ${nonce}`);
}

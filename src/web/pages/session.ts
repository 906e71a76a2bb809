// A visitor's session, sealed in a cookie. A signed-in session's end is recorded, so that its cookie stops working.
import type { FastifyReply, FastifyRequest } from "fastify";
import { nowMs } from "../../platform/clock.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey, sameDigest } from "../../platform/secrets/secrets.ts";
import { readCookie, setCookie } from "./cookies.ts";
import * as sql from "./sql.ts";

/** The result of a pairing, as shown to the visitor. */
export type PairingOutcome = {
  approved: boolean;
  appName: string;
  companyName: string;
  senderAssigned: boolean;
};

/** The visitor's progress. */
export type Step =
  | { at: "fresh" }
  /** A visitor who is signed in to the console wants to use another phone. */
  | { at: "other" }
  /** A code was sent to the phone. For an unknown phone it only seems so: the token then belongs to no code. */
  | { at: "asked"; phone: string; token: string }
  /** The code was right: the visitor holds this phone, and acts for the companies whose users have it. */
  | { at: "known"; phone: string }
  /** `ofConsole`: the visitor acted with a sign-in to the console, which continues. */
  | { at: "done"; code: string; outcome: PairingOutcome; ofConsole: boolean }
  /** The sign-in has ended. */
  | { at: "ended" };

/** The forms of a session contain a token derived from its id. */
export type PageSession = Step & { id: string; until: number };

const COOKIE = "atumpan_pair";

/** Creates a session. With `id`, the token of its forms stays the same, so that other tabs still work. */
export function newSession(app: Runtime, step: Step, id = newKey("")): PageSession {
  return { ...step, id, until: nowMs() + app.config.settings.pageSessionLifetimeMs };
}

/** Returns the session of a request; undefined if there is none, or it has ended. */
export async function readSession(app: Runtime, request: FastifyRequest): Promise<PageSession | undefined> {
  const session = readCookie<PageSession>(app, request, COOKIE);
  if (session?.at !== "known") return session;
  return (await hasEnded(app, session.id)) ? { ...session, at: "ended" } : session;
}

/**
 * Ends a session, so that copies of a signed-in visitor's cookie stop working too. Nothing is stored for an
 * unauthenticated caller.
 */
export async function endSession(app: Runtime, session: PageSession): Promise<void> {
  if (session.at === "known") await noteEnded(app, session.id);
}

/** Records that the session with this id has ended, for as long as the cookie of any signed-in session may live. */
export async function noteEnded(app: Runtime, id: string): Promise<void> {
  await app.database.run(sql.insertEnded, [digestOf(app, id)]);
}

/** Whether the session with this id has ended. */
export async function hasEnded(app: Runtime, id: string): Promise<boolean> {
  return (await app.database.run(sql.findEnded, [digestOf(app, id)])).length > 0;
}

function digestOf(app: Runtime, id: string): string {
  return app.secrets.digest("page-session", id);
}

/** Deletes the records of ended sessions that have expired; a job calls it. */
export async function forgetEndedSessions(app: Runtime): Promise<void> {
  const { pageSessionLifetimeMs, adminSessionLifetimeMs } = app.config.settings;
  await app.database.run(sql.deleteOldEnded, [Math.max(pageSessionLifetimeMs, adminSessionLifetimeMs)]);
}

/** Sets the cookie of the session. */
export function keepSession(app: Runtime, reply: FastifyReply, session: PageSession): void {
  setCookie(app, reply, COOKIE, session);
}

/** Returns the CSRF token for the forms of a session, which no other site can know. */
export function formToken(app: Runtime, session: PageSession): string {
  return app.secrets.digest("page-form", session.id);
}

/** Whether a form comes from one of our pages, shown in this session. */
export function isOwnForm(
  app: Runtime,
  request: FastifyRequest,
  session: PageSession,
  token: string | undefined,
): boolean {
  return isSameSite(app, request) && token !== undefined && sameDigest(token, formToken(app, session));
}

/**
 * Whether the browser's headers allow that a form comes from our pages; if it sends none, yes. Our pages set no
 * referrer, so their forms come with `Origin: null` (Fetch standard, "append a request Origin header"): then
 * Sec-Fetch-Site decides, and if that is missing too, on plain HTTP, the token alone.
 */
export function isSameSite(app: Runtime, { headers, host }: FastifyRequest): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const { origin } = headers;
  if (origin === undefined || origin === "null") return true;
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin).host;
  return from === host || from === new URL(app.publicUrl).host;
}

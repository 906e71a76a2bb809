// A visitor's session, sealed in a cookie. The end of a signed-in session is remembered, so that its cookie stops working.
import type { FastifyReply, FastifyRequest } from "fastify";
import { nowMs } from "../../platform/clock.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey, sameDigest } from "../../platform/secrets.ts";
import { readCookie, setCookie } from "./cookies.ts";
import * as sql from "./sql.ts";

/** How a pairing ended, as the visitor is told. */
export type PairingOutcome = {
  approved: boolean;
  appName: string;
  companyName: string;
  senderAssigned: boolean;
};

/** How far a visitor has come. */
export type Step =
  | { at: "fresh" }
  /** Who has signed in to the console wants to go on with another phone. */
  | { at: "other" }
  /** A code was sent to the phone. For an unknown phone it only seems so: the token then belongs to no code. */
  | { at: "asked"; phone: string; token: string }
  /** The code was right: the visitor holds this phone, and acts for whom its users act. */
  | { at: "known"; phone: string }
  /** `ofConsole`: the visitor acted by a sign-in to the console, which goes on. */
  | { at: "done"; code: string; outcome: PairingOutcome; ofConsole: boolean }
  /** The sign-in has ended. */
  | { at: "ended" };

/** The forms of a session carry a token made from its id. */
export type PageSession = Step & { id: string; until: number };

const COOKIE = "atumpan_pair";

/** A session that begins now. With `id` it keeps the token of its forms, so that other tabs still work. */
export function newSession(app: Runtime, step: Step, id = newKey("")): PageSession {
  return { ...step, id, until: nowMs() + app.config.settings.pageSessionLifetimeMs };
}

/** The session of a request; undefined where there is none, or it is over. */
export async function readSession(app: Runtime, request: FastifyRequest): Promise<PageSession | undefined> {
  const session = readCookie<PageSession>(app, request, COOKIE);
  if (session?.at !== "known") return session;
  return (await hasEnded(app, session.id)) ? { ...session, at: "ended" } : session;
}

/**
 * Ends a session: copies of the cookie of somebody who has signed in stop working too. Of an unauthenticated caller
 * nothing is kept.
 */
export async function endSession(app: Runtime, session: PageSession): Promise<void> {
  if (session.at === "known") await noteEnded(app, session.id);
}

/** Remembers that the session with this id has ended, as long as the cookie of any signed-in session may live. */
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

/** Deletes the record of ended sessions that have expired by now; work of a job. */
export async function forgetEndedSessions(app: Runtime): Promise<void> {
  const { pageSessionLifetimeMs, adminSessionLifetimeMs } = app.config.settings;
  await app.database.run(sql.deleteOldEnded, [Math.max(pageSessionLifetimeMs, adminSessionLifetimeMs)]);
}

/** Hands the session to the browser. */
export function keepSession(app: Runtime, reply: FastifyReply, session: PageSession): void {
  setCookie(app, reply, COOKIE, session);
}

/** The CSRF token in the forms of a session, which no other site can know. */
export function formToken(app: Runtime, session: PageSession): string {
  return app.secrets.digest("page-form", session.id);
}

/** True if the form comes from one of our pages, shown in this session. */
export function isOwnForm(
  app: Runtime,
  request: FastifyRequest,
  session: PageSession,
  token: string | undefined,
): boolean {
  return isSameSite(app, request) && token !== undefined && sameDigest(token, formToken(app, session));
}

/**
 * What the browser itself says of where a form comes from, if it says anything. Our pages ask for no referrer, so their
 * own forms come with `Origin: null` (Fetch standard, "append a request Origin header"): then Sec-Fetch-Site decides,
 * and where that is missing too, on plain HTTP, the token alone.
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

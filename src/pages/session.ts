// A visitor's session: sealed in a cookie. One with which somebody was signed in is remembered once it has ended.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Runtime } from "../kernel/runtime.ts";
import { newKey, sameDigest } from "../kernel/secrets.ts";
import * as sql from "./sql.ts";

/** How a pairing ended, as the visitor is told. */
export type Outcome = {
  approved: boolean;
  appName: string;
  companyName: string;
  senderAssigned: boolean;
};

/** How far a visitor has come. */
export type Step =
  | { at: "fresh" }
  /** A code was sent to the phone, or seemingly so: then nobody has the token. */
  | { at: "asked"; phone: string; token: string }
  /** The code was right: the visitor holds this phone, and acts for whom its users act. */
  | { at: "known"; phone: string }
  | { at: "done"; code: string; outcome: Outcome }
  /** Somebody was signed in, and is no more. */
  | { at: "ended" };

/** The forms of a session carry a token made from its id. */
export type Session = Step & { id: string; until: number };

const COOKIE = "atumpan_pair";
const COOKIE_PATH = "/pair";
const PLACE = { table: "pages", column: "cookie", row: COOKIE };

/** A session that begins now. With `id` it goes on: its forms in other tabs stay good. */
export function newSession(app: Runtime, step: Step, id = newKey("")): Session {
  return { ...step, id, until: Date.now() + app.config.settings.pageSessionLifetimeMs };
}

/** The session of a request; undefined where there is none, or it is over. */
export async function readSession(app: Runtime, request: FastifyRequest): Promise<Session | undefined> {
  const session = readCookie(app, request);
  if (session?.at !== "known") return session;
  const [ended] = await app.database.run(sql.findEnded, [digestOf(app, session)]);
  return ended ? { ...session, at: "ended" } : session;
}

/** Ends the session of somebody who is signed in: its cookie opens nothing any more, whoever kept it. */
export async function endSession(app: Runtime, session: Session): Promise<void> {
  await app.database.run(sql.insertEnded, [digestOf(app, session)]);
}

function digestOf(app: Runtime, { id }: Session): string {
  return app.secrets.digest("page-session", id);
}

/** Forgets ended sessions that would be over by now; work of a job. */
export async function forgetEndedSessions(app: Runtime): Promise<void> {
  await app.database.run(sql.deleteOldEnded, [app.config.settings.pageSessionLifetimeMs]);
}

function readCookie(app: Runtime, request: FastifyRequest): Session | undefined {
  const sealed = request.cookies[COOKIE];
  const session = sealed === undefined ? undefined : unseal(app, sealed);
  return session && session.until > Date.now() ? session : undefined;
}

function unseal(app: Runtime, sealed: string): Session | undefined {
  try {
    return JSON.parse(app.secrets.unseal(PLACE, sealed)) as Session;
  } catch {
    return undefined; // not sealed by us: whoever made it up is a stranger, as without it
  }
}

/** Hands the session to the browser. */
export function keepSession(app: Runtime, reply: FastifyReply, session: Session): void {
  reply.setCookie(COOKIE, app.secrets.seal(PLACE, JSON.stringify(session)), {
    path: COOKIE_PATH,
    httpOnly: true,
    sameSite: "lax",
    secure: app.publicUrl.startsWith("https:") || reply.request.protocol === "https",
    maxAge: Math.max(1, Math.ceil((session.until - Date.now()) / 1_000)),
  });
}

/** What the forms of a session carry, and no other site can know. */
export function formToken(app: Runtime, session: Session): string {
  return app.secrets.digest("page-form", session.id);
}

/** True if a form was sent from a page of ours that was shown to this very session. */
export function isOwnForm(
  app: Runtime,
  request: FastifyRequest,
  session: Session,
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

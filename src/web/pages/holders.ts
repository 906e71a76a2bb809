// Holders: the phone that a visitor has proved to hold, by a code on the page or by a sign-in to the console.
import type { FastifyRequest } from "fastify";
import { companiesOfPhone, findSignedIn, type SignedInPerson } from "../../identity/accounts/sessions.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { PageSession } from "./session.ts";

/** Returns the key of the console session of the request's browser, if it has one. */
export type SessionKeyAt = (request: FastifyRequest) => string | undefined;

/** The holder of a phone. `sessionId` is null if the page itself sent a code. */
export type Holder = Pick<SignedInPerson, "phone" | "companies" | "isFresh"> & { sessionId: string | null };

/**
 * Returns the visitor of a page. A connection lasts, so the sign-in to the console must be fresh, as for the API; with
 * an older one, only the phone is known. It is looked up at each step, so that it counts no longer than the session
 * lives.
 */
export async function findHolder(
  app: Runtime,
  session: PageSession,
  sessionKey: string | undefined,
): Promise<Holder | undefined> {
  if (session.at === "known") {
    const { phone } = session;
    return { phone, companies: await companiesOfPhone(app, phone), isFresh: true, sessionId: null };
  }
  const isOfConsole = session.at === "fresh" || session.at === "done";
  return isOfConsole && sessionKey !== undefined ? findSignedIn(app, sessionKey) : undefined;
}

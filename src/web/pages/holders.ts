// Holders: whose phone a visitor has proved to hold, by a code on the page or by a sign-in to the console.
import type { FastifyRequest } from "fastify";
import { companiesOfPhone, findSignedIn, type SignedInPerson } from "../../identity/accounts/accounts.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { PageSession } from "./session.ts";

/** The key of the session of the console that the browser of a request carries, if it carries one. */
export type SessionKeyAt = (request: FastifyRequest) => string | undefined;

/** The holder of a phone. `sessionId` is null for whom the page itself has sent a code. */
export type Holder = Pick<SignedInPerson, "phone" | "companies" | "isFresh"> & { sessionId: string | null };

/**
 * Who visits a page. A connection lasts, so the sign-in to the console has to be fresh, as at the interface: with an older
 * one only the phone is known. It is looked up at each step, so it counts no longer than it lives.
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

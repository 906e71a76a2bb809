// Known browsers: those in which the owner of a phone has signed in before, on a page or to the console. Unauthenticated
// callers cannot use up what they may ask.
import type { FastifyReply, FastifyRequest } from "fastify";
import { nowMs } from "../../platform/clock.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey } from "../../platform/secrets.ts";
import { readCookie, setCookie } from "./cookies.ts";

/** Its phones stand in it as digests, the newest first. */
type KnownBrowser = { id: string; phones: string[]; until: number };

const COOKIE = "atumpan_known";
const PHONES_AT_MOST = 4;

/** The id of the browser of a request, if the owner of this phone has signed in with it before. */
export function findKnownBrowser(app: Runtime, request: FastifyRequest, phone: string): string | undefined {
  const browser = readCookie<KnownBrowser>(app, request, COOKIE, "/");
  return browser?.phones.includes(digestPhone(app, phone)) ? browser.id : undefined;
}

/** Makes the browser known for a phone with which somebody has just signed in. It gives no right but to ask for codes. */
export function keepKnownBrowser(
  app: Runtime,
  request: FastifyRequest,
  reply: FastifyReply,
  phone: string,
): void {
  const { id = newKey(""), phones = [] } = readCookie<KnownBrowser>(app, request, COOKIE, "/") ?? {};
  const digest = digestPhone(app, phone);
  const others = phones.filter((other) => other !== digest);
  const browser: KnownBrowser = {
    id,
    phones: [digest, ...others].slice(0, PHONES_AT_MOST),
    until: nowMs() + app.config.settings.knownBrowserLifetimeMs,
  };
  setCookie(app, reply, COOKIE, browser, "/");
}

function digestPhone(app: Runtime, phone: string): string {
  return app.secrets.digest("known-browser", phone);
}

// Known browsers: those in which the owner of a phone has signed in before, on a page or to the console. They have
// limits of their own, which unauthenticated callers cannot use up.
import type { FastifyReply, FastifyRequest } from "fastify";
import { nowMs } from "../../platform/clock.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey } from "../../platform/secrets/secrets.ts";
import { readCookie, setCookie } from "./cookies.ts";

/** `phones` are digests, newest first. */
type KnownBrowser = { id: string; phones: string[]; until: number };

const COOKIE = "atumpan_known";
const PHONES_AT_MOST = 4;

/** Returns the id of the request's browser, if the owner of this phone has signed in with it before. */
export function findKnownBrowser(app: Runtime, request: FastifyRequest, phone: string): string | undefined {
  const browser = readCookie<KnownBrowser>(app, request, COOKIE, "/");
  return browser?.phones.includes(digestPhone(app, phone)) ? browser.id : undefined;
}

/** Records that somebody has signed in with this phone in this browser. This only permits requesting codes. */
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

// Cookies of the pages for people. They are sealed: nobody else can read, change or create one.
import type { FastifyReply, FastifyRequest } from "fastify";
import { nowMs } from "../../platform/clock.ts";
import type { Runtime } from "../../platform/runtime.ts";

/** The fields that every cookie has. `until` is its expiry, in milliseconds since 1970. */
type Kept = { until: number };

const PATH = "/pair";

const placeOf = (name: string) => ({ table: "pages", column: "cookie", row: name });

/** Returns the value of a cookie; undefined if there is none, it was not sealed by this service, or it has expired. */
export function readCookie<Value extends Kept>(
  app: Runtime,
  request: FastifyRequest,
  name: string,
  path = PATH,
): Value | undefined {
  const sealed = request.cookies[nameOf(app, request, name, path)];
  const value = sealed === undefined ? undefined : unseal<Value>(app, name, sealed);
  return value && value.until > nowMs() ? value : undefined;
}

function unseal<Value>(app: Runtime, name: string, sealed: string): Value | undefined {
  try {
    return JSON.parse(app.secrets.unseal(placeOf(name), sealed)) as Value;
  } catch {
    return undefined; // not sealed by us: the visitor counts as an unauthenticated caller
  }
}

/**
 * The cookie's name in the browser. A cookie for all pages has a prefix with which browsers accept it only over HTTPS
 * and from no subdomain (RFC 6265bis, 4.1.3.2), so that nobody there can set their own session.
 */
function nameOf(app: Runtime, request: FastifyRequest, name: string, path: string): string {
  return path === "/" && isSecure(app, request) ? `__Host-${name}` : name;
}

function isSecure(app: Runtime, request: FastifyRequest): boolean {
  return app.publicUrl.startsWith("https:") || request.protocol === "https";
}

/** Sets a cookie that the browser returns only to the pages below `path`. */
export function setCookie(app: Runtime, reply: FastifyReply, name: string, value: Kept, path = PATH): void {
  const { request } = reply;
  reply.setCookie(nameOf(app, request, name, path), app.secrets.seal(placeOf(name), JSON.stringify(value)), {
    path,
    httpOnly: true,
    sameSite: "lax",
    secure: isSecure(app, request),
    maxAge: Math.max(1, Math.ceil((value.until - nowMs()) / 1_000)),
  });
}

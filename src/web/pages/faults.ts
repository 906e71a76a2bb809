// Errors of the pages for people, here and in the console: what each is, its record in the log, and safe headers.
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { noteOutage } from "../../platform/database/outages.ts";
import { isUnavailable } from "../../platform/http/envelope.ts";
import { Refusal } from "../../platform/http/refusals.ts";
import { requestIdOf } from "../../platform/http/requestids.ts";
import type { Runtime } from "../../platform/runtime.ts";

/** An outage of the database, a request that cannot be read, or an error of ours with its id in the log. */
type Fault = { status: 503 } | { status: 400 } | { status: 500; errorId: string };

/** Returns what kind of error a request met. Outages and errors of ours are logged. */
export function faultOf(app: Runtime, request: FastifyRequest, error: FastifyError | Refusal): Fault {
  const path = request.routeOptions.url;
  // The body is read before the page is rendered, so this is a reset of the browser's connection, not the database's.
  const hasHungUp = !request.raw.complete && (error as FastifyError).code === "ECONNRESET";
  if (!hasHungUp && isUnavailable(error)) {
    if (!noteOutage(app, error, "a request"))
      app.log.warn({ path, reason: error.message }, "the database is not available");
    return { status: 503 };
  }
  if (hasHungUp || error instanceof Refusal || (error.statusCode !== undefined && error.statusCode < 500))
    return { status: 400 };
  const errorId = requestIdOf(request.raw).own;
  app.log.error({ errorId, path, err: error }, "a page crashed");
  return { status: 500, errorId };
}

/** Sets the headers with which no other site can frame, read or cache a page. */
export function protect(reply: FastifyReply, policy: string, referrer: "no-referrer" | "same-origin"): void {
  reply
    .header("Content-Security-Policy", policy)
    .header("X-Frame-Options", "DENY")
    .header("X-Content-Type-Options", "nosniff")
    .header("Referrer-Policy", referrer)
    .header("Cross-Origin-Opener-Policy", "same-origin")
    .header("Cache-Control", "no-store");
}

// URLs of other programs that do not take our envelope: errors as bare statuses, and the memory of their bodies.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { bodyReaderOf } from "../platform/http/bodyreader.ts";
import { isUnavailable } from "../platform/http/envelope.ts";
import { Refusal } from "../platform/http/refusals.ts";
import type { Runtime } from "../platform/runtime.ts";

/** Answers errors with 413 or 503 where the caller should try again, and with their own status otherwise. */
export function handlePlainErrors(scope: FastifyInstance, app: Runtime): void {
  const reader = bodyReaderOf(app);
  scope.setErrorHandler(async (error, request, reply) => {
    releaseBody(app, request);
    if (!request.raw.complete && !request.raw.destroyed) await reader.drain(request.raw);
    if (error instanceof Refusal) return refusePlain(reply, REFUSED_AS[error.code] ?? 503);
    if (isUnavailable(error)) return refusePlain(reply, 503);
    const { statusCode = 500 } = error as { statusCode?: number };
    if (statusCode >= 500)
      app.log.error(
        { err: error, operator: request.carrier?.operator.name },
        "a callback could not be handled",
      );
    return refusePlain(reply, statusCode >= 500 ? 503 : statusCode);
  });
}

const REFUSED_AS: Readonly<Record<string, number>> = { "request-too-large": 413, "invalid-request": 400 };

/** Gives back the memory of the body, which nothing reads any more. */
export function releaseBody(app: Runtime, { load }: FastifyRequest): void {
  if (load) bodyReaderOf(app).settle(load, "success");
}

export function refusePlain(reply: FastifyReply, status: number): FastifyReply {
  return reply.code(status).header("Content-Type", "text/plain; charset=utf-8").send("");
}

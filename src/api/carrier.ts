// The URL of carriers over HTTP: receipts and incoming messages, in each carrier's own form.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { findCallback, takeCallback } from "../delivery/gateway/callbacks.ts";
import type { CarrierEndpoint } from "../delivery/operators/carrierendpoints.ts";
import { receiveFromHandset } from "../messaging/probes/confirming.ts";
import { bodyReaderOf } from "../platform/http/bodyreader.ts";
import { isUnavailable } from "../platform/http/envelope.ts";
import { Refusal } from "../platform/http/refusals.ts";
import { takeFailure } from "../platform/http/unauthenticated.ts";
import type { Runtime } from "../platform/runtime.ts";

/** Ten thousand receipts in one body are 2 MB at the carriers that send arrays. */
const BODY_BYTES_AT_MOST = 4 * 1024 * 1024;

const NO_CONTENT = Buffer.alloc(0);

declare module "fastify" {
  interface FastifyRequest {
    carrier: CarrierEndpoint | undefined;
  }
}

/**
 * Adds `GET|POST /v1/carrier/{operatorId}/{secret}`. The path is checked before the body is read, so that only a carrier
 * can make us keep one. The answer is the one that the carrier expects, and not our envelope: 404 for an unknown path,
 * 403 for a missing or wrong signature, 503 if nothing could be stored, so that the carrier delivers it again.
 */
export function addCarrierCallbacks(server: FastifyInstance, app: Runtime): void {
  void server.register(async (scope) => {
    scope.decorateRequest("carrier", undefined);
    scope.removeAllContentTypeParsers();
    const reader = bodyReaderOf(app);
    // The memory of these bodies counts among that of all others: a carrier may begin a thousand and end none.
    scope.addContentTypeParser("*", (request, _payload, done) => reader.read(request, done, false));
    scope.addHook("onRequest", async (request, reply) => {
      const { operatorId = "", secret = "" } = request.params as Record<string, string>;
      const found = await findCallback(app, operatorId, secret, request.ip);
      // The carrier delivers again, until an administrator has repaired the operator.
      if (found === "unusable") return refuse(reply, 503);
      request.carrier = found;
      if (found) return;
      const { ip, headers } = request;
      const waitSeconds = takeFailure(app, { ip, headers });
      if (waitSeconds > 0) return refuse(reply.header("Retry-After", String(waitSeconds)), 429);
      return refuse(reply, 404);
    });
    scope.setErrorHandler(async (error, request, reply) => {
      release(app, request);
      if (!request.raw.complete && !request.raw.destroyed) await reader.drain(request.raw);
      if (error instanceof Refusal) return refuse(reply, error.code === "request-too-large" ? 413 : 503);
      if (isUnavailable(error)) return refuse(reply, 503);
      const { statusCode = 500 } = error as { statusCode?: number };
      if (statusCode >= 500)
        app.log.error(
          { err: error, operator: request.carrier?.operator.name },
          "a callback could not be handled",
        );
      return refuse(reply, statusCode >= 500 ? 503 : statusCode);
    });
    scope.route({
      method: ["GET", "POST"],
      url: "/v1/carrier/:operatorId/:secret",
      bodyLimit: BODY_BYTES_AT_MOST,
      handler: (request, reply) => answer(app, request, reply),
    });
  });
}

async function answer(app: Runtime, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { carrier, method, headers, raw, body } = request;
  if (!carrier) return refuse(reply, 404);
  const callback = {
    method: method === "GET" ? ("GET" as const) : ("POST" as const),
    url: `${app.publicUrl}${raw.url ?? ""}`,
    headers,
    body: Buffer.isBuffer(body) ? body : NO_CONTENT,
  };
  const taken = await takeCallback(app, carrier, callback, (message) => receiveFromHandset(app, message));
  release(app, request);
  if (!taken) return refuse(reply, 403);
  return reply.code(taken.status).header("Content-Type", taken.contentType).send(taken.body);
}

/** Gives back the memory of the body, which nothing reads any more. */
function release(app: Runtime, { load }: FastifyRequest): void {
  if (load) bodyReaderOf(app).settle(load, "success");
}

function refuse(reply: FastifyReply, status: number): FastifyReply {
  return reply.code(status).header("Content-Type", "text/plain; charset=utf-8").send("");
}

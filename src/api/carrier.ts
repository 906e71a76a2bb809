// The URL of carriers over HTTP: receipts and incoming messages, in each carrier's own form.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { findCallback, takeCallback } from "../delivery/gateway/callbacks.ts";
import type { CarrierEndpoint } from "../delivery/operators/carrierendpoints.ts";
import { healthIn, recordHealth } from "../delivery/operators/phonehealth.ts";
import { receiveFromHandset } from "../messaging/probes/confirming.ts";
import { bodyReaderOf } from "../platform/http/bodyreader.ts";
import { takeFailure } from "../platform/http/unauthenticated.ts";
import type { Runtime } from "../platform/runtime.ts";
import { handlePlainErrors, refusePlain, releaseBody } from "./plainanswers.ts";

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
      if (found === "unusable") return refusePlain(reply, 503);
      request.carrier = found;
      if (found) return;
      const { ip, headers } = request;
      const waitSeconds = takeFailure(app, { ip, headers });
      if (waitSeconds > 0) return refusePlain(reply.header("Retry-After", String(waitSeconds)), 429);
      return refusePlain(reply, 404);
    });
    handlePlainErrors(scope, app);
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
  if (!carrier) return refusePlain(reply, 404);
  const callback = {
    method: method === "GET" ? ("GET" as const) : ("POST" as const),
    url: `${app.publicUrl}${raw.url ?? ""}`,
    headers,
    body: Buffer.isBuffer(body) ? body : NO_CONTENT,
  };
  const taken = await takeCallback(app, carrier, callback, (message) => receiveFromHandset(app, message));
  if (taken && carrier.operator.kind === "phone") await recordPing(app, carrier.operator.id, callback.body);
  releaseBody(app, request);
  if (!taken) return refusePlain(reply, 403);
  return reply.code(taken.status).header("Content-Type", taken.contentType).send(taken.body);
}

/** The app of a phone reports its health to the address of callbacks, too. */
async function recordPing(app: Runtime, operatorId: string, body: Buffer): Promise<void> {
  const checks = healthIn(body);
  if (checks) await recordHealth(app.database, operatorId, checks);
}

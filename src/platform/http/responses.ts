// Responses: their log lines and spans, and the paths under which metrics, logs and traces count them.
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Runtime } from "../runtime.ts";
import { requestIdOf } from "./requestids.ts";

/** The path of requests that no route serves. */
export const UNKNOWN_PATH = "(unknown)";

/** Returns the path as in the reference. Unknown paths are `(unknown)`, to limit the number of paths in metrics. */
export function routePathOf(request: FastifyRequest): string {
  const { url, config } = request.is404 ? {} : request.routeOptions;
  if (config?.path !== undefined) return config.path;
  return url?.replace(/:(\w+)/g, "{$1}") ?? UNKNOWN_PATH;
}

/** Logs each response, if the level is debug, and ends the span of its request, if there are traces. */
export function followResponses(app: Runtime, server: FastifyInstance): void {
  const { log, traces } = app;
  const isLogged = log.isLevelEnabled("debug");
  if (!isLogged && !traces) return;
  server.addHook("onResponse", async (request, reply) => {
    const { method, ip } = request;
    const path = routePathOf(request);
    const outcome = reply.getHeader("atumpan-outcome") as string | undefined;
    const requestId = requestIdOf(request.raw);
    traces?.hearResponse({ requestId, method, path, outcome, status: reply.statusCode });
    if (!isLogged) return;
    const ms = Math.round(reply.elapsedTime);
    log.debug({ ...requestId.labels, method, path, ip, outcome, ms }, "request");
  });
}

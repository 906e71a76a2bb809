// The listener for probes: serves the probes and metrics to monitoring machines over plain HTTP, and nothing else.
import { fastify } from "fastify";
import { BadConfiguration, isLoopback } from "../config.ts";
import type { Runtime } from "../runtime.ts";
import { addProbes } from "./probes.ts";
import { REQUEST_ID, requestIdOf } from "./requestids.ts";

const CONNECTIONS_AT_MOST = 100;
const REQUEST_MS = 10_000;

export type ProbeListener = { readonly url: string; stop(): Promise<void> };

/**
 * Opens the listener of PROBE_HOST and PROBE_PORT; undefined without a port. It has its own connections, so that it
 * answers while the listener for customers is full. If other machines reach it, the administrator's key opens nothing.
 */
export async function openProbeListener(app: Runtime): Promise<ProbeListener | undefined> {
  const { probes } = app.config;
  if (!probes) return undefined;
  const server = fastify({
    requestTimeout: REQUEST_MS,
    connectionTimeout: REQUEST_MS,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
  });
  server.server.maxConnections = CONNECTIONS_AT_MOST;
  server.addHook("onSend", async (request, reply) => {
    reply.header(REQUEST_ID, requestIdOf(request.raw).shown);
  });
  addProbes(server, app, { needsHttps: false, takesAdminKey: isLoopback(probes.host) });
  const url = await server.listen(probes).catch((error: Error) => {
    throw new BadConfiguration(`PROBE_HOST and PROBE_PORT: ${error.message}`);
  });
  return { url, stop: () => server.close() };
}

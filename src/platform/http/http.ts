// The HTTP listener: passes requests to routes, and answers every error under /v1 in the envelope.
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { createSecureContext } from "node:tls";
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type RouteOptions,
} from "fastify";
import { Counter, Histogram } from "prom-client";
import { BadConfiguration, type Config } from "../config.ts";
import { noteOutage } from "../database/outages.ts";
import { HEAVY_BODY_BYTES } from "../limits/shares.ts";
import { runUndivided } from "../limits/slices.ts";
import { perRuntime, type Runtime } from "../runtime.ts";
import { tellAnswered } from "./answered.ts";
import { type Fields, type Nullable, readBody } from "./body.ts";
import { bodyReaderOf } from "./bodyreader.ts";
import { answerBrokenRequest, connectionsUnasked, limitConnections } from "./connections.ts";
import { isUnavailable, type Sealed, sealRefusal, unauthenticatedOf } from "./envelope.ts";
import type { Detail } from "./fielderrors.ts";
import { keepHttps, lacksHttps, tidyForwarded, warnOfProxy } from "./forwarded.ts";
import { HandlerTimeouts } from "./handlertimeouts.ts";
import { nullableOf } from "./members.ts";
import { holdAnswer, limitPipelines } from "./pipeline.ts";
import { addProbes } from "./probes.ts";
import { Refusal } from "./refusals.ts";
import { inRequest, REQUEST_ID, requestIdOf } from "./requestids.ts";
import { followResponses, routePathOf, UNKNOWN_PATH } from "./responses.ts";
import type { Request, Route } from "./routes.ts";
import { refuseUnread } from "./unread.ts";

export type Listener = {
  /** The URL at which it listens, without a slash at the end. */
  url: string;
  /** Reads the certificate files again. If that fails, it throws and keeps the old certificate. */
  reloadCertificate(): void;
  /** Stops accepting connections, finishes the requests in flight, then closes. */
  stop(): Promise<void>;
};

export type ListenerOptions = {
  routes: readonly Route[];
  /** Adds pages outside of /v1, such as the console. */
  addPages?: (server: FastifyInstance) => void;
  /** Answers a browser that requests a missing page outside of /v1. */
  showMissing?: (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
};

const PATH_PARAMETER_CHARACTERS = 200;
/** How often connections and handlers are checked for timeouts. */
const SWEEP_MS = 1_000;
// The process has 10 s to end. Connections that are open longer than this are cut off.
const STOP_MS = 7_000;
// A new connection may have sent a request that is still on the wire or in a queue of the system.
const STOP_UNASKED_MS = 500;
const STOP_SWEEP_MS = 50;

/**
 * Opens the listener. It handles 28,000 small POST/s on one core; fastify alone handles 41,000 (wrk, 32 connections, 2
 * cores, 2026-11-21).
 */
export async function openListener(app: Runtime, options: ListenerOptions): Promise<Listener> {
  const { config } = app;
  const server = build(app, options);
  limitConnections(server.server, app);
  limitPipelines(server.server, app);
  addProbes(server, app);
  const handlerTimeouts = new HandlerTimeouts(config.limits.requestTimeoutMs);
  for (const route of options.routes) addRoute(server, app, handlerTimeouts, route);
  options.addPages?.(server);
  const unasked = connectionsUnasked(server.server);
  await server.listen({ host: config.host, port: config.port }).catch((error: Error) => {
    throw new BadConfiguration(`HOST and PORT: ${error.message}`);
  });
  return {
    url: listenerUrlOf(server, config),
    reloadCertificate() {
      if (config.tls) (server.server as unknown as TlsServer).setSecureContext(readCertificate(config.tls));
    },
    async stop() {
      // Node closes idle connections only once, when it begins to stop. A connection that gets its answer later, or
      // that has sent no request yet, would delay the stop to the full 7 s under any traffic.
      const sweep = setInterval(() => server.server.closeIdleConnections(), STOP_SWEEP_MS);
      const forget = setTimeout(() => {
        for (const socket of unasked.values()) socket.destroy();
      }, STOP_UNASKED_MS);
      const cut = setTimeout(() => server.server.closeAllConnections(), STOP_MS);
      await server.close();
      clearInterval(sweep);
      clearTimeout(forget);
      clearTimeout(cut);
      handlerTimeouts.stop();
    },
  };
}

type Certificate = { cert: Buffer; key: Buffer };
type TlsServer = { setSecureContext(certificate: Certificate): void };

function readCertificate(tls: { certFile: string; keyFile: string }): Certificate {
  try {
    const certificate = { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) };
    createSecureContext(certificate); // throws if the key does not match the certificate
    return certificate;
  } catch (error) {
    throw new BadConfiguration(`TLS_CERT and TLS_KEY cannot be used: ${(error as Error).message}`);
  }
}

function listenerUrlOf(server: FastifyInstance, config: Config): string {
  const address = server.server.address();
  const port = typeof address === "object" && address ? address.port : config.port;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  return `${config.tls ? "https" : "http"}://${host}:${port}`;
}

function build(app: Runtime, { showMissing }: ListenerOptions): FastifyInstance {
  const { config } = app;
  const { headersTimeoutMs, requestTimeoutMs, stallTimeoutMs, bodyBytes } = config.limits;
  const node = {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: SWEEP_MS,
    requireHostHeader: false,
  };
  const server = fastify({
    ...(config.tls
      ? { https: { ...node, handshakeTimeout: headersTimeoutMs, ...readCertificate(config.tls) } }
      : { http: node }),
    logger: false,
    bodyLimit: bodyBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: stallTimeoutMs,
    trustProxy: config.trustProxy ?? false,
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: PATH_PARAMETER_CHARACTERS },
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (_error, request, reply) =>
      notFound(app, request as FastifyRequest, named(request as FastifyRequest, reply as FastifyReply)),
  }) as unknown as FastifyInstance;
  // No answer is possible after a failed TLS handshake: written bytes would wait forever, and so would the connection.
  server.server.on("tlsClientError", (_error: Error, socket: Socket) => socket.destroy());
  server.server.on("checkExpectation", (request, response) =>
    server.server.emit("request", request, response),
  );
  server.server.prependListener("request", config.trustProxy ? tidyForwarded : warnOfProxy(app));
  server.server.prependListener("request", keepHttps(app));
  const intake = bodyReaderOf(app);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("application/json", (request, _payload, done) => {
    // An unknown path gets the same answer whatever its body is.
    if (request.is404) return void intake.drain(request.raw).then(() => done(null));
    intake.read(request, (error, bytes) => {
      if (error) return done(error);
      // Some routes verify a signature over these bytes.
      request.rawBody = bytes;
      // The handler parses a large body when it is its turn. A parsed body is never null.
      if (bytes.length > HEAVY_BODY_BYTES) return done(null, null);
      try {
        done(null, readBody(bytes, request.routeOptions.config.nullable));
      } catch (error) {
        done(error as Error);
      }
    });
  });
  server.addHook("preHandler", (request, _reply, done) => inRequest(requestIdOf(request.raw), done));
  server.addHook("onSend", (request, reply, payload: unknown, done) => {
    named(request, reply);
    // A page is complete by now. The work of an API request ends with its promise.
    if (request.endpoint === "") requestIdOf(request.raw).isOver = true;
    if (typeof payload === "string" || payload instanceof Uint8Array) holdAnswer(reply.raw, payload.length);
    done();
  });
  server.decorateRequest("rawBody", undefined);
  server.decorateRequest("load", undefined);
  server.decorateRequest("credentials", undefined);
  server.decorateRequest("endpoint", "");
  server.decorateRequest("whenClosed", false);
  server.decorateRequest("caller", undefined);
  server.setNotFoundHandler((request, reply) =>
    showMissing && isForPage(request) ? showMissing(request, reply) : notFound(app, request, reply),
  );
  server.setErrorHandler((error: FastifyError, request, reply) => answerError(app, request, reply, error));
  if (config.refusePlainHttp || config.trustProxy) {
    server.addHook("onRequest", async (request, reply) => {
      if (lacksHttps(app, request.raw) && isInterface(request)) {
        return writeAnswer(app, routePathOf(request), reply, sealRefusal(new Refusal("not-authorized")));
      }
    });
  }
  followResponses(app, server);
  return server;
}

declare module "fastify" {
  interface FastifyRequest {
    rawBody?: Buffer;
    endpoint: string;
    whenClosed: boolean;
    credentials: string | undefined;
    caller?: unknown;
  }
  interface FastifyContextConfig {
    /** The members of the body in which null is a value. */
    nullable?: Nullable;
    /** The path of the operation, also if the request uses a synonym. */
    path?: string;
  }
}

function addRoute(
  server: FastifyInstance,
  app: Runtime,
  handlerTimeouts: HandlerTimeouts,
  route: Route,
): void {
  const { path, synonyms } = route;
  const endpoint = path.replace(/^\/v1\//, "");
  const nullable = nullableOf(route.body);
  const credentials = new Set(Object.keys(route.credentials.properties));
  const answer = async (request: FastifyRequest): Promise<Sealed> => {
    request.endpoint = endpoint;
    if (request.body === undefined) throw new Refusal("invalid-json");
    if (request.body !== null) return route.answer(app, request.body as Fields, request as Request);
    const bytes = request.rawBody!;
    if (route.lane === "unpaid") request.credentials = request.load?.outline.textsOf(credentials, bytes);
    // Thirty bodies of 10,000 contacts at once took the processor for 0.4 s (2 cores, 2026-11-26).
    const read = await runUndivided(app, route.lane, () => {
      const refused = refuseUnread(app, request as Request);
      return refused ? { refused } : { body: readBody(bytes, nullable) };
    });
    return read.refused ?? route.answer(app, read.body, request as Request);
  };
  const { bodyBytes, bulkBodyBytes } = app.config.limits;
  const options: Omit<RouteOptions, "url"> = {
    method: "POST",
    bodyLimit: route.bulk ? bulkBodyBytes : bodyBytes,
    config: { nullable, path },
    handler(request, reply) {
      const entry = handlerTimeouts.expect(() =>
        writeAnswer(app, path, reply, sealRefusal(new Refusal("service-unavailable"))),
      );
      const answered = answer(request).then(
        (sealed) => {
          if (!handlerTimeouts.meet(entry)) return;
          const write = () => writeAnswer(app, path, reply, sealed);
          if (request.load && sealed.outcome === "too-many-requests")
            bodyReaderOf(app).putOff(request.load, write);
          else write();
        },
        (error) => (handlerTimeouts.meet(entry) ? answerError(app, request, reply, error) : undefined),
      );
      void answered.finally(() => {
        requestIdOf(request.raw).isOver = true;
      });
    },
  };
  for (const url of [path, ...synonyms]) server.route({ ...options, url: url.replace(/\{(\w+)\}/g, ":$1") });
}

const httpMetrics = perRuntime((app) => ({
  requests: new Counter({
    name: "atumpan_http_requests_total",
    help: "Requests under /v1, by path and outcome class.",
    labelNames: ["path", "outcome"],
    registers: [app.metrics],
  }),
  seconds: new Histogram({
    name: "atumpan_http_request_seconds",
    help: "Time from the request's headers to its answer, by path.",
    labelNames: ["path"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
    registers: [app.metrics],
  }),
}));

/** True for every path under /v1, also if it is unknown, percent-encoded, or in absolute form (RFC 9112, 3.2.2). */
function isInterface(request: FastifyRequest): boolean {
  const [path = ""] = (request.raw.url ?? "").replace(/^https?:\/\/[^/?]*/i, "").split("?", 1);
  return /^\/v1(\/|$)/.test(decoded(path));
}

/** Whether a browser requests a page, rather than a client the API. */
function isForPage(request: FastifyRequest): boolean {
  return (
    request.method === "GET" && !isInterface(request) && /\btext\/html\b/.test(request.headers.accept ?? "")
  );
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Writes an answer under /v1, and counts it. */
function writeAnswer(
  app: Runtime,
  path: string,
  reply: FastifyReply,
  sealed: Sealed,
  status = 200,
): FastifyReply {
  const { requests, seconds } = httpMetrics(app);
  const request = reply.request as Request & FastifyRequest;
  const { load, raw } = request;
  if (load) bodyReaderOf(app).settle(load, sealed.outcome);
  requests.inc({ path, outcome: sealed.outcome });
  // fastify's own `elapsedTime` is always 0 unless the log level is debug.
  const ms = raw.cameMs === undefined ? 0 : performance.now() - raw.cameMs;
  if (raw.cameMs !== undefined) seconds.observe({ path }, ms / 1_000);
  const bytes = load?.used ?? request.rawBody?.length ?? 0;
  tellAnswered(app, { request, requestId: requestIdOf(raw), sealed, ms, bytes });
  if (sealed.retryAfterSeconds !== undefined) reply.header("Retry-After", String(sealed.retryAfterSeconds));
  return reply
    .code(status)
    .header("Content-Type", "application/json; charset=utf-8")
    .header("Cache-Control", "no-store")
    .header("Atumpan-Outcome", sealed.outcome)
    .send(sealed.text);
}

/** Adds the request's id, which every answer has. */
function named(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.header(REQUEST_ID, requestIdOf(request.raw).shown);
}

function notFound(app: Runtime, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // Outside of /v1, ordinary web tools look at the status.
  const status = isInterface(request) ? 200 : 404;
  return writeAnswer(app, UNKNOWN_PATH, reply, sealRefusal(new Refusal("not-found")), status);
}

const NOT_JSON: Detail = {
  field: "Content-Type",
  message: { fr: "doit être application/json", en: "must be application/json" },
};

async function answerError(
  app: Runtime,
  request: FastifyRequest,
  reply: FastifyReply,
  error: FastifyError,
): Promise<FastifyReply> {
  const path = routePathOf(request);
  if (!request.raw.complete && !request.raw.destroyed) await bodyReaderOf(app).drain(request.raw);
  if (error instanceof Refusal) {
    // fastify closes the connection after a refused body, because more of it may come. If the whole body was read, the
    // connection stays open, unless the listener is stopping or the caller asked to close it. The answer must say
    // which, because requests on a closing connection are lost.
    const { complete } = request.raw;
    const mayStay = reply.raw.shouldKeepAlive && !reply.raw.hasHeader("connection");
    if (complete && mayStay && reply.hasHeader("connection")) reply.header("connection", "keep-alive");
    return writeAnswer(app, path, reply, sealRefusal(error, unauthenticatedOf(request.headers)));
  }
  if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return writeAnswer(
      app,
      path,
      reply,
      sealRefusal(
        new Refusal("invalid-request", { details: [NOT_JSON] }),
        unauthenticatedOf(request.headers),
      ),
    );
  }
  // The body is read before the operation runs, so this is a reset of the caller's connection and not of one of ours.
  if (!request.raw.complete && error.code === "ECONNRESET") {
    app.log.debug({ path }, "the caller hung up");
    return writeAnswer(app, path, reply, sealRefusal(new Refusal("invalid-request")));
  }
  // Refusals by fastify itself, such as a method that needs a Content-Type.
  if (error.code?.startsWith("FST_") && (error.statusCode ?? 500) < 500)
    return writeAnswer(app, path, reply, sealRefusal(new Refusal("invalid-request")));
  if (isUnavailable(error)) {
    if (!noteOutage(app, error, "a request"))
      app.log.warn({ path, reason: error.message }, "the database is not available");
    return writeAnswer(app, path, reply, sealRefusal(new Refusal("service-unavailable")));
  }
  // The caller gets an id to quote. The log has the same id with the stack.
  const errorId = requestIdOf(request.raw).own;
  app.log.error({ errorId, path, err: error }, "a handler crashed");
  reply.header("Atumpan-Error-Id", errorId);
  return writeAnswer(app, path, reply, sealRefusal(new Refusal("server-error")));
}

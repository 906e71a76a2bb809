// The HTTP listener: turns requests into answers of routes, and everything that can go wrong into the envelope.
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { createSecureContext } from "node:tls";
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from "fastify";
import { Counter, Histogram } from "prom-client";
import { type Fields, readBody } from "./body.ts";
import { BadConfiguration, type Config } from "./config.ts";
import { query } from "./database.ts";
import { isUnavailable, type Sealed, seal, sealRefusal } from "./envelope.ts";
import { newId } from "./ids.ts";
import { Overdue } from "./overdue.ts";
import { type Code, Refusal } from "./refusals.ts";
import { type Door, mergePath, type Request } from "./routes.ts";
import { perRuntime, type Runtime } from "./runtime.ts";

export type Listener = {
  /** Where it listens, without a slash at the end. */
  url: string;
  /** Reads the certificate files again; on failure the old certificate stays and this throws. */
  reloadCertificate(): void;
  /** Stops accepting, finishes what is in flight, closes. */
  stop(): Promise<void>;
};

export type ListenerOptions = {
  doors: Door[];
  /** Adds pages beside /v1, such as the console. */
  addPages?: (server: FastifyInstance) => void;
};

const PATH_PARAMETER_CHARACTERS = 200;
/** How often connections and handlers are checked for being too slow. */
const SWEEP_MS = 1_000;
// A client that sends too much would lose our answer to a TCP reset if we closed while it writes. So the rest is read
// and thrown away first, up to these bounds.
const DRAIN_BYTES = 32 * 1024 * 1024;
const DRAIN_MS = 2_000;
// The process has 10 s to end; what hangs longer than this is cut off.
const STOP_MS = 7_000;
// Whoever has just connected may have asked already; its request is on the wire or in a queue of the system.
const STOP_UNASKED_MS = 500;
const STOP_SWEEP_MS = 50;

/** Opens the listener. 28,000 small POST/s on one core, fastify alone 41,000 (wrk, 32 connections, 2 cores, 2026-11-21). */
export async function openListener(app: Runtime, options: ListenerOptions): Promise<Listener> {
  const { config } = app;
  const server = build(app);
  addProbes(server, app);
  const overdue = new Overdue(config.limits.requestTimeoutMs);
  for (const door of options.doors) addDoor(server, app, overdue, door);
  options.addPages?.(server);
  const unasked = connectionsUnasked(server);
  await server.listen({ host: config.host, port: config.port });
  return {
    url: urlOf(server, config),
    reloadCertificate() {
      if (config.tls) (server.server as unknown as TlsServer).setSecureContext(readCertificate(config.tls));
    },
    async stop() {
      // Node closes what is idle only once, when it begins to stop. A connection that got its answer a moment later, or
      // that has asked nothing yet, would hold us up to the end: 7 s under any traffic.
      const sweep = setInterval(() => server.server.closeIdleConnections(), STOP_SWEEP_MS);
      const forget = setTimeout(() => {
        for (const socket of unasked.values()) socket.destroy();
      }, STOP_UNASKED_MS);
      const cut = setTimeout(() => server.server.closeAllConnections(), STOP_MS);
      await server.close();
      clearInterval(sweep);
      clearTimeout(forget);
      clearTimeout(cut);
      overdue.stop();
    },
  };
}

/**
 * The connections on which no request has come yet, by their other end: browsers and pools open some in advance. With
 * TLS too they are the bare ones, which are there before the handshake: Node itself would wait for its end.
 */
function connectionsUnasked(server: FastifyInstance): ReadonlyMap<string, Socket> {
  const unasked = new Map<string, Socket>();
  const otherEndOf = (socket: Socket) => `${socket.remoteAddress} ${socket.remotePort}`;
  server.server.on("connection", (socket: Socket) => {
    const otherEnd = otherEndOf(socket);
    unasked.set(otherEnd, socket);
    socket.once("close", () => unasked.delete(otherEnd));
  });
  server.server.on("request", ({ socket }) => unasked.delete(otherEndOf(socket)));
  return unasked;
}

type Certificate = { cert: Buffer; key: Buffer };
type TlsServer = { setSecureContext(certificate: Certificate): void };

function readCertificate(tls: { certFile: string; keyFile: string }): Certificate {
  try {
    const certificate = { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) };
    createSecureContext(certificate); // throws where the two do not belong together
    return certificate;
  } catch (error) {
    throw new BadConfiguration(`TLS_CERT and TLS_KEY cannot be used: ${(error as Error).message}`);
  }
}

function urlOf(server: FastifyInstance, config: Config): string {
  const address = server.server.address();
  const port = typeof address === "object" && address ? address.port : config.port;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  return `${config.tls ? "https" : "http"}://${host}:${port}`;
}

function build(app: Runtime): FastifyInstance {
  const { config } = app;
  const { headersTimeoutMs, requestTimeoutMs, bodyBytes } = config.limits;
  const node = {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: SWEEP_MS,
    requireHostHeader: false,
  };
  const server = fastify({
    ...(config.tls ? { https: { ...node, ...readCertificate(config.tls) } } : { http: node }),
    logger: false,
    bodyLimit: bodyBytes,
    requestTimeout: requestTimeoutMs,
    trustProxy: config.trustProxy ?? false,
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: PATH_PARAMETER_CHARACTERS },
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (_error, request, reply) =>
      notFound(app, request as FastifyRequest, reply as FastifyReply),
  }) as unknown as FastifyInstance;
  server.server.on("checkExpectation", (request, response) =>
    server.server.emit("request", request, response),
  );
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, bytes, done) => {
    // An unknown path is an unknown path, whatever its body.
    if (request.is404) return done(null);
    // Kept for routes that verify a signature over the very bytes.
    request.rawBody = bytes as Buffer;
    try {
      done(null, readBody(bytes as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  server.decorateRequest("rawBody", undefined);
  server.setNotFoundHandler((request, reply) => notFound(app, request, reply));
  server.setErrorHandler((error: FastifyError, request, reply) => answerError(app, request, reply, error));
  if (config.refusePlainHttp) {
    server.addHook("onRequest", async (request, reply) => {
      if (request.protocol !== "https" && isInterface(request)) {
        return write(app, pathOf(request), reply, sealRefusal(new Refusal("not-authorized")));
      }
    });
  }
  if (app.log.isLevelEnabled("debug")) {
    server.addHook("onResponse", async (request, reply) => {
      const { method, ip } = request;
      const path = pathOf(request);
      const ms = Math.round(reply.elapsedTime);
      app.log.debug({ method, path, ip, outcome: reply.getHeader("atumpan-outcome"), ms }, "request");
    });
  }
  return server;
}

declare module "fastify" {
  interface FastifyRequest {
    rawBody?: Buffer;
  }
}

function addDoor(server: FastifyInstance, app: Runtime, overdue: Overdue, { path, route }: Door): void {
  const hasParameters = path.includes("{");
  const answer = async (request: FastifyRequest): Promise<Sealed> => {
    if (request.body === undefined) throw new Refusal("invalid-json");
    const body = request.body as Fields;
    if (hasParameters) mergePath(body, request.params as Record<string, string>);
    return seal(await route.answer(app, body, request as Request));
  };
  server.route({
    method: "POST",
    url: path.replace(/\{(\w+)\}/g, ":$1"),
    handler(request, reply) {
      const entry = overdue.expect(() =>
        write(app, path, reply, sealRefusal(new Refusal("service-unavailable"))),
      );
      answer(request).then(
        (sealed) => {
          if (overdue.meet(entry)) write(app, path, reply, sealed);
        },
        (error) => {
          if (overdue.meet(entry)) void answerError(app, request, reply, error);
        },
      );
    },
  });
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

const UNKNOWN_PATH = "(unknown)";

/** The path as the documents write it, never one that the caller made up: a log line and a metric must stay finite. */
function pathOf(request: FastifyRequest): string {
  const url = request.is404 ? undefined : request.routeOptions.url;
  return url?.replace(/:(\w+)/g, "{$1}") ?? UNKNOWN_PATH;
}

/** True of every path under /v1, also where it is not ours, is percent-encoded, or has a host before it (RFC 9112, 3.2.2). */
function isInterface(request: FastifyRequest): boolean {
  const [path = ""] = (request.raw.url ?? "").replace(/^https?:\/\/[^/?]*/i, "").split("?", 1);
  return /^\/v1(\/|$)/.test(decoded(path));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Writes an answer under /v1, and counts it. */
function write(app: Runtime, path: string, reply: FastifyReply, sealed: Sealed, status = 200): FastifyReply {
  const { requests, seconds } = httpMetrics(app);
  requests.inc({ path, outcome: sealed.outcome });
  seconds.observe({ path }, reply.elapsedTime / 1_000);
  if (sealed.retryAfterSeconds !== undefined) reply.header("Retry-After", String(sealed.retryAfterSeconds));
  return reply
    .code(status)
    .header("Content-Type", "application/json; charset=utf-8")
    .header("Cache-Control", "no-store")
    .header("Atumpan-Outcome", sealed.outcome)
    .send(sealed.text);
}

function notFound(app: Runtime, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // Outside /v1 the web's own tools look at the status.
  const status = isInterface(request) ? 200 : 404;
  return write(app, UNKNOWN_PATH, reply, sealRefusal(new Refusal("not-found")), status);
}

// What fastify and node call it → what the interface calls it.
const framework: Record<string, { code: Code; field?: string; message?: string }> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: "request-too-large" },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: "invalid-request",
    field: "Content-Type",
    message: "must be application/json",
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: "invalid-request",
    field: "Content-Length",
    message: "differs from the body",
  },
};

async function answerError(
  app: Runtime,
  request: FastifyRequest,
  reply: FastifyReply,
  error: FastifyError,
): Promise<FastifyReply> {
  const path = pathOf(request);
  if (error instanceof Refusal) {
    // fastify closes after any body that was refused, since more of it may come; not where all of it was read.
    if (request.raw.complete) reply.removeHeader("connection");
    return write(app, path, reply, sealRefusal(error));
  }
  const known = framework[error.code];
  if (known) {
    if (known.code === "request-too-large") await drain(request);
    const details = known.field ? [{ field: known.field, message: known.message ?? "" }] : undefined;
    return write(app, path, reply, sealRefusal(new Refusal(known.code, details && { details })));
  }
  // Bodies are read before anything runs: what breaks off here is the caller's connection, not one of ours.
  if (!request.raw.complete && error.code === "ECONNRESET") {
    app.log.debug({ path }, "the caller hung up");
    return write(app, path, reply, sealRefusal(new Refusal("invalid-request")));
  }
  if (isUnavailable(error)) {
    app.log.warn({ path, reason: error.message }, "the database is not available");
    return write(app, path, reply, sealRefusal(new Refusal("service-unavailable")));
  }
  // The caller gets an id to quote, the log gets the id with the stack.
  const errorId = newId();
  app.log.error({ errorId, path, err: error }, "a handler crashed");
  reply.header("Atumpan-Error-Id", errorId);
  return write(app, path, reply, sealRefusal(new Refusal("server-error")));
}

/** Reads and forgets the rest of a body, within bounds. */
function drain(request: FastifyRequest): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, DRAIN_MS);
  let bytes = 0;
  request.raw
    .on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > DRAIN_BYTES) resolve();
    })
    .once("end", resolve)
    .once("close", resolve)
    .once("error", () => resolve())
    .resume();
  return promise.finally(() => clearTimeout(timer));
}

/** Answers what is not even HTTP, or came too slowly: there is no request then, only a socket. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = error.code === "HPE_HEADER_OVERFLOW" ? "request-too-large" : "invalid-request";
  const { outcome, text } = sealRefusal(new Refusal(code));
  const head = [
    "HTTP/1.1 200 OK",
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(text)}`,
    `Atumpan-Outcome: ${outcome}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`, () => socket.destroy());
}

const ping = query("kernel.ping", "SELECT 1");

/** /healthz: the process lives. /readyz: it can serve. /metrics: for those who hold the administrator's key. */
function addProbes(server: FastifyInstance, app: Runtime): void {
  server.get("/healthz", async () => ({ status: "ok" }));
  server.get("/readyz", async (_request, reply) => {
    // Nothing listens before the migrations are done, so the database alone is in question.
    const ready = await app.database.run(ping).then(
      () => true,
      () => false,
    );
    return reply.code(ready ? 200 : 503).send({ status: ready ? "ready" : "not ready" });
  });
  server.get("/metrics", async (request, reply) => {
    const [scheme, key = ""] = (request.headers.authorization ?? "").split(" ");
    if (scheme?.toLowerCase() !== "bearer" || !app.secrets.isAdminKey(key)) {
      return reply.code(401).header("WWW-Authenticate", "Bearer").send({ status: "not authenticated" });
    }
    return reply.header("Content-Type", app.metrics.contentType).send(await app.metrics.metrics());
  });
}

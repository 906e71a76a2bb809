// Connections: limits on their number and on the requests of each, and the answer to broken or slow requests.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Counter } from "prom-client";
import { sealRefusal } from "./envelope.ts";
import { networksOf } from "./networks.ts";
import { Refusal } from "./refusals.ts";
import { perRuntime, type Runtime } from "./runtime.ts";

/**
 * The last request of a connection and its answer, the answer before it, and how many answers the connection waits for.
 */
type UnderWay = {
  request: IncomingMessage;
  response: ServerResponse;
  before?: ServerResponse;
  waiting: number;
};

const asked = new WeakMap<Socket, UnderWay>();

// Node reads requests without waiting for the answers to earlier ones: one connection with 270,000 requests took 1.3 GB
// (2 cores, 2026-11-21). A connection that waits for more answers than this is not read from. Requests that the last
// read has brought already, up to 64 KiB, are still answered.
const WAITING_AT_MOST = 100;

const dropped = perRuntime(
  (app) =>
    new Counter({
      name: "atumpan_connections_dropped_total",
      help: "Connections that were closed at once because too many are open, in all or of one network.",
      labelNames: ["limit"],
      registers: [app.metrics],
    }),
);

/** Closes a new connection at once if too many are open, in all or from its network. */
export function limitConnections(server: Server, app: Runtime): void {
  const { sockets } = networksOf(app);
  server.maxConnections = app.config.limits.sockets;
  server.on("drop", () => dropped(app).inc({ limit: "in-all" }));
  server.on("connection", (socket: Socket) => {
    const network = networksOf(app).of(socket.remoteAddress ?? "");
    const full = sockets.take(network, 1);
    if (!full) {
      socket.once("close", () => sockets.giveBack(network, 1));
      return;
    }
    dropped(app).inc({ limit: full });
    socket.destroy();
  });
}

/**
 * The open connections without a request so far, by their addresses and ports. Browsers and pools open some in advance,
 * and some clients never finish the TLS handshake. With TLS a request has another socket than its connection, so the
 * addresses and ports match the two.
 */
export function connectionsUnasked(server: Server): ReadonlyMap<string, Socket> {
  const unasked = new Map<string, Socket>();
  const placeOf = (socket: Socket) => `${socket.remoteAddress} ${socket.remotePort} ${socket.localAddress}`;
  server.on("connection", (socket: Socket) => {
    const place = placeOf(socket);
    unasked.set(place, socket);
    socket.once("close", () => unasked.get(place) === socket && unasked.delete(place));
  });
  server.on("request", ({ socket }: IncomingMessage) => unasked.delete(placeOf(socket)));
  return unasked;
}

/** Counts the answers that each connection waits for, and stops reading from one that waits for too many. */
export function watchConnections(server: Server): void {
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const known = asked.get(socket);
    const now = known ?? { request, response, waiting: 0 };
    if (known) Object.assign(known, { request, response, before: known.response });
    else asked.set(socket, now);
    now.waiting++;
    const pause = () => now.waiting > WAITING_AT_MOST && socket.pause();
    // Reading the body makes the socket flow again, so it is paused again when the body ends.
    if (pause()) request.once("end", pause);
    response.once("close", () => {
      now.waiting--;
      if (now.waiting === WAITING_AT_MOST) socket.resume();
    });
  });
}

/** The last answer that a connection waits for, if any. An incomplete request is the broken one and does not count. */
function awaitedOn(socket: Socket): ServerResponse | undefined {
  const now = asked.get(socket);
  const last = now?.request.complete ? now.response : now?.before;
  return last && !last.writableFinished && !last.destroyed ? last : undefined;
}

/**
 * Answers bytes that are no HTTP, or that come too slowly. There is no request then, only a socket. It first waits for
 * the answers to earlier requests. A refusal in their place would say that those were refused, although their messages
 * may have been sent and charged.
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const awaited = awaitedOn(socket);
  if (awaited) {
    awaited.once("close", () => answerBrokenRequest(error, socket));
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

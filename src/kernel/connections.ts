// Connections: how many there may be, how much one may ask for at a time, and what is answered where it is no HTTP or comes too slowly.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Counter } from "prom-client";
import { sealRefusal } from "./envelope.ts";
import { networksOf } from "./networks.ts";
import { Refusal } from "./refusals.ts";
import { perRuntime, type Runtime } from "./runtime.ts";

/** What is under way on a connection: the request that came last and its answer, and the answer to the one before. */
type UnderWay = {
  request: IncomingMessage;
  response: ServerResponse;
  before?: ServerResponse;
  waiting: number;
};

const asked = new WeakMap<Socket, UnderWay>();

// Node reads whatever a client sends without waiting for answers: one connection with 270,000 requests took 1.3 GB (2 cores,
// 2026-11-21). Beyond this many it is not read from; what one read has brought already, up to 64 KiB, is still answered.
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

/** Closes connections at once while too many are open: in all, and of their network. */
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
 * The connections on which no request has come yet, by where they come from: browsers and pools open some in advance, and
 * others never finish with TLS. The socket of a request is another than that of its connection where TLS lies between.
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

/** Watches what is asked on each connection, and reads no more from one that waits for too many answers. */
export function watchConnections(server: Server): void {
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const known = asked.get(socket);
    const now = known ?? { request, response, waiting: 0 };
    if (known) Object.assign(known, { request, response, before: known.response });
    else asked.set(socket, now);
    now.waiting++;
    const pause = () => now.waiting > WAITING_AT_MOST && socket.pause();
    // Whoever reads the body makes the socket flow again, up to its end.
    if (pause()) request.once("end", pause);
    response.once("close", () => {
      now.waiting--;
      if (now.waiting === WAITING_AT_MOST) socket.resume();
    });
  });
}

/** The answer that a connection waits for first; undefined: none. A request of which not all has come is the broken one. */
function awaitedOn(socket: Socket): ServerResponse | undefined {
  const now = asked.get(socket);
  const last = now?.request.complete ? now.response : now?.before;
  return last && !last.writableFinished && !last.destroyed ? last : undefined;
}

/**
 * Answers what is not even HTTP, or came too slowly: there is no request then, only a socket. It waits for the answers to
 * the requests before: ours in their place would tell that they were refused, and they may have been sent and charged.
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

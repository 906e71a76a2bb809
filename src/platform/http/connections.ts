// Connections: limits on their number, and the answer to broken or slow requests.
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { Counter } from "prom-client";
import { perRuntime, type Runtime } from "../runtime.ts";
import { sealRefusal } from "./envelope.ts";
import { networksOf } from "./networks.ts";
import { awaitedOn } from "./pipeline.ts";
import { Refusal } from "./refusals.ts";
import { REQUEST_ID, RequestId } from "./requestids.ts";

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
  // Node caches an address once it is read. A connection that its peer reset before that has no address, and nobody
  // waits for its answer.
  for (const event of ["connection", "secureConnection"])
    server.on(event, (socket: Socket) => {
      if (socket.remoteAddress === undefined) socket.destroy();
    });
  server.on("connection", (socket: Socket) => {
    if (socket.destroyed) return;
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
 * Returns the open connections without a request so far, by their addresses and ports. Browsers and pools open some in
 * advance, and some clients never finish the TLS handshake. With TLS the socket of a request is not that of its
 * connection, so the two are matched by addresses and ports.
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

/**
 * The header of answers over HTTPS that forbids browsers to use plain HTTP with this host for a year. Subdomains are
 * excluded, because they may belong to other services without a certificate.
 */
export const HTTPS_ONLY = { name: "Strict-Transport-Security", value: "max-age=31536000" };

/**
 * Answers bytes that are not HTTP, or that arrive too slowly. There is no request then, only a socket. It first waits
 * for the answers to earlier requests. A refusal in their place would suggest that those were refused, although their
 * messages may have been sent and charged. A socket without any byte is closed without an answer: browsers open
 * connections in advance, and would show the answer in the place of a page.
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || socket.bytesRead === 0) {
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
    `${REQUEST_ID}: ${new RequestId({}).own}`,
    ...(socket instanceof TLSSocket ? [`${HTTPS_ONLY.name}: ${HTTPS_ONLY.value}`] : []),
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`, () => socket.destroy());
}

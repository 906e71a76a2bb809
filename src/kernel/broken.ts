// Broken requests: what arrives on a connection and is no HTTP, or comes too slowly, is answered in its turn.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { sealRefusal } from "./envelope.ts";
import { Refusal } from "./refusals.ts";

type Exchange = { request: IncomingMessage; response: ServerResponse; before?: ServerResponse };

/** By connection, the request that came last and its answer, with the answer to the one before. */
const latest = new WeakMap<Socket, Exchange>();

/** Remembers what `answerBrokenRequest` asks for. */
export function rememberExchanges(server: Server): void {
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const before = latest.get(request.socket)?.response;
    latest.set(request.socket, { request, response, ...(before && { before }) });
  });
}

/** The answer that a connection waits for first; undefined: none. A request of which not all has come is the broken one. */
function awaitedOn(socket: Socket): ServerResponse | undefined {
  const exchange = latest.get(socket);
  const last = exchange?.request.complete ? exchange.response : exchange?.before;
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

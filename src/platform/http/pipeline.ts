// The pipeline of a connection: its unanswered requests and unread answers, both of which are limited.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Counter } from "prom-client";
import { perRuntime, type Runtime } from "../runtime.ts";
import { type Network, networksOf } from "./networks.ts";

// Node reads requests without waiting for the answers to earlier ones: one connection with 270,000 requests took 1.3 GB
// (2 cores, 2026-11-21). Beyond this number the connection is not read from. One read may bring 3,000 requests; those
// beyond this number wait for their turn.
const AT_ONCE = 100;

// A request takes 3.7 KB while it waits (2026-11-22).
const REQUEST_BYTES = 4 * 1024;

type Handle = () => void;

/** The bytes that a connection holds of the budget of its network. */
type Share = { take(bytes: number): boolean; giveBack(bytes: number): void };

class Pipeline {
  readonly #socket: Socket;
  readonly #share: Share;
  #held = 0;
  #unanswered = 0;
  readonly #waiting: Handle[] = [];
  #last: { request: IncomingMessage; response: ServerResponse } | undefined;
  #beforeLast: ServerResponse | undefined;

  constructor(socket: Socket, share: Share) {
    this.#socket = socket;
    this.#share = share;
    socket.once("close", () => {
      this.#waiting.length = 0;
      share.giveBack(this.#held);
    });
  }

  /** Adds a request. `handle` is called at once, or later, or never if the connection ends before. */
  add(request: IncomingMessage, response: ServerResponse, handle: Handle): void {
    if (!this.#hold(REQUEST_BYTES)) return;
    this.#beforeLast = this.#last?.response;
    this.#last = { request, response };
    this.#unanswered++;
    response.once("close", () => this.#end());
    if (this.#unanswered <= AT_ONCE) {
      handle();
      return;
    }
    this.#waiting.push(handle);
    const pause = () => this.#unanswered > AT_ONCE && this.#socket.pause();
    pause();
    // Reading the body makes the socket flow again, so it is paused again when the body ends.
    request.once("end", pause);
  }

  #end(): void {
    this.#giveBack(REQUEST_BYTES);
    this.#unanswered--;
    if (this.#unanswered === AT_ONCE) this.#socket.resume();
    this.#waiting.shift()?.();
  }

  /** Counts the bytes of an answer until it is sent. */
  holdAnswer(response: ServerResponse, bytes: number): void {
    if (this.#hold(bytes)) response.once("close", () => this.#giveBack(bytes));
  }

  /** Takes bytes of the budget. If there are too many, it closes the connection and returns false. */
  #hold(bytes: number): boolean {
    if (this.#socket.destroyed) return false;
    const isHeld = this.#share.take(bytes);
    if (isHeld) this.#held += bytes;
    else this.#socket.destroy();
    return isHeld;
  }

  /** A connection that ends returns everything at once, when its socket closes. */
  #giveBack(bytes: number): void {
    if (this.#socket.destroyed) return;
    this.#held -= bytes;
    this.#share.giveBack(bytes);
  }

  /** The last answer that the connection waits for, if any. An incomplete request does not count. */
  awaited(): ServerResponse | undefined {
    const last = this.#last?.request.complete ? this.#last.response : this.#beforeLast;
    return last && !last.writableFinished && !last.destroyed ? last : undefined;
  }
}

const pipelines = new WeakMap<Socket, Pipeline>();

const cut = perRuntime(
  (app) =>
    new Counter({
      name: "atumpan_connections_cut_total",
      help: "Connections that were closed because their answers were not read: too many bytes, or for too long.",
      labelNames: ["reason"],
      registers: [app.metrics],
    }),
);

/**
 * Limits the pipelines of a server's connections. It runs before the server's request listeners, which get a request
 * when it is its turn. A connection that neither sends nor reads anything for the server's `timeout` is closed.
 */
export function limitPipelines(server: Server, app: Runtime): void {
  const listeners = server.listeners("request") as RequestListener[];
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    request.cameMs = performance.now();
    const { socket } = request;
    let pipeline = pipelines.get(socket);
    if (!pipeline) {
      pipeline = new Pipeline(socket, shareOf(app, networksOf(app).of(socket.remoteAddress ?? "")));
      pipelines.set(socket, pipeline);
    }
    pipeline.add(request, response, () => {
      for (const listener of listeners) listener(request, response);
    });
  });
  server.on("timeout", (socket: Socket) => {
    cut(app).inc({ reason: "too-long" });
    socket.destroy();
  });
}

function shareOf(app: Runtime, network: Network): Share {
  const { answers } = networksOf(app);
  return {
    take(bytes) {
      const isFull = answers.take(network, bytes) !== undefined;
      if (isFull) cut(app).inc({ reason: "too-many-bytes" });
      return !isFull;
    },
    giveBack: (bytes) => answers.giveBack(network, bytes),
  };
}

/** Counts the bytes of an answer until it is sent. Small answers are covered by the bytes counted for the request. */
export function holdAnswer(response: ServerResponse, bytes: number): void {
  if (bytes > REQUEST_BYTES) pipelines.get(response.req.socket)?.holdAnswer(response, bytes);
}

/** The last answer that a connection waits for, if any. */
export function awaitedOn(socket: Socket): ServerResponse | undefined {
  return pipelines.get(socket)?.awaited();
}

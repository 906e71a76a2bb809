// The peer: our connections to one origin. Imported when a carrier is opened: undici takes 90 ms and 30 MB, which a
// process without carriers over HTTP saves (2026-11-28).
import type { LookupFunction } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { type Dispatcher, Pool } from "undici";
import { ExchangeFailed, type IncomingResponse, type OutgoingRequest, TIMED_OUT } from "./exchange.ts";

const RESPONSE_BYTES_AT_MOST = 64 * 1024;
const HEADER_BYTES_AT_MOST = 16 * 1024;
const CONNECT_MS = 10_000;
/** How often exchanges are checked for their time limits. */
const SWEEP_MS = 100;
/** How many responses are still awaited after their time. */
const LATE_AT_MOST = 1_000;
/** How long a response is awaited in all, in multiples of its time limit. */
export const LATE_FACTOR = 6;

export type PeerOptions = {
  /** `https://host:port` or `http://host:port`. */
  origin: string;
  /** Resolves the host, and refuses addresses that are not allowed: see `guardedLookup`. */
  lookup: LookupFunction;
  tls?: Pick<ConnectionOptions, "ca" | "cert" | "key" | "servername">;
  /** The time to wait for a response. */
  timeoutMs: number;
};

/** Takes a response that arrived after its time limit; undefined: none will arrive any more. */
export type OnLate = (response: IncomingResponse | undefined) => void;

/**
 * The connections to one origin: kept alive, HTTP/2 where the peer has it. Certificates are verified, redirects are not
 * followed, nothing is decompressed, and 64 KiB of a response are read at most.
 */
export class HttpPeer {
  readonly #origin: string;
  readonly #pool: Pool;
  readonly #timeoutMs: number;
  readonly #open = new Set<Exchange>();
  readonly #late = new Set<Exchange>();
  readonly #sweep: NodeJS.Timeout;
  #last = { url: "", path: "" };

  constructor({ origin, lookup, tls, timeoutMs }: PeerOptions) {
    this.#origin = new URL(origin).origin;
    this.#timeoutMs = timeoutMs;
    this.#pool = new Pool(origin, {
      allowH2: origin.startsWith("https:"),
      // When a connection ends, undici writes the requests that shared it with the first one again, also over HTTP/2.
      pipelining: 1,
      maxHeaderSize: HEADER_BYTES_AT_MOST,
      // The sweep limits the whole time of a response, which these do not.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { ...tls, lookup, timeout: CONNECT_MS, rejectUnauthorized: true },
    });
    // Without a listener, a failure of a connection that no request has would end the process.
    this.#pool.on("connectionError", () => {});
    this.#sweep = setInterval(() => this.#expire(performance.now()), SWEEP_MS);
  }

  /**
   * Sends one request to this origin. Rejects with `ExchangeFailed`; if that was for its time limit, `onLate` gets the
   * response that arrives within six times that limit, or undefined. Throws for a URL of another origin.
   */
  exchange(request: OutgoingRequest, onLate?: OnLate): Promise<IncomingResponse> {
    const { method, headers, body = null } = request;
    const path = this.#pathOf(request.url);
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(resolve, reject, onLate, () => {
        this.#open.delete(exchange);
        this.#late.delete(exchange);
      });
      this.#open.add(exchange);
      this.#pool.dispatch({ path, method, headers, body }, exchange);
    });
  }

  /** Requests whose variable parts are in the body have one URL. */
  #pathOf(url: string): string {
    if (url !== this.#last.url) this.#last = { url, path: this.#parsed(url) };
    return this.#last.path;
  }

  #parsed(url: string): string {
    const rest = url.startsWith(this.#origin) ? url.slice(this.#origin.length) : "";
    // Parsing a URL costs as much as rendering a request.
    if (/^\/[!-~]*$/.test(rest) && !rest.includes("#")) return rest;
    const { origin, pathname, search } = new URL(url);
    if (origin !== this.#origin) throw new Error(`a request to ${origin} has no place here`);
    return pathname + search;
  }

  /** Sets are in the order of sending, so only the oldest are checked. */
  #expire(ms: number): void {
    for (const exchange of this.#open) {
      if (ms - exchange.sentAt < this.#timeoutMs) break;
      this.#open.delete(exchange);
      const isAwaited = exchange.isUsefulLate && this.#late.size < LATE_AT_MOST;
      exchange.fail(new ExchangeFailed(exchange.wasSent, TIMED_OUT, isAwaited));
      if (isAwaited) this.#late.add(exchange);
      else exchange.abort();
    }
    for (const exchange of this.#late) {
      if (ms - exchange.sentAt < this.#timeoutMs * LATE_FACTOR) break;
      exchange.abort();
    }
  }

  /** Ends all connections at once. Exchanges under way fail. */
  async destroy(): Promise<void> {
    clearInterval(this.#sweep);
    await this.#pool.destroy();
  }
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly sentAt = performance.now();
  /** Whether the request may have been written, even in part. */
  wasSent = false;
  readonly #resolve: (response: IncomingResponse) => void;
  readonly #reject: (error: ExchangeFailed) => void;
  readonly #onLate: OnLate | undefined;
  readonly #onOver: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #hasFailed = false;
  #isAwaitedLate = false;
  #isOver = false;
  #status = 0;
  #headers: IncomingResponse["headers"] = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    resolve: (response: IncomingResponse) => void,
    reject: (error: ExchangeFailed) => void,
    onLate: OnLate | undefined,
    onOver: () => void,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#onLate = onLate;
    this.#onOver = onOver;
  }

  /** Whether a response after the time limit is of use. */
  get isUsefulLate(): boolean {
    return this.wasSent && this.#onLate !== undefined;
  }

  fail(error: ExchangeFailed): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#isAwaitedLate = error.isAwaited;
    this.#reject(error);
  }

  abort(): void {
    this.#over();
    this.#controller?.abort(new Error("the response is not awaited any more"));
  }

  /** undici calls this before it writes the first octet. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.wasSent = true;
    if (this.#isOver || this.#hasFailed) controller.abort(new Error(TIMED_OUT));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingResponse["headers"],
  ): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = RESPONSE_BYTES_AT_MOST - this.#bytes;
    this.#bytes += chunk.length;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    if (chunk.length <= room) return;
    this.#finish(true);
    this.abort();
  }

  onResponseEnd(): void {
    this.#finish(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error & { code?: string }): void {
    this.fail(new ExchangeFailed(this.wasSent, error.code ?? error.message));
    this.#over();
  }

  #finish(isCut: boolean): void {
    if (this.#isOver) return;
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    const response = { status: this.#status, headers: this.#headers, body, isCut };
    if (!this.#hasFailed) this.#resolve(response);
    this.#over(response);
  }

  #over(response?: IncomingResponse): void {
    this.#isOver = true;
    if (this.#isAwaitedLate) this.#onLate?.(response);
    this.#isAwaitedLate = false;
    this.#onOver();
  }
}

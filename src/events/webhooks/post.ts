// One POST to a receiver that may be slow, broken or hostile.
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { AddressNotAllowed } from "../../platform/http/guard.ts";

/** The receiver's status, or why there is none. */
export type ReceiverAnswer = { status: number; retryAfter: string | undefined } | { error: PostError };

export type PostError =
  | "address-not-allowed"
  | "name-not-resolved"
  | "timeout"
  | "connection-failed"
  | "tls-failed"
  | "response-invalid"
  | "aborted";

/** The connections to one receiver; no other receiver shares them. */
export type ReceiverLine = { url: URL; agent: HttpAgent; lookup: LookupFunction };

export type Post = {
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Called as soon as the status is known. */
  onAnswer: (answer: ReceiverAnswer) => void;
};

export const RESPONSE_BYTES_AT_MOST = 16 * 1024;
/** The time to read the rest of a small response, so that the connection can be reused. */
const REST_MS = 500;
const IDLE_MS = 10_000;
/** The limit of 1xx responses before the final one; they mean nothing to a POST (RFC 9110 section 15.2). */
const INFORMATIONAL_AT_MOST = 10;

const OURS = {
  "Content-Type": "application/json",
  "User-Agent": "Atumpan-Webhooks/1",
  Accept: "*/*",
};

/** Opens connections to one receiver. The agent ignores proxy variables of the environment. */
export function openLine(url: URL, lookup: LookupFunction): ReceiverLine {
  // The time limit closes connections that wait for the next event.
  const options = { keepAlive: true, timeout: IDLE_MS, scheduling: "lifo" as const };
  return { url, lookup, agent: url.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options) };
}

/**
 * Sends one POST and resolves when its connection is free or closed. Redirects are not followed, nothing is
 * decompressed. Only the status and `Retry-After` are read: a response beyond 16 KiB or 0.5 s closes the connection.
 */
export function post(line: ReceiverLine, sent: Post): Promise<void> {
  return new Promise((resolve) => {
    let said = false;
    let request = start();
    const answer = (given: ReceiverAnswer) => {
      if (!said) sent.onAnswer(given);
      said = true;
    };
    const give = (error: PostError) => {
      answer({ error });
      request.destroy();
    };
    const abort = () => give("aborted");
    const timer = setTimeout(() => give("timeout"), sent.timeoutMs);
    sent.signal.addEventListener("abort", abort);
    if (sent.signal.aborted) abort();

    function start(): ClientRequest {
      const started = openRequest(line, sent);
      // The receiver may close a reused connection at the moment of our write. That is not a failure of the receiver.
      let isStale = false;
      let informational = 0;
      started.on("information", () => {
        if (++informational > INFORMATIONAL_AT_MOST) give("response-invalid");
      });
      started.on("response", (response) => {
        answer({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] });
        readRest(started, response);
      });
      started.on("error", (error: NodeJS.ErrnoException) => {
        isStale =
          !said &&
          informational === 0 &&
          started.reusedSocket &&
          (error.code === "ECONNRESET" || error.code === "EPIPE");
        if (!isStale) answer({ error: errorOf(error) });
      });
      started.on("close", () => {
        if (isStale && !said) {
          request = start();
          return;
        }
        clearTimeout(timer);
        sent.signal.removeEventListener("abort", abort);
        answer({ error: "connection-failed" });
        resolve();
      });
      return started.end(sent.body);
    }
  });
}

/** Starts a POST on these connections. `end` sends its body. */
export function openRequest(
  { url, agent, lookup }: ReceiverLine,
  { headers, body }: Pick<Post, "headers" | "body">,
): ClientRequest {
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  return send(url, {
    agent,
    lookup,
    method: "POST",
    headers: { ...OURS, ...headers, "Content-Length": Buffer.byteLength(body) },
    maxHeaderSize: RESPONSE_BYTES_AT_MOST,
    rejectUnauthorized: true,
  });
}

/** Reads a small response to its end, and destroys the connection of any other. */
function readRest(request: ClientRequest, response: IncomingMessage): void {
  if (Number(response.headers["content-length"]) > RESPONSE_BYTES_AT_MOST) {
    request.destroy();
    return;
  }
  let bytes = 0;
  const timer = setTimeout(() => request.destroy(), REST_MS);
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > RESPONSE_BYTES_AT_MOST) request.destroy();
  });
  response.on("error", () => {}); // we aborted, or the receiver did; `close` follows
  response.on("close", () => clearTimeout(timer));
}

/** Returns the kind of an error, in one word. */
export function errorOf(error: NodeJS.ErrnoException): PostError {
  const { code = "", syscall } = error;
  if (error instanceof AddressNotAllowed) return "address-not-allowed";
  if (syscall?.startsWith("query") || code === "ENOTFOUND") return "name-not-resolved";
  if (code.startsWith("HPE_")) return "response-invalid";
  const isTls = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|INVALID_|HOSTNAME|EPROTO)/.test(
    code,
  );
  return isTls ? "tls-failed" : "connection-failed";
}

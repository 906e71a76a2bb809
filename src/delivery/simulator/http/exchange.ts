// Requests and answers of the simulated HTTP carriers: bodies with a limit, fields in every notation, JSON.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";

const BODY_BYTES_AT_MOST = 64 * 1024;
/** Size of the answer that the fault `huge` gives. */
const HUGE_BYTES = 1024 * 1024;

export type HttpRequest = IncomingMessage | Http2ServerRequest;
export type HttpResponse = ServerResponse | Http2ServerResponse;

export interface SimulatedRequest {
  method: string;
  /** Without the query, still encoded. */
  path: string;
  query: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface SimulatedAnswer {
  status: number;
  body: string;
  /** `application/json` if left out. */
  type?: string;
  retryAfterS?: number;
  /** Accepts nothing, although its status is below 400. */
  isRefusal?: boolean;
}

/** Returns an answer in JSON. */
export function jsonAnswer(status: number, value: unknown): SimulatedAnswer {
  return { status, body: JSON.stringify(value) };
}

/** Reads a whole request; undefined if its body is above 64 KiB. Rejects if the client goes away meanwhile. */
export async function readExchange(request: HttpRequest): Promise<SimulatedRequest | undefined> {
  const { url = "/", method = "GET", headers } = request;
  const at = url.indexOf("?");
  const path = at < 0 ? url : url.slice(0, at);
  const query = at < 0 ? "" : url.slice(at + 1);
  const body = await readBody(request);
  return body === undefined ? undefined : { method, path, query, headers, body };
}

/** An iterator over the request costs 30 % more CPU at full rate than these listeners. */
function readBody(request: HttpRequest): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= BODY_BYTES_AT_MOST) chunks.push(chunk);
    else resolve(undefined);
  };
  request.on("data", onData);
  request.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
  request.on("error", reject);
  request.on("close", () => reject(new Error("the client went away")));
  return promise;
}

/** Writes an answer. A client that is gone is no error. */
export function writeAnswer(
  response: HttpResponse,
  { status, body, type, retryAfterS }: SimulatedAnswer,
): void {
  response.statusCode = status;
  response.setHeader("Content-Type", type ?? "application/json");
  response.setHeader("Content-Length", Buffer.byteLength(body));
  if (retryAfterS !== undefined) response.setHeader("Retry-After", retryAfterS);
  if ("stream" in response) response.end(body);
  else response.end(body);
}

/** Cuts the connection of a request, with every other request on it. */
export function cutConnection(request: HttpRequest): void {
  if ("stream" in request) request.stream.session?.destroy();
  else request.socket.destroy();
}

/** Returns the object in a JSON body; undefined if it is anything else. */
export function objectIn(body: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(body));
  } catch {
    return undefined;
  }
}

/** Returns a value if it is an object. */
export function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** Returns the text members of a JSON object, a form and a query; the body has precedence. Numbers become texts. */
export function fieldsOf({ query, headers, body }: SimulatedRequest): Record<string, string> {
  const fields = Object.fromEntries(new URLSearchParams(query));
  if (!headers["content-type"]?.includes("json"))
    return Object.assign(fields, Object.fromEntries(new URLSearchParams(body)));
  for (const [name, value] of Object.entries(objectIn(body) ?? {}))
    if (typeof value === "string" || typeof value === "number") fields[name] = String(value);
  return fields;
}

/** Returns user and password of `Authorization: Basic`; undefined if it is none. */
export function basicOf(authorization: string | undefined): { user: string; password: string } | undefined {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/.exec(authorization ?? "") ?? [];
  if (encoded === undefined) return undefined;
  const [user = "", ...rest] = Buffer.from(encoded, "base64").toString("utf8").split(":");
  return { user, password: rest.join(":") };
}

/** Returns half of an answer, as 200. */
export function halved({ body }: SimulatedAnswer): SimulatedAnswer {
  return { status: 200, body: body.slice(0, body.length >> 1) };
}

/** Returns an answer with 1 MB of one more member; it remains valid JSON. */
export function inflated(answer: SimulatedAnswer): SimulatedAnswer {
  return { ...answer, body: `${answer.body.slice(0, -1)},"more":"${"x".repeat(HUGE_BYTES)}"}` };
}

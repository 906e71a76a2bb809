// A call: its path, body and credentials, its tries, and what may be tried again.
import { AtumpanError, TransportError, type Warning } from "./errors.ts";
import type { Code, Outcome } from "./generated/interface.ts";

export type { Listing } from "./pages.ts";

/** Who calls. Each operation is given those credentials that it takes; its argument may have others. */
export interface Credentials {
  /** Key of a user. */
  apiKey?: string | undefined;
  companyId?: string | undefined;
  /** Token by which an application sends for an account. */
  connectionToken?: string | undefined;
  /** Secret of an application. */
  apiSecret?: string | undefined;
  /** Key of a reseller's server. */
  serverApiKey?: string | undefined;
  adminKey?: string | undefined;
}

/** What holds for one call, in place of what the client was made with. */
export interface CallOptions {
  /** Ends the call: it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  timeoutSeconds?: number | undefined;
  maxRetries?: number | undefined;
  /** A key of your own for a call that changes something, in place of one that the client creates. */
  idempotencyKey?: string | undefined;
}

/** What a client is made with. */
export interface Options extends Credentials {
  /** The address of the service, without `/v1`. */
  baseUrl: string;
  /** How often a call is tried again; 0: never. 2 unless said otherwise. */
  maxRetries?: number | undefined;
  /** How long one try may take. 35 unless said otherwise: the service answers within 30. */
  timeoutSeconds?: number | undefined;
  /** Told of warnings in answers. Without it they go to the console, a line for each call. */
  onWarning?: ((warnings: Warning[], path: string) => void) | undefined;
}

/** What the client knows of an operation. */
export interface Facts {
  path: string;
  /** The kinds of callers, each by the names of its credentials. */
  credentials: string[][];
  /** `reads`: it may be repeated. `once`: it may be repeated with the same idempotency key. */
  effect: string;
  /** A list goes on from the answer's `nextCursor`. */
  isList?: boolean;
}

/** Members of a request. */
export type Body = Record<string, unknown>;

/** An answer of the service: `data`, and what stands beside it. */
export type Answer = { data: unknown } & Body;

const DEFAULTS = { maxRetries: 2, timeoutSeconds: 35 };
const BACKOFF_MS = { first: 250, atMost: 8_000 };
// Who is told to wait longer had better do something else meanwhile.
const RETRY_AFTER_SECONDS_AT_MOST = 60;
// HTTP clients take these out of a path, which then leads to another operation.
const NO_SEGMENTS = new Set<unknown>(["", ".", ".."]);
const NEVER_SENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused",
]);

/** Calls an operation, again if that is safe. Rejects with `AtumpanError` or `TransportError`. */
export async function call(client: Options, facts: Facts, body: Body, options: CallOptions): Promise<Answer> {
  const { path, rest: all } = addressed(facts.path, body);
  const { idempotencyKey = options.idempotencyKey, ...rest } = all;
  const maxRetries = options.maxRetries ?? client.maxRetries ?? DEFAULTS.maxRetries;
  const timeoutSeconds = options.timeoutSeconds ?? client.timeoutSeconds ?? DEFAULTS.timeoutSeconds;
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (facts.effect === "once") headers["Idempotency-Key"] = keyOf(idempotencyKey);
  const request = {
    url: client.baseUrl.replace(/\/+$/, "") + path,
    path,
    headers,
    body: JSON.stringify({ ...credentialsOf(client, facts, rest), ...rest }),
    signal: options.signal,
    timeoutMs: timeoutSeconds * 1_000,
  };
  for (let retries = 0; ; retries++) {
    const tried = await attempt(request);
    if (!(tried instanceof Error)) return warned(client, path, tried);
    if (retries >= maxRetries || !mayRepeat(tried)) throw tried;
    await pause(pauseMs(tried, retries), options.signal);
  }
}

/** The key of the caller, or a new one. */
function keyOf(given: unknown): string {
  if (given === undefined || given === null) return crypto.randomUUID();
  if (typeof given === "string" && /^[A-Za-z0-9._:-]{1,255}$/.test(given)) return given;
  throw new TypeError("idempotencyKey must have 1 to 255 characters of A-Z a-z 0-9 . _ : -");
}

/** Fills in the parameters of a path. What is left is the body. */
function addressed(pattern: string, { ...rest }: Body): { path: string; rest: Body } {
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    if ((typeof value !== "string" && typeof value !== "number") || NO_SEGMENTS.has(value))
      throw new TypeError(`${pattern} needs ${name}`);
    return encodeURIComponent(value);
  });
  return { path, rest };
}

/** The client's credentials of the kind that the argument begins, or else of the first kind that the client has. */
function credentialsOf(client: Options, { credentials }: Facts, given: Body): Body {
  const known = client as unknown as Body;
  const kind =
    credentials.find((names) => names.some((name) => given[name] !== undefined)) ??
    credentials.find(([first]) => known[first!] !== undefined);
  return Object.fromEntries((kind ?? []).map((name) => [name, known[name]]));
}

type Request = {
  url: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal | undefined;
  timeoutMs: number;
};

/** Sends a request once. Resolves to the answer or to what is wrong; rejects only if the caller ends the call. */
async function attempt(request: Request): Promise<Answer | AtumpanError | TransportError> {
  const { url, path, headers, body, signal, timeoutMs } = request;
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener("abort", end);
  try {
    signal?.throwIfAborted();
    // Another address would get the keys, so redirects are not followed.
    const sent = { method: "POST", headers, body, redirect: "manual", signal: ending.signal } as const;
    const response = await fetch(url, sent);
    return answerOf(path, response, await response.text());
  } catch (cause) {
    signal?.throwIfAborted();
    if (ending.signal.aborted)
      return new TransportError("timeout", path, `no answer within ${timeoutMs / 1_000} s`, { cause });
    const code = codeOf(cause);
    const neverSent = code !== undefined && NEVER_SENT.has(code);
    return new TransportError("network", path, `the connection failed (${code ?? cause})`, {
      cause,
      neverSent,
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}

function codeOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return typeof code === "string" ? code : cause ? codeOf(cause) : undefined;
}

type Envelope = { success?: unknown; data?: unknown; error?: unknown } & Body;

function answerOf(
  path: string,
  { headers, status }: Response,
  text: string,
): Answer | AtumpanError | TransportError {
  const envelope = envelopeIn(text);
  if (envelope?.success === true) return envelope as Answer;
  if (envelope?.success !== false || typeof envelope.error !== "string")
    return new TransportError("answer", path, notOfTheService(status), { status });
  const { error, details = [], warnings = [] } = envelope;
  const retryAfter = headers.get("Retry-After");
  return new AtumpanError(error as Code, {
    path,
    outcome: (headers.get("Atumpan-Outcome") ?? "server-error") as Outcome,
    details: details as Warning[],
    warnings: warnings as Warning[],
    retryAfterSeconds: retryAfter === null ? undefined : Number(retryAfter),
    errorId: headers.get("Atumpan-Error-Id") ?? undefined,
    requestId: headers.get("Atumpan-Request-Id") ?? undefined,
  });
}

function notOfTheService(status: number): string {
  return `HTTP ${status} without an answer of the service: something between may have answered, or cut the body`;
}

function envelopeIn(text: string): Envelope | undefined {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Tells the warnings of a success. */
function warned({ onWarning = toConsole }: Options, path: string, answer: Answer): Answer {
  const { warnings } = answer;
  if (Array.isArray(warnings) && warnings.length > 0) onWarning(warnings, path);
  return answer;
}

function toConsole(warnings: Warning[], path: string): void {
  console.warn(
    `atumpan: ${path}: ${warnings.map(({ field, message }) => `${field}: ${message}`).join("; ")}`,
  );
}

/** Whether a call may be sent again after this. A read may, and a change has its effect once, because it has a key. */
function mayRepeat(trouble: AtumpanError | TransportError): boolean {
  if (trouble instanceof TransportError) {
    const { kind, status = 0 } = trouble;
    return kind !== "answer" || status >= 500 || status === 429 || status === 200;
  }
  const { code, retryAfterSeconds } = trouble;
  if (retryAfterSeconds !== undefined && retryAfterSeconds > RETRY_AFTER_SECONDS_AT_MOST) return false;
  return REPEATED.has(code);
}

const REPEATED = new Set<string>([
  "too-many-requests",
  "idempotency-in-progress",
  "service-unavailable",
  "server-error",
]);

/** How long to wait: as long as the service says, else ever longer, and never as long as others. */
function pauseMs(trouble: Error, retries: number): number {
  const growing = Math.min(BACKOFF_MS.first * 2 ** retries, BACKOFF_MS.atMost);
  const wanted = trouble instanceof AtumpanError ? (trouble.retryAfterSeconds ?? 0) * 1_000 : 0;
  const jittered = growing * (0.5 + Math.random() / 2);
  return wanted > 0 ? wanted + jittered : jittered;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
}

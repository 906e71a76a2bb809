// Request ids: one name for each request, by which its answer, its log lines and all that came of it are found again.
import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { nowMs } from "./clock.ts";
import { newId } from "./ids.ts";

/** The header: in a request the caller's own id of it, in an answer the id by which logs and records name the request. */
export const REQUEST_ID = "Atumpan-Request-Id";

const SANE = /^[A-Za-z0-9._:-]{1,64}$/;

/** The id of a request: the caller's own, or one that is made when it is first needed. */
export class RequestId {
  /** What the caller called it, if it is sane; anything else is ignored, since it would go into headers and logs. */
  readonly given: string | undefined;
  /** The caller's trace (W3C Trace Context), if it has one. */
  readonly traceparent: string | undefined;
  /** When it came, by `performance.now()`. */
  readonly cameMs: number;
  /** Whether its work is done: lines that its timers log later do not name it. */
  isOver = false;
  #isTaken = false;
  #own: string | undefined;

  constructor(headers: IncomingHttpHeaders, cameMs = performance.now()) {
    const { [REQUEST_ID.toLowerCase()]: given, traceparent } = headers;
    this.given = typeof given === "string" && SANE.test(given) ? given : undefined;
    this.traceparent = typeof traceparent === "string" ? traceparent : undefined;
    this.cameMs = cameMs;
  }

  /** Our id of the request, which no other one has. */
  get own(): string {
    this.#own ??= newId();
    return this.#own;
  }

  /** The id in the answer, the logs, the audit log and the webhooks. */
  get shown(): string {
    return this.given ?? this.own;
  }

  /** How the lines of the log name the request: also by our id, where the caller gave another one. */
  get labels(): { requestId: string; ownRequestId?: string } {
    return { requestId: this.shown, ...(this.given !== undefined && { ownRequestId: this.own }) };
  }

  /** Our id for what the request sends, if nothing has it yet; it may be as old as the request. */
  take(atMs: number): string {
    if (this.#isTaken) return newId(atMs);
    this.#isTaken = true;
    this.#own ??= newId(atMs);
    return this.#own;
  }

  /** Takes the id back from what was not sent after all, for what is sent in its place. */
  takeBack(): void {
    this.#isTaken = false;
  }
}

declare module "node:http" {
  interface IncomingMessage {
    requestId?: RequestId;
    /** When its headers had come, on the clock of `performance.now`. */
    cameMs?: number;
  }
}

/** The id of a request, whoever asks first. */
export function requestIdOf(raw: IncomingMessage): RequestId {
  raw.requestId ??= new RequestId(raw.headers, raw.cameMs);
  return raw.requestId;
}

const current = new AsyncLocalStorage<RequestId | undefined>();

/** Runs the work of a request. What it awaits knows the request too, but for what it shares with others (`gather`). */
export function inRequest<T>(id: RequestId, work: () => T): T {
  return current.run(id, work);
}

/** Runs what several requests share, or none has asked for. */
export function inNoRequest<T>(work: () => T): T {
  return current.run(undefined, work);
}

/** The request that is being answered; undefined for work of nobody's. */
export function currentRequest(): RequestId | undefined {
  const id = current.getStore();
  return id?.isOver ? undefined : id;
}

/**
 * A new identifier for what a request sends, made at a time in milliseconds since 1970. The first one of a request is the
 * request's own id, so that each of the two leads to the other and neither has to be kept for it.
 */
export function newIdOfRequest(atMs = nowMs()): string {
  return currentRequest()?.take(atMs) ?? newId(atMs);
}

/** What its caller called the request that is being answered. */
export function requestIdGiven(): string | undefined {
  return currentRequest()?.given;
}

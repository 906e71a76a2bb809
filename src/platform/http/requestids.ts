// Request ids: one id for each request, shared by its answer, its log lines and everything that it caused.
import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { nowMs } from "../clock.ts";
import { newId } from "../ids.ts";

/** The header: in a request the caller's own id, in an answer the id under which logs and records have the request. */
export const REQUEST_ID = "Atumpan-Request-Id";

const SANE = /^[A-Za-z0-9._:-]{1,64}$/;

/** The id of a request: the caller's own, or one that is generated when it is first needed. */
export class RequestId {
  /** The caller's own id, if it is valid; an invalid one is ignored, since it would go into headers and logs. */
  readonly given: string | undefined;
  /** The caller's trace (W3C Trace Context), if it has one. */
  readonly traceparent: string | undefined;
  /** When the request arrived, by `performance.now()`. */
  readonly cameMs: number;
  /** Whether its work is done: lines that its timers log later do not have its id. */
  isOver = false;
  #isTaken = false;
  #own: string | undefined;

  constructor(headers: IncomingHttpHeaders, cameMs = performance.now()) {
    const { [REQUEST_ID.toLowerCase()]: given, traceparent } = headers;
    this.given = typeof given === "string" && SANE.test(given) ? given : undefined;
    this.traceparent = typeof traceparent === "string" ? traceparent : undefined;
    this.cameMs = cameMs;
  }

  /** Our id of the request, which is unique. */
  get own(): string {
    this.#own ??= newId();
    return this.#own;
  }

  /** The id in the answer, the logs, the audit log and the webhooks. */
  get shown(): string {
    return this.given ?? this.own;
  }

  /** The members of a log line that identify the request: also our id, if the caller gave another one. */
  get labels(): { requestId: string; ownRequestId?: string } {
    return { requestId: this.shown, ...(this.given !== undefined && { ownRequestId: this.own }) };
  }

  /** Returns the request's own id on the first call, then new ids. The own id may be older than `atMs`. */
  take(atMs: number): string {
    if (this.#isTaken) return newId(atMs);
    this.#isTaken = true;
    this.#own ??= newId(atMs);
    return this.#own;
  }

  /** Makes the id available again, because the send that took it did not happen. */
  takeBack(): void {
    this.#isTaken = false;
  }
}

declare module "node:http" {
  interface IncomingMessage {
    requestId?: RequestId;
    /** When its headers had arrived, by `performance.now()`. */
    cameMs?: number;
  }
}

/** Returns the id of a request; the first call creates it. */
export function requestIdOf(raw: IncomingMessage): RequestId {
  raw.requestId ??= new RequestId(raw.headers, raw.cameMs);
  return raw.requestId;
}

const current = new AsyncLocalStorage<RequestId | undefined>();

/** Runs the work of a request. What it awaits has its id too, except work shared with others (`batcher.ts`). */
export function inRequest<T>(id: RequestId, work: () => T): T {
  return current.run(id, work);
}

/** Runs work that several requests share, or that belongs to none. */
export function inNoRequest<T>(work: () => T): T {
  return current.run(undefined, work);
}

/** The request that is being answered; undefined for work without a request. */
export function currentRequest(): RequestId | undefined {
  const id = current.getStore();
  return id?.isOver ? undefined : id;
}

/**
 * Returns a new id for what a request sends, with a time in milliseconds since 1970. The first one is the request's own
 * id, so that each of the two can be found from the other without being stored with it.
 */
export function newIdOfRequest(atMs = nowMs()): string {
  return currentRequest()?.take(atMs) ?? newId(atMs);
}

/** The caller's own id of the request that is being answered. */
export function requestIdGiven(): string | undefined {
  return currentRequest()?.given;
}

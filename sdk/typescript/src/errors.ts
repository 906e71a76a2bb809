// What can go wrong with a call: a clear refusal of the service, or no answer of it at all.
import type { Code, Outcome } from "./generated/interface.ts";

/** What is wrong, and with which field: `{ field: "contacts[0].phone", message: "est obligatoire" }`. */
export interface Detail {
  field: string;
  message: string;
}

/** What was done but may not be what was meant. */
export type Warning = Detail;

/** What a refusal says beside its code. */
export interface Refused {
  path: string;
  outcome: Outcome;
  details: Detail[];
  warnings: Warning[];
  retryAfterSeconds: number | undefined;
  errorId: string | undefined;
  requestId: string | undefined;
}

/** The service refused. `code` is the `error` of its answer. */
export class AtumpanError extends Error {
  override readonly name = "AtumpanError";
  readonly code: Code;
  readonly path: string;
  /** The class of the refusal: the header `Atumpan-Outcome`. */
  readonly outcome: Outcome;
  readonly details: Detail[];
  readonly warnings: Warning[];
  /** When the same call may pass. */
  readonly retryAfterSeconds: number | undefined;
  /** The reference of a `server-error`, to be told to the service. */
  readonly errorId: string | undefined;
  /** The id of the request, by which the service finds all that it did: the header `Atumpan-Request-Id`. */
  readonly requestId: string | undefined;

  constructor(code: Code, refused: Refused) {
    const said = [...refused.details, ...refused.warnings].map(
      ({ field, message }) => `; ${field} ${message}`,
    );
    super(`${refused.path}: ${code}${said.join("")}`);
    this.code = code;
    this.path = refused.path;
    this.outcome = refused.outcome;
    this.details = refused.details;
    this.warnings = refused.warnings;
    this.retryAfterSeconds = refused.retryAfterSeconds;
    this.errorId = refused.errorId;
    this.requestId = refused.requestId;
  }
}

/** `timeout`: no answer in time. `network`: the connection failed. `answer`: what came is none of the service's answers. */
export type TransportTrouble = "timeout" | "network" | "answer";

/** No answer of the service came, so nobody knows whether the call had its effect, unless `neverSent`. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly kind: TransportTrouble;
  readonly path: string;
  /** No connection was made, so nothing has happened. */
  readonly neverSent: boolean;
  /** The HTTP status of an answer that is none of the service's. */
  readonly status: number | undefined;

  constructor(
    kind: TransportTrouble,
    path: string,
    message: string,
    { cause, neverSent = false, status }: { cause?: unknown; neverSent?: boolean; status?: number } = {},
  ) {
    super(`${path}: ${message}`, { cause });
    this.kind = kind;
    this.path = path;
    this.neverSent = neverSent;
    this.status = status;
  }
}

// The envelope: every answer under /v1 is HTTP 200 with { success, data, error } and a header that names the outcome.
import { CommitUnknown } from "./database.ts";
import { type Outcome, outcomes, Refusal } from "./refusals.ts";
import type { Listed } from "./schemas.ts";

/** `data` with further top-level fields beside it, such as the counts of a list. */
class Answer {
  readonly data: unknown;
  readonly beside: Record<string, unknown>;

  constructor(data: unknown, beside: Record<string, unknown>) {
    this.data = data;
    this.beside = beside;
  }
}

/** `data` in the envelope, and `beside` next to it at top level. */
export function answerBeside(data: unknown, beside: Record<string, unknown>): Answer {
  return new Answer(data, beside);
}

/** The answer of a list: `totalCount` counts all rows, `count` those of this page. */
export function paged({ rows, totalCount }: Listed<unknown>, page: { page: number; limit: number }): Answer {
  return new Answer(rows, {
    totalCount,
    count: rows.length,
    page: page.page,
    totalPage: Math.ceil(totalCount / page.limit),
  });
}

/** An answer ready to be written. */
export type Sealed = { outcome: Outcome; text: string; retryAfterSeconds?: number | undefined };

/** What a route's `run` returned, in its envelope; a returned refusal is a refusal. */
export function seal(result: unknown): Sealed {
  if (result instanceof Refusal) return sealRefusal(result);
  if (result instanceof Answer) {
    return {
      outcome: "success",
      text: JSON.stringify({ success: true, data: result.data, error: null, ...result.beside }),
    };
  }
  return { outcome: "success", text: JSON.stringify({ success: true, data: result ?? null, error: null }) };
}

/** A refusal in its envelope. */
export function sealRefusal(refusal: Refusal): Sealed {
  const { code, details, retryAfterSeconds } = refusal;
  return {
    outcome: outcomes[code],
    text: JSON.stringify({ success: false, data: null, error: code, ...(details && { details }) }),
    retryAfterSeconds,
  };
}

/** Class 08 of PostgreSQL, but for 08P01: that is a statement of ours that the server cannot read. */
function isConnectionException(code: string): boolean {
  return code.startsWith("08") && code !== "08P01";
}

// Errors of node, of pg and of PostgreSQL which mean: the database is not there now, the same request may pass later.
const UNAVAILABLE_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT", // a unix socket that is gone
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "53100", // disk full
  "53200", // out of memory
  "53300", // too many connections
  "53400",
  "55P03", // lock not available
  "57014", // statement timeout
  "57P01", // shut down by the administrator
  "57P02", // crash of another backend
  "57P03", // starting up, or in recovery
  "57P05", // idle session timeout
  "25P03", // idle in transaction timeout
  "25006", // read-only: a standby that was just demoted
]);
const UNAVAILABLE_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Cannot use a pool after calling end|Query read timeout)/;

/** True if the error says that the database cannot be reached, rather than that our code is wrong. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof CommitUnknown) return true;
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string" && (UNAVAILABLE_CODES.has(code) || isConnectionException(code))) return true;
  if (UNAVAILABLE_MESSAGES.test(error.message)) return true;
  return error instanceof AggregateError && error.errors.some(isUnavailable);
}

// The envelope: every answer under /v1 is HTTP 200 with { success, data, error } and a header with the outcome class.
import type { IncomingHttpHeaders } from "node:http";
import { Silent } from "../database/connection.ts";
import { CommitUnknown } from "../database/transaction.ts";
import { type Lane, runUndivided } from "../limits/slices.ts";
import type { Runtime } from "../runtime.ts";
import { acceptedLanguage } from "./accepted.ts";
import type { Detail, Warning } from "./fielderrors.ts";
import { BODY, type Language, type Outcome, outcomes, Refusal } from "./refusals.ts";

/** The most warnings in one answer. If there are more, the last one says how many. */
export const WARNINGS_AT_MOST = 20;

type Nothing = Record<never, never>;

/** `data` with further top-level members, such as the counts of a list, and with warnings. */
export class Answer<Data, Beside = Nothing> {
  readonly data: Data;
  readonly beside: Beside;
  readonly warnings: readonly Warning[];

  constructor(data: Data, beside: Beside, warnings: readonly Warning[] = []) {
    this.data = data;
    this.beside = beside;
    this.warnings = warnings;
  }
}

/** Returns an answer with `beside` next to `data` at top level; with warnings as in `answerWarned`. */
export function answerBeside<Data, Beside>(
  data: Data,
  beside: Beside,
  warnings: readonly Warning[] = [],
): Answer<Data, Beside> {
  return new Answer(data, beside, warnings);
}

/**
 * Returns an answer with `warnings` next to `data` at top level. A warning describes something that was done but may
 * not be intended. Its `message` is in the caller's language, and its `field` is a path such as `contacts[3].phone`, or
 * `BODY`. With an empty list the answer has no `warnings`. The route adds warnings for unknown members.
 *
 *     const warnings = [{ field: "text", message: { fr: "…", en: "…" } }];
 *     return answerWarned(await createCampaign(app, caller, body, once), warnings);
 *
 * Compute the warnings from the request alone and outside of `runOnce`, which stores only `data`. A repeated request
 * with a key then gets the same warnings as the first.
 */
export function answerWarned<Data>(data: Data, warnings: readonly Warning[]): Answer<Data> {
  return new Answer(data, {}, warnings);
}

/** An answer ready to be written. */
export type Sealed = {
  outcome: Outcome;
  text: string | Buffer;
  retryAfterSeconds?: number | undefined;
  /** The refusal, for the request log. */
  refusal?: Refusal;
};

/** The language of an answer, and the warnings that precede those of the operation. */
export type Telling = { readonly language: Language; readonly warnings: readonly Warning[] };

/** For unauthenticated callers: French, and no warnings. */
export const TO_UNAUTHENTICATED: Telling = { language: "fr", warnings: [] };

/** For callers that are not identified yet: the language that the request accepts, and no warnings. */
export function unauthenticatedOf(headers: IncomingHttpHeaders): Telling {
  const language = acceptedLanguage(headers);
  return language === undefined ? TO_UNAUTHENTICATED : { ...TO_UNAUTHENTICATED, language };
}

/** Puts the result of a route's `run` in its envelope. The result may be a refusal. */
export function seal(result: unknown, telling: Telling): Sealed & { text: string } {
  if (result instanceof Refusal) return sealRefusal(result, telling);
  const { data, beside, warnings } = result instanceof Answer ? result : new Answer(result ?? null, {});
  return {
    outcome: "success",
    text: JSON.stringify({
      success: true,
      data,
      error: null,
      ...beside,
      ...warningsIn(telling, warnings),
    }),
  };
}

const ITEMS_IN_A_SLICE = 500;

/**
 * Does what `seal` does, in slices, for data with thousands of items: 10,000 contacts took 60 ms at once, and 30 ms
 * more to be written as a text instead of bytes (2 cores, 2026-11-26).
 */
export async function sealInSlices(
  app: Runtime,
  lane: Lane,
  result: unknown,
  telling: Telling,
): Promise<Sealed> {
  const answer = result instanceof Answer ? result : new Answer(result ?? null, {});
  if (!Array.isArray(answer.data) || answer.data.length <= ITEMS_IN_A_SLICE) return seal(result, telling);
  const items: readonly unknown[] = answer.data;
  const rest = seal(new Answer([], answer.beside, answer.warnings), telling).text.slice(HEAD.length);
  const parts = [Buffer.from(HEAD)];
  for (let at = 0; at < items.length; at += ITEMS_IN_A_SLICE) {
    const slice = items.slice(at, at + ITEMS_IN_A_SLICE);
    const written = await runUndivided(app, lane, () => JSON.stringify(slice).slice(1, -1));
    parts.push(Buffer.from(at > 0 ? `,${written}` : written));
  }
  return { outcome: "success", text: Buffer.concat([...parts, Buffer.from(rest)]) };
}

/** The start of every answer with a list. */
const HEAD = '{"success":true,"data":[';

/** Puts a refusal in its envelope. An `invalid-request` includes the warnings of the request. */
export function sealRefusal(
  refusal: Refusal,
  telling: Telling = TO_UNAUTHENTICATED,
): Sealed & { text: string } {
  const { code, details, retryAfterSeconds } = refusal;
  const outcome = outcomes[code];
  return {
    outcome,
    text: JSON.stringify({
      success: false,
      data: null,
      error: code,
      ...(details && { details: inLanguage(details, telling.language) }),
      ...(outcome === "invalid-request" && warningsIn(telling, [])),
    }),
    retryAfterSeconds,
    refusal,
  };
}

/** Returns the member `warnings`, or no member if there are no warnings. */
function warningsIn({ language, warnings }: Telling, own: readonly Warning[]): { warnings?: unknown } {
  const count = warnings.length + own.length;
  if (count === 0) return {};
  const all = [...warnings, ...own];
  if (count <= WARNINGS_AT_MOST) return { warnings: inLanguage(all, language) };
  const shown = all.slice(0, WARNINGS_AT_MOST - 1);
  const more = count - shown.length;
  const rest: Warning = {
    field: BODY,
    message: {
      fr: `${more} autres avertissements ne sont pas affichés`,
      en: `${more} more warnings are not shown`,
    },
  };
  return { warnings: inLanguage([...shown, rest], language) };
}

function inLanguage(details: readonly Detail[], language: Language): { field: string; message: string }[] {
  return details.map(({ field, message }) => ({ field, message: message[language] }));
}

/** True for PostgreSQL's class 08 except 08P01, which means that the server cannot parse our message. */
function isConnectionException(code: string): boolean {
  return code.startsWith("08") && code !== "08P01";
}

// These errors of node and PostgreSQL mean that the database is not available now. A retry may succeed.
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

/** True if the error means that the database is not available, rather than that our code is wrong. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof CommitUnknown || error instanceof Silent) return true;
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  // With these severities the server closes a connection or refuses to open it.
  if (severity === "FATAL" || severity === "PANIC") return true;
  if (typeof code === "string" && (UNAVAILABLE_CODES.has(code) || isConnectionException(code))) return true;
  if (UNAVAILABLE_MESSAGES.test(error.message)) return true;
  return error instanceof AggregateError && error.errors.some(isUnavailable);
}

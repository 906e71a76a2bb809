// Refusals: the errors that the API returns deliberately, and the outcome class of each.
import type { Detail } from "./fielderrors.ts";

/** The classes of the `Atumpan-Outcome` header: all answers are HTTP 200, so proxies and dashboards read this. */
export type Outcome =
  | "success"
  | "invalid-request"
  | "not-authenticated"
  | "not-authorized"
  | "not-found"
  | "too-many-requests"
  | "server-error";

/** Error code → outcome class. A code that is not in this table does not compile. */
export const outcomes = {
  "invalid-json": "invalid-request",
  "invalid-request": "invalid-request",
  "request-too-large": "invalid-request",
  "invalid-phone-number": "invalid-request",
  "invalid-schedule": "invalid-request",
  "message-too-long": "invalid-request",
  "too-many-contacts": "invalid-request",
  "no-recipient": "invalid-request",
  "insufficient-credits": "invalid-request",
  "sender-limit-reached": "invalid-request",
  "sender-name-taken": "invalid-request",
  "sender-not-accepted": "invalid-request",
  "sender-not-assigned": "invalid-request",
  "contact-phone-taken": "invalid-request",
  "campaign-not-cancelable": "invalid-request",
  "wrong-otp": "invalid-request",
  "otp-expired": "invalid-request",
  "otp-already-used": "invalid-request",
  "otp-max-attempts": "invalid-request",
  "destination-blocked": "invalid-request",
  "app-slug-taken": "invalid-request",
  "pairing-code-invalid": "invalid-request",
  "connection-conflict": "invalid-request",
  "idempotency-key-reused": "invalid-request",
  "idempotency-in-progress": "invalid-request",
  conflict: "invalid-request",
  "not-authenticated": "not-authenticated",
  "not-authorized": "not-authorized",
  "sign-in-required": "not-authorized",
  "app-not-active": "not-authorized",
  "connection-revoked": "not-authorized",
  "not-found": "not-found",
  "contact-not-found": "not-found",
  "group-not-found": "not-found",
  "sender-not-found": "not-found",
  "campaign-not-found": "not-found",
  "app-not-found": "not-found",
  "customer-not-found": "not-found",
  "offer-not-found": "not-found",
  "purchase-not-found": "not-found",
  "too-many-requests": "too-many-requests",
  "otp-too-many-requests": "too-many-requests",
  "server-error": "server-error",
  "service-unavailable": "server-error",
} as const satisfies Record<string, Outcome>;

export type Code = keyof typeof outcomes;

export type Language = "fr" | "en";

/** One sentence in each of our languages. An answer uses that of the caller's language. */
export type Sentence = Readonly<Record<Language, string>>;

/** The `field` of a detail or warning that concerns the whole body. */
export const BODY = "body";

export type RefusalExtra = { details?: readonly Detail[]; retryAfterSeconds?: number };

/** An error for the caller. Throw it to roll back the transaction; return it from `run` to keep what was written. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: Code;
  readonly details: readonly Detail[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: Code, extra: RefusalExtra = {}) {
    super(code);
    this.code = code;
    this.details = extra.details;
    this.retryAfterSeconds = extra.retryAfterSeconds;
  }
}

/** These codes alone give a person nothing to act on, so they need details. */
type ExtraOf<Given extends Code> = Given extends "conflict" | "no-recipient"
  ? [extra: RefusalExtra & { details: readonly Detail[] }]
  : [extra?: RefusalExtra];

/** Throws a refusal: `if (!contact) refuse("contact-not-found");` */
export function refuse<Given extends Code>(code: Given, ...[extra]: ExtraOf<Given>): never {
  throw new Refusal(code, extra);
}

/** Returns the row of a statement that finds one or none. Refuses with this code if it finds none. */
export async function requireRow<Row>(
  rows: Promise<Row[]>,
  code: Exclude<Code, "conflict" | "no-recipient">,
): Promise<Row> {
  const [row] = await rows;
  return row ?? refuse(code);
}

/** Turns a thrown refusal into a returned one. */
export async function refusalOf<Answer>(answering: Promise<Answer | Refusal>): Promise<Answer | Refusal> {
  try {
    return await answering;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

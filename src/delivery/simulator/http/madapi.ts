// MTN's API platform (MADAPI), below every version of the SMS API: tokens, the envelope of answers, words of receipts.
import { randomUUID } from "node:crypto";
import type { ReceiptState } from "../../../protocol/smpp/receipts.ts";
import { nameIn } from "../../../protocol/sms/sendernames.ts";
import type { Accepted } from "../journal.ts";
import {
  jsonCallback,
  misdirected,
  ONE_API_WORDS,
  type RefusalReason,
  type SimulatedCallback,
} from "./dialect.ts";
import { jsonAnswer, type SimulatedAnswer, type SimulatedRequest } from "./exchange.ts";
import type { HttpCarrierOptions } from "./server.ts";
import { TokenDesk } from "./tokens.ts";

/** Both are in working clients. */
const TOKEN_PATHS = new Set(["/v1/oauth/access_token", "/v1/oauth/access_token/accesstoken"]);
/** `expires_in` is "3599". */
const TOKEN_MS = 3_599_000;

/** The words of a receipt: the enumerations of v3 and v2, and what a client in production receives. */
export type Vocabulary = "v3" | "v2" | "wire";

export const MTN_WORDS: Record<Vocabulary, Readonly<Record<ReceiptState, string>>> = {
  v3: {
    ENROUTE: "ENROUTE",
    ACCEPTED: "ACCEPTD",
    DELIVERED: "DELIVERED",
    EXPIRED: "EXPIRED",
    DELETED: "DELETED",
    UNDELIVERED: "UNDELIVERED",
    REJECTED: "REJECTED",
    UNKNOWN: "UNKNOWN",
  },
  v2: ONE_API_WORDS,
  wire: { ...ONE_API_WORDS, DELIVERED: "DELIVRD", EXPIRED: "EXPIRED" },
};

/** What the versions of the SMS API have in common: a client gets tokens, and every call needs one. */
export abstract class MadapiDialect {
  readonly system: string;
  protected readonly options: HttpCarrierOptions;
  readonly #tokens: TokenDesk;

  constructor(options: HttpCarrierOptions) {
    this.system = options.systemId ?? "mtn";
    this.options = options;
    this.#tokens = new TokenDesk(options.tokenLifeMs ?? TOKEN_MS);
  }

  get tokensIssued(): number {
    return this.#tokens.issued;
  }

  isToken({ path }: SimulatedRequest): boolean {
    return TOKEN_PATHS.has(path);
  }

  abstract receipt(entry: Accepted, state: ReceiptState): SimulatedCallback | undefined;

  /** MTN does not sign: only the URL's secret path tells its receipts from others. */
  forgery(entry: Accepted, state: ReceiptState): SimulatedCallback | undefined {
    return misdirected(this.receipt(entry, state));
  }

  charge(): undefined {
    return undefined;
  }

  errorIn200(): SimulatedAnswer {
    return failure(200, "1005", "Please retry");
  }

  newId(): string {
    return randomUUID();
  }

  /** Answers a request for a token. */
  protected token({ method, query, body }: SimulatedRequest): SimulatedAnswer {
    const { systemId, password } = this.options;
    const form = new URLSearchParams(body);
    if (method !== "POST" || new URLSearchParams(query).get("grant_type") !== "client_credentials")
      return failure(400, "5000", "grant_type is client_credentials, in the query of a POST");
    const [user, secret] = [form.get("client_id"), form.get("client_secret")];
    if (!user || !secret || user !== (systemId ?? user) || secret !== (password ?? secret))
      return failure(401, "4000", "Unauthorized");
    const apigee = { issued_at: String(Date.now()), application_name: "simulated", status: "approved" };
    return jsonAnswer(200, { ...this.#tokens.issue("BearerToken"), ...apigee });
  }

  /** Returns the answer that refuses a call without a valid token; undefined if it has one. */
  protected denial({ headers }: SimulatedRequest): SimulatedAnswer | undefined {
    const { systemId } = this.options;
    const apiKey = headers["x-api-key"];
    const isKnown = apiKey === undefined || systemId === undefined || apiKey === systemId;
    if (isKnown && this.#tokens.stateOf(headers.authorization) === "valid") return undefined;
    return failure(401, "4000", "Unauthorized");
  }
}

/** Returns an answer with MTN's envelope, and MTN's own spelling of the message. */
export function success(
  status: number,
  data: object,
  more: { transactionId?: string; _link?: object } = {},
): SimulatedAnswer {
  const envelope = { statusCode: "0000", statusMessage: "Sucessful", transactionId: randomUUID() };
  return jsonAnswer(status, { ...envelope, data, ...more });
}

/** Returns MTN's envelope of errors. */
export function failure(status: number, statusCode: string, statusMessage: string): SimulatedAnswer {
  const timestamp = new Date().toISOString();
  return jsonAnswer(status, { statusCode, statusMessage, transactionId: randomUUID(), timestamp });
}

/** Returns the answer that refuses a message; `correlator` is the version's name of the client's id. */
export function rejectionOf(reason: RefusalReason, correlator: string): SimulatedAnswer {
  if (reason === "throttled") return failure(429, "1013", "Rate limit exceeded");
  if (reason === "repeated") return failure(400, "5000", `${correlator} was used before`);
  return failure(400, "5000", "receiverAddress is invalid");
}

/** Returns the one receiver of a message, or undefined if there is another number of them or it is no MSISDN. */
export function receiverOf(receiverAddress: unknown): string | undefined {
  const [to, ...more] = Array.isArray(receiverAddress) ? receiverAddress : [];
  return typeof to === "string" && /^[1-9]\d{7,14}$/.test(to) && more.length === 0 ? to : undefined;
}

/** Returns a receipt as a flat object, with the members `id` that name the message. */
export function receiptTo(
  url: string,
  entry: Accepted,
  deliveryStatus: string,
  id: object,
): SimulatedCallback {
  return jsonCallback(url, {
    ...id,
    deliveryStatus,
    senderAddress: nameIn(entry.from),
    receiverAddress: entry.to,
    submittedDate: new Date(entry.at).toISOString(),
    completedDate: new Date().toISOString(),
    ...(entry.error !== undefined && entry.error !== "000" && { error: entry.error }),
  });
}

/** Returns a message from a handset; `created` is in milliseconds since 1970. */
export function messageTo(
  url: string,
  message: { from: string; to: string; text: string },
): SimulatedCallback {
  const { from, to, text } = message;
  return jsonCallback(url, {
    senderAddress: from,
    receiverAddress: to,
    message: text,
    created: Date.now(),
  });
}

// MTN SMS v3 (MADAPI) as its own side: tokens, sending, subscriptions, receipts and incoming messages.
// Sources and doubts: MTN's OpenAPI of v3 and clients in production, read 2026-11.
import { randomUUID } from "node:crypto";
import type { ReceiptState } from "../../../protocol/smpp/receipts.ts";
import { nameIn } from "../../../protocol/sms/sendernames.ts";
import type { Accepted } from "../journal.ts";
import {
  type HandsetReply,
  jsonCallback,
  misdirected,
  type RefusalReason,
  type SimulatedCallback,
  type SimulatedDialect,
  type SimulatedSubmission,
} from "./dialect.ts";
import { jsonAnswer, objectIn, type SimulatedAnswer, type SimulatedRequest } from "./exchange.ts";
import type { HttpCarrierOptions } from "./server.ts";
import { TokenDesk } from "./tokens.ts";

/** Both are in working clients. */
const TOKEN_PATHS = new Set(["/v1/oauth/access_token", "/v1/oauth/access_token/accesstoken"]);
const API = "/v3/sms/messages/sms";
const SUBSCRIPTION_PATH = new RegExp(`^${API}/subscription(?:/([\\w-]+))?$`);
/** `expires_in` is "3599". */
const TOKEN_MS = 3_599_000;
const SUBSCRIPTIONS_AT_MOST = 1_000;
const CORRELATOR_CHARACTERS = 36;

/** The words of a receipt: the enumeration of v3, and what a client in production receives. */
export type Vocabulary = "v3" | "wire";

const WORDS: Record<Vocabulary, Record<ReceiptState, string>> = {
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
  wire: {
    ENROUTE: "DeliveredToNetwork",
    ACCEPTED: "MessageWaiting",
    DELIVERED: "DELIVRD",
    EXPIRED: "EXPIRED",
    DELETED: "DeliveryImpossible",
    UNDELIVERED: "DeliveryImpossible",
    REJECTED: "DeliveryImpossible",
    UNKNOWN: "DeliveryUncertain",
  },
};

interface Subscription {
  serviceCode: string;
  callbackUrl: string;
  deliveryReportUrl: string | undefined;
  targetSystem: string;
}

export class SimulatedMtn implements SimulatedDialect {
  readonly system: string;
  readonly #options: HttpCarrierOptions;
  readonly #tokens: TokenDesk;
  readonly #subscriptions = new Map<string, Subscription>();

  constructor(options: HttpCarrierOptions) {
    this.system = options.systemId ?? "mtn";
    this.#options = options;
    this.#tokens = new TokenDesk(options.tokenLifeMs ?? TOKEN_MS);
  }

  get tokensIssued(): number {
    return this.#tokens.issued;
  }

  isSend({ method, path }: SimulatedRequest): boolean {
    return method === "POST" && path === `${API}/outbound`;
  }

  isToken({ path }: SimulatedRequest): boolean {
    return TOKEN_PATHS.has(path);
  }

  answer(request: SimulatedRequest): SimulatedAnswer {
    if (this.isToken(request)) return this.#token(request);
    const [isSubscription, id] = SUBSCRIPTION_PATH.exec(request.path) ?? [];
    if (isSubscription !== undefined) return this.#denial(request) ?? this.#subscribe(request, id);
    return failure(404, "5000", "Resource not found");
  }

  read(request: SimulatedRequest): SimulatedSubmission | SimulatedAnswer {
    const denied = this.#denial(request);
    if (denied) return denied;
    const sent = objectIn(request.body) ?? {};
    const { message, receiverAddress, clientCorrelatorId, serviceCode, senderAddress } = sent;
    for (const [name, value] of Object.entries({ message, clientCorrelatorId, serviceCode }))
      if (typeof value !== "string" || value === "") return failure(400, "5000", `${name} is mandatory`);
    const clientId = String(clientCorrelatorId);
    if (clientId.length > CORRELATOR_CHARACTERS)
      return failure(400, "5000", `clientCorrelatorId has more than ${CORRELATOR_CHARACTERS} characters`);
    // MTN takes 20 to 30 receivers, with one id for all of them. This one takes one, so that one id is one message.
    const [to, ...more] = Array.isArray(receiverAddress) ? receiverAddress : [];
    if (typeof to !== "string" || !/^[1-9]\d{7,14}$/.test(to) || more.length > 0)
      return failure(400, "5000", "receiverAddress is a list of one MSISDN in digits");
    const from = typeof senderAddress === "string" ? senderAddress : String(serviceCode);
    return {
      from,
      to,
      text: String(message),
      clientId,
      wantsReceipt: sent.requestDeliveryReceipt === true,
      receiptUrl: this.#subscriptionOf(String(serviceCode))?.deliveryReportUrl,
    };
  }

  charge(): undefined {
    return undefined;
  }

  refusal(reason: RefusalReason): SimulatedAnswer {
    if (reason === "throttled") return failure(429, "1013", "Rate limit exceeded");
    if (reason === "repeated") return failure(400, "5000", "clientCorrelatorId was used before");
    return failure(400, "5000", "receiverAddress is invalid");
  }

  errorIn200(): SimulatedAnswer {
    return failure(200, "1005", "Please retry");
  }

  newId(): string {
    return randomUUID();
  }

  /** With MTN's own spelling of the message. */
  accepted(_submission: SimulatedSubmission, transactionId: string): SimulatedAnswer {
    return jsonAnswer(200, {
      statusCode: "0000",
      statusMessage: "Sucessful",
      transactionId,
      data: { status: "PENDING" },
    });
  }

  receipt(entry: Accepted, state: ReceiptState): SimulatedCallback | undefined {
    const url = entry.http?.receiptUrl ?? this.#options.receiptUrl;
    if (url === undefined) return undefined;
    const vocabulary = this.#options.vocabulary ?? "v3";
    const id =
      vocabulary === "v3" ? { clientCorrelatorId: entry.http?.clientId } : { transactionId: entry.id };
    return jsonCallback(url, {
      ...id,
      deliveryStatus: WORDS[vocabulary][state],
      senderAddress: nameIn(entry.from),
      receiverAddress: entry.to,
      submittedDate: new Date(entry.at).toISOString(),
      completedDate: new Date().toISOString(),
      ...(entry.error !== undefined && entry.error !== "000" && { error: entry.error }),
    });
  }

  /** MTN does not sign: only the URL's secret path tells its receipts from others. */
  forgery(entry: Accepted, state: ReceiptState): SimulatedCallback | undefined {
    return misdirected(this.receipt(entry, state));
  }

  /** `created` is in milliseconds since 1970. */
  inbound({ from, to, text }: HandsetReply): SimulatedCallback | undefined {
    const url = this.#subscriptionOf(to)?.callbackUrl ?? this.#options.inboundUrl;
    if (url === undefined) return undefined;
    return jsonCallback(url, {
      senderAddress: from,
      receiverAddress: to,
      message: text,
      created: Date.now(),
    });
  }

  #subscriptionOf(serviceCode: string): Subscription | undefined {
    return [...this.#subscriptions.values()].find((one) => one.serviceCode === serviceCode);
  }

  #denial({ headers }: SimulatedRequest): SimulatedAnswer | undefined {
    const { systemId } = this.#options;
    const apiKey = headers["x-api-key"];
    const isKnown = apiKey === undefined || systemId === undefined || apiKey === systemId;
    if (isKnown && this.#tokens.stateOf(headers.authorization) === "valid") return undefined;
    return failure(401, "4000", "Unauthorized");
  }

  #token({ method, query, body }: SimulatedRequest): SimulatedAnswer {
    const { systemId, password } = this.#options;
    const form = new URLSearchParams(body);
    if (method !== "POST" || new URLSearchParams(query).get("grant_type") !== "client_credentials")
      return failure(400, "5000", "grant_type is client_credentials, in the query of a POST");
    const [user, secret] = [form.get("client_id"), form.get("client_secret")];
    if (!user || !secret || user !== (systemId ?? user) || secret !== (password ?? secret))
      return failure(401, "4000", "Unauthorized");
    const apigee = { issued_at: String(Date.now()), application_name: "simulated", status: "approved" };
    return jsonAnswer(200, { ...this.#tokens.issue("BearerToken"), ...apigee });
  }

  #subscribe({ method, body }: SimulatedRequest, id: string | undefined): SimulatedAnswer {
    const before = id === undefined ? undefined : this.#subscriptions.get(id);
    const given = objectIn(body) ?? {};
    const text = (name: keyof Subscription) => {
      const value = given[name] ?? before?.[name];
      return typeof value === "string" && value !== "" ? value : undefined;
    };
    if (method === "POST" && id === undefined) return this.#keep(randomUUID(), text);
    if (before === undefined || id === undefined)
      return failure(404, "5000", "There is no such subscription");
    if (method === "PATCH") return this.#keep(id, text);
    if (method !== "DELETE") return failure(405, "5000", "Method not allowed");
    this.#subscriptions.delete(id);
    return subscriptionAnswer(id);
  }

  #keep(id: string, text: (name: keyof Subscription) => string | undefined): SimulatedAnswer {
    const [serviceCode, callbackUrl, targetSystem] = [
      text("serviceCode"),
      text("callbackUrl"),
      text("targetSystem"),
    ];
    if (serviceCode === undefined || callbackUrl === undefined || targetSystem === undefined)
      return failure(400, "5000", "serviceCode, callbackUrl and targetSystem are mandatory");
    const taken = this.#subscriptionOf(serviceCode);
    if (taken !== undefined && taken !== this.#subscriptions.get(id))
      return failure(403, "4004", "The service code is already registered");
    if (this.#subscriptions.size >= SUBSCRIPTIONS_AT_MOST)
      return failure(403, "5000", "Too many subscriptions");
    const deliveryReportUrl = text("deliveryReportUrl");
    this.#subscriptions.set(id, { serviceCode, callbackUrl, targetSystem, deliveryReportUrl });
    return subscriptionAnswer(id);
  }
}

function subscriptionAnswer(subscriptionId: string): SimulatedAnswer {
  const transactionId = randomUUID();
  return jsonAnswer(200, {
    statusCode: "0000",
    statusMessage: "Sucessful",
    transactionId,
    data: { subscriptionId },
  });
}

/** MTN's envelope of errors. */
function failure(status: number, statusCode: string, statusMessage: string): SimulatedAnswer {
  const timestamp = new Date().toISOString();
  return jsonAnswer(status, { statusCode, statusMessage, transactionId: randomUUID(), timestamp });
}

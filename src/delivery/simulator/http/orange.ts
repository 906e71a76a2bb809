// Orange SMS Africa & Middle East 2.0 as its own side: tokens, sending, contracts, receipts and customer replies.
// Sources and doubts: developer.orange.com (sms/getting-started, 2-legged-oauth-2-v3) and clients, read 2026-11.
import { randomUUID } from "node:crypto";
import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import type { ReceiptState } from "../../../protocol/smpp/receipts.ts";
import { segmentsOf } from "../../../protocol/sms/segments.ts";
import { nameIn } from "../../../protocol/sms/sendernames.ts";
import type { Accepted } from "../journal.ts";
import {
  type HandsetReply,
  jsonCallback,
  misdirected,
  ONE_API_WORDS,
  type RefusalReason,
  type SimulatedCallback,
  type SimulatedDialect,
  type SimulatedSubmission,
} from "./dialect.ts";
import {
  asObject,
  basicOf,
  jsonAnswer,
  objectIn,
  type SimulatedAnswer,
  type SimulatedRequest,
} from "./exchange.ts";
import type { HttpCarrierOptions } from "./server.ts";
import { TokenDesk } from "./tokens.ts";

const API = "https://api.orange.com";
const TOKEN_PATH = "/oauth/v3/token";
const SEND_PATH = /^\/smsmessaging\/v1\/outbound\/([^/]+)\/requests$/;
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const NAME = /^[A-Za-z0-9 ]{1,11}$/;

/** ISO 3166 alpha-3 by calling code, of Orange's countries. */
const COUNTRIES: Record<string, string> = {
  "221": "SEN",
  "223": "MLI",
  "224": "GIN",
  "225": "CIV",
  "226": "BFA",
  "227": "NER",
  "237": "CMR",
  "243": "COD",
  "261": "MDG",
};

/** An error of the platform before the API. The numbers 41, 42 and 60 are from clients; 53 is a guess. */
function platformError(status: number, code: number, message: string, description: string): SimulatedAnswer {
  return jsonAnswer(status, { code, message, description });
}

/** A refusal of the API, in the shape of GSMA OneAPI. */
function serviceException(messageId: string, text: string, ...variables: string[]): SimulatedAnswer {
  return jsonAnswer(400, { requestError: { serviceException: { messageId, text, variables } } });
}

/** An invalid value, OneAPI's SVC0002. */
function invalidInput(name: string): SimulatedAnswer {
  return serviceException("SVC0002", "Invalid input value for message part %1", name);
}

/** A refusal for the contract. Orange's own numbers were not found; clients see the family POL. */
function policyException(reason: string): SimulatedAnswer {
  const text = "The following policy error occurred: %1. Error code is %2.";
  return jsonAnswer(403, {
    requestError: { policyException: { messageId: "POL0001", text, variables: [reason, "403"] } },
  });
}

export class SimulatedOrange implements SimulatedDialect {
  readonly system: string;
  readonly #options: HttpCarrierOptions;
  readonly #country: string;
  readonly #sender: string;
  readonly #tokens: TokenDesk;
  readonly #since = Date.now();
  #unitsUsed = 0;

  constructor(options: HttpCarrierOptions) {
    this.system = options.systemId ?? "orange";
    this.#options = options;
    this.#country = options.country ?? "225";
    // CI +2250000, SN +2210000, ML +2230000 and so on.
    this.#sender = options.senderAddress ?? `tel:+${this.#country}0000`;
    this.#tokens = new TokenDesk(options.tokenLifeMs ?? HOUR_MS);
  }

  get tokensIssued(): number {
    return this.#tokens.issued;
  }

  isSend({ method, path }: SimulatedRequest): boolean {
    return method === "POST" && SEND_PATH.test(path);
  }

  isToken({ path }: SimulatedRequest): boolean {
    return path === TOKEN_PATH;
  }

  answer(request: SimulatedRequest): SimulatedAnswer {
    if (request.path === TOKEN_PATH && request.method === "POST") return this.#token(request);
    if (request.path === "/sms/admin/v1/contracts" && request.method === "GET")
      return this.#denial(request) ?? jsonAnswer(200, [this.#contract()]);
    return platformError(404, 60, "Resource not found", "The requested URI or resource does not exist.");
  }

  read(request: SimulatedRequest): SimulatedSubmission | SimulatedAnswer {
    const denied = this.#denial(request);
    if (denied) return denied;
    const sender = decoded(SEND_PATH.exec(request.path)?.[1] ?? "");
    const sent = asObject(objectIn(request.body)?.outboundSMSMessageRequest);
    const text = asObject(sent?.outboundSMSTextMessage)?.message;
    if (sent === undefined) return invalidInput("outboundSMSMessageRequest");
    if (typeof text !== "string" || text === "") return invalidInput("outboundSMSTextMessage.message");
    if (sent.senderAddress !== sender) return invalidInput("senderAddress");
    const { senderName, clientCorrelator } = sent;
    if (senderName !== undefined && (typeof senderName !== "string" || !NAME.test(senderName)))
      return invalidInput("senderName");
    // One recipient a request, as every sample of Orange has it.
    const [, to] = /^tel:\+([1-9]\d{7,14})$/.exec(String(sent.address)) ?? [];
    if (typeof sent.address !== "string" || to === undefined || !this.#reaches(to))
      return serviceException("SVC0004", "No valid addresses provided in message part %1", "address");
    return {
      from: senderName ?? "SMS 123456",
      to,
      text,
      clientId: typeof clientCorrelator === "string" ? clientCorrelator : undefined,
      wantsReceipt: true,
      // Orange answered 201 to a request from a nonsense number, which then reached nobody (measured by a client).
      isSwallowed: sender !== this.#sender,
    };
  }

  charge({ text }: SimulatedSubmission): SimulatedAnswer | undefined {
    const { units, contractEnded } = this.#options;
    if (contractEnded) return policyException("Expired contract");
    const { segments } = segmentsOf(text);
    if (this.#unitsUsed + segments > (units ?? Infinity)) return policyException("Insufficient balance");
    this.#unitsUsed += segments;
    return undefined;
  }

  refusal(reason: RefusalReason): SimulatedAnswer {
    if (reason === "throttled")
      return platformError(429, 53, "Too many requests", "The application has made too many calls.");
    if (reason === "repeated") return invalidInput("clientCorrelator");
    return serviceException("SVC0004", "No valid addresses provided in message part %1", "address");
  }

  errorIn200(): SimulatedAnswer {
    return {
      ...serviceException("SVC0001", "A service error occurred. Error code is %1", "500"),
      status: 200,
    };
  }

  newId(): string {
    return randomUUID();
  }

  /** Echoes the request; the address becomes a list. */
  accepted({ from, to, text, clientId }: SimulatedSubmission, id: string): SimulatedAnswer {
    return jsonAnswer(201, {
      outboundSMSMessageRequest: {
        address: [`tel:+${to}`],
        senderAddress: this.#sender,
        senderName: from,
        outboundSMSTextMessage: { message: text },
        ...(clientId !== undefined && { clientCorrelator: clientId }),
        resourceURL: `${API}/smsmessaging/v1/outbound/${this.#sender}/requests/${id}`,
      },
    });
  }

  receipt(entry: Accepted, state: ReceiptState): SimulatedCallback | undefined {
    const { receiptUrl, correlator } = this.#options;
    if (receiptUrl === undefined) return undefined;
    const callbackData = correlator === "client" ? (entry.http?.clientId ?? entry.id) : entry.id;
    const deliveryInfo = { address: `tel:+${entry.to}`, deliveryStatus: ONE_API_WORDS[state] };
    return jsonCallback(receiptUrl, { deliveryInfoNotification: { callbackData, deliveryInfo } });
  }

  /** Orange does not sign: only the URL's secret path tells its receipts from others. */
  forgery(entry: Accepted, state: ReceiptState): SimulatedCallback | undefined {
    return misdirected(this.receipt(entry, state));
  }

  inbound({ from, to, text }: HandsetReply): SimulatedCallback | undefined {
    const { inboundUrl } = this.#options;
    if (inboundUrl === undefined) return undefined;
    const inboundSMSMessage = {
      senderAddress: `tel:+${from}`,
      destinationAddress: nameIn(to),
      message: text,
      messageId: randomUUID(),
      dateTime: new Date().toISOString(),
    };
    return jsonCallback(inboundUrl, { inboundSMSMessageNotification: { inboundSMSMessage } });
  }

  #reaches(to: string): boolean {
    return to.startsWith(this.#country) && parsePhoneNumberFromString(`+${to}`)?.getType() !== "FIXED_LINE";
  }

  #denial({ headers }: SimulatedRequest): SimulatedAnswer | undefined {
    const state = this.#tokens.stateOf(headers.authorization);
    if (state === "valid") return undefined;
    return state === "expired"
      ? platformError(401, 42, "Expired credentials", "The credentials provided were out-of-date.")
      : platformError(401, 41, "Invalid credentials", "The credentials provided are invalid.");
  }

  #token({ headers, body }: SimulatedRequest): SimulatedAnswer {
    const { systemId, password } = this.#options;
    const form = new URLSearchParams(body);
    const { user, password: secret } = basicOf(headers.authorization) ?? {
      user: form.get("client_id"),
      password: form.get("client_secret"),
    };
    // A client reports that such an error may echo the header, which then must not get into its log.
    if (!user || !secret || user !== (systemId ?? user) || secret !== (password ?? secret))
      return jsonAnswer(401, {
        error: "invalid_client",
        error_description: `The requested service needs valid credentials, not ${headers.authorization ?? "none"}`,
      });
    if (form.get("grant_type") !== "client_credentials")
      return jsonAnswer(400, {
        error: "unsupported_grant_type",
        error_description: "Use client_credentials",
      });
    return jsonAnswer(200, this.#tokens.issue("Bearer"));
  }

  /** A contract of version 2. Orange reserves units by blocks; here `requestedUnits` are those used. */
  #contract() {
    const { units, contractEnded } = this.#options;
    const end = contractEnded ? this.#since - HOUR_MS : this.#since + YEAR_MS;
    const [created, expires] = [this.#since - YEAR_MS, end].map((ms) => new Date(ms).toISOString());
    return {
      id: "5f0000000000000000000001",
      type: "SELFSERVICE",
      developerId: "simulated",
      applicationId: this.system,
      country: COUNTRIES[this.#country] ?? this.#country,
      offerName: "SMS_OCB",
      availableUnits: units === undefined ? 1_000_000 : units - this.#unitsUsed,
      requestedUnits: this.#unitsUsed,
      status: contractEnded ? "EXPIRED" : "ACTIVE",
      expirationDate: expires,
      creationDate: created,
      lastUpdateDate: created,
    };
  }
}

/** Decodes a part of a path; what cannot be decoded remains as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

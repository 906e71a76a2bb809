// Africa's Talking as its own side: sending with an API key, a code for each recipient, the balance, receipts, messages.
// Sources and doubts: docs.africastalking.com (sending, delivery reports, callbacks) and clients, read 2026-11.
import { randomUUID } from "node:crypto";
import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import type { ReceiptState } from "../../../protocol/smpp/receipts.ts";
import { segmentsOf } from "../../../protocol/sms/segments.ts";
import { nameIn } from "../../../protocol/sms/sendernames.ts";
import type { Accepted } from "../journal.ts";
import {
  formCallback,
  type HandsetReply,
  misdirected,
  type RefusalReason,
  type SimulatedCallback,
  type SimulatedDialect,
  type SimulatedSubmission,
} from "./dialect.ts";
import { jsonAnswer, type SimulatedAnswer, type SimulatedRequest } from "./exchange.ts";
import type { HttpCarrierOptions } from "./server.ts";

const SEND_PATH = "/version1/messaging";
const USER_PATH = "/version1/user";
/** The sender of an account that has registered none. */
const DEFAULT_SENDER = "AFRICASTKNG";
const SENDER = /^(?:[A-Za-z0-9 ._-]{1,11}|\d{3,15})$/;
/** What a part costs here. The price is a guess; "XOF 20.0000" is the notation of every amount. */
const PRICE = 20;
/** The parts that an account without limit seems to have. */
const MANY_UNITS = 1_000_000;

/** The codes of a recipient that is not accepted. */
const REJECTIONS = {
  401: "RiskHold",
  402: "InvalidSenderId",
  403: "InvalidPhoneNumber",
  404: "UnsupportedNumberType",
  405: "InsufficientBalance",
  406: "UserInBlacklist",
  407: "CouldNotRoute",
  409: "DoNotDisturbRejection",
  500: "InternalServerError",
  501: "GatewayError",
  502: "RejectedByGateway",
} as const;

type Rejection = keyof typeof REJECTIONS;

/** "Expired" is from clients. There is no word for an unknown state, so no receipt is sent for it. */
const WORDS: Record<ReceiptState, string | undefined> = {
  ENROUTE: "Sent",
  ACCEPTED: "Buffered",
  DELIVERED: "Success",
  EXPIRED: "Expired",
  DELETED: "Failed",
  UNDELIVERED: "Failed",
  REJECTED: "Rejected",
  UNKNOWN: undefined,
};

/** `failureReason`, which only receipts with Failed and Rejected have. */
const REASONS: Record<string, string> = { Failed: "DeliveryFailure", Rejected: "UserInBlackList" };

/** Mobile country and network codes by the beginning of a number; those of Côte d'Ivoire. */
const NETWORKS: Record<string, string> = { "22501": "61202", "22505": "61205", "22507": "61203" };
/** What the sandbox gives as network. */
const NO_NETWORK = "99999";

export class SimulatedAfricasTalking implements SimulatedDialect {
  readonly system: string;
  readonly tokensIssued = 0;
  readonly #options: HttpCarrierOptions;
  #unitsUsed = 0;

  constructor(options: HttpCarrierOptions) {
    this.system = options.systemId ?? "africastalking";
    this.#options = options;
  }

  isSend({ method, path }: SimulatedRequest): boolean {
    return method === "POST" && path === SEND_PATH;
  }

  isToken(): boolean {
    return false;
  }

  answer(request: SimulatedRequest): SimulatedAnswer {
    if (request.method !== "GET" || request.path !== USER_PATH)
      return textAnswer(404, "The requested resource could not be found.");
    const username = new URLSearchParams(request.query).get("username");
    return this.#denial(request, username) ?? jsonAnswer(200, { UserData: { balance: this.#balance() } });
  }

  read(request: SimulatedRequest): SimulatedSubmission | SimulatedAnswer {
    const form = new URLSearchParams(request.body);
    const denied = this.#denial(request, form.get("username"));
    if (denied) return denied;
    const [recipient, text] = [form.get("to"), form.get("message")];
    if (!recipient) return missing("to");
    if (!text) return missing("message");
    // Africa's Talking takes a list. This one takes one number, so that one id is one message.
    if (recipient.includes(",")) return textAnswer(400, "This simulated carrier takes one recipient");
    const from = form.get("from") || DEFAULT_SENDER;
    if (!this.#isRegistered(from)) return rejectedSender();
    const [, to] = /^\+([1-9]\d{7,14})$/.exec(recipient) ?? [];
    if (to === undefined) return rejected(403, recipient);
    const code = scriptedRejection(to);
    if (code !== undefined) return rejected(code, recipient);
    if (parsePhoneNumberFromString(recipient)?.getType() === "FIXED_LINE") return rejected(404, recipient);
    return { from, to, text, wantsReceipt: true };
  }

  charge({ to, text }: SimulatedSubmission): SimulatedAnswer | undefined {
    const { segments } = segmentsOf(text);
    if (this.#unitsUsed + segments > (this.#options.units ?? Infinity)) return rejected(405, `+${to}`);
    this.#unitsUsed += segments;
    return undefined;
  }

  /** The body of 429 is a guess. "repeated" cannot happen: a message has no id of the client. */
  refusal(reason: RefusalReason, { to }: SimulatedSubmission): SimulatedAnswer {
    return reason === "throttled" ? textAnswer(429, "Too Many Requests") : rejected(403, `+${to}`);
  }

  /** With 201, as every rejection of a recipient. */
  errorIn200({ to }: SimulatedSubmission): SimulatedAnswer {
    return rejected(500, `+${to}`);
  }

  newId(): string {
    return `ATXid_${randomUUID().replaceAll("-", "")}`;
  }

  accepted({ to, text }: SimulatedSubmission, messageId: string): SimulatedAnswer {
    const cost = amount(segmentsOf(text).segments);
    const recipient = { statusCode: 101, number: `+${to}`, status: "Success", cost, messageId };
    return messageData(`Sent to 1/1 Total Cost: ${cost}`, [recipient]);
  }

  receipt(entry: Accepted, state: ReceiptState): SimulatedCallback | undefined {
    const { receiptUrl } = this.#options;
    const status = WORDS[state];
    if (receiptUrl === undefined || status === undefined) return undefined;
    const failureReason = REASONS[status];
    return formCallback(receiptUrl, {
      id: entry.id,
      status,
      phoneNumber: `+${entry.to}`,
      networkCode: NETWORKS[entry.to.slice(0, 5)] ?? NO_NETWORK,
      retryCount: "0",
      ...(failureReason !== undefined && { failureReason }),
    });
  }

  /** Africa's Talking does not sign: only the URL's secret path tells its receipts from others. */
  forgery(entry: Accepted, state: ReceiptState): SimulatedCallback | undefined {
    return misdirected(this.receipt(entry, state));
  }

  /** Dates come in two notations, this one and ISO 8601; `linkId` is for premium services only. */
  inbound({ from, to, text }: HandsetReply): SimulatedCallback | undefined {
    const { inboundUrl } = this.#options;
    if (inboundUrl === undefined) return undefined;
    const date = new Date().toISOString().slice(0, 19).replace("T", " ");
    return formCallback(inboundUrl, { id: randomUUID(), from: `+${from}`, to: nameIn(to), text, date });
  }

  #denial({ headers }: SimulatedRequest, username: string | null): SimulatedAnswer | undefined {
    const { systemId, password } = this.#options;
    const key = headers.apikey;
    if (!username || !key || username !== (systemId ?? username) || key !== (password ?? key))
      return textAnswer(401, "The supplied authentication is invalid");
    // The true one answers in XML then, which no client of ours reads: a client that forgets the header should notice.
    if (!headers.accept?.includes("application/json"))
      return textAnswer(406, "This simulated carrier answers in JSON only: send Accept: application/json");
    return undefined;
  }

  #isRegistered(from: string): boolean {
    return SENDER.test(from) && from === (this.#options.senderId ?? from);
  }

  #balance(): string {
    return amount((this.#options.units ?? MANY_UNITS) - this.#unitsUsed);
  }
}

/** Returns the rejection that the last four digits of a number ask for, such as 0406. */
function scriptedRejection(to: string): Rejection | undefined {
  const digits = to.slice(-4);
  const code = Number(digits);
  return digits.startsWith("0") && Object.hasOwn(REJECTIONS, code) ? (code as Rejection) : undefined;
}

function amount(parts: number): string {
  return `XOF ${(parts * PRICE).toFixed(4)}`;
}

function messageData(message: string, recipients: object[]): SimulatedAnswer {
  return jsonAnswer(201, { SMSMessageData: { Message: message, Recipients: recipients } });
}

/** The answer to a message whose only recipient is rejected. */
function rejected(statusCode: Rejection, number: string): SimulatedAnswer {
  const recipient = { statusCode, number, status: REJECTIONS[statusCode], cost: "0", messageId: "None" };
  return { ...messageData("Sent to 0/1 Total Cost: 0", [recipient]), isRefusal: true };
}

/** A sender that is not registered rejects the whole request: no recipient is in the answer. */
function rejectedSender(): SimulatedAnswer {
  return { ...messageData(REJECTIONS[402], []), isRefusal: true };
}

/** The wording is a guess. */
function missing(field: string): SimulatedAnswer {
  return textAnswer(400, `Request is missing required form field '${field}'`);
}

function textAnswer(status: number, body: string): SimulatedAnswer {
  return { status, body, type: "text/plain; charset=UTF-8" };
}

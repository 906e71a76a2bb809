// MTN SMS v3 (MADAPI) as its own side: sending, subscriptions, receipts and incoming messages.
// Sources and doubts: MTN's OpenAPI of v3 and clients in production, read 2026-11.
import { randomUUID } from "node:crypto";
import type { ReceiptState } from "../../../protocol/smpp/receipts.ts";
import type { Accepted } from "../journal.ts";
import type {
  HandsetReply,
  RefusalReason,
  SimulatedCallback,
  SimulatedDialect,
  SimulatedSubmission,
} from "./dialect.ts";
import { objectIn, type SimulatedAnswer, type SimulatedRequest } from "./exchange.ts";
import {
  failure,
  MadapiDialect,
  MTN_WORDS,
  messageTo,
  receiptTo,
  receiverOf,
  rejectionOf,
  success,
} from "./madapi.ts";

const API = "/v3/sms/messages/sms";
const SUBSCRIPTION_PATH = new RegExp(`^${API}/subscription(?:/([\\w-]+))?$`);
const SUBSCRIPTIONS_AT_MOST = 1_000;
const CORRELATOR_CHARACTERS = 36;

interface Subscription {
  serviceCode: string;
  callbackUrl: string;
  deliveryReportUrl: string | undefined;
  targetSystem: string;
}

export class SimulatedMtn extends MadapiDialect implements SimulatedDialect {
  readonly #subscriptions = new Map<string, Subscription>();

  isSend({ method, path }: SimulatedRequest): boolean {
    return method === "POST" && path === `${API}/outbound`;
  }

  answer(request: SimulatedRequest): SimulatedAnswer {
    if (this.isToken(request)) return this.token(request);
    const [isSubscription, id] = SUBSCRIPTION_PATH.exec(request.path) ?? [];
    if (isSubscription !== undefined) return this.denial(request) ?? this.#subscribe(request, id);
    return failure(404, "5000", "Resource not found");
  }

  read(request: SimulatedRequest): SimulatedSubmission | SimulatedAnswer {
    const denied = this.denial(request);
    if (denied) return denied;
    const sent = objectIn(request.body) ?? {};
    const { message, receiverAddress, clientCorrelatorId, serviceCode, senderAddress } = sent;
    for (const [name, value] of Object.entries({ message, clientCorrelatorId, serviceCode }))
      if (typeof value !== "string" || value === "") return failure(400, "5000", `${name} is mandatory`);
    const clientId = String(clientCorrelatorId);
    if (clientId.length > CORRELATOR_CHARACTERS)
      return failure(400, "5000", `clientCorrelatorId has more than ${CORRELATOR_CHARACTERS} characters`);
    // MTN takes 20 to 30 receivers, with one id for all of them. This one takes one, so that one id is one message.
    const to = receiverOf(receiverAddress);
    if (to === undefined) return failure(400, "5000", "receiverAddress is a list of one MSISDN in digits");
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

  refusal(reason: RefusalReason): SimulatedAnswer {
    return rejectionOf(reason, "clientCorrelatorId");
  }

  accepted(_submission: SimulatedSubmission, transactionId: string): SimulatedAnswer {
    return success(200, { status: "PENDING" }, { transactionId });
  }

  receipt(entry: Accepted, state: ReceiptState): SimulatedCallback | undefined {
    const url = entry.http?.receiptUrl ?? this.options.receiptUrl;
    if (url === undefined) return undefined;
    const { vocabulary = "v3" } = this.options;
    const id =
      vocabulary === "v3" ? { clientCorrelatorId: entry.http?.clientId } : { transactionId: entry.id };
    return receiptTo(url, entry, MTN_WORDS[vocabulary][state], id);
  }

  inbound(message: HandsetReply): SimulatedCallback | undefined {
    const url = this.#subscriptionOf(message.to)?.callbackUrl ?? this.options.inboundUrl;
    return url === undefined ? undefined : messageTo(url, message);
  }

  #subscriptionOf(serviceCode: string): Subscription | undefined {
    return [...this.#subscriptions.values()].find((one) => one.serviceCode === serviceCode);
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
    return success(200, { subscriptionId: id });
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
    return success(200, { subscriptionId: id });
  }
}

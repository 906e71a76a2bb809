// MTN SMS v2 (MADAPI) as its own side: sending, a message's status, subscriptions, receipts and incoming messages.
// Sources and doubts: MTN's OpenAPI of v2 and a client in production, read 2026-11.
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
import { httpOutcomeOf } from "./scripts.ts";

const HOST = "https://api.mtn.com";
const API = "/v2/messages/sms/outbound";
const STATUS_PATH = new RegExp(`^${API}/([^/]+)/([^/]+)/deliveryStatus$`);
const SUBSCRIPTION_PATH = new RegExp(`^${API}/([^/]+)/subscription(?:/([\\w-]+))?$`);
const SUBSCRIPTIONS_AT_MOST = 1_000;
const CORRELATOR_CHARACTERS = 36;
const TEXT_CHARACTERS = 160;

/** Where the receipts of messages from a sender address go. */
interface Subscription {
  sender: string;
  notifyUrl: string;
}

export class SimulatedMtnV2 extends MadapiDialect implements SimulatedDialect {
  readonly #subscriptions = new Map<string, Subscription>();

  isSend({ method, path }: SimulatedRequest): boolean {
    return method === "POST" && path === API;
  }

  answer(request: SimulatedRequest, find: (id: string) => Accepted | undefined): SimulatedAnswer {
    if (this.isToken(request)) return this.token(request);
    const [isSubscription, sender = "", id] = SUBSCRIPTION_PATH.exec(request.path) ?? [];
    if (isSubscription !== undefined) return this.denial(request) ?? this.#subscribe(request, sender, id);
    const [isStatus, , requestId = ""] = STATUS_PATH.exec(request.path) ?? [];
    if (isStatus !== undefined && request.method === "GET")
      return this.denial(request) ?? statusOf(request, find(requestId));
    return failure(404, "5000", "Resource not found");
  }

  read(request: SimulatedRequest): SimulatedSubmission | SimulatedAnswer {
    const denied = this.denial(request);
    if (denied) return denied;
    const { message, senderAddress, receiverAddress, clientCorrelator } = objectIn(request.body) ?? {};
    for (const [name, value] of Object.entries({ message, senderAddress }))
      if (typeof value !== "string" || value === "") return failure(400, "5000", `${name} is mandatory`);
    const text = String(message);
    // The contract says so. Whether the platform cuts or refuses what is longer is not documented.
    if ([...text].length > TEXT_CHARACTERS)
      return failure(400, "5000", `message has more than ${TEXT_CHARACTERS} characters`);
    const clientId = typeof clientCorrelator === "string" ? clientCorrelator : undefined;
    if (clientId !== undefined && clientId.length > CORRELATOR_CHARACTERS)
      return failure(400, "5000", `clientCorrelator has more than ${CORRELATOR_CHARACTERS} characters`);
    const to = receiverOf(receiverAddress);
    if (to === undefined) return failure(400, "5000", "receiverAddress is a list of one MSISDN in digits");
    const from = String(senderAddress);
    return { from, to, text, clientId, wantsReceipt: true, receiptUrl: this.#notifyUrlOf(from) };
  }

  refusal(reason: RefusalReason): SimulatedAnswer {
    return rejectionOf(reason, "clientCorrelator");
  }

  accepted({ from, clientId }: SimulatedSubmission, id: string): SimulatedAnswer {
    const transactionId = this.#transactionIdOf(id, clientId);
    if (this.options.api === "v2-migrated") return success(200, { status: "PENDING" }, { transactionId });
    const _link = { self: { href: `${HOST}${API}/${encodeURIComponent(from)}/${id}` } };
    const correlator = clientId !== undefined && { clientCorrelator: clientId };
    return success(201, { requestId: id, ...correlator }, { transactionId, _link });
  }

  /** The contract nests a receipt without saying in what; this is the form that the client in production receives. */
  receipt(entry: Accepted, state: ReceiptState): SimulatedCallback | undefined {
    const url = entry.http?.receiptUrl ?? this.options.receiptUrl;
    if (url === undefined) return undefined;
    const word = MTN_WORDS[this.options.vocabulary ?? "v2"][state];
    const transactionId = this.#transactionIdOf(entry.id, entry.http?.clientId);
    return receiptTo(url, entry, word, { transactionId });
  }

  inbound(message: HandsetReply): SimulatedCallback | undefined {
    const { inboundUrl } = this.options;
    return inboundUrl === undefined ? undefined : messageTo(inboundUrl, message);
  }

  /** A migrated country returns the client's correlator. Otherwise it is the request's id here, a guess. */
  #transactionIdOf(id: string, clientId: string | undefined): string {
    return this.options.api === "v2-migrated" ? (clientId ?? id) : id;
  }

  #notifyUrlOf(sender: string): string | undefined {
    return [...this.#subscriptions.values()].findLast((one) => one.sender === sender)?.notifyUrl;
  }

  #subscribe({ method, path, body }: SimulatedRequest, sender: string, id: string | undefined) {
    const self = (href: string) => ({ _link: { self: { href: `${HOST}${href}` } } });
    if (method === "DELETE" && id !== undefined)
      return this.#subscriptions.delete(id)
        ? success(200, {}, self(path))
        : failure(404, "5000", "There is no such subscription");
    if (method !== "POST" || id !== undefined) return failure(405, "5000", "Method not allowed");
    const { notifyUrl, targetSystem } = objectIn(body) ?? {};
    if (typeof notifyUrl !== "string" || typeof targetSystem !== "string")
      return failure(400, "5000", "notifyUrl and targetSystem are mandatory");
    if (this.#subscriptions.size >= SUBSCRIPTIONS_AT_MOST)
      return failure(403, "5000", "Too many subscriptions");
    const subscriptionId = randomUUID();
    this.#subscriptions.set(subscriptionId, { sender, notifyUrl });
    return success(201, { subscriptionId }, self(path));
  }
}

/** Returns what `deliveryStatus` says of a message: its final state, also where its receipt is lost or late. */
function statusOf({ path }: SimulatedRequest, entry: Accepted | undefined): SimulatedAnswer {
  if (entry === undefined) return failure(404, "5000", "There is no such request");
  const state = httpOutcomeOf(entry.to).states.at(-1) ?? "ENROUTE";
  const deliveryStatus = [{ receiverAddress: entry.to, status: MTN_WORDS.v2[state] }];
  const { clientId } = entry.http ?? {};
  const correlator = clientId !== undefined && { clientCorrelator: clientId };
  const _link = { self: { href: `${HOST}${path}` } };
  return success(200, { requestId: entry.id, ...correlator, deliveryStatus }, { _link });
}

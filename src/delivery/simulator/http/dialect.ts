// What one HTTP carrier has of its own: how it is called, how it answers, and how it reports.
import type { ReceiptState } from "../../../protocol/smpp/receipts.ts";
import type { Accepted } from "../journal.ts";
import type { SimulatedAnswer, SimulatedRequest } from "./exchange.ts";

/** A message that a request asks to send. `to` is international without `+`. */
export interface SimulatedSubmission {
  from: string;
  to: string;
  text: string;
  /** The client's own id, if it gave one. */
  clientId?: string | undefined;
  /** False if the request asks for no receipt. */
  wantsReceipt: boolean;
  receiptUrl?: string | undefined;
  /** Accepted, but no handset will get it. */
  isSwallowed?: boolean;
}

/** A request of the carrier to its client. */
export interface SimulatedCallback {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** A message that a simulated handset writes. */
export interface HandsetReply {
  from: string;
  to: string;
  text: string;
}

/** Why a carrier refuses a message that it has read. */
export type RefusalReason = "invalid-number" | "throttled" | "repeated";

export interface SimulatedDialect {
  /** Name of the client in the log. */
  readonly system: string;
  readonly tokensIssued: number;
  isSend(request: SimulatedRequest): boolean;
  isToken(request: SimulatedRequest): boolean;
  /** Answers everything else: tokens, accounts, subscriptions, unknown paths. `find` takes any id of a message. */
  answer(request: SimulatedRequest, find: (id: string) => Accepted | undefined): SimulatedAnswer;
  /** Returns what a request asks to send, or the answer that refuses it. */
  read(request: SimulatedRequest): SimulatedSubmission | SimulatedAnswer;
  /** The last check, whose effect counts: takes the units of a message. Returns the answer that refuses it, if any. */
  charge(submission: SimulatedSubmission): SimulatedAnswer | undefined;
  refusal(reason: RefusalReason, submission: SimulatedSubmission): SimulatedAnswer;
  /** The answer of the fault `error-in-200`. */
  errorIn200(submission: SimulatedSubmission): SimulatedAnswer;
  newId(): string;
  accepted(submission: SimulatedSubmission, id: string): SimulatedAnswer;
  /** Returns the receipt of a message; undefined if no URL is known for it. */
  receipt(entry: Accepted, state: ReceiptState): SimulatedCallback | undefined;
  /** Returns a receipt as somebody else would write it, without the secret that protects the true one. */
  forgery(entry: Accepted, state: ReceiptState): SimulatedCallback | undefined;
  /** Returns a message from a handset; undefined if no URL is known for it. */
  inbound(message: HandsetReply): SimulatedCallback | undefined;
}

/** GSMA OneAPI's words for the states of a message, which Orange and MTN's v2 use. */
export const ONE_API_WORDS: Readonly<Record<ReceiptState, string>> = {
  ENROUTE: "DeliveredToNetwork",
  ACCEPTED: "MessageWaiting",
  DELIVERED: "DeliveredToTerminal",
  EXPIRED: "DeliveryImpossible",
  DELETED: "DeliveryImpossible",
  UNDELIVERED: "DeliveryImpossible",
  REJECTED: "DeliveryImpossible",
  UNKNOWN: "DeliveryUncertain",
};

/** Returns a callback with a JSON body. */
export function jsonCallback(url: string, value: unknown): SimulatedCallback {
  return {
    method: "POST",
    url,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(value),
  };
}

/** Returns a callback with a form as its body. */
export function formCallback(url: string, fields: Record<string, string>): SimulatedCallback {
  return {
    method: "POST",
    url,
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  };
}

/** Returns the callback as it looks to somebody who guesses the last part of its path. */
export function misdirected(callback: SimulatedCallback | undefined): SimulatedCallback | undefined {
  if (callback === undefined) return undefined;
  const url = new URL(callback.url);
  url.pathname = url.pathname.replace(/[^/]*$/, "guessed");
  return { ...callback, url: url.href };
}

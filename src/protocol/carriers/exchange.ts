// What passes between the transport and an open connector: requests, responses, outcomes, receipts. Only data.
import type { IncomingResponse, OutgoingRequest } from "../../platform/http/exchange.ts";
import type { CallbackAnswer, CarrierState } from "./connector.ts";

/**
 * A message to be sent. `to`: digits in international format. `text`: the whole text, or that of one part if we split.
 * `parts`: segments. `receiptUrl` is empty if no receipt can reach us. `leftMs`: validity that is left; absent if
 * unlimited.
 */
export type CarrierMessage = {
  id: string;
  to: string;
  from: string;
  text: string;
  parts: number;
  unicode: boolean;
  part?: { number: number; total: number; reference: number };
  receiptUrl: string;
  leftMs?: number;
};

export type CarrierRequest = OutgoingRequest;
export type CarrierResponse = IncomingResponse;

/** Headers by their names in lower case, as Node and undici give them. */
export type CarrierHeaders = CarrierResponse["headers"];

/**
 * What became of a request. A `code` is the failure or trouble, with the carrier's own code after a colon if it gave a
 * plain one (`invalid-number:402`).
 */
export type CarrierOutcome =
  | { is: "accepted"; id: string }
  | { is: "throttled"; waitMs: number; code: string }
  | { is: "temporary"; code: string }
  | { is: "permanent"; code: string }
  | { is: "unserved"; code: string }
  | { is: "account"; code: string }
  | { is: "unknown"; code: string };

/**
 * A receipt. `id` is the carrier's (empty if it gave only ours), `ownId` ours. `word` is the carrier's word for the
 * state; if the connector does not know it, `isKnown` is false and the state is `sent`, which is not final.
 */
export type CarrierReceipt = {
  id: string;
  ownId: string | undefined;
  phone: string;
  sender: string;
  state: CarrierState;
  word: string;
  isKnown: boolean;
  error: string | null;
  at: Date | undefined;
};

/** A message from a handset. Numbers are as the carrier writes them, without `tel:` and `+`. */
export type CarrierInbound = { id: string | undefined; from: string; to: string; text: string };

/** A request of the carrier to us. `url` is as the carrier sees it. */
export type CarrierCallback = {
  method: "GET" | "POST";
  url: string;
  headers: CarrierHeaders;
  body: Uint8Array;
};

/** What a callback contains. `ignored` counts items that are neither receipts nor messages. */
export type CallbackContents = {
  receipts: CarrierReceipt[];
  inbound: CarrierInbound[];
  ignored: number;
  answer: CallbackAnswer;
};

/** What a token endpoint answered. Troubles concern the account, `temporary` may be tried again. */
export type TokenAnswer = { token: string; lifeMs: number } | { trouble: string } | { temporary: string };

/** The state of one message, in a receipt or in the answer to a status query. */
export type CarrierStatus = Pick<CarrierReceipt, "state" | "word" | "isKnown" | "error" | "at">;

/** The message of a status query: our id, and the carrier's if it is known. */
export type AskedMessage = { id: string; carrierId: string };

/**
 * What a carrier says of one message. `known`: it has the message, in this state, under this id. `absent`: it certainly
 * does not have it. `nothing`: the answer says neither. `unavailable`: it answers no queries now.
 */
export type StatusAnswer =
  | ({ is: "known"; id: string } & CarrierStatus)
  | { is: "absent" }
  | { is: "nothing" }
  | { is: "unavailable"; waitMs: number };

/** A connector with the values of its fields: templates are compiled once. */
export interface OpenConnector {
  /** The origin of the URL to which messages are sent, such as `https://api.orange.com`. */
  readonly origin: string;
  /** Identifies the account at the carrier; empty if the connector does not say. */
  readonly account: string;
  readonly isIdempotent: boolean;
  readonly splits: "peer" | "us";
  readonly charactersAtMost: number | undefined;
  /** Undefined unless the connector uses OAuth 2. */
  tokenRequest(): CarrierRequest | undefined;
  tokenOf(response: CarrierResponse): TokenAnswer;
  sendRequest(message: CarrierMessage, token: string | undefined): CarrierRequest;
  outcomeOf(response: CarrierResponse, message: Pick<CarrierMessage, "id">): CarrierOutcome;
  readonly hasReceipts: boolean;
  receive(callback: CarrierCallback): CallbackContents;
  isAuthentic(callback: CarrierCallback): "yes" | "no" | "not-configured";
  /** The id that the status query of the carrier needs; undefined if there is no such query. */
  readonly asksBy: "id" | "carrierId" | undefined;
  /** Undefined if the carrier has no status query. */
  statusRequest(message: AskedMessage, token: string | undefined): CarrierRequest | undefined;
  statusOf(response: CarrierResponse, message: AskedMessage): StatusAnswer;
  balanceRequest(token: string | undefined): CarrierRequest | undefined;
  balanceOf(response: CarrierResponse): { units: string; unit: string } | undefined;
}

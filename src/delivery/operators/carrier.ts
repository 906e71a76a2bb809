// A carrier: the transport that takes the messages of one bind, and its answers in one form, whatever the protocol.
import type { AskedMessage, CarrierMessage, StatusAnswer } from "../../protocol/carriers/exchange.ts";
import type { SubmitAnswer } from "../../protocol/smpp/inflight.ts";
import type { OutgoingMessage } from "../../protocol/smpp/pdu.ts";
import { type Book, nameOfStatus, THROTTLE_WAIT_MS, type Verdict, verdictOf } from "./codes.ts";

/** One request to a carrier: a submit_sm, or a message over HTTP. `Carrier.requestsOf` builds it. */
export type Outgoing = OutgoingMessage | CarrierMessage;

/** A message to be sent. `sendId` and `number` identify it. */
export type Submittable = {
  sendId: string;
  number: number;
  phone: string;
  sender: string;
  body: string;
  reference: number;
};

/** `clock`: milliseconds since 1970. `leftMs`: after this time it is useless that the operator tries. */
export type When = { clock: number; leftMs?: number };

/** `parts`: the short messages that the handset gets, even if one request carries them all. */
export type Submission = { requests: Outgoing[]; parts: number };

/** What an answer means for its message. `waitMs`: how long a throttled message waits. */
export type CarrierAnswer = {
  verdict: Verdict;
  /** The carrier's id of an accepted message; may be empty. */
  messageId: string;
  /** The carrier's error code, as the message shows it; empty if there is none. */
  code: string;
  waitMs: number;
};

/**
 * Why a session ended. `isRefused`: the carrier refuses our account, for the reason in `detail`. `isDown`: it can be
 * reached, and takes no message.
 */
export type CarrierEnd = { kind: string; detail: string; isRefused?: boolean; isDown?: boolean };

/** A message to ask about. `lostMs`: the time since its fate became unknown; 0 if the carrier has accepted it. */
export type AskedAbout = AskedMessage & { lostMs: number };

/** The status query of a carrier. `by`: the id that it needs. `ask` never rejects for a fault of the carrier. */
export type StatusQueries = { by: "id" | "carrierId"; ask(message: AskedAbout): Promise<StatusAnswer> };

/** A session as the sender of messages sees it. */
export type Carrier = {
  /** Builds the requests of a message, in order. Throws if the message cannot be encoded. */
  requestsOf(message: Submittable, when: When): Submission;
  /**
   * Sends one request. Rejects with `NotSent`, `InvalidField` (both: never sent), `SessionLost` or `ResponseTimeout`
   * (both: fate unknown).
   */
  submit(request: Outgoing): Promise<CarrierAnswer>;
  /** How long a carrier that is well may take to answer; undefined: seconds. */
  readonly slowMs?: number;
  /** Whether `submit` would send now. */
  readonly ready: boolean;
  /** Whether the carrier has not answered any message of this session yet: it gets one at a time until then. */
  readonly isUnproven?: boolean;
  /** Why the session ends, while it does so because the carrier takes nothing from us. */
  readonly ending?: CarrierEnd | undefined;
  /** Whether nothing more is sent, not even answers to the carrier. `closed` resolves soon after. */
  readonly isClosed: boolean;
  /** Resolves once, when the session is over. Never rejects. */
  readonly closed: Promise<CarrierEnd>;
  abort(why?: string): void;
  /** Ends the session once its requests are answered. */
  unbind(): Promise<void>;
  /** Resolves when nothing that the carrier delivered is being handled any more. */
  handled(): Promise<void>;
  /** Undefined if the carrier cannot be asked about a message. */
  readonly queries?: StatusQueries | undefined;
};

/** Returns the meaning of the answer to a submit_sm. The operator's table of codes comes first. */
export function carrierAnswerOf({ status, messageId }: SubmitAnswer, book: Book): CarrierAnswer {
  if (status === 0) return { verdict: "accepted", messageId, code: "", waitMs: 0 };
  const verdict = verdictOf(status, book);
  return { verdict, messageId, code: nameOfStatus(status), waitMs: THROTTLE_WAIT_MS.get(status) ?? 0 };
}

/** The carrier refuses our account, for the reason in `code`. */
export class AccountRefused extends Error {
  override readonly name = "AccountRefused";
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

// What can happen to a message at a simulated HTTP carrier: the faults, and the receipts by the last four digits.
import type { ReceiptState } from "../../../protocol/smpp/receipts.ts";
import { type SimulatedOutcome, simulatedOutcomeOf } from "../outcomes.ts";

/** Each fault strikes every n-th message (`token-down`: token request); 0 is never. They may be changed at any time. */
export const NO_HTTP_FAULTS = {
  /** The connection is cut before the message is accepted. */
  "cut-early": 0,
  /** The message is accepted and logged, then the connection is cut before the answer. */
  cut: 0,
  /** Accepted and logged, never answered; the connection stays open. */
  silent: 0,
  /** Accepted and logged, answered after `lateMs`. */
  late: 0,
  /** Answered with this status; not accepted. */
  "500": 0,
  "503": 0,
  "429": 0,
  /** Answered with 200 and an error in the body; not accepted. */
  "error-in-200": 0,
  /** Accepted and logged, answered with 200 and half of the JSON. */
  garbage: 0,
  /** Accepted and logged; the answer is valid and has 1 MB. */
  huge: 0,
  /** Every receipt of the message is sent twice. */
  double: 0,
  /** The receipts are sent, and answered, before the message is answered. */
  "early-receipt": 0,
  /** No receipt is ever sent. */
  "lost-receipt": 0,
  /** The receipts come in the wrong order: an intermediate one, or the failure before a delivery, comes last. */
  "out-of-order": 0,
  /** Before the true receipt somebody else sends one that says the opposite, without the signature or the secret path. */
  forged: 0,
  /** The token endpoint answers 503 with a page of HTML. */
  "token-down": 0,
};

export type HttpFault = keyof typeof NO_HTTP_FAULTS;
export type HttpFaults = Record<HttpFault, number>;

/** The receipts of these outcomes, in order. Only HTTP carriers have them, so SMPP delivers to these numbers at once. */
const IN_STEPS: Record<string, readonly ReceiptState[]> = {
  "0007": ["UNDELIVERED", "DELIVERED"],
  "0008": ["UNKNOWN"],
  "0009": ["ENROUTE", "DELIVERED"],
};

/** Returns what happens to a message to this number, and the states of its receipts in order; the last one is final. */
export function httpOutcomeOf(to: string): { outcome: SimulatedOutcome; states: readonly ReceiptState[] } {
  const outcome = simulatedOutcomeOf(to);
  const states = IN_STEPS[to.slice(-4)] ?? (outcome.receipt === null ? [] : [outcome.receipt]);
  return { outcome, states };
}

/** Returns the states in an order that nobody expects. */
export function outOfOrder(states: readonly ReceiptState[]): ReceiptState[] {
  return states.length > 1 ? states.toReversed() : [...states, "ENROUTE"];
}

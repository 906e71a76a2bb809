// The outcome of a message, chosen by the last four digits of its destination; and the faults that can be enabled.

import { STATUS } from "../../protocol/smpp/pdu.ts";
import type { ReceiptState } from "../../protocol/smpp/receipts.ts";

export interface SimulatedOutcome {
  /** Refused with this command_status. */
  refusedWith?: number;
  /** Throttled this many times before it is accepted. */
  throttledTimes?: number;
  /** The state in the receipt; null: none is ever sent. */
  receipt: ReceiptState | null;
  /** The receipt's `err:` field. */
  errorCode: string;
  receiptDelayMs?: number;
}

const DELIVERED: SimulatedOutcome = { receipt: "DELIVERED", errorCode: "000" };

const OUTCOMES: Record<string, SimulatedOutcome> = {
  "0001": { ...DELIVERED, refusedWith: STATUS.ESME_RINVDSTADR },
  "0002": { receipt: "UNDELIVERED", errorCode: "001" },
  "0003": { ...DELIVERED, receipt: null },
  "0004": { ...DELIVERED, throttledTimes: 2 },
  "0005": { ...DELIVERED, receiptDelayMs: 5_000 },
  "0006": { receipt: "EXPIRED", errorCode: "002" },
};

/** Returns the outcome for a destination address. */
export function simulatedOutcomeOf(destination: string): SimulatedOutcome {
  return OUTCOMES[destination.slice(-4)] ?? DELIVERED;
}

/** Each fault strikes every n-th message; 0 is never. They may be changed while the simulator runs. */
export const NO_FAULTS = {
  /** The connection falls before the message is read: it is not accepted (S05). */
  dropBeforeReading: 0,
  /** The message is accepted and logged, then the connection falls before the answer (S06). */
  dropAfterAccept: 0,
  /** Accepted and logged, never answered, and the connection stays open (S08). */
  noAnswer: 0,
  /** Answered twice (S09). */
  duplicateAnswer: 0,
  /** Answered ESME_ROK without a message_id; receipts have the real one (S12). */
  emptyMessageId: 0,
  /** Answered with the message_id of the message before (S13). */
  repeatedMessageId: 0,
  /** Accepted and logged, then the operator unbinds, and closes as soon as that is answered (S20). */
  unbind: 0,
  /** Refused with ESME_RSYSERR (S03). */
  systemError: 0,
};

export type Fault = keyof typeof NO_FAULTS;
export type Faults = Record<Fault, number>;

/** Counts messages by fault. */
export class FaultClock<Name extends string> {
  readonly faults: Record<Name, number>;
  readonly #seen: Record<Name, number>;

  /** `none` has every fault at 0; `faults` enables some. */
  constructor(none: Record<Name, number>, faults: Partial<Record<Name, number>> = {}) {
    this.faults = { ...none, ...faults };
    this.#seen = { ...none };
  }

  /** Whether the fault strikes this message, the n-th for which it is called. */
  strikes(fault: Name): boolean {
    const every = this.faults[fault];
    return every > 0 && ++this.#seen[fault] % every === 0;
  }
}

/** A throttled text is remembered until it is accepted; beyond this many at once the oldest is forgotten. */
const MAX_THROTTLED = 10_000;

/** Counts how often each text was throttled by its outcome (0004). */
export class ThrottledTexts {
  readonly #times = new Map<string, number>();

  /** Whether the text with this key has not been throttled as often as its outcome says. */
  isThrottled(key: string, { throttledTimes = 0 }: SimulatedOutcome): boolean {
    if (throttledTimes === 0) return false;
    const times = this.#times.get(key) ?? 0;
    this.#times.delete(key);
    if (times >= throttledTimes) return false;
    if (this.#times.size >= MAX_THROTTLED) this.#times.delete(this.#times.keys().next().value ?? "");
    this.#times.set(key, times + 1);
    return true;
  }
}

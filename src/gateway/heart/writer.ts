// The writer writes messages to one session, and decides what each answer means for its message.
import { nameOfStatus, type Pace, type Routing, SILENCE_MS, verdictOf } from "../../operators/operators.ts";
import {
  LANE,
  type MessageOutcome,
  type Move,
  type QueuedMessage,
  type UnknownTimes,
  unknownMove,
} from "../../sends/sends.ts";
import { normaliseMessageId, type OutgoingMessage, STATUS, type SubmitAnswer } from "../../smpp/smpp.ts";
import { phoneEnd } from "../../sms/sms.ts";
import { referenceId } from "../receipts.ts";
import type { Emit, Now, Unanswered } from "./events.ts";
import type { Pending } from "./pending.ts";
import { type SubmitTerms, submissionOf } from "./submit.ts";
import type { Window } from "./window.ts";

const RETRIES_AT_MOST = 3;
const RETRY_AFTER_MS = 30_000;
const RETRY_JITTER = 0.2;

/** A batch that the session has. `open` counts its messages that are not settled and not moved. */
export type Batch = {
  id: string;
  lane: number;
  /** Empty except for bulk. */
  accountId: string;
  expiresAt: number;
  intent: number;
  open: number;
  canceled: boolean;
};

export type Item = {
  batch: Batch;
  message: QueuedMessage;
  /** Its submit_sm. They are made when it is first written. */
  pdus: OutgoingMessage[];
  /** The short messages that the handset gets. More than those that were charged are ours to pay. */
  parts: number;
  next: number;
  accepted: number;
  /** The window slots that it keeps from its intent until its outcome is committed. */
  slots: number;
};

/** A message that an answer proves accepted in full, after the time for it was over. */
export type Proven = { message: QueuedMessage; operatorMessageId: string };

/** What the heart of a link is told once. */
export type LinkTerms = SubmitTerms & {
  pace: Pace;
  routing: Routing;
  operator: {
    id: string;
    send_window: number;
    message_id_form: Parameters<typeof normaliseMessageId>[1];
  };
  /** How long messages of unknown fate wait. */
  times: UnknownTimes;
  /** The text of a one-time password, which waits sealed. */
  unseal: (message: QueuedMessage) => string;
  /** From 0 to below 1. */
  random: () => number;
};

/**
 * Writes messages whose intent is committed. Segments of one message go one after another; messages go side by side.
 * What needs no more writing waits in `pending`, and its slots are free once that is committed.
 */
export class Writer {
  readonly #terms: LinkTerms;
  readonly #window: Window;
  readonly #pending: Pending;
  readonly #emit: Emit;
  readonly #written = new Set<Item>();
  /** Put off by the operator, and surely not accepted. They keep their slots. */
  #putOff: Item[] = [];
  readonly #timedOut = new WeakMap<OutgoingMessage, Item>();
  #isEnded = false;

  constructor(terms: LinkTerms, window: Window, pending: Pending, emit: Emit) {
    this.#terms = terms;
    this.#window = window;
    this.#pending = pending;
    this.#emit = emit;
  }

  /** Whether messages wait because the operator throttled. */
  get stalled(): boolean {
    return this.#putOff.length > 0;
  }

  /** The phones of the messages that wait for an answer, by their ends. */
  awaitedPhones(): Set<string> {
    return new Set([...this.#written].map(({ message }) => phoneEnd(message.phone)));
  }

  /** Writes what was put off, as far as the pace allows now. */
  writePutOff(now: Now): void {
    let count = now.isReady ? Math.min(this.#putOff.length, this.#terms.pace.room(now.ms)) : 0;
    while (count-- > 0) this.write(this.#putOff.shift()!, now);
  }

  /** Writes the next segment that the operator has not accepted yet. */
  write(item: Item, now: Now): void {
    const { batch } = item;
    if (this.#isEnded) {
      this.#leave(item, retryMove(item, 0));
      return;
    }
    if (isDropped(item)) {
      this.#settle(item, "CANCELED", "", null);
      return;
    }
    const leftMs = batch.expiresAt - now.clock;
    if (leftMs <= 0) {
      this.#settle(item, "EXPIRED", "", "expired");
      return;
    }
    if (item.pdus.length === 0 && !this.#encode(item, now.clock, leftMs)) return;
    while (item.accepted & (1 << item.next)) item.next++;
    const pdu = item.pdus[item.next];
    if (!pdu) {
      this.#settle(item, "SENT", "", null);
      return;
    }
    this.#written.add(item);
    this.#terms.pace.take(1);
    this.#emit({ kind: "write", item, pdu });
  }

  /** Makes the submit_sm. A message that cannot be encoded is refused alone, and its batch goes on (M15). */
  #encode(item: Item, clock: number, leftMs: number): boolean {
    const { unseal } = this.#terms;
    try {
      const { message } = item;
      const { pdus, parts } =
        item.batch.lane === LANE.otp
          ? submissionOf({ ...message, body: unseal(message) }, this.#terms, { clock, leftMs })
          : submissionOf(message, this.#terms, { clock });
      item.pdus = pdus;
      item.parts = parts;
      return true;
    } catch (error) {
      this.#refuse(item, error);
      return false;
    }
  }

  #refuse(item: Item, error: unknown): void {
    this.#emit({ kind: "unfit", item, error });
    this.#settle(item, "REJECTED", "", "not-encodable");
  }

  onAnswer(item: Item, answer: SubmitAnswer, now: Now): void {
    this.#written.delete(item);
    const { pace, random, settings } = this.#terms;
    const verdict = verdictOf(answer.status, settings);
    if (verdict === "accepted") this.#onAccepted(item, answer.messageId, now);
    else if (verdict === "throttled") {
      pace.slowDown(SILENCE_MS.get(answer.status)!, now.ms);
      this.#putOff.push(item);
    } else if (verdict === "retry" && item.message.retries < RETRIES_AT_MOST) {
      const jitter = 1 - RETRY_JITTER + 2 * RETRY_JITTER * random();
      this.#leave(item, retryMove(item, RETRY_AFTER_MS * jitter));
    } else this.#settle(item, "REJECTED", "", nameOfStatus(answer.status));
  }

  #onAccepted(item: Item, messageId: string, now: Now): void {
    this.#terms.pace.accept(1, now.ms);
    item.accepted |= 1 << item.next++;
    if (item.next < item.pdus.length) this.write(item, now);
    else this.#settle(item, "SENT", messageId, null);
  }

  onUnanswered({ item, pdu, why, error }: Unanswered): void {
    // The next session recovers what was written on a lost one.
    if (why === "lost" || this.#isEnded) return;
    this.#written.delete(item);
    if (why === "unsent") this.#putOff.push(item);
    else if (why === "unfit") this.#refuse(item, error);
    else {
      this.#timedOut.set(pdu, item);
      this.#leave(item, this.#unknownMove(item));
    }
  }

  /** An answer that comes late proves acceptance if it is of the last segment. */
  onLateAnswer(pdu: OutgoingMessage, answer: SubmitAnswer): void {
    const item = this.#timedOut.get(pdu);
    if (!item || answer.status !== STATUS.ESME_ROK || item.next < item.pdus.length - 1) return;
    const proven = { message: item.message, operatorMessageId: this.#idOf(item.message, answer.messageId) };
    this.#emit({ kind: "settleLate", proven });
  }

  /**
   * Ends the session's writing. Messages put off are tried again, and those accepted in part are of unknown fate. The
   * next session recovers the rest as of unknown fate.
   */
  end(): void {
    this.#isEnded = true;
    for (const item of this.#putOff) this.#leave(item, retryMove(item, 0));
    for (const item of this.#written) if (item.accepted) this.#leave(item, this.#unknownMove(item));
    this.#putOff = [];
    this.#written.clear();
  }

  #settle(item: Item, status: MessageOutcome["status"], messageId: string, error: string | null): void {
    const operatorMessageId = status === "SENT" ? this.#idOf(item.message, messageId) : null;
    this.#pending.outcomes.push({ message: item.message, status, operatorMessageId, error });
    this.#release(item);
  }

  #leave(item: Item, move: Move): void {
    this.#pending.moves.push(move);
    this.#release(item);
  }

  #release(item: Item): void {
    item.batch.open--;
    this.#window.answer(item.slots);
  }

  /** The id of an answer, in the form that receipts have. Without one, receipts find the message by our reference. */
  #idOf(message: QueuedMessage, messageId: string): string {
    return messageId === ""
      ? referenceId(message)
      : normaliseMessageId(messageId, this.#terms.operator.message_id_form);
  }

  #unknownMove({ message, accepted, batch }: Item): Move {
    return unknownMove(message, { lane: batch.lane, accepted }, this.#terms.times);
  }
}

function retryMove({ message, accepted }: Item, waitMs: number): Move {
  return { message, accepted, fate: "retry", waitMs: Math.round(waitMs), expireMs: null };
}

/** Whether a message was canceled in time. It is finished if the operator has a part of it: half a text is worse. */
export function isDropped({ batch, accepted }: Item): boolean {
  return batch.canceled && accepted === 0;
}

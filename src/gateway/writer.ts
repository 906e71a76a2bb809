// The writer writes messages to one session, and decides what each answer means for its message.
import { nowMs } from "../kernel/clock.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { type Link, nameOfStatus, SILENCE_MS, verdictOf } from "../operators/operators.ts";
import {
  LANE,
  type MessageOutcome,
  type Move,
  type QueuedMessage,
  unknownMove,
  unsealText,
} from "../sends/sends.ts";
import {
  NotSent,
  normaliseMessageId,
  type OutgoingMessage,
  ResponseTimeout,
  SessionLost,
  type SubmitAnswer,
} from "../smpp/smpp.ts";
import { submitSmsOf } from "./submit.ts";

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
  next: number;
  accepted: number;
  /** The window slots that it keeps from its intent until its outcome is committed. */
  slots: number;
};

/** Hears when a message needs no more writing. Its slots are free once that is committed. */
export type WriterUser = {
  settle(item: Item, outcome: MessageOutcome): void;
  leave(item: Item, move: Move): void;
  /** Something was put off. The pace decides when it goes on. */
  putOff(): void;
};

/**
 * Writes messages whose intent is committed. Segments of one message go one after another; messages go side by side.
 */
export class Writer {
  readonly #app: Runtime;
  readonly #link: Link;
  readonly #told: WriterUser;
  readonly #written = new Set<Item>();
  /** Put off by the operator, and surely not accepted. They keep their slots. */
  #putOff: Item[] = [];
  readonly #timedOut = new WeakMap<OutgoingMessage, Item>();

  constructor(app: Runtime, link: Link, told: WriterUser) {
    this.#app = app;
    this.#link = link;
    this.#told = told;
  }

  /** Whether messages wait because the operator throttled. */
  get stalled(): boolean {
    return this.#putOff.length > 0;
  }

  /** Writes what was put off, as far as the pace allows now. */
  writePutOff(): void {
    while (this.#putOff.length > 0 && this.#link.pace.room() > 0 && this.#link.session.ready)
      this.write(this.#putOff.shift()!);
  }

  /** Writes the next segment that the operator has not accepted yet. */
  write(item: Item): void {
    const { batch } = item;
    // A message is finished if the operator has a part of it, because half a text is worse than a whole one.
    if (batch.canceled && item.accepted === 0) {
      this.#settle(item, "CANCELED", "", null);
      return;
    }
    const leftMs = batch.expiresAt - nowMs();
    if (leftMs <= 0) {
      this.#settle(item, "EXPIRED", "", "expired");
      return;
    }
    if (item.pdus.length === 0 && !this.#encode(item, leftMs)) return;
    while (item.accepted & (1 << item.next)) item.next++;
    const pdu = item.pdus[item.next];
    if (pdu) this.#submit(item, pdu);
    else this.#settle(item, "SENT", "", null);
  }

  #submit(item: Item, pdu: OutgoingMessage): void {
    this.#written.add(item);
    this.#link.pace.take(1);
    this.#link.session.submit(pdu).then(
      (answer) => this.#onAnswer(item, answer),
      (error: Error) => this.#onNoAnswer(item, pdu, error),
    );
  }

  /** Makes the submit_sm. A message that cannot be encoded is refused alone, and its batch goes on (M15). */
  #encode(item: Item, leftMs: number): boolean {
    try {
      const { message } = item;
      const { concatenation } = this.#link.operator;
      if (item.batch.lane === LANE.otp) {
        const body = unsealText(this.#app, message.sendId, message.body);
        item.pdus = submitSmsOf({ ...message, body }, concatenation, leftMs / 1000);
      } else item.pdus = submitSmsOf(message, concatenation);
      return true;
    } catch (error) {
      this.#refuse(item, error as Error);
      return false;
    }
  }

  #refuse(item: Item, error: Error): void {
    this.#app.log.error({ err: error, send: item.message.sendId }, "a message could not be encoded");
    this.#settle(item, "REJECTED", "", "not-encodable");
  }

  #onAnswer(item: Item, answer: SubmitAnswer): void {
    this.#written.delete(item);
    const verdict = verdictOf(answer.status);
    if (verdict === "accepted") this.#onAccepted(item, answer.messageId);
    else if (verdict === "throttled") {
      this.#link.pace.slowDown(SILENCE_MS.get(answer.status)!);
      this.#putOff.push(item);
      this.#told.putOff();
    } else if (verdict === "retry" && item.message.retries < RETRIES_AT_MOST) {
      const jitter = 1 - RETRY_JITTER + 2 * RETRY_JITTER * Math.random();
      this.#told.leave(item, retryMove(item, RETRY_AFTER_MS * jitter));
    } else this.#settle(item, "REJECTED", "", nameOfStatus(answer.status));
  }

  #onAccepted(item: Item, messageId: string): void {
    this.#link.pace.accept(1);
    item.accepted |= 1 << item.next++;
    if (item.next < item.pdus.length) this.write(item);
    else this.#settle(item, "SENT", messageId, null);
  }

  #onNoAnswer(item: Item, pdu: OutgoingMessage, error: Error): void {
    if (error instanceof ResponseTimeout) {
      this.#timedOut.set(pdu, item);
      this.#written.delete(item);
      this.#told.leave(item, this.#unknownMove(item));
    } else if (error instanceof NotSent) {
      this.#written.delete(item);
      this.#putOff.push(item);
    } else if (!(error instanceof SessionLost)) {
      // Its fields do not fit into a submit_sm, so nothing of it was written.
      this.#written.delete(item);
      this.#refuse(item, error);
    }
    // Otherwise the session is lost. The message stays in `#written`, for `end` or the next session.
  }

  /** The message that an answer after `ResponseTimeout` proves accepted in full; undefined if it proves none. */
  provenByLateAnswer(
    pdu: OutgoingMessage,
    answer: SubmitAnswer,
  ): { message: QueuedMessage; operatorMessageId: string } | undefined {
    const item = this.#timedOut.get(pdu);
    if (!item || verdictOf(answer.status) !== "accepted" || item.next < item.pdus.length - 1)
      return undefined;
    return { message: item.message, operatorMessageId: this.#idOf(answer.messageId) };
  }

  /**
   * Ends the session's writing. Returns moves for messages put off, and for those accepted in part. The next session
   * recovers the rest as of unknown fate.
   */
  end(): Move[] {
    const moves = this.#putOff.map((item) => retryMove(item, 0));
    for (const item of this.#written) if (item.accepted) moves.push(this.#unknownMove(item));
    this.#putOff = [];
    this.#written.clear();
    return moves;
  }

  #settle(item: Item, status: MessageOutcome["status"], messageId: string, error: string | null): void {
    const operatorMessageId = messageId ? this.#idOf(messageId) : null;
    this.#told.settle(item, { message: item.message, status, operatorMessageId, error });
  }

  /** The id of an answer, in the form that receipts have. */
  #idOf(messageId: string): string {
    return normaliseMessageId(messageId, this.#link.operator.message_id_form);
  }

  #unknownMove(item: Item): Move {
    const { message, accepted, batch } = item;
    return unknownMove(message, { lane: batch.lane, accepted }, this.#app.config.settings);
  }
}

function retryMove({ message, accepted }: Item, waitMs: number): Move {
  return { message, accepted, fate: "retry", waitMs: Math.round(waitMs), expireMs: null };
}

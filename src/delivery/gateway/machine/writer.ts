// The writer writes messages to one session, and decides what each answer means for its message.

import { normaliseMessageId } from "../../../protocol/smpp/receipts.ts";
import { phoneEnd } from "../../../protocol/sms/phone.ts";
import type { Carrier, CarrierAnswer, Outgoing } from "../../operators/carrier.ts";
import { AGAIN_AFTER_MS } from "../../operators/codes.ts";
import type { Pace } from "../../operators/pace.ts";
import type { Routing } from "../../operators/routing.ts";
import type { OperatorSettings } from "../../operators/settings.ts";
import { LANE } from "../../sends/queue/enqueue.ts";
import type { QueuedMessage } from "../../sends/queue/packed.ts";
import {
  isBegunElsewhere,
  type MessageOutcome,
  type Move,
  type UnknownTimes,
  unknownMove,
} from "../../sends/settlement/settle.ts";
import { referenceId } from "../finalreceipts.ts";
import type { Emit, Now, Unanswered } from "./events.ts";
import { type Batch, type Item, withPartIds } from "./items.ts";
import { dropOldest } from "./oldest.ts";
import type { Pending } from "./pending.ts";
import type { Queue } from "./queue.ts";
import type { Window } from "./window.ts";

const JITTER = 0.2;
// A throttled message waits 1, 2, 4, 8 s, and then 8 s each time; one that met a full queue waits five times as long.
const DOUBLINGS_AT_MOST = 3;
const THROTTLED_AT_MOST = 10_000;
/** Longer than others wait that were given back at the same time, so that these come before it. */
const REFUSED_AGAIN_MS = 10_000;

/** The terms of a link, fixed for its lifetime. */
export type LinkTerms = {
  requestsOf: Carrier["requestsOf"];
  settings: Pick<OperatorSettings, "submitTimeoutS">;
  /** Of `Carrier`. */
  slowMs?: number | undefined;
  pace: Pace;
  routing: Routing;
  operator: {
    id: string;
    send_window: number;
    message_id_form: Parameters<typeof normaliseMessageId>[1];
  };
  /** How long messages of unknown fate wait. */
  times: UnknownTimes;
  /** Returns the text of a one-time password, which is sealed in the queue. */
  unseal: (message: QueuedMessage) => string;
  /** Returns a number from 0 to below 1. */
  random: () => number;
};

/**
 * Writes messages whose intent is committed. Segments of one message are written one after another, messages side by
 * side. Messages that need no more writing wait in `pending`, and their slots are free once that is committed.
 */
export class Writer {
  readonly #terms: LinkTerms;
  readonly #window: Window;
  readonly #pending: Pending;
  readonly #queue: Queue;
  readonly #emit: Emit;
  readonly #written = new Set<Item>();
  /** The throttled messages: how often, and since when they wait. */
  readonly #throttles = new Map<string, { count: number; since: number }>();
  /** By lane, the messages that may be written: the intent is committed, and no segment is on the wire. */
  readonly #ready: Item[][] = [[], [], []];
  readonly #timedOut = new WeakMap<Outgoing, Item>();
  #isEnded = false;

  constructor(terms: LinkTerms, window: Window, pending: Pending, queue: Queue, emit: Emit) {
    this.#terms = terms;
    this.#window = window;
    this.#pending = pending;
    this.#queue = queue;
    this.#emit = emit;
  }

  /** The number of messages that may be written and are not. */
  get readyCount(): number {
    return this.#ready.reduce((sum, items) => sum + items.length, 0);
  }

  /** The number of these that are of a higher priority than bulk. */
  get urgentCount(): number {
    return this.#ready.slice(0, LANE.bulk).reduce((sum, items) => sum + items.length, 0);
  }

  /** The last digits of the phones of the messages that await an answer. */
  awaitedPhones(): Set<string> {
    return new Set([...this.#written].map(({ message }) => phoneEnd(message.phone)));
  }

  /** Adds a message whose intent is committed, to be written in its turn. */
  add(item: Item): void {
    if (this.#isEnded) this.#leave(item, againMove(item, "untried", 0));
    else if (isDropped(item)) this.#settle(item, "CANCELED", "", null);
    else if (this.#mustWait(item)) this.#leave(item, againMove(item, "parked", 0));
    else this.#laneOf(item.batch).push(item);
  }

  /** Parks ready messages of suspended accounts. */
  park(): void {
    for (const [lane, items] of this.#ready.entries()) {
      this.#ready[lane] = items.filter((item) => !this.#mustWait(item));
      for (const item of items) if (this.#mustWait(item)) this.#leave(item, againMove(item, "parked", 0));
    }
  }

  /** Whether a message of a suspended account must wait. If an operator has a part of it, it is finished. */
  #mustWait({ accepted, message }: Item): boolean {
    return accepted === 0 && message.accepted === 0 && this.#queue.isSuspended(message.accountId);
  }

  /** Settles ready messages of a canceled batch. */
  cancel(batch: Batch): void {
    const items = this.#laneOf(batch);
    this.#ready[batch.lane] = items.filter((item) => item.batch !== batch || !isDropped(item));
    for (const item of items)
      if (item.batch === batch && isDropped(item)) this.#settle(item, "CANCELED", "", null);
  }

  /** Gives back ready messages for other operators to send: all, or only those never on the wire. */
  giveUpReady(which: "unbegun" | "all"): void {
    const stays = (item: Item) => which === "unbegun" && item.requests.length > 0;
    for (const [lane, items] of this.#ready.entries()) {
      this.#ready[lane] = items.filter(stays);
      for (const item of items) if (!stays(item)) this.#leave(item, againMove(item, "untried", 0));
    }
  }

  /**
   * Writes ready messages, as far as window and pace allow now, in order, lower lanes first. While the operator is
   * held, only messages that were begun are finished.
   */
  writeReady(now: Now): void {
    if (this.#queue.isHeld) this.giveUpReady("unbegun");
    if (this.#isEnded || !now.isReady) return;
    for (const items of this.#ready) {
      for (let item = items[0]; item; item = items[0]) {
        if (!this.#window.mayWrite || this.#terms.pace.room(now.ms) <= 0) return;
        items.shift();
        this.#write(item, now);
      }
    }
  }

  #laneOf({ lane }: Batch): Item[] {
    return this.#ready[lane]!;
  }

  /** Writes the next segment that the operator has not accepted. */
  #write(item: Item, now: Now): void {
    const leftMs = item.batch.expiresAt - now.clock;
    if (leftMs <= 0) {
      this.#settle(item, "EXPIRED", "", "expired");
      return;
    }
    if (item.requests.length === 0 && !this.#begin(item, now.clock, leftMs)) return;
    while (item.accepted & (1 << item.next)) item.next++;
    const request = item.requests[item.next];
    if (!request) {
      this.#settle(item, "SENT", "", null);
      return;
    }
    this.#written.add(item);
    this.#window.putOnWire(now.ms);
    this.#terms.pace.take(1);
    this.#emit({ kind: "write", item, request });
  }

  /** Encodes a message, unless it was begun elsewhere and lost twice: segments are submitted twice at most. */
  #begin(item: Item, clock: number, leftMs: number): boolean {
    if (item.message.losses <= 1 || !this.#isBegunElsewhere(item)) return this.#encode(item, clock, leftMs);
    this.#leave(item, this.#unknownMove(item));
    return false;
  }

  /** Builds the requests. A message that cannot be encoded is rejected alone, and its batch continues (M15). */
  #encode(item: Item, clock: number, leftMs: number): boolean {
    const { requestsOf, unseal } = this.#terms;
    try {
      const { prefix } = item.batch;
      const sender = this.#queue.senderOf(prefix, item.message.sender);
      const message = sender === item.message.sender ? item.message : { ...item.message, sender };
      const { requests, parts } =
        item.batch.lane === LANE.otp
          ? requestsOf({ ...message, body: unseal(message) }, { clock, leftMs })
          : requestsOf(message, { clock });
      item.requests = requests;
      item.parts = parts;
      // Parts in another form, or from another operator, do not form one text on the handset.
      if (requests.length === 1 || this.#isBegunElsewhere(item))
        Object.assign(item, { accepted: 0, acceptedBefore: 0, partIds: null });
      return true;
    } catch (error) {
      this.#rejectUnfit(item, error);
      return false;
    }
  }

  #rejectUnfit(item: Item, error: unknown): void {
    this.#emit({ kind: "unfit", item, error });
    this.#settle(item, "REJECTED", "", "not-encodable");
  }

  onAnswer(item: Item, { verdict, messageId, code, waitMs }: CarrierAnswer, now: Now): void {
    this.#takeOffWire(item);
    this.#window.noteAnswer(now.ms);
    if (verdict === "accepted") this.#onAccepted(item, messageId, now);
    else if (verdict === "throttled") this.#postpone(item, waitMs, now);
    else if (verdict === "rejected") this.#settle(item, "REJECTED", "", code);
    else if (verdict === "unserved") this.#passOn(item, code);
    else if (verdict === "account") this.#leaveAccount(item);
    else this.#tryAgain(item, verdict, code);
  }

  /**
   * Leaves a message to the other operators of its prefix; rejects it if there are none, or if this one has a part of
   * it. If it was lost before, an operator may have it, and it stays of unknown fate.
   */
  #passOn(item: Item, code: string): void {
    const prefix = item.accepted === 0 ? this.#queue.prefixWithout(item.batch.prefix) : undefined;
    if (item.message.losses > 0) this.#leave(item, this.#unknownMove(item));
    else if (prefix === undefined) this.#settle(item, "REJECTED", "", code);
    else this.#leave(item, { ...againMove(item, "untried", 0), prefix });
  }

  /**
   * Gives back a message after which the carrier refused our account: its session ends, and another operator takes the
   * message at once. If there is none, the message waits: should it be the cause, the next session begins with others.
   */
  #leaveAccount(item: Item): void {
    const waitMs = this.#queue.hasOther(item.batch.prefix) ? 0 : REFUSED_AGAIN_MS;
    this.#leave(item, againMove(item, "untried", waitMs));
  }

  /** Gives back a message for a retry, unless its retries are used up. */
  #tryAgain(item: Item, verdict: keyof typeof AGAIN_AFTER_MS, code: string): void {
    const waitMs = AGAIN_AFTER_MS[verdict][item.message.retries];
    if (waitMs === undefined) this.#settle(item, "REJECTED", "", code);
    else this.#leave(item, againMove(item, "retry", waitMs * this.#jitter()));
    if (verdict === "question") this.#emit({ kind: "rebind", code });
    else if (verdict === "unknown") this.#emit({ kind: "unknownCode", code });
  }

  /**
   * Gives back a throttled message. One that is throttled alone waits alone, longer each time. One that is throttled
   * with many others waits until the link writes again. One that has waited for this operator as long as it may keep a
   * message goes to the next one: an operator takes the messages that are due since longer than those before it keep
   * theirs.
   */
  #postpone(item: Item, silenceMs: number, now: Now): void {
    const { count, since } = this.#countThrottle(item);
    const refused = this.#terms.pace.refuse(silenceMs, count > 1, now.ms);
    this.#emit({ kind: "throttled", refused });
    const doublings = Math.min(count - 1, DOUBLINGS_AT_MOST);
    const waitMs = refused === "isolated" ? silenceMs * 2 ** doublings * this.#jitter() : silenceMs;
    const keepsMs = this.#queue.keepsMs(item.batch.prefix);
    const isOverdue = now.ms + waitMs - since >= keepsMs;
    this.#leave(item, againMove(item, "untried", isOverdue ? -keepsMs : waitMs));
  }

  #countThrottle(item: Item): { count: number; since: number } {
    const key = keyOf(item);
    const { count, since } = this.#throttles.get(key) ?? { count: 0, since: item.batch.waitsSince };
    const throttle = { count: count + 1, since };
    this.#throttles.delete(key);
    this.#throttles.set(key, throttle);
    dropOldest(this.#throttles, THROTTLED_AT_MOST);
    return throttle;
  }

  #jitter(): number {
    return 1 - JITTER + 2 * JITTER * this.#terms.random();
  }

  #onAccepted(item: Item, messageId: string, now: Now): void {
    this.#terms.pace.accept(1, now.ms);
    item.accepted |= 1 << item.next++;
    if (item.next < item.requests.length) {
      item.partIds = [...(item.partIds ?? []), this.#comparable(messageId)];
      this.#write(item, now);
    } else this.#settle(item, "SENT", messageId, null);
  }

  onUnanswered({ item, request, why, error }: Unanswered): void {
    // The next session recovers messages that were written on a lost one.
    if (why === "lost" || this.#isEnded) return;
    this.#takeOffWire(item);
    if (why === "unsent") this.#putBack(item);
    else if (why === "unfit") this.#rejectUnfit(item, error);
    else {
      this.#timedOut.set(request, item);
      this.#leave(item, this.#unknownMove(item));
    }
  }

  #takeOffWire(item: Item): void {
    if (this.#written.delete(item)) this.#window.leaveWire();
  }

  /** The message was certainly not accepted, and is the next to be written. A canceled one is not written again. */
  #putBack(item: Item): void {
    if (isDropped(item)) this.#settle(item, "CANCELED", "", null);
    else if (this.#mustWait(item)) this.#leave(item, againMove(item, "parked", 0));
    else this.#laneOf(item.batch).unshift(item);
  }

  /** A late answer to the last segment proves that the message was accepted. */
  onLateAnswer(request: Outgoing, answer: CarrierAnswer): void {
    const item = this.#timedOut.get(request);
    if (!item || answer.verdict !== "accepted" || item.next < item.requests.length - 1) return;
    const message = withPartIds(item);
    const proven = { message, operatorMessageId: this.#idOf(message, answer.messageId) };
    this.#emit({ kind: "settleLate", proven });
  }

  /**
   * Ends the session's writing. Messages that are not on the wire are given back, and those accepted in part are of
   * unknown fate. The others on the wire stay among the awaited ones, since a receipt may belong to one of them: the
   * next session recovers them as of unknown fate.
   */
  end(): void {
    this.#isEnded = true;
    this.giveUpReady("all");
    for (const item of [...this.#written]) {
      if (!item.accepted) continue;
      this.#written.delete(item);
      this.#leave(item, this.#unknownMove(item));
    }
  }

  #settle(item: Item, status: MessageOutcome["status"], messageId: string, error: string | null): void {
    if (this.#throttles.size > 0) this.#throttles.delete(keyOf(item));
    const operatorMessageId = status === "SENT" ? this.#idOf(item.message, messageId) : null;
    this.#pending.outcomes.push({ message: withPartIds(item), status, operatorMessageId, error });
    this.#release(item);
  }

  /** Moves a message out of its batch, with the parts that this operator has, or else with those of another one. */
  #leave(item: Item, move: Move): void {
    const isOurs = item.requests.length > 0 && item.accepted !== 0;
    this.#pending.moves.push(isOurs ? this.#withParts(item, move) : move);
    this.#release(item);
  }

  #withParts(item: Item, move: Move): Move {
    const { accepted, acceptedBefore } = item;
    const message = withPartIds(item);
    const repeated = accepted !== acceptedBefore && (message.losses > 0 || this.#isBegunElsewhere(item));
    return { ...move, repeated, message: { ...message, accepted, acceptedBy: this.#terms.operator.id } };
  }

  #isBegunElsewhere({ message }: Item): boolean {
    return isBegunElsewhere(message, this.#terms.operator.id);
  }

  #release(item: Item): void {
    item.batch.open--;
    this.#window.outcomeKnown(item.slots);
  }

  /** Returns the id of an answer, in the form of receipts. Without one, receipts find the message by our reference. */
  #idOf(message: QueuedMessage, messageId: string): string {
    return messageId === "" ? referenceId(message) : this.#comparable(messageId);
  }

  #comparable(messageId: string): string {
    return normaliseMessageId(messageId, this.#terms.operator.message_id_form);
  }

  #unknownMove({ message, batch }: Item): Move {
    const { operator, times } = this.#terms;
    return unknownMove(message, { lane: batch.lane, operatorId: operator.id }, times);
  }
}

function againMove({ message }: Item, fate: "retry" | "untried" | "parked", waitMs: number): Move {
  return { message, fate, waitMs: Math.round(waitMs), expireMs: null };
}

function keyOf({ message }: Item): string {
  return `${message.sendId} ${message.number}`;
}

/** Whether a message was canceled in time. If an operator has a part of it, it is finished: half a text is worse. */
export function isDropped({ batch, accepted, message }: Item): boolean {
  return batch.canceled && accepted === 0 && message.accepted === 0;
}

// The requests of one session that await an answer: sequence numbers, and late, repeated and unknown answers.
import type { OutgoingMessage } from "./pdu.ts";

/** sequence_number runs from 1 to this value (sections 3.2, 5.1.4), then starts again at 1. */
export const MAX_SEQUENCE = 0x7fffffff;
/** The number of requests remembered after their time-out, so that a late answer is recognised. */
const MAX_LATE = 10_000;

/** The peer's answer. Status 0 means accepted; `messageId` may be empty even then. */
export interface SubmitAnswer {
  status: number;
  messageId: string;
}

/** No answer within `responseMs`: the fate is unknown, the session continues, a late answer goes to `onLateAnswer`. */
export class ResponseTimeout extends Error {
  override readonly name = "ResponseTimeout";
}

/** How an answer relates to our requests; `repeated`: its request was answered before. */
export type AnswerKind = "answered" | "late" | "repeated" | "unknown";

interface Pending {
  message: OutgoingMessage | undefined;
  sentAt: number;
  resolve: (answer: SubmitAnswer) => void;
  reject: (error: Error) => void;
}

/** The next number after `last` that no waiting request has; 1 follows the greatest (S26). */
export function nextSequence(last: number, isWaiting: (sequence: number) => boolean): number {
  let next = last;
  do next = next >= MAX_SEQUENCE ? 1 : next + 1;
  while (isWaiting(next));
  return next;
}

/** Whether `sequence` is among the last `issued` numbers, which end with `last`. */
export function isIssued(sequence: number, last: number, issued: number): boolean {
  if (sequence < 1 || sequence > MAX_SEQUENCE) return false;
  return (last - sequence + MAX_SEQUENCE) % MAX_SEQUENCE < issued;
}

/** In the order of sending, so that the search for expired requests reads only the oldest. */
export class InFlight {
  readonly #pending = new Map<number, Pending>();
  readonly #late = new Map<number, OutgoingMessage | undefined>();
  readonly #onLate: (message: OutgoingMessage | undefined, answer: SubmitAnswer) => void;
  #last = 0;
  #issued = 0;

  constructor(onLate: (message: OutgoingMessage | undefined, answer: SubmitAnswer) => void) {
    this.#onLate = onLate;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** The next sequence number that no waiting request has. */
  nextSequence(): number {
    this.#last = nextSequence(this.#last, (sequence) => this.#pending.has(sequence));
    this.#issued++;
    return this.#last;
  }

  /** Waits for the answer to `sequence`. `message` is passed to `onLateAnswer` if the answer is late. */
  wait(sequence: number, now: number, message?: OutgoingMessage): Promise<SubmitAnswer> {
    return new Promise((resolve, reject) => {
      this.#late.delete(sequence);
      this.#pending.set(sequence, { message, sentAt: now, resolve, reject });
    });
  }

  /** Settles the request with this `sequence`, and returns the kind of the answer. */
  answer(sequence: number, status: number, messageId: string): AnswerKind {
    const pending = this.#pending.get(sequence);
    if (pending !== undefined) {
      this.#pending.delete(sequence);
      pending.resolve({ status, messageId });
      return "answered";
    }
    if (this.#late.has(sequence)) {
      const message = this.#late.get(sequence);
      this.#late.delete(sequence);
      this.#onLate(message, { status, messageId });
      return "late";
    }
    return this.hasIssued(sequence) ? "repeated" : "unknown";
  }

  /** Whether this session has used the number. If nothing waits for it, it was answered, so no list is needed. */
  hasIssued(sequence: number): boolean {
    return isIssued(sequence, this.#last, this.#issued);
  }

  /** Rejects requests sent `limitMs` ago or earlier with `ResponseTimeout`, and returns how many. */
  expire(now: number, limitMs: number): number {
    let expired = 0;
    for (const [sequence, pending] of this.#pending) {
      if (now - pending.sentAt < limitMs) break;
      this.#pending.delete(sequence);
      this.#rememberLate(sequence, pending.message);
      pending.reject(new ResponseTimeout(`no answer within ${limitMs} ms`));
      expired++;
    }
    return expired;
  }

  #rememberLate(sequence: number, message: OutgoingMessage | undefined): void {
    if (this.#late.size >= MAX_LATE) this.#late.delete(this.#late.keys().next().value ?? 0);
    this.#late.set(sequence, message);
  }

  /** Rejects all waiting requests. */
  failAll(error: Error): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(error);
  }
}

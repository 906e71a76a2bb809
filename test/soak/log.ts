// What really happened, by the operators' own log: which messages were accepted, refused and reported, and what was lost.
import type { ReceiptState } from "../../src/protocol/smpp/receipts.ts";

/** A receipt that an operator owes or has delivered. */
export type SentReceipt = {
  /** As the service stores it: see `normaliseMessageId`. */
  id: string;
  state: ReceiptState;
  /** When the service answered it with success, in milliseconds since 1970; 0: not yet. */
  acknowledgedAt: number;
};

/** What the operators have of one message. */
export type Entry = {
  /** How often each part was accepted. */
  parts: number[];
  /** The ids of all parts that were accepted. */
  ids: string[];
  receipts: SentReceipt[];
  /** When a part was accepted last, in milliseconds since 1970. */
  acceptedAt: number;
  /** Answers after which a message is rejected, and answers after which it is tried again a few times. */
  refused: number;
  deferred: number;
};

/** Why a message may have been accepted twice: each of them allows so many duplicates. */
export type Losses = {
  /** Sessions that fell, and the sum of their windows. */
  sessions: number;
  ofSessions: number;
  /** Answers that came late, or never. */
  ofAnswers: number;
  /** Processes that were killed, and the sum of what their links had committed ahead of the wire. */
  kills: number;
  ofKills: number;
};

/** The log of all operators of a soak together. */
export class OperatorLog {
  readonly entries = new Map<string, Entry>();
  readonly losses: Losses = { sessions: 0, ofSessions: 0, ofAnswers: 0, kills: 0, ofKills: 0 };
  accepted = 0;
  duplicates = 0;
  throttled = 0;
  receipts = 0;
  handsetMessages = 0;
  readonly #owed = new Set<SentReceipt>();
  #lastId = 0;

  of(key: string): Entry {
    const known = this.entries.get(key);
    if (known) return known;
    const entry: Entry = { parts: [], ids: [], receipts: [], acceptedAt: 0, refused: 0, deferred: 0 };
    this.entries.set(key, entry);
    return entry;
  }

  /** No two operators give one id. */
  nextNumber(): number {
    return ++this.#lastId;
  }

  /** Notes that a part was accepted, and under which id. `part` is counted from 1. */
  accept(entry: Entry, part: number, id: string): void {
    const times = (entry.parts[part - 1] ?? 0) + 1;
    entry.parts[part - 1] = times;
    entry.ids.push(id);
    entry.acceptedAt = Date.now();
    this.accepted++;
    if (times > 1) this.duplicates++;
  }

  owe(sent: SentReceipt): void {
    this.#owed.add(sent);
  }

  acknowledge(sent: SentReceipt): void {
    sent.acknowledgedAt ||= Date.now();
    if (this.#owed.delete(sent)) this.receipts++;
  }

  /** Receipts that no session has taken yet. */
  get owed(): number {
    return this.#owed.size;
  }

  /** How many duplicates the losses allow. */
  get allowed(): number {
    return this.losses.ofSessions + this.losses.ofAnswers + this.losses.ofKills;
  }
}

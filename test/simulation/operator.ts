// A virtual operator: it answers as operators do on good and bad days, and logs what really happened.

import type { FinalReceipt } from "../../src/delivery/gateway/finalreceipts.ts";
import { type CarrierAnswer, carrierAnswerOf } from "../../src/delivery/operators/carrier.ts";
import type { OperatorAccount } from "../../src/delivery/operators/operatoraccounts.ts";
import { settingsOf } from "../../src/delivery/operators/settings.ts";
import type { QueuedMessage } from "../../src/delivery/sends/queue/packed.ts";
import type { SubmitAnswer } from "../../src/protocol/smpp/inflight.ts";
import { type OutgoingMessage, STATUS } from "../../src/protocol/smpp/pdu.ts";
import type { Chance } from "./chance.ts";
import type { Faults } from "./faults.ts";
import { keyOf } from "./tables.ts";
import type { Timeline } from "./timeline.ts";

/** Who is bound to the operator. */
export type Peer = {
  isOpen: boolean;
  answer(pdu: OutgoingMessage, answer: SubmitAnswer): void;
  /** A receipt; `reply` gets the status of its answer. */
  receipt(receipt: FinalReceipt, reply: (status: number) => void): void;
  /** The operator unbinds. It closes the connection as soon as it has the answer, or after a while. */
  unbind(): void;
  /** The connection is gone. */
  lose(): void;
};

/** What became of one message at the operator. */
export type Log = {
  message: QueuedMessage;
  /** How often its last segment was accepted, and how often anything of it was. */
  accepted: number;
  statuses: number[];
  ids: string[];
  /** The ids of receipts that the service answered with success. */
  acknowledged: Map<string, string>;
};

/** What operators of one account share: ids, and who is bound. A receipt comes by any of its sessions. */
export class Account {
  readonly operators: Operator[] = [];
  lastId = 0;
  readonly given = new Set<string>();
  readonly reused = new Set<string>();
}

type Surroundings = { timeline: Timeline; chance: Chance; faults: Faults };

// Answers are given up after 10 s, cycles after less: see `src/delivery/operators/operatoraccounts.ts`.
const ANSWERED_WITHIN_MS = 30_000;
/** The command_status of no SMSC: as a carrier over HTTP, the operator refuses our account and not the message. */
const ACCOUNT_REFUSED = -1;
const SETTINGS = settingsOf({});

/** What an answer means, by the codes of SMPP 3.4. */
export function meaningOf(answer: SubmitAnswer): CarrierAnswer {
  if (answer.status !== ACCOUNT_REFUSED) return carrierAnswerOf(answer, SETTINGS);
  return { verdict: "account", messageId: "", code: "no-units", waitMs: 0 };
}

const LATE_MS = 12_000;
const REDELIVERIES = 2_000;

export class Operator {
  readonly id: string;
  readonly log = new Map<string, Log>();
  isUp = true;
  readonly peers = new Set<Peer>();
  readonly #timeline: Timeline;
  readonly #chance: Chance;
  readonly #faults: Faults;
  readonly #latencyMs: number;
  readonly #account: Account;
  #throttledUntil = 0;
  #cloggedUntil = 0;
  /** Since when receipts wait for the answer that they are safe. */
  readonly unanswered = new Map<FinalReceipt, number>();

  constructor(id: string, account: Account, { timeline, chance, faults }: Surroundings) {
    this.id = id;
    this.#account = account;
    account.operators.push(this);
    this.#timeline = timeline;
    this.#chance = chance;
    this.#faults = faults;
    this.#latencyMs = chance.of([1, 5, 40, 300]);
  }

  logOf(message: QueuedMessage): Log {
    const key = keyOf(message);
    const known = this.log.get(key);
    if (known) return known;
    const log: Log = { message, accepted: 0, statuses: [], ids: [], acknowledged: new Map() };
    this.log.set(key, log);
    return log;
  }

  get account(): OperatorAccount {
    const operatorIds = this.#account.operators.map(({ id }) => id);
    return { isOverHttp: false, operatorIds, writers: operatorIds, answeredWithinMs: ANSWERED_WITHIN_MS };
  }

  /** Ids that were given to more than one message. */
  get reused(): ReadonlySet<string> {
    return this.#account.reused;
  }

  /** Restarts its count of ids, as some operators do. */
  restartIds(): void {
    this.#account.lastId = 0;
  }

  throttle(ms: number): void {
    this.#throttledUntil = this.#timeline.now + ms;
  }

  /** For so long the network carries nothing to it or from it, and loses nothing. */
  clog(ms: number): void {
    this.#cloggedUntil = Math.max(this.#cloggedUntil, this.#timeline.now + ms);
  }

  /** Runs once the network carries something again, and after that in so many milliseconds. */
  #carry(ms: number, run: () => void): void {
    const cloggedMs = this.#cloggedUntil - this.#timeline.now;
    this.#timeline.after(ms, cloggedMs <= 0 ? run : () => this.#timeline.after(cloggedMs, run));
  }

  /** Breaks all connections. */
  cut(): void {
    for (const peer of [...this.peers]) peer.lose();
  }

  /** Unbinds all that are bound to it. */
  unbind(): void {
    for (const peer of [...this.peers]) peer.unbind();
  }

  submit(peer: Peer, message: QueuedMessage, pdu: OutgoingMessage, isLast: boolean): void {
    if (this.#faults.happens("submit lost")) return;
    this.#carry(this.#chance.between(0, this.#latencyMs), () => {
      if (!this.isUp) return;
      const log = this.logOf(message);
      const status = this.#statusOf();
      log.statuses.push(status);
      const messageId = status === STATUS.ESME_ROK ? this.#accept(log, pdu, isLast) : "";
      this.#answer(peer, pdu, { status, messageId });
    });
  }

  #statusOf(): number {
    if (this.#timeline.now < this.#throttledUntil) return this.#chance.of([0x58, 0x58, 0x14]);
    if (this.#faults.happens("system error")) return this.#chance.of([0x08, 0x64]);
    if (this.#faults.happens("account refused")) return ACCOUNT_REFUSED;
    if (this.#faults.happens("session questioned")) return this.#chance.of([0x04, 0xff]);
    if (this.#faults.happens("rejected")) return this.#chance.of([0x0b, 0x0a, 0x45, 0x412]);
    return STATUS.ESME_ROK;
  }

  #accept(log: Log, pdu: OutgoingMessage, isLast: boolean): string {
    const { given, reused } = this.#account;
    const id = (++this.#account.lastId).toString(16);
    if (!isLast) return id;
    log.accepted++;
    if (given.has(id)) reused.add(id);
    given.add(id);
    log.ids.push(id);
    if (pdu.registeredDelivery !== 1) throw new Error("the last segment asks for no receipt");
    if (!this.#faults.happens("receipt lost")) {
      const isEarly = this.#faults.happens("receipt early");
      const receipt = this.#receiptOf(log.message, id);
      this.#report(log, receipt, isEarly ? 0 : this.#chance.between(this.#latencyMs, 30_000));
      if (this.#faults.happens("receipt twice")) this.#report(log, receipt, this.#chance.between(0, 60_000));
    }
    return id;
  }

  #answer(peer: Peer, pdu: OutgoingMessage, answer: SubmitAnswer): void {
    if (this.#faults.happens("answer lost")) return;
    const late = this.#faults.happens("answer late") ? LATE_MS : 0;
    const ms = late + this.#chance.between(0, this.#latencyMs);
    // The id of an answer whose body cannot be read is empty.
    const read = this.#faults.happens("answer unreadable") ? { ...answer, messageId: "" } : answer;
    const say = () => peer.isOpen && peer.answer(pdu, read);
    this.#carry(ms, say);
    if (this.#faults.happens("answer twice")) this.#carry(ms + this.#chance.between(0, 100), say);
  }

  #receiptOf({ phone, sender, reference }: QueuedMessage, id: string): FinalReceipt {
    const isDelivered = this.#chance.happens(0.75);
    return {
      operatorMessageId: id,
      status: isDelivered ? "DELIVERED" : "UNDELIVERED",
      error: isDelivered ? null : "001",
      ageMs: 0,
      // Some write the number with a plus, or as people in its country do.
      phone: this.#chance.of([phone, phone, `+${phone}`, phone.slice(3)]),
      sender,
      // Many operators do not repeat our reference.
      reference: this.#chance.happens(0.7) ? reference : null,
      waitedMs: 0,
    };
  }

  #report(log: Log, receipt: FinalReceipt, ms: number, tries = 0): void {
    this.#timeline.after(ms, () => {
      if (!this.unanswered.has(receipt)) this.unanswered.set(receipt, this.#timeline.now);
      const again = () => {
        if (tries < REDELIVERIES) this.#report(log, receipt, this.#chance.between(1_000, 30_000), tries + 1);
      };
      const peers = this.#account.operators.flatMap((operator) => [...operator.peers]);
      const open = peers.filter((peer) => peer.isOpen);
      const peer = open.length > 1 ? this.#chance.of(open) : open[0];
      if (!peer) {
        again();
        return;
      }
      let isAnswered = false;
      peer.receipt(receipt, (answer) => {
        isAnswered = true;
        if (answer !== STATUS.ESME_ROK) {
          again();
          return;
        }
        this.unanswered.delete(receipt);
        log.acknowledged.set(receipt.operatorMessageId, receipt.status);
      });
      // A session that ends takes the answer with it.
      this.#timeline.after(60_000, () => {
        if (!isAnswered) again();
      });
    });
  }
}

// A hostile operator on a real socket: it throttles, is late, silent or gone, and tells of it in every dialect.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Bucket } from "../../src/delivery/simulator/pace.ts";
import { accept } from "../../src/protocol/smpp/connect.ts";
import type { SubmitAnswer } from "../../src/protocol/smpp/inflight.ts";
import { type OutgoingMessage, STATUS, type SubmitSm } from "../../src/protocol/smpp/pdu.ts";
import { normaliseMessageId } from "../../src/protocol/smpp/receipts.ts";
import type { Session } from "../../src/protocol/smpp/session.ts";
import { encode } from "../pdu.ts";
import { NEVER } from "../sending.ts";
import type { Chance } from "../simulation/chance.ts";
import type { Entry, OperatorLog, SentReceipt } from "./log.ts";
import { keyOfSubmit, partOf } from "./messages.ts";
import { CALM, type Mood, moodOf } from "./moods.ts";
import { type IdForm, receiptOf, stateOf } from "./receipts.ts";

/** The time that the service gives an answer; what takes more than half of it may count as late there. */
export const SUBMIT_TIMEOUT_S = 4;
const LATE_FROM_MS = (SUBMIT_TIMEOUT_S * 1_000) / 2;
const LATE_MS = { least: 4_500, most: 8_000 };
const AGAIN_MS = { least: 500, most: 3_000 };
const LATE_RECEIPT_MS = 20_000;
/** A session counts an answer to what it did not send as a fault, and bears ten of them in a minute. */
const DATA_SM_EVERY_MS = 20_000;
const DATA_SM_SEQUENCE = 0x7f00_0000;
const HANDSET_EVERY_MS = 2_000;

/** What the rows of one account share. */
export type Account = { log: OperatorLog; sessions: Set<Session> };

type Peer = { socket: Socket; outstanding: number; isOver: boolean; isQuestioned: boolean; dataSmAt: number };

export class HostileOperator {
  readonly systemId: string;
  readonly window: number;
  readonly idForm: IdForm;
  readonly #account: Account;
  readonly #chance: Chance;
  readonly #peers = new Map<Session, Peer>();
  readonly #server = createServer((socket) => this.#serve(socket));
  #mood: Mood = CALM;
  #bucket = new Bucket(CALM.cap);
  #silence: Promise<unknown> | undefined;
  #timers: NodeJS.Timeout[] = [];
  #isCalm = true;
  #isOver = false;

  constructor(systemId: string, idForm: IdForm, window: number, account: Account, chance: Chance) {
    this.systemId = systemId;
    this.idForm = idForm;
    this.window = window;
    this.#account = account;
    this.#chance = chance;
  }

  async listen(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  /** Begins to be hostile. */
  rage(): void {
    this.#isCalm = false;
    this.#changeMood();
    this.#timers.push(setInterval(() => this.#writeFromHandset(), HANDSET_EVERY_MS));
  }

  /** Is a good operator from now on. Receipts that it owes still come. */
  calm(): void {
    this.#isCalm = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#feel(CALM);
    for (const peer of this.#peers.values()) peer.isQuestioned = false;
  }

  async stop(): Promise<void> {
    this.calm();
    this.#isOver = true;
    for (const session of this.#peers.keys()) session.abort("the soak ends");
    this.#server.close();
    await once(this.#server, "close");
  }

  #changeMood(): void {
    if (this.#isCalm) return;
    const mood = moodOf(this.#chance);
    this.#feel(mood);
    this.#timers = this.#timers.slice(-1);
    this.#timers.unshift(setTimeout(() => this.#changeMood(), mood.lastsS * 1_000));
  }

  #feel(mood: Mood): void {
    this.#mood = mood;
    this.#bucket = new Bucket(mood.cap);
    this.#silence = mood.silentMs > 0 ? this.#pause(mood.silentMs) : undefined;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }

  #serve(socket: Socket): void {
    const peer: Peer = { socket, outstanding: 0, isOver: false, isQuestioned: false, dataSmAt: 0 };
    const session = accept(socket, {
      systemId: this.systemId,
      onBind: (bind) => (bind.systemId === this.systemId ? STATUS.ESME_ROK : STATUS.ESME_RINVSYSID),
      onBound: (bound) => void this.#account.sessions.add(bound),
      onSubmit: (pdu, from) => this.#onSubmit(peer, from, pdu),
    });
    this.#peers.set(session, peer);
    void session.closed.then(({ kind }) => this.#onClosed(session, peer, kind));
  }

  #onClosed(session: Session, peer: Peer, kind: string): void {
    const wasBound = this.#account.sessions.delete(session);
    this.#peers.delete(session);
    peer.isOver = true;
    if (!wasBound) return;
    const { losses } = this.#account.log;
    // After an unbind, only what was not answered is of unknown fate.
    if (kind === "unbound" || kind === "peer-unbound") losses.ofAnswers += peer.outstanding;
    else {
      losses.sessions++;
      losses.ofSessions += this.window;
    }
  }

  async #onSubmit(peer: Peer, session: Session, pdu: SubmitSm): Promise<SubmitAnswer> {
    const since = performance.now();
    peer.outstanding++;
    try {
      if (this.#silence) await this.#silence;
      return await this.#answer(peer, session, pdu);
    } finally {
      peer.outstanding--;
      if (!peer.isOver && performance.now() - since > LATE_FROM_MS) this.#account.log.losses.ofAnswers++;
    }
  }

  async #answer(peer: Peer, session: Session, pdu: SubmitSm): Promise<SubmitAnswer> {
    const { log } = this.#account;
    const mood = this.#mood;
    const chance = this.#chance;
    if (peer.isOver || chance.happens(mood.dropBefore)) {
      session.abort("dropped before it was read");
      return NEVER;
    }
    const entry = log.of(keyOfSubmit(pdu));
    const refusal = this.#refusalOf(peer, entry);
    await this.#pause(chance.between(0, mood.latencyMs));
    // A process that was killed while the operator thought of its answer still has sent it.
    if (refusal !== STATUS.ESME_ROK) return { status: refusal, messageId: "" };
    const messageId = this.#accept(session, pdu, entry);
    if (chance.happens(mood.dropAfter)) {
      session.abort("dropped before it was answered");
      return NEVER;
    }
    if (chance.happens(mood.never)) {
      log.losses.ofAnswers++;
      peer.outstanding--;
      return NEVER;
    }
    if (chance.happens(mood.late)) await this.#pause(chance.between(LATE_MS.least, LATE_MS.most));
    if (chance.happens(mood.twice)) session.respond(pdu, STATUS.ESME_ROK, messageId);
    if (chance.happens(mood.unbind)) void session.unbind();
    return { status: STATUS.ESME_ROK, messageId };
  }

  /** The command_status to refuse with, or ESME_ROK. */
  #refusalOf(peer: Peer, entry: Entry): number {
    const mood = this.#mood;
    const chance = this.#chance;
    if (!this.#bucket.take()) {
      this.#account.log.throttled++;
      return mood.throttledBy;
    }
    if (chance.happens(mood.rejected)) {
      entry.refused++;
      return chance.of([STATUS.ESME_RINVDSTADR, STATUS.ESME_RSUBMITFAIL, STATUS.ESME_RINVSRCADR]);
    }
    peer.isQuestioned ||= chance.happens(mood.sessionQuestioned);
    if (peer.isQuestioned || chance.happens(mood.questioned)) {
      entry.deferred++;
      return peer.isQuestioned ? STATUS.ESME_RINVBNDSTS : STATUS.ESME_RUNKNOWNERR;
    }
    if (!chance.happens(mood.busy)) return STATUS.ESME_ROK;
    entry.deferred++;
    return chance.of([STATUS.ESME_RSYSERR, STATUS.ESME_RX_T_APPN]);
  }

  /** Accepts a part and owes its receipt. Returns the id of the answer. */
  #accept(session: Session, pdu: SubmitSm, entry: Entry): string {
    const { log } = this.#account;
    const number = log.nextNumber().toString(16);
    const isDecimal = this.idForm === "hex-to-decimal";
    // The ids of one operator are no numbers, so that none is that of another.
    const messageId = isDecimal ? number.toUpperCase() : `A_${number.padStart(8, "0")}`;
    const id = normaliseMessageId(messageId, this.idForm);
    log.accept(entry, partOf(pdu).part, id);
    if (pdu.registeredDelivery !== 0) {
      const sent: SentReceipt = { id, state: stateOf(this.#chance), acknowledgedAt: 0 };
      entry.receipts.push(sent);
      log.owe(sent);
      this.#report(session, pdu, sent);
    }
    return messageId;
  }

  #report(session: Session, pdu: SubmitSm, sent: SentReceipt): void {
    const chance = this.#chance;
    const tell = () => void this.#tell(pdu, sent);
    if (chance.happens(0.03)) {
      const intermediate = receiptOf(pdu, sent.id, "ENROUTE", chance);
      // One that looks like a final receipt of an unknown state would be nothing that operators send.
      if (intermediate.esmClass !== 0) session.deliver(intermediate).catch(() => {});
    }
    // Before the answer, soon after it, or long after it.
    if (chance.happens(0.1)) tell();
    else if (chance.happens(0.05)) setTimeout(tell, chance.between(2_000, LATE_RECEIPT_MS));
    else setTimeout(tell, chance.between(20, 2_000));
    if (chance.happens(0.03)) setTimeout(tell, chance.between(0, LATE_RECEIPT_MS));
  }

  /** Delivers a receipt over any session of the account, again and again until it is taken or the soak ends. */
  async #tell(pdu: SubmitSm, sent: SentReceipt): Promise<void> {
    const chance = this.#chance;
    while (!this.#isOver) {
      const bound = [...this.#account.sessions];
      if (bound.length > 0) {
        const session = chance.of(bound);
        const receipt = receiptOf(pdu, sent.id, sent.state, chance);
        this.#tellByData(session, receipt);
        // A session that falls or is silent took nothing for sure.
        const status = await session.deliver(receipt).then(
          (answer) => answer.status,
          () => undefined,
        );
        if (status === STATUS.ESME_ROK) break;
      }
      await this.#pause(chance.between(AGAIN_MS.least, AGAIN_MS.most));
    }
    this.#account.log.acknowledge(sent);
  }

  /** Says it by data_sm too, ahead of the deliver_sm that will be acknowledged. */
  #tellByData(session: Session, receipt: OutgoingMessage): void {
    const peer = this.#peers.get(session);
    if (!peer || receipt.tlvs?.receiptedMessageId === undefined) return;
    if (performance.now() - peer.dataSmAt < DATA_SM_EVERY_MS) return;
    peer.dataSmAt = performance.now();
    const sequence = DATA_SM_SEQUENCE + this.#chance.int(0, 0xffff);
    peer.socket.write(encode({ command: "data_sm", sequence, ...receipt }));
  }

  /** A person writes something that is no wish. */
  #writeFromHandset(): void {
    const [session] = this.#peers.keys();
    if (!session?.ready) return;
    const shortMessage = Buffer.from(this.#chance.of(["Merci", "id: stat:", "Oui, à demain"]), "latin1");
    const sourceAddr = `2250100000${this.#chance.int(100, 999)}`;
    session.deliver({ sourceAddr, destinationAddr: "ATUMPAN", shortMessage }).then(
      ({ status }) => {
        if (status === STATUS.ESME_ROK) this.#account.log.handsetMessages++;
      },
      () => {},
    );
  }
}

// A simulated HTTP carrier's handling of messages, in any dialect: refuses, accepts, logs, delivers, reports.
import { setTimeout as wait } from "node:timers/promises";
import type { ReceiptState } from "../../../protocol/smpp/receipts.ts";
import { Inbox } from "../inbox.ts";
import { type Accepted, acceptedText, type HttpFacts, Journal } from "../journal.ts";
import { NotTaken } from "../operator.ts";
import { FaultClock, ThrottledTexts } from "../outcomes.ts";
import { Bucket } from "../pace.ts";
import { Callbacks } from "./callbacks.ts";
import type { HandsetReply, SimulatedDialect, SimulatedSubmission } from "./dialect.ts";
import { halved, inflated, type SimulatedAnswer, type SimulatedRequest } from "./exchange.ts";
import { Repeats } from "./repeats.ts";
import { type HttpFault, httpOutcomeOf, NO_HTTP_FAULTS, outOfOrder } from "./scripts.ts";
import type { HttpCarrierOptions, HttpCarrierStats } from "./server.ts";

/** `cut`: the connection is cut. `silent`: it stays open without an answer. */
export type SimulatedReply = SimulatedAnswer | "cut" | "silent";

/** How often a receipt is sent until it is answered with 2xx. */
const RECEIPT_ATTEMPTS = 20;
const LATE_MS = 5_000;
/** The newest accepted messages are kept for tests; at times twice as many. */
const MAX_ACCEPTED = 100_000;

const FAILED: SimulatedAnswer = { status: 500, body: '{"error":"Internal Server Error"}' };
const UNAVAILABLE: SimulatedAnswer = {
  status: 503,
  type: "text/html",
  body: "<html><body><h1>503 Service Unavailable</h1></body></html>",
};

/** What a forged receipt says instead of the truth. */
function oppositeOf(state: ReceiptState): ReceiptState {
  return state === "DELIVERED" ? "UNDELIVERED" : "DELIVERED";
}

/**
 * Requests a second of one core, measured 2026-11-28 on 2 cores, Node 24.21, over 64 kept connections and without log,
 * inbox and receipts (`--quiet-sink`): the generic provider 27,000, MTN 26,000, Orange 20,000.
 */
export class HttpCarrierCore {
  readonly inbox: Inbox;
  readonly faults: FaultClock<HttpFault>;
  readonly #options: HttpCarrierOptions;
  readonly #dialect: SimulatedDialect;
  readonly #journal: Journal;
  readonly #callbacks: Callbacks;
  readonly #bucket: Bucket | undefined;
  readonly #throttled = new ThrottledTexts();
  readonly #repeats = new Repeats();
  #accepted: Accepted[] = [];
  #outstanding = 0;
  readonly #counts = {
    requests: 0,
    accepted: 0,
    refused: 0,
    unauthorized: 0,
    throttled: 0,
    swallowed: 0,
    duplicates: 0,
    absorbed: 0,
    servedMs: 0,
    maxOutstanding: 0,
    receiptsAcknowledged: 0,
    receiptsGivenUp: 0,
    forged: 0,
    forgedTaken: 0,
  };

  constructor(options: HttpCarrierOptions, dialect: SimulatedDialect) {
    this.inbox = new Inbox(options.inboxMessages);
    this.#options = options;
    this.#dialect = dialect;
    this.faults = new FaultClock(NO_HTTP_FAULTS, options.faults);
    this.#bucket = options.ratePerSecond ? new Bucket(options.ratePerSecond) : undefined;
    this.#callbacks = new Callbacks(options.receiptAttempts ?? RECEIPT_ATTEMPTS);
    this.#journal = new Journal(options.logFile, options.logBytes, options.logTexts);
    this.#replay();
  }

  stats(): Omit<HttpCarrierStats, "sessions"> {
    const { sent: callbacksSent } = this.#callbacks;
    return { ...this.#counts, callbacksSent, tokens: this.#dialect.tokensIssued };
  }

  /** Returns the newest accepted messages, the oldest first. */
  accepted(): readonly Accepted[] {
    return this.#accepted;
  }

  /** Answers a request. */
  async serve(request: SimulatedRequest): Promise<SimulatedReply> {
    this.#counts.requests++;
    if (!this.#dialect.isSend(request)) {
      if (this.#dialect.isToken(request) && this.faults.strikes("token-down")) return UNAVAILABLE;
      return this.#counted(this.#dialect.answer(request, (id) => this.#find(id)));
    }
    const arrivedAt = performance.now();
    this.#outstanding++;
    this.#counts.maxOutstanding = Math.max(this.#counts.maxOutstanding, this.#outstanding);
    try {
      const judged = this.#judge(request);
      const reply = isReply(judged) ? this.#counted(judged) : await this.#take(judged);
      if (this.#options.latencyMs) await wait(this.#options.latencyMs, undefined, { ref: false });
      return reply;
    } finally {
      this.#outstanding--;
      this.#counts.servedMs += performance.now() - arrivedAt;
    }
  }

  /** Sends a handset's message. Rejects with `NotTaken` if no URL is known for it or nobody answers with 2xx. */
  async reply(message: HandsetReply): Promise<void> {
    const callback = this.#dialect.inbound(message);
    if (callback === undefined) throw new NotTaken("no URL takes incoming messages");
    if (!(await this.#callbacks.sendOnce(callback)))
      throw new NotTaken("the reply was not answered with 2xx");
  }

  async stop(): Promise<void> {
    this.#journal.close();
    await this.#callbacks.stop();
  }

  /** Finds the newest message with this id, its own or the client's. */
  #find(id: string): Accepted | undefined {
    return this.#accepted.findLast((entry) => entry.id === id || entry.http?.clientId === id);
  }

  /** Fills the inbox from the log, and owes again every receipt that was never acknowledged. */
  #replay(): void {
    const owed = new Map<string, Accepted>();
    this.#journal.replay((entry) => {
      if (entry.type === "acknowledged") owed.delete(entry.id);
      else {
        this.#marked(entry);
        this.#repeats.keep(entry, Promise.resolve());
        this.#keep(entry);
        if (entry.receipt !== undefined) owed.set(entry.id, entry);
      }
    });
    for (const entry of owed.values()) this.#inTheBackground(this.#report(entry));
  }

  /** Returns what to accept, or the reply that refuses it. */
  #judge(request: SimulatedRequest): SimulatedSubmission | SimulatedReply {
    const { faults } = this;
    if (faults.strikes("cut-early")) return "cut";
    if (faults.strikes("500")) return FAILED;
    if (faults.strikes("503")) return UNAVAILABLE;
    const read = this.#dialect.read(request);
    if (isReply(read)) return read;
    if (faults.strikes("error-in-200")) return { ...this.#dialect.errorIn200(read), isRefusal: true };
    const { outcome } = httpOutcomeOf(read.to);
    const isFull = this.#outstanding > (this.#options.window ?? Infinity);
    const isTooFast = isFull || faults.strikes("429") || this.#bucket?.take() === false;
    if (isTooFast || this.#throttled.isThrottled(`${read.to} ${read.text}`, outcome))
      return this.#dialect.refusal("throttled", read);
    if (outcome.refusedWith !== undefined) return this.#dialect.refusal("invalid-number", read);
    return read;
  }

  /** Accepts a message: the log first, then the handset, the answer and the receipts. */
  async #take(submission: SimulatedSubmission): Promise<SimulatedReply> {
    const first = this.#repeats.firstOf(submission.clientId);
    const { duplicates = "accept" } = this.#options;
    if (first && duplicates !== "accept") {
      this.#counts.absorbed++;
      await first.written;
      return duplicates === "same"
        ? this.#dialect.accepted(submission, first.id)
        : this.#dialect.refusal("repeated", submission);
    }
    const denied = this.#dialect.charge(submission);
    if (denied) return this.#counted(denied);
    const entry = this.#marked(this.#entryOf(submission));
    const written = this.#journal.append(entry);
    this.#repeats.keep(entry, written);
    await written;
    this.#keep(entry);
    this.#counts.accepted++;
    if (entry.http?.isSwallowed) this.#counts.swallowed++;
    this.#options.onAccepted?.(entry.to);
    if (entry.receipt !== undefined) await this.#oweReceipt(entry);
    return this.#answerTo(submission, entry.id);
  }

  #entryOf({ from, to, text, clientId, receiptUrl, ...asked }: SimulatedSubmission): Accepted {
    const { outcome, states } = httpOutcomeOf(to);
    const facts: Omit<HttpFacts, "parts"> = {
      ...(clientId !== undefined && { clientId }),
      ...(receiptUrl !== undefined && { receiptUrl }),
      ...(asked.isSwallowed && { isSwallowed: true }),
    };
    const entry = acceptedText(
      { id: this.#dialect.newId(), system: this.#dialect.system, from, to, text },
      facts,
    );
    const final = states.at(-1);
    const isOwed = this.#options.receipts !== false && asked.wantsReceipt && !asked.isSwallowed;
    if (final === undefined || !isOwed || this.#dialect.receipt(entry, final) === undefined) return entry;
    if (this.faults.strikes("lost-receipt")) return entry;
    return { ...entry, receipt: final, error: outcome.errorCode };
  }

  /** Marks and counts a duplicate. For benches, without an inbox, nothing is remembered. */
  #marked(entry: Accepted): Accepted {
    if (this.#options.inbox === false || !entry.http || !this.#repeats.isRepeat(entry)) return entry;
    this.#counts.duplicates++;
    entry.http.isDuplicate = true;
    return entry;
  }

  /** Keeps an accepted message for tests. */
  #keep(entry: Accepted): void {
    if (this.#options.inbox === false) return;
    if (!entry.isLost && !entry.http?.isSwallowed) this.inbox.add(entry);
    this.#accepted.push(entry);
    // Trimming only at twice the limit makes its average cost negligible.
    if (this.#accepted.length >= 2 * MAX_ACCEPTED) this.#accepted = this.#accepted.slice(-MAX_ACCEPTED);
  }

  /** Returns the reply to an accepted message, after applying the enabled faults. */
  async #answerTo(submission: SimulatedSubmission, id: string): Promise<SimulatedReply> {
    const { faults } = this;
    const answer = this.#dialect.accepted(submission, id);
    if (faults.strikes("cut")) return "cut";
    if (faults.strikes("silent")) return "silent";
    if (faults.strikes("late")) await wait(this.#options.lateMs ?? LATE_MS, undefined, { ref: false });
    if (faults.strikes("garbage")) return halved(answer);
    return faults.strikes("huge") ? inflated(answer) : answer;
  }

  /** Sends the receipts after their delay; resolves before that, unless they have to be sent before the answer. */
  async #oweReceipt(entry: Accepted): Promise<void> {
    if (this.faults.strikes("early-receipt")) return await this.#report(entry);
    const { receiptDelayMs: scripted = 0 } = httpOutcomeOf(entry.to).outcome;
    const delayMs = scripted + (this.#options.receiptDelayMs ?? 0) + (this.#options.latencyMs ?? 0);
    const report = () => this.#inTheBackground(this.#report(entry));
    if (delayMs > 0) setTimeout(report, delayMs).unref();
    // At the end of the event-loop turn, so that the answer is written first.
    else setImmediate(report);
  }

  /** Sends the receipts of a message one after the other. */
  async #report(entry: Accepted): Promise<void> {
    const { faults } = this;
    const { states } = httpOutcomeOf(entry.to);
    if (faults.strikes("forged")) await this.#forge(entry);
    const times = faults.strikes("double") ? 2 : 1;
    for (const state of faults.strikes("out-of-order") ? outOfOrder(states) : states) {
      const callback = this.#dialect.receipt(entry, state);
      for (let time = 0; callback !== undefined && time < times; time++) {
        if (await this.#callbacks.send(callback)) continue;
        this.#counts.receiptsGivenUp++;
        return;
      }
    }
    await this.#journal.append({ type: "acknowledged", id: entry.id, at: Date.now() });
    this.#counts.receiptsAcknowledged++;
  }

  async #forge(entry: Accepted): Promise<void> {
    const forgery = this.#dialect.forgery(entry, oppositeOf(entry.receipt ?? "UNKNOWN"));
    if (forgery === undefined) return;
    this.#counts.forged++;
    if (await this.#callbacks.sendOnce(forgery)) this.#counts.forgedTaken++;
  }

  /** A receipt whose acknowledgement cannot be logged is sent once more after a restart: nothing else depends on it. */
  #inTheBackground(reporting: Promise<void>): void {
    reporting.catch(() => {
      this.#counts.receiptsGivenUp++;
    });
  }

  /** Counts an answer that accepts nothing. */
  #counted<Reply extends SimulatedReply>(reply: Reply): Reply {
    if (typeof reply === "string") return reply;
    if (reply.status === 429) this.#counts.throttled++;
    else if (reply.status === 401) this.#counts.unauthorized++;
    else if (reply.status >= 400 || reply.isRefusal) this.#counts.refused++;
    return reply;
  }
}

function isReply(judged: SimulatedSubmission | SimulatedReply): judged is SimulatedReply {
  return typeof judged === "string" || "status" in judged;
}

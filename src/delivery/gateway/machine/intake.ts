// The intake of incoming deliver_sm: receipts and messages from handsets. Each waits for the commit of earlier answers.
import { STATUS } from "../../../protocol/smpp/pdu.ts";
import type { FinalReceipt } from "../finalreceipts.ts";
import type { Emit } from "./events.ts";
import { hasLost, type Plan } from "./plan.ts";

/**
 * A receipt, or a handset's message (without `receipt`). It is answered once the receipt itself and everything answered
 * before it are committed. The machine returns `answer` in an effect and never calls it.
 */
export type Incoming = { receipt: FinalReceipt | undefined; answer: (status: number) => void };

/** The input of one transaction. */
export type IncomingReceipts = {
  receipts: FinalReceipt[];
  /** The operator's ids of messages whose receipts may have been stored before their answers were committed. */
  answered: string[];
  /** Whether messages became of unknown fate whose receipts may have been stored before. */
  hasLost: boolean;
};

const FAILURE_PAUSE_MS = 200;
// How often receipts are applied after the end of their session if that fails. Then the operator delivers them again.
const LAST_TRIES = 3;

/**
 * Receipts are applied beside the cycles, in transactions of their own, one at a time. These read before they write, so
 * they take several round trips, and no cycle should wait for them. Each begins once the cycles with all earlier
 * answers are committed. A receipt that arrives before its answer is stored without a message, and matched again once
 * the answer is committed. Applying a receipt twice is harmless, so a commit in doubt is simply repeated.
 */
export class IncomingIntake {
  /** `after`: the number of outcomes and moves that must be committed before it is applied. */
  #waiting: { incoming: Incoming; after: number }[] = [];
  /** Committed answers for the next transaction to match. The duration of one transaction limits their number. */
  #answered: string[] = [];
  #hasLost = false;
  /** The number of receipts stored without a message; undefined: unknown, and some may match a message now. */
  #kept: number | undefined;
  #underWay: Incoming[] | undefined;
  /** The number of outcomes and moves committed. */
  #committed = 0;
  /** Whether the session is over; whether its last commit is done; and whether everything is applied. */
  #isEnded = false;
  #isReleased = false;
  #isClosed = false;
  #triesLeft = LAST_TRIES;
  /** Whether a `tick` is expected that begins a transaction. */
  #isExpecting = false;
  /** Since when every transaction has failed, and the time before which none begins. */
  #failingSince: number | undefined;
  #pausedUntil = 0;
  readonly #emit: Emit;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /** Adds an incoming deliver_sm while so many outcomes and moves are not committed. */
  add(incoming: Incoming, uncommitted: number): void {
    if (this.#isClosed) this.#reply([incoming], STATUS.ESME_RX_T_APPN);
    else this.#waiting.push({ incoming, after: this.#committed + uncommitted });
  }

  /** A cycle is committed, and it matched `adopted` of the stored receipts; undefined: unknown. */
  onCommitted(plan: Plan, adopted: number | undefined): void {
    const { outcomes, moves } = plan;
    this.#committed += outcomes.length + moves.length;
    if (this.#kept !== undefined)
      this.#kept = adopted === undefined ? undefined : Math.max(0, this.#kept - adopted);
    if (!this.#underWay && !this.#kept) return;
    for (const { operatorMessageId, message } of outcomes) {
      if (operatorMessageId !== null) this.#answered.push(operatorMessageId);
      if (message.partIds) this.#answered.push(...message.partIds);
    }
    // The cycle matched receipts stored before it, but not those that the transaction under way is storing.
    if (this.#underWay && hasLost(plan)) this.#hasLost = true;
  }

  /** Requests a `tick` after everything in the sockets has been read, if a transaction should begin. */
  expectTick(ms: number): void {
    const waitMs = this.waitMs(ms);
    // After the session, no other part requests a tick.
    if (this.#isReleased && waitMs > 0 && waitMs < Number.POSITIVE_INFINITY)
      this.#emit({ kind: "wait", ms: waitMs });
    if (this.#isExpecting || waitMs !== 0) return;
    this.#isExpecting = true;
    this.#emit({ kind: "soon" });
  }

  /** The milliseconds until a transaction should begin; infinite if there is nothing to apply now. */
  waitMs(ms: number): number {
    const isDue = this.#underWay === undefined && (this.#hasIncoming || this.#hasNews);
    return isDue ? Math.max(0, this.#pausedUntil - ms) : Number.POSITIVE_INFINITY;
  }

  get #hasIncoming(): boolean {
    return this.#waiting.length > 0 && (this.#isReleased || this.#waiting[0]!.after <= this.#committed);
  }

  get #hasNews(): boolean {
    return this.#answered.length > 0 || this.#hasLost || (this.#kept === undefined && !this.#isEnded);
  }

  /** Whether anything waits or is under way. */
  get isBusy(): boolean {
    return this.#underWay !== undefined || this.#waiting.length > 0 || this.#hasNews;
  }

  /** Handles a tick: begins a transaction if one was expected. */
  onTick(): void {
    if (!this.#isExpecting) return;
    this.#isExpecting = false;
    const incoming: Incoming[] = [];
    while (this.#hasIncoming) incoming.push(this.#waiting.shift()!.incoming);
    const [receipts, others] = [
      incoming.filter(({ receipt }) => receipt),
      incoming.filter(({ receipt }) => !receipt),
    ];
    this.#reply(others, STATUS.ESME_ROK);
    if (receipts.length > 0 || this.#hasNews) this.#begin(receipts);
  }

  #begin(incoming: Incoming[]): void {
    this.#underWay = incoming;
    const receipts = incoming.map(({ receipt }) => receipt!);
    const toApply = { receipts, answered: this.#answered, hasLost: this.#hasLost };
    this.#emit({ kind: "applyReceipts", toApply, kept: this.#kept });
    this.#forget();
  }

  /** The transaction ended, and `kept` receipts are stored without a message; undefined: it failed or is unknown. */
  onEnd(kept: number | undefined, ms: number): void {
    const incoming = this.#underWay!;
    this.#underWay = undefined;
    if (kept !== undefined) this.#reply(incoming, STATUS.ESME_ROK);
    // The operator delivers refused receipts again. After the end of the session the refusal does not reach it.
    else if (!this.#isEnded || --this.#triesLeft === 0) this.#reply(incoming, STATUS.ESME_RX_T_APPN);
    else this.#waiting.unshift(...incoming.map((each) => ({ incoming: each, after: 0 })));
    this.#kept = kept;
    // Either no stored receipt can match what was committed meanwhile, or all stored receipts are tried next.
    if (!kept) this.#forget();
    if (kept !== undefined) this.#failingSince = undefined;
    else {
      this.#failingSince ??= ms;
      this.#pausedUntil = ms + FAILURE_PAUSE_MS;
    }
  }

  #forget(): void {
    this.#answered = [];
    this.#hasLost = false;
  }

  /** Since when no incoming receipt can be applied; undefined if they can. */
  get failingSince(): number | undefined {
    return this.#failingSince;
  }

  /**
   * Refuses what waits for cycles that failed. The operator delivers it again, while keeping it here would have no
   * limit. After the end of the session a refusal reaches nobody, and nothing more arrives.
   */
  refuse(): void {
    if (this.#isEnded) return;
    const waiting = this.#waiting.splice(0);
    this.#reply(
      waiting.map(({ incoming }) => incoming),
      STATUS.ESME_RX_T_APPN,
    );
  }

  /** The session is lost, and nothing can be answered. The receipts already received are applied all the same (S33). */
  end(): void {
    this.#isEnded = true;
  }

  /** The last commit of the session is done, so nothing waits for commits any more. */
  release(): void {
    this.#isReleased = true;
  }

  /** Everything that could be applied is applied. */
  close(): void {
    this.#isClosed = true;
  }

  #reply(all: readonly Incoming[], status: number): void {
    for (const incoming of all) this.#emit({ kind: "reply", incoming, status });
  }
}

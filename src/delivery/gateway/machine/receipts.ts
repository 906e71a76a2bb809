// The receipt machine decides when the incoming deliver_sm of one link are applied and answered.
import { STATUS } from "../../../protocol/smpp/pdu.ts";
import type { FinalReceipt } from "../finalreceipts.ts";
import type { Emit } from "./events.ts";
import type { Proven } from "./items.ts";
import { hasLost, type Plan } from "./plan.ts";

/**
 * A receipt, or a handset's message (without `receipt`). It is answered once the receipt itself and everything answered
 * before it are committed. The machine returns `answer` in an effect and never calls it.
 */
export type Incoming = { receipt: FinalReceipt | undefined; answer: (status: number) => void };

/** The input of one transaction. */
export type IncomingReceipts = {
  receipts: readonly FinalReceipt[];
  /** The operator's ids of messages whose receipts may have been stored before their answers were committed. */
  answered: readonly string[];
  /** Whether messages became of unknown fate whose receipts may have been stored before. */
  hasLost: boolean;
};

const FAILURE_PAUSE_MS = 200;
// How often receipts are applied after the end of their session if that fails. Then the operator delivers them again.
const LAST_TRIES = 3;

/**
 * Receipts are applied beside the cycles, in transactions of their own, one at a time. These read before they write, so
 * they take several round trips, and no cycle should wait for them. A receipt takes one round: it arrives with all that
 * the sockets held, the machine has them applied, and the result answers them.
 *
 * A transaction begins once the cycles with all earlier answers are committed. A receipt that arrives before its answer
 * is stored without a message, and matched again once the answer is committed. Applying a receipt twice is harmless, so
 * a commit in doubt is simply repeated. The session limits how many messages of the operator wait here (`serving.ts`).
 *
 * `LinkMachine` passes the events on as calls, and calls `settle` at the end of each of its events.
 */
export class ReceiptMachine {
  /** What arrived together. `after`: the number of outcomes and moves that must be committed before it is applied. */
  #waiting: { incoming: readonly Incoming[]; after: number }[] = [];
  #applying: readonly Incoming[] | undefined;
  /** Committed answers for the next transaction to match. The duration of one transaction limits their number. */
  #answered: string[] = [];
  #hasLost = false;
  /** Messages settled by late answers, whose receipts the transaction under way may be storing. */
  #late: Proven[] = [];
  /** The number of receipts stored without a message; undefined: unknown, and some may match a message now. */
  #orphanCount: number | undefined;
  /** The number of outcomes and moves committed. */
  #committed = 0;
  #isSessionOver = false;
  #isClosed = false;
  #triesLeft = LAST_TRIES;
  /** Since when every transaction has failed, and the time before which none begins. */
  #failingSince: number | undefined;
  #pausedUntil = 0;
  readonly #emit: Emit;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /** The operator sent deliver_sm, while so many outcomes and moves are not committed. */
  arrived(incoming: readonly Incoming[], uncommitted: number): void {
    if (this.#isClosed) this.#answer(incoming, STATUS.ESME_RX_T_APPN);
    else this.#waiting.push({ incoming, after: this.#committed + uncommitted });
  }

  /** A cycle is committed, and it matched `matched` of the stored receipts; undefined: unknown. */
  cycleCommitted(plan: Plan, matched: number | undefined): void {
    const { outcomes, moves } = plan;
    this.#committed += outcomes.length + moves.length;
    if (this.#orphanCount !== undefined)
      this.#orphanCount = matched === undefined ? undefined : Math.max(0, this.#orphanCount - matched);
    if (!this.#applying && !this.#orphanCount) return;
    for (const { operatorMessageId, message } of outcomes) {
      if (operatorMessageId !== null) this.#answered.push(operatorMessageId);
      if (message.partIds) this.#answered.push(...message.partIds);
    }
    // The cycle matched receipts stored before it, but not those that the transaction under way is storing.
    if (this.#applying && hasLost(plan)) this.#hasLost = true;
  }

  /**
   * Cycles failed: refuses what waits for them. The operator delivers it again, while keeping it here would have no
   * limit. After the end of the session a refusal reaches nobody, and nothing more arrives.
   */
  cyclesFailed(): void {
    if (this.#isSessionOver) return;
    for (const { incoming } of this.#waiting.splice(0)) this.#answer(incoming, STATUS.ESME_RX_T_APPN);
  }

  /** A late answer settled a message. */
  lateSettled(proven: Proven): void {
    this.#late.push(proven);
  }

  /** The transaction ended, and `orphanCount` receipts are stored without a message; undefined: it failed or is unknown. */
  applied(orphanCount: number | undefined, ms: number): void {
    const incoming = this.#applying ?? [];
    this.#applying = undefined;
    if (orphanCount !== undefined) this.#answer(incoming, STATUS.ESME_ROK);
    // The operator delivers refused receipts again. After the end of the session the refusal does not reach it.
    else if (!this.#isSessionOver || --this.#triesLeft === 0) this.#answer(incoming, STATUS.ESME_RX_T_APPN);
    else this.#waiting.unshift({ incoming, after: 0 });
    this.#orphanCount = orphanCount;
    // If none is stored, none can match what was committed meanwhile. If the number is unknown, all are tried next.
    if (!orphanCount) this.#forgetAnswered();
    if (orphanCount !== undefined) this.#failingSince = undefined;
    else {
      this.#failingSince ??= ms;
      this.#pausedUntil = ms + FAILURE_PAUSE_MS;
    }
  }

  /** Nothing can be answered any more. The receipts already received are applied all the same (S33). */
  sessionOver(): void {
    this.#isSessionOver = true;
  }

  /** Everything that could be applied is applied, and the link ends. */
  close(): void {
    this.#isClosed = true;
  }

  /** Begins what is due at the end of an event. `isLast`: no cycle will be committed any more, so nothing waits for one. */
  settle(ms: number, isLast: boolean): void {
    if (this.#applying) return;
    for (const proven of this.#late.splice(0)) this.#emit({ kind: "matchLate", proven });
    if (!this.#hasDue(isLast)) return;
    const waitMs = this.#pausedUntil - ms;
    if (waitMs > 0) {
      // After the session, no other part requests a tick.
      if (isLast) this.#emit({ kind: "wait", ms: waitMs });
      return;
    }
    const receipts: FinalReceipt[] = [];
    const applying: Incoming[] = [];
    for (const incoming of this.#takeDue(isLast)) {
      if (incoming.receipt) {
        receipts.push(incoming.receipt);
        applying.push(incoming);
      } else this.#answer([incoming], STATUS.ESME_ROK);
    }
    if (receipts.length === 0 && !this.#hasNews) return;
    this.#applying = applying;
    const toApply = { receipts, answered: this.#answered, hasLost: this.#hasLost };
    this.#emit({ kind: "applyReceipts", toApply, orphanCount: this.#orphanCount });
    this.#forgetAnswered();
  }

  #takeDue(isLast: boolean): Incoming[] {
    const first = isLast ? -1 : this.#waiting.findIndex(({ after }) => after > this.#committed);
    const due = this.#waiting.splice(0, first === -1 ? this.#waiting.length : first);
    return due.flatMap(({ incoming }) => incoming);
  }

  #hasDue(isLast: boolean): boolean {
    const [first] = this.#waiting;
    return this.#hasNews || (first !== undefined && (isLast || first.after <= this.#committed));
  }

  /** Whether stored receipts may match a message now. */
  get #hasNews(): boolean {
    const isUnknown = this.#orphanCount === undefined && !this.#isSessionOver;
    return isUnknown || this.#answered.length > 0 || this.#hasLost;
  }

  #forgetAnswered(): void {
    this.#answered = [];
    this.#hasLost = false;
  }

  #answer(all: readonly Incoming[], status: number): void {
    for (const incoming of all) this.#emit({ kind: "reply", incoming, status });
  }

  /** The milliseconds until a transaction begins after a failure; 0 if none waits. */
  waitMs(ms: number): number {
    return !this.#applying && this.#hasDue(false) ? Math.max(0, this.#pausedUntil - ms) : 0;
  }

  /** Whether anything waits or is under way. */
  get isBusy(): boolean {
    return this.#applying !== undefined || this.#waiting.length > 0 || this.#hasNews;
  }

  /** Since when no incoming receipt can be applied; undefined if they can. */
  get failingSince(): number | undefined {
    return this.#failingSince;
  }
}

// What an operator says of its own accord: receipts, and what handsets wrote. It waits for the answers before it.
import { STATUS } from "../../../protocol/smpp/smpp.ts";
import type { FinalReceipt } from "../finalreceipts.ts";
import type { Emit } from "./events.ts";
import { hasLost, type Plan } from "./plan.ts";

/**
 * A receipt, or a handset's message (without `receipt`), that is answered once all is committed that was answered before
 * it, and the receipt itself. The machine hands `answer` back and never calls it.
 */
export type Incoming = { receipt: FinalReceipt | undefined; answer: (status: number) => void };

/** What one transaction applies. */
export type IncomingReceipts = {
  receipts: FinalReceipt[];
  /** The operator's ids of messages whose receipts may have come, and been kept, before their answers. */
  answered: string[];
  /** Whether such messages became of unknown fate. */
  hasLost: boolean;
};

const FAILURE_PAUSE_MS = 200;
// How often receipts are applied after the end of their session if that fails. The operator delivers them again then.
const LAST_TRIES = 3;

/**
 * Receipts are applied beside the cycles, in transactions of their own, one at a time. These read before they write, and
 * so take several trips, for which no cycle has to wait. Each begins after the cycles are committed that have what was
 * answered before. A receipt that comes before its answer is kept without a message, and looked for again once that is
 * committed. To apply a receipt twice does no harm, so a commit in doubt is simply done again.
 */
export class IncomingIntake {
  /** `after`: how many outcomes and moves are committed before it is heard. */
  #waiting: { incoming: Incoming; after: number }[] = [];
  /** What is committed for the next transaction to look for. So its number is limited by the time that one takes. */
  #answered: string[] = [];
  #hasLost = false;
  /** The number of receipts without a message that the database keeps; undefined: unknown, and some may find one now. */
  #kept: number | undefined;
  #underWay: Incoming[] | undefined;
  /** How many outcomes and moves are committed. */
  #committed = 0;
  /** Whether the session is over; whether nothing more is committed of it; and whether all is done. */
  #isEnded = false;
  #isReleased = false;
  #isClosed = false;
  #triesLeft = LAST_TRIES;
  /** Whether a tick is to come that begins a transaction. */
  #isExpecting = false;
  /** Since when each transaction failed, and until when none is begun. */
  #failingSince: number | undefined;
  #pausedUntil = 0;
  readonly #emit: Emit;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /** Takes what the operator says while so many outcomes and moves are not committed. */
  add(incoming: Incoming, uncommitted: number): void {
    if (this.#isClosed) this.#reply([incoming], STATUS.ESME_RX_T_APPN);
    else this.#waiting.push({ incoming, after: this.#committed + uncommitted });
  }

  /** A cycle is committed, which adopted so many of the receipts that are kept; undefined: nobody knows how many. */
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
    // It has looked at what was kept before, and not at what is being kept meanwhile.
    if (this.#underWay && hasLost(plan)) this.#hasLost = true;
  }

  /** Has a tick come once all is heard that the sockets hold, if a transaction is to be begun. */
  expectTick(ms: number): void {
    const waitMs = this.waitMs(ms);
    // After the session nothing else has a tick come.
    if (this.#isReleased && waitMs > 0 && waitMs < Number.POSITIVE_INFINITY)
      this.#emit({ kind: "wait", ms: waitMs });
    if (this.#isExpecting || waitMs !== 0) return;
    this.#isExpecting = true;
    this.#emit({ kind: "soon" });
  }

  /** The milliseconds until a transaction is to be begun; infinite if nothing is to be applied now. */
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

  /** Whether something waits or is under way. */
  get isBusy(): boolean {
    return this.#underWay !== undefined || this.#waiting.length > 0 || this.#hasNews;
  }

  /** A tick has come: begins a transaction if it was expected. */
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

  /** The transaction is over, and so many receipts are kept; undefined: it failed, or nobody knows. */
  onEnd(kept: number | undefined, ms: number): void {
    const incoming = this.#underWay!;
    this.#underWay = undefined;
    if (kept !== undefined) this.#reply(incoming, STATUS.ESME_ROK);
    // What is refused the operator delivers again. After the end of the session it hears of nothing.
    else if (!this.#isEnded || --this.#triesLeft === 0) this.#reply(incoming, STATUS.ESME_RX_T_APPN);
    else this.#waiting.unshift(...incoming.map((each) => ({ incoming: each, after: 0 })));
    this.#kept = kept;
    // None are kept that are about what was committed meanwhile, or all that are kept are tried.
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

  /** Since when nothing of what the operator says can be applied; undefined if it can. */
  get failingSince(): number | undefined {
    return this.#failingSince;
  }

  /**
   * Refuses what waits for cycles that failed: the operator delivers it again, and keeping it would have no limit. Once the
   * session is over nobody hears of the refusal, and nothing more comes.
   */
  refuse(): void {
    if (this.#isEnded) return;
    const waiting = this.#waiting.splice(0);
    this.#reply(
      waiting.map(({ incoming }) => incoming),
      STATUS.ESME_RX_T_APPN,
    );
  }

  /** The session is lost, and nothing can be answered any more. What the operator said is applied all the same (S33). */
  end(): void {
    this.#isEnded = true;
  }

  /** Nothing more is committed of the session: what waits for that waits no longer. */
  release(): void {
    this.#isReleased = true;
  }

  /** All is applied that could be. */
  close(): void {
    this.#isClosed = true;
  }

  #reply(all: readonly Incoming[], status: number): void {
    for (const incoming of all) this.#emit({ kind: "reply", incoming, status });
  }
}

// The planner of a link decides what a cycle does, and applies its result.
import type { Pace } from "../../operators/pace.ts";
import type { Cycles } from "./cycles.ts";
import type { Now } from "./events.ts";
import type { HeldBatches } from "./heldbatches.ts";
import type { Pending } from "./pending.ts";
import { NOTHING_WANTED, type Plan, planOf, slotsOf } from "./plan.ts";
import type { Queue } from "./queue.ts";
import type { ReceiptMachine } from "./receipts.ts";
import { NO_ROOM, type Window } from "./window.ts";
import type { Writer } from "./writer.ts";

/** The parts of a machine. */
export type Parts = {
  readonly pace: Pace;
  readonly window: Window;
  readonly pending: Pending;
  readonly queue: Queue;
  readonly writer: Writer;
  readonly heldBatches: HeldBatches;
  readonly cycles: Cycles;
  readonly receipts: ReceiptMachine;
};

/**
 * Whether messages may be written at all, and whether new ones may be. `finishes`: a long message that was begun is
 * written to its end even when no other may be written.
 */
export type Allowed = { isOpen: boolean; mayWrite: boolean; finishes: boolean };

export class Planner {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns the plan of the next cycle; undefined if it has nothing to do. */
  plan(now: Now, { isOpen, mayWrite, finishes }: Allowed): Plan | undefined {
    const { pace, window, pending, queue, writer, heldBatches, cycles } = this.#parts;
    if (!isOpen) writer.giveUpReady(finishes ? "unbegun" : "all");
    const { backlog } = heldBatches;
    const { readyCount } = writer;
    const isDue = pending.isDue(window, now.ms);
    const taking = mayWrite && !cycles.isTaking ? queue.plan(backlog, now.ms) : undefined;
    // While enough messages are ready, more intents can wait: a larger cycle costs less per message.
    const mayChoose = mayWrite && (isDue || backlog.urgentCount > 0 || !window.isStocked(readyCount));
    const room = mayChoose || taking ? window.roomAt(pace, now.ms, readyCount) : NO_ROOM;
    const chosen = mayChoose ? backlog.choose(room, pace.perSecond(now.ms)) : [];
    const returned = isOpen ? heldBatches.overflowing(queue, now.ms) : backlog.batches();
    if (!isDue && !taking && chosen.length + returned.length === 0) return undefined;
    const slots = taking ? window.slotsToTake(room, slotsOf(chosen)) : 0;
    return planOf({ chosen, returned, taking, slots }, this.#parts);
  }

  /** Returns a plan that only commits pending outcomes and moves. */
  planLast(): Plan {
    return planOf(NOTHING_WANTED, this.#parts);
  }

  /** Whether a cycle that may begin beside others is due: enough messages are answered, or more intents are needed. */
  isFurtherDue(now: Now, { mayWrite }: Allowed): boolean {
    const { pace, window, pending, writer, heldBatches, cycles } = this.#parts;
    // Called before `mayBegin`: it starts the waiting time of outcomes even when it is too early for another cycle.
    const isEnough = pending.isDue(window, now.ms);
    if (!cycles.mayBegin(now.ms)) return false;
    if (isEnough) return true;
    const { readyCount } = writer;
    if (!mayWrite || heldBatches.backlog.isEmpty || window.isStocked(readyCount)) return false;
    const { slots, reserved, atMost } = window.roomAt(pace, now.ms, readyCount);
    return Math.min(slots - reserved, atMost) > 0;
  }

  /**
   * Applies a committed cycle: its slots are free, and the messages it chose may be written, unless canceled meanwhile.
   * `matched`: see `CycleResult`; undefined if unknown.
   */
  applyCommitted(plan: Plan, canceled: readonly string[], ms: number, matched?: number): void {
    const { window, queue, writer, heldBatches, receipts } = this.#parts;
    if (plan.outcomes.length > 0 && plan.chosen.length > 0) window.adapt(writer.readyCount);
    window.endCycle(plan, true);
    window.take(slotsOf(plan.chosen));
    receipts.cycleCommitted(plan, matched);
    // This comes first: messages that the cycle gave back are canceled by the link that has them now.
    heldBatches.committed(plan);
    heldBatches.cancel(canceled);
    if (plan.returned.length > 0) {
      const isForOthers = plan.returned.some(({ batch }) => !queue.isSuspended(batch.accountId));
      if (isForOthers) queue.gaveBack(ms);
      queue.wake();
    }
    queue.expect(plan.moves, ms);
    for (const item of plan.chosen) {
      item.batch.intent = item.message.position;
      writer.add(item);
    }
  }

  /** Undoes cycles that were certainly not committed, the last one first. */
  putBack(plans: readonly Plan[]): void {
    const { window, pending, queue, heldBatches } = this.#parts;
    for (const plan of plans.toReversed()) {
      window.endCycle(plan, false);
      pending.putBack(plan);
      heldBatches.putBack(plan);
      if (plan.taking) queue.failed(plan.taking);
    }
  }

  /** Settles messages of canceled batches on the backlog, unless a cycle under way may give them back: then later. */
  settleCanceled(): void {
    const { heldBatches, cycles } = this.#parts;
    if (heldBatches.hasCanceled && !cycles.isReturning) heldBatches.settleCanceled();
  }

  /** The number of answered messages that are not certainly committed. */
  get uncommitted(): number {
    return this.unsettled().reduce((sum, { outcomes, moves }) => sum + outcomes.length + moves.length, 0);
  }

  /** The outcomes and moves that are not certainly committed. */
  unsettled(): Pick<Plan, "outcomes" | "moves">[] {
    return [this.#parts.pending, ...this.#parts.cycles.plans];
  }
}

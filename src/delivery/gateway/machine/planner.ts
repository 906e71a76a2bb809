// The planner of a link decides what a cycle does, and follows what becomes of it.
import type { Pace } from "../../operators/operators.ts";
import type { Cycles } from "./cycles.ts";
import type { Now } from "./events.ts";
import type { HeldBatches } from "./heldbatches.ts";
import type { IncomingIntake } from "./intake.ts";
import type { Pending } from "./pending.ts";
import { NOTHING_WANTED, type Plan, planOf, slotsOf } from "./plan.ts";
import type { Queue } from "./queue.ts";
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
  readonly intake: IncomingIntake;
};

/**
 * Whether messages may be written at all, and whether new ones may be. `finishes`: a long one that is begun is written to
 * its end where no other may be.
 */
export type Allowed = { isOpen: boolean; mayWrite: boolean; finishes: boolean };

export class Planner {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** What the next cycle does; undefined if it has nothing to do. */
  plan(now: Now, { isOpen, mayWrite, finishes }: Allowed): Plan | undefined {
    const { pace, window, pending, queue, writer, heldBatches, cycles } = this.#parts;
    if (!isOpen) writer.giveUpReady(finishes ? "unbegun" : "all");
    const { backlog } = heldBatches;
    const { readyCount } = writer;
    const isDue = pending.isDue(window, now.ms);
    const taking = mayWrite && !cycles.isTaking ? queue.plan(backlog, now.ms) : undefined;
    // While enough is ready, more intents are no hurry. A cycle with more in it costs less.
    const mayChoose = mayWrite && (isDue || backlog.urgentCount > 0 || !window.isStocked(readyCount));
    const room = mayChoose || taking ? window.roomAt(pace, now.ms, readyCount) : NO_ROOM;
    const chosen = mayChoose ? backlog.choose(room, pace.perSecond(now.ms)) : [];
    const returned = isOpen ? heldBatches.overflowing(queue, now.ms) : backlog.batches();
    if (!isDue && !taking && chosen.length + returned.length === 0) return undefined;
    const slots = taking ? window.slotsToTake(room, slotsOf(chosen)) : 0;
    return planOf({ chosen, returned, taking, slots }, this.#parts);
  }

  /** Only commits what is known. */
  planLast(): Plan {
    return planOf(NOTHING_WANTED, this.#parts);
  }

  /** Whether a cycle is due that may be begun beside others: enough is answered, or more intents are needed. */
  isFurtherDue(now: Now, { mayWrite }: Allowed): boolean {
    const { pace, window, pending, writer, heldBatches, cycles } = this.#parts;
    // What is answered waits from now on, also where it is too soon for another cycle.
    const isEnough = pending.isDue(window, now.ms);
    if (!cycles.mayBegin(now.ms)) return false;
    if (isEnough) return true;
    const { readyCount } = writer;
    if (!mayWrite || heldBatches.backlog.isEmpty || window.isStocked(readyCount)) return false;
    const { slots, reserved, atMost } = window.roomAt(pace, now.ms, readyCount);
    return Math.min(slots - reserved, atMost) > 0;
  }

  /**
   * A cycle is committed: its slots are free, and what it chose may be written, unless it was canceled meanwhile. The caller
   * calls `settleCanceled` then, as after `putBack`. `adopted`: see `Turned`; undefined where its answer was lost.
   */
  carryOut(plan: Plan, canceled: readonly string[], ms: number, adopted?: number): void {
    const { window, queue, writer, heldBatches, intake } = this.#parts;
    if (plan.outcomes.length > 0 && plan.chosen.length > 0) window.adapt(writer.readyCount);
    window.endCycle(plan, true);
    window.take(slotsOf(plan.chosen));
    intake.onCommitted(plan, adopted);
    // What the cycle gave back is canceled by whoever has it now.
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

  /** Undoes cycles that surely are not committed, the last one first. */
  putBack(plans: readonly Plan[]): void {
    const { window, pending, queue, heldBatches } = this.#parts;
    for (const plan of plans.toReversed()) {
      window.endCycle(plan, false);
      pending.putBack(plan);
      heldBatches.putBack(plan);
      if (plan.taking) queue.failed(plan.taking);
    }
  }

  /** Settles what the backlog has of canceled batches, unless a cycle may give it back: then it is once that is over. */
  settleCanceled(): void {
    const { heldBatches, cycles } = this.#parts;
    if (!cycles.isReturning) heldBatches.settleCanceled();
  }

  /** How many messages are answered and not committed for certain. */
  get uncommitted(): number {
    return this.unsettled().reduce((sum, { outcomes, moves }) => sum + outcomes.length + moves.length, 0);
  }

  /** What became of them. */
  unsettled(): Pick<Plan, "outcomes" | "moves">[] {
    return [this.#parts.pending, ...this.#parts.cycles.plans];
  }
}

// The planner of a link decides what a turn does, and follows what becomes of it.
import type { Pace } from "../../operators/operators.ts";
import type { Now } from "./events.ts";
import type { Hearing } from "./hearing.ts";
import type { Holding } from "./holding.ts";
import type { Pending } from "./pending.ts";
import { NOTHING_WANTED, type Plan, planOf, slotsOf } from "./plan.ts";
import type { Queue } from "./queue.ts";
import type { Turns } from "./turns.ts";
import { NO_ROOM, type Window } from "./window.ts";
import type { Writer } from "./writer.ts";

/** The parts of a heart. */
export type Parts = {
  readonly pace: Pace;
  readonly window: Window;
  readonly pending: Pending;
  readonly queue: Queue;
  readonly writer: Writer;
  readonly holding: Holding;
  readonly turns: Turns;
  readonly hearing: Hearing;
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

  /** What the next turn does; undefined if it has nothing to do. */
  plan(now: Now, { isOpen, mayWrite, finishes }: Allowed): Plan | undefined {
    const { pace, window, pending, queue, writer, holding, turns } = this.#parts;
    if (!isOpen) writer.giveUpReady(finishes ? "unbegun" : "all");
    const { shelf } = holding;
    const { readyCount } = writer;
    const isDue = pending.isDue(window, now.ms);
    const taking = mayWrite && !turns.isTaking ? queue.plan(shelf, now.ms) : undefined;
    // While enough is ready, more intents are no hurry. A turn with more in it costs less.
    const mayChoose = mayWrite && (isDue || shelf.urgentCount > 0 || !window.isStocked(readyCount));
    const room = mayChoose || taking ? window.roomAt(pace, now.ms, readyCount) : NO_ROOM;
    const chosen = mayChoose ? shelf.choose(room, pace.perSecond(now.ms)) : [];
    const returned = isOpen ? holding.overflowing(queue, now.ms) : shelf.batches();
    if (!isDue && !taking && chosen.length + returned.length === 0) return undefined;
    const slots = taking ? window.slotsToTake(room, slotsOf(chosen)) : 0;
    return planOf({ chosen, returned, taking, slots }, this.#parts);
  }

  /** Only commits what is known. */
  planLast(): Plan {
    return planOf(NOTHING_WANTED, this.#parts);
  }

  /** Whether a turn is due that may be begun beside others: enough is answered, or more intents are needed. */
  isFurtherDue(now: Now, { mayWrite }: Allowed): boolean {
    const { pace, window, pending, writer, holding, turns } = this.#parts;
    // What is answered waits from now on, also where it is too soon for another turn.
    const isEnough = pending.isDue(window, now.ms);
    if (!turns.mayBegin(now.ms)) return false;
    if (isEnough) return true;
    const { readyCount } = writer;
    if (!mayWrite || holding.shelf.isEmpty || window.isStocked(readyCount)) return false;
    const { slots, reserved, atMost } = window.roomAt(pace, now.ms, readyCount);
    return Math.min(slots - reserved, atMost) > 0;
  }

  /**
   * A turn is committed: its slots are free, and what it chose may be written, unless it was canceled meanwhile. The caller
   * calls `settleCanceled` then, as after `putBack`. `adopted`: see `Turned`; undefined where its answer was lost.
   */
  carryOut(plan: Plan, canceled: readonly string[], ms: number, adopted?: number): void {
    const { window, queue, writer, holding, hearing } = this.#parts;
    if (plan.outcomes.length > 0 && plan.chosen.length > 0) window.adapt(writer.readyCount);
    window.endTurn(plan, true);
    window.take(slotsOf(plan.chosen));
    hearing.onCommitted(plan, adopted);
    // What the turn gave back is canceled by whoever has it now.
    holding.committed(plan);
    holding.cancel(canceled);
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

  /** Undoes turns that surely are not committed, the last one first. */
  putBack(plans: readonly Plan[]): void {
    const { window, pending, queue, holding } = this.#parts;
    for (const plan of plans.toReversed()) {
      window.endTurn(plan, false);
      pending.putBack(plan);
      holding.putBack(plan);
      if (plan.taking) queue.failed(plan.taking);
    }
  }

  /** Settles what the shelf has of canceled batches, unless a turn may give it back: then it is once that is over. */
  settleCanceled(): void {
    const { holding, turns } = this.#parts;
    if (!turns.isReturning) holding.settleCanceled();
  }

  /** How many messages are answered and not committed for certain. */
  get uncommitted(): number {
    return this.unsettled().reduce((sum, { outcomes, moves }) => sum + outcomes.length + moves.length, 0);
  }

  /** What became of them. */
  unsettled(): Pick<Plan, "outcomes" | "moves">[] {
    return [this.#parts.pending, ...this.#parts.turns.plans];
  }
}

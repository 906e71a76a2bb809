// The plan of one commit cycle: what it commits, and what may be written afterwards.
import type { GivenBack } from "../../sends/queue/batches.ts";
import { COUNTING } from "../../sends/queue/packed.ts";
import type { MessageOutcome, Move } from "../../sends/settlement/settle.ts";
import type { HeldBatches } from "./heldbatches.ts";
import type { Batch, Item } from "./items.ts";
import type { Pending } from "./pending.ts";
import type { Taking } from "./queue.ts";
import type { Window } from "./window.ts";

/** One cycle: what it commits, and what it takes from the queue. */
export type Plan = {
  outcomes: MessageOutcome[];
  moves: Move[];
  chosen: Item[];
  /** Batches with no messages left. */
  done: Batch[];
  /** Batches whose unwritten messages are given back, for other operators to send. */
  returned: { batch: Batch; part: GivenBack }[];
  taking: Taking | undefined;
  /** The window slots for whole batches that the cycle takes and writes at once. */
  slots: number;
  /** The slots that this commit frees. */
  freed: number;
  /** The slots reserved, until the commit ends, for the messages that the cycle chose and takes. */
  promised: number;
};

/** The work of a cycle beyond committing pending outcomes and moves. */
type Wanted = Pick<Plan, "chosen" | "taking" | "slots"> & { returned: Batch[] };

/** Commits only pending outcomes and moves. */
export const NOTHING_WANTED: Wanted = { chosen: [], returned: [], taking: undefined, slots: 0 };

/** The parts of a machine that contribute to a plan. */
type Parts = { pending: Pending; heldBatches: HeldBatches; window: Window };

/** Returns a plan of everything pending, and reserves the slots for the messages that it chooses and takes. */
export function planOf(wanted: Wanted, { pending, heldBatches, window }: Parts): Plan {
  const promised = slotsOf(wanted.chosen) + wanted.slots;
  const freed = window.beginCycle(promised);
  return {
    ...wanted,
    ...pending.take(),
    done: heldBatches.takeDone(),
    returned: wanted.returned.map((batch) => {
      const unwritten = heldBatches.backlog.messagesOf(batch);
      return { batch, part: { id: batch.id, open: batch.open, unwritten } };
    }),
    freed,
    promised,
  };
}

/** Whether no statement of the cycle depends on the result of another, so that it needs one round trip. */
export function isOneTrip(plan: Plan): boolean {
  const isPlain = plan.outcomes.every(
    ({ message }) => message.packed && message.counting !== COUNTING.subscribed,
  );
  return isPlain && !hasLost(plan);
}

/** Whether messages become of unknown fate in this plan. */
export function hasLost({ moves }: Pick<Plan, "moves">): boolean {
  return moves.some(({ fate }) => fate === "unknown");
}

/** Returns the window slots of these messages. A message occupies them from its intent to its committed outcome. */
export function slotsOf(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + item.slots, 0);
}

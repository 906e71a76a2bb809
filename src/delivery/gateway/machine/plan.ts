// The plan of one cycle over a link says what it commits, and what it may write then.
import { type GivenBack, type MessageOutcome, type Move, STANDING } from "../../sends/sends.ts";
import type { HeldBatches } from "./heldbatches.ts";
import type { Batch, Item } from "./items.ts";
import type { Pending } from "./pending.ts";
import type { Taking } from "./queue.ts";
import type { Window } from "./window.ts";

/** One cycle: what to commit, and what to take from the queue. */
export type Plan = {
  outcomes: MessageOutcome[];
  moves: Move[];
  chosen: Item[];
  /** Batches of which no message is left. */
  done: Batch[];
  /** Batches whose messages that are not written yet go back, for others to send. */
  returned: { batch: Batch; part: GivenBack }[];
  taking: Taking | undefined;
  /** The window slots for whole batches that it takes and writes at once. */
  slots: number;
  /** The slots that are free once this is committed. */
  freed: number;
  /** The slots that are kept for what it chose and takes, until its commit is over. */
  promised: number;
};

/** What a cycle is to do beside committing what is known. */
type Wanted = Pick<Plan, "chosen" | "taking" | "slots"> & { returned: Batch[] };

/** Nothing but to commit what is known. */
export const NOTHING_WANTED: Wanted = { chosen: [], returned: [], taking: undefined, slots: 0 };

/** The parts of a machine that a plan is made of. */
type Parts = { pending: Pending; heldBatches: HeldBatches; window: Window };

/** Makes a plan of everything that is pending, and keeps the slots for what it chooses and takes. */
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

/** Whether nothing that a cycle does depends on what one of its statements finds, so that it takes one trip. */
export function isOneTrip(plan: Plan): boolean {
  const isPlain = plan.outcomes.every(
    ({ message }) => message.folded && message.standing !== STANDING.watched,
  );
  return isPlain && !hasLost(plan);
}

/** Whether messages become of unknown fate in it. */
export function hasLost({ moves }: Pick<Plan, "moves">): boolean {
  return moves.some(({ fate }) => fate === "unknown");
}

/** The window slots of these messages. A message keeps them from its intent to its committed outcome. */
export function slotsOf(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + item.slots, 0);
}

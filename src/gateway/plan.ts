// The plan of one turn over a link says what it commits, and what it may write then.
import type { GivenBack, MessageOutcome, Move } from "../sends/sends.ts";
import type { Taking } from "./queue.ts";
import type { FinalReceipt } from "./receipts.ts";
import type { Room } from "./window.ts";
import type { Batch, Item } from "./writer.ts";

/** A receipt, or a handset's message (without `receipt`), that is answered once a turn is committed. */
export type Unanswered = { receipt?: FinalReceipt; answer: (status: number) => void };

/** One turn: what to commit, what to take from the queue, and the room in the window that is left for that. */
export type Plan = Room & {
  outcomes: MessageOutcome[];
  moves: Move[];
  receipts: Unanswered[];
  chosen: Item[];
  /** Batches of which no message is left. */
  done: Batch[];
  /** Batches whose messages that are not written yet go back, for others to send. */
  returned: { batch: Batch; part: GivenBack }[];
  taking: Taking | undefined;
  /** The slots that are free once this is committed. */
  freed: number;
  /** The slots that are kept for what it chose and takes, until its commit is over. */
  promised: number;
};

/** The window slots of these messages. A message keeps them from its intent to its committed outcome. */
export function slotsOf(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + item.slots, 0);
}

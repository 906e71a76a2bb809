// The plan of one turn over a link: what it commits, and what it may write then.
import type { Taking } from "./queue.ts";
import type { FinalReceipt } from "./receipts.ts";
import type { MessageOutcome, Move } from "./turn.ts";
import type { Batch, Item } from "./writer.ts";

/** What the operator is answered once a turn is committed: to a receipt, or to a handset's message. */
export type Unanswered = { receipt?: FinalReceipt; answer: (status: number) => void };

/** One turn: what to commit, what to take from the queue, and the window slots that are left for that. */
export type Plan = {
  outcomes: MessageOutcome[];
  moves: Move[];
  receipts: Unanswered[];
  chosen: Item[];
  finished: Batch[];
  /** What is not written yet of these goes back, for others to send. */
  returned: Batch[];
  taking: Taking | undefined;
  room: number;
};

export const NOTHING = { chosen: [], finished: [], returned: [], taking: undefined, room: 0 };

/** The window slots that messages keep from their intent to their committed outcome. */
export function slotsOf(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + item.slots, 0);
}

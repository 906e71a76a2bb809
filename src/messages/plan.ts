// The plan of one turn over a link says what it commits, and what it may write then.
import type { Taking } from "./queue.ts";
import type { FinalReceipt } from "./receipts.ts";
import type { MessageOutcome, Move } from "./turn.ts";
import type { Batch, Item } from "./writer.ts";

/** A receipt, or a handset's message (without `receipt`), that is answered once a turn is committed. */
export type Unanswered = { receipt?: FinalReceipt; answer: (status: number) => void };

/** One turn: what to commit, what to take from the queue, and the window slots that are left for that. */
export type Plan = {
  outcomes: MessageOutcome[];
  moves: Move[];
  receipts: Unanswered[];
  chosen: Item[];
  finished: Batch[];
  /** Their messages that are not written yet go back, for others to send. */
  returned: Batch[];
  taking: Taking | undefined;
  room: number;
};

export const NOTHING = { chosen: [], finished: [], returned: [], taking: undefined, room: 0 };

/** The window slots of these messages. A message keeps them from its intent to its committed outcome. */
export function slotsOf(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + item.slots, 0);
}

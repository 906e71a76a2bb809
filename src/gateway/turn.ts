// One turn of a link in the database: a transaction in named phases, sent in one trip where nothing has to be read.
import type { Tx } from "../kernel/database.ts";
import {
  type BatchRow,
  deferUnknown,
  giveBack,
  moveMessages,
  settleFolded,
  settleQueued,
  Tally,
  type WaitingGroup,
} from "../sends/sends.ts";
import type { Plan } from "./plan.ts";
import type { Queue } from "./queue.ts";
import { commitReceipts } from "./receipts.ts";

/** A turn: its plan, its number in the session, and what the link knows of the database. */
export type Turn = {
  operatorId: string;
  sessionId: string;
  number: number;
  plan: Plan;
  /** The number of receipts without a message that the database keeps; undefined before the first turn. */
  orphans: number | undefined;
  /** How long messages of unknown fate are deferred: in the first turn, before it takes anything. */
  quarantineMs: number;
};

/** What a turn found. */
export type Turned = {
  batches: BatchRow[];
  waiting: WaitingGroup[];
  /** The batches that were canceled meanwhile. */
  canceled: string[];
  orphans: number;
  /** Whether there are events to announce after the commit. */
  told: boolean;
};

/** Runs the statements of a turn. The transaction fails if the session is over. */
export async function runTurn(tx: Tx, queue: Queue, turn: Turn): Promise<Turned> {
  const { plan, operatorId, sessionId } = turn;
  const tally = new Tally();
  const settling = settle(tx, turn, tally);
  const oneTrip = isOneTrip(turn);
  // Receipts are applied to what was just settled, and the tally needs all counts: these turns take several trips.
  if (!oneTrip) await settling;
  const orphans = oneTrip ? 0 : await receive(tx, turn, tally);
  const taking = Promise.all([
    turn.orphans === undefined && deferUnknown(tx, operatorId, turn.quarantineMs),
    plan.taking ? queue.take(tx, plan.taking, plan) : { batches: [], waiting: [] },
    giveBack(
      tx,
      sessionId,
      plan.returned.map(({ part }) => part),
    ),
  ]);
  const telling = tally.write(tx);
  // All statements are sent by now, so COMMIT can go with them. Only the events for watchers depend on the totals.
  if (!tally.isWatched) tx.commitNow();
  const [canceled, [, taken], told] = await Promise.all([settling, taking, telling]);
  return { ...taken, canceled, orphans, told };
}

/** Whether nothing that this turn does depends on what one of its statements finds. */
function isOneTrip({ plan, orphans }: Turn): boolean {
  const isAllFolded = plan.outcomes.every((outcome) => outcome.message.folded);
  return orphans === 0 && plan.receipts.length === 0 && isAllFolded;
}

/**
 * Settles outcomes, moves messages, commits intents and deletes what is done. The order matters: a move changes its
 * batch, and a batch can be deleted only once it is empty.
 */
async function settle(tx: Tx, { plan, ...turn }: Turn, tally: Tally): Promise<string[]> {
  const { outcomes, moves, chosen, done } = plan;
  // The positions of a batch are chosen in order, so the last one is its intent.
  const intents = new Map(chosen.map(({ batch, message }) => [batch.id, message.position]));
  const queued = outcomes.filter(({ message }) => !message.folded);
  const changes = {
    session: { id: turn.sessionId, turn: turn.number },
    operatorId: turn.operatorId,
    outcomes: outcomes.filter(({ message }) => message.folded),
    intents,
    done: done.map((batch) => batch.id),
  };
  const [, , canceled] = await Promise.all([
    moveMessages(tx, moves),
    settleQueued(tx, turn.operatorId, queued, tally),
    settleFolded(tx, changes, tally),
  ]);
  return canceled;
}

/** Applies receipts; returns the number of those that are kept without a message. */
function receive(tx: Tx, { plan, operatorId, orphans }: Turn, tally: Tally): Promise<number> {
  const receipts = plan.receipts.flatMap(({ receipt }) => receipt ?? []);
  return commitReceipts(tx, operatorId, { ...plan, receipts }, orphans, tally);
}

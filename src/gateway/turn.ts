// One turn of a link in the database: a transaction in named phases, sent in one trip where nothing has to be read.
import type { Tx } from "../kernel/database.ts";
import type { Link } from "../operators/operators.ts";
import {
  type BatchRow,
  deferUnknown,
  type Evidence,
  giveBack,
  listWaiting,
  moveMessages,
  settleFolded,
  settleQueued,
  Tally,
  takeBatches,
} from "../sends/sends.ts";
import type { Awaited } from "./awaited.ts";
import type { Commit, Turned } from "./heart/events.ts";
import { GROUPS_AT_ONCE } from "./heart/queue.ts";
import { commitReceipts } from "./receipts.ts";

/** A turn, and whose it is. */
export type Turn = Omit<Commit, "kind" | "awaited"> & {
  link: { operator: Pick<Link["operator"], "id">; sessionId: string } & Pick<Link, "account">;
  awaited: Awaited;
  /** How long messages of unknown fate are deferred: in the first turn, before it takes anything. */
  times: { quarantineMs: number };
};

/** What a turn found. `told`: there are events to announce after the commit. */
export type TurnOutcome = Turned & { batches: readonly BatchRow[]; told: boolean; evidence: Evidence };

/** Runs the statements of a turn. The transaction fails if the session is over. */
export async function runTurn(tx: Tx, turn: Turn): Promise<TurnOutcome> {
  const { plan, link, orphans: known, times } = turn;
  const tally = new Tally();
  const settling = settle(tx, turn, tally);
  const oneTrip = isOneTrip(turn);
  // Receipts are applied to what was just settled, and the tally needs all counts: these turns take several trips.
  if (!oneTrip) await settling;
  const orphans = oneTrip ? 0 : await receive(tx, turn, tally);
  const parts = plan.returned.map(({ part }) => part);
  const taking = Promise.all([
    known === undefined && deferUnknown(tx, link.operator.id, times.quarantineMs),
    take(tx, turn),
    plan.taking?.look ? listWaiting(tx, GROUPS_AT_ONCE, plan.taking.look) : [],
    giveBack(tx, link.sessionId, parts),
  ]);
  const telling = tally.write(tx);
  // All statements are sent by now, so COMMIT can go with them. Only the events for watchers depend on the totals.
  if (!tally.isWatched) tx.commitNow();
  const [canceled, [, batches, waiting], told] = await Promise.all([settling, taking, telling]);
  return { batches, waiting, canceled, orphans, told, evidence: tally.evidence };
}

/** Takes batches for the session, with the intent for those that fit whole into the free slots. */
async function take(tx: Tx, { plan, link }: Turn): Promise<BatchRow[]> {
  const { taking, slots } = plan;
  if (!taking || taking.urgent + taking.bulk.length === 0) return [];
  const { urgent, shares, bulk } = taking;
  const session = { sessionId: link.sessionId, operatorId: link.operator.id };
  return takeBatches(tx, { ...session, shares, urgent, slots, bulk });
}

/** Whether nothing that this turn does depends on what one of its statements finds. */
function isOneTrip({ plan, orphans }: Turn): boolean {
  const isAllFolded = plan.outcomes.every((outcome) => outcome.message.folded);
  return orphans === 0 && plan.said.length === 0 && isAllFolded;
}

/**
 * Settles outcomes, moves messages, commits intents and deletes what is done. The order matters: a move changes its
 * batch, and a batch can be deleted only once it is empty.
 */
async function settle(tx: Tx, { plan, link, turn, after }: Turn, tally: Tally): Promise<string[]> {
  const { outcomes, moves, chosen, done } = plan;
  const operatorId = link.operator.id;
  // The positions of a batch are chosen in order, so the last one is its intent.
  const intents = new Map(chosen.map(({ batch, message }) => [batch.id, message.position]));
  const queued = outcomes.filter(({ message }) => !message.folded);
  const changes = {
    session: { id: link.sessionId, turn, after },
    operatorId,
    outcomes: outcomes.filter(({ message }) => message.folded),
    intents,
    done: done.map((batch) => batch.id),
  };
  const [, , canceled] = await Promise.all([
    moveMessages(tx, moves),
    settleQueued(tx, operatorId, queued, tally),
    settleFolded(tx, changes, tally),
  ]);
  return canceled;
}

/** Applies receipts; returns the number of those that are kept without a message. */
function receive(tx: Tx, { plan, link, orphans, awaited }: Turn, tally: Tally): Promise<number> {
  const receipts = plan.said.flatMap(({ receipt }) => receipt ?? []);
  const source = { operatorId: link.operator.id, operatorIds: link.account().operatorIds };
  return commitReceipts(tx, source, { ...plan, receipts, awaited }, orphans, tally);
}

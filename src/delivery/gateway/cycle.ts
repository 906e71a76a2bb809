// One cycle of a link in the database: a transaction in named phases, in one round trip if nothing must be read first.
import type { Tx } from "../../platform/database/transaction.ts";
import type { BatchRow } from "../sends/queue/batches.sql.ts";
import { deferUnknown, giveBack, listWaiting, takeBatches } from "../sends/queue/batches.ts";
import { type Evidence, SettlementEffects } from "../sends/settlement/effects.ts";
import type { ReceiptSource } from "../sends/settlement/receipts.ts";
import { moveMessages, settlePacked, settleQueued } from "../sends/settlement/settle.ts";
import type { Awaited } from "./awaited.ts";
import type { Commit, CycleResult } from "./machine/events.ts";
import { GROUPS_AT_ONCE } from "./machine/queue.ts";
import { matchOrphansOfUnknown } from "./receipts.ts";
import { noteQueries, type QueryTimes } from "./statusqueries.ts";

/** A cycle, and the session that it belongs to. */
type Cycle = Omit<Commit, "kind" | "awaited"> & {
  sessionId: string;
  source: ReceiptSource;
  awaited: Awaited | undefined;
  /** How long messages of unknown fate are deferred in the first cycle, before it takes any batch. */
  times: { quarantineMs: number } & QueryTimes;
  /** Whether the carrier can be asked about a message. */
  asks: boolean;
};

/** The result of a cycle. `hasEvents`: there are events to announce after the commit. */
type CycleOutcome = CycleResult & { batches: readonly BatchRow[]; hasEvents: boolean; evidence: Evidence };

/**
 * Runs the statements of a cycle. The transaction fails if the session is over. Stored receipts that prove the
 * acceptance of messages that become of unknown fate here are applied at once, so that no proven message is sent again.
 */
export async function runCycle(tx: Tx, cycle: Cycle): Promise<CycleOutcome> {
  const { plan, sessionId, source, isFirst, awaited, times } = cycle;
  const { operatorId } = source;
  const effects = new SettlementEffects();
  const settling = settle(tx, cycle, effects);
  // The counters need the counts of messages with rows of their own, and of messages that a receipt proves accepted.
  if (plan.outcomes.some(({ message }) => !message.packed) || awaited) await settling;
  const matched = awaited ? await matchOrphansOfUnknown(tx, source, awaited, effects) : 0;
  const parts = plan.returned.map(({ part }) => part);
  const taking = Promise.all([
    isFirst && deferUnknown(tx, operatorId, times.quarantineMs),
    take(tx, cycle),
    plan.taking?.look ? listWaiting(tx, GROUPS_AT_ONCE, plan.taking.look) : [],
    giveBack(tx, sessionId, parts),
    cycle.asks && noteQueries(tx, operatorId, plan, times),
  ]);
  const [canceled, [, batches, waiting], hasEvents] = await Promise.all([
    settling,
    taking,
    effects.commit(tx),
  ]);
  return { batches, waiting, canceled, matched, hasEvents, evidence: effects.evidence };
}

/** Takes batches for the session, and commits the intent for those that fit whole into the free slots. */
async function take(tx: Tx, { plan, sessionId, source }: Cycle): Promise<BatchRow[]> {
  const { taking, slots } = plan;
  if (!taking || taking.urgent + taking.bulk.length === 0) return [];
  const { urgent, ranges, bulk } = taking;
  const { operatorId } = source;
  return takeBatches(tx, { sessionId, operatorId, ranges, urgent, slots, bulk });
}

/**
 * Settles outcomes, moves messages, commits intents and deletes finished batches. The order matters: a move changes its
 * batch, and only an empty batch can be deleted.
 */
async function settle(
  tx: Tx,
  { plan, sessionId, source, cycle, prior }: Cycle,
  effects: SettlementEffects,
): Promise<string[]> {
  const { outcomes, moves, chosen, done } = plan;
  const { operatorId } = source;
  // The positions of a batch are chosen in order, so the last one is its intent.
  const intents = new Map(chosen.map(({ batch, message }) => [batch.id, message.position]));
  const queued = outcomes.filter(({ message }) => !message.packed);
  const changes = {
    session: { id: sessionId, cycle, prior },
    operatorId,
    outcomes: outcomes.filter(({ message }) => message.packed),
    intents,
    done: done.map((batch) => batch.id),
  };
  const [, , canceled] = await Promise.all([
    moveMessages(tx, moves),
    settleQueued(tx, operatorId, queued, effects),
    settlePacked(tx, changes, effects),
  ]);
  return canceled;
}

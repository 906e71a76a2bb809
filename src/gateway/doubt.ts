// A commit whose answer was lost: what the database knows of it is read before anything else is done.
import type { Tx } from "../kernel/database.ts";
import { type HeldBatch, lastTurnOf, unknownBatchesOf } from "../sends/sends.ts";
import type { Plan } from "./plan.ts";

/** The commits whose answers were lost: that of a turn, or only those of leases. */
export type LostCommit = { turn: { number: number; plan: Plan } | undefined };

/** Another process owns the bind, or the database has another picture of the session. */
export class Disowned extends Error {}

/** Whether the turn in doubt was committed, and what the session has that it does not know of. */
export type Certainty = { isCommitted: boolean; batches: HeldBatch[] };

/**
 * Reads what became of lost commits. It waits until none of the session's transactions is under way, so that its answer
 * is final. `known` are the batches that the session knows, and those of leases whose answer is still to come.
 */
export async function resolveDoubt(
  tx: Tx,
  session: { operatorId: string; sessionId: string },
  doubt: LostCommit,
  known: readonly string[],
): Promise<Certainty> {
  const last = await lastTurnOf(tx, session.sessionId);
  if (last === undefined) throw new Disowned("the session is over");
  const batches = await unknownBatchesOf(tx, session, known);
  return { isCommitted: doubt.turn !== undefined && last >= doubt.turn.number, batches };
}

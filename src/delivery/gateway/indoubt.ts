// Resolves a commit whose answer was lost: reads what the database has before anything else is done.
import type { Tx } from "../../platform/database/transaction.ts";
import { canceledAmong, decideCycles, unknownBatchesOf } from "../sends/queue/batches.ts";
import type { Certainty, KnownBatches, LostCommit } from "./machine/events.ts";

/** Another process owns the bind, or the database disagrees with this process about the session. */
export class Disowned extends Error {}

/**
 * Reads the fate of lost commits, once none of the session's transactions is under way. A cycle that is not committed
 * by then never will be, and a lost acceptance creates no batch for the session later: the result is final. Cycles are
 * committed in order, so the last committed one decides for all. Throws `Disowned` if the session is over.
 */
export async function resolveInDoubt(
  tx: Tx,
  session: { operatorId: string; sessionId: string },
  { cycles }: LostCommit,
  { cycle: last, batches: known, leases }: KnownBatches,
): Promise<Certainty> {
  const decision = await decideCycles(tx, session.sessionId, cycles.at(-1)?.number ?? 0, last);
  if (!decision) throw new Disowned("the session is over, or the database has forgotten a cycle of it");
  const canceled = await canceledAmong(tx, session.sessionId, known);
  const batches = await unknownBatchesOf(tx, session, [...known, ...leases]);
  return { ...decision, batches, canceled };
}

// Recovers what earlier sessions with an operator left behind.
import type { Tx } from "../../platform/database.ts";
import type { Runtime } from "../../platform/runtime.ts";
import {
  beginSession,
  type Evidence,
  freeBatches,
  lockLeftBatches,
  moveMessages,
  type ReceiptSource,
  Tally,
  unknownMove,
} from "../sends/sends.ts";
import type { Awaited } from "./awaited.ts";
import { Disowned } from "./doubt.ts";
import { adoptOrphansOfUnknown } from "./receipts.ts";

/** A session that begins, and what the other sessions of its account await. */
type Beginning = ReceiptSource & { sessionId: string; awaited: Awaited };

/**
 * Begins a session and recovers what earlier sessions of its operator left. What they may have written becomes of
 * unknown fate; the rest is free again. Returns how many messages were lost so, how many of them are of unknown fate
 * now, and whether there are events to announce after the commit. Refuses by `Disowned` where another process owns the
 * bind by now.
 */
export async function recoverLostSessions(
  tx: Tx,
  { operatorId, sessionId, operatorIds, awaited }: Beginning,
  times: Runtime["config"]["settings"],
): Promise<{ unknown: number; lost: number; told: boolean; evidence: Evidence }> {
  if (!(await beginSession(tx, operatorId, sessionId))) throw new Disowned("another process owns the bind");
  const left = await lockLeftBatches(tx, operatorId);
  const moves = left.flatMap(({ lane, possiblyWritten }) =>
    possiblyWritten.map((message) => unknownMove(message, { lane, operatorId }, times)),
  );
  await moveMessages(tx, moves);
  await freeBatches(
    tx,
    left.map((batch) => batch.id),
  );
  const tally = new Tally();
  const proven = await adoptOrphansOfUnknown(tx, { operatorId, operatorIds }, awaited, tally);
  const told = await tally.write(tx);
  return { unknown: moves.length - proven, lost: moves.length, told, evidence: tally.evidence };
}

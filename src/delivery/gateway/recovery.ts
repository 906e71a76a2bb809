// Recovers the messages that earlier sessions with an operator left behind.

import type { Tx } from "../../platform/database/transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { beginSession, freeBatches, lockLeftBatches } from "../sends/queue/batches.ts";
import { type Evidence, SettlementEffects } from "../sends/settlement/effects.ts";
import type { ReceiptSource } from "../sends/settlement/receipts.ts";
import { moveMessages, unknownMove } from "../sends/settlement/settle.ts";
import type { Awaited } from "./awaited.ts";
import { Disowned } from "./indoubt.ts";
import { matchOrphansOfUnknown } from "./receipts.ts";
import { noteQueries } from "./statusqueries.ts";

/**
 * A session that begins, and the messages that the other sessions of its account await. `asks`: whether its carrier can be
 * asked about a message.
 */
type Beginning = ReceiptSource & { sessionId: string; awaited: Awaited; asks: boolean };

/**
 * Begins a session and recovers the batches that earlier sessions of its operator left. Messages that they may have
 * written become of unknown fate; the others are free again. Returns how many messages were lost, how many of them are
 * of unknown fate now, and whether there are events to announce after the commit. Throws `Disowned` if another process
 * owns the bind.
 */
export async function recoverLostSessions(
  tx: Tx,
  { operatorId, sessionId, operatorIds, awaited, asks }: Beginning,
  times: Runtime["config"]["settings"],
): Promise<{ unknown: number; lost: number; hasEvents: boolean; evidence: Evidence }> {
  if (!(await beginSession(tx, operatorId, sessionId))) throw new Disowned("another process owns the bind");
  const left = await lockLeftBatches(tx, operatorId);
  const moves = left.flatMap(({ lane, possiblyWritten }) =>
    possiblyWritten.map((message) => unknownMove(message, { lane, operatorId }, times)),
  );
  await moveMessages(tx, moves);
  if (asks) await noteQueries(tx, operatorId, { outcomes: [], moves }, times);
  await freeBatches(
    tx,
    left.map((batch) => batch.id),
  );
  const effects = new SettlementEffects();
  const proven = await matchOrphansOfUnknown(tx, { operatorId, operatorIds }, awaited, effects);
  const hasEvents = await effects.write(tx);
  return { unknown: moves.length - proven, lost: moves.length, hasEvents, evidence: effects.evidence };
}

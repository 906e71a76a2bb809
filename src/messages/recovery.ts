// Recovers what no session has any more: batches of lost sessions, and messages whose time is over.
import type { Tx } from "../kernel/database.ts";
import { adoptOrphansOfUnknown } from "./receipts.ts";
import * as sql from "./sql.ts";
import {
  type MessageOutcome,
  moveMessages,
  settleOutcomes,
  Tally,
  type UnknownTimes,
  unknownMove,
} from "./turn.ts";

/**
 * Recovers what earlier sessions of an operator left. What they may have written becomes of unknown fate; the rest is
 * free again. Returns how many messages are of unknown fate now, and whether there are events to announce after the
 * commit.
 */
export async function recoverLostSessions(
  tx: Tx,
  operatorId: string,
  sessionId: string,
  times: UnknownTimes,
): Promise<{ unknown: number; told: boolean }> {
  const written = await tx.run(sql.listPossiblyWritten, [operatorId, sessionId]);
  await moveMessages(
    tx,
    written.map((row) =>
      unknownMove(
        { batchId: row.batch_id, position: row.position, segments: row.segments, accepted: 0 },
        { lane: row.lane, losses: row.losses },
        times,
      ),
    ),
  );
  await tx.run(sql.freeBatches, [operatorId, sessionId]);
  const tally = new Tally();
  const proven = await adoptOrphansOfUnknown(tx, operatorId, tally);
  const told = await tally.write(tx);
  return { unknown: written.length - proven, told };
}

/**
 * Settles messages that ran out of time while no gateway had them, 20 batches a call. Returns how many messages became
 * final, and whether there are events to announce after the commit.
 */
export async function settleExpired(tx: Tx): Promise<{ count: number; told: boolean }> {
  const rows = await tx.run(sql.listExpired);
  const told = await settleOutcomes(tx, null, rows.map(outcomeOfExpired));
  await tx.run(sql.deleteExpiredBatches);
  return { count: rows.length, told };
}

function outcomeOfExpired(row: {
  batch_id: string;
  position: number;
  unknown: boolean;
  canceled: boolean;
}): MessageOutcome {
  const common = { batchId: row.batch_id, position: row.position, operatorMessageId: null };
  if (row.unknown) return { ...common, status: "UNKNOWN", error: "unknown-outcome" };
  return row.canceled
    ? { ...common, status: "CANCELED", error: null }
    : { ...common, status: "EXPIRED", error: "expired" };
}

// The number and age of queued messages, for metrics.
import type { Statements } from "../../../platform/database/query.ts";
import * as sql from "./depths.sql.ts";

// The limits of what one scrape reads.
const PLACES_AT_MOST = 1_000;
const BATCHES_AT_MOST = 50_000;
const UNKNOWN_AT_MOST = 100_000;

/**
 * Reads the messages that wait for any link, by lane and prefix: exact up to 50,000 batches (of bulk, 25 million
 * messages). No more batches are read, the same number for each lane and prefix. The age is that of the oldest due
 * batch among them; in the lanes before bulk the oldest is always included.
 */
export function readQueueDepths(db: Statements): Promise<sql.QueueDepth[]> {
  return db.run(sql.listQueueDepths, [PLACES_AT_MOST, BATCHES_AT_MOST]);
}

/** Counts the messages of unknown fate that wait for receipts, by the id of their operator: 100,000 at most in all. */
export async function readOperatorsOfUnknown(db: Statements): Promise<Map<string, number>> {
  const counted = await db.run(sql.countUnknownByOperator, [UNKNOWN_AT_MOST]);
  return new Map(counted.map((row) => [row.operator_id ?? "", row.count]));
}

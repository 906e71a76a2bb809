// The audit of the ledger, and the retention of its entries and holds.
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { forgetEntries } from "./chain.sql.ts";
import { WORLD } from "./credits.ts";
import * as sql from "./sql.ts";

const FORGOTTEN_AT_ONCE = 5_000;

/** Compares every balance with its entries. Run it in one snapshot with what the caller compares `held` to. */
export async function auditLedger(tx: Tx): Promise<sql.Audit> {
  const audit = await one(tx, sql.auditLedger);
  return audit;
}

/**
 * Sums up the entries written before `until`; no transaction that began before `until` may still be open. Runs one at a
 * time and never goes back: parallel runs, or a clock that was set back, would count entries twice.
 */
export async function advanceAuditMarks(tx: Tx, until: Date): Promise<void> {
  await tx.run(sql.lockPools, [[WORLD]]);
  await tx.run(sql.advanceMarks, [until]);
}

/** Saves the result of the hourly audit for monitoring. */
export async function noteAudit(
  db: Statements,
  { difference, balanced }: { difference: number; balanced: boolean },
): Promise<void> {
  await db.run(sql.upsertLastAudit, [difference, balanced]);
}

/** Returns the result of the last hourly audit; undefined if none has run yet. */
export async function readLastAudit(db: Statements): Promise<sql.LastAudit | undefined> {
  return (await db.run(sql.findLastAudit))[0];
}

/** Returns and locks some settled holds from before a time that the audit has already summed up. */
export async function listOldHolds(tx: Tx, before: Date): Promise<{ id: string; released: number }[]> {
  return tx.run(sql.listOldHolds, [before, FORGOTTEN_AT_ONCE]);
}

export async function deleteOldHolds(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.run(sql.deleteHolds, [ids]);
}

/** Deletes some entries of forgotten days that the audit has summed up; returns whether there were any. */
export async function deleteOldEntries(tx: Tx): Promise<boolean> {
  const deleted = await one(tx, forgetEntries, [FORGOTTEN_AT_ONCE]);
  return deleted.count > 0;
}

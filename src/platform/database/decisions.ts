// Decisions on an incarnation of the database.
import * as sql from "./incarnations.sql.ts";
import { one, type Statements } from "./query.ts";
import type { Tx } from "./transaction.ts";

/** Returns the current incarnation of the database. */
export async function readIncarnation(db: Statements): Promise<sql.IncarnationRow> {
  return one(db, sql.readIncarnation);
}

/** Returns the same, locked until the end of the transaction. */
export async function lockIncarnation(tx: Tx): Promise<sql.IncarnationRow> {
  return one(tx, sql.lockIncarnation);
}

/** Records a decision. Processes notice it within a quarter of a second. */
export async function decideIncarnation(
  tx: Tx,
  { number }: sql.IncarnationRow,
  decided: sql.Decided,
): Promise<void> {
  await tx.run(sql.decideIncarnation, { submittedOnly: false, ...decided, number });
}

/** Resumes sending, after all held messages are settled. */
export async function settleIncarnation(tx: Tx, row: sql.IncarnationRow): Promise<void> {
  await tx.run(sql.settleIncarnation, [row.number]);
}

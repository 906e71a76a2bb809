// Decisions on an incarnation of the database.
import * as sql from "./incarnations.sql.ts";
import { one, type Statements } from "./query.ts";
import type { Tx } from "./transaction.ts";

/** The decision of an administrator, and the number of affected messages. */
export type Decided = Required<Pick<sql.IncarnationRow, "state" | "decision" | "since" | "messages">> & {
  by: string;
  submittedOnly?: boolean;
};

/** Returns the current incarnation of the database. */
export async function readIncarnation(db: Statements): Promise<sql.IncarnationRow> {
  return one(db, sql.readIncarnation);
}

/** Returns the same, locked until the end of the transaction. */
export async function lockIncarnation(tx: Tx): Promise<sql.IncarnationRow> {
  return one(tx, sql.lockIncarnation);
}

/** Records a decision. Processes notice it within a quarter of a second. */
export async function decideIncarnation(tx: Tx, row: sql.IncarnationRow, decided: Decided): Promise<void> {
  const { state, decision, by, since, messages, submittedOnly = false } = decided;
  await tx.run(sql.decideIncarnation, [row.number, state, decision, by, since, messages, submittedOnly]);
}

/** Resumes sending, after all held messages are settled. */
export async function settleIncarnation(tx: Tx, row: sql.IncarnationRow): Promise<void> {
  await tx.run(sql.settleIncarnation, [row.number]);
}

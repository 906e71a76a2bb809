// Closing: a company that has closed itself may only read its data until it is emptied.

import type { Tx } from "../../platform/database/transaction.ts";
import { deleteKeys } from "./apikeys.sql.ts";
import { deleteSessionsOf } from "./sessions.sql.ts";
import * as sql from "./sql.ts";

/** The suspension reason of a company that has closed itself. */
export const CLOSED = "CLOSED";

/** Returns whether a company has closed itself; it may be empty. The caller has locked it. */
export async function isClosed(tx: Tx, companyId: string): Promise<boolean> {
  return (await tx.run(sql.findClosed, [companyId])).length > 0;
}

/** Marks a company as closed; returns false if it is closed already. */
export async function markClosed(tx: Tx, companyId: string): Promise<boolean> {
  return (await tx.run(sql.markClosed, [companyId])).length > 0;
}

/** Marks a company as open again; returns false if it is open. Its suspension is ended separately. */
export async function markOpen(tx: Tx, companyId: string): Promise<boolean> {
  return (await tx.run(sql.markOpen, [companyId])).length > 0;
}

/**
 * Deletes the keys of a company whose retention time is over, and clears its users' personal data, unless they act for
 * another company that is open or closed less than `lifetimeMs` ago, so that it can be reopened.
 */
export async function emptyUsers(tx: Tx, companyId: string, lifetimeMs: number): Promise<void> {
  await tx.run(deleteKeys, [companyId]);
  await tx.run(deleteSessionsOf, [companyId]);
  await tx.run(sql.emptyUsers, [companyId, lifetimeMs]);
}

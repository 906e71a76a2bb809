// Suspensions: a suspended company may do nothing, and its queued messages wait until it is resumed.
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Detail } from "../../platform/http/fielderrors.ts";
import { refuse, requireRow } from "../../platform/http/refusals.ts";
import * as sql from "./suspensions.sql.ts";

/** The accounts whose messages no gateway sends, and the number of changes when they were read. */
export type Suspended = { changes: number; accountIds: ReadonlySet<string> };

export const NOBODY_SUSPENDED: Suspended = { changes: 0, accountIds: new Set() };

const SUSPENDED: Omit<Detail, "field"> = {
  message: {
    fr: "cette entreprise est suspendue ; contactez l’administrateur du service",
    en: "this company is suspended; contact the service administrator",
  },
};

/** Refuses `not-authorized` for a caller with valid credentials whose company is suspended. */
export function refuseSuspended(field: string): never {
  refuse("not-authorized", { details: [{ field, ...SUSPENDED }] });
}

/**
 * Suspends a company and its users, who could otherwise continue with one-time passwords of their own. Repeating it
 * only changes the reason. Refuses `not-found`.
 */
export async function suspendCompany(tx: Tx, companyId: string, reason: string | null): Promise<void> {
  if ((await tx.run(sql.markSuspended, [companyId, reason])).length === 0) refuse("not-found");
  const users = await tx.run(sql.listUsersOfAlone, [companyId]);
  const accountIds = [companyId, ...users.map((user) => user.user_id)];
  await suspendAccounts(
    tx,
    accountIds.map((accountId) => ({ accountId, cause: companyId })),
  );
}

/** Suspends the messages of these accounts until their `cause`, a company or a connection, is released. */
export async function suspendAccounts(tx: Tx, accounts: readonly sql.Cause[]): Promise<void> {
  if (accounts.length > 0) await tx.run(sql.insertSuspended, { accounts });
}

/** Resumes the accounts of these causes, unless they are suspended for another one. */
export async function releaseAccounts(tx: Tx, causes: readonly string[]): Promise<void> {
  if (causes.length > 0) await tx.run(sql.deleteSuspended, [causes]);
}

/**
 * Ends the suspension of a company and of all accounts suspended with it; one that has closed itself stays closed.
 * Refuses `not-found`.
 */
export async function resumeCompany(tx: Tx, companyId: string): Promise<void> {
  const resumed = await requireRow(tx.run(sql.markResumed, [companyId]), "not-found");
  if (!resumed.isClosed) await releaseAccounts(tx, [companyId]);
}

/** Returns the suspended accounts. If nothing has changed since `known`, it is returned without reading the list. */
export async function readSuspended(db: Statements, known: Suspended): Promise<Suspended> {
  // A change between the two reads is picked up the next time.
  const { count: changes } = await one(db, sql.findSuspensionChanges);
  if (changes === known.changes) return known;
  const rows = await db.run(sql.listSuspended);
  return { changes, accountIds: new Set(rows.map((row) => row.account_id)) };
}

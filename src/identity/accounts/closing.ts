// Closing: a company that closed itself may read what it has until it is emptied, and nothing else.
import type { Tx } from "../../platform/database.ts";
import { deleteKeys } from "./apikeys.sql.ts";
import * as sql from "./closing.sql.ts";
import { deleteSessionsOf } from "./sessions.sql.ts";

/** The reason of the suspension of a company that closed itself. */
export const CLOSED = "CLOSED";

/** What a closed company may still do: read, erase people, and open again. */
const OPEN_DOORS: ReadonlySet<string> = new Set([
  ...["contact/list", "contact/{id}", "contact/erase", "contact/erase/{id}"],
  ...["group/list", "group/{id}", "group/{id}/contacts/list"],
  ...["sender/list", "sender/{id}/campaign", "optout/list"],
  ...[
    "campaign/list",
    "campaign/{id}",
    "campaign/{id}/messages",
    "campaign/approval/list",
    "campaign/forgotten/list",
  ],
  ...["company/request/list", "message/{id}"],
  ...["credit/balance", "user/credit", "credit/statement", "transaction/stats", "company/usage"],
  ...["topup/list", "topup/{id}", "topup/{id}/receipt"],
  ...["third-party-app/connection/list", "company/close", "company/reopen"],
  ...["company/export", "company/export/{id}"],
]);

/** Whether a company that closed itself may use this door. */
export function isOpenToClosed(door: string): boolean {
  return OPEN_DOORS.has(door);
}

/** Whether a company has closed itself; it may be empty. Who calls has locked it. */
export async function isClosed(tx: Tx, companyId: string): Promise<boolean> {
  return (await tx.run(sql.findClosed, [companyId])).length > 0;
}

/** Marks a company as closed; false where it is already. */
export async function markClosed(tx: Tx, companyId: string): Promise<boolean> {
  return (await tx.run(sql.markClosed, [companyId])).length > 0;
}

/** Ends that a company is closed; false where it is open. Its suspension is ended apart. */
export async function markOpen(tx: Tx, companyId: string): Promise<boolean> {
  return (await tx.run(sql.markOpen, [companyId])).length > 0;
}

/**
 * Ends the keys of a company whose time is over, and forgets who its users are, unless they act for another one that is open
 * or can be opened again: it closed less than `lifetimeMs` ago.
 */
export async function emptyUsers(tx: Tx, companyId: string, lifetimeMs: number): Promise<void> {
  await tx.run(deleteKeys, [companyId]);
  await tx.run(deleteSessionsOf, [companyId]);
  await tx.run(sql.emptyUsers, [companyId, lifetimeMs]);
}

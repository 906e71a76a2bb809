// Undo: for 24 hours after an import, the contacts that it created and that are unchanged since can be removed again.
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { inSteps } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { requireRow } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { deleteContacts } from "../contacts/contacts.ts";
import { holdContactsToDelete } from "../contacts/emptying.ts";
import { deleteEmptyGroup } from "../groups/groups.ts";
import type { ContactImport } from "./shapes.ts";
import { lockImport } from "./sql.ts";
import { refuseUndo } from "./states.ts";
import * as sql from "./undo.sql.ts";
import { readImport, UNDO_MS } from "./views.ts";

/**
 * Starts to undo an import that ended within 24 hours; a job does the work. A repeat changes nothing. Refuses
 * `not-found`, and `conflict` if the import has not ended, created no contact, or ended longer ago.
 */
export async function undoImport(
  app: Runtime,
  tx: Tx,
  caller: CompanyCaller,
  id: string,
): Promise<ContactImport> {
  const found = await requireRow(tx.run(lockImport, [caller.companyId, id]), "not-found");
  if (found.undoStatus === null) {
    const [begun] = await tx.run(sql.markUndoing, [id, UNDO_MS]);
    if (!begun) refuseUndo(found);
  }
  return readImport(app, tx, caller, id);
}

/** The number of contacts in one batch. 1,000 with their words and one group take 92 ms (2 busy cores, 2026-11-26). */
const CONTACTS_AT_ONCE = 1_000;

/** Whether a pending action, such as a scheduled campaign, needs a group of a company. */
export type IsGroupNeeded = (tx: Tx, companyId: string, groupId: string) => Promise<boolean>;

/**
 * Runs the undos of imports, one batch of each in rotation. A job runs it. A batch is one transaction that takes its
 * contacts from the list of the import, so it can be repeated, and run in several processes. A group that the import
 * created is deleted last, if it is empty and not needed.
 */
export async function undoImports(app: Runtime, signal: AbortSignal, isNeeded: IsGroupNeeded): Promise<void> {
  await inSteps(signal, async () => {
    const [next] = await app.database.run(sql.findUndoing);
    if (!next) return false;
    const { id, company_id: companyId } = next;
    return app.database.of(companyId).transaction((tx) => undoBatch(tx, companyId, id, isNeeded));
  });
}

/** Returns false if another process is undoing it; the next call looks for its next batch. */
async function undoBatch(tx: Tx, companyId: string, id: string, isNeeded: IsGroupNeeded): Promise<boolean> {
  const [found] = await tx.run(sql.lockUndoing, [id]);
  if (!found) return false;
  const rows = await tx.run(sql.deleteMade, [id, CONTACTS_AT_ONCE]);
  const made = rows.map((row) => ({ id: row.contact_id, writtenAt: row.written_at }));
  // Nobody can change them or add them to a group until the commit.
  await holdContactsToDelete(
    tx,
    companyId,
    made.map(({ id }) => id),
  );
  const { group_id: groupId, made_group: madeGroup } = found;
  const there = await tx.run(sql.listRemovable, { companyId, made, groupId });
  const unchanged = there.filter((row) => row.is_unchanged).map((row) => row.id);
  const { count } = await deleteContacts(tx, { companyId }, unchanged);
  const isLast = made.length < CONTACTS_AT_ONCE;
  if (isLast && madeGroup && groupId !== null && !(await isNeeded(tx, companyId, groupId)))
    await deleteEmptyGroup(tx, companyId, groupId);
  const kept = there.length - unchanged.length;
  await tx.run(sql.updateUndo, { id, removed: count, kept, isLast });
  return true;
}

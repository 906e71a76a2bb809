// The deletion of all contacts of a group from the phone book, in batches.

import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import { deleteInSteps, inSteps } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { counted } from "../../platform/http/counted.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import { requireRow } from "../../platform/http/refusals.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { deleteContacts } from "../contacts/contacts.ts";
import * as sql from "./deletions.sql.ts";
import type { ContactDeletion } from "./shapes.ts";
import { findGroup } from "./sql.ts";

/** The number of contacts in one batch; the request itself empties a group of up to this size. */
const CONTACTS_AT_ONCE = 1_000;

function deletionOf({ reached: _, upTo: __, ...deletion }: sql.DeletionRow): ContactDeletion {
  return deletion;
}

/**
 * Deletes the current contacts of a group, as `deleteContacts` does: up to 1,000 immediately, more by a job. The group
 * stays. A repeat meanwhile returns the same deletion. Contacts created later stay; an existing contact that joins the
 * group before the job ends may be deleted too. Refuses `group-not-found`, and `conflict` if `count` is given and the
 * group has another number of contacts.
 */
export async function deleteContactsOfGroup(
  tx: Tx,
  caller: CompanyCaller,
  groupId: string,
  count?: number,
): Promise<ContactDeletion> {
  const { companyId } = caller;
  // Without a lock, because contacts are always locked before groups.
  const group = await requireRow(tx.run(findGroup, [companyId, groupId]), "group-not-found");
  const [running] = await tx.run(sql.findDeletionOf, [companyId, groupId]);
  if (running) return deletionOf(running);
  const total = group.contactCount;
  if (count !== undefined && count !== total) {
    const { fr, en } = counted(total, ["contact", "contacts"], ["contact", "contacts"]);
    refuseConflict("count", { fr: `le groupe a ${fr}`, en: `the group has ${en}` });
  }
  const begun = await one(tx, sql.insertDeletion, { id: newId(), companyId, groupId, total });
  return deletionOf(total > CONTACTS_AT_ONCE ? begun : await deleteBatch(tx, companyId, begun));
}

/** Returns the progress of a deletion. Refuses `not-found`. */
export async function readDeletion(
  db: Statements,
  { companyId }: CompanyCaller,
  id: string,
): Promise<ContactDeletion> {
  return deletionOf(await requireRow(db.run(sql.findDeletion, [companyId, id]), "not-found"));
}

async function deleteBatch(tx: Tx, companyId: string, row: sql.DeletionRow): Promise<sql.DeletionRow> {
  const { id, groupId, reached: after, upTo } = row;
  const atMost = CONTACTS_AT_ONCE;
  const members = await tx.run(sql.listMembersToDelete, { companyId, groupId, after, upTo, atMost });
  const ids = members.map((member) => member.id);
  const { count } = await deleteContacts(tx, { companyId }, ids);
  const isLast = ids.length < CONTACTS_AT_ONCE || ids.at(-1) === upTo;
  return one(tx, sql.updateDeletion, { id, count, reached: ids.at(-1) ?? after, isLast });
}

/**
 * Runs the deletions that are larger than a request, one batch of each in rotation. A job runs it. Each batch is one
 * transaction that stores its position, so it can be repeated, and run in several processes.
 */
export async function runDeletions(app: Runtime, signal: AbortSignal): Promise<void> {
  await inSteps(signal, async () => {
    const [next] = await app.database.run(sql.findRunningDeletion);
    if (!next) return false;
    const { id, companyId } = next;
    return app.database.of(companyId).transaction(async (tx) => {
      const [row] = await tx.run(sql.lockRunningDeletion, [companyId, id]);
      if (row) await deleteBatch(tx, companyId, row);
      return row !== undefined;
    });
  });
}

const KEPT_MS = 30 * 24 * 3_600_000;
const STEPS = { atOnce: 1_000, most: 1_000 };

/** Deletes the records of deletions that started more than 30 days ago. A job runs it. */
export async function forgetDeletions(app: Runtime, signal: AbortSignal): Promise<void> {
  await deleteInSteps(app, sql.deleteOldDeletions, [KEPT_MS], STEPS, signal);
}

// The deletion of contacts when a person is erased or a company has closed.
import { one } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { deleteFields } from "./fields.sql.ts";
import * as sql from "./sql.ts";

/** Deletes the contacts with this phone of these companies, and their memberships; returns the number deleted. */
export async function eraseContacts(tx: Tx, companyIds: readonly string[], phone: string): Promise<number> {
  let count = 0;
  for (const { company_id: companyId, id } of await tx.run(sql.listContactsOf, [companyIds, phone])) {
    await tx.run(sql.lockContactsToDelete, [companyId, [id]]);
    const gone = await one(tx, sql.deleteContacts, [companyId, [id]]);
    count += gone.count;
  }
  return count;
}

/** Locks contacts that may be deleted: until the commit, nobody can change them or add them to a group. */
export async function holdContactsToDelete(tx: Tx, companyId: string, ids: readonly string[]): Promise<void> {
  await tx.run(sql.lockContactsToDelete, [companyId, ids]);
}

const EMPTIED_AT_ONCE = 5_000;

/**
 * Deletes some contacts of a company that has closed, and with the last ones its field names; returns whether there
 * were any.
 */
export async function emptyContacts(tx: Tx, companyId: string): Promise<boolean> {
  const ids = (await tx.run(sql.listSomeContacts, [companyId, EMPTIED_AT_ONCE])).map((row) => row.id);
  if (ids.length > 0) await tx.run(sql.deleteContacts, [companyId, ids]);
  else await tx.run(deleteFields, [companyId]);
  return ids.length > 0;
}

// The queries that delete all contacts of a group.
import { columnsOf } from "../../platform/database/columns.ts";
import { query } from "../../platform/database/query.ts";
import type { ContactDeletion } from "./shapes.ts";

export type DeletionRow = ContactDeletion & { reached: string; upTo: string };

const COLUMNS = columnsOf(["id", "groupId", "status", "total", "deleted", "reached", "upTo"]);

/** Starts to delete the current contacts of a group; members with newer ids stay. */
export const insertDeletion = query<
  DeletionRow,
  { id: string; companyId: string; groupId: string; total: number }
>(
  "groups.insertDeletion",
  `INSERT INTO contact_deletions (id, company_id, group_id, total, up_to)
   SELECT $id, $companyId, $groupId, $total, coalesce(max(contact_id), '') FROM (
     SELECT contact_id FROM group_members WHERE company_id = $companyId AND group_id = $groupId ORDER BY contact_id DESC LIMIT 1) AS newest
   RETURNING ${COLUMNS}`,
);

export const findDeletion = query<DeletionRow>(
  "groups.findDeletion",
  `SELECT ${COLUMNS} FROM contact_deletions WHERE company_id = $1 AND id = $2`,
);

/** The deletion that is running for this group. No row: there is none. */
export const findDeletionOf = query<DeletionRow>(
  "groups.findDeletionOf",
  `SELECT ${COLUMNS} FROM contact_deletions WHERE company_id = $1 AND group_id = $2 AND status = 'RUNNING' LIMIT 1`,
);

/** The deletion that has waited longest for its next batch. Those of suspended companies are left out. */
export const findRunningDeletion = query<{ id: string; companyId: string }>(
  "groups.findRunningDeletion",
  `SELECT contact_deletions.id, company_id AS "companyId" FROM contact_deletions JOIN companies ON companies.id = company_id
   WHERE status = 'RUNNING' AND suspended_at IS NULL ORDER BY touched_at LIMIT 1`,
);

/** Locks a deletion for a batch. No row: another process has it, or it is finished. */
export const lockRunningDeletion = query<DeletionRow>(
  "groups.lockRunningDeletion",
  `SELECT ${COLUMNS} FROM contact_deletions WHERE company_id = $1 AND id = $2 AND status = 'RUNNING'
   FOR NO KEY UPDATE SKIP LOCKED`,
);

/** The next members of a group after a contact, up to another. */
export const listMembersToDelete = query<
  { id: string },
  { companyId: string; groupId: string; after: string; upTo: string; atMost: number }
>(
  "groups.listMembersToDelete",
  `SELECT contact_id AS id FROM group_members
   WHERE company_id = $companyId AND group_id = $groupId AND contact_id > $after AND contact_id <= $upTo ORDER BY contact_id LIMIT $atMost`,
);

/** Adds a batch of deleted contacts up to a contact. */
export const updateDeletion = query<
  DeletionRow,
  { id: string; count: number; reached: string; isLast: boolean }
>(
  "groups.updateDeletion",
  `UPDATE contact_deletions SET deleted = deleted + $count, reached = $reached, touched_at = now(),
     status = CASE WHEN $isLast::boolean THEN 'DONE' ELSE 'RUNNING' END WHERE id = $id RETURNING ${COLUMNS}`,
);

/** Deletes up to $2 records of deletions that started more than $1 ms ago and are finished. */
export const deleteOldDeletions = query<{ id: string }>(
  "groups.deleteOldDeletions",
  `DELETE FROM contact_deletions WHERE id = ANY(ARRAY(
     SELECT id FROM contact_deletions
     WHERE created_at < now() - $1::bigint * interval '1 millisecond' AND status = 'DONE' LIMIT $2)) RETURNING id`,
);

/** Deletes up to $2 records of deletions of a company that has closed. */
export const deleteSomeDeletions = query<{ id: string }>(
  "groups.deleteSomeDeletions",
  `DELETE FROM contact_deletions WHERE id = ANY(ARRAY(
     SELECT id FROM contact_deletions WHERE company_id = $1 ORDER BY id LIMIT $2)) RETURNING id`,
);
